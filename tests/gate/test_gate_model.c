/*
 * The gate against a model of a few lines, through many random turns: every call gets one verdict
 * and no more than one permit, nothing runs that was not allowed or approved, nothing is approved
 * once its program has ended, and what waits and what tightens is as the model says.  Calls are
 * edited and taken back: what a permit carries is what was last made of the call, nothing is
 * approved under an older bind, and what a rule denies of an edit does not run.  The person goes
 * away and comes back.
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
	int tool, kind, spelling;
	int asked_kind, asked_spelling; /* while edited */
	bool edited;
	unsigned version, versions; /* of the bind; 0: as asked */
	bool for_absence;           /* waits for that alone */
	enum ruled_why why;
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
	bool away;
	unsigned approvals, refusals, edits, edits_denied, let_go;
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
bind_of(call_id call, unsigned version)
{
	uint64_t both[2] = { call, version };
	struct digest bind;

	hash_bytes(both, sizeof(both), &bind);
	return bind;
}

/* The bind of now, or one that is not: of an earlier or later version, or of another call. */
static struct digest
some_bind(struct model *model, call_id call, bool wrong)
{
	unsigned version = model->calls[call].version;

	if (!wrong)
		return bind_of(call, version);
	if (version > 0 && pick(model, 2))
		return bind_of(call, pick(model, version));
	return pick(model, 2) ? bind_of(call, version + 1) : bind_of(call + 1, 0);
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
	if (call->edited)
		model->denied[call->tool][call->asked_kind] = true;
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

static bool
tightened(const struct model *model, int tool, enum ruled_why why)
{
	return everything_waits(model) || (why == RULED_RULE && model->denials[tool] > 0);
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
	if (ruling->action == ACTION_ASK || tightened(model, call->tool, ruling->why))
		return GATE_HELD;
	return model->away ? GATE_HELD : GATE_ALLOWED;
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

	*call = (struct call){ .tool = (int)pick(model, TOOLS),
		.kind = (int)pick(model, KINDS),
		.spelling = (int)pick(model, 2) };
	ruling = some_ruling(model, call->tool);
	call->why = ruling.why;
	request = (struct gate_request){ model->last + 1, &tools[call->tool],
		arguments[call->kind][call->spelling], 0, bind_of(model->last + 1, 0), &ruling };
	request.args_len = strlen(request.args);
	outcome = gate_submit(
		model->gate, &request, model->now_ms * NS_PER_MS, &permit, &held, &denied, NULL);

	assert_int_equal(outcome, expected_outcome(model, call, &ruling));
	assert_int_equal(permit != NULL, outcome == GATE_ALLOWED);
	if (outcome < 0)
		return;
	call->for_absence = outcome == GATE_HELD && ruling.action == ACTION_ALLOW &&
			    !tightened(model, call->tool, ruling.why);
	assert_true(outcome != GATE_HELD || (held.why == HELD_AWAY) == call->for_absence);
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

/* The permit is for the bytes and the bind that the call had last; takes it. */
static void
approved(struct model *model, struct call *call, call_id number, struct permit *permit)
{
	const char *expected = arguments[call->kind][call->spelling];
	struct digest bind = bind_of(number, call->version);
	size_t len;
	const char *args = permit_args(permit, &len);

	assert_int_equal(permit_call(permit), number);
	assert_int_equal(len, strlen(expected));
	assert_memory_equal(args, expected, len);
	assert_true(digest_equal(permit_bind(permit), &bind));
	call->state = APPROVED;
	call->verdicts++;
	call->permits++;
	permit_free(permit);
}

static void
turn_decide(struct model *model)
{
	static const enum decided_by whose[] = { BY_PERSON, BY_PERSON, BY_PERSON, BY_REVIEWER,
		BY_TIMEOUT, BY_LIMIT };
	call_id number = some_call(model);
	struct call *call = &model->calls[number];
	bool wrong = pick(model, 5) == 0;
	struct digest bind = some_bind(model, number, wrong);
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
	approved(model, call, number, permit);
	model->approvals++;
}

/* Other arguments for a call, or those it was asked with. */
static void
turn_edit(struct model *model)
{
	call_id number = some_call(model);
	struct call *call = &model->calls[number];
	bool wrong = pick(model, 5) == 0;
	bool back = pick(model, 3) == 0;
	int kind = back ? call->asked_kind : (int)pick(model, KINDS);
	int spelling = back ? call->asked_spelling : (int)pick(model, 2);
	struct ruling ruling = some_ruling(model, call->tool);
	struct gate_change change = {
		.call = number,
		.back = back,
		.args = arguments[kind][spelling],
		.args_len = strlen(arguments[kind][spelling]),
		.seen = some_bind(model, number, wrong),
		.bind = bind_of(number, back ? 0 : call->versions + 1),
		.ruling = &ruling,
	};
	struct gate_verdict denied;
	int outcome = gate_edit(model->gate, &change, &denied, NULL);

	assert_int_equal(outcome >= 0, call->state == WAITS && !wrong && (!back || call->edited));
	if (outcome < 0)
		return;
	model->edits++;
	if (!call->edited) {
		call->asked_kind = call->kind;
		call->asked_spelling = call->spelling;
	}
	call->edited = !back;
	call->kind = kind;
	call->spelling = spelling;
	call->for_absence = false;
	call->version = back ? 0 : ++call->versions;
	if (ruling.action != ACTION_DENY && !model->denied[call->tool][kind]) {
		assert_int_equal(outcome, GATE_HELD);
		return;
	}
	assert_int_equal(outcome, GATE_DENIED);
	assert_int_equal(denied.by, ruling.action == ACTION_DENY ? BY_RULE : BY_EARLIER);
	model_deny(model, call, false);
	model->edits_denied++;
}

/* The first that goes because the person is back; others in front of it wait on.  0: none. */
static call_id
next_to_go(struct model *model)
{
	for (call_id i = 1; i <= model->last && !model->away; i++) {
		struct call *call = &model->calls[i];

		if (call->state != WAITS || !call->for_absence)
			continue;
		call->for_absence = false;
		if (model->denied[call->tool][call->kind] ||
			!tightened(model, call->tool, call->why))
			return i;
	}
	return 0;
}

static void
turn_away(struct model *model)
{
	struct permit *permit;
	struct gate_verdict verdict;
	call_id number;

	model->away = !model->away;
	gate_away(model->gate, model->away, model->now_ms * NS_PER_MS);
	assert_int_equal(gate_is_away(model->gate), model->away);
	while ((number = next_to_go(model))) {
		struct call *call = &model->calls[number];
		bool denied = model->denied[call->tool][call->kind];

		assert_true(gate_next_away(model->gate, &permit, &verdict));
		assert_int_equal(verdict.call, number);
		assert_int_equal(permit != NULL, !denied);
		assert_int_equal(verdict.by, denied                       ? BY_EARLIER
					     : call->why == RULED_DEFAULT ? BY_DEFAULT
									  : BY_RULE);
		model->let_go++;
		if (denied)
			model_deny(model, call, false);
		else
			approved(model, call, number, permit);
	}
	assert_false(gate_next_away(model->gate, &permit, &verdict));
}

/* What the model expects of a tick, before the gate has its turn: on_decided() does the denying. */
static void
turn_tick(struct model *model)
{
	int64_t passed = model->away ? 0 : model->now_ms - model->ticked_ms;
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
	if (!call || call->left_ms < 0 || model->away) {
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
		assert_int_equal(held.asked != NULL, call->edited);
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
	else if (die < 77 && model->last + 2 < CALLS_MAX)
		turn_decide(model);
	else if (die < 88 && model->last + 2 < CALLS_MAX)
		turn_edit(model);
	else if (die < 90)
		turn_away(model);
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
	unsigned edits = 0;
	unsigned edits_denied = 0;
	unsigned let_go = 0;

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
		edits += model->edits;
		edits_denied += model->edits_denied;
		let_go += model->let_go;
	}
	assert_true(approvals > 500);
	assert_true(refusals > 500);
	assert_true(edits > 500);
	assert_true(edits_denied > 100);
	assert_true(let_go > 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_gate_does_as_its_model_through_random_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
