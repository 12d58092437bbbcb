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
#include "core/base/json.h"
#include "core/base/jsonout.h"
#include "core/base/utf8.h"

static void
commas_stand_between_values_and_nowhere_else(void **state)
{
	AUTO_BUF struct buf buf;
	struct jsonout out;

	(void)state;
	buf_init(&buf, BUF_UNBOUNDED);
	jsonout_init(&out, &buf);
	jsonout_object(&out);
	jsonout_key_str(&out, "a", "x");
	jsonout_key(&out, "b");
	jsonout_array(&out);
	jsonout_int(&out, INT64_MIN);
	jsonout_object(&out);
	jsonout_object_end(&out);
	jsonout_array(&out);
	jsonout_array_end(&out);
	jsonout_raw(&out, "{\"r\":1}", 7);
	jsonout_null(&out);
	jsonout_array_end(&out);
	jsonout_key_bool(&out, "c", true);
	jsonout_key_int(&out, "d", 0);
	jsonout_key_str(&out, "e", NULL);
	jsonout_object_end(&out);

	assert_string_equal(buf.data, "{\"a\":\"x\",\"b\":[-9223372036854775808,{},[],{\"r\":1},"
				      "null],\"c\":true,\"d\":0,\"e\":null}");
}

/* What jsonout_strn() or, with raw, jsonout_raw() makes of the bytes. */
static char *
written(const char *bytes, size_t len, bool raw)
{
	AUTO_BUF struct buf buf;
	struct jsonout out;

	buf_init(&buf, BUF_UNBOUNDED);
	jsonout_init(&out, &buf);
	if (raw)
		jsonout_raw(&out, bytes, len);
	else
		jsonout_strn(&out, bytes, len);
	return buf_give(&buf);
}

static void
assert_written(const char *bytes, size_t len, const char *expected)
{
	char *text = written(bytes, len, false);

	assert_string_equal(text, expected);
	free(text);
}

static void
escapes_are_the_canonical_ones(void **state)
{
	(void)state;
	assert_written("\"\\/\b\f\n\r\t", 8, "\"\\\"\\\\/\\b\\f\\n\\r\\t\"");
	assert_written("a\0\x1f\x7f", 4, "\"a\\u0000\\u001f\\u007f\"");
	assert_written("\xc3\xa9\xe2\x80\xae", 5, "\"\\u00e9\\u202e\"");
	assert_written("\xf0\x9d\x84\x9e", 4, "\"\\ud834\\udd1e\"");
	assert_written("", 0, "\"\"");
}

static void
a_byte_that_is_no_utf8_becomes_a_replacement_character(void **state)
{
	(void)state;
	assert_written("a\xff"
		       "b",
		3, "\"a\\ufffdb\"");
	assert_written("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"");
	assert_written("\xe2\x82", 2, "\"\\ufffd\\ufffd\"");
}

static void
raw_json_keeps_its_bytes_but_for_what_is_not_ascii(void **state)
{
	static const char json[] = "{\"\xc3\xa9\":\"a\\n\x7f\"}";
	char *text = written(json, sizeof(json) - 1, true);

	(void)state;
	assert_string_equal(text, "{\"\\u00e9\":\"a\\n\\u007f\"}");
	free(text);
}

static void
assert_reads_back(const char *bytes, size_t len)
{
	char *text = written(bytes, len, false);
	struct err err = { 0 };
	AUTO_JSON struct json *json = json_read(text, strlen(text), &err);
	const char *back;
	size_t back_len;

	for (const char *at = text; *at; at++)
		assert_in_range(*at, 0x20, 0x7E);
	assert_non_null(json);
	back = json_string(json_root(json), &back_len);
	assert_int_equal(back_len, len);
	assert_memory_equal(back, bytes, len);
	free(text);
}

static void
every_character_reads_back_as_itself(void **state)
{
	char bytes[6] = "x";

	(void)state;
	for (uint32_t code = 0; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 251) {
		unsigned size;

		if (code >= 0xD800 && code < 0xE000)
			continue;
		size = utf8_encode(code, bytes + 1);
		bytes[1 + size] = 'y';
		assert_reads_back(bytes, size + 2);
	}
	assert_reads_back("\xf4\x8f\xbf\xbf", 4);
}

static void
escapes_and_runs_of_any_length_follow_each_other(void **state)
{
	char bytes[2600];

	(void)state;
	for (size_t escapes = 165; escapes < 175; escapes++) {
		for (size_t run = 0; run < 1100; run += 11) {
			memset(bytes, 'r', sizeof(bytes));
			for (size_t i = 0; i < escapes; i++)
				memcpy(bytes + 2 * i, "\xc3\xa9", 2);
			bytes[2 * escapes + run] = '\n';
			assert_reads_back(bytes, 2 * escapes + run + 100);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_stand_between_values_and_nowhere_else),
		cmocka_unit_test(escapes_are_the_canonical_ones),
		cmocka_unit_test(a_byte_that_is_no_utf8_becomes_a_replacement_character),
		cmocka_unit_test(raw_json_keeps_its_bytes_but_for_what_is_not_ascii),
		cmocka_unit_test(every_character_reads_back_as_itself),
		cmocka_unit_test(escapes_and_runs_of_any_length_follow_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
