/* Rules and budgets from the configuration, and the object that holds them. */
#include "config.h"

#include <stdlib.h>

#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/budget.h"
#include "core/gate/grants.h"
#include "core/gate/policy.h"
#include "core/gate/repeats.h"
#include "core/run/calls_state.h"
#include "core/run/configuration.h"
#include "core/run/journal.h"
#include "core/tools/registry.h"

static struct budget *
make_budget(const struct config *config)
{
	size_t count = config_per_tool_count(config);
	struct budget_tool_limit *per_tool = mem_zero(count, sizeof(*per_tool));
	struct budget_limits limits = {
		.max_tool_calls = config_int(config, SETTING_BUDGET_MAX_TOOL_CALLS),
		.max_refused = config_int(config, SETTING_BUDGET_MAX_REFUSED),
		.per_tool = per_tool,
		.per_tool_count = count,
		.max_tokens = config_int(config, SETTING_BUDGET_MAX_TOKENS),
		.max_cost_usd = config_int(config, SETTING_BUDGET_MAX_COST_USD),
		.max_model_turns = config_int(config, SETTING_BUDGET_MAX_MODEL_TURNS),
	};
	struct budget *budget;

	for (size_t i = 0; i < count; i++)
		per_tool[i].tool = config_per_tool(config, i, &per_tool[i].max_calls);
	budget = budget_new(&limits);
	free(per_tool);
	return budget;
}

static void
tell_misspelt(const char *text, void *arg)
{
	journal_alert(arg, text);
}

static struct policy *
make_policy(const struct calls_parts *parts, struct err *err)
{
	const struct config *config = parts->config;
	const struct registry *registry = parts->registry;
	size_t rules = config_rule_count(config);
	size_t tools = registry_count(registry);
	AUTO_FREE struct policy_source *sources = mem_zero(rules, sizeof(*sources));
	AUTO_FREE const struct tool_facts **facts = mem_zero(tools, sizeof(*facts));
	struct policy *policy;

	for (size_t i = 0; i < rules; i++) {
		const struct config_rule *rule = config_rule(config, i);

		sources[i] = (struct policy_source){ rule->rule, rule->file, rule->line };
	}
	for (size_t i = 0; i < tools; i++)
		facts[i] = &registry_at(registry, i)->facts;
	policy = policy_new(sources, rules, err);
	if (policy && policy_check_tools(policy, facts, tools, err) < 0) {
		policy_free(policy);
		return NULL;
	}
	if (policy)
		policy_misspelt(policy, facts, tools, tell_misspelt, parts->journal);
	return policy;
}

/* Calls and grants are numbered through the session; nothing that was granted is still in force. */
static void
go_on_from(struct calls *calls, struct calls *before)
{
	calls->last = before->last;
	calls->grants = before->grants;
	before->grants = NULL;
	calls->parts.before = NULL;
}

struct calls *
calls_new(const struct calls_parts *parts, const struct calls_hooks *hooks, struct err *err)
{
	int64_t timeout_s = config_int(parts->config, SETTING_APPROVAL_TIMEOUT_S);
	struct policy *policy = make_policy(parts, err);
	struct calls *calls;
	struct gate_limits limits = {
		.timeout_ms = timeout_s < 0 ? -1 : timeout_s * 1000,
		.max_pending = (size_t)config_int(parts->config, SETTING_APPROVAL_MAX_PENDING),
		.max_denials = (unsigned)config_int(parts->config, SETTING_APPROVAL_MAX_DENIALS),
	};

	if (!policy)
		return NULL;
	calls = mem_zero(1, sizeof(*calls));
	calls->parts = *parts;
	calls->hooks = *hooks;
	calls->policy = policy;
	calls->budget = make_budget(parts->config);
	calls->grants = parts->before ? NULL : grants_new();
	if (parts->before)
		go_on_from(calls, parts->before);
	calls->repeats = repeats_new();
	calls->gate = gate_new(&limits, &(struct gate_hooks){ calls_on_decided, calls });
	calls->deadline = loop_timer_new(parts->loop, calls_on_deadline, calls);
	calls->refusals = loop_timer_new(parts->loop, calls_on_refusals, calls);
	buf_init(&calls->args, BUF_UNBOUNDED);
	return calls;
}

void
calls_free(struct calls *calls)
{
	if (!calls)
		return;
	while (calls->first)
		call_free(calls->first);
	loop_timer_free(calls->deadline);
	loop_timer_free(calls->refusals);
	gate_free(calls->gate);
	grants_free(calls->grants);
	repeats_free(calls->repeats);
	budget_free(calls->budget);
	policy_free(calls->policy);
	buf_release(&calls->args);
	free(calls);
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
	for (struct call *call = calls->first; !bridge && call; call = call->next) {
		if (call->bridge_id)
			calls->outstanding--;
		call->bridge_id = 0;
	}
	calls->bridge = bridge;
	calls->run = run;
	calls->attempt = attempt;
}

void
calls_next_program(struct calls *calls)
{
	gate_next_program(calls->gate);
}

void
calls_end_program(struct calls *calls, enum decided_by by, const char *reason)
{
	grants_end_program(calls->grants);
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
	journal_budget(calls->parts.journal, calls->run, calls->budget, NULL);
}
