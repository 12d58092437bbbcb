/* What a later attempt repeats: which calls started and what they gave, and the reuse of that. */
#include "config.h"

#include <string.h>

#include "core/base/err.h"
#include "core/gate/repeats.h"
#include "core/run/bridge.h"
#include "core/run/calls_state.h"
#include "core/run/journal.h"
#include "core/tools/tool.h"

void
call_started(const struct call *call, const struct permit *permit)
{
	struct repeats_call started = {
		.call = call->number,
		.attempt = call->attempt,
		.tool = call->tool->facts.full,
	};

	if (call->tool->facts.effect == EFFECT_READ)
		return;
	started.args = permit_args(permit, &started.args_len);
	repeats_started(call->calls->repeats, &started);
}

call_id
call_repeats(const struct call *call, struct json_value arguments)
{
	if (call->tool->facts.effect == EFFECT_READ)
		return 0;
	return repeats_find(call->calls->repeats, call->attempt, call->tool->facts.full, arguments);
}

int
call_check_reuse(
	const struct call *call, const struct gate_call *held, const char *via, struct err *err)
{
	size_t len;

	if (strcmp(via, "console") != 0)
		return err_set(err, ERR_REFUSED, "an earlier result is used from a console alone");
	if (held->why != HELD_REPEAT)
		return 0; /* the gate says what it is held for */
	if (!repeats_result(call->calls->repeats, held->repeat_of, &len))
		return err_set(err, ERR_REFUSED,
			"call %llu gave no result that could be used again",
			(unsigned long long)held->repeat_of);
	return 0;
}

void
call_reused(struct call *call, call_id of)
{
	struct calls *calls = call->calls;
	size_t len;
	const char *result = repeats_result(calls->repeats, of, &len);
	struct untrusted text = untrusted(result, len);

	journal_end(calls->parts.journal, call->number, "reused", text, 0);
	if (call->bridge_id && calls->bridge)
		bridge_result(calls->bridge, call->bridge_id, text, untrusted(NULL, 0));
	call_free(call);
	calls_changed(calls);
}
