/* One table of operations; each checks its own fields and nothing is guessed. */
#include "config.h"

#include "core/run/requests.h"

#include <limits.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/run/calls.h"
#include "core/run/console.h"
#include "core/run/programs.h"
#include "core/run/requests_fields.h"
#include "core/run/requests_gate.h"
#include "core/run/run.h"

static const char *
kind_word(enum err_kind kind)
{
	switch (kind) {
	case ERR_STATE:
		return "state";
	case ERR_MISMATCH:
		return "mismatch";
	case ERR_MISSING:
		return "missing";
	case ERR_REFUSED:
		return "refused";
	default:
		return "usage";
	}
}

static int
op_decide(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	struct json_value verdict = json_get(request, "verdict");
	struct json_value via = json_get(request, "via");
	bool shell = json_is(via, "decide");
	struct calls_decision decision = {
		.via = shell ? "decide" : "console",
		.who = console_who(console),
		.console = console_id(console),
		.verdict = json_is(verdict, "approve") ? VERDICT_APPROVE
			   : json_is(verdict, "reuse") ? VERDICT_REUSE
						       : VERDICT_DENY,
		.code = json_text(request, "code"),
	};
	int64_t call;

	if (!json_is(verdict, "approve") && !json_is(verdict, "deny") && !json_is(verdict, "reuse"))
		return err_set(
			err, ERR_USAGE, "\"verdict\" must be \"approve\", \"deny\" or \"reuse\"");
	if (json_there(via) && !shell && !json_is(via, "console"))
		return err_set(err, ERR_USAGE, "\"via\" must be \"console\" or \"decide\"");
	if (request_number(request, "call", 1, &call, err) < 0 ||
		request_digest(request, "bind", &decision.bind, err) < 0 ||
		request_words(request, "reason", &decision.reason, err) < 0 ||
		request_words(request, "comment", &decision.comment, err) < 0 ||
		request_flag(request, "stop", &decision.stop, err) < 0)
		return -1;
	if (!shell && request_seen(request, &decision, err) < 0)
		return -1;
	if (decision.stop && decision.verdict != VERDICT_DENY)
		return err_set(err, ERR_USAGE, "\"stop\" goes with a denial");
	decision.call = (call_id)call;
	if (!run_calls(run))
		return err_set(err, ERR_MISSING, "no call waits");
	return calls_decide(run_calls(run), &decision, err);
}

static int
op_presented(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	struct calls_presented presented = { .console = console_id(console) };
	struct json_value mode = json_get(request, "mode");
	struct digest frame;
	int64_t call;

	if (request_number(request, "call", 1, &call, err) < 0 ||
		request_digest(request, "bind", &presented.bind, err) < 0 ||
		request_digest(request, "frame", &frame, err) < 0 ||
		request_number(request, "presentation", 1, &presented.presentation, err) < 0 ||
		request_number(request, "seen_seq", 0, &presented.seen_seq, err) < 0 ||
		request_number(request, "cols", 1, &presented.cols, err) < 0 ||
		request_number(request, "rows", 1, &presented.rows, err) < 0)
		return -1;
	presented.call = (call_id)call;
	presented.frame = json_text(request, "frame");
	presented.strict = json_is(mode, "strict");
	if (!presented.strict && !json_is(mode, "text"))
		return err_set(err, ERR_USAGE, "\"mode\" must be \"strict\" or \"text\"");
	if (!run_calls(run))
		return err_set(err, ERR_MISSING, "no call waits");
	return calls_presented(run_calls(run), &presented, err);
}

static int
no_calls(struct err *err)
{
	return err_set(err, ERR_MISSING, "no call waits");
}

static int
change(struct run *run, struct json_value request, struct calls_edit *edit, struct err *err)
{
	int64_t call;

	if (request_number(request, "call", 1, &call, err) < 0 ||
		request_digest(request, "bind", &edit->bind, err) < 0)
		return -1;
	edit->call = (call_id)call;
	return run_calls(run) ? calls_edit(run_calls(run), edit, err) : no_calls(err);
}

static int
op_edit(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	struct calls_edit edit = { .who = console_who(console) };

	edit.args = json_string(json_get(request, "args"), &edit.args_len);
	if (!edit.args)
		return err_set(err, ERR_USAGE, "\"args\" must be the arguments as JSON text");
	return change(run, request, &edit, err);
}

static int
op_unedit(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	struct calls_edit edit = { .who = console_who(console), .back = true };

	return change(run, request, &edit, err);
}

static int
op_extend(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	int64_t call, ms;

	if (request_number(request, "call", 1, &call, err) < 0 ||
		request_number(request, "ms", 1, &ms, err) < 0)
		return -1;
	if (!run_calls(run))
		return no_calls(err);
	return calls_extend(run_calls(run), (call_id)call, ms, console_who(console), err);
}

static int
op_away(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	bool away;

	if (!json_there(json_get(request, "away")))
		return err_set(err, ERR_USAGE, "\"away\" must be true or false");
	if (request_flag(request, "away", &away, err) < 0)
		return -1;
	return run_away(run, away, console_who(console), err);
}

static const enum program_verdict program_verdicts[] = {
	PROGRAM_RUN,
	PROGRAM_EDIT,
	PROGRAM_REFUSE,
	PROGRAM_TRY_AGAIN,
	PROGRAM_STOP,
};

static int
need_program_verdict(struct json_value request, enum program_verdict *out, struct err *err)
{
	struct json_value verdict = json_get(request, "verdict");

	for (size_t i = 0; i < ARRAY_SIZE(program_verdicts); i++) {
		*out = program_verdicts[i];
		if (json_is(verdict, program_verdict_name(*out)))
			return 0;
	}
	return err_set(err, ERR_USAGE,
		"\"verdict\" must be \"run\", \"edit\", \"refuse\", \"try_again\" or \"stop\"");
}

static int
op_program(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	struct program_decision decision = { .who = console_who(console), .seen_seq = -1 };
	int64_t attempt;
	size_t len = 0;
	const char *text = json_string(json_get(request, "text"), &len);

	if (need_program_verdict(request, &decision.verdict, err) < 0 ||
		request_number(request, "attempt", 0, &attempt, err) < 0 ||
		request_number(request, "presentation", 1, &decision.presentation, err) < 0 ||
		request_words(request, "reason", &decision.reason, err) < 0)
		return -1;
	if (json_there(json_get(request, "seen_seq")) &&
		request_number(request, "seen_seq", 0, &decision.seen_seq, err) < 0)
		return -1;
	decision.attempt = attempt > UINT_MAX ? UINT_MAX : (unsigned)attempt;
	decision.text = untrusted(text, len);
	return run_decide_program(run, &decision, err);
}

static int
op_task(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	size_t len = 0;
	const char *text = json_string(json_get(request, "text"), &len);

	(void)console;
	if (!text || len == 0 || strlen(text) != len)
		return err_set(err, ERR_USAGE, "\"text\" must be the task");
	return run_task(run, text, err);
}

static int
op_cancel(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	int64_t turn;

	(void)console;
	if (request_number(request, "turn", 1, &turn, err) < 0)
		return -1;
	return run_cancel(run, turn > UINT_MAX ? 0 : (unsigned)turn, err);
}

static int
op_stop(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	struct json_value signal = json_get(request, "signal");
	int64_t signo = 0;

	if (json_there(signal) && !json_int(signal, 1, 64, &signo))
		return err_set(err, ERR_USAGE, "\"signal\" must be a number from 1 to 64");
	run_stop(run, (int)signo);
	return 0;
}

static const struct {
	const char *op;
	int (*handle)(struct run *run, struct console *console, struct json_value request,
		struct err *err);
} operations[] = {
	{ "decide", op_decide },
	{ "presented", op_presented },
	{ "edit", op_edit },
	{ "unedit", op_unedit },
	{ "extend", op_extend },
	{ "away", op_away },
	{ "program", op_program },
	{ "grant", op_grant },
	{ "revoke", op_revoke },
	{ "rule", op_rule },
	{ "budget", op_budget },
	{ "task", op_task },
	{ "cancel", op_cancel },
	{ "stop", op_stop },
};

void
requests_handle(struct run *run, struct console *console, uint64_t id, const char *op,
	struct json_value request)
{
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		if (strcmp(operations[i].op, op) != 0)
			continue;
		if (operations[i].handle(run, console, request, &err) < 0)
			console_refuse(console, id, kind_word(err.kind), err.text);
		else
			console_ok(console, id);
		return;
	}
	console_refuse(console, id, "usage", "this operation is not available in this version");
}
