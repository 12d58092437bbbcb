/*
 * Foreign text: what is drawn as itself and what never is (all code points), and that what is drawn
 * can be read back to exactly one input.
 */
#include "config.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "tests/base/text_decode.h"

struct range {
	uint32_t from, to;
};

/* The classes that must be visible, as they are written down (Unicode 15), but for unassigned ones,
 * marks and look-alikes, which are no ranges. */
static const struct range visible[] = {
	/* C0, DEL, C1 */
	{ 0x0000, 0x001F },
	{ 0x007F, 0x009F },
	/* bidi controls */
	{ 0x061C, 0x061C },
	{ 0x200E, 0x200F },
	{ 0x202A, 0x202E },
	{ 0x2066, 0x2069 },
	/* default-ignorable */
	{ 0x00AD, 0x00AD },
	{ 0x034F, 0x034F },
	{ 0x115F, 0x1160 },
	{ 0x17B4, 0x17B5 },
	{ 0x180B, 0x180F },
	{ 0x200B, 0x200F },
	{ 0x2060, 0x206F },
	{ 0x3164, 0x3164 },
	{ 0xFE00, 0xFE0F },
	{ 0xFEFF, 0xFEFF },
	{ 0xFFA0, 0xFFA0 },
	{ 0xFFF0, 0xFFF8 },
	{ 0x1BCA0, 0x1BCA3 },
	{ 0x1D173, 0x1D17A },
	{ 0xE0000, 0xE0FFF },
	/* other format characters */
	{ 0x0600, 0x0605 },
	{ 0x06DD, 0x06DD },
	{ 0x070F, 0x070F },
	{ 0x0890, 0x0891 },
	{ 0x08E2, 0x08E2 },
	{ 0xFFF9, 0xFFFB },
	{ 0x110BD, 0x110BD },
	{ 0x110CD, 0x110CD },
	{ 0x13430, 0x1343F },
	/* line and paragraph */
	{ 0x2028, 0x2029 },
	/* spaces */
	{ 0x00A0, 0x00A0 },
	{ 0x1680, 0x1680 },
	{ 0x2000, 0x200A },
	{ 0x202F, 0x202F },
	{ 0x205F, 0x205F },
	{ 0x3000, 0x3000 },
	{ 0x2800, 0x2800 },
	/* private use, surrogates, noncharacters */
	{ 0xE000, 0xF8FF },
	{ 0xF0000, 0xFFFFD },
	{ 0x100000, 0x10FFFD },
	{ 0xFDD0, 0xFDEF },
	{ 0xFFFC, 0xFFFD },
	/* right-to-left */
	{ 0x0590, 0x08FF },
	{ 0xFB1D, 0xFDFF },
	{ 0xFE70, 0xFEFE },
	{ 0x10800, 0x10FFF },
	{ 0x1E800, 0x1EFFF },
	/* look-alikes that are ranges */
	{ 0xFF01, 0xFF5E },
	{ 0x1D400, 0x1D7FF },
	/* frames */
	{ 0x2500, 0x259F },
	{ 0x1FB00, 0x1FBFF },
	/* emoji machinery */
	{ 0x1F1E6, 0x1F1FF },
	{ 0x1F3FB, 0x1F3FF },
};

static char *
drawn(const char *bytes, size_t len, enum text_mode mode)
{
	return text_escape(untrusted(bytes, len), mode);
}

static void
assert_drawn(const char *source, enum text_mode mode, const char *expected)
{
	AUTO_FREE char *got = drawn(source, strlen(source), mode);

	assert_string_equal(got, expected);
}

static bool
is_visible_class(uint32_t code)
{
	for (size_t i = 0; i < ARRAY_SIZE(visible); i++)
		if (code >= visible[i].from && code <= visible[i].to)
			return true;
	return (code & 0xFFFE) == 0xFFFE;
}

static void
strict_mode_emits_printable_ascii_for_every_code_point(void **state)
{
	for (uint32_t code = 0; code <= 0x10FFFF; code++) {
		char utf8[4];
		struct text_iter iter;
		struct text_cell cell;

		if (code >= 0xD800 && code < 0xE000)
			continue;
		text_begin(&iter, untrusted(utf8, utf8_encode(code, utf8)), TEXT_STRICT);
		while (text_next(&iter, &cell)) {
			for (size_t i = 0; i < cell.len; i++)
				assert_true(cell.utf8[i] >= 0x20 && cell.utf8[i] < 0x7F);
			assert_int_equal(cell.width, cell.len);
			if (code >= 0x80)
				assert_true(cell.escape);
		}
	}
}

static void
text_mode_draws_no_dangerous_code_point_as_itself(void **state)
{
	size_t as_itself = 0;

	for (uint32_t code = 0x7F; code <= 0x10FFFF; code++) {
		char utf8[4];
		struct text_iter iter;
		struct text_cell cell;

		if (code >= 0xD800 && code < 0xE000)
			continue;
		text_begin(&iter, untrusted(utf8, utf8_encode(code, utf8)), TEXT_TEXT);
		assert_true(text_next(&iter, &cell));
		if (!cell.escape && is_visible_class(code))
			fail_msg("U+%04X is drawn as itself", (unsigned)code);
		assert_true(cell.escape || cell.width == 1 || cell.width == 2);
		as_itself += !cell.escape;
		assert_false(text_next(&iter, &cell));
	}
	/* Text mode is of use: CJK alone is more than this. */
	assert_true(as_itself > 90000);
}

static void
text_mode_draws_letters_and_symbols_of_common_scripts(void **state)
{
	static const char *const words[] = { "Grüße", "žluťoučký", "привет", "ελληνικά", "日本語",
		"한국어", "€ × ÷ ≤", "“quoted” – dash" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_drawn(words[i], TEXT_TEXT, words[i]);
}

static void
wide_characters_take_two_columns(void **state)
{
	struct text_iter iter;
	struct text_cell cell;

	text_begin(&iter, untrusted_str("日"), TEXT_TEXT);
	assert_true(text_next(&iter, &cell));
	assert_int_equal(cell.width, 2);
}

static void
hidden_characters_are_named_in_both_modes(void **state)
{
	static const struct {
		const char *source, *expected;
	} cases[] = {
		{ "a\xE2\x80\xAE"
		  "b",
			"a<U+202E>b" },
		{ "a\xE2\x80\x8B"
		  "b",
			"a<U+200B>b" },
		{ "\xF3\xA0\x81\x81", "<U+E0041>" },
		{ "\x1B[31m", "<U+001B>[31m" },
		{ "\xC2\x9B", "<U+009B>" },
		{ "a\rb", "a<U+000D>b" },
		{ "a\bb", "a<U+0008>b" },
		{ "\x7F", "<U+007F>" },
		{ "\t", "<U+0009>" },
		{ "a\nb", "a<U+000A>\nb" },
		{ "\xEF\xBF\xBD", "<U+FFFD>" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_drawn(cases[i].source, TEXT_STRICT, cases[i].expected);
		assert_drawn(cases[i].source, TEXT_TEXT, cases[i].expected);
	}
}

static void
each_bad_byte_is_named_alone(void **state)
{
	static const struct {
		const char *source, *expected;
	} cases[] = {
		{ "\x80", "<x80>" },
		{ "\xFF\xFE", "<xFF><xFE>" },
		{ "\xC0\xAF", "<xC0><xAF>" },                   /* overlong */
		{ "\xE0\x80\xAF", "<xE0><x80><xAF>" },          /* overlong */
		{ "\xF0\x80\x80\xAF", "<xF0><x80><x80><xAF>" }, /* overlong */
		{ "\xED\xA0\x80", "<xED><xA0><x80>" },          /* surrogate */
		{ "\xF4\x90\x80\x80", "<xF4><x90><x80><x80>" }, /* above U+10FFFF */
		{ "\xF8\x88\x80\x80", "<xF8><x88><x80><x80>" }, /* no such form */
		{ "\xE2\x82", "<xE2><x82>" },                   /* cut short */
		{ "\xE2\x82z", "<xE2><x82>z" },                 /* cut short by another */
		{ "\xC3\xC3\xA9", "<xC3><U+00E9>" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_drawn(cases[i].source, TEXT_STRICT, cases[i].expected);
	assert_drawn("\xC3\xC3\xA9", TEXT_TEXT, "<xC3>é");
}

static void
long_runs_become_counts(void **state)
{
	assert_drawn("a       b", TEXT_STRICT, "a       b");
	assert_drawn("a        b", TEXT_STRICT, "a<SP x 8>b");
	assert_drawn("\t\t\t\t\t\t\t\t\t", TEXT_TEXT, "<TAB x 9>");
	assert_drawn("a\n\n\n\n\n\n\n\n\n\n\n\nb", TEXT_STRICT, "a<NL x 12>\nb");
}

static void
spaces_at_an_end_are_counted_however_few(void **state)
{
	assert_drawn("a ", TEXT_STRICT, "a<SP x 1>");
	assert_drawn("a  \nb", TEXT_TEXT, "a<SP x 2><U+000A>\nb");
	assert_drawn(" a", TEXT_STRICT, " a");
	assert_drawn("a  \nb", TEXT_LINES, "a  \nb");
}

static void
a_literal_token_shows_its_bracket_as_an_escape(void **state)
{
	static const struct {
		const char *source, *expected;
	} cases[] = {
		{ "<U+202E>", "<U+003C>U+202E>" },
		{ "<U+", "<U+003C>U+" },
		{ "<x9B>", "<U+003C>x9B>" },
		{ "<xa", "<U+003C>xa" },
		{ "<xyz>", "<xyz>" },
		{ "<SP x 40>", "<U+003C>SP x 40>" },
		{ "<TAB x 9>", "<U+003C>TAB x 9>" },
		{ "<NL x 9>", "<U+003C>NL x 9>" },
		{ "<SP>", "<SP>" },
		{ "<SPx", "<SPx" },
		{ "<u+202E>", "<u+202E>" },
		{ "a < b", "a < b" },
		{ "<<U+", "<<U+003C>U+" },
		{ "<", "<" },
		{ "<U\xE2\x80\x8B+", "<U<U+200B>+" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_drawn(cases[i].source, TEXT_STRICT, cases[i].expected);
		assert_drawn(cases[i].source, TEXT_LINES, cases[i].expected);
	}
	/* A tab can be drawn as one blank. */
	assert_drawn("1234<SP\tx", TEXT_LINES, "1234<U+003C>SP  x");
}

static void
a_mark_needs_a_base_and_stands_alone_on_it(void **state)
{
	/* x with a macron has no letter of its own. */
	assert_drawn("x\xCC\x84", TEXT_TEXT, "x\xCC\x84");
	assert_drawn("x\xCC\x84\xCC\x84", TEXT_TEXT, "x\xCC\x84<U+0304>");
	assert_drawn("\xCC\x84", TEXT_TEXT, "<U+0304>");
	assert_drawn(" \xCC\x84", TEXT_TEXT, " <U+0304>");
	assert_drawn("a\n\xCC\x84", TEXT_LINES, "a\n<U+0304>");
	/* An enclosing one, and one that would look like a letter. */
	assert_drawn("x\xE2\x83\x9D", TEXT_TEXT, "x<U+20DD>");
	assert_drawn("e\xCC\x81", TEXT_TEXT, "e<U+0301>");
	assert_drawn("x\xCC\x84", TEXT_STRICT, "x<U+0304>");
}

static void
lines_mode_indents_and_breaks(void **state)
{
	assert_drawn("a\n\tb\n", TEXT_LINES, "a\n        b\n");
	assert_drawn("ab\tc", TEXT_LINES, "ab      c");
	assert_drawn("            deep", TEXT_LINES, "            deep");
	assert_drawn("a            b", TEXT_LINES, "a<SP x 12>b");
	assert_drawn("a\r\nb", TEXT_LINES, "a<U+000D>\nb");
}

static void
without_a_utf8_locale_only_ascii_is_drawn(void **state)
{
	setlocale(LC_ALL, "C");
	assert_drawn("é", TEXT_TEXT, "<U+00E9>");
	setlocale(LC_ALL, "C.UTF-8");
	assert_drawn("é", TEXT_TEXT, "é");
}

static void
source_offsets_cover_the_text_without_gaps(void **state)
{
	static const char source[] = "a\t<U+ \xFF"
				     "e\xCC\x81x\xCC\x84 日          z\n\n\r\n";
	struct text_iter iter;
	struct text_cell cell;
	size_t at = 0;

	for (text_begin(&iter, untrusted_str(source), TEXT_TEXT); text_next(&iter, &cell);) {
		assert_int_equal(cell.source_at, at);
		assert_int_equal(cell.len, strlen(cell.utf8));
		at += cell.source_len;
	}
	assert_int_equal(at, strlen(source));
}

static uint32_t seed = 12345;

static uint32_t
chance(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Pieces that meet the rules at their edges. */
static void
make_text(struct buf *out)
{
	static const char *const pieces[] = { "<", "U", "+", "x", "SP", "SP x", "TAB x", "NL x",
		" ", "    ", "        ", "\t", "\n", "\n\n\n\n\n\n\n\n", "\r", "9B>", "202E>", "a",
		"e", "\xCC\x81", "\xCC\x84", "é", "日", "\xE2\x80\xAE", "\xEF\xBB\xBF", "\xFF",
		"\xC3", "\xE2\x82", "\xF3\xA0\x81\x81", "\033[31m", "1 > 0", "<U+003C>" };
	uint32_t count = chance(12);

	buf_clear(out);
	for (uint32_t i = 0; i < count; i++)
		buf_str(out, pieces[chance(ARRAY_SIZE(pieces))]);
	if (chance(4) == 0)
		buf_byte(out, (char)chance(256));
}

static bool
has_no_tab(const struct buf *text)
{
	return !text->data || !memchr(text->data, '\t', text->len);
}

static void
what_is_drawn_reads_back_to_the_source(void **state)
{
	AUTO_BUF struct buf source, back;

	buf_init(&source, BUF_UNBOUNDED);
	buf_init(&back, BUF_UNBOUNDED);
	for (int round = 0; round < 60000; round++) {
		enum text_mode mode = round % 3;
		AUTO_FREE char *cells = NULL;

		make_text(&source);
		/* A tab in TEXT_LINES is the one thing that is given up. */
		if (mode == TEXT_LINES && !has_no_tab(&source))
			continue;
		cells = drawn(source.len ? source.data : "", source.len, mode);
		buf_clear(&back);
		text_decode(&back, cells ? cells : "", mode);
		if (back.len != source.len ||
			(source.len > 0 && memcmp(back.data, source.data, source.len) != 0))
			fail_msg("mode %d: \"%s\" reads back to something else", mode, cells);
	}
}

static void
two_different_inputs_never_look_the_same(void **state)
{
	AUTO_BUF struct buf one, other;

	buf_init(&one, BUF_UNBOUNDED);
	buf_init(&other, BUF_UNBOUNDED);
	for (int round = 0; round < 40000; round++) {
		enum text_mode mode = round % 2 ? TEXT_TEXT : TEXT_STRICT;
		AUTO_FREE char *first = NULL, *second = NULL;
		size_t at;

		make_text(&one);
		buf_clear(&other);
		buf_put(&other, one.len ? one.data : "", one.len);
		at = chance((uint32_t)one.len + 1);
		if (round % 4 < 2 || one.len == 0)
			buf_byte(&other, (char)(1 + chance(255)));
		else if (at < other.len)
			other.data[at] = (char)(other.data[at] ^ (1 << chance(8)));
		if (one.len == other.len && memcmp(one.data, other.data, one.len) == 0)
			continue;
		first = drawn(one.len ? one.data : "", one.len, mode);
		second = drawn(other.data, other.len, mode);
		assert_string_not_equal(first ? first : "", second ? second : "");
	}
}

static void
counts_are_those_of_the_whole_text(void **state)
{
	static const char source[] = "ab\xE2\x80\xAE\nc\xC3\xA9\xFF";
	struct text_counts counts;

	text_count(untrusted_str(source), TEXT_STRICT, &counts);
	assert_int_equal(counts.bytes, strlen(source));
	assert_int_equal(counts.lines, 2);
	assert_int_equal(counts.non_ascii, 3);
	assert_int_equal(counts.hidden, 1);
	assert_int_equal(counts.escapes, 4); /* LF too */
	text_count(untrusted_str(source), TEXT_TEXT, &counts);
	assert_int_equal(counts.escapes, 3);
	text_count(untrusted_str(""), TEXT_STRICT, &counts);
	assert_int_equal(counts.lines, 0);
	text_count(untrusted_str("a\n"), TEXT_STRICT, &counts);
	assert_int_equal(counts.lines, 1);
}

static void
a_word_of_two_scripts_is_noticed(void **state)
{
	static const struct {
		const char *source;
		bool mixed;
	} cases[] = {
		{ "p\xD0\xB0ypal", true }, /* Cyrillic a */
		{ "\xD0\xB0"
		  "1b",
			true }, /* a digit does not end a word */
		{ "\xCE\xB1"
		  "b",
			true }, /* Greek alpha */
		{ "hello \xD0\xBC\xD0\xB8\xD1\x80", false },
		{ "pay-\xD0\xBC\xD0\xB8\xD1\x80", false },
		{ "Gr\xC3\xBC\xC3\x9F"
		  "e",
			false },
		{ "\xE6\x97\xA5"
		  "abc",
			false }, /* not taken for one another */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text_counts counts;

		text_count(untrusted_str(cases[i].source), TEXT_STRICT, &counts);
		assert_int_equal(counts.mixed_scripts, cases[i].mixed);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strict_mode_emits_printable_ascii_for_every_code_point),
		cmocka_unit_test(text_mode_draws_no_dangerous_code_point_as_itself),
		cmocka_unit_test(text_mode_draws_letters_and_symbols_of_common_scripts),
		cmocka_unit_test(wide_characters_take_two_columns),
		cmocka_unit_test(hidden_characters_are_named_in_both_modes),
		cmocka_unit_test(each_bad_byte_is_named_alone),
		cmocka_unit_test(long_runs_become_counts),
		cmocka_unit_test(spaces_at_an_end_are_counted_however_few),
		cmocka_unit_test(a_literal_token_shows_its_bracket_as_an_escape),
		cmocka_unit_test(a_mark_needs_a_base_and_stands_alone_on_it),
		cmocka_unit_test(lines_mode_indents_and_breaks),
		cmocka_unit_test(without_a_utf8_locale_only_ascii_is_drawn),
		cmocka_unit_test(source_offsets_cover_the_text_without_gaps),
		cmocka_unit_test(what_is_drawn_reads_back_to_the_source),
		cmocka_unit_test(two_different_inputs_never_look_the_same),
		cmocka_unit_test(counts_are_those_of_the_whole_text),
		cmocka_unit_test(a_word_of_two_scripts_is_noticed),
	};

	if (!setlocale(LC_ALL, "C.UTF-8")) {
		printf("1..0 # SKIP there is no locale C.UTF-8\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
