/*
 * budget.h - the hard cap and its companions; counts first, asks later.
 *
 * budget_line() counts a request line before anything else is done with it; nothing is ever given
 * back but sums of calls that did not start.  Counters start anew with a run, never on a repair.
 *
 * Knows:      json, err, mem.
 * Unaware of: rules, the bridge.
 */
#ifndef CORE_GATE_BUDGET_H
#define CORE_GATE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/json.h"

struct budget;
struct err;

struct budget_tool_limit {
	const char *tool;  /* exact full name, bare name, or glob; borrowed for budget_new only */
	int64_t max_calls; /* -1: no limit */
};

struct budget_limits {
	int64_t max_tool_calls; /* the hard cap, 0 allows none */
	int64_t max_refused;    /* refusals past the cap before the run ends */
	const struct budget_tool_limit *per_tool;
	size_t per_tool_count;
	/* Of the model, 0 or less: no limit.  Cost in millionths of a US dollar. */
	int64_t max_tokens, max_cost_usd, max_model_turns;
};

struct budget *budget_new(const struct budget_limits *limits);
void budget_free(struct budget *budget);     /* NULL is fine */
void budget_next_run(struct budget *budget); /* counters to zero */

/* Count one request line: true when it is within the cap. */
bool budget_line(struct budget *budget);
/* A line past the cap was refused: true while max_refused is not reached. */
bool budget_refused(struct budget *budget);
/* Reserve a call of this tool: fails with ERR_LIMIT whose text names the limit. */
int budget_reserve(struct budget *budget, const char *full, struct err *err) ATTR_CHECKED;

/* Count one request to the model: fails with ERR_LIMIT, whose text names the limit, when one of the
 * model's is reached; then nothing may be sent. */
int budget_turn(struct budget *budget, struct err *err) ATTR_CHECKED;
/* What a reply took, once it ended; cost in millionths of a US dollar, 0 where no price is known.
 */
void budget_reply(struct budget *budget, int64_t tokens, int64_t cost);

/*
 * Raise the limit of a counter for this run.  ERR_MISSING when there is none of that name that can
 * be raised, ERR_MISMATCH when its limit is not `from`, ERR_REFUSED when `to` is not larger.
 */
int budget_raise(struct budget *budget, const char *counter, int64_t from, int64_t to,
	struct err *err) ATTR_CHECKED;
/* Does a call of this tool count in the counter of that name?  Pure: for console and supervisor. */
bool budget_counts(const char *counter, const char *full);

struct budget_counter {
	const char *name; /* "max_tool_calls", "apply_raise.max_calls", "refused", "max_tokens",
			   * "max_cost_usd" (millionths), "max_model_turns"; borrowed */
	int64_t used;
	int64_t limit; /* -1: none */
};
size_t budget_counters(const struct budget *budget);
void budget_counter(const struct budget *budget, size_t index, struct budget_counter *out);

#endif
