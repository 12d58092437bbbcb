/*
 * A call's own time runs only while it is first in the queue: left_ns of the first is counted down
 * by gate_tick(), everything else stands still.  While the person is away that one does, too.
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
	if (gate->away)
		return -1;
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
	int64_t more;

	if (!held)
		return gate_why_not(gate, call, err);
	if (held->left_ns < 0)
		return err_set(
			err, ERR_REFUSED, "call %llu has no time limit", (unsigned long long)call);
	if (__builtin_mul_overflow(ms, NS_PER_MS, &more) ||
		__builtin_add_overflow(held->left_ns, more, &more))
		return err_set(err, ERR_LIMIT, "that is more time than can be counted");
	held->left_ns = more;
	return 0;
}

/* The tick comes first: what passed until now counts under the old state. */
void
gate_away(struct gate *gate, bool away, int64_t now)
{
	(void)gate_tick(gate, now);
	gate->away = away;
}

bool
gate_is_away(const struct gate *gate)
{
	return gate->away;
}

void
gate_end_program(struct gate *gate, enum decided_by by, const char *reason)
{
	gate->ended = true;
	while (gate->first)
		deny_first(gate, by, reason);
}
