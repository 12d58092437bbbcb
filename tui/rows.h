/*
 * rows.h - a document laid out for one width: rows of styled pieces, with labels and a gutter.
 *
 * A builder adds fields (a label and what stands beside it); words wrap at blanks, foreign text
 * wherever it must, and nothing is left out.  Each row begins with the label or blanks and a gutter
 * of the console's own: "│ ", on continued rows "· ".  Foreign text goes through text.h here, so a
 * row holds only what is safe to draw.
 *
 * Knows:      canvas, coverage, text, buf, hash, mem.
 * Unaware of: what the document is about.
 */
#ifndef TUI_ROWS_H
#define TUI_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/attr.h"
#include "core/base/text.h"
#include "tui/canvas.h"
#include "tui/coverage.h"

struct buf;
struct digest;
struct find;
struct rows;

#define ROWS_MIN_COLS 24 /* a smaller width is laid out for this one */

struct rows *rows_new(int cols);
void rows_free(struct rows *rows); /* NULL is fine */

/* --- building --- */

/* A new field; a label of NULL continues under the one before it. */
void rows_field(struct rows *rows, const char *label);
/* Labels from outside; one that is too long stands on rows of its own.  indent in columns. */
void rows_field_foreign(struct rows *rows, struct untrusted label, enum text_mode mode, int indent);
/* A field with a mark for a gutter that is one column wide, as "> 12 " for program lines. */
void rows_field_marked(struct rows *rows, const char *label, enum style style);

/* A field of a difference: our sign of one column before a label from outside. */
void rows_field_sign(struct rows *rows, const char *sign, enum style style, struct untrusted label,
	enum text_mode mode);

/* Our words (see canvas_text) and foreign text, after what the field holds already. */
void rows_words(struct rows *rows, enum style style, const char *ours);
void rows_printf(struct rows *rows, enum style style, const char *fmt, ...) ATTR_PRINTF(3, 4);
void rows_foreign(struct rows *rows, enum style style, struct untrusted text, enum text_mode mode);
/* The same, wrapped at blanks: for what is not approved. */
void rows_prose(struct rows *rows, enum style style, struct untrusted text, enum text_mode mode);
/* Foreign text, and each row knows which bytes of text it shows whole: rows_seen(). */
void rows_source(struct rows *rows, enum style style, struct untrusted text, enum text_mode mode);
/* A row that divides, with our words in it (may be ""). */
void rows_divide(struct rows *rows, const char *ours);
void rows_finish(struct rows *rows); /* nothing is added afterwards */

/* --- reading --- */

size_t rows_count(const struct rows *rows);
size_t rows_source_count(const struct rows *rows); /* rows that hold source bytes */
/* The row of the first source byte; 0 without. */
size_t rows_source_at(const struct rows *rows);

/* Does this row, as it is drawn, hold what is searched?  Sets the columns of its first match. */
bool rows_holds(const struct rows *rows, size_t row, const struct find *find, int *col, int *cols);

/* Draws from row top on; gives how many rows were drawn. */
int rows_draw(const struct rows *rows, struct canvas *canvas, struct rect rect, size_t top);
/* Adds the source bytes that rows top to top + height - 1 show. */
void rows_seen(const struct rows *rows, size_t top, size_t height, struct coverage *seen);

/* All rows as UTF-8 without attributes, each ended by LF. */
void rows_text(const struct rows *rows, struct buf *out);

#endif
