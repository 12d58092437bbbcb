/*
 * What a plan's reader must refuse: everything but what a writer wrote.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/sandbox/plan.h"

static const char *const words[] = { "/bin/echo", "", "a b", NULL };
static const char *const env[] = { "A=1", NULL };
static const char *const covers[] = { "/a", "/b", NULL };
static const struct sandbox_mount mounts[] = { { "/x", "/in/x" }, { "/y", "/in/y" } };

static void
tool_bytes(struct buf *bytes)
{
	const struct tool_plan plan = { words, env, covers, "/", "nobody", true };

	buf_init(bytes, 65536);
	plan_put_tool(bytes, &plan);
}

static void
sandbox_bytes(struct buf *bytes)
{
	const struct sandbox_plan plan = { { 1 << 20, 64, -1, 1, 4096 }, "/usr/bin/python3", "/r",
		mounts, 2 };

	buf_init(bytes, 65536);
	plan_put_sandbox(bytes, &plan);
}

static int
get_tool(const char *bytes, size_t len)
{
	struct tool_plan plan;
	struct err err;
	int rc = plan_get_tool(bytes, len, &plan, &err);

	plan_tool_release(&plan);
	return rc;
}

static int
get_sandbox(const char *bytes, size_t len)
{
	struct sandbox_plan plan;
	struct err err;
	int rc = plan_get_sandbox(bytes, len, &plan, &err);

	plan_sandbox_release(&plan);
	return rc;
}

static void
a_tool_plan_comes_back_as_it_went(void **state)
{
	AUTO_BUF struct buf bytes;
	struct tool_plan plan;
	struct err err;

	tool_bytes(&bytes);
	assert_int_equal(plan_get_tool(bytes.data, bytes.len, &plan, &err), 0);
	assert_string_equal(plan.argv[0], "/bin/echo");
	assert_string_equal(plan.argv[1], "");
	assert_string_equal(plan.argv[2], "a b");
	assert_null(plan.argv[3]);
	assert_string_equal(plan.env[0], "A=1");
	assert_string_equal(plan.covers[1], "/b");
	assert_string_equal(plan.cwd, "/");
	assert_string_equal(plan.user, "nobody");
	assert_true(plan.isolate);
	plan_tool_release(&plan);
}

static void
a_sandbox_plan_comes_back_as_it_went(void **state)
{
	AUTO_BUF struct buf bytes;
	struct sandbox_plan plan;
	struct err err;

	sandbox_bytes(&bytes);
	assert_int_equal(plan_get_sandbox(bytes.data, bytes.len, &plan, &err), 0);
	assert_int_equal(plan.limits.memory_bytes, 1 << 20);
	assert_int_equal(plan.limits.cpu_s, -1);
	assert_string_equal(plan.runner, "/r");
	assert_int_equal(plan.mount_count, 2);
	assert_string_equal(plan.mounts[1].to, "/in/y");
	plan_sandbox_release(&plan);
}

static void
a_plan_cut_anywhere_is_refused(void **state)
{
	AUTO_BUF struct buf tool;
	AUTO_BUF struct buf sandbox;

	tool_bytes(&tool);
	sandbox_bytes(&sandbox);
	for (size_t len = 0; len < tool.len; len++) {
		AUTO_FREE char *cut = mem_copy(tool.data, len);

		assert_int_equal(get_tool(cut, len), -1);
	}
	for (size_t len = 0; len < sandbox.len; len++) {
		AUTO_FREE char *cut = mem_copy(sandbox.data, len);

		assert_int_equal(get_sandbox(cut, len), -1);
	}
}

static void
a_plan_with_one_byte_more_is_refused(void **state)
{
	AUTO_BUF struct buf tool;
	AUTO_BUF struct buf sandbox;

	tool_bytes(&tool);
	buf_byte(&tool, '\0');
	sandbox_bytes(&sandbox);
	buf_byte(&sandbox, '\0');
	assert_int_equal(get_tool(tool.data, tool.len), -1);
	assert_int_equal(get_sandbox(sandbox.data, sandbox.len), -1);
}

/* Whatever one byte is changed to, reading stays within the bytes (run it with a sanitizer). */
static void
a_changed_byte_is_never_read_past(void **state)
{
	AUTO_BUF struct buf tool;

	tool_bytes(&tool);
	for (size_t at = 0; at < tool.len; at++) {
		static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };

		for (size_t i = 0; i < sizeof(values); i++) {
			AUTO_FREE char *copy = mem_copy(tool.data, tool.len);

			copy[at] = (char)values[i];
			(void)get_tool(copy, tool.len);
		}
	}
}

static void
one_kind_of_plan_is_not_taken_for_the_other(void **state)
{
	AUTO_BUF struct buf tool;
	AUTO_BUF struct buf sandbox;

	tool_bytes(&tool);
	sandbox_bytes(&sandbox);
	assert_int_equal(get_sandbox(tool.data, tool.len), -1);
	assert_int_equal(get_tool(sandbox.data, sandbox.len), -1);
}

static void
a_tool_without_a_program_is_refused(void **state)
{
	static const char *const none[] = { NULL };
	const struct tool_plan plan = { none, none, none, "/", NULL, false };
	AUTO_BUF struct buf bytes;

	buf_init(&bytes, 65536);
	plan_put_tool(&bytes, &plan);
	assert_int_equal(get_tool(bytes.data, bytes.len), -1);
}

static void
a_limit_of_nothing_is_refused(void **state)
{
	const struct sandbox_plan plan = { { 0, 64, -1, 1, 4096 }, "/usr/bin/python3", "/r", NULL,
		0 };
	AUTO_BUF struct buf bytes;

	buf_init(&bytes, 65536);
	plan_put_sandbox(&bytes, &plan);
	assert_int_equal(get_sandbox(bytes.data, bytes.len), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tool_plan_comes_back_as_it_went),
		cmocka_unit_test(a_sandbox_plan_comes_back_as_it_went),
		cmocka_unit_test(a_plan_cut_anywhere_is_refused),
		cmocka_unit_test(a_plan_with_one_byte_more_is_refused),
		cmocka_unit_test(a_changed_byte_is_never_read_past),
		cmocka_unit_test(one_kind_of_plan_is_not_taken_for_the_other),
		cmocka_unit_test(a_tool_without_a_program_is_refused),
		cmocka_unit_test(a_limit_of_nothing_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
