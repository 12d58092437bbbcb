#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/tools/workshop.h"

static const char source[] =
	"import os, sys, time\n"
	"from tollbridge import tool\n"
	"@tool(read_only=True)\n"
	"def same(value=None):\n    return value\n"
	"def fails():\n    raise ValueError('on purpose')\n"
	"def dies():\n    print('going', file=sys.stderr)\n    os._exit(9)\n"
	"def waits():\n    time.sleep(600)\n"
	"def leaves():\n    sys.exit('bye')\n"
	"def shuts():\n    os.closerange(0, 65536)\n"
	"def lies():\n"
	"    for fd in range(4, 4096):\n"
	"        try: os.write(fd, b'1 nonsense\\n')\n"
	"        except OSError: pass\n"
	"def odd():\n    return {'1': [1.5, '\\u00e9\\n']}\n"
	"def whoami():\n    return [os.getuid() == 0, os.getcwd(), sys.path[0]]\n"
	"def env():\n    return sorted(k for k in os.environ if k.startswith('TB_'))\n";

#define PYTHON "\"kit\": {\"python\": \"tools.py\", \"timeout_s\": 60%USER%}"

static void
a_call_gives_its_value(void **state)
{
	struct workshop shop;

	workshop_open(&shop, source, PYTHON);
	assert_string_equal(shop.states, "kit:starting kit:ready");
	ASSERT_CALL(&shop, "kit.same", "{\"value\":[1,{\"a\":null}]}", TOOL_OK, "[1,{\"a\":null}]");
	ASSERT_CALL(&shop, "kit.same", "{}", TOOL_OK, "null");
	ASSERT_CALL(&shop, "kit.odd", "{}", TOOL_OK, "{\"1\":[1.5,\"\\u00e9\\n\"]}");
	workshop_close(&shop);
}

static void
a_tool_that_raises_has_failed_and_the_next_call_works(void **state)
{
	struct workshop shop;

	workshop_open(&shop, source, PYTHON);
	ASSERT_CALL(&shop, "kit.fails", "{}", TOOL_FAILED, "ValueError: on purpose (tools.py:7)");
	ASSERT_CALL(&shop, "kit.leaves", "{}", TOOL_FAILED,
		"the tool called sys.exit(bye) (tools.py:14)");
	ASSERT_CALL(&shop, "kit.same", "{\"value\":1}", TOOL_OK, "1");
	assert_string_equal(shop.states, "kit:starting kit:ready");
	workshop_close(&shop);
}

static void
a_lost_process_makes_its_call_unknown_and_is_started_for_the_next(void **state)
{
	struct workshop shop;

	workshop_open(&shop, source, PYTHON);
	ASSERT_CALL(&shop, "kit.dies", "{}", TOOL_UNKNOWN,
		"its process ended with status 9; its last words: going");
	TURN_UNTIL(&shop, strstr(shop.states, "kit:died"));
	ASSERT_CALL(&shop, "kit.same", "{\"value\":2}", TOOL_OK, "2");
	assert_string_equal(shop.states, "kit:starting kit:ready kit:died kit:starting kit:ready");
	workshop_close(&shop);
}

static void
what_waited_behind_a_lost_call_still_runs(void **state)
{
	struct answer first, second;
	struct workshop shop;

	workshop_open(&shop, source, PYTHON);
	workshop_start(&shop, "kit.dies", "{}", &first);
	workshop_start(&shop, "kit.same", "{\"value\":3}", &second);
	TURN_UNTIL(&shop, first.there && second.there);
	assert_int_equal(first.outcome, TOOL_UNKNOWN);
	assert_int_equal(second.outcome, TOOL_OK);
	assert_string_equal(second.text, "3");
	workshop_close(&shop);
}

static void
a_call_past_its_time_is_killed(void **state)
{
	struct workshop shop;

	workshop_open(&shop, source, "\"kit\": {\"python\": \"tools.py\", \"timeout_s\": 1%USER%}");
	ASSERT_CALL(&shop, "kit.waits", "{}", TOOL_TIMED_OUT,
		"kit.waits took longer than its timeout_s of 1");
	ASSERT_CALL(&shop, "kit.same", "{\"value\":4}", TOOL_OK, "4");
	workshop_close(&shop);
}

static void
a_tool_that_closes_or_misuses_its_line_is_lost(void **state)
{
	struct answer answer;
	struct workshop shop;

	workshop_open(&shop, source, PYTHON);
	workshop_call(&shop, "kit.shuts", "{}", &answer);
	assert_int_equal(answer.outcome, TOOL_UNKNOWN);
	workshop_call(&shop, "kit.lies", "{}", &answer);
	assert_int_equal(answer.outcome, TOOL_UNKNOWN);
	ASSERT_CALL(&shop, "kit.same", "{\"value\":5}", TOOL_OK, "5");
	workshop_close(&shop);
}

static void
a_cancelled_run_ends_what_waits_and_what_runs(void **state)
{
	struct answer running, waiting;
	struct workshop shop;

	workshop_open(&shop, source, PYTHON);
	workshop_start(&shop, "kit.waits", "{}", &running);
	workshop_start(&shop, "kit.same", "{}", &waiting);
	registry_cancel(shop.registry);
	assert_false(running.there || waiting.there);
	TURN_UNTIL(&shop, running.there && waiting.there);
	assert_int_equal(running.outcome, TOOL_UNKNOWN);
	assert_int_equal(waiting.outcome, TOOL_CANCELLED);
	ASSERT_CALL(&shop, "kit.same", "{\"value\":6}", TOOL_OK, "6");
	workshop_close(&shop);
}

static void
the_registry_may_go_while_calls_run(void **state)
{
	struct answer running;
	struct workshop shop;

	workshop_open(&shop, source, PYTHON);
	workshop_start(&shop, "kit.waits", "{}", &running);
	workshop_close(&shop);
	assert_false(running.there);
}

static void
a_process_has_the_configured_place_user_and_environment(void **state)
{
	struct answer answer;
	struct workshop shop;
	AUTO_FREE char *wanted = NULL;

	setenv("TB_SECRET", "1", 1);
	workshop_open(&shop, source,
		"\"kit\": {\"python\": \"tools.py\", \"env\": {\"TB_OWN\": \"x\"}%USER%}");
	wanted = mem_printf("[false,\"%s\",\"%s\"]", shop.scratch.folder, shop.scratch.folder);
	workshop_call(&shop, "kit.whoami", "{}", &answer);
	assert_string_equal(answer.text, wanted);
	ASSERT_CALL(&shop, "kit.env", "{}", TOOL_OK, "[\"TB_OWN\"]");
	workshop_close(&shop);
}

static void
a_file_that_cannot_be_offered_fails_with_its_words(void **state)
{
	struct workshop shop;

	workshop_open(&shop, "def f(a: bytes): pass\n", PYTHON);
	assert_string_equal(shop.states, "kit:starting kit:failed");
	assert_non_null(strstr(shop.error, "f, parameter a: bytes has no JSON form"));
	assert_int_equal(registry_count(shop.registry), 0);
	assert_false(registry_not_isolated(shop.registry));
	workshop_close(&shop);
}

static void
an_interpreter_that_is_no_python_fails(void **state)
{
	struct workshop shop;

	workshop_open(&shop, source,
		"\"kit\": {\"python\": \"tools.py\", \"interpreter\": \"/bin/false\"%USER%}");
	assert_string_equal(shop.states, "kit:starting kit:failed");
	assert_non_null(strstr(shop.error, "status 1"));
	workshop_close(&shop);
}

static void
calls_run_one_at_a_time_unless_parallel(void **state)
{
	static const char meeting[] = "import os, time\n"
				      "def first():\n"
				      "    while not os.path.exists('/tmp/met-%d' % os.getpid()):\n"
				      "        time.sleep(0.01)\n"
				      "    os.unlink('/tmp/met-%d' % os.getpid())\n"
				      "def second():\n"
				      "    open('/tmp/met-%d' % os.getpid(), 'w').close()\n";
	struct answer first, second;
	struct workshop shop;

	workshop_open(
		&shop, meeting, "\"kit\": {\"python\": \"tools.py\", \"parallel\": true%USER%}");
	workshop_start(&shop, "kit.first", "{}", &first);
	workshop_start(&shop, "kit.second", "{}", &second);
	TURN_UNTIL(&shop, first.there && second.there);
	assert_int_equal(first.outcome, TOOL_OK);
	assert_int_equal(second.outcome, TOOL_OK);
	workshop_close(&shop);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_gives_its_value),
		cmocka_unit_test(a_tool_that_raises_has_failed_and_the_next_call_works),
		cmocka_unit_test(a_lost_process_makes_its_call_unknown_and_is_started_for_the_next),
		cmocka_unit_test(what_waited_behind_a_lost_call_still_runs),
		cmocka_unit_test(a_call_past_its_time_is_killed),
		cmocka_unit_test(a_tool_that_closes_or_misuses_its_line_is_lost),
		cmocka_unit_test(a_cancelled_run_ends_what_waits_and_what_runs),
		cmocka_unit_test(the_registry_may_go_while_calls_run),
		cmocka_unit_test(a_process_has_the_configured_place_user_and_environment),
		cmocka_unit_test(a_file_that_cannot_be_offered_fails_with_its_words),
		cmocka_unit_test(an_interpreter_that_is_no_python_fails),
		cmocka_unit_test(calls_run_one_at_a_time_unless_parallel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
