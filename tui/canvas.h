/*
 * canvas.h - a grid of styled cells: what a frame shows, before any terminal.
 *
 * Our own words are drawn by canvas_text(): printable ASCII and the few glyphs we use (see
 * canvas_glyphs in canvas.c); anything else in them shows as an escape, so a foreign byte that
 * strays in is harmless.  Foreign text is drawn by canvas_cell() from the cells of text.h, or a row
 * at a time by canvas_foreign().  All drawing is clipped to canvas_clip().  A canvas set to ASCII
 * replaces our glyphs and draws foreign characters beyond ASCII as escapes.
 *
 * Knows:      style, text, utf8, buf, hash, mem.
 * Unaware of: the terminal, colours, curses.
 */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/text.h"
#include "tui/style.h"

struct buf;
struct canvas;
struct digest;

/* Columns and rows from 0, 0 at the top left.  Sizes below 0 are 0. */
struct rect {
	int x, y, w, h;
};

struct rect rect_make(int x, int y, int w, int h);
struct rect rect_inside(struct rect rect); /* without a border of one cell all around */
struct rect rect_common(struct rect a, struct rect b);
bool rect_empty(struct rect rect);

struct canvas *canvas_new(int cols, int rows);                 /* blank; 0 x 0 is fine */
void canvas_free(struct canvas *canvas);                       /* NULL is fine */
void canvas_resize(struct canvas *canvas, int cols, int rows); /* blank afterwards */
void canvas_set_ascii(struct canvas *canvas, bool ascii);
bool canvas_is_ascii(const struct canvas *canvas);
int canvas_cols(const struct canvas *canvas);
int canvas_rows(const struct canvas *canvas);
struct rect canvas_all(const struct canvas *canvas);

/* Blank in STYLE_TEXT, no clip, no cursor. */
void canvas_clear(struct canvas *canvas);

/* Drawing goes on within clip only.  Gives what was in force, to be put back. */
struct rect canvas_clip(struct canvas *canvas, struct rect clip);

void canvas_fill(struct canvas *canvas, struct rect rect, enum style style); /* with blanks */
/* Keep what stands there, change its style (escapes keep theirs). */
void canvas_restyle(struct canvas *canvas, struct rect rect, enum style style);

/* Our words, on one row.  Both give the column after the text, clipped or not. */
int canvas_text(struct canvas *canvas, int x, int y, enum style style, const char *ours);
int canvas_printf(struct canvas *canvas, int x, int y, enum style style, const char *fmt, ...)
	ATTR_PRINTF(5, 6);
int canvas_text_width(const struct canvas *canvas, const char *ours); /* columns it takes */

/*
 * One cell of foreign text.  Escapes are drawn in STYLE_ESCAPE whatever style says.  Gives the
 * columns that were drawn: less than cell->width when it did not fit, and then a wide character is
 * not drawn at all.
 */
int canvas_cell(
	struct canvas *canvas, int x, int y, enum style style, const struct text_cell *cell);

/*
 * Foreign text on one row, line breaks as escapes; what is longer than width ends in a mark of the
 * console's own ("…", "~").  Never for bytes that are approved.  Gives the columns used.
 */
struct canvas_run {
	int x, y, width;
	enum style style;
	enum text_mode mode;
};
int canvas_foreign(struct canvas *canvas, const struct canvas_run *run, struct untrusted text);

/* Thin borders; where they meet others they share the edge.  hline and vline join at both ends. */
void canvas_box(struct canvas *canvas, struct rect rect, enum style style);
void canvas_hline(struct canvas *canvas, int x, int y, int width, enum style style);
void canvas_vline(struct canvas *canvas, int x, int y, int height, enum style style);

/* Where the terminal's cursor stands (for input); none unless set in this frame. */
void canvas_set_cursor(struct canvas *canvas, int x, int y);
bool canvas_cursor(const struct canvas *canvas, int *x, int *y);

/* For term, tests and tools. */
struct canvas_view {
	const char *utf8; /* one character, NUL-terminated; "" for the right half of a wide one */
	int width;        /* 1, 2, or 0 for that right half */
	enum style style;
};
struct canvas_view canvas_at(const struct canvas *canvas, int x, int y);

/* The columns *from to *to (exclusive) of row y that differ from before; false when none do.
 * A canvas of another size, or NULL, differs everywhere. */
bool canvas_row_changed(
	const struct canvas *canvas, const struct canvas *before, int y, int *from, int *to);
void canvas_copy(struct canvas *to, const struct canvas *from);

/* SHA-256 over size, characters and styles: the "frame" of a decision. */
void canvas_digest(const struct canvas *canvas, struct digest *digest);

/* A picture for tests: rows without trailing blanks; with styles, below each row that has others
 * than STYLE_TEXT its runs as "  ~ 0-4 title, 10-12 escape". */
void canvas_dump(const struct canvas *canvas, struct buf *out, bool styles);

#endif
