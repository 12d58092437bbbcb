#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/session/replay_fields.h"
#include "core/session/replay_lines.h"
#include "core/session/replay_words.h"

static struct span
span_of(const char *text)
{
	return (struct span){ text, strlen(text) };
}

static const char nested[] =
	"{\"call\":7,\"tried\":[{\"call\":1,\"why\":\"}],\\\"{\"},[[]]],\"reason\":null,"
	"\"tool\":\"a\\u00e4\\n\",\"m\":{\"tool\":\"no\"},\"line\":12}";

static void
members_are_those_of_the_outermost_object(void **state)
{
	static const char *const keys[] = { "call", "tried", "reason", "tool", "m", "line" };
	struct fields it = fields_of(span_of(nested));
	size_t count = 0;

	(void)state;
	while (fields_next(&it)) {
		assert_true(count < ARRAY_SIZE(keys));
		assert_true(span_is(it.key, keys[count], strlen(keys[count])));
		count++;
	}
	assert_int_equal(count, ARRAY_SIZE(keys));
	assert_int_equal(span_number(fields_get(span_of(nested), "call"), 0), 7);
	assert_int_equal(span_number(fields_get(span_of(nested), "line"), 0), 12);
	assert_null(fields_get(span_of(nested), "why").at);
}

static void
elements_are_those_of_the_outermost_array(void **state)
{
	struct fields it = fields_elements(fields_get(span_of(nested), "tried"));

	(void)state;
	assert_true(fields_next_element(&it));
	assert_int_equal(span_number(fields_get(it.value, "call"), 0), 1);
	assert_true(fields_next_element(&it));
	assert_true(SPAN_IS(it.value, "[[]]"));
	assert_false(fields_next_element(&it));
	it = fields_elements(span_of("{}"));
	assert_false(fields_next_element(&it));
}

static void
texts_are_what_the_json_reader_makes_of_them(void **state)
{
	static const char *const texts[] = { "\"\"", "\"plain\"", "\"a\\u00e4\\n\\\"\\\\\"",
		"\"\\ud83d\\ude00\"", "\"a\\u0000b\"", "12", "null", "\"open", "\"\\x\"" };
	struct buf room;

	(void)state;
	buf_init(&room, BUF_UNBOUNDED);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_FREE char *object = mem_printf("{\"k\":%s}", texts[i]);
		AUTO_JSON struct json *json = json_read(object, strlen(object), NULL);
		const char *expected = json ? json_text(json_root(json), "k") : NULL;
		struct span text = span_text(span_of(texts[i]), &room);

		if (expected)
			assert_true(span_is(text, expected, strlen(expected)));
		else
			assert_null(text.at);
	}
	buf_release(&room);
}

static void
numbers_are_what_the_fold_makes_of_them(void **state)
{
	(void)state;
	assert_int_equal(span_number(span_of("0"), 5), 0);
	assert_int_equal(span_number(span_of("-0"), 5), 0);
	assert_int_equal(span_number(span_of("9223372036854775807"), 5), INT64_MAX);
	assert_int_equal(span_number(span_of("9223372036854775808"), 5), 5);
	assert_int_equal(span_number(span_of("-1"), 5), 5);
	assert_int_equal(span_number(span_of("1.0"), 5), 5);
	assert_int_equal(span_number(span_of("1e3"), 5), 5);
	assert_int_equal(span_number(span_of("null"), 5), 5);
	assert_int_equal(span_number((struct span){ NULL, 0 }, 5), 5);
}

/* Each copy ends where its memory does. */
static void
an_object_cut_anywhere_is_gone_through_to_its_end(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(nested); len++) {
		AUTO_FREE char *cut = mem_grow(NULL, len, 1);
		struct fields it;

		memcpy(cut, nested, len);
		it = fields_of((struct span){ cut, len });
		while (fields_next(&it))
			assert_true(it.value.at + it.value.len <= cut + len);
	}
}

static void
a_word_has_one_number_however_many_there_are(void **state)
{
	struct words words;
	uint32_t numbers[2000];
	char text[16];

	(void)state;
	words_init(&words);
	assert_int_equal(words_add(&words, NULL, 0), 0);
	assert_null(words_text(&words, 0));
	for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
		snprintf(text, sizeof(text), "word %u", i);
		numbers[i] = words_add(&words, text, strlen(text));
	}
	for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
		snprintf(text, sizeof(text), "word %u", i);
		assert_int_equal(words_add(&words, text, strlen(text)), numbers[i]);
		assert_string_equal(words_text(&words, numbers[i]), text);
	}
	assert_int_not_equal(words_add(&words, "word 1", 5), numbers[1]);
	assert_string_equal(words_text(&words, words_add(&words, "", 0)), "");
	words_release(&words);
}

static void
calls_are_counted_by_tool_and_line_within_an_attempt(void **state)
{
	struct replay_lines lines = { 0 };

	(void)state;
	for (int32_t line = 0; line < 300; line++) {
		assert_int_equal(replay_lines_nth(&lines, 1, line, 1), 1);
		assert_int_equal(replay_lines_nth(&lines, 1, line, 2), 1);
	}
	for (int32_t line = 0; line < 300; line++)
		assert_int_equal(replay_lines_nth(&lines, 1, line, 1), 2);
	assert_int_equal(replay_lines_nth(&lines, 2, 5, 1), 1);
	assert_int_equal(replay_lines_nth(&lines, 2, 5, 1), 2);
	assert_int_equal(replay_lines_nth(&lines, 1, 5, 1), 1);
	replay_lines_release(&lines);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_those_of_the_outermost_object),
		cmocka_unit_test(elements_are_those_of_the_outermost_array),
		cmocka_unit_test(texts_are_what_the_json_reader_makes_of_them),
		cmocka_unit_test(numbers_are_what_the_fold_makes_of_them),
		cmocka_unit_test(an_object_cut_anywhere_is_gone_through_to_its_end),
		cmocka_unit_test(a_word_has_one_number_however_many_there_are),
		cmocka_unit_test(calls_are_counted_by_tool_and_line_within_an_attempt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
