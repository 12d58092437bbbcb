#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/model/payload.h"

/* The deltas, each the value of a JSON text, joined as one stream. */
static void
assert_joined(const char *const *deltas, const char *wanted)
{
	AUTO_BUF struct buf out;
	struct payload_join join = { 0 };

	buf_init(&out, 10000);
	for (; *deltas; deltas++) {
		AUTO_FREE char *json = mem_printf("{\"t\":\"%s\"}", *deltas);
		json_t *object = payload_read(json, strlen(json), NULL);
		size_t len;
		const char *text = payload_str(object, "t", &len);

		assert_non_null(text);
		payload_text(&join, text, len, &out);
		assert_true(out.len == 0 || text_is_utf8(out.data, out.len));
		json_decref(object);
	}
	payload_rest(&join, &out);
	buf_byte(&out, '\0');
	assert_string_equal(out.data, wanted);
}

#define JOINED(wanted, ...) assert_joined((const char *const[]){ __VA_ARGS__, NULL }, wanted)

static void
halves_of_a_pair_join_over_deltas(void **state)
{
	(void)state;
	JOINED("\xf0\x9f\x98\x80", "\\ud83d\\ude00");
	JOINED("a\xf0\x9f\x98\x80"
	       "b",
		"a\\ud83d", "\\ude00b");
	JOINED("\xf0\x9f\x98\x80", "\\uD83D", "", "\\uDE00");
	JOINED("\xf0\x9f\x98\x80\xf0\x9f\x98\x81", "\\ud83d", "\\ude00\\ud83d", "\\ude01");
}

static void
half_a_pair_alone_is_the_replacement(void **state)
{
	(void)state;
	JOINED("a\xef\xbf\xbd"
	       "b",
		"a\\ud83d", "b");
	JOINED("\xef\xbf\xbd"
	       "a",
		"\\ude00a");
	JOINED("a\xef\xbf\xbd", "a\\ud83d");
	JOINED("\xef\xbf\xbd\xf0\x9f\x98\x80", "\\ud83d\\ud83d\\ude00");
	JOINED("\xef\xbf\xbd"
	       "A",
		"\\ud83d\\u0041");
}

static void
an_escaped_backslash_begins_no_escape(void **state)
{
	(void)state;
	JOINED("\\ud83d", "\\\\ud83d");
	JOINED("\"\\u", "\\\"\\\\u");
}

static void
what_is_no_utf_8_is_the_replacement(void **state)
{
	(void)state;
	JOINED("a\xef\xbf\xbd"
	       "b",
		"a\xff"
		"b");
	JOINED("\xef\xbf\xbd\xef\xbf\xbd", "\xe2\x82");
	JOINED("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "\xed\xa0\xbd");
}

static void
a_nul_is_a_character_like_others(void **state)
{
	static const char text[] = "{\"t\":\"a\\u0000b\"}";
	json_t *object = payload_read(text, strlen(text), NULL);
	size_t len = 0;

	(void)state;
	assert_memory_equal(payload_str(object, "t", &len), "a\0b", 3);
	assert_int_equal(len, 3);
	/* As a word it would be cut. */
	assert_null(payload_word(object, "t"));
	json_decref(object);
}

static void
no_number_is_too_large_for_its_neighbours(void **state)
{
	static const char text[] = "{\"big\":123456789012345678901234567890,\"n\":7,\"minus\":-1,"
				   "\"half\":1.5,\"text\":\"7\",\"none\":null}";
	json_t *object = payload_read(text, strlen(text), NULL);

	(void)state;
	assert_non_null(object);
	assert_int_equal(payload_count(object, "n"), 7);
	assert_int_equal(payload_count(object, "half"), 1);
	assert_int_equal(payload_count(object, "big"), -1);
	assert_int_equal(payload_count(object, "minus"), -1);
	assert_int_equal(payload_count(object, "text"), -1);
	assert_int_equal(payload_count(object, "none"), -1);
	assert_int_equal(payload_count(object, "absent"), -1);
	json_decref(object);
}

static void
look_ups_take_whatever_there_is(void **state)
{
	json_t *list = payload_read("[1]", 3, NULL);
	size_t len = 9;

	(void)state;
	assert_null(payload_get(NULL, "a"));
	assert_null(payload_get(list, "a"));
	assert_null(payload_str(list, "a", &len));
	assert_int_equal(len, 0);
	assert_null(payload_word(NULL, "a"));
	assert_int_equal(payload_count(NULL, "a"), -1);
	json_decref(list);
}

static void
what_is_no_json_is_refused(void **state)
{
	static const char *const texts[] = { "", " ", "{", "{}{}", "{} x", "{\"a\":1,}", "{'a':1}",
		"\"\\ud8\"", "\"\\x\"", "{\"a\\u0000b\":1}", "{\"a\":NaN}", "\xff{}", "\"a\nb\"" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err err = { 0 };

		assert_null(payload_read(texts[i], strlen(texts[i]), &err));
		assert_int_equal(err.kind, ERR_FORMAT);
		assert_true(err.text[0] != '\0');
	}
}

static void
a_beginning_is_told_from_what_is_wrong(void **state)
{
	static const char whole[] = "{\"a\":[\"}\\\"]\\\\\",{\"b\":true}]}";

	(void)state;
	for (size_t len = 1; len < strlen(whole); len++)
		assert_true(payload_is_cut(whole, len));
	assert_false(payload_is_cut(whole, strlen(whole)));
	assert_false(payload_is_cut("{}{", 3));
	assert_false(payload_is_cut("}{", 2));
	assert_false(payload_is_cut("x", 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_of_a_pair_join_over_deltas),
		cmocka_unit_test(half_a_pair_alone_is_the_replacement),
		cmocka_unit_test(an_escaped_backslash_begins_no_escape),
		cmocka_unit_test(what_is_no_utf_8_is_the_replacement),
		cmocka_unit_test(a_nul_is_a_character_like_others),
		cmocka_unit_test(no_number_is_too_large_for_its_neighbours),
		cmocka_unit_test(look_ups_take_whatever_there_is),
		cmocka_unit_test(what_is_no_json_is_refused),
		cmocka_unit_test(a_beginning_is_told_from_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
