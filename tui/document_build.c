/* Lines, pieces, wrapping and the digest.  What a call's document says is in document_call.c. */
#include "config.h"

#include "tui/document_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attr.h"
#include "core/base/buf.h"
#include "core/base/mem.h"

#define BAR "\xe2\x94\x82"

static struct document_line *
last_line(struct builder *b)
{
	return &b->document->lines[b->document->count - 1];
}

static void
add_piece(
	struct builder *b, enum document_style style, const char *text, size_t len, unsigned width)
{
	struct document_line *line = last_line(b);
	struct document_piece *piece;

	line->pieces = mem_grow(line->pieces, line->count + 1, sizeof(*line->pieces));
	piece = &line->pieces[line->count++];
	piece->style = style;
	piece->text = mem_strn(text, len);
	piece->width = width;
	b->column += width;
}

/* Append to the last piece when the style goes on. */
static void
add_text(struct builder *b, enum document_style style, const char *text, size_t len, unsigned width)
{
	struct document_line *line = last_line(b);
	struct document_piece *piece = &line->pieces[line->count - 1];
	size_t before;

	if (piece->style != style) {
		add_piece(b, style, text, len, width);
		return;
	}
	before = strlen(piece->text);
	piece->text = mem_grow(piece->text, before + len + 1, 1);
	memcpy(piece->text + before, text, len);
	piece->text[before + len] = '\0';
	piece->width += width;
	b->column += width;
}

static void
new_line(struct builder *b, const char *label)
{
	struct document *document = b->document;
	char text[DOCUMENT_LABEL_COLS + 1];
	size_t len = strlen(label);

	document->lines = mem_grow(document->lines, document->count + 1, sizeof(*document->lines));
	document->lines[document->count++] = (struct document_line){ 0 };
	b->column = 0;
	if (len < DOCUMENT_LABEL_COLS)
		snprintf(text, sizeof(text), "%-*s", DOCUMENT_LABEL_COLS, label);
	else
		snprintf(text, sizeof(text), "%.*s~ ", DOCUMENT_LABEL_COLS - 2, label);
	add_piece(b, DOC_LABEL, text, DOCUMENT_LABEL_COLS, DOCUMENT_LABEL_COLS);
	add_piece(b, DOC_GUTTER, BAR, strlen(BAR), 1);
	add_piece(b, DOC_PLAIN, " ", 1, 1);
}

void
build_row(struct builder *b, const char *label)
{
	new_line(b, label);
}

static void
wrap_for(struct builder *b, unsigned width)
{
	if (b->column + width > b->cols)
		new_line(b, "");
}

void
build_own(struct builder *b, enum document_style style, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (const char *at = text; *at;) {
		size_t word = strcspn(at + 1, " ") + 1;

		if (b->column + word > b->cols && word < b->cols - DOCUMENT_LABEL_COLS - 2) {
			new_line(b, "");
			if (*at == ' ') {
				at++;
				word--;
			}
		}
		for (size_t i = 0; i < word; i++) {
			wrap_for(b, 1);
			add_text(b, style, at + i, 1, 1);
		}
		at += word;
	}
}

static void
foreign(struct builder *b, enum document_style style, struct untrusted text, bool arguments,
	size_t from)
{
	struct text_iter iter;
	struct text_cell cell;

	text_begin(&iter, text, b->mode);
	while (text_next(&iter, &cell)) {
		struct document_line *line;

		wrap_for(b, cell.width);
		add_text(b, cell.escape ? DOC_ESCAPE : style, cell.utf8, cell.len, cell.width);
		line = last_line(b);
		if (arguments && line->len == 0)
			line->from = from + cell.source_at;
		if (arguments)
			line->len += cell.source_len;
		if (cell.line_break && iter.at < text.len)
			new_line(b, "");
	}
}

void
build_foreign(struct builder *b, enum document_style style, struct untrusted text)
{
	foreign(b, style, text, false, 0);
}

void
build_arguments(struct builder *b, struct untrusted text, size_t from)
{
	foreign(b, DOC_VALUE, text, true, from);
}

void
document_release(struct document *document)
{
	for (size_t i = 0; i < document->count; i++) {
		for (size_t k = 0; k < document->lines[i].count; k++)
			free(document->lines[i].pieces[k].text);
		free(document->lines[i].pieces);
	}
	free(document->lines);
	memset(document, 0, sizeof(*document));
}

char *
document_text(const struct document *document)
{
	struct buf text;

	buf_init(&text, BUF_UNBOUNDED);
	for (size_t i = 0; i < document->count; i++) {
		for (size_t k = 0; k < document->lines[i].count; k++)
			buf_str(&text, document->lines[i].pieces[k].text);
		buf_byte(&text, '\n');
	}
	return buf_give(&text);
}
