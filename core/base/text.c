/*
 * text.c - one pass over foreign bytes, one cell at a time.
 *
 * Each code point has a class, found once (utf8proc, wcwidth and the ranges below) and kept in
 * pages of 256; ASCII has a table of its own.  Invariants:
 *
 * - A cell is either a character as it stands in the source, or a token in ASCII.  Nobody but this
 *   file makes tokens: a "<" of the source that would begin one becomes a token itself.  So the
 *   cells of a text, put together, can be read back to exactly one input.
 * - Only a base takes a mark, one, and only when NFKC leaves the pair alone (an e with an acute
 *   would look like the letter e acute).
 * - Spaces at the end of a text or line are a token: a screen shows them like nothing at all.
 *
 * TEXT_LINES gives up the second reading for tabs alone: they look like the spaces they make.
 */
#include "config.h"

#include "core/base/text.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>
#include <wchar.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"

#define RUN_MIN 8                      /* equal spaces, tabs, line breaks that become one token */
#define RUN_MAX UINT64_C(999999999999) /* what fits a token */
#define INDENT_MAX 40                  /* leading spaces drawn as they are in TEXT_LINES */
#define TAB_STOP 8

#define CODE_MAX 0x10FFFF
#define PAGE_BITS 8
#define PAGES ((CODE_MAX >> PAGE_BITS) + 1)

enum drawn { /* 0: not known yet */
	DRAWN_UNKNOWN,
	DRAWN_NEVER,
	DRAWN_NARROW,
	DRAWN_WIDE,
	DRAWN_MARK,
};

struct range {
	uint32_t from, to;
};

/* Bidi controls, default-ignorable and other format characters: what nobody sees. */
static const struct range hidden[] = {
	{ 0x00AD, 0x00AD },
	{ 0x034F, 0x034F },
	{ 0x0600, 0x0605 },
	{ 0x061C, 0x061C },
	{ 0x06DD, 0x06DD },
	{ 0x070F, 0x070F },
	{ 0x0890, 0x0891 },
	{ 0x08E2, 0x08E2 },
	{ 0x115F, 0x1160 },
	{ 0x17B4, 0x17B5 },
	{ 0x180B, 0x180F },
	{ 0x200B, 0x200F },
	{ 0x202A, 0x202E },
	{ 0x2060, 0x206F },
	{ 0x3164, 0x3164 },
	{ 0xFE00, 0xFE0F },
	{ 0xFEFF, 0xFEFF },
	{ 0xFFA0, 0xFFA0 },
	{ 0xFFF0, 0xFFFB },
	{ 0x110BD, 0x110BD },
	{ 0x110CD, 0x110CD },
	{ 0x13430, 0x1343F },
	{ 0x1BCA0, 0x1BCA3 },
	{ 0x1D173, 0x1D17A },
	{ 0xE0000, 0xE0FFF },
};

/* Seen, but as something else: separators, blanks, frames, right-to-left, emoji parts, no
 * characters. */
static const struct range misleading[] = {
	{ 0x0000, 0x001F },
	{ 0x007F, 0x00A0 },
	{ 0x0590, 0x08FF },
	{ 0x1680, 0x1680 },
	{ 0x2000, 0x200A },
	{ 0x2028, 0x2029 },
	{ 0x202F, 0x202F },
	{ 0x205F, 0x205F },
	{ 0x2500, 0x259F },
	{ 0x2800, 0x2800 },
	{ 0x3000, 0x3000 },
	{ 0xD800, 0xF8FF },
	{ 0xFB1D, 0xFDFF },
	{ 0xFE70, 0xFEFE },
	{ 0xFFFC, 0xFFFD },
	{ 0x10800, 0x10FFF },
	{ 0x13441, 0x13442 }, /* blanks among the hieroglyphs */
	{ 0x1D159, 0x1D159 }, /* a note head without ink */
	{ 0x1E800, 0x1EFFF },
	{ 0x1F1E6, 0x1F1FF },
	{ 0x1F3FB, 0x1F3FF },
	{ 0x1FB00, 0x1FBFF },
	{ 0xF0000, 0x10FFFF },
};

static bool
in_ranges(uint32_t code, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count && code >= ranges[i].from; i++)
		if (code <= ranges[i].to)
			return true;
	return false;
}

bool
text_is_hidden(uint32_t code)
{
	return in_ranges(code, hidden, ARRAY_SIZE(hidden));
}

/* Does NFKC leave these code points as they are? */
static bool
is_stable(const char *utf8, size_t len)
{
	utf8proc_int32_t codes[64];
	const utf8proc_option_t how = UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE;
	char back[sizeof(codes)];
	size_t back_len = 0;
	utf8proc_ssize_t count = utf8proc_decompose((const utf8proc_uint8_t *)utf8,
		(utf8proc_ssize_t)len, codes, ARRAY_SIZE(codes), how);

	if (count <= 0 || count > (utf8proc_ssize_t)ARRAY_SIZE(codes))
		return false;
	count = utf8proc_normalize_utf32(codes, count, how);
	for (utf8proc_ssize_t i = 0; i < count; i++)
		back_len += utf8_encode((uint32_t)codes[i], back + back_len);
	return back_len == len && memcmp(back, utf8, len) == 0;
}

/* Columns by a locale of our own: the process's may be any. */
static int
width_of(uint32_t code)
{
	static locale_t utf8_locale;
	locale_t before;
	int width;

	if (!utf8_locale)
		utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (!utf8_locale)
		return -1;
	before = uselocale(utf8_locale);
	width = wcwidth((wchar_t)code);
	uselocale(before);
	return width == utf8proc_charwidth((utf8proc_int32_t)code) ? width : -1;
}

static enum drawn
classify(uint32_t code)
{
	char utf8[4];
	int width;

	if (in_ranges(code, misleading, ARRAY_SIZE(misleading)) || text_is_hidden(code) ||
		(code & 0xFFFE) == 0xFFFE)
		return DRAWN_NEVER;
	if (!is_stable(utf8, utf8_encode(code, utf8)))
		return DRAWN_NEVER;
	width = width_of(code);
	switch (utf8proc_category((utf8proc_int32_t)code)) {
	case UTF8PROC_CATEGORY_MN:
		return width == 0 ? DRAWN_MARK : DRAWN_NEVER;
	case UTF8PROC_CATEGORY_CN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME:
	case UTF8PROC_CATEGORY_ZS:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_CS:
	case UTF8PROC_CATEGORY_CO:
		return DRAWN_NEVER;
	default:
		return width == 1 ? DRAWN_NARROW : width == 2 ? DRAWN_WIDE : DRAWN_NEVER;
	}
}

static enum drawn
drawn_as(uint32_t code)
{
	static uint8_t *pages[PAGES];
	uint8_t **page = &pages[code >> PAGE_BITS];
	uint8_t *slot;

	if (!*page)
		*page = mem_zero(1 << PAGE_BITS, 1);
	slot = *page + (code & ((1 << PAGE_BITS) - 1));
	if (*slot == DRAWN_UNKNOWN)
		*slot = (uint8_t)classify(code);
	return *slot;
}

struct untrusted
untrusted_str(const char *str)
{
	return untrusted(str ? str : "", str ? strlen(str) : 0);
}

/* A terminal of another encoding would make something else of it: then ASCII is all. */
static bool
locale_is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

void
text_begin(struct text_iter *iter, struct untrusted text, enum text_mode mode)
{
	iter->text = text;
	iter->mode = mode;
	iter->at = 0;
	iter->column = 0;
	iter->spaces = 0;
	iter->ascii = mode == TEXT_STRICT || !locale_is_utf8();
}

static bool
is_hex(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'F') ||
	       (byte >= 'a' && byte <= 'f');
}

static bool
begins_with(const char *at, const char *end, const char *what)
{
	size_t len = strlen(what);

	return (size_t)(end - at) >= len && memcmp(at, what, len) == 0;
}

/* A blank followed by "x"; in TEXT_LINES a tab can look like one space. */
static bool
is_times(const char *at, const char *end, enum text_mode mode)
{
	return end - at >= 2 && (at[0] == ' ' || (mode == TEXT_LINES && at[0] == '\t')) &&
	       at[1] == 'x';
}

/* Would this "<" be taken for the beginning of a token? */
static bool
begins_token(const char *at, const char *end, enum text_mode mode)
{
	at++;
	if (at >= end)
		return false;
	switch (*at) {
	case 'U':
		return begins_with(at, end, "U+");
	case 'x':
		return at + 1 < end && is_hex(at[1]);
	case 'S':
		return begins_with(at, end, "SP") && is_times(at + 2, end, mode);
	case 'T':
		return begins_with(at, end, "TAB") && is_times(at + 3, end, mode);
	case 'N':
		return begins_with(at, end, "NL") && is_times(at + 2, end, mode);
	default:
		return false;
	}
}

static ATTR_PRINTF(2, 3) void make_token(struct text_cell *cell, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	cell->len = (uint8_t)vsnprintf(cell->utf8, sizeof(cell->utf8), fmt, args);
	va_end(args);
	cell->width = cell->len;
	cell->escape = true;
}

static void
make_code(struct text_cell *cell, uint32_t code)
{
	make_token(cell, "<U+%04X>", (unsigned)code);
}

static size_t
run_length(const char *at, const char *end)
{
	const char *to = at;

	while (to < end && *to == *at && (uint64_t)(to - at) < RUN_MAX)
		to++;
	return (size_t)(to - at);
}

static bool
is_shown_as_spaces(const struct text_iter *iter, size_t run, bool trailing)
{
	if (iter->mode == TEXT_LINES)
		return run < RUN_MIN || (iter->column == 0 && run < INDENT_MAX);
	return run < RUN_MIN && !trailing;
}

/* A run is measured where it begins; the spaces after its first one follow from that. */
static void
next_space(struct text_iter *iter, struct text_cell *cell, const char *at, const char *end)
{
	size_t run;

	if (iter->spaces == 0) {
		run = run_length(at, end);
		if (!is_shown_as_spaces(iter, run, at + run == end || at[run] == '\n')) {
			make_token(cell, "<SP x %zu>", run);
			cell->source_len = run;
			return;
		}
		iter->spaces = (unsigned)run;
	}
	iter->spaces--;
	cell->utf8[0] = ' ';
	cell->utf8[1] = '\0';
	cell->len = cell->width = 1;
}

static void
next_tab(struct text_iter *iter, struct text_cell *cell, const char *at, const char *end)
{
	size_t run = run_length(at, end);

	if (run >= RUN_MIN) {
		make_token(cell, "<TAB x %zu>", run);
		cell->source_len = run;
	} else if (iter->mode == TEXT_LINES) {
		cell->len = cell->width = (uint8_t)(TAB_STOP - iter->column % TAB_STOP);
		memset(cell->utf8, ' ', cell->len);
		cell->utf8[cell->len] = '\0';
	} else {
		make_code(cell, '\t');
	}
}

static void
next_break(struct text_iter *iter, struct text_cell *cell, const char *at, const char *end)
{
	size_t run = run_length(at, end);

	cell->line_break = true;
	if (run >= RUN_MIN) {
		make_token(cell, "<NL x %zu>", run);
		cell->source_len = run;
	} else if (iter->mode != TEXT_LINES) {
		make_code(cell, '\n');
	}
}

static void
put_character(struct text_cell *cell, const char *at, size_t len, int width)
{
	memcpy(cell->utf8 + cell->len, at, len);
	cell->len = (uint8_t)(cell->len + len);
	cell->utf8[cell->len] = '\0';
	cell->width = (uint8_t)(cell->width + width);
	cell->source_len = cell->len;
}

/* The character just put may take the mark that follows it. */
static void
take_mark(struct text_iter *iter, struct text_cell *cell, const char *at, const char *end)
{
	char pair[8];
	uint32_t code;
	unsigned len;

	if (iter->ascii || at >= end || !((unsigned char)*at & 0x80))
		return;
	len = utf8_decode(at, (size_t)(end - at), &code);
	if (len == 0 || drawn_as(code) != DRAWN_MARK)
		return;
	memcpy(pair, cell->utf8, cell->len);
	memcpy(pair + cell->len, at, len);
	if (is_stable(pair, cell->len + len))
		put_character(cell, at, len, 0);
}

static void
next_ascii(struct text_iter *iter, struct text_cell *cell, const char *at, const char *end)
{
	unsigned char byte = (unsigned char)*at;

	if (byte == ' ') {
		next_space(iter, cell, at, end);
	} else if (byte == '\n') {
		next_break(iter, cell, at, end);
	} else if (byte == '\t') {
		next_tab(iter, cell, at, end);
	} else if (byte < ' ' || byte == 0x7F ||
		   (byte == '<' && begins_token(at, end, iter->mode))) {
		make_code(cell, byte);
	} else {
		put_character(cell, at, 1, 1);
		take_mark(iter, cell, at + 1, end);
	}
}

static void
next_wide(struct text_iter *iter, struct text_cell *cell, const char *at, const char *end)
{
	uint32_t code;
	unsigned len = utf8_decode(at, (size_t)(end - at), &code);
	enum drawn drawn;

	if (len == 0) {
		make_token(cell, "<x%02X>", (unsigned)(unsigned char)*at);
		return;
	}
	drawn = iter->ascii ? DRAWN_NEVER : drawn_as(code);
	if (drawn == DRAWN_NARROW || drawn == DRAWN_WIDE) {
		put_character(cell, at, len, drawn == DRAWN_WIDE ? 2 : 1);
		take_mark(iter, cell, at + len, end);
	} else {
		make_code(cell, code);
		cell->source_len = len;
	}
}

bool
text_next(struct text_iter *iter, struct text_cell *cell)
{
	const char *at, *end;

	if (iter->at >= iter->text.len)
		return false;
	at = iter->text.bytes + iter->at;
	end = iter->text.bytes + iter->text.len;
	cell->utf8[0] = '\0';
	cell->len = cell->width = 0;
	cell->escape = cell->line_break = false;
	cell->source_at = iter->at;
	cell->source_len = 1;
	if ((unsigned char)*at < 0x80)
		next_ascii(iter, cell, at, end);
	else
		next_wide(iter, cell, at, end);
	iter->at += cell->source_len;
	iter->column = cell->line_break ? 0 : iter->column + cell->width;
	return true;
}

enum script {
	SCRIPT_OTHER = 0,
	SCRIPT_LATIN = 1,
	SCRIPT_GREEK = 2,
	SCRIPT_CYRILLIC = 4,
	SCRIPT_ARMENIAN = 8,
	SCRIPT_CHEROKEE = 16,
};

static const struct {
	struct range range;
	enum script script;
} scripts[] = {
	{ { 'A', 'Z' }, SCRIPT_LATIN },
	{ { 'a', 'z' }, SCRIPT_LATIN },
	{ { 0x00C0, 0x02AF }, SCRIPT_LATIN },
	{ { 0x0370, 0x03FF }, SCRIPT_GREEK },
	{ { 0x0400, 0x052F }, SCRIPT_CYRILLIC },
	{ { 0x0531, 0x0588 }, SCRIPT_ARMENIAN },
	{ { 0x13A0, 0x13FD }, SCRIPT_CHEROKEE },
	{ { 0x1C80, 0x1C8F }, SCRIPT_CYRILLIC },
	{ { 0x1E00, 0x1EFF }, SCRIPT_LATIN },
	{ { 0x1F00, 0x1FFF }, SCRIPT_GREEK },
	{ { 0x2C60, 0x2C7F }, SCRIPT_LATIN },
	{ { 0x2DE0, 0x2DFF }, SCRIPT_CYRILLIC },
	{ { 0xA640, 0xA69F }, SCRIPT_CYRILLIC },
	{ { 0xA722, 0xA7FF }, SCRIPT_LATIN },
	{ { 0xAB30, 0xAB64 }, SCRIPT_LATIN },
	{ { 0xAB70, 0xABBF }, SCRIPT_CHEROKEE },
};

static bool
is_letter(uint32_t code)
{
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code);

	return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

static bool
continues_token(uint32_t code)
{
	utf8proc_category_t category;

	if (code < 0x80)
		return (code >= '0' && code <= '9') || code == '_';
	category = utf8proc_category((utf8proc_int32_t)code);
	return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
	       category == UTF8PROC_CATEGORY_ND;
}

static enum script
script_of(uint32_t code)
{
	for (size_t i = 0; i < ARRAY_SIZE(scripts) && code >= scripts[i].range.from; i++)
		if (code <= scripts[i].range.to)
			return scripts[i].script;
	return SCRIPT_OTHER;
}

/* Scripts of the token so far, with this code point; more than one bit is a mix. */
static unsigned
token_scripts(unsigned seen, uint32_t code)
{
	if ((code < 0x80 && script_of(code)) || (code >= 0x80 && is_letter(code)))
		return seen | script_of(code);
	return continues_token(code) ? seen : 0;
}

static void
count_codes(struct untrusted text, struct text_counts *counts)
{
	unsigned seen = 0;

	for (size_t at = 0; at < text.len;) {
		uint32_t code;
		unsigned len = utf8_decode(text.bytes + at, text.len - at, &code);

		at += len ? len : 1;
		if (len == 0) {
			counts->non_ascii++;
			seen = 0;
			continue;
		}
		counts->non_ascii += code >= 0x80;
		counts->lines += code == '\n';
		counts->hidden += code >= 0x80 && text_is_hidden(code);
		seen = token_scripts(seen, code);
		counts->mixed_scripts |= (seen & (seen - 1)) != 0;
	}
}

void
text_count(struct untrusted text, enum text_mode mode, struct text_counts *counts)
{
	struct text_iter iter;
	struct text_cell cell;

	memset(counts, 0, sizeof(*counts));
	counts->bytes = text.len;
	count_codes(text, counts);
	if (text.len > 0 && text.bytes[text.len - 1] != '\n')
		counts->lines++;
	for (text_begin(&iter, text, mode); text_next(&iter, &cell);)
		counts->escapes += cell.escape;
}

void
text_escape_to(struct buf *out, struct untrusted text, enum text_mode mode)
{
	struct text_iter iter;
	struct text_cell cell;

	for (text_begin(&iter, text, mode); text_next(&iter, &cell);) {
		buf_put(out, cell.utf8, cell.len);
		if (cell.line_break)
			buf_byte(out, '\n');
	}
}

char *
text_escape(struct untrusted text, enum text_mode mode)
{
	AUTO_BUF struct buf out;

	buf_init(&out, BUF_UNBOUNDED);
	text_escape_to(&out, text, mode);
	return buf_give(&out);
}

bool
text_is_utf8(const char *bytes, size_t len)
{
	uint32_t code;
	unsigned step;

	for (size_t at = 0; at < len; at += step) {
		step = utf8_decode(bytes + at, len - at, &code);
		if (step == 0)
			return false;
	}
	return true;
}
