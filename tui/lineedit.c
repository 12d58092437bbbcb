/* lineedit.c - invariant: text is UTF-8 of characters that are drawn; cursor is between two of
 * them. */
#include "config.h"

#include "tui/lineedit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"

struct lineedit {
	char *text;
	size_t len, max;
	size_t cursor; /* bytes before it */
	int scrolled;  /* columns left of what is shown */
	const char *allowed;
};

struct lineedit *
lineedit_new(size_t max_bytes, const char *allowed)
{
	struct lineedit *edit = mem_zero(1, sizeof(*edit));

	edit->text = mem_zero(max_bytes + 1, 1);
	edit->max = max_bytes;
	edit->allowed = allowed;
	return edit;
}

void
lineedit_free(struct lineedit *edit)
{
	if (edit)
		free(edit->text);
	free(edit);
}

const char *
lineedit_text(const struct lineedit *edit)
{
	return edit->text;
}

size_t
lineedit_len(const struct lineedit *edit)
{
	return edit->len;
}

static bool
is_allowed(const struct lineedit *edit, const char *utf8, size_t len)
{
	struct text_iter iter;
	struct text_cell cell;

	if (edit->allowed)
		return len == 1 && strchr(edit->allowed, utf8[0]);
	if (len == 1)
		return utf8[0] >= ' ' && utf8[0] < 0x7F;
	text_begin(&iter, untrusted(utf8, len), TEXT_TEXT);
	return text_next(&iter, &cell) && !cell.escape && cell.source_len == len;
}

static void
insert(struct lineedit *edit, const char *utf8, size_t len)
{
	if (!is_allowed(edit, utf8, len) || len > edit->max - edit->len)
		return;
	memmove(edit->text + edit->cursor + len, edit->text + edit->cursor,
		edit->len - edit->cursor + 1);
	memcpy(edit->text + edit->cursor, utf8, len);
	edit->len += len;
	edit->cursor += len;
}

static size_t
before_cursor(const struct lineedit *edit)
{
	size_t at = edit->cursor;

	do {
		if (at == 0)
			return 0;
		at--;
	} while (((unsigned char)edit->text[at] & 0xC0) == 0x80);
	return at;
}

static size_t
after_cursor(const struct lineedit *edit)
{
	uint32_t code;

	if (edit->cursor == edit->len)
		return edit->len;
	return edit->cursor +
	       utf8_decode(edit->text + edit->cursor, edit->len - edit->cursor, &code);
}

static void
erase(struct lineedit *edit, size_t from, size_t to)
{
	memmove(edit->text + from, edit->text + to, edit->len - to + 1);
	edit->len -= to - from;
	edit->cursor = from;
}

static size_t
word_before(const struct lineedit *edit)
{
	size_t at = edit->cursor;

	while (at > 0 && edit->text[at - 1] == ' ')
		at--;
	while (at > 0 && edit->text[at - 1] != ' ')
		at--;
	return at;
}

static bool
control(struct lineedit *edit, uint32_t ch)
{
	switch (ch) {
	case 'a':
		edit->cursor = 0;
		return true;
	case 'e':
		edit->cursor = edit->len;
		return true;
	case 'u':
		erase(edit, 0, edit->cursor);
		return true;
	case 'k':
		erase(edit, edit->cursor, edit->len);
		return true;
	case 'w':
		erase(edit, word_before(edit), edit->cursor);
		return true;
	default:
		return false;
	}
}

static bool
character(struct lineedit *edit, struct key key)
{
	char utf8[4];

	if (key.mods == KEY_CTRL)
		return control(edit, key.ch);
	if (key.mods != 0)
		return false;
	insert(edit, utf8, utf8_encode(key.ch, utf8));
	return true;
}

bool
lineedit_key(struct lineedit *edit, struct key key)
{
	switch (key.code) {
	case KEY_CHAR:
		return character(edit, key);
	case KEY_BACKSPACE:
		erase(edit, before_cursor(edit), edit->cursor);
		return true;
	case KEY_DELETE:
		erase(edit, edit->cursor, after_cursor(edit));
		return true;
	case KEY_LEFT:
		edit->cursor = before_cursor(edit);
		return true;
	case KEY_RIGHT:
		edit->cursor = after_cursor(edit);
		return true;
	case KEY_HOME:
		edit->cursor = 0;
		return true;
	case KEY_END:
		edit->cursor = edit->len;
		return true;
	default:
		return false;
	}
}

void
lineedit_paste(struct lineedit *edit, const char *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		uint32_t code;
		unsigned step = utf8_decode(bytes + at, len - at, &code);

		if (step == 1 && (bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == '\t'))
			insert(edit, " ", 1);
		else if (step > 0)
			insert(edit, bytes + at, step);
		at += step ? step : 1;
	}
}

void
lineedit_set(struct lineedit *edit, const char *text)
{
	erase(edit, 0, edit->len);
	edit->scrolled = 0;
	lineedit_paste(edit, text, strlen(text));
}

/* Columns of the text before the cursor. */
static int
cursor_column(const struct lineedit *edit)
{
	struct text_iter iter;
	struct text_cell cell;
	int column = 0;

	text_begin(&iter, untrusted(edit->text, edit->len), TEXT_LINES);
	while (text_next(&iter, &cell) && cell.source_at + cell.source_len <= edit->cursor)
		column += cell.width;
	return column;
}

void
lineedit_draw(struct lineedit *edit, struct canvas *canvas, struct rect rect, enum style style)
{
	struct text_iter iter;
	struct text_cell cell;
	struct rect before, row = rect_make(rect.x, rect.y, rect.w, rect.h > 0 ? 1 : 0);
	int cursor = cursor_column(edit);
	int x = 0;

	if (rect_empty(row))
		return;
	if (cursor < edit->scrolled)
		edit->scrolled = cursor;
	if (cursor >= edit->scrolled + row.w)
		edit->scrolled = cursor - row.w + 1;
	before = canvas_clip(canvas, rect_common(row, canvas_all(canvas)));
	canvas_fill(canvas, row, style);
	text_begin(&iter, untrusted(edit->text, edit->len), TEXT_LINES);
	for (; x < edit->scrolled + row.w && text_next(&iter, &cell); x += cell.width)
		if (x + cell.width > edit->scrolled)
			canvas_cell(canvas, row.x + x - edit->scrolled, row.y, style, &cell);
	canvas_set_cursor(canvas, row.x + cursor - edit->scrolled, row.y);
	canvas_clip(canvas, before);
}
