/*
 * One struct call for each request without an answer.  A call is in exactly one place: held by the
 * gate, running in a tool, or about to be answered and freed.  The record comes first at each step:
 * call_release() flushes before it spends the permit, and a flush that fails spends nothing.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/budget.h"
#include "core/gate/policy.h"
#include "core/gate/schema.h"
#include "core/run/bridge.h"
#include "core/run/calls_state.h"
#include "core/run/configuration.h"
#include "core/run/journal.h"
#include "core/tools/registry.h"
#include "core/tools/tool.h"

#define RUNNING_MAX 256 /* calls in tools at once; more wait in the bridge */
#define REFUSED_SINGLY 10
#define REFUSED_EVERY_NS (1000 * INT64_C(1000000))

/* Lines wait in the bridge while too much is held or runs. */
static void
pace(struct calls *calls)
{
	if (calls->bridge)
		bridge_pause(
			calls->bridge, gate_full(calls->gate) || calls->running >= RUNNING_MAX);
}

void
calls_changed(struct calls *calls)
{
	pace(calls);
	calls->hooks.on_change(calls->hooks.arg);
}

struct call *
call_find(const struct calls *calls, call_id number)
{
	for (struct call *call = calls->first; call; call = call->next)
		if (call->number == number)
			return call;
	return NULL;
}

void
call_free(struct call *call)
{
	struct call **link = &call->calls->first;

	while (*link != call)
		link = &(*link)->next;
	*link = call->next;
	if (call->bridge_id)
		call->calls->outstanding--;
	free(call);
}

/* The answer of a call that did not run or failed; frees it. */
void
call_answer_error(struct call *call, enum bridge_error code, const char *reason, const char *by)
{
	struct calls *calls = call->calls;

	if (call->bridge_id && calls->bridge)
		bridge_error(calls->bridge, call->bridge_id, code, reason, by);
	if (call->done)
		call->done(false, reason, strlen(reason), call->done_arg);
	call_free(call);
	calls_changed(calls);
}

static enum bridge_error
denial_code(enum decided_by by)
{
	switch (by) {
	case BY_BUDGET:
		return BRIDGE_BUDGET;
	case BY_INVALID:
		return BRIDGE_INVALID;
	default:
		return BRIDGE_DENIED;
	}
}

/* Deny without a person: record, answer, free. */
static void
deny(struct call *call, enum decided_by by, enum bridge_error code, const char *reason)
{
	struct calls *calls = call->calls;
	struct journal_decided decided = {
		.call = call->number,
		.bind = &call->bind,
		.verdict = VERDICT_DENY,
		.by = by,
		.reason = reason,
	};

	calls->run_denied++;
	journal_decided(calls->parts.journal, &decided);
	journal_end(calls->parts.journal, call->number, "denied", untrusted(NULL, 0), 0);
	call_answer_error(call, code, reason, decided_by_name(by));
}

static const char *
outcome_word(enum tool_outcome outcome)
{
	switch (outcome) {
	case TOOL_OK:
		return "ok";
	case TOOL_FAILED:
	case TOOL_TIMED_OUT:
		return "error";
	case TOOL_CANCELLED:
		return "cancelled";
	case TOOL_UNKNOWN:
		break;
	}
	return "unknown";
}

static enum bridge_error
outcome_code(enum tool_outcome outcome)
{
	if (outcome == TOOL_FAILED)
		return BRIDGE_TOOL_FAILED;
	if (outcome == TOOL_TIMED_OUT)
		return BRIDGE_TIMED_OUT;
	return BRIDGE_OUTCOME_UNKNOWN;
}

static void
tool_done(const struct tool_result *result, void *arg)
{
	struct call *call = arg;
	struct calls *calls = call->calls;
	const char *message = result->message ? result->message : "no reason was given";
	struct untrusted text = result->outcome == TOOL_OK
					? untrusted(result->json, result->json_len)
					: untrusted_str(message);

	calls->running--;
	journal_end(calls->parts.journal, call->number, outcome_word(result->outcome), text,
		result->ms);
	if (call->tool->facts.effect == EFFECT_READ)
		journal_unhurried(calls->parts.journal);
	if (result->outcome != TOOL_OK) {
		call_answer_error(call, outcome_code(result->outcome), message, NULL);
		return;
	}
	if (call->bridge_id && calls->bridge)
		bridge_result(calls->bridge, call->bridge_id, result->json, result->json_len);
	if (call->done)
		call->done(true, result->json, result->json_len, call->done_arg);
	call_free(call);
	calls_changed(calls);
}

/*
 * The one place where a permit leads to a tool.  Everything but a `read` that a rule allowed is on
 * the disk first; that `read` is in the file first.
 */
void
call_release(struct call *call, struct permit *permit)
{
	struct calls *calls = call->calls;
	bool durable = call->person || call->tool->facts.effect != EFFECT_READ;
	AUTO_PERMIT struct permit *held = permit;
	struct err err = { 0 };

	journal_start(calls->parts.journal, call->number, &call->bind);
	if (journal_flush(calls->parts.journal, durable, &err) < 0) {
		journal_end(calls->parts.journal, call->number, "cancelled", untrusted(NULL, 0), 0);
		call_answer_error(call, BRIDGE_DENIED, "the record cannot be written", "limit");
		return;
	}
	call->running = true;
	calls->running++;
	pace(calls);
	tool_call(call->tool, MEM_GIVE(held), tool_done, call);
}

static void
allowed(struct call *call, struct permit *permit, const struct ruling *ruling)
{
	struct journal_decided decided = {
		.call = call->number,
		.bind = &call->bind,
		.verdict = VERDICT_APPROVE,
		.by = ruling->why == RULED_DEFAULT ? BY_DEFAULT : BY_RULE,
	};

	journal_decided(call->calls->parts.journal, &decided);
	call_release(call, permit);
}

void
calls_arm_deadline(struct calls *calls)
{
	int64_t next = gate_tick(calls->gate, loop_now(calls->parts.loop));

	if (calls->stop_due) {
		calls->stop_due = false;
		calls->hooks.on_stop(CALLS_STOP_DENIED, "nobody decided in time", calls->hooks.arg);
		next = gate_tick(calls->gate, loop_now(calls->parts.loop));
	}
	if (next >= 0)
		loop_timer_in(calls->deadline, next);
	else
		loop_timer_stop(calls->deadline);
}

static void
hold(struct call *call, const struct gate_call *held)
{
	struct calls *calls = call->calls;

	calls_flush_budget(calls);
	journal_held(calls->parts.journal, held);
	calls_arm_deadline(calls);
	calls_changed(calls);
}

/* Past registry and budget: the policy rules, the gate decides or holds. */
static void
submit(struct call *call, struct json_value arguments)
{
	struct calls *calls = call->calls;
	struct ruling ruling = { 0 };
	struct permit *permit = NULL;
	struct gate_call held;
	struct gate_verdict denied;
	struct err err = { 0 };
	struct gate_request request = {
		.call = call->number,
		.tool = &call->tool->facts,
		.args = calls->args.data,
		.args_len = calls->args.len,
		.bind = call->bind,
		.ruling = &ruling,
	};

	policy_rule(calls->policy, &call->tool->facts, arguments, &ruling);
	journal_ruled(calls->parts.journal, call->number, &ruling);
	switch (gate_submit(calls->gate, &request, loop_now(calls->parts.loop), &permit, &held,
		&denied, &err)) {
	case GATE_ALLOWED:
		allowed(call, permit, &ruling);
		break;
	case GATE_HELD:
		if (calls->parts.no_ask)
			(void)!gate_decide(calls->gate, call->number, &call->bind, VERDICT_DENY,
				BY_LIMIT, NULL, &permit, &err);
		if (calls->parts.no_ask)
			deny(call, BY_LIMIT, BRIDGE_DENIED,
				"this call needs a person's approval, and the run was started with "
				"--no-ask");
		else
			hold(call, &held);
		break;
	case GATE_DENIED:
		deny(call, denied.by, denial_code(denied.by),
			denied.reason[0] ? denied.reason : "denied by the policy");
		break;
	default:
		deny(call, BY_ENDED, BRIDGE_DENIED, err.text);
	}
	ruling_release(&ruling);
}

static struct call *
call_new(struct calls *calls, uint64_t bridge_id)
{
	struct call *call = mem_zero(1, sizeof(*call));

	call->calls = calls;
	call->number = ++calls->last;
	call->bridge_id = bridge_id;
	call->next = calls->first;
	calls->first = call;
	calls->run_total++;
	if (bridge_id)
		calls->outstanding++;
	return call;
}

/* What the record calls a tool: its name, or, of a name that no tool can have, what fits of it. */
static char *
name_for_record(struct untrusted name)
{
	size_t cut = CALLS_NAME_MAX / 2;

	if (name.len <= CALLS_NAME_MAX && !memchr(name.bytes, '\0', name.len))
		return mem_strn(name.bytes, name.len);
	cut = name.len < cut ? name.len : cut;
	while (cut > 0 && ((unsigned char)name.bytes[cut] & 0xC0) == 0x80)
		cut--;
	return mem_printf("%.*s... (%zu bytes)", (int)cut, name.bytes, name.len);
}

/* What the program asked for, as facts: record it and bind it.  Fills args, bind, tool. */
static void
enter(struct call *call, struct untrusted name, struct json_value arguments, int line)
{
	struct calls *calls = call->calls;
	AUTO_FREE char *full = name_for_record(name);
	struct content content;
	size_t len;
	const char *source = json_source(arguments, &len);
	struct journal_request request = {
		.run = calls->run,
		.attempt = calls->attempt,
		.call = call->number,
		.tool = full,
		.content = &content,
		.bind = &call->bind,
		.line = line,
		.origin = call->bridge_id ? "program" : "person",
	};

	buf_clear(&calls->args);
	strict_compact(source, len, &calls->args);
	call->args_len = calls->args.len;
	call->tool = registry_find(calls->parts.registry, name.bytes, name.len);
	content_make(&content, calls->args.data, calls->args.len);
	event_bind(calls->parts.session_id, call->number, full,
		call->tool ? &call->tool->facts.sha256 : NULL, &content.commitment, &call->bind);
	request.args = untrusted(calls->args.data, calls->args.len);
	journal_request(calls->parts.journal, &request);
	calls->budget_dirty = true;
}

/* Known tool, schema, per-tool budget; then the policy. */
static void
consider(struct call *call, struct untrusted name, struct json_value arguments)
{
	struct calls *calls = call->calls;
	struct err err = { 0 };
	char why[256];

	if (!call->tool) {
		AUTO_FREE char *shown = name_for_record(name);
		AUTO_FREE char *reason = mem_printf("unknown tool: %s", shown);

		deny(call, BY_INVALID, BRIDGE_UNKNOWN_TOOL, reason);
		return;
	}
	if (schema_check(call->tool->input, arguments, why, sizeof(why)) == SCHEMA_NO) {
		AUTO_FREE char *reason =
			mem_printf("the arguments do not fit the tool's schema: %s", why);

		deny(call, BY_INVALID, BRIDGE_INVALID, reason);
		return;
	}
	if (budget_reserve(calls->budget, call->tool->facts.full, &err) < 0) {
		bool stop = strcmp(config_str(calls->parts.config, SETTING_BUDGET_ON_EXCEEDED),
				    "stop") == 0;

		deny(call, BY_BUDGET, BRIDGE_BUDGET, err.text);
		if (stop)
			calls->hooks.on_stop(CALLS_STOP_BUDGET, err.text, calls->hooks.arg);
		return;
	}
	submit(call, arguments);
}

/*
 * Past the cap: the first refusals are recorded singly, then a count once a second, so that a
 * program that swallows the error cannot fill the record.
 */
static void
refuse(struct calls *calls, const struct bridge_request *request)
{
	bool goes_on = budget_refused(calls->budget);
	struct budget_counter cap;
	AUTO_FREE char *reason = NULL;

	budget_counter(calls->budget, 0, &cap);
	reason = mem_printf("the budget of %lld tool calls is used up (budget.max_tool_calls)",
		(long long)cap.limit);
	calls->refused++;
	if (calls->refused <= REFUSED_SINGLY) {
		struct call *call = call_new(calls, request->id);

		enter(call, untrusted(request->name, request->name_len), request->arguments,
			request->line);
		deny(call, BY_BUDGET, BRIDGE_BUDGET, reason);
	} else {
		if (!calls->refused_dirty)
			loop_timer_in(calls->refusals, REFUSED_EVERY_NS);
		calls->refused_dirty = true;
		calls->budget_dirty = true;
		bridge_error(calls->bridge, request->id, BRIDGE_BUDGET, reason, "budget");
	}
	if (!goes_on)
		calls->hooks.on_stop(CALLS_STOP_BUDGET,
			"the program went on calling past the cap (budget.max_refused)",
			calls->hooks.arg);
	else if (strcmp(config_str(calls->parts.config, SETTING_BUDGET_ON_EXCEEDED), "stop") == 0)
		calls->hooks.on_stop(CALLS_STOP_BUDGET, reason, calls->hooks.arg);
}

void
calls_request(struct calls *calls, const struct bridge_request *request)
{
	struct untrusted name = untrusted(request->name, request->name_len);
	struct call *call;

	if (!request->within_cap) {
		refuse(calls, request);
		return;
	}
	call = call_new(calls, request->id);
	enter(call, name, request->arguments, request->line);
	consider(call, name, request->arguments);
}

int
calls_person(struct calls *calls, const char *tool, struct json_value arguments, calls_done_fn done,
	void *arg, struct err *err)
{
	struct call *call;

	if (json_kind(arguments) != JSON_OBJECT)
		return err_set(err, ERR_FORMAT, "arguments must be a JSON object");
	call = call_new(calls, 0);
	call->done = done;
	call->done_arg = arg;
	(void)budget_line(calls->budget);
	enter(call, untrusted_str(tool), arguments, 0);
	consider(call, untrusted_str(tool), arguments);
	return 0;
}

/* Verdicts the gate gives by itself. */
void
calls_on_decided(const struct gate_verdict *verdict, void *arg)
{
	struct calls *calls = arg;
	struct call *call = call_find(calls, verdict->call);

	assert(call);
	if (verdict->by == BY_TIMEOUT &&
		strcmp(config_str(calls->parts.config, SETTING_APPROVAL_ON_TIMEOUT), "stop") == 0)
		calls->stop_due = true;
	deny(call, verdict->by, BRIDGE_DENIED,
		verdict->reason[0] ? verdict->reason : "nobody decided in time");
}

void
calls_on_deadline(void *arg)
{
	calls_arm_deadline(arg);
}

void
calls_on_refusals(void *arg)
{
	struct calls *calls = arg;

	calls->refused_dirty = false;
	calls_flush_budget(calls);
}

struct budget *
calls_budget(struct calls *calls)
{
	return calls->budget;
}

const struct policy *
calls_policy(const struct calls *calls)
{
	return calls->policy;
}

void
calls_attach(struct calls *calls, struct bridge *bridge, unsigned run, unsigned attempt)
{
	calls->bridge = bridge;
	calls->run = run;
	calls->attempt = attempt;
}

void
calls_end_program(struct calls *calls, enum decided_by by, const char *reason)
{
	gate_end_program(calls->gate, by, reason);
	registry_cancel(calls->parts.registry);
	calls_arm_deadline(calls);
}

size_t
calls_held(const struct calls *calls)
{
	return gate_held(calls->gate);
}

size_t
calls_running(const struct calls *calls)
{
	return calls->running;
}

size_t
calls_outstanding(const struct calls *calls)
{
	return calls->outstanding;
}

uint64_t
calls_total(const struct calls *calls)
{
	return calls->run_total;
}

uint64_t
calls_denied(const struct calls *calls)
{
	return calls->run_denied;
}

void
calls_flush_budget(struct calls *calls)
{
	if (!calls->budget_dirty)
		return;
	calls->budget_dirty = false;
	journal_budget(calls->parts.journal, calls->run, calls->budget);
}
