/*
 * What comes in and what goes out: submitting, deciding, permits.  Two lists: calls that are held,
 * in order of arrival, and verdicts that were given (so that a second decision can be told who
 * decided).
 */
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/gate_state.h"

struct permit {
	call_id call;
	const struct tool_facts *tool;
	char *args;
	size_t args_len;
	struct digest bind;
};

struct gate *
gate_new(const struct gate_limits *limits, const struct gate_hooks *hooks)
{
	struct gate *gate = mem_zero(1, sizeof(*gate));

	gate->limits = *limits;
	gate->hooks = *hooks;
	gate->denials = denials_new();
	return gate;
}

static void
held_free(struct held *held)
{
	free(held->args);
	free(held->asked);
	free(held);
}

void
gate_free(struct gate *gate)
{
	if (!gate)
		return;
	while (gate->first) {
		struct held *held = gate->first;

		gate->first = held->next;
		held_free(held);
	}
	denials_free(gate->denials);
	free(gate->past);
	free(gate);
}

/* --- permits --- */

static struct permit *
permit_new(call_id call, const struct tool_facts *tool, const char *args, size_t args_len,
	const struct digest *bind)
{
	struct permit *permit = mem_zero(1, sizeof(*permit));

	permit->call = call;
	permit->tool = tool;
	permit->args = mem_strn(args, args_len);
	permit->args_len = args_len;
	permit->bind = *bind;
	return permit;
}

call_id
permit_call(const struct permit *permit)
{
	return permit->call;
}

const struct tool_facts *
permit_tool(const struct permit *permit)
{
	return permit->tool;
}

const char *
permit_args(const struct permit *permit, size_t *len)
{
	*len = permit->args_len;
	return permit->args;
}

const struct digest *
permit_bind(const struct permit *permit)
{
	return &permit->bind;
}

void
permit_free(struct permit *permit)
{
	if (!permit)
		return;
	free(permit->args);
	free(permit);
}

/* --- what was decided --- */

static void
remember(struct gate *gate, call_id call, enum verdict verdict, enum decided_by by)
{
	if (gate->past_count == gate->past_room) {
		gate->past_room = gate->past_room ? gate->past_room * 2 : 16;
		gate->past = mem_grow(gate->past, gate->past_room, sizeof(*gate->past));
	}
	gate->past[gate->past_count++] = (struct past){ call, verdict, by };
}

static const struct past *
past_find(const struct gate *gate, call_id call)
{
	for (size_t i = 0; i < gate->past_count; i++)
		if (gate->past[i].call == call)
			return &gate->past[i];
	return NULL;
}

static bool
tightens(const struct held *held, enum decided_by by)
{
	if (held->facts.why == HELD_BUDGET)
		return false;
	return by == BY_PERSON || by == BY_REVIEWER || by == BY_TIMEOUT;
}

/* Taken out of the queue by the caller's search; freed by whoever decides. */
static void
take_out(struct gate *gate, const struct held *held)
{
	struct held **link = &gate->first;

	while (*link != held)
		link = &(*link)->next;
	*link = held->next;
	gate->held_count--;
}

static void
deny_at_once(struct gate_verdict *denied, call_id call, enum decided_by by, const char *reason)
{
	*denied = (struct gate_verdict){
		.call = call, .verdict = VERDICT_DENY, .by = by, .reason = reason
	};
}

static void
tighten(struct gate *gate, const struct held *held, const char *reason)
{
	struct denied_call call = {
		.tool = held->facts.tool,
		.args = held->args,
		.args_len = held->facts.args_len,
		.asked = held->asked,
		.asked_len = held->facts.asked_len,
	};

	denials_add(gate->denials, &call, reason);
}

/* The list is right before anybody hears of it. */
void
gate_deny_held(struct gate *gate, struct held *held, enum decided_by by, const char *reason,
	struct gate_verdict *denied)
{
	take_out(gate, held);
	remember(gate, held->facts.call, VERDICT_DENY, by);
	if (tightens(held, by))
		tighten(gate, held, reason);
	deny_at_once(denied, held->facts.call, by, reason);
	held_free(held);
}

/* --- the door --- */

/* A tool that was denied before loses its allow rules; its default stays, which allows only reads.
 */
static bool
denied_too_often(const struct gate *gate, const struct tool_facts *tool, enum ruled_why ruled)
{
	if (denials_reach(gate->denials, gate->limits.max_denials))
		return true;
	return ruled == RULED_RULE && denials_of(gate->denials, tool) > 0;
}

static bool
wants_code(const struct tool_facts *tool, const struct ruling *ruling)
{
	return ruling->confirm_code || tool->destructive_marked;
}

bool
gate_tightened(const struct gate *gate, const struct tool_facts *tool)
{
	return denials_reach(gate->denials, gate->limits.max_denials) ||
	       denials_of(gate->denials, tool) > 0;
}

/* Does the call wait, and why? */
static bool
must_wait(const struct gate *gate, const struct gate_request *request, enum held_why *why)
{
	static const enum held_why of_ruling[] = {
		[RULED_RULE] = HELD_RULE,
		[RULED_DEFAULT] = HELD_DEFAULT,
		[RULED_UNKNOWN] = HELD_UNKNOWN,
	};

	*why = HELD_BUDGET;
	if (request->over_budget)
		return true;
	*why = HELD_REPEAT;
	if (request->repeat_of != 0)
		return true;
	*why = of_ruling[request->ruling->why];
	if (request->ruling->action != ACTION_ALLOW)
		return true;
	*why = HELD_DENIALS;
	if (denied_too_often(gate, request->tool, request->ruling->why))
		return true;
	*why = HELD_AWAY;
	return gate->away;
}

/* Of a call that must wait: does a grant speak for it?  Only in place of a key, and only where
 * nothing but the ruling asks. */
static bool
grant_counts(const struct gate *gate, const struct gate_request *request)
{
	if (request->grant == 0 || request->ruling->action != ACTION_ASK)
		return false;
	if (request->over_budget || request->repeat_of != 0 || gate->away ||
		gate_tightened(gate, request->tool))
		return false;
	return !wants_code(request->tool, request->ruling) && !request->ruling->person_only;
}

static int64_t
own_timeout(const struct gate *gate, const struct ruling *ruling)
{
	return ruling->timeout_ms != 0 ? ruling->timeout_ms : gate->limits.timeout_ms;
}

static int64_t
left_ms(const struct held *held)
{
	return held->left_ns < 0 ? -1 : (held->left_ns + NS_PER_MS - 1) / NS_PER_MS;
}

void
gate_describe(const struct held *held, struct gate_call *out)
{
	*out = held->facts;
	out->args = held->args;
	out->asked = held->asked;
	out->left_ms = left_ms(held);
}

static struct held *
hold(struct gate *gate, const struct gate_request *request, enum held_why why, int64_t now)
{
	struct held *held = mem_zero(1, sizeof(*held));
	struct held **link = &gate->first;
	int64_t timeout_ms = own_timeout(gate, request->ruling);

	held->args = mem_strn(request->args, request->args_len);
	held->left_ns = timeout_ms < 0 ? -1 : timeout_ms * NS_PER_MS;
	held->ruled = request->ruling->why;
	held->away_alone = why == HELD_AWAY;
	held->facts = (struct gate_call){
		.call = request->call,
		.tool = request->tool,
		.args_len = request->args_len,
		.bind = request->bind,
		.why = why,
		.repeat_of = request->repeat_of,
		.confirm_code = wants_code(request->tool, request->ruling),
		.person_only = request->ruling->person_only,
		.timeout_ms = timeout_ms,
	};
	if (!gate->first)
		gate->ticked = now;
	while (*link)
		link = &(*link)->next;
	*link = held;
	gate->held_count++;
	return held;
}

struct held *
gate_held_call(const struct gate *gate, call_id call)
{
	for (struct held *held = gate->first; held; held = held->next)
		if (held->facts.call == call)
			return held;
	return NULL;
}

int
gate_submit(struct gate *gate, const struct gate_request *request, int64_t now,
	struct permit **permit, struct gate_call *held, struct gate_verdict *denied,
	struct err *err)
{
	const char *earlier;
	enum held_why why;
	bool waits, granted;

	*permit = NULL;
	if (request->call <= gate->newest)
		return err_set(err, ERR_STATE, "call %llu was seen before",
			(unsigned long long)request->call);
	if (gate->ended)
		return err_set(err, ERR_STATE, "the program has ended");
	gate->newest = request->call;
	if (request->ruling->action == ACTION_DENY) {
		deny_at_once(denied, request->call, BY_RULE, request->ruling->reason);
		return GATE_DENIED;
	}
	earlier = denials_equal(gate->denials, request->tool, request->args, request->args_len);
	if (earlier) {
		deny_at_once(denied, request->call, BY_EARLIER, earlier);
		return GATE_DENIED;
	}
	waits = must_wait(gate, request, &why);
	granted = waits && grant_counts(gate, request);
	if (waits && !granted) {
		gate_describe(hold(gate, request, why, now), held);
		return GATE_HELD;
	}
	*permit = permit_new(
		request->call, request->tool, request->args, request->args_len, &request->bind);
	return granted ? GATE_GRANTED : GATE_ALLOWED;
}

/* Who can say yes.  A timeout, an end or a limit cannot, whatever a caller asks for. */
static bool
may_approve(const struct held *held, enum decided_by by)
{
	if (held->facts.person_only)
		return by == BY_PERSON;
	return by == BY_PERSON || by == BY_REVIEWER || by == BY_GRANT || by == BY_PLAN;
}

int
gate_why_not(const struct gate *gate, call_id call, struct err *err)
{
	const struct past *past = past_find(gate, call);

	if (!past)
		return err_set(err, ERR_MISSING, "call %llu does not wait for a decision",
			(unsigned long long)call);
	if (past->by == BY_ENDED)
		return err_set(err, ERR_STATE, "call %llu: its program has ended",
			(unsigned long long)call);
	return err_set(err, ERR_STATE, "call %llu was decided before: %s by %s",
		(unsigned long long)call, verdict_name(past->verdict), decided_by_name(past->by));
}

/* Is this verdict one that this call can get from them? */
static int
check_verdict(const struct held *held, enum verdict verdict, enum decided_by by, struct err *err)
{
	unsigned long long call = held->facts.call;

	if (verdict == VERDICT_DENY)
		return 0;
	if (held->facts.why == HELD_BUDGET)
		return err_set(err, ERR_REFUSED,
			"call %llu is past its budget, which must be raised first", call);
	if (verdict == VERDICT_REUSE && (held->facts.why != HELD_REPEAT || held->asked))
		return err_set(err, ERR_REFUSED,
			"call %llu repeats no earlier call whose result could answer it", call);
	if (verdict == VERDICT_REUSE ? by != BY_PERSON : !may_approve(held, by))
		return err_set(err, ERR_REFUSED, "call %llu cannot be approved by %s", call,
			decided_by_name(by));
	return 0;
}

/* Out of the queue; the permit is for the bytes that waited, under the bind that waited. */
static struct permit *
approve(struct gate *gate, struct held *held, enum decided_by by)
{
	const struct gate_call *facts = &held->facts;
	struct permit *permit;

	take_out(gate, held);
	remember(gate, facts->call, VERDICT_APPROVE, by);
	permit = permit_new(facts->call, facts->tool, held->args, facts->args_len, &facts->bind);
	held_free(held);
	return permit;
}

int
gate_decide(struct gate *gate, call_id call, const struct digest *bind, enum verdict verdict,
	enum decided_by by, const char *reason, struct permit **permit, struct err *err)
{
	struct held *held = gate_held_call(gate, call);
	struct gate_verdict denied;

	*permit = NULL;
	if (!held)
		return gate_why_not(gate, call, err);
	if (!digest_equal(&held->facts.bind, bind))
		return err_set(err, ERR_MISMATCH, "what was decided on is not what waits");
	if (check_verdict(held, verdict, by, err) < 0)
		return -1;
	if (verdict == VERDICT_DENY) {
		gate_deny_held(gate, held, by, reason, &denied);
	} else if (verdict == VERDICT_REUSE) {
		take_out(gate, held);
		remember(gate, call, verdict, by);
		held_free(held);
	} else {
		*permit = approve(gate, held, by);
	}
	return 0;
}

/* An edited call waits for the person, whatever rules allow; so does one whose equal was denied
 * meanwhile. */
int
gate_admit(struct gate *gate, call_id call, const struct ruling *ruling, struct permit **permit,
	struct gate_call *out, struct err *err)
{
	struct held *held = gate_held_call(gate, call);
	struct gate_request request = { .call = call, .ruling = ruling };
	bool waits;

	*permit = NULL;
	if (!held)
		return gate_why_not(gate, call, err);
	if (held->facts.why != HELD_BUDGET)
		return err_set(err, ERR_STATE, "call %llu is not held for its budget",
			(unsigned long long)call);
	request.tool = held->facts.tool;
	request.repeat_of = held->asked ? 0 : held->facts.repeat_of;
	waits = must_wait(gate, &request, &held->facts.why);
	if (!waits)
		held->facts.why = HELD_DEFAULT;
	if (denials_equal(gate->denials, request.tool, held->args, held->facts.args_len)) {
		held->facts.why = HELD_DENIALS;
		waits = true;
	}
	if (waits || held->asked) {
		held->ruled = ruling->why;
		held->away_alone = held->facts.why == HELD_AWAY && !held->asked;
		gate_describe(held, out);
		return GATE_HELD;
	}
	*permit = approve(gate, held, ruling->why == RULED_DEFAULT ? BY_DEFAULT : BY_RULE);
	return GATE_ALLOWED;
}

static struct held *
first_for_absence(const struct gate *gate)
{
	for (struct held *held = gate->first; held; held = held->next)
		if (held->away_alone)
			return held;
	return NULL;
}

bool
gate_next_away(struct gate *gate, struct permit **permit, struct gate_verdict *verdict)
{
	struct held *held;
	const char *earlier;

	*permit = NULL;
	while (!gate->away && (held = first_for_absence(gate))) {
		const struct gate_call *facts = &held->facts;

		earlier = denials_equal(gate->denials, facts->tool, held->args, facts->args_len);
		if (earlier) {
			gate_deny_held(gate, held, BY_EARLIER, earlier, verdict);
			return true;
		}
		held->away_alone = false;
		if (denied_too_often(gate, facts->tool, held->ruled))
			continue;
		*verdict = (struct gate_verdict){ facts->call, VERDICT_APPROVE,
			held->ruled == RULED_DEFAULT ? BY_DEFAULT : BY_RULE, "" };
		*permit = approve(gate, held, verdict->by);
		return true;
	}
	return false;
}

void
gate_next_program(struct gate *gate)
{
	gate->ended = false;
}

void
gate_next_run(struct gate *gate)
{
	gate->ended = false;
	denials_forget(gate->denials);
}

size_t
gate_held(const struct gate *gate)
{
	return gate->held_count;
}

bool
gate_full(const struct gate *gate)
{
	return gate->held_count >= gate->limits.max_pending;
}

bool
gate_held_at(const struct gate *gate, size_t index, struct gate_call *out)
{
	struct held *held = gate->first;

	while (held && index-- > 0)
		held = held->next;
	if (held)
		gate_describe(held, out);
	return held != NULL;
}

bool
gate_find(const struct gate *gate, call_id call, struct gate_call *out)
{
	const struct held *held = gate_held_call(gate, call);

	if (held)
		gate_describe(held, out);
	return held != NULL;
}

int
gate_waits(const struct gate *gate, call_id call, const struct digest *bind, struct gate_call *out,
	struct err *err)
{
	if (!gate_find(gate, call, out))
		return gate_why_not(gate, call, err);
	if (!digest_equal(&out->bind, bind))
		return err_set(err, ERR_MISMATCH, "what was shown is not what waits");
	return 0;
}
