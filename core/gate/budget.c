/*
 * Counter 0 is the hard cap, then one for each per-tool limit, then the refusals, then those of the
 * model that are limited or used: one order for the record, the screen and the program.  A tool
 * matches every limit whose pattern fits it.
 */
#include "config.h"

#include "core/gate/budget.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/glob.h"

#define DOLLAR 1000000 /* in the unit costs are counted in */

struct tool_limit {
	char *pattern;
	char *name; /* "apply_raise.max_calls" */
	int64_t used, limit;
};

enum model_limit { TOKENS, COST, TURNS, MODEL_LIMITS };

static const char *const model_names[] = {
	[TOKENS] = "max_tokens",
	[COST] = "max_cost_usd",
	[TURNS] = "max_model_turns",
};

struct budget {
	int64_t used, cap;
	int64_t refused, max_refused;
	struct tool_limit *tools;
	size_t tool_count;
	struct tool_limit model[MODEL_LIMITS];
};

struct budget *
budget_new(const struct budget_limits *limits)
{
	struct budget *budget = mem_zero(1, sizeof(*budget));

	budget->cap = limits->max_tool_calls;
	budget->max_refused = limits->max_refused;
	budget->tool_count = limits->per_tool_count;
	budget->tools = mem_zero(limits->per_tool_count, sizeof(*budget->tools));
	for (size_t i = 0; i < budget->tool_count; i++) {
		budget->tools[i].pattern = mem_str(limits->per_tool[i].tool);
		budget->tools[i].name = mem_printf("%s.max_calls", limits->per_tool[i].tool);
		budget->tools[i].limit = limits->per_tool[i].max_calls;
	}
	budget->model[TOKENS].limit = limits->max_tokens > 0 ? limits->max_tokens : -1;
	budget->model[COST].limit = limits->max_cost_usd > 0 ? limits->max_cost_usd : -1;
	budget->model[TURNS].limit = limits->max_model_turns > 0 ? limits->max_model_turns : -1;
	return budget;
}

void
budget_free(struct budget *budget)
{
	if (!budget)
		return;
	for (size_t i = 0; i < budget->tool_count; i++) {
		free(budget->tools[i].pattern);
		free(budget->tools[i].name);
	}
	free(budget->tools);
	free(budget);
}

void
budget_next_run(struct budget *budget)
{
	budget->used = 0;
	budget->refused = 0;
	for (size_t i = 0; i < budget->tool_count; i++)
		budget->tools[i].used = 0;
	for (size_t i = 0; i < MODEL_LIMITS; i++)
		budget->model[i].used = 0;
}

/* `used` stands still at the cap, so that used and limit can be shown side by side. */
bool
budget_line(struct budget *budget)
{
	if (budget->used >= budget->cap)
		return false;
	budget->used++;
	return true;
}

bool
budget_refused(struct budget *budget)
{
	if (budget->refused < budget->max_refused)
		budget->refused++;
	return budget->refused < budget->max_refused;
}

static bool
covers(const struct tool_limit *tool, const char *full)
{
	const char *dot = strchr(full, '.');

	return glob_match_tool(tool->pattern, full, dot ? dot + 1 : full, false);
}

/* All limits of the tool are looked at before any is used: a refusal uses up nothing. */
int
budget_reserve(struct budget *budget, const char *full, struct err *err)
{
	for (size_t i = 0; i < budget->tool_count; i++) {
		const struct tool_limit *tool = &budget->tools[i];

		if (covers(tool, full) && tool->limit >= 0 && tool->used >= tool->limit)
			return err_set(err, ERR_LIMIT,
				"the budget of %lld calls of %s is used up (budget.per_tool.%s)",
				(long long)tool->limit, full, tool->name);
	}
	for (size_t i = 0; i < budget->tool_count; i++)
		if (covers(&budget->tools[i], full))
			budget->tools[i].used++;
	return 0;
}

static int
past(enum model_limit limit, int64_t most, struct err *err)
{
	if (limit == COST)
		return err_set(err, ERR_LIMIT,
			"the budget of %lld.%02lld US dollars for the model is used up "
			"(budget.max_cost_usd)",
			(long long)(most / DOLLAR), (long long)(most % DOLLAR / (DOLLAR / 100)));
	return err_set(err, ERR_LIMIT, "the budget of %lld %s is used up (budget.%s)",
		(long long)most, limit == TOKENS ? "tokens" : "requests to the model",
		model_names[limit]);
}

int
budget_turn(struct budget *budget, struct err *err)
{
	for (enum model_limit limit = 0; limit < MODEL_LIMITS; limit++)
		if (budget->model[limit].limit >= 0 &&
			budget->model[limit].used >= budget->model[limit].limit)
			return past(limit, budget->model[limit].limit, err);
	budget->model[TURNS].used++;
	return 0;
}

void
budget_reply(struct budget *budget, int64_t tokens, int64_t cost)
{
	budget->model[TOKENS].used += tokens;
	budget->model[COST].used += cost;
}

#define MAX_CALLS ".max_calls" /* after the pattern, in a counter's name */

bool
budget_counts(const char *counter, const char *full)
{
	size_t len = strlen(counter);
	size_t tail = strlen(MAX_CALLS);
	const char *dot = strchr(full, '.');
	AUTO_FREE char *pattern = NULL;

	if (strcmp(counter, "max_tool_calls") == 0)
		return true;
	if (len <= tail || strcmp(counter + len - tail, MAX_CALLS) != 0)
		return false;
	pattern = mem_strn(counter, len - tail);
	return glob_match_tool(pattern, full, dot ? dot + 1 : full, false);
}

static int64_t *
limit_of(struct budget *budget, const char *counter)
{
	if (strcmp(counter, "max_tool_calls") == 0)
		return &budget->cap;
	for (size_t i = 0; i < budget->tool_count; i++)
		if (strcmp(budget->tools[i].name, counter) == 0)
			return &budget->tools[i].limit;
	for (size_t i = 0; i < MODEL_LIMITS; i++)
		if (strcmp(model_names[i], counter) == 0)
			return &budget->model[i].limit;
	return NULL;
}

int
budget_raise(struct budget *budget, const char *counter, int64_t from, int64_t to, struct err *err)
{
	int64_t *limit = limit_of(budget, counter);

	if (!limit || *limit < 0)
		return err_set(err, ERR_MISSING, "there is no limit \"%.80s\" to raise", counter);
	if (*limit != from)
		return err_set(err, ERR_MISMATCH, "%s is %lld now, not %lld", counter,
			(long long)*limit, (long long)from);
	if (to <= from)
		return err_set(err, ERR_REFUSED, "a raise of %s from %lld must go higher", counter,
			(long long)from);
	*limit = to;
	return 0;
}

/* A run without a model says nothing of it. */
static bool
counts(const struct tool_limit *limit)
{
	return limit->limit >= 0 || limit->used > 0;
}

size_t
budget_counters(const struct budget *budget)
{
	size_t count = budget->tool_count + 2;

	for (size_t i = 0; i < MODEL_LIMITS; i++)
		count += counts(&budget->model[i]);
	return count;
}

static void
model_counter(const struct budget *budget, size_t nth, struct budget_counter *out)
{
	size_t at = 0;

	while (!counts(&budget->model[at]) || nth-- > 0)
		at++;
	*out = (struct budget_counter){ model_names[at], budget->model[at].used,
		budget->model[at].limit };
}

void
budget_counter(const struct budget *budget, size_t index, struct budget_counter *out)
{
	assert(index < budget_counters(budget));
	if (index == 0) {
		*out = (struct budget_counter){ "max_tool_calls", budget->used, budget->cap };
	} else if (index <= budget->tool_count) {
		const struct tool_limit *tool = &budget->tools[index - 1];

		*out = (struct budget_counter){ tool->name, tool->used, tool->limit };
	} else if (index == budget->tool_count + 1) {
		*out = (struct budget_counter){ "refused", budget->refused, budget->max_refused };
	} else {
		model_counter(budget, index - budget->tool_count - 2, out);
	}
}
