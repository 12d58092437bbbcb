/*
 * seen.h - what a person was shown of a call, made again from the record and held against it.
 *
 * A console told the supervisor the width of its document, its mode, the last event it had seen and
 * the digest of what it showed (formats.md 1, call.presented).  From the same events the same
 * document is made; its digest is the same, or something differs and is said.
 *
 * Knows:      session, session/replay, document.
 * Unaware of: the screen.
 */
#ifndef TUI_SEEN_H
#define TUI_SEEN_H

#include <stdint.h>

#include "core/base/attr.h"
#include "core/session/session.h"

struct document;
struct err;
struct replay;

enum seen_verdict {
	SEEN_NEVER,     /* no console said that it showed it */
	SEEN_SAME,      /* made again, and the frame is the recorded one */
	SEEN_WITHHELD,  /* cannot be made again: the record does not hold all that was shown */
	SEEN_DIFFERENT, /* made again, and the frame is another one */
};

struct seen {
	/* As the console had it; without a presentation, as it is there.  Borrowed like `after`. */
	const struct session *session;
	struct session_shown shown;       /* console NULL: never; borrowed until the replay moves */
	const struct session_call *after; /* when the record ended: how the call was decided;
					   * borrowed until the next look */
	uint64_t call;
	enum seen_verdict verdict;
};

/*
 * Look back on the presentation of a call that is the latest at the replay's position (its call
 * must be there).  The replay stays where it is.  What is given is borrowed until the next look.
 */
int seen_look(
	struct replay *replay, uint64_t call, struct seen *seen, struct err *err) ATTR_CHECKED;

/* The document of that presentation, laid out for this width.  With the recorded width and mode it
 * is the very one. */
void seen_document(const struct seen *seen, unsigned cols, struct document *document);

/* The verdict alone, for a session as it was at shown.seen_seq. */
enum seen_verdict seen_check(
	const struct session *session, uint64_t call, const struct session_shown *shown);

#endif
