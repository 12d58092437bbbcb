/*
 * pager.c - rows are found once a width and kept; a text that grew is wrapped from its last line
 * on.
 *
 * A row is full before the next begins: escapes are cut where the row ends, like words.  Only a
 * wide character may leave one column, and that column shows a mark that foreign text cannot
 * contain. So rows joined again give the cells of text.h, and what those say.
 */
#include "config.h"

#include "tui/pager.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

#define GUTTER_WIDTH 2

struct row {
	struct pager_row shown;
	unsigned column, spaces;     /* of the iterator before the row's first cell */
	int skip;                    /* columns of that cell that stand on earlier rows */
	size_t whole_from, whole_to; /* bytes of the cells that are whole on this row and those
				      * drawn with it: where a cell is cut, they leave it out */
};

struct pager {
	struct pager_look look;
	struct untrusted text;
	enum text_mode mode;
	struct row *rows;
	size_t count, room;
	int wrapped_width; /* of the text; 0: rows are to be made */
	size_t top;
	int height; /* of the last drawing */
	bool follow, at_end;
	char *needle; /* of the search; NULL: none */
	size_t needle_len, matches;
	size_t match_from, match_to; /* the one found; equal: none */
	size_t seen_from, seen_to;   /* of the last drawing */
};

struct pager *
pager_new(enum text_mode mode, const struct pager_look *look)
{
	struct pager *pager = mem_zero(1, sizeof(*pager));

	pager->look = *look;
	if (pager->look.gutter_width <= 0)
		pager->look.gutter_width = GUTTER_WIDTH;
	pager->mode = mode;
	pager->text = untrusted("", 0);
	return pager;
}

void
pager_free(struct pager *pager)
{
	if (pager) {
		free(pager->rows);
		free(pager->needle);
	}
	free(pager);
}

static size_t
last_top(const struct pager *pager)
{
	size_t height = pager->height > 0 ? (size_t)pager->height : 1;

	return pager->count > height ? pager->count - height : 0;
}

static struct row *
add_row(struct pager *pager, size_t line, bool first, const struct text_iter *iter)
{
	struct row *row;

	if (pager->count == pager->room) {
		pager->room = pager->room ? pager->room * 2 : 64;
		pager->rows = mem_grow(pager->rows, pager->room, sizeof(*pager->rows));
	}
	row = &pager->rows[pager->count++];
	memset(row, 0, sizeof(*row));
	row->shown.line = line;
	row->shown.first = first;
	row->shown.from = row->shown.to = row->whole_from = row->whole_to = iter->at;
	row->column = iter->column;
	row->spaces = iter->spaces;
	return row;
}

/* A cell whose columns may stand on two rows. */
static bool
can_be_cut(const struct text_cell *cell)
{
	return cell->len == cell->width && (unsigned char)cell->utf8[0] < 0x80;
}

/*
 * Put a cell at column x of the last row and go on to further rows as it needs.  before: the
 * iterator before this cell.  Gives the column after it.
 */
static int
place_cell(struct pager *pager, const struct text_cell *cell, const struct text_iter *before, int x,
	int width)
{
	struct row *row = &pager->rows[pager->count - 1];
	int left = cell->width;

	if (x > 0 && x + left > width && !(can_be_cut(cell) && x < width)) {
		row = add_row(pager, row->shown.line, false, before);
		x = 0;
	}
	while (can_be_cut(cell) && x + left > width) {
		row->shown.to = cell->source_at + cell->source_len;
		row->whole_to = cell->source_at;
		left -= width - x;
		row = add_row(pager, row->shown.line, false, before);
		row->skip = cell->width - left;
		row->whole_from = row->whole_to = cell->source_at + cell->source_len;
		x = 0;
	}
	row->shown.to = row->whole_to = cell->source_at + cell->source_len;
	return x + left;
}

/* Columns for the text of a line; width: of one that has its margin. */
static int
line_width(const struct pager *pager, size_t line, int width)
{
	const struct pager_look *look = &pager->look;

	if (look->has_margin && !look->has_margin(line, look->arg))
		return width + look->margin_width;
	return width;
}

static void
wrap_from(struct pager *pager, size_t at, size_t line, int width)
{
	int room = line_width(pager, line, width);
	struct text_iter iter, before;
	struct text_cell cell;
	int x = 0;

	text_begin(&iter, pager->text, pager->mode);
	iter.at = at;
	if (at < pager->text.len)
		add_row(pager, line, true, &iter);
	for (before = iter; text_next(&iter, &cell); before = iter) {
		x = place_cell(pager, &cell, &before, x, room);
		if (!cell.line_break)
			continue;
		line += cell.source_len; /* a token of breaks stands for many */
		room = line_width(pager, line, width);
		x = 0;
		if (iter.at < pager->text.len)
			add_row(pager, line, true, &iter);
	}
}

static void
wrap(struct pager *pager, int width)
{
	if (pager->wrapped_width == width)
		return;
	pager->count = 0;
	pager->wrapped_width = width;
	if (width > 0)
		wrap_from(pager, 0, 0, width);
}

/*
 * Wrap what was added.  The last line with anything but its break may have changed (a mark, a run,
 * breaks that are now many), nothing before it.
 */
static void
wrap_added(struct pager *pager, size_t old_len)
{
	size_t settled = old_len;
	struct row *row;

	while (settled > 0 && pager->text.bytes[settled - 1] == '\n')
		settled--;
	while (pager->count > 1) {
		row = &pager->rows[pager->count - 1];
		if (row->shown.first && row->shown.from < settled)
			break;
		pager->count--;
	}
	if (pager->count <= 1) {
		pager->wrapped_width = 0;
		return;
	}
	pager->count--;
	row = &pager->rows[pager->count];
	wrap_from(pager, row->shown.from, row->shown.line, pager->wrapped_width);
}

void
pager_set(struct pager *pager, struct untrusted text, bool keep)
{
	size_t old_len = pager->text.len;
	int width = pager->wrapped_width;

	pager->text = text;
	if (keep && width > 0 && old_len > 0 && text.len >= old_len)
		wrap_added(pager, old_len);
	else
		pager->wrapped_width = 0;
	if (keep)
		return;
	pager->top = 0;
	pager->at_end = true;
	pager->match_from = pager->match_to = 0;
}

/* The row that holds this source byte. */
static size_t
row_of(const struct pager *pager, size_t source_at)
{
	size_t low = 0, high = pager->count;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (pager->rows[middle].shown.from <= source_at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void
pager_set_mode(struct pager *pager, enum text_mode mode)
{
	if (pager->mode != mode)
		pager->wrapped_width = 0;
	pager->mode = mode;
}

void
pager_switch_mode(struct pager *pager)
{
	pager_set_mode(pager, pager->mode == TEXT_STRICT ? TEXT_LINES : TEXT_STRICT);
}

enum text_mode
pager_mode(const struct pager *pager)
{
	return pager->mode;
}

void
pager_follow(struct pager *pager, bool follow)
{
	pager->follow = follow;
	pager->at_end = follow;
}

bool
pager_at_end(const struct pager *pager)
{
	return pager->top >= last_top(pager);
}

static size_t
page(const struct pager *pager)
{
	return pager->height > 1 ? (size_t)pager->height - 1 : 1;
}

static void
scroll_to(struct pager *pager, size_t top)
{
	pager->top = top < last_top(pager) ? top : last_top(pager);
	pager->at_end = pager->top == last_top(pager);
}

static size_t
minus(size_t a, size_t b)
{
	return a > b ? a - b : 0;
}

bool
pager_command(struct pager *pager, enum command command)
{
	switch (command) {
	case COMMAND_UP:
		scroll_to(pager, minus(pager->top, 1));
		return true;
	case COMMAND_DOWN:
		scroll_to(pager, pager->top + 1);
		return true;
	case COMMAND_PAGE_UP:
		scroll_to(pager, minus(pager->top, page(pager)));
		return true;
	case COMMAND_PAGE_DOWN:
		scroll_to(pager, pager->top + page(pager));
		return true;
	case COMMAND_TOP:
		scroll_to(pager, 0);
		return true;
	case COMMAND_BOTTOM:
		scroll_to(pager, pager->count);
		return true;
	default:
		return false;
	}
}

bool
pager_offers(const struct pager *pager, enum command command)
{
	switch (command) {
	case COMMAND_UP:
	case COMMAND_PAGE_UP:
	case COMMAND_TOP:
		return pager->top > 0;
	case COMMAND_DOWN:
	case COMMAND_PAGE_DOWN:
	case COMMAND_BOTTOM:
		return pager->top < last_top(pager);
	default:
		return false;
	}
}

/* Bring a row into view, a third down when it is not there yet. */
static void
show_row(struct pager *pager, size_t row)
{
	size_t height = pager->height > 0 ? (size_t)pager->height : 1;

	if (row < pager->top || row >= pager->top + height)
		scroll_to(pager, minus(row, height / 3));
}

void
pager_show_line(struct pager *pager, size_t line)
{
	size_t low = 0, high = pager->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pager->rows[middle].shown.line < line)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < pager->count)
		show_row(pager, low);
}

static struct find
find_of(const struct pager *pager)
{
	return (struct find){ .needle = pager->needle, .len = pager->needle_len };
}

/* A search for something else begins at the first row in view. */
static size_t
start_of(const struct pager *pager, const struct find *find)
{
	bool same = pager->needle && pager->needle_len == find->len &&
		    memcmp(pager->needle, find->needle, find->len) == 0;

	if (same && pager->match_to > pager->match_from)
		return find->back ? pager->match_from : pager->match_from + 1;
	return pager->top < pager->count ? pager->rows[pager->top].shown.from : 0;
}

bool
pager_search(struct pager *pager, struct find *find)
{
	const char *bytes = pager->text.bytes;
	size_t total = pager->text.len;
	size_t start = start_of(pager, find);
	size_t found = find->back ? find_before(find, bytes, total, start)
				  : find_from(find, bytes, total, start);

	if (found == FIND_NONE)
		found = find->back ? find_before(find, bytes, total, total)
				   : find_from(find, bytes, total, 0);
	free(pager->needle);
	pager->needle = mem_strn(find->needle, find->len);
	pager->needle_len = find->len;
	pager->match_from = pager->match_to = 0;
	pager->matches = find->count = find_count(find, bytes, total, total);
	if (found == FIND_NONE)
		return false;
	find->at = find_count(find, bytes, total, found) + 1;
	pager->match_from = found;
	pager->match_to = found + find->len;
	show_row(pager, row_of(pager, found));
	return true;
}

size_t
pager_matches(const struct pager *pager)
{
	return pager->needle ? pager->matches : 0;
}

static void
draw_gutter(const struct pager *pager, struct canvas *canvas, struct rect rect,
	const struct pager_row *row)
{
	if (pager->look.gutter)
		pager->look.gutter(canvas, rect, row, pager->look.arg);
	else
		canvas_text(canvas, rect.x, rect.y, STYLE_GUTTER, row->first ? "│" : "·");
}

static bool
overlaps(const struct text_cell *cell, size_t from, size_t to)
{
	return cell->source_at < to && cell->source_at + cell->source_len > from;
}

/* The matches that reach into one row, one after another as its cells are drawn. */
struct lit {
	struct find find;
	size_t match, end; /* where the present one begins; where looking for others ends */
};

static struct lit
lit_begin(const struct pager *pager, const struct row *row)
{
	struct lit lit = { .find = find_of(pager) };
	size_t from = row->shown.from > lit.find.len ? row->shown.from - lit.find.len : 0;

	lit.end = row->shown.to + lit.find.len;
	if (lit.end > pager->text.len)
		lit.end = pager->text.len;
	lit.match = find_from(&lit.find, pager->text.bytes, lit.end, from);
	return lit;
}

static enum style
style_of(const struct pager *pager, const struct text_cell *cell, struct lit *lit)
{
	while (lit->match != FIND_NONE && lit->match + lit->find.len <= cell->source_at)
		lit->match = find_from(&lit->find, pager->text.bytes, lit->end, lit->match + 1);
	if (overlaps(cell, pager->match_from, pager->match_to))
		return STYLE_SELECTED;
	if (lit->match != FIND_NONE && overlaps(cell, lit->match, lit->match + lit->find.len))
		return STYLE_SEARCH;
	if (pager->look.style_at)
		return pager->look.style_at(cell->source_at, pager->look.arg);
	return pager->look.style;
}

/* The clip is the text's part of the row: a cell that began on an earlier one starts left of it. */
static void
draw_text(const struct pager *pager, struct canvas *canvas, struct rect rect, const struct row *row)
{
	struct lit lit = lit_begin(pager, row);
	struct text_iter iter;
	struct text_cell cell;
	int x = rect.x - row->skip;

	text_begin(&iter, pager->text, pager->mode);
	iter.at = row->shown.from;
	iter.column = row->column;
	iter.spaces = row->spaces;
	while (iter.at < row->shown.to && text_next(&iter, &cell)) {
		canvas_cell(canvas, x, rect.y, style_of(pager, &cell, &lit), &cell);
		x += cell.width;
		if (cell.line_break)
			return;
	}
	if (row->shown.to < pager->text.len && x < rect.x + rect.w)
		canvas_text(canvas, x, rect.y, STYLE_GUTTER, "╌");
}

static void
draw_row(const struct pager *pager, struct canvas *canvas, struct rect line, const struct row *row)
{
	struct rect whole = line, text = line;
	struct rect gutter = text, margin = text;
	struct rect clip = canvas_clip(canvas, line);
	enum style style = STYLE_COUNT;

	gutter.w = pager->look.gutter_width;
	margin.x += text.w - pager->look.margin_width;
	margin.w = pager->look.margin_width;
	text.x += gutter.w;
	text.w = line_width(pager, row->shown.line, pager->wrapped_width);
	canvas_clip(canvas, rect_common(clip, rect_common(gutter, whole)));
	draw_gutter(pager, canvas, gutter, &row->shown);
	canvas_clip(canvas, rect_common(clip, rect_common(text, whole)));
	draw_text(pager, canvas, text, row);
	canvas_clip(canvas, rect_common(clip, rect_common(margin, whole)));
	if (pager->look.margin && margin.w > 0)
		pager->look.margin(canvas, margin, &row->shown, pager->look.arg);
	canvas_clip(canvas, clip);
	if (pager->look.row_style)
		style = pager->look.row_style(&row->shown, pager->look.arg);
	if (style != STYLE_COUNT)
		canvas_restyle(canvas, whole, style);
}

static int
text_width(const struct pager *pager, int cols)
{
	int width = cols - pager->look.gutter_width - pager->look.margin_width;

	return width > 0 ? width : 0;
}

/* What of rect is on the canvas: rows that are not, and cells cut at the side, nobody sees. */
static void
note_seen(struct pager *pager, struct canvas *canvas, struct rect rect)
{
	struct rect clip = canvas_clip(canvas, rect);
	struct rect shown = rect_common(rect, rect_common(clip, canvas_all(canvas)));
	size_t first = pager->top + (size_t)(shown.y - rect.y);
	size_t last = first + (size_t)shown.h;

	canvas_clip(canvas, clip);
	pager->seen_from = pager->seen_to = 0;
	if (last > pager->count)
		last = pager->count;
	/* One column cannot show a wide character. */
	if (shown.w < rect.w || pager->wrapped_width < 2 || first >= last)
		return;
	pager->seen_from = pager->rows[first].whole_from;
	pager->seen_to = pager->rows[last - 1].whole_to;
}

void
pager_wrap_anew(struct pager *pager)
{
	pager->wrapped_width = 0;
}

void
pager_draw(struct pager *pager, struct canvas *canvas, struct rect rect)
{
	struct rect line = rect_make(rect.x, rect.y, rect.w, 1);
	int width = text_width(pager, rect.w);
	size_t anchor = pager->top < pager->count ? pager->rows[pager->top].shown.from : 0;
	bool other = pager->wrapped_width != width;

	pager->height = rect.h;
	wrap(pager, width);
	/* Another width has other rows: stay at the same text. */
	if (other && pager->count > 0 && anchor > 0)
		pager->top = row_of(pager, anchor);
	if ((pager->follow && pager->at_end) || pager->top > last_top(pager))
		pager->top = last_top(pager);
	for (size_t i = pager->top; i < pager->count && line.y < rect.y + rect.h; i++, line.y++)
		draw_row(pager, canvas, line, &pager->rows[i]);
	note_seen(pager, canvas, rect);
}

void
pager_seen(const struct pager *pager, struct coverage *seen)
{
	coverage_add(seen, pager->seen_from, pager->seen_to);
}

size_t
pager_rows(const struct pager *pager)
{
	return pager->count;
}

size_t
pager_top(const struct pager *pager)
{
	return pager->top;
}

size_t
pager_rows_at(struct pager *pager, int cols)
{
	wrap(pager, text_width(pager, cols));
	return pager->count;
}
