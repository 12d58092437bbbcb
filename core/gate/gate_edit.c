/*
 * A change of what waits.  The call keeps its place and its time; everything that was decided about
 * its old bytes (the bind, how it is confirmed, that a rule would have let it go) is replaced.
 */
#include "config.h"

#include <stdlib.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/gate_state.h"

/* The first edit keeps what was asked; going back takes it out again. */
static void
replace(struct held *held, const struct gate_change *change)
{
	struct gate_call *facts = &held->facts;

	if (change->back) {
		free(held->args);
		held->args = held->asked;
		facts->args_len = facts->asked_len;
		held->asked = NULL;
		facts->asked_len = 0;
	} else {
		if (held->asked) {
			free(held->args);
		} else {
			held->asked = held->args;
			facts->asked_len = facts->args_len;
		}
		held->args = mem_strn(change->args, change->args_len);
		facts->args_len = change->args_len;
	}
	facts->bind = change->bind;
	facts->confirm_code = change->ruling->confirm_code || facts->tool->destructive_marked;
	facts->person_only = change->ruling->person_only;
	held->away_alone = false;
}

int
gate_edit(struct gate *gate, const struct gate_change *change, struct gate_verdict *denied,
	struct err *err)
{
	struct held *held = gate_held_call(gate, change->call);
	const char *earlier;

	if (!held)
		return gate_why_not(gate, change->call, err);
	if (!digest_equal(&held->facts.bind, &change->seen))
		return err_set(err, ERR_MISMATCH, "what was edited is not what waits");
	if (change->back && !held->asked)
		return err_set(err, ERR_STATE, "call %llu was not edited",
			(unsigned long long)change->call);
	replace(held, change);
	if (change->ruling->action == ACTION_DENY) {
		gate_deny_held(gate, held, BY_RULE, change->ruling->reason, denied);
		return GATE_DENIED;
	}
	earlier = denials_equal(gate->denials, held->facts.tool, held->args, held->facts.args_len);
	if (earlier) {
		gate_deny_held(gate, held, BY_EARLIER, earlier, denied);
		return GATE_DENIED;
	}
	return GATE_HELD;
}
