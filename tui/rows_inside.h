/*
 * rows_inside.h - inside of rows: rows.c builds them, rows_read.c draws and searches them.
 *
 * Knows:      buf.
 * Unaware of: documents.
 */
#ifndef TUI_ROWS_INSIDE_H
#define TUI_ROWS_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"

enum piece_kind {
	PIECE_OURS,
	PIECE_ASCII, /* foreign, a cell a byte */
	PIECE_CELL,  /* foreign, one cell */
};

struct piece {
	size_t at, len; /* in text */
	int cols;
	uint8_t style, kind;
	bool escape;
};

struct row {
	size_t first, count; /* pieces */
	size_t from, to;     /* source bytes; none: equal */
	bool divider;
};

struct rows {
	int cols, label_cols;
	struct buf text;
	struct piece *pieces;
	size_t piece_count, piece_room;
	struct row *rows;
	size_t row_count, row_room;
	size_t source_rows, source_first;
	int column; /* of the row being filled */
	bool open;  /* a row is being filled */
};

/* Columns of our own words: a column for each character. */
int rows_words_cols(const char *bytes, size_t len);

#endif
