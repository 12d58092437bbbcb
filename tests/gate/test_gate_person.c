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
#include "core/gate/gate.h"
#include "tests/gate/gate_fixture.h"
#include "tests/gate/sample_facts.h"

static void
what_waits_for_ever_takes_no_more_time(void **state)
{
	struct fixture *fixture = *state;
	struct ruling patient = asked;

	patient.timeout_ms = -1;
	submit_at(fixture, 1, &apply_raise, "{}", &patient);
	assert_int_equal(gate_extend(fixture->gate, 1, 5000, &fixture->err), -1);
	assert_int_equal(fixture->err.kind, ERR_REFUSED);
}

/* A change of call 1, from its first bind to one of its own. */
static int
edit(struct fixture *fixture, const char *args, const struct ruling *ruling)
{
	struct gate_change change = {
		.call = 1,
		.args = args,
		.args_len = strlen(args),
		.seen = bind_of(1),
		.bind = bind_of(1001),
		.ruling = ruling,
	};

	return gate_edit(fixture->gate, &change, &fixture->denied, &fixture->err);
}

static void
an_edit_waits_under_its_own_bind_whatever_rules_allow(void **state)
{
	struct fixture *fixture = *state;
	struct digest bind = bind_of(1001);
	size_t len;

	submit_at(fixture, 1, &apply_raise, "{\"a\":1}", &asked);
	assert_int_equal(edit(fixture, "{\"a\":2}", &allowed), GATE_HELD);
	assert_int_equal(decide(fixture, 1, VERDICT_APPROVE, BY_PERSON, NULL), -1);
	assert_int_equal(fixture->err.kind, ERR_MISMATCH);
	assert_int_equal(gate_decide(fixture->gate, 1, &bind, VERDICT_APPROVE, BY_PERSON, NULL,
				 &fixture->permit, &fixture->err),
		0);
	assert_string_equal(permit_args(fixture->permit, &len), "{\"a\":2}");
	assert_true(digest_equal(permit_bind(fixture->permit), &bind));
}

static void
an_edit_that_a_rule_denies_is_denied_and_does_not_tighten(void **state)
{
	struct fixture *fixture = *state;

	submit_at(fixture, 1, &apply_raise, "{\"a\":1}", &asked);
	assert_int_equal(edit(fixture, "{\"a\":2}", &denied), GATE_DENIED);
	assert_int_equal(fixture->denied.by, BY_RULE);
	assert_string_equal(fixture->denied.reason, "never");
	assert_int_equal(gate_held(fixture->gate), 0);
	assert_int_equal(submit_at(fixture, 2, &apply_raise, "{\"a\":1}", &allowed), GATE_ALLOWED);
}

static void
an_edit_is_confirmed_as_its_own_rule_says(void **state)
{
	struct fixture *fixture = *state;
	struct ruling strict = asked;
	struct gate_call held;

	strict.confirm_code = true;
	strict.person_only = true;
	submit_at(fixture, 1, &apply_raise, "{\"a\":1}", &asked);
	assert_int_equal(edit(fixture, "{\"a\":2}", &strict), GATE_HELD);
	assert_true(gate_find(fixture->gate, 1, &held));
	assert_true(held.confirm_code && held.person_only);
	assert_int_equal(held.left_ms, 1000);
}

static void
the_denial_of_an_edit_covers_what_was_asked_too(void **state)
{
	struct fixture *fixture = *state;
	struct digest bind = bind_of(1001);

	submit_at(fixture, 1, &apply_raise, "{\"a\":1}", &asked);
	assert_int_equal(edit(fixture, "{\"a\":2}", &asked), GATE_HELD);
	assert_int_equal(gate_decide(fixture->gate, 1, &bind, VERDICT_DENY, BY_PERSON, "no",
				 &fixture->permit, &fixture->err),
		0);
	assert_int_equal(submit_at(fixture, 2, &apply_raise, "{\"a\":1}", &asked), GATE_DENIED);
	assert_int_equal(submit_at(fixture, 3, &apply_raise, "{\"a\":2}", &asked), GATE_DENIED);
	assert_int_equal(submit_at(fixture, 4, &apply_raise, "{\"a\":3}", &asked), GATE_HELD);
}

static void
nothing_goes_and_no_time_passes_while_the_person_is_away(void **state)
{
	struct fixture *fixture = *state;
	struct permit *permit;
	struct gate_verdict verdict;

	submit_at(fixture, 1, &apply_raise, "{\"a\":1}", &asked);
	gate_away(fixture->gate, true, 400 * NS_PER_MS);
	assert_int_equal(submit_at(fixture, 2, &apply_raise, "{\"a\":2}", &allowed), GATE_HELD);
	assert_int_equal(fixture->held.why, HELD_AWAY);
	assert_int_equal(submit_at(fixture, 3, &apply_raise, "{\"a\":3}", &denied), GATE_DENIED);
	assert_int_equal(gate_tick(fixture->gate, 9000 * NS_PER_MS), -1);
	assert_false(gate_next_away(fixture->gate, &permit, &verdict));
	assert_int_equal(left_of(fixture, 1), 600);

	gate_away(fixture->gate, false, 9000 * NS_PER_MS);
	assert_true(gate_next_away(fixture->gate, &permit, &verdict));
	assert_int_equal(verdict.call, 2);
	assert_int_equal(verdict.by, BY_RULE);
	assert_int_equal(permit_call(permit), 2);
	permit_free(permit);
	assert_false(gate_next_away(fixture->gate, &permit, &verdict));
	assert_int_equal(gate_tick(fixture->gate, 9000 * NS_PER_MS), 600 * NS_PER_MS);
}

static void
a_raise_lets_nothing_go_whose_equal_was_denied_meanwhile(void **state)
{
	struct fixture *fixture = *state;
	struct gate_request over = {
		.call = 2,
		.tool = &get_employee,
		.args = "{\"a\":1}",
		.args_len = 7,
		.bind = bind_of(2),
		.ruling = &read_by_default,
		.over_budget = true,
	};
	struct gate_call held;

	submit_at(fixture, 1, &get_employee, "{\"a\":1}", &asked);
	assert_int_equal(gate_submit(fixture->gate, &over, 0, &fixture->permit, &fixture->held,
				 &fixture->denied, &fixture->err),
		GATE_HELD);
	assert_int_equal(decide(fixture, 1, VERDICT_DENY, BY_PERSON, "no"), 0);
	assert_int_equal(gate_admit(fixture->gate, 2, &read_by_default, &fixture->permit, &held,
				 &fixture->err),
		GATE_HELD);
	assert_int_equal(held.why, HELD_DENIALS);
	assert_int_equal(decide(fixture, 2, VERDICT_APPROVE, BY_PERSON, NULL), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GATE_TEST(what_waits_for_ever_takes_no_more_time),
		GATE_TEST(an_edit_waits_under_its_own_bind_whatever_rules_allow),
		GATE_TEST(an_edit_that_a_rule_denies_is_denied_and_does_not_tighten),
		GATE_TEST(an_edit_is_confirmed_as_its_own_rule_says),
		GATE_TEST(the_denial_of_an_edit_covers_what_was_asked_too),
		GATE_TEST(nothing_goes_and_no_time_passes_while_the_person_is_away),
		GATE_TEST(a_raise_lets_nothing_go_whose_equal_was_denied_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
