/*
 * document.h - what the approval pane says of one held call, laid out for one width.
 *
 * Made from the session's state alone, so that the same state, width and mode make the same
 * document and the same frame digest on a console and in a replay.  Clock, hints and what was
 * scrolled into sight are not part of it.  Foreign text passes through core/base/text piece by
 * piece; the rows know which bytes of the call's arguments they show.
 *
 * Knows:      session, rows, text, json, decimal, hash.
 * Unaware of: the screen, keys.
 */
#ifndef TUI_DOCUMENT_H
#define TUI_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/hash.h"
#include "core/base/text.h"

struct rows;
struct session;
struct session_call;
struct session_counter;

struct document {
	struct rows *rows;
	size_t total;            /* bytes of the arguments: what must be painted */
	bool too_long;           /* over 256 KiB or 40 screens: cannot be approved */
	bool missing;            /* the arguments are not here: cannot be approved */
	struct text_counts seen; /* of the arguments' source */
	struct digest frame;
};

#define DOCUMENT_BYTES_MAX (256 * 1024)
#define DOCUMENT_SCREENS_MAX 40

/* cols: width of the pane's text; rows: height of a screen, for too_long. */
void document_make(struct document *document, const struct session *session,
	const struct session_call *call, unsigned cols, unsigned rows, enum text_mode mode);
void document_release(struct document *document); /* a zeroed one is fine */

/* All lines as UTF-8 text, each ended by LF: what the frame digest is made over.  Gives memory. */
char *document_text(const struct document *document);

/* "CHANGES DATA (unmarked)": the effect in words, and who says so.  Borrowed, constant. */
const char *document_effect(const char *effect, const char *effect_from);
/* "the default asks": why a call is held.  Borrowed, constant. */
const char *document_held(const char *why);

/* The limit that a call is held for and that was not raised since; NULL: none. */
const struct session_counter *document_over(
	const struct session *session, const struct session_call *call);

/* Other documents over the same rows; all give rows, finished. */
/* Why the rules rule as they do: the ruling and every rule that was tried. */
struct rows *document_explain(const struct session_call *call, int cols, enum text_mode mode);
/* What differs from the last call of this tool that was approved, and from what was asked. */
struct rows *document_difference(const struct session *session, const struct session_call *call,
	int cols, enum text_mode mode);
/* Everything known of one call, in full. */
struct rows *document_detail(const struct session *session, const struct session_call *call,
	int cols, enum text_mode mode);

/* Everything around the program: budgets, sandbox, limits, tools, alerts. */
struct rows *document_session(const struct session *session, int cols, enum text_mode mode);

#endif
