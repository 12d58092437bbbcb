#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/strict.h"

static int
read_text(const char *text, size_t len, struct err *err)
{
	struct strict_tape tape = { 0 };
	int result = strict_read(text, len, &tape, err);

	strict_tape_release(&tape);
	return result;
}

static void
assert_refused(const char *text, size_t len, const char *where)
{
	struct err err = { 0 };

	if (read_text(text, len, &err) == 0)
		fail_msg("accepted: %s", text);
	if (strncmp(err.text, where, strlen(where)) != 0)
		fail_msg("%s: expected %s, got %s", text, where, err.text);
}

static void
assert_accepted(const char *text)
{
	struct err err = { 0 };

	if (read_text(text, strlen(text), &err) < 0)
		fail_msg("refused: %s: %s", text, err.text);
}

static void
what_rfc_8259_allows_is_accepted(void **state)
{
	static const char *const good[] = { "null", " \t\r\n[ ] ", "{}", "\"\"", "-0", "0", "10.50",
		"1E+2", "-1e-2", "{\"a\":[1,{\"b\":null}],\"c\":true,\"d\":false}",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\uD834\\uDD1E\\uffff\"",
		"\"\x7f\xc3\xa9\xf0\x9d\x84\x9e\"", "{\"a\":{\"a\":1},\"b\":{\"a\":1}}",
		"[{\"a\":1},{\"a\":1}]", "{\"\":1,\"\\u0000\":2}" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_accepted(good[i]);
}

static void
what_is_refused_says_where_and_what_would_do(void **state)
{
	static const char *const bad[][2] = {
		{ "", "1:1: expected null, true, false, a number, a string, \"[\" or \"{\"" },
		{ " \n  ", "2:3: expected null" },
		{ "[1,\n2,]", "2:3: expected null" },
		{ "[1 2]", "1:4: expected \",\" or \"]\" after an element" },
		{ "{\"a\":1 \"b\":2}", "1:8: expected \",\" or \"}\" after a member" },
		{ "{\"a\":1,}", "1:8: expected a member name in double quotes" },
		{ "{a:1}", "1:2: expected a member name in double quotes" },
		{ "{\"a\" 1}", "1:6: expected \":\" after a member name" },
		{ "[1]]", "1:4: more text after the one value" },
		{ "1 2", "1:3: more text after the one value" },
		{ "\"abc", "1:1: the string that begins here does not end" },
		{ "[\"a\tb\"]", "1:4: a control character in a string" },
		{ "\"\\x\"", "1:2: no such escape" },
		{ "\"\\u12g4\"", "1:2: no such escape" },
		{ "\"\\", "1:2: no such escape" },
		{ "\"\\ud800\"", "1:2: half of a surrogate pair" },
		{ "\"\\udc00\"", "1:2: half of a surrogate pair" },
		{ "\"\\ud800\\ud800\"", "1:2: half of a surrogate pair" },
		{ "\"\xff\"", "1:2: bytes that are not UTF-8" },
		{ "\"\xc0\x80\"", "1:2: bytes that are not UTF-8" },
		{ "\"\xed\xa0\x80\"", "1:2: bytes that are not UTF-8" },
		{ "\"\xf4\x90\x80\x80\"", "1:2: bytes that are not UTF-8" },
		{ "\"\xc3\"", "1:2: bytes that are not UTF-8" },
		{ "\xef\xbb\xbf{}", "1:1: a byte order mark" },
		{ "01", "1:2: a digit after a leading 0" },
		{ "-", "1:2: expected a digit" },
		{ "1.", "1:3: expected a digit" },
		{ "1e+", "1:4: expected a digit" },
		{ "+1", "1:1: expected null" },
		{ "NaN", "1:1: expected null" },
		{ "-Infinity", "1:2: expected a digit" },
		{ "nul", "1:1: expected null" },
		{ "truE", "1:1: expected null" },
		{ "[\n 1e999]", "2:2: a number beyond the range of a double" },
		{ "-1e-999", "1:1: a number too close to 0 for a double" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_refused(bad[i][0], strlen(bad[i][0]), bad[i][1]);
	assert_refused("[\0]", 3, "1:2: expected null");
	assert_refused("1\0", 2, "1:2: more text");
}

static void
every_prefix_of_a_document_is_refused_without_reading_past_it(void **state)
{
	static const char whole[] =
		"{\"a\\u00e9\":[1.5e3,\"\\ud834\\udd1e\xc3\xa9\",true],\"b\":null}";

	(void)state;
	for (size_t len = 0; len < sizeof(whole) - 1; len++) {
		AUTO_FREE char *exact = mem_grow(NULL, len, 1);

		memcpy(exact, whole, len);
		assert_int_equal(read_text(exact, len, NULL), -1);
	}
	assert_accepted(whole);
}

static void
whole_numbers_pass_at_any_length_and_others_only_where_a_double_holds_them(void **state)
{
	static const char *const good[] = { "123456789012345678901234567890",
		"0e999999999999999999999", "-0.0e-99999", "1.7976931348623157e308",
		"1.7976931348623158e308", "5e-324", "2.4703282292062328e-324",
		"0.00000000000000000000000000000000001e340" };
	static const char *const bad[] = { "1.7976931348623159e308", "1e309",
		"2.4703282292062327e-324", "1e-324", "1e99999999999999999999",
		"1e-99999999999999999999", "1000000000000000000000000000000000e290" };
	AUTO_BUF struct buf long_one;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_accepted(good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_refused(bad[i], strlen(bad[i]), "1:1: a number ");
	buf_init(&long_one, BUF_UNBOUNDED);
	for (int i = 0; i < 5000; i++)
		buf_str(&long_one, "9");
	assert_accepted(long_one.data);
	buf_str(&long_one, ".5");
	assert_refused(long_one.data, long_one.len, "1:1: a number beyond");
}

static void
nesting_ends_at_64(void **state)
{
	char text[131];

	(void)state;
	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	text[128] = '\0';
	assert_accepted(text);
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	text[130] = '\0';
	assert_refused(text, 130, "1:65: nested deeper than 64");
}

static void
names_that_are_the_same_character_by_character_after_nfc_are_duplicates(void **state)
{
	static const char *const twice[] = {
		"{\"a\":1,\"a\":1}",
		"{\"a\":1,\"b\":{},\"\\u0061\":2}",
		"{\"\\u00e9\":1,\"e\\u0301\":2}",
		"{\"\xc3\xa9\":1,\"e\xcc\x81\":2}",
		"{\"q\\u0323\\u0307\":1,\"q\\u0307\\u0323\":2}",
		"{\"\\uac00\":1,\"\\u1100\\u1161\":2}",
		"{\"\xe2\x84\xab\":1,\"\xc3\x85\":2}",
		"{\"\":1,\"\":1}",
	};
	static const char *const once[] = {
		"{\"a\":1,\"A\":1}",
		"{\"\\ufb01\":1,\"fi\":2}",
		"{\"q\\u0301\\u0300\":1,\"q\\u0300\\u0301\":2}",
		"{\"ab\":1,\"a\":2,\"b\":3}",
		"{\"\\u0000\":1,\"\\u0000\\u0000\":2}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(twice); i++)
		assert_int_equal(read_text(twice[i], strlen(twice[i]), NULL), -1);
	assert_refused(twice[1], strlen(twice[1]), "1:15: a member name that stands earlier");
	for (size_t i = 0; i < ARRAY_SIZE(once); i++)
		assert_accepted(once[i]);
}

/* An object of count members; the last name is that of member `same`. */
static void
put_members(struct buf *out, int count, int same, const char *prefix)
{
	buf_str(out, "{");
	for (int i = 0; i < count; i++)
		buf_printf(out, "\"%s%d\":%d,", prefix, i, i);
	buf_printf(out, "\"%s%d\":0}", prefix, same);
}

static void
large_objects_are_held_to_the_same_rule_in_reasonable_time(void **state)
{
	static const char *const prefixes[] = { "", "\\u00e9", "\xc3\xa9" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		AUTO_BUF struct buf good;
		AUTO_BUF struct buf bad;

		buf_init(&good, BUF_UNBOUNDED);
		buf_init(&bad, BUF_UNBOUNDED);
		put_members(&good, 50000, 50000, prefixes[i]);
		put_members(&bad, 50000, 31234, prefixes[i]);
		assert_accepted(good.data);
		assert_refused(bad.data, bad.len, "1:");
	}
}

static void
a_long_run_of_marks_in_no_order_costs_no_more_than_sorting_it(void **state)
{
	AUTO_BUF struct buf text;

	(void)state;
	buf_init(&text, BUF_UNBOUNDED);
	buf_str(&text, "{\"b\":1,\"a");
	for (int i = 0; i < 100000; i++)
		buf_str(&text, i % 2 ? "\xcc\xa3" : "\xcc\x81");
	buf_str(&text, "\":2}");

	assert_accepted(text.data);
}

static void
the_tape_holds_spans_counts_and_where_to_go_on(void **state)
{
	static const char text[] = " {\"a\\n\": [1, true], \"\xc3\xa9\": {}}";
	struct strict_tape tape = { 0 };
	const struct strict_node *nodes;

	(void)state;
	assert_int_equal(strict_read(text, sizeof(text) - 1, &tape, NULL), 0);
	nodes = tape.nodes;
	assert_int_equal(tape.count, 7);
	assert_int_equal(nodes[0].kind, JSON_OBJECT);
	assert_int_equal(nodes[0].start, 1);
	assert_int_equal(nodes[0].len, sizeof(text) - 2);
	assert_int_equal(nodes[0].count, 2);
	assert_int_equal(nodes[0].next, 7);
	assert_int_equal(nodes[1].kind, JSON_STRING);
	assert_memory_equal(text + nodes[1].start, "\"a\\n\"", nodes[1].len);
	assert_int_equal(nodes[1].count, 2);
	assert_true(nodes[1].escaped && !nodes[1].non_ascii);
	assert_int_equal(nodes[2].kind, JSON_ARRAY);
	assert_int_equal(nodes[2].count, 2);
	assert_int_equal(nodes[2].next, 5);
	assert_int_equal(nodes[3].kind, JSON_NUMBER);
	assert_int_equal(nodes[4].kind, JSON_TRUE);
	assert_true(!nodes[5].escaped && nodes[5].non_ascii);
	assert_int_equal(nodes[6].kind, JSON_OBJECT);
	strict_tape_release(&tape);
}

static void
compacting_removes_white_space_outside_strings_only(void **state)
{
	static const char text[] = " {\t\"a \\\" b\" :\r\n[ 1 , \"\\\\\" , \" \" ] } ";
	AUTO_BUF struct buf out;

	(void)state;
	buf_init(&out, 100);
	strict_compact(text, sizeof(text) - 1, &out);

	assert_string_equal(out.data, "{\"a \\\" b\":[1,\"\\\\\",\" \"]}");
}

static void
positions_count_lines_and_bytes_from_one(void **state)
{
	static const char text[] = "ab\n\nc\xc3\xa9"
				   "d";
	unsigned line;
	unsigned column;

	(void)state;
	strict_position(text, 0, &line, &column);
	assert_int_equal(line * 100 + column, 101);
	strict_position(text, 2, &line, &column);
	assert_int_equal(line * 100 + column, 103);
	strict_position(text, 7, &line, &column);
	assert_int_equal(line * 100 + column, 304);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_rfc_8259_allows_is_accepted),
		cmocka_unit_test(what_is_refused_says_where_and_what_would_do),
		cmocka_unit_test(every_prefix_of_a_document_is_refused_without_reading_past_it),
		cmocka_unit_test(
			whole_numbers_pass_at_any_length_and_others_only_where_a_double_holds_them),
		cmocka_unit_test(nesting_ends_at_64),
		cmocka_unit_test(
			names_that_are_the_same_character_by_character_after_nfc_are_duplicates),
		cmocka_unit_test(large_objects_are_held_to_the_same_rule_in_reasonable_time),
		cmocka_unit_test(a_long_run_of_marks_in_no_order_costs_no_more_than_sorting_it),
		cmocka_unit_test(the_tape_holds_spans_counts_and_where_to_go_on),
		cmocka_unit_test(compacting_removes_white_space_outside_strings_only),
		cmocka_unit_test(positions_count_lines_and_bytes_from_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
