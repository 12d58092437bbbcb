/*
 * A person's side of a call: what a console showed of it, and the verdict.  The console's word is
 * held against the supervisor's own knowledge here; nothing else may approve.
 */
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/run/calls_state.h"
#include "core/run/journal.h"

#define APPROVE_MAX_BYTES (256 * 1024)

static struct shown *
shown_by(struct call *call, const char *console)
{
	for (size_t i = 0; i < CALLS_SHOWN_MAX; i++)
		if (strcmp(call->shown[i].console, console) == 0)
			return &call->shown[i];
	return NULL;
}

int64_t
call_shown_last(struct call *call, const char *console)
{
	const struct shown *shown = shown_by(call, console);

	return shown ? shown->presentation : 0;
}

/* Each console's own: one that looks on must not make another's approval void. */
static void
remember_shown(struct call *call, const struct calls_presented *presented)
{
	struct shown *shown = shown_by(call, presented->console);

	if (!shown)
		shown = &call->shown[call->shown_next++ % CALLS_SHOWN_MAX];
	snprintf(shown->console, sizeof(shown->console), "%s", presented->console);
	snprintf(shown->frame, sizeof(shown->frame), "%s", presented->frame);
	shown->presentation = presented->presentation;
}

int
calls_presented(struct calls *calls, const struct calls_presented *presented, struct err *err)
{
	struct call *call = call_find(calls, presented->call);
	struct gate_call held;
	struct journal_presented event = {
		.call = presented->call,
		.bind = &presented->bind,
		.console = presented->console,
		.presentation = presented->presentation,
		.seen_seq = presented->seen_seq,
		.cols = presented->cols,
		.rows = presented->rows,
		.strict = presented->strict,
		.frame = presented->frame,
	};

	if (!call || !gate_find(calls->gate, presented->call, &held))
		return err_set(err, ERR_MISSING, "call %llu does not wait for a decision",
			(unsigned long long)presented->call);
	if (!digest_equal(&held.bind, &presented->bind))
		return err_set(err, ERR_MISMATCH, "what was shown is not what waits");
	remember_shown(call, presented);
	journal_presented(calls->parts.journal, &event);
	return 0;
}

int
call_check_approval(struct call *call, const struct gate_call *held,
	const struct calls_decision *decision, struct err *err)
{
	bool console = strcmp(decision->via, "console") == 0;
	const struct shown *shown = console ? shown_by(call, decision->console) : NULL;
	char code[EVENT_CODE_SIZE];

	if (held->args_len > APPROVE_MAX_BYTES)
		return err_set(err, ERR_REFUSED,
			"arguments of %zu bytes are too long to be approved (at most %d)",
			held->args_len, APPROVE_MAX_BYTES);
	if (held->person_only && !console)
		return err_set(err, ERR_REFUSED, "this call is for a person at a console");
	event_code(&held->bind, code);
	if (decision->verdict == VERDICT_APPROVE && (held->confirm_code || !console) &&
		(!decision->code || strcmp(decision->code, code) != 0))
		return err_set(err, ERR_REFUSED, "the code is not the one of this call");
	if (!console)
		return 0;
	if (!shown || shown->presentation != decision->presentation || !decision->frame ||
		strcmp(shown->frame, decision->frame) != 0)
		return err_set(err, ERR_MISMATCH,
			"the approval is not about what this console showed last");
	if (decision->covered < decision->total || decision->total != (int64_t)held->args_len)
		return err_set(err, ERR_REFUSED, "not every byte of the arguments was shown");
	return 0;
}

static void
record_decision(const struct call *call, const struct calls_decision *decision, enum decided_by by,
	call_id of)
{
	bool console = strcmp(decision->via, "console") == 0;
	struct journal_decided event = {
		.call = call->number,
		.bind = &call->bind,
		.verdict = decision->verdict,
		.by = by,
		.via = decision->via,
		.who = decision->who,
		.reason = decision->reason,
		.comment = decision->comment,
		.console = console ? decision->console : NULL,
		.presentation = decision->presentation,
		.dwell_ms = decision->dwell_ms,
		.covered = decision->covered,
		.total = decision->total,
		.stop = decision->stop,
		.of = of,
	};

	journal_decided(call->calls->parts.journal, &event);
}

void
call_approved(struct call *call, const struct calls_decision *decision, struct permit *permit)
{
	record_decision(call, decision, BY_PERSON, 0);
	call->person = true;
	call_release(call, permit);
}

static void
denied_by_person(struct call *call, const struct calls_decision *decision)
{
	struct calls *calls = call->calls;
	bool given = decision->reason && decision->reason[0];
	enum decided_by by = call->past_budget ? BY_BUDGET : BY_PERSON;
	const char *words = call->past_budget ? call->past_budget : "denied by a person";

	record_decision(call, decision, by, 0);
	call_not_counted(call);
	calls->run_denied++;
	journal_end(calls->parts.journal, call->number, "denied", untrusted(NULL, 0), 0);
	call_answer_error(call, call->past_budget ? BRIDGE_BUDGET : BRIDGE_DENIED,
		given ? decision->reason : words, decided_by_name(by));
	if (decision->stop)
		calls->hooks.on_stop(CALLS_STOP_DENIED,
			"a person denied a call and stopped the run", calls->hooks.arg);
}

static int
check_yes(struct call *call, const struct gate_call *held, const struct calls_decision *decision,
	struct err *err)
{
	if (decision->verdict == VERDICT_DENY)
		return 0;
	if (decision->verdict == VERDICT_REUSE &&
		call_check_reuse(call, held, decision->via, err) < 0)
		return -1;
	return call_check_approval(call, held, decision, err);
}

int
calls_decide(struct calls *calls, const struct calls_decision *decision, struct err *err)
{
	struct permit *permit = NULL;
	struct gate_call held = { 0 };
	struct call *call;

	calls_arm_deadline(calls);
	call = call_find(calls, decision->call);
	if (call && gate_find(calls->gate, decision->call, &held) &&
		check_yes(call, &held, decision, err) < 0)
		return -1;
	if (gate_decide(calls->gate, decision->call, &decision->bind, decision->verdict,
		    call && call->past_budget ? BY_BUDGET : BY_PERSON, decision->reason, &permit,
		    err) < 0)
		return -1;
	assert(call);
	if (permit) {
		call_approved(call, decision, permit);
	} else if (decision->verdict == VERDICT_REUSE) {
		record_decision(call, decision, BY_PERSON, held.repeat_of);
		call_reused(call, held.repeat_of);
	} else {
		denied_by_person(call, decision);
	}
	calls_arm_deadline(calls);
	calls_changed(calls);
	return 0;
}
