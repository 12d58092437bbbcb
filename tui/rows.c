/*
 * A row is a range of pieces, a piece a run of drawn bytes in one style.  Foreign pieces are either
 * many cells of one ASCII character each, or one cell.  Invariant: every piece lies within the
 * width, so that a row drawn into a rect of that width shows all of it.
 */
#include "config.h"

#include "tui/rows.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "tui/rows_inside.h"

#define LABEL_COLS 12
#define LABEL_COLS_NARROW 9
#define NARROW 50
#define GUTTER_COLS 2
#define SIGN_COLS 2
#define WORDS_MAX 4096

struct rows *
rows_new(int cols)
{
	struct rows *rows = mem_zero(1, sizeof(*rows));

	rows->cols = cols < ROWS_MIN_COLS ? ROWS_MIN_COLS : cols;
	rows->label_cols = rows->cols < NARROW ? LABEL_COLS_NARROW : LABEL_COLS;
	buf_init(&rows->text, BUF_UNBOUNDED);
	return rows;
}

void
rows_free(struct rows *rows)
{
	if (!rows)
		return;
	buf_release(&rows->text);
	free(rows->pieces);
	free(rows->rows);
	free(rows);
}

/* --- pieces --- */

static struct row *
row_now(struct rows *rows)
{
	return &rows->rows[rows->row_count - 1];
}

static void
new_row(struct rows *rows)
{
	if (rows->row_count == rows->row_room) {
		rows->row_room = rows->row_room ? rows->row_room * 2 : 32;
		rows->rows = mem_grow(rows->rows, rows->row_room, sizeof(*rows->rows));
	}
	rows->rows[rows->row_count++] = (struct row){ .first = rows->piece_count };
	rows->column = 0;
	rows->open = true;
}

/* ASCII cells of one style grow the piece before them. */
static bool
grows_last(const struct rows *rows, enum style style, enum piece_kind kind)
{
	const struct row *row = &rows->rows[rows->row_count - 1];
	const struct piece *last;

	if (kind != PIECE_ASCII || row->count == 0)
		return false;
	last = &rows->pieces[rows->piece_count - 1];
	return last->kind == PIECE_ASCII && last->style == style &&
	       last->at + last->len == rows->text.len;
}

static void
add_piece(struct rows *rows, const struct piece *piece, const char *bytes)
{
	if (grows_last(rows, piece->style, piece->kind)) {
		rows->pieces[rows->piece_count - 1].len += piece->len;
		rows->pieces[rows->piece_count - 1].cols += piece->cols;
	} else {
		if (rows->piece_count == rows->piece_room) {
			rows->piece_room = rows->piece_room ? rows->piece_room * 2 : 64;
			rows->pieces =
				mem_grow(rows->pieces, rows->piece_room, sizeof(*rows->pieces));
		}
		rows->pieces[rows->piece_count] = *piece;
		rows->pieces[rows->piece_count++].at = rows->text.len;
		row_now(rows)->count++;
	}
	buf_put(&rows->text, bytes, piece->len);
	rows->column += piece->cols;
}

static void
add_ours(struct rows *rows, enum style style, const char *bytes, size_t len)
{
	struct piece piece = {
		.len = len, .cols = rows_words_cols(bytes, len), .style = (uint8_t)style
	};

	if (len > 0)
		add_piece(rows, &piece, bytes);
}

static void
add_cell(struct rows *rows, enum style style, const struct text_cell *cell)
{
	struct piece piece = { .len = cell->len,
		.cols = cell->width,
		.style = (uint8_t)(cell->escape ? STYLE_ESCAPE : style),
		.kind = !cell->escape && cell->len == 1 ? PIECE_ASCII : PIECE_CELL,
		.escape = cell->escape };

	if (cell->len > 0)
		add_piece(rows, &piece, cell->utf8);
}

static void
pad_to(struct rows *rows, int column)
{
	static const char blanks[] = "                                ";
	int missing = column - rows->column;

	if (missing > 0 && missing < (int)sizeof(blanks))
		add_ours(rows, STYLE_TEXT, blanks, (size_t)missing);
}

/* --- fields --- */

static void
add_gutter(struct rows *rows, bool continued)
{
	const char *mark = continued ? "· " : "│ ";

	pad_to(rows, rows->label_cols);
	add_ours(rows, STYLE_GUTTER, mark, strlen(mark));
}

static void
continue_row(struct rows *rows)
{
	new_row(rows);
	add_gutter(rows, true);
}

static int
room_left(const struct rows *rows)
{
	return rows->cols - rows->column;
}

void
rows_field(struct rows *rows, const char *label)
{
	new_row(rows);
	if (label)
		add_ours(rows, STYLE_LABEL, label, strlen(label));
	add_gutter(rows, false);
}

void
rows_field_marked(struct rows *rows, const char *label, enum style style)
{
	new_row(rows);
	add_ours(rows, style, label, strlen(label));
	add_gutter(rows, false);
}

static int
cells_width(struct untrusted text, enum text_mode mode)
{
	struct text_iter iter;
	struct text_cell cell;
	int width = 0;

	text_begin(&iter, text, mode);
	while (text_next(&iter, &cell)) {
		if (cell.line_break)
			return INT32_MAX;
		width += cell.width;
		if (width > LABEL_COLS)
			break;
	}
	return width;
}

void
rows_field_foreign(struct rows *rows, struct untrusted label, enum text_mode mode, int indent)
{
	struct text_iter iter;
	struct text_cell cell;
	int most = rows->label_cols / 2;

	if (indent > most)
		indent = most;
	if (indent + cells_width(label, mode) >= rows->label_cols) {
		rows_field(rows, NULL);
		rows_foreign(rows, STYLE_LABEL, label, mode);
		rows_field(rows, NULL);
		return;
	}
	new_row(rows);
	pad_to(rows, indent);
	text_begin(&iter, label, mode);
	while (text_next(&iter, &cell))
		add_cell(rows, STYLE_LABEL, &cell);
	add_gutter(rows, false);
}

void
rows_field_sign(struct rows *rows, const char *sign, enum style style, struct untrusted label,
	enum text_mode mode)
{
	struct text_iter iter;
	struct text_cell cell;
	bool fits = cells_width(label, mode) + SIGN_COLS < rows->label_cols;

	new_row(rows);
	add_ours(rows, style, sign, strlen(sign));
	pad_to(rows, SIGN_COLS);
	text_begin(&iter, label, mode);
	while (fits && text_next(&iter, &cell))
		add_cell(rows, STYLE_LABEL, &cell);
	add_gutter(rows, false);
	if (fits)
		return;
	rows_foreign(rows, STYLE_LABEL, label, mode);
	new_row(rows);
	add_ours(rows, style, sign, strlen(sign));
	add_gutter(rows, false);
}

/* --- what a field holds --- */

/* The next word and the blanks before it. */
static size_t
word_len(const char *words, size_t *blanks)
{
	*blanks = strspn(words, " ");
	return *blanks + strcspn(words + *blanks, " ");
}

/* A part of a word that fits into cols columns. */
static size_t
part_that_fits(const char *word, size_t len, int cols)
{
	size_t part = 0;

	while (part < len) {
		size_t next = part + 1;

		while (next < len && ((unsigned char)word[next] & 0xC0) == 0x80)
			next++;
		if (rows_words_cols(word, next) > cols)
			break;
		part = next;
	}
	return part;
}

static void
add_word(struct rows *rows, enum style style, const char *word, size_t len)
{
	while (len > 0) {
		size_t part = part_that_fits(word, len, room_left(rows));

		add_ours(rows, style, word, part);
		word += part;
		len -= part;
		if (len > 0)
			continue_row(rows);
	}
}

void
rows_words(struct rows *rows, enum style style, const char *ours)
{
	int content = rows->cols - rows->label_cols - GUTTER_COLS;

	while (*ours) {
		size_t blanks;
		size_t len = word_len(ours, &blanks);
		int cols = rows_words_cols(ours, len);

		if (cols <= room_left(rows)) {
			add_ours(rows, style, ours, len);
		} else {
			if (room_left(rows) < content)
				continue_row(rows);
			add_word(rows, style, ours + blanks, len - blanks);
		}
		ours += len;
	}
}

void
rows_printf(struct rows *rows, enum style style, const char *fmt, ...)
{
	char words[WORDS_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(words, sizeof(words), fmt, args);
	va_end(args);
	rows_words(rows, style, words);
}

static void
note_source(struct rows *rows, const struct text_cell *cell)
{
	struct row *row = row_now(rows);

	if (row->from == row->to) {
		row->from = cell->source_at;
		if (rows->source_rows++ == 0)
			rows->source_first = rows->row_count - 1;
	}
	row->to = cell->source_at + cell->source_len;
}

/* Columns of the word that begins at iter, no more than most + 1. */
static int
word_cols(struct text_iter iter, int most)
{
	struct text_cell cell;
	int cols = 0;

	while (cols <= most && text_next(&iter, &cell) && cell.utf8[0] != ' ') {
		cols += cell.width;
		if (cell.line_break)
			break;
	}
	return cols;
}

/* Words from outside that are not what is approved: a row ends before a word that does not fit. */
void
rows_prose(struct rows *rows, enum style style, struct untrusted text, enum text_mode mode)
{
	int content = rows->cols - rows->label_cols - GUTTER_COLS;
	struct text_iter iter;
	struct text_cell cell;
	bool begins = true;

	text_begin(&iter, text, mode);
	for (;;) {
		int cols = begins ? word_cols(iter, content) : 0;

		if (cols > room_left(rows) && cols <= content)
			continue_row(rows);
		if (!text_next(&iter, &cell))
			break;
		begins = cell.utf8[0] == ' ';
		if (cell.width > room_left(rows)) {
			continue_row(rows);
			if (begins)
				continue; /* the row's end stands for this blank */
		}
		add_cell(rows, style, &cell);
		if (cell.line_break && iter.at < text.len)
			continue_row(rows);
	}
}

static void
add_foreign(struct rows *rows, enum style style, struct untrusted text, enum text_mode mode,
	bool source)
{
	struct text_iter iter;
	struct text_cell cell;
	bool broken = false;

	text_begin(&iter, text, mode);
	while (text_next(&iter, &cell)) {
		if (broken || cell.width > room_left(rows))
			continue_row(rows);
		add_cell(rows, style, &cell);
		if (source)
			note_source(rows, &cell);
		broken = cell.line_break;
	}
}

void
rows_foreign(struct rows *rows, enum style style, struct untrusted text, enum text_mode mode)
{
	add_foreign(rows, style, text, mode, false);
}

void
rows_source(struct rows *rows, enum style style, struct untrusted text, enum text_mode mode)
{
	add_foreign(rows, style, text, mode, true);
}

void
rows_divide(struct rows *rows, const char *ours)
{
	new_row(rows);
	row_now(rows)->divider = true;
	if (*ours) {
		add_ours(rows, STYLE_BORDER, "─ ", strlen("─ "));
		add_ours(rows, STYLE_TITLE, ours, strlen(ours));
		add_ours(rows, STYLE_BORDER, " ", 1);
	}
	while (rows->column < rows->cols)
		add_ours(rows, STYLE_BORDER, "─", strlen("─"));
}

void
rows_finish(struct rows *rows)
{
	rows->open = false;
}
