/*
 * A call's own time runs only while it is first in the queue: left_ns of the first is counted down
 * by gate_tick(), everything else stands still.
 */
#include "config.h"

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/gate/gate_state.h"

/* A verdict of the gate's own. */
static void
deny_first(struct gate *gate, enum decided_by by, const char *reason)
{
	struct gate_verdict verdict;

	gate_deny_held(gate, gate->first, by, reason, &verdict);
	gate->hooks.on_decided(&verdict, gate->hooks.arg);
}

int64_t
gate_tick(struct gate *gate, int64_t now)
{
	int64_t passed = now > gate->ticked ? now - gate->ticked : 0;

	gate->ticked = now;
	while (gate->first && gate->first->left_ns >= 0) {
		if (passed < gate->first->left_ns) {
			gate->first->left_ns -= passed;
			return gate->first->left_ns;
		}
		passed -= gate->first->left_ns;
		deny_first(gate, BY_TIMEOUT, "nobody decided in time");
	}
	return -1;
}

int
gate_extend(struct gate *gate, call_id call, int64_t ms, struct err *err)
{
	struct held *held = gate_held_call(gate, call);

	if (!held)
		return gate_why_not(gate, call, err);
	if (held->left_ns >= 0)
		held->left_ns += ms * NS_PER_MS;
	return 0;
}

void
gate_end_program(struct gate *gate, enum decided_by by, const char *reason)
{
	gate->ended = true;
	while (gate->first)
		deny_first(gate, by, reason);
}
