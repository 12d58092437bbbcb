/* What a launcher and a supervisor say to each other; nothing is started. */
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
#include "core/run/configuration.h"
#include "tests/run/scratch.h"
#include "tui/cmd/launch.h"

static struct scratch scratch;

static int
begin(void **state)
{
	(void)state;
	scratch_begin(&scratch);
	return 0;
}

static int
end(void **state)
{
	(void)state;
	scratch_end(&scratch);
	return 0;
}

static struct json *
line_of(struct launch_request *request)
{
	struct config_request none = { .max_tool_calls = -1 };
	struct config *config = config_load(&none, NULL);
	AUTO_BUF struct buf line;
	struct json *json;

	buf_init(&line, BUF_UNBOUNDED);
	request->config = config;
	launch_line(request, &line);
	assert_null(memchr(line.data, '\n', line.len));
	json = json_read(line.data, line.len, NULL);
	assert_non_null(json);
	config_free(config);
	return json;
}

static void
a_program_is_sent_whole(void **state)
{
	static const char text[] = "print(\"\xc3\xa9\")\n\0x";
	struct launch_request request = { .base = "p",
		.program_name = "p.py",
		.program = untrusted(text, sizeof(text) - 1),
		.no_ask = true };
	AUTO_JSON struct json *json = line_of(&request);
	struct json_value root = json_root(json);
	size_t len;
	const char *sent = json_string(json_get(json_get(root, "program"), "text"), &len);

	(void)state;
	assert_true(json_is(json_get(root, "mode"), "program"));
	assert_int_equal(len, sizeof(text) - 1);
	assert_memory_equal(sent, text, len);
	assert_int_equal(json_kind(json_get(root, "call")), JSON_NULL);
	assert_int_equal(json_kind(json_get(root, "record")), JSON_NULL);
	assert_true(json_bool(json_get(root, "no_ask"), false));
	assert_int_equal(json_kind(json_get(root, "config")), JSON_OBJECT);
}

static void
a_call_is_sent_with_its_arguments_as_they_stand(void **state)
{
	struct launch_request request = {
		.base = "p", .tool = "kit.peek", .arguments = "{\"n\":1.50}", .record = "/r"
	};
	AUTO_JSON struct json *json = line_of(&request);
	struct json_value call = json_get(json_root(json), "call");
	size_t len;
	const char *source = json_source(json_get(call, "arguments"), &len);

	(void)state;
	assert_true(json_is(json_get(json_root(json), "mode"), "call"));
	assert_true(json_is(json_get(call, "tool"), "kit.peek"));
	assert_int_equal(len, 10);
	assert_memory_equal(source, "{\"n\":1.50}", 10);
}

static int
answer(const char *line, struct launch_session *session, int *code, struct err *err)
{
	return launch_answer(line, strlen(line), session, code, err);
}

static void
an_answer_is_a_session_or_an_error_with_its_code(void **state)
{
	struct launch_session session = { 0 };
	struct err err = { 0 };
	int code = 0;

	(void)state;
	assert_int_equal(
		answer("{\"ready\":1,\"id\":\"0123456789abcdef0123456789abcdef\",\"name\":\"p-1\","
		       "\"record\":\"/r\"}\n",
			&session, &code, &err),
		0);
	assert_string_equal(session.name, "p-1");
	launch_release(&session);

	assert_int_equal(
		answer("{\"error\":\"no user namespace\",\"exit\":5}", &session, &code, &err), -1);
	assert_int_equal(code, 5);
	assert_string_equal(err.text, "no user namespace");
}

static void
no_answer_is_a_failure(void **state)
{
	static const char *const lines[] = { "", "{}", "{\"ready\":1}",
		"{\"ready\":1,\"id\":\"1\"}",
		"{\"ready\":1,\"id\":\"0123456789abcdef0123456789abcdef\"", "x" };
	struct launch_session session = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct err err = { 0 };
		int code = 0;

		assert_int_equal(answer(lines[i], &session, &code, &err), -1);
		assert_int_equal(code, 1);
		assert_string_not_equal(err.text, "");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_program_is_sent_whole, begin, end),
		cmocka_unit_test_setup_teardown(
			a_call_is_sent_with_its_arguments_as_they_stand, begin, end),
		cmocka_unit_test(an_answer_is_a_session_or_an_error_with_its_code),
		cmocka_unit_test(no_answer_is_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
