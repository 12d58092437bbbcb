#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/net/sse.h"

/* Lines of text, each ended by LF, as events: "name=data;", "name!data;" for an error field, and
 * "(name=data)" for one that no blank line ended. */
static void
assert_events(const char *text, const char *wanted)
{
	AUTO_BUF struct buf out;
	struct sse sse;

	buf_init(&out, 10000);
	sse_init(&sse, 30);
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		enum sse_got got = sse_line(&sse, text, (size_t)(end - text));

		if (got == SSE_LONG)
			buf_str(&out, "LONG");
		else if (got == SSE_EVENT)
			buf_printf(&out, "%s%c%.*s;", sse.name, sse.error ? '!' : '=',
				(int)sse.data.len, sse.data.data);
	}
	if (sse_rest(&sse))
		buf_printf(&out, "(%s=%.*s)", sse.name, (int)sse.data.len, sse.data.data);
	buf_byte(&out, '\0');
	assert_string_equal(out.data, wanted);
	sse_release(&sse);
}

static void
a_blank_line_gives_the_event(void **state)
{
	(void)state;
	assert_events("data: a\n\ndata: b\n\n", "=a;=b;");
	assert_events("event: x\ndata: a\n\ndata: b\n\n", "x=a;=b;");
	assert_events("data: a\nevent: x\n\n", "x=a;");
}

static void
one_space_after_the_colon_is_no_part_of_the_value(void **state)
{
	(void)state;
	assert_events("data:a\n\ndata: a\n\ndata:  a\n\ndata: a:b\n\n", "=a;=a;= a;=a:b;");
}

static void
data_lines_are_joined_by_a_line_feed(void **state)
{
	(void)state;
	assert_events("data: a\ndata: b\n\n", "=a\nb;");
	assert_events("data: a\ndata\n\n", "=a\n;");
	assert_events("data: a\n: comment\ndata: b\n\n", "=a\nb;");
}

static void
an_event_without_data_is_none(void **state)
{
	(void)state;
	assert_events("\n\n: comment\n\nevent: x\n\ndata:\n\ndata\n\nid: 1\nretry: 2\n\n", "");
	assert_events("event: x\n\ndata: a\n\n", "=a;");
}

static void
unknown_fields_are_passed_over(void **state)
{
	(void)state;
	assert_events("nonsense\nother: x\n data: y\nData: z\ndata: a\n\n", "=a;");
}

static void
an_error_field_stands_for_data_and_is_marked(void **state)
{
	(void)state;
	assert_events("error: {}\n\ndata: a\n\n", "!{};=a;");
}

static void
an_event_that_nothing_ended_is_told_apart(void **state)
{
	(void)state;
	assert_events("data: a\n\ndata: b\n", "=a;(=b)");
	assert_events("data: a\n\n", "=a;");
	assert_events("data:\n", "");
}

static void
data_beyond_the_ceiling_is_not_cut(void **state)
{
	(void)state;
	assert_events(
		"data: 123456789012345678901234567890\n\n", "=123456789012345678901234567890;");
	assert_events("data: 1234567890123456789012345678901\n", "LONG");
	assert_events("data: 123456789012345\ndata: 123456789012345\n", "LONG(=123456789012345\n)");
}

static void
a_long_name_is_cut_and_no_more(void **state)
{
	struct sse sse;
	char line[200] = "event: ";

	(void)state;
	memset(line + 7, 'x', 100);
	sse_init(&sse, 30);
	assert_int_equal(sse_line(&sse, line, 107), SSE_NOTHING);
	assert_int_equal(strlen(sse.name), SSE_NAME_SIZE - 1);
	sse_release(&sse);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_blank_line_gives_the_event),
		cmocka_unit_test(one_space_after_the_colon_is_no_part_of_the_value),
		cmocka_unit_test(data_lines_are_joined_by_a_line_feed),
		cmocka_unit_test(an_event_without_data_is_none),
		cmocka_unit_test(unknown_fields_are_passed_over),
		cmocka_unit_test(an_error_field_stands_for_data_and_is_marked),
		cmocka_unit_test(an_event_that_nothing_ended_is_told_apart),
		cmocka_unit_test(data_beyond_the_ceiling_is_not_cut),
		cmocka_unit_test(a_long_name_is_cut_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
