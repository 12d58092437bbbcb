#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/hash.h"
#include "tests/tools/workshop.h"

static const char source[] = "from tollbridge import tool\n"
			     "@tool(read_only=True)\n"
			     "def look(): pass\n"
			     "@tool(read_only=True, open_world=True)\n"
			     "def fetch(): pass\n"
			     "@tool(destructive=True)\n"
			     "def wipe(): pass\n"
			     "def change(a: int): pass\n"
			     "def disk(): pass\n"
			     "def open(): pass\n";

#define KIT "\"kit\": {\"python\": \"tools.py\"%USER%}"
#define SHELL(name, script, more)                                     \
	"\"" name "\": {\"command\": [\"/bin/sh\", \"-c\", \"" script \
	"\"], \"description\": \"d\", \"input_schema\": {\"type\": \"object\"}" more "%USER%}"

static void
assert_effect(struct workshop *shop, const char *full, enum effect effect, const char *from)
{
	struct tool *tool = workshop_tool(shop, full);

	assert_int_equal(tool->facts.effect, effect);
	assert_string_equal(tool->effect_from, from);
	assert_int_equal(tool->facts.destructive_marked, effect == EFFECT_DESTROY);
}

static void
an_effect_comes_from_a_mark_an_annotation_or_is_mutate(void **state)
{
	struct workshop shop;

	workshop_open(&shop, source,
		KIT ", " SHELL("a",
			"true", ", \"annotations\": {\"readOnlyHint\": true, \"openWorldHint\": false}") ", " SHELL("b",
			"true", ", \"annotations\": {\"readOnlyHint\": true}") ", " SHELL("c",
			"true", ", \"annotations\": {\"destructiveHint\": true}") ", " SHELL("d",
			"true", ""));
	assert_effect(&shop, "kit.look", EFFECT_READ, "mark");
	assert_effect(&shop, "kit.fetch", EFFECT_SEND, "mark");
	assert_effect(&shop, "kit.wipe", EFFECT_DESTROY, "mark");
	assert_effect(&shop, "kit.change", EFFECT_MUTATE, "default");
	assert_effect(&shop, "a.a", EFFECT_READ, "annotation");
	assert_effect(&shop, "b.b", EFFECT_SEND, "annotation");
	assert_effect(&shop, "c.c", EFFECT_DESTROY, "annotation");
	assert_effect(&shop, "d.d", EFFECT_MUTATE, "default");
	workshop_close(&shop);
}

static void
digests_are_of_the_definition_and_the_file(void **state)
{
	struct workshop shop;
	struct digest wanted, zeros = { 0 };
	struct tool *tool;

	workshop_open(&shop, source, KIT ", " SHELL("d", "true", ""));
	tool = workshop_tool(&shop, "kit.change");
	hash_bytes(tool->definition, tool->definition_len, &wanted);
	assert_true(digest_equal(&tool->facts.sha256, &wanted));
	hash_bytes(source, strlen(source), &wanted);
	assert_true(digest_equal(&tool->code_sha256, &wanted));
	assert_true(digest_equal(&workshop_tool(&shop, "d.d")->code_sha256, &zeros));
	workshop_close(&shop);
}

static bool
is_bare(struct json_value tools, const char *full)
{
	struct json_iter it = json_each(tools);

	while (json_next(&it))
		if (json_is(json_get(it.value, "name"), full))
			return json_bool(json_get(it.value, "bare"), false);
	fail_msg("the guest is not told of %s", full);
	return false;
}

static void
a_bare_name_is_unique_and_hides_nothing(void **state)
{
	AUTO_JSON struct json *doc = NULL;
	struct workshop shop;
	AUTO_BUF struct buf text;
	struct json_value tools;

	workshop_open(
		&shop, source, KIT ", " SHELL("disk", "true", "") ", " SHELL("list", "true", ""));
	buf_init(&text, BUF_UNBOUNDED);
	registry_guest_tools(shop.registry, &text);
	doc = json_read(text.data, text.len, NULL);
	tools = json_root(doc);
	assert_int_equal(json_count(tools), registry_count(shop.registry));
	assert_true(is_bare(tools, "kit.look"));
	assert_false(is_bare(tools, "kit.open"));
	assert_false(is_bare(tools, "kit.disk"));
	assert_false(is_bare(tools, "disk.disk"));
	assert_false(is_bare(tools, "list.list"));
	assert_true(json_is(json_get(json_at(tools, 7), "space"), "list_"));
	assert_true(json_is(json_get(json_at(tools, 3), "effect"), "mutate"));
	assert_int_equal(
		json_count(json_get(json_get(json_at(tools, 3), "inputSchema"), "properties")), 1);
	workshop_close(&shop);
}

static void
tools_are_found_by_their_whole_name_only(void **state)
{
	struct workshop shop;

	workshop_open(&shop, source, KIT);
	assert_non_null(registry_find(shop.registry, "kit.look", 8));
	assert_non_null(registry_find(shop.registry, "kit.looking", 8));
	assert_null(registry_find(shop.registry, "kit.look", 7));
	assert_null(registry_find(shop.registry, "kit.look\0x", 10));
	assert_null(registry_find(shop.registry, "kit.look\0", 1 << 30));
	assert_null(registry_find(shop.registry, "look", 4));
	assert_null(registry_find(shop.registry, "", 0));
	workshop_close(&shop);
}

static void
a_session_without_tools_is_ready(void **state)
{
	struct workshop shop;

	workshop_open(&shop, NULL, "");
	assert_int_equal(registry_count(shop.registry), 0);
	assert_string_equal(shop.states, "");
	workshop_close(&shop);
}

static void
a_schema_that_cannot_be_used_fails_its_server_alone(void **state)
{
	struct workshop shop;

	workshop_open(&shop, source,
		KIT ", \"bad\": {\"command\": [\"/bin/true\"], \"description\": \"d\", "
		    "\"input_schema\": {\"type\": \"object\", \"required\": 3}%USER%}");
	assert_non_null(strstr(shop.states, "bad:failed"));
	assert_non_null(strstr(shop.states, "kit:ready"));
	assert_non_null(strstr(shop.error, "inputSchema"));
	assert_null(registry_find(shop.registry, "bad.bad", 7));
	workshop_close(&shop);
}

static void
a_commands_output_is_json_or_text(void **state)
{
	struct workshop shop;

	workshop_open(&shop, NULL,
		SHELL("echo", "cat", "") ", " SHELL("text", "echo two words; echo more",
			"") ", " SHELL("none", "true", "") ", " SHELL("twice",
			"echo '{\\\"a\\\":1,\\\"a\\\":2}'",
			"") ", " SHELL("bytes", "printf '\\\\377'", ""));
	ASSERT_CALL(&shop, "echo.echo", "{\"a\":[1,\"x\"]}", TOOL_OK, "{\"a\":[1,\"x\"]}");
	ASSERT_CALL(&shop, "text.text", "{}", TOOL_OK, "\"two words\\nmore\"");
	ASSERT_CALL(&shop, "none.none", "{}", TOOL_OK, "\"\"");
	ASSERT_CALL(&shop, "twice.twice", "{}", TOOL_OK, "\"{\\\"a\\\":1,\\\"a\\\":2}\"");
	ASSERT_CALL(&shop, "bytes.bytes", "{}", TOOL_FAILED,
		"its output is neither JSON nor UTF-8 text");
	workshop_close(&shop);
}

static void
a_command_that_fails_says_its_last_words(void **state)
{
	struct workshop shop;

	workshop_open(&shop, NULL,
		SHELL("words", "echo first >&2; echo last >&2; exit 3", "") ", " SHELL(
			"silent", "exit 4", "") ", " SHELL("killed", "kill -9 $$",
			"") ", "
			    "\"gone\": {\"command\": [\"no-such-command-here\"], \"description\": "
			    "\"d\"%USER%}");
	ASSERT_CALL(&shop, "words.words", "{}", TOOL_FAILED, "last");
	ASSERT_CALL(&shop, "silent.silent", "{}", TOOL_FAILED, "it ended with status 4");
	ASSERT_CALL(&shop, "killed.killed", "{}", TOOL_UNKNOWN, "it was killed by signal 9");
	ASSERT_CALL(&shop, "gone.gone", "{}", TOOL_FAILED,
		"start no-such-command-here: No such file or directory");
	workshop_close(&shop);
}

static void
a_command_is_bounded_in_time_and_output(void **state)
{
	struct workshop shop;

	workshop_open(&shop, NULL,
		SHELL("slow", "sleep 600", ", \"timeout_s\": 1") ", " SHELL("flood", "yes", ""));
	ASSERT_CALL(
		&shop, "slow.slow", "{}", TOOL_TIMED_OUT, "it took longer than its timeout_s of 1");
	ASSERT_CALL(&shop, "flood.flood", "{}", TOOL_FAILED, "it wrote more than 4194304 bytes");
	workshop_close(&shop);
}

static void
a_large_argument_reaches_a_command_whole(void **state)
{
	struct workshop shop;
	struct answer answer;
	AUTO_BUF struct buf args;

	workshop_open(&shop, NULL, SHELL("count", "wc -c", "") ", " SHELL("deaf", "echo 1", ""));
	buf_init(&args, BUF_UNBOUNDED);
	buf_str(&args, "{\"a\":\"");
	for (int i = 0; i < 500000; i++)
		buf_byte(&args, 'x');
	buf_str(&args, "\"}");
	workshop_call(&shop, "count.count", args.data, &answer);
	assert_int_equal(answer.outcome, TOOL_OK);
	assert_string_equal(answer.text, "500009");
	workshop_call(&shop, "deaf.deaf", args.data, &answer);
	assert_string_equal(answer.text, "1");
	workshop_close(&shop);
}

static void
a_cancelled_command_is_unknown_and_what_waits_is_cancelled(void **state)
{
	struct answer running, waiting;
	struct workshop shop;

	workshop_open(&shop, NULL, SHELL("slow", "sleep 600", ""));
	workshop_start(&shop, "slow.slow", "{}", &running);
	workshop_start(&shop, "slow.slow", "{}", &waiting);
	registry_cancel(shop.registry);
	TURN_UNTIL(&shop, running.there && waiting.there);
	assert_int_equal(running.outcome, TOOL_UNKNOWN);
	assert_int_equal(waiting.outcome, TOOL_CANCELLED);
	workshop_start(&shop, "slow.slow", "{}", &running);
	workshop_close(&shop);
	assert_false(running.there);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_effect_comes_from_a_mark_an_annotation_or_is_mutate),
		cmocka_unit_test(digests_are_of_the_definition_and_the_file),
		cmocka_unit_test(a_bare_name_is_unique_and_hides_nothing),
		cmocka_unit_test(tools_are_found_by_their_whole_name_only),
		cmocka_unit_test(a_session_without_tools_is_ready),
		cmocka_unit_test(a_schema_that_cannot_be_used_fails_its_server_alone),
		cmocka_unit_test(a_commands_output_is_json_or_text),
		cmocka_unit_test(a_command_that_fails_says_its_last_words),
		cmocka_unit_test(a_command_is_bounded_in_time_and_output),
		cmocka_unit_test(a_large_argument_reaches_a_command_whole),
		cmocka_unit_test(a_cancelled_command_is_unknown_and_what_waits_is_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
