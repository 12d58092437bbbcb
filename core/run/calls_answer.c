/*
 * How a call ends: denied, or released to its tool and answered with what that gave.  A call is in
 * exactly one place: held by the gate, running in a tool, or about to be answered and freed.  The
 * record comes first at each step: call_release() flushes before it spends the permit, and a flush
 * that fails spends nothing.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/repeats.h"
#include "core/run/bridge.h"
#include "core/run/calls_state.h"
#include "core/run/journal.h"
#include "core/tools/tool.h"

#define RUNNING_MAX 256 /* calls in tools at once; more wait in the bridge */

/* Lines wait in the bridge while too much is held or runs. */
static void
pace(struct calls *calls)
{
	if (calls->bridge)
		bridge_pause(
			calls->bridge, gate_full(calls->gate) || calls->running >= RUNNING_MAX);
}

void
calls_changed(struct calls *calls)
{
	pace(calls);
	calls->hooks.on_change(calls->hooks.arg);
}

struct call *
call_find(const struct calls *calls, call_id number)
{
	for (struct call *call = calls->first; call; call = call->next)
		if (call->number == number)
			return call;
	return NULL;
}

void
call_free(struct call *call)
{
	struct call **link = &call->calls->first;

	while (*link != call)
		link = &(*link)->next;
	*link = call->next;
	if (call->bridge_id)
		call->calls->outstanding--;
	free(call->edited);
	free(call->past_budget);
	free(call);
}

/* The answer of a call that did not run or failed; frees it. */
void
call_answer_error(struct call *call, enum bridge_error code, const char *reason, const char *by)
{
	struct calls *calls = call->calls;
	AUTO_FREE char *told =
		call->edited ? mem_printf("%s (a person had changed its arguments)", reason) : NULL;

	if (told)
		reason = told;
	if (call->bridge_id && calls->bridge)
		bridge_error(calls->bridge, call->bridge_id, code, reason, by);
	if (call->done)
		call->done(false, reason, strlen(reason), call->done_arg);
	call_free(call);
	calls_changed(calls);
}

void
call_deny(struct call *call, enum decided_by by, enum bridge_error code, const char *reason)
{
	struct calls *calls = call->calls;
	struct journal_decided decided = {
		.call = call->number,
		.bind = &call->bind,
		.verdict = VERDICT_DENY,
		.by = by,
		.reason = reason,
	};

	calls->run_denied++;
	call_not_counted(call);
	journal_decided(calls->parts.journal, &decided);
	journal_end(calls->parts.journal, call->number, "denied", untrusted(NULL, 0), 0);
	call_answer_error(call, code, reason, decided_by_name(by));
}

static const char *
outcome_word(enum tool_outcome outcome)
{
	switch (outcome) {
	case TOOL_OK:
		return "ok";
	case TOOL_FAILED:
	case TOOL_TIMED_OUT:
		return "error";
	case TOOL_CANCELLED:
		return "cancelled";
	case TOOL_UNKNOWN:
		break;
	}
	return "unknown";
}

static enum bridge_error
outcome_code(enum tool_outcome outcome)
{
	if (outcome == TOOL_FAILED)
		return BRIDGE_TOOL_FAILED;
	if (outcome == TOOL_TIMED_OUT)
		return BRIDGE_TIMED_OUT;
	return BRIDGE_OUTCOME_UNKNOWN;
}

static void
tool_done(const struct tool_result *result, void *arg)
{
	struct call *call = arg;
	struct calls *calls = call->calls;
	const char *message = result->message ? result->message : "no reason was given";
	struct untrusted text = result->outcome == TOOL_OK
					? untrusted(result->json, result->json_len)
					: untrusted_str(message);

	calls->running--;
	journal_end(calls->parts.journal, call->number, outcome_word(result->outcome), text,
		result->ms);
	if (call->tool->facts.effect == EFFECT_READ)
		journal_unhurried(calls->parts.journal);
	if (result->outcome != TOOL_OK) {
		call_answer_error(call, outcome_code(result->outcome), message, NULL);
		return;
	}
	repeats_result_is(calls->repeats, call->number, result->json, result->json_len);
	if (call->bridge_id && calls->bridge)
		bridge_result(calls->bridge, call->bridge_id, text,
			untrusted(call->edited, call->edited_len));
	if (call->done)
		call->done(true, result->json, result->json_len, call->done_arg);
	call_free(call);
	calls_changed(calls);
}

/*
 * The one place where a permit leads to a tool.  Everything but a `read` that a rule allowed is on
 * the disk first; that `read` is in the file first.
 */
void
call_release(struct call *call, struct permit *permit)
{
	struct calls *calls = call->calls;
	bool durable = call->person || call->tool->facts.effect != EFFECT_READ;
	AUTO_PERMIT struct permit *held = permit;
	struct err err = { 0 };

	journal_start(calls->parts.journal, call->number, &call->bind);
	if (journal_flush(calls->parts.journal, durable, &err) < 0) {
		journal_end(calls->parts.journal, call->number, "cancelled", untrusted(NULL, 0), 0);
		call_answer_error(call, BRIDGE_DENIED, "the record cannot be written", "limit");
		return;
	}
	call->running = true;
	calls->running++;
	call_started(call, held);
	pace(calls);
	tool_call(call->tool, MEM_GIVE(held), tool_done, call);
}
