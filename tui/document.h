/*
 * document.h - what the approval pane says of one held call, as lines of styled text.
 *
 * Made from the session's state alone, so that the same state, width and mode make the same
 * document and the same frame digest on a console and in a replay.  Clock, hints and what was
 * scrolled into sight are not part of it.  Foreign text passes through core/base/text piece by
 * piece; each line says which bytes of the call's arguments it shows.
 *
 * Knows:      session, text, json, hash.
 * Unaware of: the screen, themes, keys.
 */
#ifndef TUI_DOCUMENT_H
#define TUI_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/hash.h"
#include "core/base/text.h"

struct session;
struct session_call;

enum document_style {
	DOC_PLAIN,  /* our own words */
	DOC_LABEL,  /* the left column */
	DOC_GUTTER, /* the bar between label and text: U+2502, one column */
	DOC_VALUE,  /* foreign text as it is */
	DOC_ESCAPE, /* one of its escapes */
	DOC_NOTE,   /* our remark beside a value */
	DOC_WARNING,
	DOC_CODE, /* a line of the program */
	DOC_LIT,  /* the calling line */
};

struct document_piece {
	enum document_style style;
	char *text; /* UTF-8, drawn as it stands */
	unsigned width;
};

struct document_line {
	struct document_piece *pieces;
	size_t count;
	size_t from, len; /* bytes of the arguments' source shown here; len 0: none */
};

struct document {
	struct document_line *lines;
	size_t count;
	size_t total;            /* bytes of the arguments: what must be painted */
	bool too_long;           /* over 256 KiB or 40 screens: cannot be approved */
	struct text_counts seen; /* of the arguments' source */
	struct digest frame;
};

#define DOCUMENT_COLS_MIN 40
#define DOCUMENT_BYTES_MAX (256 * 1024)
#define DOCUMENT_SCREENS_MAX 40

/* cols: width of the pane's text; rows: height of a screen, for too_long. */
void document_make(struct document *document, const struct session *session,
	const struct session_call *call, unsigned cols, unsigned rows, enum text_mode mode);
void document_release(struct document *document);

/* All lines as UTF-8 text, each ended by LF: what the frame digest is made over.  Gives memory. */
char *document_text(const struct document *document);

/* "CHANGES DATA (unmarked)": the effect in words, and who says so.  Borrowed, constant. */
const char *document_effect(const char *effect, const char *effect_from);

#endif
