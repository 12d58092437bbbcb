/*
 * A grant and the approval it comes with are one act: everything is checked first, then the gate
 * decides, then both are recorded, and only then the call goes.  What tightens is on the disk
 * before it is answered.
 */
#include "config.h"

#include "core/run/calls_grant.h"

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/gate/grants.h"
#include "core/gate/policy.h"
#include "core/run/bridge.h"
#include "core/run/calls_state.h"
#include "core/run/journal.h"
#include "core/tools/registry.h"
#include "core/tools/tool.h"

/* --- grants --- */

void
calls_forecast(struct calls *calls, const struct journal_site *sites, size_t count)
{
	grants_program(calls->grants, calls->attempt);
	for (size_t i = 0; i < count; i++)
		grants_site(calls->grants, sites[i].tool, sites[i].line);
}

static struct grant_call
as_granted(const struct call *call, struct json_value arguments)
{
	return (struct grant_call){
		.tool = &call->tool->facts,
		.attempt = call->attempt,
		.line = call->line,
		.arguments = arguments,
	};
}

uint64_t
call_grant(const struct call *call, struct json_value arguments)
{
	struct grant_call granted = as_granted(call, arguments);

	return grants_cover(call->calls->grants, &granted);
}

void
call_granted(struct call *call, uint64_t grant, struct permit *permit)
{
	struct journal_decided decided = {
		.call = call->number,
		.bind = &call->bind,
		.verdict = VERDICT_APPROVE,
		.by = BY_GRANT,
		.grant = grant,
	};

	grants_use(call->calls->grants, grant);
	journal_decided(call->calls->parts.journal, &decided);
	call->person = true;
	call_release(call, permit);
}

/* What no grant may be made from, whatever its bounds. */
static int
check_grantable(const struct calls *calls, const struct gate_call *held, struct err *err)
{
	unsigned long long call = held->call;

	if (held->confirm_code)
		return err_set(err, ERR_REFUSED,
			"call %llu wants its code: calls like it are never granted", call);
	if (held->person_only)
		return err_set(err, ERR_REFUSED,
			"call %llu is for a person alone: calls like it are never granted", call);
	if (held->why == HELD_REPEAT)
		return err_set(err, ERR_REFUSED,
			"call %llu repeats one that started: that is decided call by call", call);
	if (held->why == HELD_BUDGET)
		return err_set(err, ERR_REFUSED,
			"call %llu is past its budget, which must be raised first", call);
	if (gate_tightened(calls->gate, held->tool))
		return err_set(err, ERR_REFUSED,
			"%s was denied in this run: a grant for it would not count",
			held->tool->full);
	return 0;
}

static void
record_grant(const struct call *call, const struct calls_grant *grant, uint64_t number)
{
	struct journal_grant event = {
		.grant = number,
		.tool = &call->tool->facts,
		.attempt = call->attempt,
		.line = call->line,
		.n = grant->n,
		.bounds = untrusted(grant->bounds, grant->bounds_len),
		.from_call = call->number,
		.who = grant->decision.who,
	};

	journal_grant_add(call->calls->parts.journal, &event);
}

static int
grant_held(struct call *call, const struct gate_call *held, const struct calls_grant *grant,
	struct err *err)
{
	struct calls *calls = call->calls;
	const struct calls_decision *decision = &grant->decision;
	AUTO_JSON struct json *args = json_read(held->args, held->args_len, err);
	struct grant_offer offer = {
		.call = as_granted(call, json_root(args)),
		.n = grant->n,
		.bounds = grant->bounds,
		.bounds_len = grant->bounds_len,
	};
	struct permit *permit = NULL;

	if (!args || check_grantable(calls, held, err) < 0 ||
		call_check_approval(call, held, decision, err) < 0 ||
		grants_check(calls->grants, &offer, err) < 0)
		return -1;
	if (gate_decide(calls->gate, call->number, &decision->bind, VERDICT_APPROVE, BY_PERSON,
		    NULL, &permit, err) < 0)
		return -1;
	record_grant(call, grant, grants_add(calls->grants, &offer));
	call_approved(call, decision, permit);
	return 0;
}

int
calls_grant(struct calls *calls, const struct calls_grant *grant, struct err *err)
{
	const struct calls_decision *decision = &grant->decision;
	struct gate_call held;

	calls_arm_deadline(calls);
	if (gate_waits(calls->gate, decision->call, &decision->bind, &held, err) < 0)
		return -1;
	if (grant_held(call_find(calls, decision->call), &held, grant, err) < 0)
		return -1;
	calls_arm_deadline(calls);
	calls_changed(calls);
	return 0;
}

int
calls_revoke(struct calls *calls, uint64_t grant, const char *who, struct err *err)
{
	if (grants_revoke(calls->grants, grant, err) < 0)
		return -1;
	journal_grant_revoke(calls->parts.journal, grant, who);
	return journal_flush(calls->parts.journal, true, err);
}

/* --- rules --- */

static struct policy *
alone(const struct calls_rule *rule, const char *at, struct err *err)
{
	struct policy *policy = policy_new(NULL, 0, err);

	if (policy && policy_add(policy, rule->text, rule->len, at, err) < 0) {
		policy_free(policy);
		return NULL;
	}
	return policy;
}

/* The rule by itself, against the tools, as configuration's are; and the action it names. */
static int
check_rule(
	const struct calls *calls, const struct calls_rule *rule, const char *at, struct err *err)
{
	const struct registry *registry = calls->parts.registry;
	size_t count = registry_count(registry);
	AUTO_FREE const struct tool_facts **tools = mem_zero(count, sizeof(*tools));
	struct policy *policy = alone(rule, at, err);
	AUTO_JSON struct json *document = json_read(rule->text, rule->len, NULL);
	int wrong;

	if (!policy)
		return -1;
	for (size_t i = 0; i < count; i++)
		tools[i] = &registry_at(registry, i)->facts;
	wrong = policy_check_tools(policy, tools, count, err);
	policy_free(policy);
	if (wrong < 0)
		return -1;
	if (!json_is(json_get(json_root(document), "action"), action_name(rule->action)))
		return err_set(err, ERR_FORMAT, "the rule's own \"action\" is not \"%s\"",
			action_name(rule->action));
	return 0;
}

/* True when the call at this place of the queue is denied now, and gone. */
static bool
deny_if_ruled(struct calls *calls, const struct gate_call *held)
{
	AUTO_JSON struct json *args = json_read(held->args, held->args_len, NULL);
	struct call *call = call_find(calls, held->call);
	struct ruling ruling;
	struct permit *permit = NULL;
	bool denied;

	policy_rule(calls->policy, held->tool, json_root(args), &ruling);
	denied = ruling.action == ACTION_DENY &&
		 gate_decide(calls->gate, held->call, &held->bind, VERDICT_DENY, BY_RULE,
			 ruling.reason, &permit, NULL) == 0;
	if (denied)
		call_deny(call, BY_RULE, BRIDGE_DENIED, ruling.reason);
	ruling_release(&ruling);
	return denied;
}

static void
deny_what_waits(struct calls *calls)
{
	struct gate_call held;

	for (size_t i = 0; gate_held_at(calls->gate, i, &held);)
		if (!deny_if_ruled(calls, &held))
			i++;
}

int
calls_rule(struct calls *calls, const struct calls_rule *rule, struct err *err)
{
	AUTO_FREE char *at = mem_printf("made from call %llu", (unsigned long long)rule->call);
	bool now = rule->action != ACTION_ALLOW;
	struct journal_rule event = {
		.rule = untrusted(rule->text, rule->len),
		.from_call = rule->call,
		.from_now = now,
		.who = rule->who,
	};

	if (rule->call > calls->last)
		return err_set(
			err, ERR_MISSING, "there is no call %llu", (unsigned long long)rule->call);
	if (check_rule(calls, rule, at, err) < 0)
		return -1;
	if (now && policy_add(calls->policy, rule->text, rule->len, at, err) < 0)
		return -1;
	journal_rule_add(calls->parts.journal, &event);
	calls_arm_deadline(calls);
	if (rule->action == ACTION_DENY)
		deny_what_waits(calls);
	calls_arm_deadline(calls);
	calls_changed(calls);
	return journal_flush(calls->parts.journal, true, err);
}
