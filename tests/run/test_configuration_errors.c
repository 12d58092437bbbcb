/* Every mistake is named with its place and what would be accepted. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/run/configuration.h"
#include "core/run/configuration_parts.h"
#include "tests/run/scratch.h"

static struct scratch scratch;

static int
begin(void **state)
{
	(void)state;
	scratch_begin(&scratch);
	scratch_file("t.py", "");
	return 0;
}

static int
end(void **state)
{
	(void)state;
	scratch_end(&scratch);
	return 0;
}

/* The error of ./tollbridge.json with this text, or of one option; "" when there is none. */
static const char *
error_of(const char *text, const char *set)
{
	static struct err err;
	const char *sets[] = { set, NULL };
	struct config_request request = { .sets = set ? sets : NULL, .max_tool_calls = -1 };
	struct config *config;

	err = (struct err){ 0 };
	scratch_file("tollbridge.json", text);
	config = config_load(&request, &err);
	config_free(config);
	if (!config)
		assert_int_equal(err.kind, ERR_USAGE);
	return config ? "" : err.text;
}

static const struct {
	const char *text;
	const char *error;
} golden[] = {
	{ "{}", "" },
	{ "", "tollbridge.json:1:1: " },
	{ "[]", "tollbridge.json:1:1: a configuration is an object: {...}" },
	{ "{\n  \"budget\": {,}}", "tollbridge.json:2:14: " },
	{ "{\"ui\": {}, \"ui\": {}}", "tollbridge.json:1:12: " },
	{ "{\n  \"budgt\": {}}",
		"tollbridge.json:2:3: unknown key \"budgt\"; did you mean \"budget\"?" },
	{ "{\"budget\": {\"max_tool_call\": 5}}",
		"tollbridge.json:1:13: unknown key \"max_tool_call\" in budget; did you mean "
		"\"max_tool_calls\"?" },
	{ "{\"ui\": {\"zzzzzz\": 5}}",
		"tollbridge.json:1:9: unknown key \"zzzzzz\" in ui; known here: theme, bell" },
	{ "{\"budget.max_tool_calls\": 5}",
		"tollbridge.json:1:2: unknown key \"budget.max_tool_calls\"" },
	{ "{\"ui\\u0000x\": 5}", "tollbridge.json:1:2: unknown key \"ui\\u0000x\"" },
	{ "{\"ui\": {\"notify\": [\"echo\", \"\"]}}", "" },
	{ "{\"ui\": {\"notify\": []}}", "" },
	{ "{\"ui\": {\"notify\": \"echo\"}}", "tollbridge.json:1:19: ui.notify: \"echo\" is not "
					      "accepted; write a list of texts" },
	{ "{\"ui\": {\"notify\": [\"\"]}}", "tollbridge.json:1:20: ui.notify: \"\" is not" },
	{ "{\"ui\": {\"notify\": [\"a\\u0000b\"]}}", "tollbridge.json:1:20: ui.notify: " },
	{ "{\"ui\": {\"notify\": [\"a\",\n 5]}}", "tollbridge.json:2:2: ui.notify: 5 is not" },
	{ "{\"keys\": {\"approval\": {\"d\": \"deny\", \"F2\": null}}}", "" },
	{ "{\"keys\": []}", "tollbridge.json:1:10: keys: write an object: {\"approval\": " },
	{ "{\"keys\": {\n\"all\": \"F2\"}}",
		"tollbridge.json:2:8: keys.\"all\": write an object of keys and commands" },
	{ "{\"keys\": {\n\"all\": {\n  \"F2\": 5}}}",
		"tollbridge.json:3:9: keys.\"all\": write the name of a command, or null" },
	{ "{\"keys\": {\"all\": {\"F2\\u0000\": \"help\"}}}", "tollbridge.json:1:31: " },
	{ "{\"budget\": 5}", "tollbridge.json:1:12: budget: write an object: {...}" },
	{ "{\"budget\": {\"max_tool_calls\": \"fifty\"}}",
		"tollbridge.json:1:31: budget.max_tool_calls: \"fifty\" is not accepted; write a "
		"whole number from 0 to 1000000000 (request lines that may reach the bridge in one "
		"run)" },
	{ "{\"budget\": {\"max_tool_calls\": -1}}", "tollbridge.json:1:31: " },
	{ "{\"budget\": {\"max_tool_calls\": 5.0}}", "tollbridge.json:1:31: " },
	{ "{\"budget\": {\"max_tool_calls\": 5e1}}", "tollbridge.json:1:31: " },
	{ "{\"budget\": {\"max_tool_calls\": null}}", "tollbridge.json:1:31: " },
	{ "{\"approval\": {\"timeout_s\": 0}}",
		"tollbridge.json:1:28: approval.timeout_s: 0 is not accepted; write a whole number "
		"from 1 to 31536000, or null for no limit" },
	{ "{\"sandbox\": {\"memory\": \"lots\"}}",
		"tollbridge.json:1:24: sandbox.memory: \"lots\" is not accepted; write bytes or "
		"text like \"512M\", from 64M to 1T" },
	{ "{\"sandbox\": {\"memory\": \"512m\"}}", "tollbridge.json:1:24: " },
	{ "{\"sandbox\": {\"memory\": \"512MB\"}}", "tollbridge.json:1:24: " },
	{ "{\"sandbox\": {\"memory\": \"9999999999999T\"}}", "tollbridge.json:1:24: " },
	{ "{\"sandbox\": {\"network\": \"host\"}}",
		"tollbridge.json:1:25: sandbox.network: \"host\" is not accepted; write \"none\" "
		"(the program has no network; there is no other value)" },
	{ "{\"sandbox\": {\"backend\": \"docker\"}}",
		"tollbridge.json:1:25: sandbox.backend: \"docker\" is not available in this "
		"version; write \"native\"" },
	{ "{\"sandbox\": {\"backend\": \"nativ\"}}",
		"tollbridge.json:1:25: sandbox.backend: \"nativ\" is not accepted; write "
		"\"native\"" },
	{ "{\"sandbox\": {\"backend\": \"\"}}", "tollbridge.json:1:25: " },
	{ "{\"sandbox\": {\"backend\": \"native|\"}}", "tollbridge.json:1:25: " },
	{ "{\"ui\": {\"bell\": 1}}",
		"tollbridge.json:1:17: ui.bell: 1 is not accepted; write true or false" },
	{ "{\"ui\": {\"theme\": \"\"}}", "tollbridge.json:1:18: " },
	{ "{\"model\": {\"provider\": \"gemini\"}}",
		"tollbridge.json:1:24: model.provider: \"gemini\" is not accepted; write "
		"\"openai\" "
		"or \"anthropic\" or \"ollama\" or \"script\"" },
	{ "{\"model\": {\"name\": \"\"}}",
		"tollbridge.json:1:20: model.name: \"\" is not accepted; write text that is not "
		"empty, or null" },
	{ "{\"model\": {\"prices\": {\"input\": 1.0000001}}}",
		"tollbridge.json:1:32: model.prices.input: 1.0000001 is not accepted; write US "
		"dollars from 0 to 1000000 with at most 6 decimals, or null for none" },
	{ "{\"model\": {\"prices\": {\"input\": 1.25, \"output\": 10}}}", "" },
	{ "{\"model\": {\"instructions\": {\"file\": \"not-there.md\"}}}",
		"tollbridge.json:1:28: model.instructions: " },
	{ "{\"model\": {\"instructions\": 5}}",
		"tollbridge.json:1:28: model.instructions: 5 is not accepted; write text, or "
		"{\"file\": \"path\"}" },
	{ "{\"model\": {\"key_command\": \"pass show key\"}}",
		"tollbridge.json:1:27: model.key_command: \"pass show key\" is not accepted; write "
		"a list of texts" },
	{ "{\"mcpServers\": {}}",
		"tollbridge.json:1:2: mcpServers is not available in this version" },
	{ "{\"mcpServers\": {}}",
		"tollbridge.json:1:2: mcpServers is not available in this version" },
	{ "{\"approval\": {\"reviewers\": []}}",
		"tollbridge.json:1:15: approval.reviewers is not available in this version" },
	{ "{\"record\": {\"redact_keys\": []}}",
		"tollbridge.json:1:13: record.redact_keys is not available in this version" },
	{ "{\"approval\": {\"rules\": {}}}", "tollbridge.json:1:24: approval.rules: write a list" },
	{ "{\"approval\": {\"rules\": [1]}}", "tollbridge.json:1:25: approval.rules: a rule is" },
	{ "{\"budget\": {\"per_tool\": []}}", "tollbridge.json:1:25: budget.per_tool: write" },
	{ "{\"budget\": {\"per_tool\": {\"x\": 4}}}",
		"tollbridge.json:1:31: budget.per_tool.x: write an object: {\"max_calls\": 10}" },
	{ "{\"budget\": {\"per_tool\": {\"x\": {\"max_calls\": -4}}}}",
		"tollbridge.json:1:45: budget.per_tool.x.max_calls: -4 is not accepted" },
	{ "{\"budget\": {\"per_tool\": {\"x\": {\"sum\": {}}}}}",
		"tollbridge.json:1:32: budget.per_tool.x.sum is not available in this version" },
	{ "{\"budget\": {\"per_tool\": {\"x\": {\"max_call\": 1}}}}",
		"tollbridge.json:1:32: unknown key \"max_call\" in budget.per_tool.x; did you mean "
		"\"max_calls\"?" },
	{ "{\"tools\": []}", "tollbridge.json:1:11: tools: write an object" },
	{ "{\"tools\": {\"a.b\": {}}}",
		"tollbridge.json:1:12: tools: \"a.b\" is not accepted as a name" },
	{ "{\"tools\": {\"\": {}}}",
		"tollbridge.json:1:12: tools: \"\" is not accepted as a name" },
	{ "{\"tools\": {\"p\": {}}}", "tollbridge.json:1:17: tools.p: write one of \"python\"" },
	{ "{\"tools\": {\"p\": {\"pyhton\": \"t.py\"}}}",
		"tollbridge.json:1:18: unknown key \"pyhton\" in tools.p; did you mean "
		"\"python\"?" },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"command\": [\"x\"]}}}",
		"tollbridge.json:1:17: tools.p: write one of" },
	{ "{\"tools\": {\"p\": {\"python\": \"none.py\", \"user\": \"root\"}}}",
		"tollbridge.json:1:28: tools.p.python: " },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"description\": \"\"}}}",
		"tollbridge.json:1:36: tools.p.description does not go with \"python\"" },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"inverse\": {}}}}",
		"tollbridge.json:1:36: tools.p.inverse is not available in this version" },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"isolate\": 0}}}",
		"tollbridge.json:1:47: tools.p.isolate: 0 is not accepted; write true or false" },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"timeout_s\": 0}}}",
		"tollbridge.json:1:49: " },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"interpreter\": \"python3\"}}}",
		"tollbridge.json:1:51: " },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"user\": \"no-such-account\"}}}",
		"tollbridge.json:1:44: tools.p.user: \"no-such-account\" is not accepted; write "
		"the "
		"name of an account of this machine" },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"env\": {\"A B\": \"\"}}}}",
		"tollbridge.json:1:44: tools.p.env: " },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"env\": {\"A\": \"${TEST_UNSET}\"}}}}",
		"tollbridge.json:1:49: tools.p.env: the variable TEST_UNSET is not set; set it, or "
		"write ${TEST_UNSET:-otherwise}" },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"env\": {\"A\": \"${HOME\"}}}}",
		"tollbridge.json:1:49: tools.p.env: \"${\" has no \"}\" after it" },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"env\": {\"A\": \"${HOME-x}\"}}}}",
		"tollbridge.json:1:49: tools.p.env: write ${NAME}" },
	{ "{\"tools\": {\"p\": {\"python\": \"t.py\", \"env\": {\"A\": \"${}\"}}}}",
		"tollbridge.json:1:49: tools.p.env: write ${NAME}" },
	{ "{\"tools\": {\"c\": {\"command\": []}}}", "tollbridge.json:1:29: tools.c.command: " },
	{ "{\"tools\": {\"c\": {\"command\": [\"\"]}}}", "tollbridge.json:1:30: " },
	{ "{\"tools\": {\"c\": {\"command\": [\"./none\"]}}}",
		"tollbridge.json:1:30: tools.c.command: " },
	{ "{\"tools\": {\"c\": {\"command\": [\"x\"], \"user\": \"root\"}}}",
		"tollbridge.json:1:17: tools.c: a command needs a \"description\"" },
	{ "{\"tools\": {\"c\": {\"command\": [\"x\"], \"annotations\": {\"readOnly\": true}}}}",
		"tollbridge.json:1:52: unknown key \"readOnly\" in tools.c.annotations; did you "
		"mean \"readOnlyHint\"?" },
};

static void
each_mistake_is_named_with_its_place(void **state)
{
	(void)state;
	unsetenv("TEST_UNSET");
	for (size_t i = 0; i < ARRAY_SIZE(golden); i++) {
		const char *error = error_of(golden[i].text, NULL);
		size_t len = strlen(golden[i].error);

		if (len == 0 ? error[0] != '\0' : strncmp(error, golden[i].error, len) != 0)
			fail_msg("%s\n  gave   %s\n  wanted %s", golden[i].text, error,
				golden[i].error);
	}
}

/* The error for one setting at one value, written as JSON through --set. */
static bool
accepts(const char *path, const char *json)
{
	AUTO_FREE char *set = mem_printf("%s=%s", path, json);

	return error_of("{}", set)[0] == '\0';
}

static void
hold_number(const struct setting_info *info)
{
	bool null = info->type == SETTING_TYPE_INT && info->min < 0;
	int64_t min = null ? 1 : info->min;
	AUTO_FREE char *low = mem_printf("%lld", (long long)min);
	AUTO_FREE char *below = mem_printf("%lld", (long long)min - 1);
	AUTO_FREE char *high = mem_printf("%lld", (long long)info->max);
	AUTO_FREE char *above = mem_printf("%lld", (long long)info->max + 1);

	assert_true(accepts(info->path, low));
	assert_false(accepts(info->path, below));
	assert_true(accepts(info->path, high));
	assert_false(accepts(info->path, above));
	assert_int_equal(accepts(info->path, "null"), null);
}

static void
each_setting_holds_its_bounds_and_takes_its_default(void **state)
{
	(void)state;
	for (enum setting setting = 0; setting < SETTING_COUNT; setting++) {
		const struct setting_info *info = setting_info(setting);
		bool quoted = info->type >= SETTING_TYPE_STRING &&
			      info->type != SETTING_TYPE_DOLLARS && info->otherwise[0];
		const char *otherwise = info->otherwise[0] ? info->otherwise : "null";
		AUTO_FREE char *first = mem_strn(otherwise, strcspn(otherwise, "|"));
		AUTO_FREE char *json = quoted ? mem_printf("\"%s\"", first) : mem_str(first);

		assert_true(accepts(info->path, json));
		assert_false(accepts(info->path, "[]"));
		if (info->type == SETTING_TYPE_INT || info->type == SETTING_TYPE_SIZE)
			hold_number(info);
		if (info->type == SETTING_TYPE_CHOICE)
			assert_false(accepts(info->path, "\"no such word\""));
	}
}

static void
an_option_is_named_as_it_was_typed(void **state)
{
	(void)state;
	assert_string_equal(error_of("{}", "ui.theme=mono"),
		"--set ui.theme: mono is no JSON value; text needs quotes of its own: '\"mono\"'");
	assert_string_equal(error_of("{}", "ui"), "--set ui: write PATH=JSON, for example --set "
						  "budget.max_tool_calls=20");
	assert_string_equal(error_of("{}", "ui.them=\"x\""),
		"--set ui.them: unknown key \"them\" in ui; did you mean \"theme\"?");
	assert_string_equal(error_of("{}", "ui.bell=true}, \"x\": {\"y\":true"),
		"--set ui.bell: true}, \"x\": {\"y\":true is no JSON value; text needs quotes of "
		"its own: '\"true}, \"x\": {\"y\":true\"'");
	assert_string_not_equal(error_of("{}", "..=1"), "");
}

static void
one_server_has_one_entry(void **state)
{
	(void)state;
	mkdir("tollbridge", 0700);
	scratch_file("tollbridge/t.py", "");
	scratch_file("tollbridge/config.json",
		"{\"tools\": {\"p\": {\"python\": \"t.py\", \"user\": \"root\"}}}");
	assert_non_null(strstr(
		error_of("{\"tools\": {\"p\": {\"python\": \"t.py\", \"user\": \"root\"}}}", NULL),
		"tollbridge.json:1:12: tools.p stands at "));
}

static void
root_names_the_account_of_each_tool(void **state)
{
	const char *error = error_of("{\"tools\": {\"p\": {\"python\": \"t.py\"}}}", NULL);

	(void)state;
	if (geteuid() == 0)
		assert_string_equal(error, "tollbridge.json:1:17: tools.p: as root each tool needs "
					   "an account to run as: "
					   "add \"user\": \"nobody\" (\"root\" may be written)");
	else
		assert_string_equal(error, "");
}

static void
a_named_file_that_is_not_there_is_an_error(void **state)
{
	struct config_request request = { .file = "none.json", .max_tool_calls = -1 };
	struct err err = { 0 };

	(void)state;
	assert_null(config_load(&request, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "none.json"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_mistake_is_named_with_its_place, begin, end),
		cmocka_unit_test_setup_teardown(
			each_setting_holds_its_bounds_and_takes_its_default, begin, end),
		cmocka_unit_test_setup_teardown(an_option_is_named_as_it_was_typed, begin, end),
		cmocka_unit_test_setup_teardown(one_server_has_one_entry, begin, end),
		cmocka_unit_test_setup_teardown(root_names_the_account_of_each_tool, begin, end),
		cmocka_unit_test_setup_teardown(
			a_named_file_that_is_not_there_is_an_error, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
