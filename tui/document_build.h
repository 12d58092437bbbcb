/*
 * document_build.h - rows of a document: a label, a bar, and text that wraps.
 *
 * Knows:      document, text.
 * Unaware of: calls.
 */
#ifndef TUI_DOCUMENT_BUILD_H
#define TUI_DOCUMENT_BUILD_H

#include "core/base/attr.h"
#include "tui/document.h"

struct builder {
	struct document *document;
	enum text_mode mode;
	unsigned cols;   /* of the whole line */
	unsigned column; /* where the next piece begins */
};

#define DOCUMENT_LABEL_COLS 11

/* Begin a row; label is our own word or an escaped name (cut to fit, with "~" when cut). */
void build_row(struct builder *b, const char *label);
/* Our own ASCII words. */
void build_own(struct builder *b, enum document_style style, const char *fmt, ...)
	ATTR_PRINTF(3, 4);
/* Foreign text in this style. */
void build_foreign(struct builder *b, enum document_style style, struct untrusted text);
/* The same, and these are the arguments' own bytes from `from` on. */
void build_arguments(struct builder *b, struct untrusted text, size_t from);

#endif
