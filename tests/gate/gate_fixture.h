/* A gate for the tests of its parts, with what it told by itself. */
#ifndef TESTS_GATE_GATE_FIXTURE_H
#define TESTS_GATE_GATE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/gate.h"

#define GATE_MAYBE __attribute__((unused)) /* no test uses all of it */
#define GATE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

GATE_MAYBE static const struct ruling asked = { .action = ACTION_ASK, .why = RULED_RULE };
GATE_MAYBE static const struct ruling asked_by_default = { .action = ACTION_ASK,
	.why = RULED_DEFAULT };
GATE_MAYBE static const struct ruling asked_as_unknown = { .action = ACTION_ASK,
	.why = RULED_UNKNOWN };
GATE_MAYBE static const struct ruling allowed = { .action = ACTION_ALLOW, .why = RULED_RULE };
GATE_MAYBE static const struct ruling read_by_default = { .action = ACTION_ALLOW,
	.why = RULED_DEFAULT };
GATE_MAYBE static const struct ruling denied = {
	.action = ACTION_DENY, .why = RULED_RULE, .reason = "never"
};

/* A gate and what it told by itself. */
struct fixture {
	struct gate *gate;
	struct gate_verdict told[32];
	size_t told_count;
	/* of the last submit */
	struct permit *permit;
	struct gate_call held;
	struct gate_verdict denied;
	struct err err;
};

GATE_MAYBE static void
on_decided(const struct gate_verdict *verdict, void *arg)
{
	struct fixture *fixture = arg;

	assert_true(fixture->told_count < ARRAY_SIZE(fixture->told));
	fixture->told[fixture->told_count++] = *verdict;
}

GATE_MAYBE static int
set_up(void **state)
{
	struct fixture *fixture = mem_zero(1, sizeof(*fixture));
	struct gate_limits limits = { .timeout_ms = 1000, .max_pending = 3, .max_denials = 2 };

	fixture->gate = gate_new(&limits, &(struct gate_hooks){ on_decided, fixture });
	*state = fixture;
	return 0;
}

GATE_MAYBE static int
tear_down(void **state)
{
	struct fixture *fixture = *state;

	permit_free(fixture->permit);
	gate_free(fixture->gate);
	free(fixture);
	return 0;
}

GATE_MAYBE static struct digest
bind_of(call_id call)
{
	struct digest bind;

	hash_bytes(&call, sizeof(call), &bind);
	return bind;
}

GATE_MAYBE static int
submit_at(struct fixture *fixture, call_id call, const struct tool_facts *tool, const char *args,
	const struct ruling *ruling)
{
	struct gate_request request = {
		.call = call,
		.tool = tool,
		.args = args,
		.args_len = strlen(args),
		.bind = bind_of(call),
		.ruling = ruling,
	};

	permit_free(fixture->permit);
	fixture->permit = NULL;
	return gate_submit(fixture->gate, &request, 0, &fixture->permit, &fixture->held,
		&fixture->denied, &fixture->err);
}

GATE_MAYBE static int
decide(struct fixture *fixture, call_id call, enum verdict verdict, enum decided_by by,
	const char *reason)
{
	struct digest bind = bind_of(call);

	permit_free(fixture->permit);
	fixture->permit = NULL;
	return gate_decide(
		fixture->gate, call, &bind, verdict, by, reason, &fixture->permit, &fixture->err);
}

GATE_MAYBE static int64_t
left_of(struct fixture *fixture, call_id call)
{
	struct gate_call held;

	assert_true(gate_find(fixture->gate, call, &held));
	return held.left_ms;
}

#endif
