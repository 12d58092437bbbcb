/*
 * guard.h - what a view offers in which a yes is asked for.
 *
 * app hands the one arming machine to the guarded view that lies on top: it has the view laid out,
 * counts what each frame that left has shown of it, and lets a yes stand only when the machine is
 * armed.  What is counted is the view's: bytes of arguments, rows of a dialog.  A view asks to be
 * laid out anew with INTENT_AGAIN whenever something else is asked than what was shown.
 *
 * Knows:      view, coverage.
 * Unaware of: arming, the connection.
 */
#ifndef TUI_GUARD_H
#define TUI_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/coverage.h"
#include "tui/view.h"

struct guard_ops {
	/* Lay out anew for this area, from the session as it is, and drop what was half confirmed.
	 * Gives what must be painted before a yes, in the view's own units. */
	size_t (*present)(
		struct view *view, const struct view_scene *scene, struct rect rect, int rows);
	/* Would this area, or the session as it is now, need another presentation? */
	bool (*fits)(const struct view *view, const struct view_scene *scene, struct rect rect);
	/* Adds what the last painting showed whole. */
	void (*seen)(const struct view *view, struct coverage *seen);
	/* Why the terminal allows no yes now, our words; NULL: it does.  read_only: no denial
	 * either. */
	void (*block)(struct view *view, const char *words, bool read_only);
	/* Why no yes is possible, our words; NULL: it is. */
	const char *(*blocked)(const struct view *view);
	/* The command said yes and stands: what is to be done. */
	void (*yes)(struct view *view, enum command command, struct intent *out);
	/* Is text mode off?  A screen of ASCII alone allows no other. */
	bool (*strict)(const struct view *view);
	/* Are words being typed that confirm nothing?  Then letters that came together are typed.
	 */
	bool (*wording)(const struct view *view);
	/* A request was sent: nothing else is taken until it is answered. */
	void (*sent)(struct view *view, bool sent);
};

#endif
