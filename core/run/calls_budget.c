/*
 * A call past a limit is ruled on and held, and not counted where it did not fit.  A raise counts
 * those that fit now, tells the record which, and lets the gate rule on them anew.
 */
#include "config.h"

#include "core/run/calls_budget.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/gate/budget.h"
#include "core/gate/policy.h"
#include "core/run/bridge.h"
#include "core/run/calls_state.h"
#include "core/run/configuration.h"
#include "core/run/journal.h"
#include "core/tools/tool.h"

bool
calls_ask_to_raise(const struct calls *calls)
{
	return !calls->parts.no_ask &&
	       strcmp(config_str(calls->parts.config, SETTING_BUDGET_ON_EXCEEDED), "ask") == 0;
}

void
call_past_budget(struct call *call, const char *reason)
{
	free(call->past_budget);
	call->past_budget = mem_str(reason);
}

void
call_not_counted(struct call *call)
{
	struct calls *calls = call->calls;

	if (!call->past_cap)
		return;
	calls->refused++;
	calls->budget_dirty = true;
	if (!budget_refused(calls->budget))
		calls->refused_out = true;
}

void
calls_check_refused(struct calls *calls)
{
	if (!calls->refused_out)
		return;
	calls->refused_out = false;
	calls->hooks.on_stop(CALLS_STOP_BUDGET,
		"the program went on calling past the cap (budget.max_refused)", calls->hooks.arg);
}

/* Count the call where it is not counted yet; true when nothing is left that it does not fit in. */
static bool
fits(struct call *call)
{
	struct budget *budget = call->calls->budget;
	struct err err = { 0 };

	if (call->past_cap && !budget_line(budget))
		return false;
	call->past_cap = false;
	if (budget_reserve(budget, call->tool->facts.full, &err) < 0) {
		call_past_budget(call, err.text);
		return false;
	}
	free(call->past_budget);
	call->past_budget = NULL;
	return true;
}

static void
admit_if_fits(struct calls *calls, call_id number, struct journal_raise *raise)
{
	struct gate_call held;
	struct call *call = call_find(calls, number);

	if (!call || !call->past_budget || !gate_find(calls->gate, number, &held) || !fits(call))
		return;
	raise->admits = mem_grow(raise->admits, raise->admit_count + 1, sizeof(*raise->admits));
	raise->admits[raise->admit_count++] = number;
}

static void
go_on(struct calls *calls, call_id number)
{
	struct gate_call held;
	AUTO_JSON struct json *args = NULL;
	struct ruling ruling;
	struct permit *permit = NULL;
	bool allowed;

	if (!gate_find(calls->gate, number, &held))
		return;
	args = json_read(held.args, held.args_len, NULL);
	policy_rule(calls->policy, held.tool, json_root(args), &ruling);
	allowed = gate_admit(calls->gate, number, &ruling, &permit, &held, NULL) == GATE_ALLOWED;
	if (allowed)
		call_allowed(call_find(calls, number),
			ruling.why == RULED_DEFAULT ? BY_DEFAULT : BY_RULE, permit);
	ruling_release(&ruling);
}

static int
check_raise(struct calls *calls, const struct calls_raise *raise, struct err *err)
{
	struct call *call = call_find(calls, raise->call);
	struct gate_call held;

	if (!call || !gate_find(calls->gate, raise->call, &held))
		return err_set(err, ERR_MISSING, "call %llu does not wait for a decision",
			(unsigned long long)raise->call);
	if (held.why != HELD_BUDGET)
		return err_set(err, ERR_STATE, "call %llu is not held for its budget",
			(unsigned long long)raise->call);
	if (call_shown_last(call, raise->console) != raise->presentation)
		return err_set(
			err, ERR_MISMATCH, "the raise is not about what this console showed last");
	if (!budget_counts(raise->counter, held.tool->full))
		return err_set(err, ERR_REFUSED, "call %llu does not count in \"%.80s\"",
			(unsigned long long)raise->call, raise->counter);
	return budget_raise(calls->budget, raise->counter, raise->from, raise->to, err);
}

int
calls_raise(struct calls *calls, const struct calls_raise *raise, struct err *err)
{
	struct journal_raise event = {
		.call = raise->call,
		.counter = raise->counter,
		.from = raise->from,
		.to = raise->to,
		.who = raise->who,
	};
	struct gate_call held;

	calls_arm_deadline(calls);
	if (check_raise(calls, raise, err) < 0)
		return -1;
	admit_if_fits(calls, raise->call, &event);
	for (size_t i = 0; gate_held_at(calls->gate, i, &held); i++)
		admit_if_fits(calls, held.call, &event);
	calls->budget_dirty = false;
	journal_budget(calls->parts.journal, calls->run, calls->budget, &event);
	for (size_t i = 0; i < event.admit_count; i++)
		go_on(calls, event.admits[i]);
	free(event.admits);
	calls_arm_deadline(calls);
	calls_changed(calls);
	return journal_flush(calls->parts.journal, true, err);
}
