/* Layers, tools, and the effective text and back.  Errors: test_configuration_errors.c. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/buf.h"
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
	return 0;
}

static int
end(void **state)
{
	(void)state;
	scratch_end(&scratch);
	return 0;
}

static struct config *
load(const char *file, const char *const *sets)
{
	struct config_request request = { .file = file, .sets = sets, .max_tool_calls = -1 };
	struct err err = { 0 };
	struct config *config = config_load(&request, &err);

	if (!config)
		fail_msg("%s", err.text);
	return config;
}

static void
user_file(const char *text)
{
	mkdir("tollbridge", 0700);
	scratch_file("tollbridge/config.json", text);
}

/* One layer of text on top of config; gives what config_read_layer() gave. */
static int
add_text(struct config *config, enum layer_from from, const char *text, struct err *err)
{
	struct layer *layer;

	config->layers = mem_grow(config->layers, config->layer_count + 1, sizeof(*config->layers));
	layer = &config->layers[config->layer_count++];
	*layer = (struct layer){
		.from = from, .label = mem_str("layer"), .folder = mem_str(scratch.folder)
	};
	layer->doc = json_read(text, strlen(text), err);
	assert_non_null(layer->doc);
	return config_read_layer(config, layer, err);
}

static void
without_any_file_the_defaults_count(void **state)
{
	struct config *config = load(NULL, NULL);

	(void)state;
	assert_int_equal(config_int(config, SETTING_BUDGET_MAX_TOOL_CALLS), 50);
	assert_int_equal(config_int(config, SETTING_SANDBOX_MEMORY), 512 << 20);
	assert_int_equal(config_int(config, SETTING_SANDBOX_MAX_HELD_S), -1);
	assert_string_equal(config_str(config, SETTING_SANDBOX_PYTHON), "/usr/bin/python3");
	assert_string_equal(config_str(config, SETTING_APPROVAL_ON_TIMEOUT), "deny");
	assert_true(config_bool(config, SETTING_UI_BELL));
	assert_int_equal(config_loosened_count(config), 0);
	config_free(config);
}

static void
between_files_the_smaller_limit_counts_and_the_default_does_not(void **state)
{
	struct config *config;

	(void)state;
	user_file("{\"budget\": {\"max_tool_calls\": 80}}");
	scratch_file("tollbridge.json", "{\"budget\": {\"max_tool_calls\": 900}}");
	config = load(NULL, NULL);

	assert_int_equal(config_int(config, SETTING_BUDGET_MAX_TOOL_CALLS), 80);
	assert_int_equal(config_loosened_count(config), 0);
	config_free(config);
}

static void
null_is_a_limit_larger_than_every_number(void **state)
{
	struct config *config;

	(void)state;
	user_file("{\"approval\": {\"timeout_s\": 60}}");
	scratch_file("tollbridge.json", "{\"approval\": {\"timeout_s\": null}}");
	config = load(NULL, NULL);

	assert_int_equal(config_int(config, SETTING_APPROVAL_TIMEOUT_S), 60);
	config_free(config);
}

static void
a_named_file_may_raise_and_says_so(void **state)
{
	struct config *config;

	(void)state;
	user_file("{\"budget\": {\"max_tool_calls\": 80}}");
	scratch_file("tollbridge.json", "{\"budget\": {\"max_tool_calls\": 1}}");
	scratch_file("named.json", "{\"budget\": {\"max_tool_calls\": 900}}");
	config = load("named.json", NULL);

	assert_int_equal(config_int(config, SETTING_BUDGET_MAX_TOOL_CALLS), 900);
	assert_int_equal(config_loosened_count(config), 1);
	assert_string_equal(config_loosened(config, 0), "budget.max_tool_calls 80 -> 900");
	config_free(config);
}

static void
the_command_line_may_raise_above_a_default_and_says_so(void **state)
{
	const char *sets[] = { "budget.max_tool_calls=10000", "sandbox.memory=\"1G\"", NULL };
	struct config *config = load(NULL, sets);

	(void)state;
	assert_int_equal(config_int(config, SETTING_BUDGET_MAX_TOOL_CALLS), 10000);
	assert_int_equal(config_loosened_count(config), 2);
	assert_string_equal(config_loosened(config, 0), "budget.max_tool_calls 50 -> 10000");
	assert_string_equal(config_loosened(config, 1), "sandbox.memory 512M -> 1G");
	config_free(config);
}

static void
a_pause_before_arming_is_loosened_downwards(void **state)
{
	struct config *config;

	(void)state;
	user_file("{\"approval\": {\"quiet_ms\": 2000}}");
	scratch_file("tollbridge.json", "{\"approval\": {\"quiet_ms\": 500}}");
	config = load(NULL, NULL);
	assert_int_equal(config_int(config, SETTING_APPROVAL_QUIET_MS), 2000);
	config_free(config);

	config = load("tollbridge.json", NULL);
	assert_int_equal(config_int(config, SETTING_APPROVAL_QUIET_MS), 500);
	assert_string_equal(config_loosened(config, 0), "approval.quiet_ms 2000 -> 500");
	config_free(config);
}

static void
asking_about_programs_wins_over_running_them(void **state)
{
	const char *run[] = { "approval.program=\"run\"", NULL };
	struct config *config = load(NULL, NULL);

	(void)state;
	assert_string_equal(config_str(config, SETTING_APPROVAL_PROGRAM), "run");
	config_free(config);
	user_file("{\"approval\": {\"program\": \"ask\"}}");
	scratch_file("tollbridge.json", "{\"approval\": {\"program\": \"run\"}}");
	config = load(NULL, NULL);
	assert_string_equal(config_str(config, SETTING_APPROVAL_PROGRAM), "ask");
	assert_int_equal(config_loosened_count(config), 0);
	config_free(config);

	config = load(NULL, run);
	assert_string_equal(config_str(config, SETTING_APPROVAL_PROGRAM), "run");
	assert_string_equal(config_loosened(config, 0), "approval.program ask -> run");
	config_free(config);
}

static void
nothing_lets_programs_run_that_the_system_asks_about(void **state)
{
	struct config *config = mem_zero(1, sizeof(*config));
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
		add_text(config, FROM_SYSTEM, "{\"approval\":{\"program\":\"ask\"}}", &err), 0);
	assert_int_equal(
		add_text(config, FROM_NAMED, "{\"approval\":{\"program\":\"run\"}}", &err), 0);
	assert_string_equal(config_str(config, SETTING_APPROVAL_PROGRAM), "ask");
	assert_int_equal(
		add_text(config, FROM_COMMAND, "{\"approval\":{\"program\":\"run\"}}", &err), -1);
	assert_non_null(strstr(err.text, "run is beyond the ask"));
	assert_int_equal(
		add_text(config, FROM_USER, "{\"approval\":{\"program\":\"maybe\"}}", &err), -1);
	config_free(config);
}

static void
nothing_raises_what_the_system_sets(void **state)
{
	struct config *config = mem_zero(1, sizeof(*config));
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
		add_text(config, FROM_SYSTEM, "{\"budget\":{\"max_tool_calls\":20}}", &err), 0);
	assert_int_equal(
		add_text(config, FROM_NAMED, "{\"budget\":{\"max_tool_calls\":90}}", &err), 0);
	assert_int_equal(config_int(config, SETTING_BUDGET_MAX_TOOL_CALLS), 20);
	assert_int_equal(
		add_text(config, FROM_COMMAND, "{\"budget\":{\"max_tool_calls\":21}}", &err), -1);

	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "beyond the 20"));
	assert_int_equal(config_int(config, SETTING_BUDGET_MAX_TOOL_CALLS), 20);
	config_free(config);
}

static void
caps_of_single_tools_combine_like_limits(void **state)
{
	struct config *config;
	int64_t max_calls;

	(void)state;
	user_file("{\"budget\": {\"per_tool\": {\"apply_raise\": {\"max_calls\": 3}}}}");
	scratch_file("tollbridge.json", "{\"budget\": {\"per_tool\": {\"apply_raise\": "
					"{\"max_calls\": 10}, \"other\": {\"max_calls\": 0}}}}");
	config = load(NULL, NULL);

	assert_int_equal(config_per_tool_count(config), 2);
	assert_string_equal(config_per_tool(config, 0, &max_calls), "apply_raise");
	assert_int_equal(max_calls, 3);
	assert_string_equal(config_per_tool(config, 1, &max_calls), "other");
	assert_int_equal(max_calls, 0);
	config_free(config);
}

static void
rules_of_all_layers_add_up_and_know_their_lines(void **state)
{
	struct config *config;

	(void)state;
	user_file("{\"approval\": {\"rules\": [{\"tools\": [\"a\"], \"action\": \"deny\"}]}}");
	scratch_file("tollbridge.json", "{\"approval\": {\n\"rules\": [\n"
					"{\"tools\": [\"b\"], \"action\": \"ask\"},\n"
					"{\"tools\": [\"c\"], \"action\": \"allow\"}]}}");
	config = load(NULL, NULL);

	assert_int_equal(config_rule_count(config), 3);
	assert_int_equal(config_rule(config, 0)->line, 1);
	assert_string_equal(config_rule(config, 2)->file, "tollbridge.json");
	assert_int_equal(config_rule(config, 2)->line, 4);
	config_free(config);
}

static void
paths_are_relative_to_the_file_that_names_them(void **state)
{
	struct config *config;
	AUTO_FREE char *file = NULL;
	AUTO_FREE char *python = NULL;

	(void)state;
	mkdir("sub", 0700);
	scratch_file("sub/tools.py", "");
	scratch_file("sub/c.json", "{\"sandbox\": {\"python\": \"./bin/python\"}, \"tools\": "
				   "{\"p\": {\"python\": \"tools.py\", \"user\": \"root\"}}}");
	config = load("sub/c.json", NULL);

	file = mem_printf("%s/sub/tools.py", scratch.folder);
	python = mem_printf("%s/sub/bin/python", scratch.folder);
	assert_string_equal(config_tool(config, 0)->file, file);
	assert_string_equal(config_tool(config, 0)->at, "sub/c.json:1");
	assert_string_equal(config_str(config, SETTING_SANDBOX_PYTHON), python);
	assert_true(config_tool(config, 0)->isolate);
	config_free(config);
}

static void
variables_are_expanded_in_env_alone(void **state)
{
	struct config *config;
	const struct config_tool *tool;

	(void)state;
	setenv("TEST_SET", "value", 1);
	setenv("TEST_EMPTY", "", 1);
	unsetenv("TEST_UNSET");
	scratch_file("c.json", "{\"tools\": {\"d\": {\"command\": [\"echo\", \"${TEST_SET}\"], "
			       "\"user\": \"root\", "
			       "\"description\": \"d\", \"env\": {\"A\": \"<${TEST_SET}>\", "
			       "\"B\": \"${env:TEST_SET}\", \"C\": \"${TEST_UNSET:-a:-b}\", "
			       "\"D\": \"${TEST_EMPTY:-x}\", \"E\": \"[${TEST_EMPTY}]$\"}}}}");
	config = load("c.json", NULL);
	tool = config_tool(config, 0);

	assert_string_equal(tool->argv[1], "${TEST_SET}");
	assert_string_equal(tool->env[0], "A=<value>");
	assert_string_equal(tool->env[1], "B=value");
	assert_string_equal(tool->env[2], "C=a:-b");
	assert_string_equal(tool->env[3], "D=x");
	assert_string_equal(tool->env[4], "E=[]$");
	assert_null(tool->env[5]);
	config_free(config);
}

static const char everything[] =
	"{\"$schema\": \"x\", \"tools\": {"
	"\"p\": {\"python\": \"t.py\", \"user\": \"root\", \"isolate\": false, \"parallel\": true,"
	"        \"timeout_s\": 30, \"env\": {\"TOKEN\": \"very-secret\"}},"
	"\"c\": {\"command\": [\"echo\", \"\\u00e9\"], \"user\": \"root\", \"description\": \"d\","
	"        \"input_schema\": {\"type\": \"object\"},"
	"        \"annotations\": {\"readOnlyHint\": true}}},\n"
	"\"approval\": {\"timeout_s\": null, \"rules\": [\n"
	"{\"tools\": [\"x\"], \"action\": \"ask\", \"reason\": \"a  b\"}]},\n"
	"\"budget\": {\"per_tool\": {\"x\": {\"max_calls\": 2}}},\n"
	"\"sandbox\": {\"memory\": \"1G\"}, \"ui\": {\"bell\": false, \"notify\": [\"./tell\", "
	"\"./as it is\"]}}";

static struct config *
load_everything(void)
{
	const char *sets[] = { "budget.max_tool_calls=60", NULL };
	struct config_mount in = { (char *)"/etc/hosts", (char *)"/in/hosts" };
	struct config_request request = {
		.file = "c.json", .sets = sets, .in = &in, .in_count = 1, .max_tool_calls = -1
	};
	struct err err = { 0 };
	struct config *config;

	scratch_file("t.py", "");
	scratch_file("c.json", everything);
	config = config_load(&request, &err);
	if (!config)
		fail_msg("%s", err.text);
	return config;
}

static void
the_effective_text_reads_back_as_itself(void **state)
{
	struct config *config = load_everything();
	AUTO_FREE char *tell = NULL;
	AUTO_BUF struct buf first;
	AUTO_BUF struct buf second;
	struct config *back;
	struct err err = { 0 };

	(void)state;
	buf_init(&first, BUF_UNBOUNDED);
	buf_init(&second, BUF_UNBOUNDED);
	config_write(config, &first);
	back = config_read(first.data, first.len, &err);
	if (!back)
		fail_msg("%s", err.text);
	config_write(back, &second);

	assert_string_equal(first.data, second.data);
	assert_int_equal(config_int(back, SETTING_SANDBOX_MEMORY), 1 << 30);
	assert_int_equal(config_int(back, SETTING_APPROVAL_TIMEOUT_S), -1);
	assert_false(config_bool(back, SETTING_UI_BELL));
	assert_string_equal(config_tool(back, 0)->env[0], "TOKEN=very-secret");
	assert_false(config_isolates(back, "p"));
	assert_true(config_isolates(back, "c"));
	assert_true(config_isolates(back, "nobody-knows"));
	assert_string_equal(config_tool(back, 1)->argv[1], "\xc3\xa9");
	assert_true(json_is(json_get(config_tool(back, 1)->source, "description"), "d"));
	assert_int_equal(config_rule(back, 0)->line, 3);
	assert_true(json_is(json_get(config_rule(back, 0)->rule, "reason"), "a  b"));
	assert_string_equal(config_mount(back, 0)->to, "/in/hosts");
	tell = mem_printf("%s/tell", scratch.folder);
	assert_string_equal(config_notify(back)->argv[0], tell);
	assert_string_equal(config_notify(back)->argv[1], "./as it is");
	assert_null(config_notify(back)->argv[2]);
	assert_string_equal(config_notify(back)->folder, scratch.folder);
	assert_string_equal(config_loosened(back, 0), "budget.max_tool_calls 50 -> 60");
	config_free(back);
	config_free(config);
}

static void
the_public_text_holds_names_of_variables_and_no_value(void **state)
{
	struct config *config = load_everything();
	AUTO_BUF struct buf text;

	(void)state;
	buf_init(&text, BUF_UNBOUNDED);
	config_write_public(config, &text);

	assert_non_null(strstr(text.data, "\"env\":[\"TOKEN\"]"));
	assert_null(strstr(text.data, "very-secret"));
	config_free(config);
}

static void
an_effective_text_that_lost_a_part_is_refused(void **state)
{
	static const char *const parts[] = { "\"tools\":", "\"rules\":", "\"mounts\":",
		"\"budget.max_tool_calls\":", "\"argv\":", "\"at\":", "\"line\":" };
	struct config *config = load_everything();
	AUTO_BUF struct buf text;

	(void)state;
	buf_init(&text, BUF_UNBOUNDED);
	config_write(config, &text);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		AUTO_FREE char *copy = mem_str(text.data);
		char *at = strstr(copy, parts[i]);

		assert_non_null(at);
		at[1] = '!';
		assert_null(config_read(copy, strlen(copy), NULL));
	}
	config_free(config);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_any_file_the_defaults_count, begin, end),
		cmocka_unit_test_setup_teardown(
			between_files_the_smaller_limit_counts_and_the_default_does_not, begin,
			end),
		cmocka_unit_test_setup_teardown(
			null_is_a_limit_larger_than_every_number, begin, end),
		cmocka_unit_test_setup_teardown(a_named_file_may_raise_and_says_so, begin, end),
		cmocka_unit_test_setup_teardown(
			the_command_line_may_raise_above_a_default_and_says_so, begin, end),
		cmocka_unit_test_setup_teardown(
			a_pause_before_arming_is_loosened_downwards, begin, end),
		cmocka_unit_test_setup_teardown(
			asking_about_programs_wins_over_running_them, begin, end),
		cmocka_unit_test_setup_teardown(
			nothing_lets_programs_run_that_the_system_asks_about, begin, end),
		cmocka_unit_test_setup_teardown(nothing_raises_what_the_system_sets, begin, end),
		cmocka_unit_test_setup_teardown(
			caps_of_single_tools_combine_like_limits, begin, end),
		cmocka_unit_test_setup_teardown(
			rules_of_all_layers_add_up_and_know_their_lines, begin, end),
		cmocka_unit_test_setup_teardown(
			paths_are_relative_to_the_file_that_names_them, begin, end),
		cmocka_unit_test_setup_teardown(variables_are_expanded_in_env_alone, begin, end),
		cmocka_unit_test_setup_teardown(
			the_effective_text_reads_back_as_itself, begin, end),
		cmocka_unit_test_setup_teardown(
			the_public_text_holds_names_of_variables_and_no_value, begin, end),
		cmocka_unit_test_setup_teardown(
			an_effective_text_that_lost_a_part_is_refused, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
