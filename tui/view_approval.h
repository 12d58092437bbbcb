/*
 * view_approval.h - the approval pane: the documents of the calls to be decided, their scrolling,
 * the fields for code, reason and comment, and the last row, which says what can be done now.
 *
 * Whether a key may decide is arming's business and app's; the pane shows what arming says.
 *
 * Knows:      view, document, rows, arming, lineedit, bar, event (the code).
 * Unaware of: the connection; when a frame leaves.
 */
#ifndef TUI_VIEW_APPROVAL_H
#define TUI_VIEW_APPROVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "tui/canvas.h"
#include "tui/coverage.h"

struct arming;
struct session;
struct view;
struct view_scene;

/* count calls (at least one), in this order, to be decided together; those of several share each
 * key.  arming is borrowed, outlives the view. */
struct view *view_approval_new(const struct session *session, const uint64_t *calls, size_t count,
	const struct arming *arming);
size_t view_approval_count(const struct view *view);
uint64_t view_approval_call(const struct view *view, size_t i);

/*
 * Present (guard.h): make the documents anew from the session as it is, for a pane of this rect on
 * a screen of rows rows, and leave the field for the code.  Gives the bytes of all arguments.
 */
size_t view_approval_present(
	struct view *view, const struct view_scene *scene, struct rect pane, int rows);
/* The rows the pane would like as it is presented, borders included. */
int view_approval_rows(const struct view *view);
/* Does the pane, in this rect, stand as it was presented? */
bool view_approval_fits(const struct view *view, const struct view_scene *scene, struct rect pane);

struct approval_shown { /* what is presented of one call */
	uint64_t call;
	struct digest bind, frame;
	uint64_t seen_seq;
	unsigned cols, rows;
	bool strict;
	size_t bytes_at, total; /* of its arguments, among those of all; and how many */
	bool wants_code;
	const char *blocked; /* our words: why none of them can be approved; NULL: they can */
};
struct approval_shown view_approval_shown(const struct view *view, size_t i);

/* Source bytes that the last painting showed. */
void view_approval_seen(const struct view *view, struct coverage *seen);

/* A yes has settled: open the field for the code. */
void view_approval_ask_code(struct view *view);
/* Are free words being typed: a reason, a comment? */
bool view_approval_in_words(const struct view *view);
/* To be kept with the decision; NULL: none. */
const char *view_approval_comment(const struct view *view);
void view_approval_set_comment(struct view *view, const char *comment); /* NULL: none */
/* One line of our words in the last row until the next presentation; NULL: none. */
void view_approval_say(struct view *view, const char *words);
/* Why the terminal allows no approval now; NULL: it does.  read_only: no denial either. */
void view_approval_block(struct view *view, const char *words, bool read_only);
/* A decision was sent: nothing else is taken until it is answered. */
void view_approval_sent(struct view *view, bool sent);

#endif
