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
#include "core/base/mem.h"
#include "core/gate/policy.h"
#include "tests/gate/quoted.h"

static const struct tool_facts apply_raise = {
	.full = "payroll.apply_raise", .server = "payroll", .name = "apply_raise"
};
static const struct tool_facts get_employee = {
	.full = "payroll.get_employee", .server = "payroll", .name = "get_employee"
};
static const struct tool_facts *const tools[] = { &apply_raise, &get_employee };

static void
note(const char *text, void *arg)
{
	buf_str(arg, text);
}

/* What is told of one rule with these patterns, "" when nothing is. */
static void
misspelt(const char *patterns, struct buf *told)
{
	AUTO_FREE char *text = mem_printf("{'tools':%s,'action':'deny'}", patterns);
	struct json *rule = quoted(text);
	struct policy_source source = { json_root(rule), "tollbridge.json", 4 };
	struct err err = { 0 };
	struct policy *policy = policy_new(&source, 1, &err);

	if (!policy)
		fail_msg("%s", err.text);
	buf_init(told, BUF_UNBOUNDED);
	policy_misspelt(policy, tools, ARRAY_SIZE(tools), note, told);
	buf_byte(told, '\0');
	policy_free(policy);
	json_free(rule);
}

static void
a_pattern_nearly_like_a_tool_is_told_with_its_place(void **state)
{
	static const struct {
		const char *patterns, *says;
	} cases[] = {
		{ "'aply_raise'", "tollbridge.json:4: no tool is called \"aply_raise\"; "
				  "did you mean \"apply_raise\"?" },
		{ "['*','payrol.apply_raise']", "did you mean \"payroll.apply_raise\"?" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUF struct buf told;

		misspelt(cases[i].patterns, &told);
		if (!strstr(told.data, cases[i].says))
			fail_msg("%s: %s", cases[i].patterns, told.data);
	}
}

static void
what_matches_and_what_may_be_another_runs_is_not_told(void **state)
{
	static const char *const patterns[] = { "['apply_raise','get_*']", "'PAYROLL.APPLY_RAISE'",
		"['fs.read_file','drop_*']" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		AUTO_BUF struct buf told;

		misspelt(patterns[i], &told);
		assert_string_equal(told.data, "");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_nearly_like_a_tool_is_told_with_its_place),
		cmocka_unit_test(what_matches_and_what_may_be_another_runs_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
