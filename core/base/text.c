/*
 * Each code point gets a class; drawing depends on the class, the mode and, for runs of spaces and
 * marks, on what came before.  The order of tests is that of danger: what may not be drawn is
 * decided before anything is drawn.
 *
 * Injective: an escape is the only source of the texts "<U+", "<x" + hex, "<SP x", "<TAB x" and
 * "<NL x", because a literal one shows its "<" as <U+003C>.
 */
#include "config.h"

#include "core/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include <wchar.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"

#define RUN_MIN 8 /* this many equal spaces, tabs or line ends become one token */
#define TAB_COLUMNS 8

struct range {
	uint32_t first, last;
};

/* Never drawn, in any mode, whatever the tables say (background: assigned, yet dangerous). */
static const struct range hidden_ranges[] = {
	{ 0x00ad, 0x00ad },
	{ 0x034f, 0x034f },
	{ 0x0600, 0x0605 },
	{ 0x061c, 0x061c },
	{ 0x06dd, 0x06dd },
	{ 0x070f, 0x070f },
	{ 0x0890, 0x0891 },
	{ 0x08e2, 0x08e2 },
	{ 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 },
	{ 0x180b, 0x180f },
	{ 0x200b, 0x200f },
	{ 0x2028, 0x202e },
	{ 0x2060, 0x206f },
	{ 0x3164, 0x3164 },
	{ 0xfe00, 0xfe0f },
	{ 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },
	{ 0xfff0, 0xfffb },
	{ 0x110bd, 0x110bd },
	{ 0x110cd, 0x110cd },
	{ 0x13430, 0x1343f },
	{ 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff },
};

/* Not hidden, and not drawn either: spaces that are not U+0020, right-to-left letters, frames,
 * parts of emoji, the replacement characters. */
static const struct range undrawn_ranges[] = {
	{ 0x0080, 0x009f },
	{ 0x00a0, 0x00a0 },
	{ 0x0590, 0x08ff },
	{ 0x1680, 0x1680 },
	{ 0x2000, 0x200a },
	{ 0x202f, 0x202f },
	{ 0x205f, 0x205f },
	{ 0x2500, 0x259f },
	{ 0x2800, 0x2800 },
	{ 0x3000, 0x3000 },
	{ 0xe000, 0xf8ff },
	{ 0xfb1d, 0xfdff },
	{ 0xfe70, 0xfefe },
	{ 0xfffc, 0xffff },
	{ 0x10800, 0x10fff },
	{ 0x1e800, 0x1efff },
	{ 0x1f1e6, 0x1f1ff },
	{ 0x1f3fb, 0x1f3ff },
	{ 0x1fb00, 0x1fbff },
	{ 0xf0000, 0x10ffff },
};

static bool
in_ranges(uint32_t point, const struct range *ranges, size_t count)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (point < ranges[middle].first)
			count = middle;
		else if (point > ranges[middle].last)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

static bool
is_hidden(uint32_t point)
{
	return in_ranges(point, hidden_ranges, ARRAY_SIZE(hidden_ranges));
}

static bool
is_mark(uint32_t point)
{
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)point);

	return category == UTF8PROC_CATEGORY_MN;
}

static bool
drawable_category(uint32_t point)
{
	switch (utf8proc_category((utf8proc_int32_t)point)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_ND:
	case UTF8PROC_CATEGORY_NL:
	case UTF8PROC_CATEGORY_NO:
	case UTF8PROC_CATEGORY_PC:
	case UTF8PROC_CATEGORY_PD:
	case UTF8PROC_CATEGORY_PS:
	case UTF8PROC_CATEGORY_PE:
	case UTF8PROC_CATEGORY_PI:
	case UTF8PROC_CATEGORY_PF:
	case UTF8PROC_CATEGORY_PO:
	case UTF8PROC_CATEGORY_SM:
	case UTF8PROC_CATEGORY_SC:
	case UTF8PROC_CATEGORY_SK:
	case UTF8PROC_CATEGORY_SO:
		return true;
	default:
		return false;
	}
}

/* Would compatibility normalisation make something else of it: a look-alike. */
static bool
is_compatibility(uint32_t point)
{
	utf8proc_int32_t out[32];
	int class = 0;
	utf8proc_ssize_t count = utf8proc_decompose_char((utf8proc_int32_t)point, out,
		(utf8proc_ssize_t)ARRAY_SIZE(out), UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE, &class);
	utf8proc_ssize_t composed;

	if (count <= 0 || count > (utf8proc_ssize_t)ARRAY_SIZE(out))
		return true;
	composed = utf8proc_normalize_utf32(out, count, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
	return composed != 1 || out[0] != (utf8proc_int32_t)point;
}

/* Columns of a character that text mode may draw; 0: it may not be drawn.  ASCII is drawn in any
 * locale, all else only where the C library agrees on its width. */
static int
drawn_width(uint32_t point)
{
	int width;

	if (point >= 0x20 && point <= 0x7e)
		return 1;
	if (point < 0xa0 || is_hidden(point) ||
		in_ranges(point, undrawn_ranges, ARRAY_SIZE(undrawn_ranges)) ||
		(point & 0xfffe) == 0xfffe || (point >= 0xfdd0 && point <= 0xfdef))
		return 0;
	if (!drawable_category(point) || is_compatibility(point))
		return 0;
	width = utf8proc_charwidth((utf8proc_int32_t)point);
	if ((width != 1 && width != 2) || wcwidth((wchar_t)point) != width)
		return 0;
	return width;
}

struct untrusted
untrusted_str(const char *str)
{
	return untrusted(str ? str : "", str ? strlen(str) : 0);
}

void
text_begin(struct text_iter *iter, struct untrusted text, enum text_mode mode)
{
	*iter = (struct text_iter){ .text = text, .mode = mode };
}

/* --- cells --- */

static ATTR_PRINTF(2, 3) void escape(struct text_cell *cell, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(cell->utf8, sizeof(cell->utf8), fmt, args);
	va_end(args);
	cell->len = (uint8_t)len;
	cell->width = (uint8_t)len;
	cell->escape = true;
}

static void
plain(struct text_iter *iter, struct text_cell *cell, size_t len, int width)
{
	memcpy(cell->utf8, iter->text.bytes + iter->at, len);
	cell->utf8[len] = '\0';
	cell->len = (uint8_t)len;
	cell->width = (uint8_t)width;
	cell->source_len = len;
}

/* How often the byte at `at` stands there in a row. */
static size_t
run_length(const struct untrusted *text, size_t at)
{
	size_t end = at;

	while (end < text->len && text->bytes[end] == text->bytes[at])
		end++;
	return end - at;
}

static bool
is_hex(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
	       (byte >= 'A' && byte <= 'F');
}

/* Does a literal at `at` look like one of our tokens? */
static bool
looks_escaped(const struct untrusted *text, size_t at)
{
	static const char *const starts[] = { "<U+", "<SP x", "<TAB x", "<NL x" };
	size_t left = text->len - at;

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		size_t len = strlen(starts[i]);

		if (left >= len && memcmp(text->bytes + at, starts[i], len) == 0)
			return true;
	}
	return left >= 3 && memcmp(text->bytes + at, "<x", 2) == 0 && is_hex(text->bytes[at + 2]);
}

static bool
run_token(struct text_iter *iter, struct text_cell *cell)
{
	char byte = iter->text.bytes[iter->at];
	const char *name = byte == ' ' ? "SP" : byte == '\t' ? "TAB" : byte == '\n' ? "NL" : NULL;
	size_t run;

	if (!name || iter->mode == TEXT_LINES)
		return false;
	run = run_length(&iter->text, iter->at);
	if (run < RUN_MIN)
		return false;
	escape(cell, "<%s x %zu>", name, run);
	cell->line_break = byte == '\n';
	cell->source_len = run;
	return true;
}

/* Line ends and tabs of source and output panes. */
static bool
line_control(struct text_iter *iter, struct text_cell *cell)
{
	char byte = iter->text.bytes[iter->at];

	if (iter->mode != TEXT_LINES || (byte != '\n' && byte != '\t'))
		return false;
	cell->source_len = 1;
	if (byte == '\n') {
		cell->line_break = true;
		return true;
	}
	cell->width = (uint8_t)(TAB_COLUMNS - iter->column % TAB_COLUMNS);
	memset(cell->utf8, ' ', cell->width);
	cell->utf8[cell->width] = '\0';
	cell->len = cell->width;
	return true;
}

static void
ascii_cell(struct text_iter *iter, struct text_cell *cell)
{
	unsigned char byte = (unsigned char)iter->text.bytes[iter->at];

	cell->source_len = 1;
	if (byte < 0x20 || byte == 0x7f) {
		escape(cell, "<U+%04X>", byte);
		cell->line_break = byte == '\n';
	} else if (byte == '<' && looks_escaped(&iter->text, iter->at)) {
		escape(cell, "<U+003C>");
	} else {
		plain(iter, cell, 1, 1);
	}
}

/* One combining mark may ride on a drawn base that is no space. */
static void
add_mark(struct text_iter *iter, struct text_cell *cell)
{
	size_t at = iter->at + cell->source_len;
	uint32_t mark;
	size_t len;

	if (iter->mode == TEXT_STRICT || cell->escape || cell->utf8[0] == ' ' ||
		at >= iter->text.len || (unsigned char)iter->text.bytes[at] < 0x80)
		return;
	len = utf8_decode(iter->text.bytes + at, iter->text.len - at, &mark);
	if (len == 0 || !is_mark(mark) || is_hidden(mark) ||
		in_ranges(mark, undrawn_ranges, ARRAY_SIZE(undrawn_ranges)) ||
		is_compatibility(mark) || wcwidth((wchar_t)mark) != 0)
		return;
	memcpy(cell->utf8 + cell->len, iter->text.bytes + at, len);
	cell->len = (uint8_t)(cell->len + len);
	cell->utf8[cell->len] = '\0';
	cell->source_len += len;
}

static void
wide_cell(struct text_iter *iter, struct text_cell *cell)
{
	const char *at = iter->text.bytes + iter->at;
	uint32_t point;
	size_t len = utf8_decode(at, iter->text.len - iter->at, &point);
	int width;

	if (len == 0) {
		escape(cell, "<x%02X>", (unsigned char)*at);
		cell->source_len = 1;
		return;
	}
	width = iter->mode == TEXT_STRICT ? 0 : drawn_width(point);
	if (width > 0) {
		plain(iter, cell, len, width);
		return;
	}
	escape(cell, "<U+%04X>", point);
	cell->source_len = len;
}

bool
text_next(struct text_iter *iter, struct text_cell *cell)
{
	if (iter->at >= iter->text.len)
		return false;
	memset(cell, 0, sizeof(*cell));
	cell->source_at = iter->at;
	if (!run_token(iter, cell) && !line_control(iter, cell)) {
		if ((unsigned char)iter->text.bytes[iter->at] < 0x80)
			ascii_cell(iter, cell);
		else
			wide_cell(iter, cell);
		add_mark(iter, cell);
	}
	iter->at += cell->source_len;
	iter->column = cell->line_break ? 0 : iter->column + cell->width;
	return true;
}

/* --- counting --- */

enum script {
	SCRIPT_NONE,
	SCRIPT_LATIN,
	SCRIPT_GREEK,
	SCRIPT_CYRILLIC,
	SCRIPT_ARMENIAN,
	SCRIPT_CHEROKEE
};

/* The scripts whose letters are taken for one another; others do not mix by accident. */
static enum script
script_of(uint32_t point)
{
	if ((point | 0x20) >= 'a' && (point | 0x20) <= 'z')
		return SCRIPT_LATIN;
	if (point >= 0xc0 && point <= 0x24f)
		return SCRIPT_LATIN;
	if (point >= 0x370 && point <= 0x3ff)
		return SCRIPT_GREEK;
	if (point >= 0x400 && point <= 0x52f)
		return SCRIPT_CYRILLIC;
	if (point >= 0x531 && point <= 0x587)
		return SCRIPT_ARMENIAN;
	if (point >= 0x13a0 && point <= 0x13fd)
		return SCRIPT_CHEROKEE;
	return SCRIPT_NONE;
}

static void
count_points(struct untrusted text, struct text_counts *counts)
{
	enum script token = SCRIPT_NONE;

	for (size_t at = 0; at < text.len;) {
		uint32_t point;
		size_t len = utf8_decode(text.bytes + at, text.len - at, &point);
		enum script script;

		at += len ? len : 1;
		if (len != 1)
			counts->non_ascii++;
		if (len == 0)
			continue;
		counts->hidden += is_hidden(point);
		script = script_of(point);
		if (script != SCRIPT_NONE && token != SCRIPT_NONE && script != token)
			counts->mixed_scripts = true;
		token = script;
	}
}

void
text_count(struct untrusted text, enum text_mode mode, struct text_counts *counts)
{
	struct text_iter iter;
	struct text_cell cell;
	bool ended = true;

	memset(counts, 0, sizeof(*counts));
	counts->bytes = text.len;
	text_begin(&iter, text, mode);
	while (text_next(&iter, &cell)) {
		counts->escapes += cell.escape;
		counts->lines += cell.line_break;
		ended = cell.line_break;
	}
	counts->lines += !ended;
	count_points(text, counts);
}

/* --- as text --- */

void
text_escape_to(struct buf *out, struct untrusted text, enum text_mode mode)
{
	struct text_iter iter;
	struct text_cell cell;

	text_begin(&iter, text, mode);
	while (text_next(&iter, &cell)) {
		buf_put(out, cell.utf8, cell.len);
		if (cell.line_break)
			buf_byte(out, '\n');
	}
}

char *
text_escape(struct untrusted text, enum text_mode mode)
{
	struct buf out;

	buf_init(&out, BUF_UNBOUNDED);
	text_escape_to(&out, text, mode);
	return buf_give(&out);
}

bool
text_is_utf8(const char *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		uint32_t point;
		unsigned step = utf8_decode(bytes + at, len - at, &point);

		if (step == 0)
			return false;
		at += step;
	}
	return true;
}
