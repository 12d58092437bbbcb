/*
 * canvas.c - cells, each with its characters, its style and, for borders, the edges that meet
 * there.
 *
 * Invariants: a wide character's right half is a cell of width 0 and never stands alone; text in a
 * cell is printable ASCII, one of our glyphs, or a character that text.h let through.
 */
#include "config.h"

#include "tui/canvas.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/utf8.h"

enum edge {
	EDGE_UP = 1,
	EDGE_RIGHT = 2,
	EDGE_DOWN = 4,
	EDGE_LEFT = 8,
};

struct cell {
	char utf8[9];
	uint8_t width;
	uint8_t style;
	uint8_t edges;
	bool escape;
};

struct canvas {
	int cols, rows;
	struct cell *cells;
	struct rect clip;
	int cursor_x, cursor_y; /* -1: none */
	bool ascii;
};

/* By the edges that meet. */
static const char *const border_glyphs[16] = { " ", "│", "─", "└", "│", "│", "┌", "├", "─", "┘",
	"─", "┴", "┐", "┤", "┬", "┼" };
static const char border_ascii[] = " |-+||++-+-+++++";

/* Our glyphs beyond ASCII and what stands for them where there is only ASCII. */
static const struct {
	const char *glyph;
	char ascii;
} canvas_glyphs[] = {
	{ "▰", '#' },
	{ "▱", '-' },
	{ "│", '|' },
	{ "─", '-' },
	{ "╌", '\\' },
	{ "·", '.' },
	{ "…", '~' },
	{ "●", 'o' },
	{ "◆", 'A' },
	{ "◇", 'D' },
	{ "✕", '!' },
	{ "▮", '"' },
	{ "▲", '^' },
	{ "▼", 'v' },
	{ "→", '>' },
	{ "↑", '^' },
	{ "↓", 'v' },
};

struct rect
rect_make(int x, int y, int w, int h)
{
	struct rect rect = { x, y, w > 0 ? w : 0, h > 0 ? h : 0 };

	return rect;
}

struct rect
rect_inside(struct rect rect)
{
	return rect_make(rect.x + 1, rect.y + 1, rect.w - 2, rect.h - 2);
}

static int
smaller(int a, int b)
{
	return a < b ? a : b;
}

static int
larger(int a, int b)
{
	return a > b ? a : b;
}

struct rect
rect_common(struct rect a, struct rect b)
{
	int x = larger(a.x, b.x);
	int y = larger(a.y, b.y);

	return rect_make(
		x, y, smaller(a.x + a.w, b.x + b.w) - x, smaller(a.y + a.h, b.y + b.h) - y);
}

bool
rect_empty(struct rect rect)
{
	return rect.w <= 0 || rect.h <= 0;
}

struct canvas *
canvas_new(int cols, int rows)
{
	struct canvas *canvas = mem_zero(1, sizeof(*canvas));

	canvas_resize(canvas, cols, rows);
	return canvas;
}

void
canvas_free(struct canvas *canvas)
{
	if (canvas)
		free(canvas->cells);
	free(canvas);
}

void
canvas_resize(struct canvas *canvas, int cols, int rows)
{
	canvas->cols = larger(cols, 0);
	canvas->rows = larger(rows, 0);
	free(canvas->cells);
	canvas->cells =
		mem_zero((size_t)canvas->cols * (size_t)canvas->rows + 1, sizeof(*canvas->cells));
	canvas_clear(canvas);
}

void
canvas_set_ascii(struct canvas *canvas, bool ascii)
{
	canvas->ascii = ascii;
}

bool
canvas_is_ascii(const struct canvas *canvas)
{
	return canvas->ascii;
}

int
canvas_cols(const struct canvas *canvas)
{
	return canvas->cols;
}

int
canvas_rows(const struct canvas *canvas)
{
	return canvas->rows;
}

struct rect
canvas_all(const struct canvas *canvas)
{
	return rect_make(0, 0, canvas->cols, canvas->rows);
}

void
canvas_clear(struct canvas *canvas)
{
	canvas->clip = canvas_all(canvas);
	canvas->cursor_x = canvas->cursor_y = -1;
	canvas_fill(canvas, canvas->clip, STYLE_TEXT);
}

struct rect
canvas_clip(struct canvas *canvas, struct rect clip)
{
	struct rect before = canvas->clip;

	canvas->clip = rect_common(clip, canvas_all(canvas));
	return before;
}

static struct cell *
cell_at(const struct canvas *canvas, int x, int y)
{
	return canvas->cells + (size_t)y * (size_t)canvas->cols + x;
}

static bool
in_clip(const struct canvas *canvas, int x, int y)
{
	const struct rect *clip = &canvas->clip;

	return x >= clip->x && y >= clip->y && x - clip->x < clip->w && y - clip->y < clip->h;
}

static void
make_blank(struct cell *cell)
{
	cell->utf8[0] = ' ';
	cell->utf8[1] = '\0';
	cell->width = 1;
	cell->edges = 0;
	cell->escape = false;
}

/* What is overwritten may be half of a wide character: the other half becomes a blank. */
static void
break_wide(struct canvas *canvas, int x, int y)
{
	struct cell *cell = cell_at(canvas, x, y);

	if (cell->width == 0 && x > 0)
		make_blank(cell - 1);
	else if (cell->width == 2 && x + 1 < canvas->cols)
		make_blank(cell + 1);
	make_blank(cell);
}

/* x, y lies within the clip.  utf8 is one character of our choice, one column wide. */
static void
put_narrow(struct canvas *canvas, int x, int y, const char *utf8, enum style style)
{
	struct cell *cell = cell_at(canvas, x, y);
	size_t len = strnlen(utf8, sizeof(cell->utf8) - 1);

	break_wide(canvas, x, y);
	memcpy(cell->utf8, utf8, len);
	cell->utf8[len] = '\0';
	cell->style = (uint8_t)style;
	cell->escape = style == STYLE_ESCAPE;
}

void
canvas_fill(struct canvas *canvas, struct rect rect, enum style style)
{
	struct rect area = rect_common(rect, canvas->clip);

	for (int y = area.y; y < area.y + area.h; y++)
		for (int x = area.x; x < area.x + area.w; x++)
			put_narrow(canvas, x, y, " ", style);
}

void
canvas_restyle(struct canvas *canvas, struct rect rect, enum style style)
{
	struct rect area = rect_common(rect, canvas->clip);

	for (int y = area.y; y < area.y + area.h; y++)
		for (int x = area.x; x < area.x + area.w; x++)
			if (!cell_at(canvas, x, y)->escape)
				cell_at(canvas, x, y)->style = (uint8_t)style;
}

static const char *
ascii_of(const char *glyph)
{
	static char one[2];

	for (size_t i = 0; i < ARRAY_SIZE(canvas_glyphs); i++)
		if (strcmp(canvas_glyphs[i].glyph, glyph) == 0) {
			one[0] = canvas_glyphs[i].ascii;
			return one;
		}
	return NULL;
}

/*
 * The next piece of our words: a character of ours, or what stands for anything else.  Gives the
 * bytes consumed; piece is drawn one column a byte when it is an escape.
 */
static size_t
next_piece(const struct canvas *canvas, const char *at, char piece[16], bool *escape)
{
	uint32_t code;
	unsigned len = utf8_decode(at, strlen(at), &code);
	const char *ascii;

	*escape = false;
	snprintf(piece, 16, "%.*s", len ? (int)len : 1, at);
	if (len == 1 && code >= ' ' && code < 0x7F)
		return 1;
	ascii = len > 1 ? ascii_of(piece) : NULL;
	if (ascii) {
		if (canvas->ascii)
			snprintf(piece, 16, "%s", ascii);
		return len;
	}
	*escape = true;
	if (len)
		snprintf(piece, 16, "<U+%04X>", (unsigned)code);
	else
		snprintf(piece, 16, "<x%02X>", (unsigned)(unsigned char)*at);
	return len ? len : 1;
}

int
canvas_text(struct canvas *canvas, int x, int y, enum style style, const char *ours)
{
	char piece[16], one[2] = "";
	bool escape;

	while (*ours) {
		ours += next_piece(canvas, ours, piece, &escape);
		if (!escape) {
			if (in_clip(canvas, x, y))
				put_narrow(canvas, x, y, piece, style);
			x++;
			continue;
		}
		for (const char *byte = piece; *byte; byte++, x++) {
			one[0] = *byte;
			if (in_clip(canvas, x, y))
				put_narrow(canvas, x, y, one, STYLE_ESCAPE);
		}
	}
	return x;
}

int
canvas_printf(struct canvas *canvas, int x, int y, enum style style, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return canvas_text(canvas, x, y, style, text);
}

int
canvas_text_width(const struct canvas *canvas, const char *ours)
{
	char piece[16];
	bool escape;
	int width = 0;

	while (*ours) {
		ours += next_piece(canvas, ours, piece, &escape);
		width += escape ? (int)strlen(piece) : 1;
	}
	return width;
}

static int
put_wide(struct canvas *canvas, int x, int y, enum style style, const struct text_cell *cell)
{
	struct cell *left, *right;

	if (!in_clip(canvas, x, y) || !in_clip(canvas, x + 1, y))
		return 0;
	put_narrow(canvas, x, y, cell->utf8, style);
	put_narrow(canvas, x + 1, y, "", style);
	left = cell_at(canvas, x, y);
	right = left + 1;
	left->width = 2;
	right->width = 0;
	return 2;
}

/* Tokens and tabs: a column a byte. */
static int
put_bytes(struct canvas *canvas, int x, int y, enum style style, const char *bytes)
{
	char one[2] = "";
	int drawn = 0;

	for (; *bytes; bytes++, x++) {
		if (!in_clip(canvas, x, y))
			continue;
		one[0] = *bytes;
		put_narrow(canvas, x, y, one, style);
		drawn++;
	}
	return drawn;
}

int
canvas_cell(struct canvas *canvas, int x, int y, enum style style, const struct text_cell *cell)
{
	char token[32];

	if (cell->escape)
		return put_bytes(canvas, x, y, STYLE_ESCAPE, cell->utf8);
	if ((unsigned char)cell->utf8[0] < 0x80 && cell->len == cell->width)
		return put_bytes(canvas, x, y, style, cell->utf8);
	if (canvas->ascii) {
		/* text.h does not make such cells where the locale has no UTF-8: tests do. */
		snprintf(token, sizeof(token), "%.*s", (int)cell->width, "??");
		return put_bytes(canvas, x, y, STYLE_ESCAPE, token);
	}
	if (cell->width == 2)
		return put_wide(canvas, x, y, style, cell);
	if (cell->width != 1 || !in_clip(canvas, x, y))
		return 0;
	put_narrow(canvas, x, y, cell->utf8, style);
	return 1;
}

/* Columns the text takes on one row, at most one more than width. */
static int
foreign_width(struct untrusted text, enum text_mode mode, int width)
{
	struct text_iter iter;
	struct text_cell cell;
	int columns = 0;

	text_begin(&iter, text, mode);
	while (columns <= width && text_next(&iter, &cell))
		columns += cell.width;
	return columns;
}

int
canvas_foreign(struct canvas *canvas, const struct canvas_run *run, struct untrusted text)
{
	enum text_mode mode = run->mode == TEXT_LINES ? TEXT_TEXT : run->mode;
	bool cut = foreign_width(text, mode, run->width) > run->width;
	int room = cut ? run->width - 1 : run->width;
	struct text_iter iter;
	struct text_cell cell;
	int used = 0;

	if (run->width <= 0)
		return 0;
	text_begin(&iter, text, mode);
	while (text_next(&iter, &cell) && used + cell.width <= room) {
		canvas_cell(canvas, run->x + used, run->y, run->style, &cell);
		used += cell.width;
	}
	if (cut)
		used = canvas_text(canvas, run->x + used, run->y, STYLE_GUTTER, "…") - run->x;
	return used;
}

static void
add_edges(struct canvas *canvas, int x, int y, unsigned edges, enum style style)
{
	struct cell *cell;
	char ascii[2] = "";

	if (!in_clip(canvas, x, y))
		return;
	cell = cell_at(canvas, x, y);
	edges |= cell->edges;
	ascii[0] = border_ascii[edges];
	put_narrow(canvas, x, y, canvas->ascii ? ascii : border_glyphs[edges], style);
	cell->edges = (uint8_t)edges;
}

void
canvas_hline(struct canvas *canvas, int x, int y, int width, enum style style)
{
	for (int i = 0; i < width; i++) {
		unsigned edges = (i > 0 ? EDGE_LEFT : 0) | (i + 1 < width ? EDGE_RIGHT : 0);

		add_edges(canvas, x + i, y, edges, style);
	}
}

void
canvas_vline(struct canvas *canvas, int x, int y, int height, enum style style)
{
	for (int i = 0; i < height; i++) {
		unsigned edges = (i > 0 ? EDGE_UP : 0) | (i + 1 < height ? EDGE_DOWN : 0);

		add_edges(canvas, x, y + i, edges, style);
	}
}

void
canvas_box(struct canvas *canvas, struct rect rect, enum style style)
{
	if (rect_empty(rect))
		return;
	canvas_hline(canvas, rect.x, rect.y, rect.w, style);
	canvas_hline(canvas, rect.x, rect.y + rect.h - 1, rect.w, style);
	canvas_vline(canvas, rect.x, rect.y, rect.h, style);
	canvas_vline(canvas, rect.x + rect.w - 1, rect.y, rect.h, style);
}

void
canvas_set_cursor(struct canvas *canvas, int x, int y)
{
	if (!in_clip(canvas, x, y))
		return;
	canvas->cursor_x = x;
	canvas->cursor_y = y;
}

bool
canvas_cursor(const struct canvas *canvas, int *x, int *y)
{
	*x = canvas->cursor_x;
	*y = canvas->cursor_y;
	return canvas->cursor_x >= 0;
}

struct canvas_view
canvas_at(const struct canvas *canvas, int x, int y)
{
	const struct cell *cell;
	struct canvas_view view;

	assert(x >= 0 && y >= 0 && x < canvas->cols && y < canvas->rows);
	cell = cell_at(canvas, x, y);
	view.utf8 = cell->utf8;
	view.width = cell->width;
	view.style = cell->style;
	return view;
}

static bool
same_cell(const struct cell *a, const struct cell *b)
{
	return a->width == b->width && a->style == b->style && strcmp(a->utf8, b->utf8) == 0;
}

bool
canvas_row_changed(
	const struct canvas *canvas, const struct canvas *before, int y, int *from, int *to)
{
	*from = 0;
	*to = canvas->cols;
	if (!before || before->cols != canvas->cols || before->rows != canvas->rows)
		return canvas->cols > 0;
	while (*from < *to && same_cell(cell_at(canvas, *from, y), cell_at(before, *from, y)))
		++*from;
	while (*to > *from && same_cell(cell_at(canvas, *to - 1, y), cell_at(before, *to - 1, y)))
		--*to;
	return *from < *to;
}

void
canvas_copy(struct canvas *to, const struct canvas *from)
{
	struct cell *cells = to->cells;
	size_t count = (size_t)from->cols * (size_t)from->rows;

	cells = mem_grow(cells, count + 1, sizeof(*cells));
	memcpy(cells, from->cells, count * sizeof(*cells));
	*to = *from;
	to->cells = cells;
}
