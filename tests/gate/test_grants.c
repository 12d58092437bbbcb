/*
 * Grants through random bounds and arguments, against a reading of the bounds that shares nothing
 * with the gate's: what is covered is within, what is not closed is refused.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/gate/bounds.h"
#include "core/gate/gate.h"
#include "core/gate/grants.h"
#include "core/gate/repeats.h"
#include "tests/gate/sample_facts.h"

#define TURNS 3000

static uint64_t seed = 88172645463325252;

static int
pick(int count)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int)((seed >> 33) % (uint64_t)count);
}

static const char closed[] = "{\"type\":\"object\",\"properties\":{\"name\":{\"const\":\"Ada\"},"
			     "\"amount\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":9000}},"
			     "\"required\":[\"name\",\"amount\"],\"additionalProperties\":false}";

static bool
offer(struct grants *grants, const struct tool_facts *tool, int line, int64_t n, const char *args,
	const char *bounds)
{
	AUTO_JSON struct json *json = json_read(args, strlen(args), NULL);
	struct grant_offer offer = {
		.call = { tool, 1, line, json_root(json) },
		.n = n,
		.bounds = bounds,
		.bounds_len = strlen(bounds),
	};
	struct err err = { 0 };

	if (grants_check(grants, &offer, &err) < 0) {
		assert_true(err.text[0]);
		return false;
	}
	(void)grants_add(grants, &offer);
	return true;
}

static uint64_t
cover(struct grants *grants, const struct tool_facts *tool, unsigned attempt, int line,
	const char *args)
{
	AUTO_JSON struct json *json = json_read(args, strlen(args), NULL);
	struct grant_call call = { tool, attempt, line, json_root(json) };

	return grants_cover(grants, &call);
}

static struct grants *
begun(void)
{
	struct grants *grants = grants_new();

	grants_program(grants, 1);
	grants_site(grants, apply_raise.full, 7);
	return grants;
}

#define ADA "{\"name\":\"Ada\",\"amount\":9000}"

static void
what_is_covered_is_within_the_bounds(void **state)
{
	unsigned covered = 0;

	for (int turn = 0; turn < TURNS; turn++) {
		int low = pick(20) - 10, high = low + pick(10), own = low + pick(high - low + 1);
		int asked = pick(40) - 20, kind = pick(4);
		struct grants *grants = begun();
		char bounds[400], args[120], call[120];
		const char *extra = pick(4) ? "" : ",\"more\":1";
		const char *name = pick(3) ? "Ada" : "Bob";
		bool within;

		snprintf(bounds, sizeof(bounds),
			"{\"type\":\"object\",\"properties\":{\"name\":{\"const\":\"Ada\"},"
			"\"amount\":"
			"{\"type\":\"%s\",\"minimum\":%d,\"maximum\":%d}},\"required\":[\"amount\","
			"\"name\"],\"additionalProperties\":false}",
			pick(2) ? "integer" : "number", low, high);
		snprintf(args, sizeof(args), "{\"name\":\"Ada\",\"amount\":%d}", own);
		assert_true(offer(grants, &apply_raise, 7, 3, args, bounds));
		snprintf(call, sizeof(call),
			kind == 0   ? "{\"name\":\"%s\"%s}"
			: kind == 1 ? "{\"name\":\"%s\"%s,\"amount\":\"%d\"}"
				    : "{\"name\":\"%s\"%s,\"amount\":%d}",
			name, extra, asked);
		within = kind > 1 && !extra[0] && strcmp(name, "Ada") == 0 && asked >= low &&
			 asked <= high;
		assert_int_equal(cover(grants, &apply_raise, 1, 7, call) != 0, within);
		covered += within;
		grants_free(grants);
	}
	assert_true(covered > 100);
}

static void
bounds_that_leave_something_open_are_refused(void **state)
{
	static const char *const open[] = {
		"{}",
		"[]",
		"true",
		"",
		"{\"type\":\"object\",\"properties\":{},\"required\":[]}",
		"{\"type\":\"object\",\"properties\":{},\"required\":[],\"additionalProperties\":"
		"true}",
		"{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[\"a\"],"
		"\"additionalProperties\":false}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"const\":1}},\"required\":[],"
		"\"additionalProperties\":false}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"const\":1}},\"required\":[\"a\","
		"\"a\"],"
		"\"additionalProperties\":false}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":["
		"\"a\"],"
		"\"additionalProperties\":false}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"minimum\":1}},"
		"\"required\":[\"a\"],\"additionalProperties\":false}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"minimum\":2,"
		"\"maximum\":1}},\"required\":[\"a\"],\"additionalProperties\":false}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[]}},\"required\":[\"a\"],"
		"\"additionalProperties\":false}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[{\"b\":1}]}},\"required\":["
		"\"a\"],"
		"\"additionalProperties\":false}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"const\":1,\"not\":{}}},"
		"\"required\":[\"a\"],\"additionalProperties\":false}",
		"{\"type\":\"object\",\"anyOf\":[{}],\"properties\":{},\"required\":[],"
		"\"additionalProperties\":false}",
	};

	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
		struct err err = { 0 };

		assert_null(bounds_read(open[i], strlen(open[i]), &err));
		assert_true(err.text[0]);
	}
}

static void
a_grant_counts_down_and_then_covers_nothing(void **state)
{
	struct grants *grants = begun();

	assert_true(offer(grants, &apply_raise, 7, 2, ADA, closed));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(cover(grants, &apply_raise, 1, 7, ADA), 1);
		grants_use(grants, 1);
	}
	assert_int_equal(cover(grants, &apply_raise, 1, 7, ADA), 0);
	grants_free(grants);
}

static void
a_grant_is_for_one_tool_one_line_and_one_program(void **state)
{
	struct grants *grants = begun();
	struct tool_facts changed = apply_raise;

	changed.sha256.bytes[0] ^= 1;
	assert_false(offer(grants, &apply_raise, 8, 2, ADA, closed));
	assert_false(offer(grants, &apply_raise, 0, 2, ADA, closed));
	assert_false(offer(grants, &get_employee, 7, 2, ADA, closed));
	assert_false(offer(grants, &apply_raise, 7, 0, ADA, closed));
	assert_false(
		offer(grants, &apply_raise, 7, 2, "{\"name\":\"Ada\",\"amount\":9001}", closed));
	assert_true(offer(grants, &apply_raise, 7, 2, ADA, closed));
	assert_int_equal(cover(grants, &apply_raise, 1, 8, ADA), 0);
	assert_int_equal(cover(grants, &get_employee, 1, 7, ADA), 0);
	assert_int_equal(cover(grants, &changed, 1, 7, ADA), 0);
	assert_int_equal(cover(grants, &apply_raise, 2, 7, ADA), 0);
	assert_int_equal(cover(grants, &apply_raise, 1, 7, ADA), 1);
	grants_end_program(grants);
	assert_int_equal(cover(grants, &apply_raise, 1, 7, ADA), 0);
	grants_program(grants, 1);
	assert_int_equal(cover(grants, &apply_raise, 1, 7, ADA), 0);
	grants_free(grants);
}

static void
a_repeat_is_the_same_call_of_an_earlier_attempt_that_started(void **state)
{
	struct repeats *repeats = repeats_new();
	struct repeats_call call = { 3, 1, "a.b", "{\"x\":1,\"y\":2}", 13 };
	AUTO_JSON struct json *same = json_read("{\"y\":2.0,\"x\":1}", 15, NULL);
	AUTO_JSON struct json *other = json_read("{\"y\":2,\"x\":2}", 13, NULL);
	size_t len;

	repeats_started(repeats, &call);
	assert_int_equal(repeats_find(repeats, 1, "a.b", json_root(same)), 0);
	assert_int_equal(repeats_find(repeats, 2, "a.b", json_root(same)), 3);
	assert_int_equal(repeats_find(repeats, 2, "a.c", json_root(same)), 0);
	assert_int_equal(repeats_find(repeats, 2, "a.b", json_root(other)), 0);
	assert_null(repeats_result(repeats, 3, &len));
	repeats_result_is(repeats, 3, "\"r\"", 3);
	assert_string_equal(repeats_result(repeats, 3, &len), "\"r\"");
	repeats_forget(repeats);
	assert_int_equal(repeats_find(repeats, 2, "a.b", json_root(same)), 0);
	repeats_free(repeats);
}

static void
ignore(const struct gate_verdict *verdict, void *arg)
{
	(void)verdict;
	(void)arg;
}

/* What the gate makes of a call of this tool that grant 1 covers. */
static int
submitted(struct gate *gate, struct gate_request request, const struct tool_facts *tool,
	const struct ruling *ruling, struct gate_call *held)
{
	static call_id last;
	struct permit *permit = NULL;
	struct gate_verdict denied;
	struct err err = { 0 };
	int outcome;

	request.call = ++last;
	request.tool = tool;
	request.args = ADA;
	request.args_len = strlen(ADA);
	request.ruling = ruling;
	request.grant = 1;
	outcome = gate_submit(gate, &request, 0, &permit, held, &denied, &err);
	assert_int_equal(permit != NULL, outcome == GATE_ALLOWED || outcome == GATE_GRANTED);
	permit_free(permit);
	return outcome;
}

static void
a_grant_speaks_only_in_place_of_a_key(void **state)
{
	struct gate_limits limits = { .timeout_ms = -1, .max_pending = 64, .max_denials = 3 };
	struct gate *gate = gate_new(&limits, &(struct gate_hooks){ ignore, NULL });
	struct ruling ask = { .action = ACTION_ASK, .why = RULED_RULE };
	struct ruling deny = { .action = ACTION_DENY, .why = RULED_RULE };
	struct ruling code = { .action = ACTION_ASK, .confirm_code = true };
	struct ruling person = { .action = ACTION_ASK, .person_only = true };
	struct gate_request plain = { 0 }, repeat = { .repeat_of = 1 },
			    over = { .over_budget = true };
	struct gate_call held;
	struct permit *permit;
	struct err err = { 0 };

	assert_int_equal(submitted(gate, plain, &apply_raise, &ask, &held), GATE_GRANTED);
	assert_int_equal(submitted(gate, plain, &apply_raise, &deny, &held), GATE_DENIED);
	assert_int_equal(submitted(gate, plain, &apply_raise, &code, &held), GATE_HELD);
	assert_int_equal(submitted(gate, plain, &apply_raise, &person, &held), GATE_HELD);
	assert_int_equal(submitted(gate, plain, &wipe, &ask, &held), GATE_HELD);
	assert_int_equal(submitted(gate, repeat, &apply_raise, &ask, &held), GATE_HELD);
	assert_int_equal(held.why, HELD_REPEAT);
	assert_int_equal(submitted(gate, over, &apply_raise, &ask, &held), GATE_HELD);
	assert_int_equal(held.why, HELD_BUDGET);
	assert_int_equal(gate_decide(gate, held.call, &held.bind, VERDICT_APPROVE, BY_PERSON, NULL,
				 &permit, &err),
		-1);
	gate_away(gate, true, 0);
	assert_int_equal(submitted(gate, plain, &apply_raise, &ask, &held), GATE_HELD);
	gate_away(gate, false, 0);
	assert_int_equal(submitted(gate, plain, &apply_raise, &ask, &held), GATE_GRANTED);
	assert_int_equal(submitted(gate, plain, &apply_raise, &code, &held), GATE_HELD);
	assert_int_equal(gate_decide(gate, held.call, &held.bind, VERDICT_DENY, BY_PERSON, NULL,
				 &permit, &err),
		0);
	assert_true(gate_tightened(gate, &apply_raise));
	assert_int_not_equal(submitted(gate, plain, &apply_raise, &ask, &held), GATE_GRANTED);
	gate_free(gate);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_covered_is_within_the_bounds),
		cmocka_unit_test(bounds_that_leave_something_open_are_refused),
		cmocka_unit_test(a_grant_counts_down_and_then_covers_nothing),
		cmocka_unit_test(a_grant_is_for_one_tool_one_line_and_one_program),
		cmocka_unit_test(a_grant_speaks_only_in_place_of_a_key),
		cmocka_unit_test(a_repeat_is_the_same_call_of_an_earlier_attempt_that_started),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
