/* What was built is drawn, searched, and written out; nothing changes any more. */
#include "config.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "tui/find.h"
#include "tui/rows.h"
#include "tui/rows_inside.h"

int
rows_words_cols(const char *bytes, size_t len)
{
	int cols = 0;

	for (size_t i = 0; i < len; i++)
		cols += ((unsigned char)bytes[i] & 0xC0) != 0x80;
	return cols;
}

size_t
rows_count(const struct rows *rows)
{
	return rows->row_count;
}

size_t
rows_source_count(const struct rows *rows)
{
	return rows->source_rows;
}

size_t
rows_source_at(const struct rows *rows)
{
	return rows->source_first;
}

/* The pieces of a row lie one after the other in the text. */
static struct untrusted
row_bytes(const struct rows *rows, const struct row *row)
{
	const struct piece *first, *last;

	if (row->count == 0)
		return untrusted("", 0);
	first = &rows->pieces[row->first];
	last = &rows->pieces[row->first + row->count - 1];
	return untrusted(rows->text.data + first->at, last->at + last->len - first->at);
}

/* The column at which a byte of the row's text stands. */
static int
column_of(const struct rows *rows, const struct row *row, size_t byte)
{
	int column = 0;

	for (size_t i = row->first; i < row->first + row->count; i++) {
		const struct piece *piece = &rows->pieces[i];
		const char *bytes = rows->text.data + piece->at;

		if (byte < piece->len)
			return column +
			       (piece->kind == PIECE_CELL ? 0 : rows_words_cols(bytes, byte));
		byte -= piece->len;
		column += piece->cols;
	}
	return column;
}

bool
rows_holds(const struct rows *rows, size_t row, const struct find *find, int *col, int *cols)
{
	struct untrusted text = row_bytes(rows, &rows->rows[row]);
	size_t at = find_from(find, text.bytes, text.len, 0);

	if (at == FIND_NONE)
		return false;
	*col = column_of(rows, &rows->rows[row], at);
	*cols = column_of(rows, &rows->rows[row], at + find->len) - *col;
	*cols = *cols > 0 ? *cols : 1;
	return true;
}

static int
draw_ascii(const struct rows *rows, const struct piece *piece, struct canvas *canvas, int x, int y)
{
	struct text_cell cell = { .len = 1, .width = 1, .source_len = 1 };

	for (size_t i = 0; i < piece->len; i++) {
		cell.utf8[0] = rows->text.data[piece->at + i];
		x += canvas_cell(canvas, x, y, piece->style, &cell);
	}
	return x;
}

static int
draw_cell(const struct rows *rows, const struct piece *piece, struct canvas *canvas, int x, int y)
{
	struct text_cell cell = {
		.len = (uint8_t)piece->len, .width = (uint8_t)piece->cols, .escape = piece->escape
	};

	memcpy(cell.utf8, rows->text.data + piece->at, piece->len);
	return x + canvas_cell(canvas, x, y, piece->style, &cell);
}

static int
draw_ours(const struct rows *rows, const struct piece *piece, struct canvas *canvas, int x, int y)
{
	AUTO_FREE char *words = mem_strn(rows->text.data + piece->at, piece->len);

	return canvas_text(canvas, x, y, piece->style, words);
}

static void
draw_row(const struct rows *rows, const struct row *row, struct canvas *canvas, struct rect rect)
{
	int x = rect.x;

	for (size_t i = row->first; i < row->first + row->count; i++) {
		const struct piece *piece = &rows->pieces[i];

		if (piece->kind == PIECE_OURS)
			x = draw_ours(rows, piece, canvas, x, rect.y);
		else if (piece->kind == PIECE_ASCII)
			x = draw_ascii(rows, piece, canvas, x, rect.y);
		else
			x = draw_cell(rows, piece, canvas, x, rect.y);
	}
}

int
rows_draw(const struct rows *rows, struct canvas *canvas, struct rect rect, size_t top)
{
	struct rect old = canvas_clip(canvas, rect);
	int drawn = 0;

	for (; drawn < rect.h && top + (size_t)drawn < rows->row_count; drawn++)
		draw_row(rows, &rows->rows[top + (size_t)drawn], canvas,
			rect_make(rect.x, rect.y + drawn, rect.w, 1));
	(void)canvas_clip(canvas, old);
	return drawn;
}

void
rows_seen(const struct rows *rows, size_t top, size_t height, struct coverage *seen)
{
	for (size_t i = top; i < top + height && i < rows->row_count; i++) {
		const struct row *row = &rows->rows[i];

		if (row->to > row->from)
			coverage_add(seen, row->from, row->to);
	}
}

void
rows_text(const struct rows *rows, struct buf *out)
{
	for (size_t i = 0; i < rows->row_count; i++) {
		const struct row *row = &rows->rows[i];

		for (size_t j = row->first; j < row->first + row->count; j++)
			buf_put(out, rows->text.data + rows->pieces[j].at, rows->pieces[j].len);
		buf_byte(out, '\n');
	}
}
