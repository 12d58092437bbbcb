/*
 * The gate against a model of a few lines, through many random turns: every call gets one verdict
 * and no more than one permit, nothing runs that was not allowed or approved, nothing is approved
 * once its program has ended, and what waits and what tightens is as the model says.
 */
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

#define CALLS_MAX 400
#define TOOLS 3
#define KINDS 4 /* of arguments */
#define TIMEOUT_MS 50
#define MAX_DENIALS 2

enum state { FRESH, WAITS, APPROVED, DENIED };

struct call {
	enum state state;
	int tool, kind;
	int64_t left_ms; /* -1: for ever */
	unsigned verdicts, permits;
};

struct model {
	struct gate *gate;
	struct call calls[CALLS_MAX];
	call_id last;
	bool ended;
	bool denied[TOOLS][KINDS]; /* in this run, so that it tightens */
	unsigned denials[TOOLS];
	int64_t now_ms, ticked_ms;
	uint64_t seed;
	bool ticking; /* verdicts by timeout are due */
	unsigned approvals, refusals;
};

static const struct tool_facts tools[TOOLS] = {
	{ .full = "a.read", .server = "a", .name = "read", .effect = EFFECT_READ },
	{ .full = "a.write", .server = "a", .name = "write", .effect = EFFECT_MUTATE },
	{ .full = "b.write", .server = "b", .name = "write", .effect = EFFECT_MUTATE },
};

/* Two spellings of each kind, equal as JSON. */
static const char *const arguments[KINDS][2] = {
	{ "{}", "{}" },
	{ "{\"n\":1}", "{\"n\":1.0}" },
	{ "{\"n\":2,\"s\":\"a\"}", "{\"s\":\"\\u0061\",\"n\":2}" },
	{ "{\"n\":[3]}", "{\"n\":[30e-1]}" },
};

static unsigned
pick(struct model *model, unsigned count)
{
	model->seed ^= model->seed << 13;
	model->seed ^= model->seed >> 7;
	model->seed ^= model->seed << 17;
	return (unsigned)(model->seed >> 33) % count;
}

static struct digest
bind_of(call_id call)
{
	struct digest bind;

	hash_bytes(&call, sizeof(call), &bind);
	return bind;
}

static struct call *
first_waiting(struct model *model)
{
	for (call_id call = 1; call <= model->last; call++)
		if (model->calls[call].state == WAITS)
			return &model->calls[call];
	return NULL;
}

static void
model_deny(struct model *model, struct call *call, bool tightens)
{
	call->state = DENIED;
	call->verdicts++;
	if (!tightens)
		return;
	model->denied[call->tool][call->kind] = true;
	model->denials[call->tool]++;
}

static bool
everything_waits(const struct model *model)
{
	for (int i = 0; i < TOOLS; i++)
		if (model->denials[i] >= MAX_DENIALS)
			return true;
	return false;
}

static void
on_decided(const struct gate_verdict *verdict, void *arg)
{
	struct model *model = arg;
	struct call *call = &model->calls[verdict->call];

	assert_int_equal(verdict->verdict, VERDICT_DENY);
	assert_int_equal(call->state, WAITS);
	assert_ptr_equal(call, first_waiting(model));
	assert_int_equal(verdict->by, model->ticking ? BY_TIMEOUT : BY_ENDED);
	model_deny(model, call, model->ticking);
}

static int
expected_outcome(const struct model *model, const struct call *call, const struct ruling *ruling)
{
	if (model->ended)
		return -1;
	if (ruling->action == ACTION_DENY || model->denied[call->tool][call->kind])
		return GATE_DENIED;
	if (ruling->action == ACTION_ASK || everything_waits(model))
		return GATE_HELD;
	return ruling->why == RULED_RULE && model->denials[call->tool] > 0 ? GATE_HELD
									   : GATE_ALLOWED;
}

static struct ruling
some_ruling(struct model *model, int tool)
{
	struct ruling ruling = { .action = (enum action)pick(model, 3), .why = RULED_RULE };

	if (pick(model, 4) == 0) {
		ruling.why = RULED_DEFAULT;
		ruling.action = tools[tool].effect == EFFECT_READ ? ACTION_ALLOW : ACTION_ASK;
	}
	if (pick(model, 8) == 0)
		ruling.timeout_ms = -1;
	return ruling;
}

static void
turn_submit(struct model *model)
{
	struct call *call = &model->calls[model->last + 1];
	struct ruling ruling;
	struct gate_request request;
	struct permit *permit;
	struct gate_call held;
	struct gate_verdict denied;
	int outcome;

	*call = (struct call){ .tool = (int)pick(model, TOOLS), .kind = (int)pick(model, KINDS) };
	ruling = some_ruling(model, call->tool);
	request = (struct gate_request){ model->last + 1, &tools[call->tool],
		arguments[call->kind][pick(model, 2)], 0, bind_of(model->last + 1), &ruling };
	request.args_len = strlen(request.args);
	outcome = gate_submit(
		model->gate, &request, model->now_ms * NS_PER_MS, &permit, &held, &denied, NULL);

	assert_int_equal(outcome, expected_outcome(model, call, &ruling));
	assert_int_equal(permit != NULL, outcome == GATE_ALLOWED);
	if (outcome < 0)
		return;
	if (outcome == GATE_HELD && !first_waiting(model))
		model->ticked_ms = model->now_ms;
	model->last++;
	call->left_ms = ruling.timeout_ms < 0 ? -1 : TIMEOUT_MS;
	call->state = outcome == GATE_HELD ? WAITS : outcome == GATE_DENIED ? DENIED : APPROVED;
	call->verdicts += outcome != GATE_HELD;
	call->permits += permit != NULL;
	permit_free(permit);
}

/* Mostly one that waits; now and then any, decided or not there at all. */
static call_id
some_call(struct model *model)
{
	struct gate_call held;
	size_t waiting = gate_held(model->gate);

	if (waiting > 0 && pick(model, 4) > 0 &&
		gate_held_at(model->gate, pick(model, (unsigned)waiting), &held))
		return held.call;
	return 1 + pick(model, (unsigned)model->last + 1);
}

static void
turn_decide(struct model *model)
{
	static const enum decided_by whose[] = { BY_PERSON, BY_PERSON, BY_PERSON, BY_REVIEWER,
		BY_TIMEOUT, BY_LIMIT };
	call_id number = some_call(model);
	struct call *call = &model->calls[number];
	bool wrong = pick(model, 5) == 0;
	struct digest bind = bind_of(wrong ? number + 1 : number);
	enum verdict verdict = pick(model, 2) ? VERDICT_APPROVE : VERDICT_DENY;
	enum decided_by by = whose[pick(model, ARRAY_SIZE(whose))];
	bool can = verdict == VERDICT_DENY || by == BY_PERSON || by == BY_REVIEWER;
	struct permit *permit;
	int decided = gate_decide(model->gate, number, &bind, verdict, by, NULL, &permit, NULL);

	assert_int_equal(decided == 0, call->state == WAITS && !wrong && can);
	assert_int_equal(permit != NULL, decided == 0 && verdict == VERDICT_APPROVE);
	if (decided < 0)
		return;
	if (verdict == VERDICT_DENY) {
		model_deny(model, call, by != BY_LIMIT);
		model->refusals++;
		return;
	}
	assert_int_equal(permit_call(permit), number);
	call->state = APPROVED;
	call->verdicts++;
	call->permits++;
	model->approvals++;
	permit_free(permit);
}

/* What the model expects of a tick, before the gate has its turn: on_decided() does the denying. */
static void
turn_tick(struct model *model)
{
	int64_t passed = model->now_ms - model->ticked_ms;
	struct call *call;
	int64_t next;

	model->ticking = true;
	next = gate_tick(model->gate, model->now_ms * NS_PER_MS);
	model->ticking = false;
	model->ticked_ms = model->now_ms;
	for (call_id i = 1; i <= model->last; i++) {
		if (model->calls[i].state == DENIED && model->calls[i].left_ms > 0) {
			/* Denied by this tick, since earlier ones were set to 0. */
			assert_true(passed >= model->calls[i].left_ms);
			passed -= model->calls[i].left_ms;
			model->calls[i].left_ms = 0;
		}
	}
	call = first_waiting(model);
	if (!call || call->left_ms < 0) {
		assert_int_equal(next, -1);
		return;
	}
	call->left_ms -= passed;
	assert_true(call->left_ms > 0);
	assert_int_equal(next, call->left_ms * NS_PER_MS);
}

/* Calls that were denied otherwise are out of turn_tick()'s sight. */
static void
settle(struct model *model)
{
	for (call_id i = 1; i <= model->last; i++)
		if (model->calls[i].state == DENIED)
			model->calls[i].left_ms = 0;
}

static void
turn_end(struct model *model)
{
	gate_end_program(model->gate, BY_ENDED, "over");
	assert_int_equal(gate_held(model->gate), 0);
	assert_null(first_waiting(model));
	model->ended = true;
}

static void
turn_begin(struct model *model)
{
	if (!model->ended)
		return;
	model->ended = false;
	if (pick(model, 2)) {
		gate_next_program(model->gate);
		return;
	}
	gate_next_run(model->gate);
	memset(model->denied, 0, sizeof(model->denied));
	memset(model->denials, 0, sizeof(model->denials));
}

static void
check_state(struct model *model)
{
	struct gate_call held;
	size_t index = 0;

	for (call_id i = 1; i <= model->last; i++) {
		const struct call *call = &model->calls[i];

		assert_int_equal(call->verdicts, call->state == WAITS ? 0 : 1);
		assert_int_equal(call->permits, call->state == APPROVED ? 1 : 0);
		assert_int_equal(gate_find(model->gate, i, &held), call->state == WAITS);
		if (call->state != WAITS)
			continue;
		assert_int_equal(held.left_ms, call->left_ms);
		assert_true(gate_held_at(model->gate, index++, &held));
		assert_int_equal(held.call, i);
	}
	assert_int_equal(gate_held(model->gate), index);
}

static void
one_turn(struct model *model)
{
	unsigned die = pick(model, 100);

	/* As callers do: time is told before anything else happens. */
	model->now_ms += pick(model, 4);
	turn_tick(model);
	if (die < 50 && model->last + 2 < CALLS_MAX)
		turn_submit(model);
	else if (die < 90 && model->last + 2 < CALLS_MAX)
		turn_decide(model);
	else if (die < 93)
		turn_end(model);
	else if (die < 99)
		turn_begin(model);
	else
		model->now_ms += 2 * TIMEOUT_MS;
	settle(model);
	check_state(model);
}

static void
the_gate_does_as_its_model_through_random_turns(void **state)
{
	struct gate_limits limits = { TIMEOUT_MS, 1000, MAX_DENIALS };
	unsigned approvals = 0;
	unsigned refusals = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		AUTO_FREE struct model *model = mem_zero(1, sizeof(*model));

		model->seed = seed * UINT64_C(0x9e3779b97f4a7c15);
		model->gate = gate_new(&limits, &(struct gate_hooks){ on_decided, model });
		for (int i = 0; i < 600; i++)
			one_turn(model);
		gate_free(model->gate);
		approvals += model->approvals;
		refusals += model->refusals;
	}
	assert_true(approvals > 500);
	assert_true(refusals > 500);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_gate_does_as_its_model_through_random_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
