#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/gate.h"
#include "tests/gate/gate_fixture.h"
#include "tests/gate/sample_facts.h"

static void
an_allowed_call_gets_a_permit_with_its_own_bytes(void **state)
{
	struct fixture *fixture = *state;
	char args[] = "{\"a\":\"\\u0000\"}";
	struct digest bind = bind_of(1);
	size_t len;

	assert_int_equal(submit_at(fixture, 1, &apply_raise, args, &allowed), GATE_ALLOWED);
	memset(args, 'x', sizeof(args) - 1);

	assert_int_equal(permit_call(fixture->permit), 1);
	assert_ptr_equal(permit_tool(fixture->permit), &apply_raise);
	assert_string_equal(permit_args(fixture->permit, &len), "{\"a\":\"\\u0000\"}");
	assert_int_equal(len, 14);
	assert_true(digest_equal(permit_bind(fixture->permit), &bind));
	assert_int_equal(gate_held(fixture->gate), 0);
}

static void
a_denied_call_gets_the_rules_reason_and_no_permit(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(submit_at(fixture, 1, &wipe, "{}", &denied), GATE_DENIED);

	assert_null(fixture->permit);
	assert_int_equal(fixture->denied.by, BY_RULE);
	assert_int_equal(fixture->denied.call, 1);
	assert_string_equal(fixture->denied.reason, "never");
}

static void
a_held_call_says_why_and_what_it_wants(void **state)
{
	struct fixture *fixture = *state;
	struct ruling strict = {
		.action = ACTION_ASK, .confirm_code = true, .person_only = true, .timeout_ms = -1
	};

	assert_int_equal(submit_at(fixture, 1, &apply_raise, "{}", &asked_by_default), GATE_HELD);
	assert_int_equal(fixture->held.why, HELD_DEFAULT);
	assert_false(fixture->held.confirm_code);
	assert_false(fixture->held.person_only);
	assert_int_equal(fixture->held.timeout_ms, 1000);
	assert_int_equal(submit_at(fixture, 2, &wipe, "{}", &asked_as_unknown), GATE_HELD);
	assert_int_equal(fixture->held.why, HELD_UNKNOWN);
	assert_true(fixture->held.confirm_code);
	assert_int_equal(submit_at(fixture, 3, &apply_raise, "{}", &strict), GATE_HELD);
	assert_int_equal(fixture->held.why, HELD_RULE);
	assert_true(fixture->held.confirm_code);
	assert_true(fixture->held.person_only);
	assert_int_equal(fixture->held.timeout_ms, -1);
	assert_int_equal(fixture->held.left_ms, -1);
	assert_null(fixture->permit);
}

static void
a_call_number_is_taken_once(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(submit_at(fixture, 5, &apply_raise, "{}", &allowed), GATE_ALLOWED);
	assert_int_equal(submit_at(fixture, 5, &apply_raise, "{}", &allowed), -1);
	assert_int_equal(fixture->err.kind, ERR_STATE);
	assert_null(fixture->permit);
	assert_int_equal(submit_at(fixture, 4, &apply_raise, "{}", &asked), -1);
	assert_int_equal(gate_held(fixture->gate), 0);
}

static void
a_verdict_is_given_once(void **state)
{
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{}", &asked);
	assert_int_equal(decide(fixture, 1, VERDICT_APPROVE, BY_PERSON, NULL), 0);
	assert_non_null(fixture->permit);

	assert_int_equal(decide(fixture, 1, VERDICT_APPROVE, BY_PERSON, NULL), -1);
	assert_null(fixture->permit);
	assert_int_equal(fixture->err.kind, ERR_STATE);
	assert_non_null(strstr(fixture->err.text, "decided before: approve by person"));
	assert_int_equal(decide(fixture, 1, VERDICT_DENY, BY_REVIEWER, NULL), -1);
}

static void
a_decision_on_what_never_waited_is_missing(void **state)
{
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{}", &allowed);
	assert_int_equal(decide(fixture, 1, VERDICT_APPROVE, BY_PERSON, NULL), -1);
	assert_int_equal(fixture->err.kind, ERR_MISSING);
	assert_int_equal(decide(fixture, 77, VERDICT_APPROVE, BY_PERSON, NULL), -1);
	assert_int_equal(fixture->err.kind, ERR_MISSING);
}

static void
a_decision_on_other_bytes_decides_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct digest other = bind_of(2);
	struct permit *permit;

	submit_at(fixture, 1, &apply_raise, "{}", &asked);
	assert_int_equal(gate_decide(fixture->gate, 1, &other, VERDICT_APPROVE, BY_PERSON, NULL,
				 &permit, &fixture->err),
		-1);
	assert_null(permit);
	assert_int_equal(fixture->err.kind, ERR_MISMATCH);
	assert_int_equal(gate_decide(fixture->gate, 1, &other, VERDICT_DENY, BY_PERSON, NULL,
				 &permit, &fixture->err),
		-1);
	assert_int_equal(gate_held(fixture->gate), 1);
}

static void
silence_and_ends_cannot_approve(void **state)
{
	static const enum decided_by silent[] = { BY_RULE, BY_DEFAULT, BY_BUDGET, BY_LIMIT,
		BY_INVALID, BY_TIMEOUT, BY_EARLIER, BY_SIGNAL, BY_ENDED };
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{}", &asked);
	for (size_t i = 0; i < ARRAY_SIZE(silent); i++) {
		assert_int_equal(decide(fixture, 1, VERDICT_APPROVE, silent[i], NULL), -1);
		assert_int_equal(fixture->err.kind, ERR_REFUSED);
		assert_null(fixture->permit);
	}
	assert_int_equal(decide(fixture, 1, VERDICT_APPROVE, BY_REVIEWER, NULL), 0);
}

static void
no_machine_approves_what_is_for_a_person(void **state)
{
	struct ruling person = { .action = ACTION_ASK, .person_only = true };
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{}", &person);
	assert_int_equal(decide(fixture, 1, VERDICT_APPROVE, BY_REVIEWER, NULL), -1);
	assert_int_equal(decide(fixture, 1, VERDICT_APPROVE, BY_GRANT, NULL), -1);
	assert_null(fixture->permit);
	assert_int_equal(decide(fixture, 1, VERDICT_APPROVE, BY_PERSON, NULL), 0);
	assert_non_null(fixture->permit);
}

static void
calls_wait_in_order_of_arrival(void **state)
{
	struct fixture *fixture = *state;
	struct gate_call held;

	for (call_id call = 1; call <= 3; call++)
		submit_at(fixture, call, &apply_raise, "{}", &asked);
	assert_true(gate_full(fixture->gate));
	decide(fixture, 2, VERDICT_APPROVE, BY_PERSON, NULL);

	assert_false(gate_full(fixture->gate));
	assert_true(gate_held_at(fixture->gate, 0, &held));
	assert_int_equal(held.call, 1);
	assert_true(gate_held_at(fixture->gate, 1, &held));
	assert_int_equal(held.call, 3);
	assert_false(gate_held_at(fixture->gate, 2, &held));
	assert_false(gate_find(fixture->gate, 2, &held));
}

static void
time_runs_only_for_the_first(void **state)
{
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{\"n\":1}", &asked);
	submit_at(fixture, 2, &apply_raise, "{\"n\":2}", &asked);
	assert_int_equal(gate_tick(fixture->gate, 400 * NS_PER_MS), 600 * NS_PER_MS);
	assert_int_equal(left_of(fixture, 1), 600);
	assert_int_equal(left_of(fixture, 2), 1000);

	gate_tick(fixture->gate, 500 * NS_PER_MS);
	decide(fixture, 1, VERDICT_APPROVE, BY_PERSON, NULL);
	assert_int_equal(gate_tick(fixture->gate, 700 * NS_PER_MS), 800 * NS_PER_MS);
	assert_int_equal(left_of(fixture, 2), 800);
	assert_int_equal(fixture->told_count, 0);
}

static void
time_passed_is_a_denial_by_timeout(void **state)
{
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{\"n\":1}", &asked);
	submit_at(fixture, 2, &apply_raise, "{\"n\":2}", &asked);
	assert_int_equal(gate_tick(fixture->gate, 1000 * NS_PER_MS - 1), 1);
	assert_int_equal(fixture->told_count, 0);
	assert_int_equal(gate_tick(fixture->gate, 1300 * NS_PER_MS), 700 * NS_PER_MS);

	assert_int_equal(fixture->told_count, 1);
	assert_int_equal(fixture->told[0].call, 1);
	assert_int_equal(fixture->told[0].verdict, VERDICT_DENY);
	assert_int_equal(fixture->told[0].by, BY_TIMEOUT);
	assert_int_equal(decide(fixture, 1, VERDICT_APPROVE, BY_PERSON, NULL), -1);
	assert_non_null(strstr(fixture->err.text, "deny by timeout"));
	assert_int_equal(gate_tick(fixture->gate, 9000 * NS_PER_MS), -1);
	assert_int_equal(fixture->told_count, 2);
}

static void
a_call_without_a_time_waits_for_ever_and_holds_back_the_rest(void **state)
{
	struct ruling patient = { .action = ACTION_ASK, .timeout_ms = -1 };
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{}", &patient);
	submit_at(fixture, 2, &apply_raise, "{}", &asked);
	assert_int_equal(gate_tick(fixture->gate, INT64_MAX / 2), -1);
	assert_int_equal(fixture->told_count, 0);
	assert_int_equal(left_of(fixture, 2), 1000);
}

static void
a_clock_that_goes_back_gives_no_time(void **state)
{
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{}", &asked);
	gate_tick(fixture->gate, 500 * NS_PER_MS);
	gate_tick(fixture->gate, 100 * NS_PER_MS);
	assert_int_equal(left_of(fixture, 1), 500);
}

static void
the_time_before_a_call_came_is_not_its_own(void **state)
{
	struct fixture *fixture = *state;
	struct digest bind = bind_of(1);
	struct gate_request request = { 1, &apply_raise, "{}", 2, bind, &asked };

	gate_tick(fixture->gate, 0);
	assert_int_equal(gate_submit(fixture->gate, &request, 5000 * NS_PER_MS, &fixture->permit,
				 &fixture->held, &fixture->denied, &fixture->err),
		GATE_HELD);
	assert_int_equal(gate_tick(fixture->gate, 5100 * NS_PER_MS), 900 * NS_PER_MS);
}

static void
more_time_is_added_to_the_call_it_is_for(void **state)
{
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{}", &asked);
	submit_at(fixture, 2, &apply_raise, "{}", &asked);
	assert_int_equal(gate_extend(fixture->gate, 2, 5000, &fixture->err), 0);
	assert_int_equal(left_of(fixture, 1), 1000);
	assert_int_equal(left_of(fixture, 2), 6000);
	assert_int_equal(gate_extend(fixture->gate, 9, 5000, &fixture->err), -1);
	assert_int_equal(fixture->err.kind, ERR_MISSING);
	assert_int_equal(gate_extend(fixture->gate, 1, INT64_MAX / 2, &fixture->err), -1);
	assert_int_equal(fixture->err.kind, ERR_LIMIT);
	assert_int_equal(left_of(fixture, 1), 1000);
}

static void
what_waits_when_the_program_ends_is_denied_and_never_runs(void **state)
{
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{\"n\":1}", &asked);
	submit_at(fixture, 2, &apply_raise, "{\"n\":2}", &asked);
	gate_end_program(fixture->gate, BY_ENDED, "the program ended");

	assert_int_equal(fixture->told_count, 2);
	assert_int_equal(fixture->told[1].call, 2);
	assert_int_equal(fixture->told[1].by, BY_ENDED);
	assert_string_equal(fixture->told[1].reason, "the program ended");
	assert_int_equal(gate_held(fixture->gate), 0);
	assert_int_equal(decide(fixture, 1, VERDICT_APPROVE, BY_PERSON, NULL), -1);
	assert_int_equal(fixture->err.kind, ERR_STATE);
	assert_non_null(strstr(fixture->err.text, "program has ended"));
	assert_int_equal(submit_at(fixture, 3, &apply_raise, "{}", &allowed), -1);
	assert_null(fixture->permit);
	gate_next_program(fixture->gate);
	assert_int_equal(submit_at(fixture, 3, &apply_raise, "{\"n\":1}", &allowed), GATE_ALLOWED);
}

static void
an_equal_call_is_denied_with_the_same_reason(void **state)
{
	struct fixture *fixture = *state;
	char reason[4001];

	memset(reason, 'r', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	submit_at(fixture, 1, &apply_raise, "{\"n\":1,\"who\":\"Ada\"}", &asked);
	decide(fixture, 1, VERDICT_DENY, BY_PERSON, reason);

	assert_int_equal(
		submit_at(fixture, 2, &apply_raise, "{\"who\":\"\\u0041da\",\"n\":1.0}", &allowed),
		GATE_DENIED);
	assert_int_equal(fixture->denied.by, BY_EARLIER);
	assert_string_equal(fixture->denied.reason, reason);
	assert_int_equal(submit_at(fixture, 3, &apply_raise, "{\"n\":1,\"who\":\"Eve\"}", &asked),
		GATE_HELD);
	assert_int_equal(
		submit_at(fixture, 4, &wipe, "{\"n\":1,\"who\":\"Ada\"}", &asked), GATE_HELD);
}

static void
a_denied_tool_loses_its_allow_rules_but_not_the_default(void **state)
{
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{\"n\":1}", &asked);
	decide(fixture, 1, VERDICT_DENY, BY_PERSON, NULL);
	submit_at(fixture, 2, &get_employee, "{\"n\":1}", &asked);
	decide(fixture, 2, VERDICT_DENY, BY_PERSON, NULL);

	assert_int_equal(submit_at(fixture, 3, &apply_raise, "{\"n\":2}", &allowed), GATE_HELD);
	assert_int_equal(fixture->held.why, HELD_DENIALS);
	assert_int_equal(
		submit_at(fixture, 4, &get_employee, "{\"n\":2}", &read_by_default), GATE_ALLOWED);
	assert_int_equal(submit_at(fixture, 5, &wipe, "{\"n\":2}", &allowed), GATE_ALLOWED);
}

static void
after_too_many_denials_of_one_tool_everything_waits(void **state)
{
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{\"n\":1}", &asked);
	decide(fixture, 1, VERDICT_DENY, BY_PERSON, NULL);
	submit_at(fixture, 2, &apply_raise, "{\"n\":1}", &asked);
	submit_at(fixture, 3, &wipe, "{\"n\":1}", &asked);
	decide(fixture, 3, VERDICT_DENY, BY_REVIEWER, NULL);
	assert_int_equal(
		submit_at(fixture, 4, &get_employee, "{}", &read_by_default), GATE_ALLOWED);

	submit_at(fixture, 5, &apply_raise, "{\"n\":2}", &asked);
	gate_tick(fixture->gate, 2000 * NS_PER_MS);
	assert_int_equal(fixture->told[0].by, BY_TIMEOUT);
	assert_int_equal(submit_at(fixture, 6, &get_employee, "{}", &read_by_default), GATE_HELD);
	assert_int_equal(fixture->held.why, HELD_DENIALS);
	assert_int_equal(submit_at(fixture, 7, &wipe, "{\"n\":9}", &denied), GATE_DENIED);
	gate_end_program(fixture->gate, BY_ENDED, "");
	gate_next_program(fixture->gate);
	assert_int_equal(submit_at(fixture, 8, &get_employee, "{}", &read_by_default), GATE_HELD);
}

static void
denials_by_rule_limit_or_end_do_not_tighten(void **state)
{
	static const enum decided_by others[] = { BY_LIMIT, BY_BUDGET, BY_SIGNAL, BY_ENDED };
	struct fixture *fixture = *state;
	call_id call = 0;

	submit_at(fixture, ++call, &apply_raise, "{}", &denied);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		submit_at(fixture, ++call, &apply_raise, "{}", &asked);
		assert_int_equal(decide(fixture, call, VERDICT_DENY, others[i], NULL), 0);
	}
	assert_int_equal(submit_at(fixture, ++call, &apply_raise, "{}", &allowed), GATE_ALLOWED);
}

static void
a_new_run_forgets_what_tightened(void **state)
{
	struct fixture *fixture = *state;

	for (call_id call = 1; call <= 2; call++) {
		AUTO_FREE char *args = mem_printf("{\"n\":%d}", (int)call);

		submit_at(fixture, call, &apply_raise, args, &asked);
		decide(fixture, call, VERDICT_DENY, BY_PERSON, NULL);
	}
	assert_int_equal(submit_at(fixture, 3, &wipe, "{}", &allowed), GATE_HELD);
	gate_end_program(fixture->gate, BY_ENDED, "");
	gate_next_run(fixture->gate);

	assert_int_equal(submit_at(fixture, 4, &apply_raise, "{\"n\":1}", &allowed), GATE_ALLOWED);
	assert_int_equal(submit_at(fixture, 5, &wipe, "{}", &allowed), GATE_ALLOWED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GATE_TEST(an_allowed_call_gets_a_permit_with_its_own_bytes),
		GATE_TEST(a_denied_call_gets_the_rules_reason_and_no_permit),
		GATE_TEST(a_held_call_says_why_and_what_it_wants),
		GATE_TEST(a_call_number_is_taken_once),
		GATE_TEST(a_verdict_is_given_once),
		GATE_TEST(a_decision_on_what_never_waited_is_missing),
		GATE_TEST(a_decision_on_other_bytes_decides_nothing),
		GATE_TEST(silence_and_ends_cannot_approve),
		GATE_TEST(no_machine_approves_what_is_for_a_person),
		GATE_TEST(calls_wait_in_order_of_arrival),
		GATE_TEST(time_runs_only_for_the_first),
		GATE_TEST(time_passed_is_a_denial_by_timeout),
		GATE_TEST(a_call_without_a_time_waits_for_ever_and_holds_back_the_rest),
		GATE_TEST(a_clock_that_goes_back_gives_no_time),
		GATE_TEST(the_time_before_a_call_came_is_not_its_own),
		GATE_TEST(more_time_is_added_to_the_call_it_is_for),
		GATE_TEST(what_waits_when_the_program_ends_is_denied_and_never_runs),
		GATE_TEST(an_equal_call_is_denied_with_the_same_reason),
		GATE_TEST(a_denied_tool_loses_its_allow_rules_but_not_the_default),
		GATE_TEST(after_too_many_denials_of_one_tool_everything_waits),
		GATE_TEST(denials_by_rule_limit_or_end_do_not_tighten),
		GATE_TEST(a_new_run_forgets_what_tightened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
