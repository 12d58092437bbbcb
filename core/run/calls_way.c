/*
 * From a request line to the gate's verdict: what a call passes on its way in, and the verdicts
 * that nobody asked for.  One struct call for each request without an answer.
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

#define REFUSED_SINGLY 10
#define REFUSED_EVERY_NS (1000 * INT64_C(1000000))

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

void
call_allowed(struct call *call, enum decided_by by, struct permit *permit)
{
	struct journal_decided decided = {
		.call = call->number,
		.bind = &call->bind,
		.verdict = VERDICT_APPROVE,
		.by = by,
	};

	journal_decided(call->calls->parts.journal, &decided);
	call_release(call, permit);
}

void
calls_denied_by_gate(struct calls *calls, const struct gate_verdict *verdict)
{
	struct call *call = call_find(calls, verdict->call);
	const char *reason = verdict->reason;

	assert(call);
	if (!reason[0])
		reason = verdict->by == BY_EARLIER ? "the same call was denied before in this run"
						   : "denied by the policy";
	if (call->past_budget && verdict->by == BY_TIMEOUT)
		call_deny(call, BY_TIMEOUT, BRIDGE_BUDGET, call->past_budget);
	else
		call_deny(call, verdict->by, denial_code(verdict->by), reason);
}

void
calls_arm_deadline(struct calls *calls)
{
	int64_t next = gate_tick(calls->gate, loop_now(calls->parts.loop));

	calls_check_refused(calls);
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
	request.grant = call_grant(call, arguments);
	request.repeat_of = call_repeats(call, arguments);
	request.over_budget = call->past_budget != NULL;
	journal_ruled(calls->parts.journal, call->number, &ruling);
	switch (gate_submit(calls->gate, &request, loop_now(calls->parts.loop), &permit, &held,
		&denied, &err)) {
	case GATE_ALLOWED:
		call_allowed(call, ruling.why == RULED_DEFAULT ? BY_DEFAULT : BY_RULE, permit);
		break;
	case GATE_GRANTED:
		call_granted(call, request.grant, permit);
		break;
	case GATE_HELD:
		if (calls->parts.no_ask)
			(void)!gate_decide(calls->gate, call->number, &call->bind, VERDICT_DENY,
				BY_LIMIT, NULL, &permit, &err);
		if (calls->parts.no_ask)
			call_deny(call, BY_LIMIT, BRIDGE_DENIED,
				"this call needs a person's approval, and the run was started with "
				"--no-ask");
		else
			hold(call, &held);
		break;
	case GATE_DENIED:
		calls_denied_by_gate(calls, &denied);
		break;
	default:
		call_deny(call, BY_ENDED, BRIDGE_DENIED, err.text);
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
	call->attempt = calls->attempt;
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

	call->line = line;
	buf_clear(&calls->args);
	strict_compact(source, len, &calls->args);
	call->args_len = calls->args.len;
	call->tool = registry_find(calls->parts.registry, name.bytes, name.len);
	content_make(&content, calls->args.data, calls->args.len);
	event_bind(calls->parts.session_id, call->number, full,
		call->tool ? &call->tool->facts.sha256 : NULL, &content.commitment, &call->bind);
	call->asked_bind = call->bind;
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

		call_deny(call, BY_INVALID, BRIDGE_UNKNOWN_TOOL, reason);
		return;
	}
	if (schema_check(call->tool->input, arguments, why, sizeof(why)) == SCHEMA_NO) {
		AUTO_FREE char *reason =
			mem_printf("the arguments do not fit the tool's schema: %s", why);

		call_deny(call, BY_INVALID, BRIDGE_INVALID, reason);
		return;
	}
	if (!call->past_budget && budget_reserve(calls->budget, call->tool->facts.full, &err) < 0) {
		if (calls_ask_to_raise(calls)) {
			call_past_budget(call, err.text);
			submit(call, arguments);
			return;
		}
		bool stop = strcmp(config_str(calls->parts.config, SETTING_BUDGET_ON_EXCEEDED),
				    "stop") == 0;

		call_deny(call, BY_BUDGET, BRIDGE_BUDGET, err.text);
		if (stop)
			calls->hooks.on_stop(CALLS_STOP_BUDGET, err.text, calls->hooks.arg);
		return;
	}
	submit(call, arguments);
}

static char *
cap_reason(const struct calls *calls)
{
	struct budget_counter cap;

	budget_counter(calls->budget, 0, &cap);
	return mem_printf("the budget of %lld tool calls is used up (budget.max_tool_calls)",
		(long long)cap.limit);
}

/*
 * Past the cap: the first refusals are recorded singly, then a count once a second, so that a
 * program that swallows the error cannot fill the record.
 */
static void
refuse(struct calls *calls, const struct bridge_request *request)
{
	bool goes_on = budget_refused(calls->budget);
	AUTO_FREE char *reason = cap_reason(calls);

	calls->refused++;
	if (calls->refused <= REFUSED_SINGLY) {
		struct call *call = call_new(calls, request->id);

		enter(call, untrusted(request->name, request->name_len), request->arguments,
			request->line);
		call_deny(call, BY_BUDGET, BRIDGE_BUDGET, reason);
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

	if (!request->within_cap && !calls_ask_to_raise(calls)) {
		refuse(calls, request);
		return;
	}
	call = call_new(calls, request->id);
	if (!request->within_cap) {
		AUTO_FREE char *reason = cap_reason(calls);

		call->past_cap = true;
		call_past_budget(call, reason);
	}
	enter(call, name, request->arguments, request->line);
	consider(call, name, request->arguments);
	calls_check_refused(calls);
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

	if (verdict->by == BY_TIMEOUT &&
		strcmp(config_str(calls->parts.config, SETTING_APPROVAL_ON_TIMEOUT), "stop") == 0)
		calls->stop_due = true;
	calls_denied_by_gate(calls, verdict);
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
