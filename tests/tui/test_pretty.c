#include "config.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/json.h"
#include "core/base/strict.h"
#include "tui/pretty.h"

static const char *const texts[] = {
	"{}", "[]", "null", "{\"a\":1}", "{\"a\":[],\"b\":{}}",
	"{\"n\":123456789012345678901234567890,\"e\":1.50E+3,\"z\":-0,\"f\":0.10}",
	"{\"s\":\"a\\nb\\u0041\\/\\\"\",\"\\u006bey\":[true,false,null,[[1],[]],{\"x\":{\"y\":2}}]}"
};

static void
lay_out(const char *text, bool flat, struct buf *out)
{
	AUTO_JSON struct json *json = json_read(text, strlen(text), NULL);

	assert_non_null(json);
	buf_init(out, BUF_UNBOUNDED);
	if (flat)
		pretty_line(json_root(json), out);
	else
		pretty_json(json_root(json), out);
}

static void
only_white_space_is_added(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (int flat = 0; flat < 2; flat++) {
			AUTO_BUF struct buf pretty;
			AUTO_BUF struct buf compact;

			lay_out(texts[i], flat, &pretty);
			buf_init(&compact, BUF_UNBOUNDED);
			strict_compact(pretty.data, pretty.len, &compact);
			assert_string_equal(compact.data, texts[i]);
		}
}

static void
each_member_has_a_line(void **state)
{
	AUTO_BUF struct buf out;

	(void)state;
	lay_out("{\"name\":\"Ada\",\"days\":[1,2],\"none\":{}}", false, &out);
	assert_string_equal(out.data, "{\n"
				      "  \"name\": \"Ada\",\n"
				      "  \"days\": [\n"
				      "    1,\n"
				      "    2\n"
				      "  ],\n"
				      "  \"none\": {}\n"
				      "}\n");
}

static void
what_a_screen_does_not_show_becomes_an_escape_of_the_same_value(void **state)
{
	static const char text[] =
		"{\"a\":\"x\u202ey\u200b\U000e0041\u00e9\",\"\u2066k\":\"\xc2\x9b\"}";
	AUTO_JSON struct json *before = json_read(text, strlen(text), NULL);
	AUTO_JSON struct json *after = NULL;
	AUTO_BUF struct buf out;

	(void)state;
	lay_out(text, true, &out);
	assert_string_equal(out.data, "{\"a\": \"x\\u202ey\\u200b\\udb40\\udc41\u00e9\", "
				      "\"\\u2066k\": \"\\u009b\"}");
	after = json_read(out.data, out.len, NULL);
	assert_true(json_equal(json_root(before), json_root(after)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_white_space_is_added),
		cmocka_unit_test(each_member_has_a_line),
		cmocka_unit_test(what_a_screen_does_not_show_becomes_an_escape_of_the_same_value),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
