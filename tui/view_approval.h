/*
 * view_approval.h - the approval pane: the document of one held call, its scrolling, the fields for
 * code and reason, and the last row, which says what can be done now.
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
struct session_call;
struct view;

/* arming is borrowed and outlives the view. */
struct view *view_approval_new(const struct session_call *call, const struct arming *arming);
uint64_t view_approval_call(const struct view *view);

/*
 * Present: make the document anew from the session as it is, for a pane of this rect on a screen of
 * rows rows, and leave the field for the code.  Gives the rows the pane would like, borders
 * included.
 */
int view_approval_present(
	struct view *view, const struct session *session, struct rect pane, int rows);
/* Would a pane of this rect need another presentation? */
bool view_approval_fits(const struct view *view, struct rect pane);

struct approval_shown { /* what is presented */
	struct digest bind, frame;
	uint64_t seen_seq;
	unsigned cols, rows;
	bool strict;
	size_t total;
	bool wants_code;
	const char *blocked; /* our words: why it can never be approved; NULL: it can */
};
struct approval_shown view_approval_shown(const struct view *view);

/* Source bytes that the last painting showed. */
void view_approval_seen(const struct view *view, struct coverage *seen);

/* A yes has settled: open the field for the code. */
void view_approval_ask_code(struct view *view);
/* Is a reason being typed? */
bool view_approval_in_reason(const struct view *view);
/* One line of our words in the last row until the next presentation; NULL: none. */
void view_approval_say(struct view *view, const char *words);
/* The terminal is too small, or not ours: why nothing can be approved now; NULL: it can. */
void view_approval_block(struct view *view, const char *words);
/* A decision was sent: nothing else is taken until it is answered. */
void view_approval_sent(struct view *view, bool sent);

#endif
