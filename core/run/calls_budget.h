/*
 * calls_budget.h - a call past a limit that a person may raise (budget.on_exceeded "ask").
 *
 * Knows:      calls, budget, journal.
 * Unaware of: sockets.
 */
#ifndef CORE_RUN_CALLS_BUDGET_H
#define CORE_RUN_CALLS_BUDGET_H

#include <stdint.h>

#include "core/base/attr.h"
#include "core/run/calls.h"

struct calls_raise {
	call_id call;
	const char *counter; /* as in the record: "max_tool_calls", "apply_raise.max_calls" */
	int64_t from, to;
	int64_t presentation; /* of the call, by this console */
	const char *console, *who;
};
/*
 * Raise a limit for this run.  The call, then whatever else is held for its budget and fits now in
 * order of arrival, goes on by its ruling: allowed ones go, asked ones wait for a person.
 * ERR_STATE, ERR_MISSING when the call is not held for its budget, ERR_MISMATCH when `from` is not
 * the limit or another presentation was last, ERR_REFUSED when the counter is none that the call
 * counts in or `to` is not larger.
 */
int calls_raise(struct calls *calls, const struct calls_raise *raise, struct err *err) ATTR_CHECKED;

#endif
