/*
 * One attempt at a time, and at most one question: about the program that is loaded, or about how
 * to go on after one that ended.  A verdict is on the disk before anything follows from it.  The
 * question's clock stands still while the person is away.
 */
#include "config.h"

#include "core/run/programs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/run/calls.h"
#include "core/run/configuration.h"
#include "core/run/journal.h"

enum question {
	NOTHING,
	WHETHER_TO_RUN, /* run, edit, refuse */
	HOW_TO_GO_ON,   /* try_again, stop */
};

struct programs {
	struct attempt_parts parts;
	struct programs_hooks hooks;
	unsigned run, number; /* number: of the latest attempt; 0: none yet */
	bool asks;
	struct calls *calls;     /* NULL: the tools do not stand yet */
	struct attempt *attempt; /* the latest, also once it ended: its output is read */
	bool ready, going;
	bool ahead; /* attempt is the next one: its sandbox was started before its program came */
	bool refused;
	char *text, *name;
	size_t text_len;
	uint64_t text_seq; /* of the event that recorded the text */
	bool replaced;     /* the attempt had another text before */
	bool by_person;    /* a person wrote the text */
	enum question question;
	char *decided; /* the latest verdict and whose, for who comes later; NULL: none */
	struct loop_timer *timeout;
	int64_t left_ns;     /* of the question; -1: for ever */
	int64_t counting_at; /* when the timer was set; -1: it stands still */
};

static const char *const verdict_names[] = {
	[PROGRAM_RUN] = "run",
	[PROGRAM_EDIT] = "edit",
	[PROGRAM_REFUSE] = "refuse",
	[PROGRAM_TRY_AGAIN] = "try_again",
	[PROGRAM_STOP] = "stop",
};

const char *
program_verdict_name(enum program_verdict verdict)
{
	return verdict_names[verdict];
}

/* --- the question and its clock --- */

static void
count_time(struct programs *programs)
{
	int64_t now = loop_now(programs->parts.loop);
	bool stood = programs->counting_at < 0;
	bool still = programs->question == NOTHING || programs->left_ns < 0 ||
		     (programs->calls && calls_are_away(programs->calls));

	if (stood && still)
		return;
	if (!stood)
		programs->left_ns -= now - programs->counting_at;
	if (!stood && programs->left_ns < 0)
		programs->left_ns = 0;
	programs->counting_at = still ? -1 : now;
	if (still)
		loop_timer_stop(programs->timeout);
	else
		loop_timer_in(programs->timeout, programs->left_ns);
}

static void
stop_asking(struct programs *programs)
{
	programs->question = NOTHING;
	count_time(programs);
}

static void
ask(struct programs *programs, enum question question)
{
	int64_t timeout_s = config_int(programs->parts.config, SETTING_APPROVAL_TIMEOUT_S);

	stop_asking(programs);
	programs->question = question;
	programs->left_ns = timeout_s < 0 ? -1 : timeout_s * NS_PER_S;
	count_time(programs);
}

static void
record_verdict(struct programs *programs, enum program_verdict verdict, enum decided_by by,
	const struct program_decision *decision)
{
	struct journal_program_decided event = {
		.attempt = programs->number,
		.verdict = program_verdict_name(verdict),
		.by = by,
		.reason = decision ? decision->reason : "nobody decided in time",
		.who = decision ? decision->who : NULL,
		.presentation = decision ? decision->presentation : 0,
	};

	journal_program_decided(programs->parts.journal, &event);
	free(programs->decided);
	programs->decided =
		mem_printf("%s by %s", event.verdict, event.who ? event.who : decided_by_name(by));
}

/* --- one attempt --- */

static void
keep_text(struct programs *programs, struct untrusted text, const char *by)
{
	char *copy = mem_strn(text.bytes, text.len);

	free(programs->text);
	programs->text = copy;
	programs->text_len = text.len;
	programs->by_person = strcmp(by, "person") == 0;
	programs->text_seq = journal_next_seq(programs->parts.journal);
	journal_program(
		programs->parts.journal, &(struct journal_program){ programs->run, programs->number,
						 untrusted(programs->text, text.len), by });
}

static void
maybe_load(struct programs *programs)
{
	if (!programs->calls || !programs->ready || !programs->going)
		return;
	calls_next_program(programs->calls);
	attempt_load(programs->attempt, programs->calls,
		untrusted(programs->text, programs->text_len), programs->name);
}

static void
on_ready(void *arg)
{
	struct programs *programs = arg;

	programs->ready = true;
	maybe_load(programs);
}

static void
on_loaded(void *arg)
{
	struct programs *programs = arg;

	if (programs->asks)
		ask(programs, WHETHER_TO_RUN);
	else
		attempt_go(programs->attempt);
}

/* One that was started ahead and failed says nothing: the next start tries again and tells. */
static void
on_ended(const struct attempt_end *end, void *arg)
{
	struct programs *programs = arg;

	if (programs->ahead) {
		programs->ahead = false;
		return;
	}
	programs->going = false;
	stop_asking(programs);
	programs->hooks.on_ended(end, attempt_output(programs->attempt), programs->hooks.arg);
}

/* The sandbox of this attempt, in place of the one before. */
static int
start_sandbox(struct programs *programs, unsigned number, struct err *err)
{
	struct attempt_hooks hooks = { on_ready, on_loaded, on_ended, programs };

	attempt_free(programs->attempt);
	programs->ready = false;
	programs->attempt = attempt_new(&programs->parts, programs->run, number, &hooks, err);
	return programs->attempt ? 0 : -1;
}

void
programs_prepare(struct programs *programs)
{
	if (!programs->going && !programs->ahead)
		programs->ahead = start_sandbox(programs, programs->number + 1, NULL) == 0;
}

int
programs_start(struct programs *programs, const struct programs_start *start, struct err *err)
{
	bool ahead = programs->ahead;

	stop_asking(programs);
	free(programs->name);
	programs->name = mem_str(start->name);
	programs->number++;
	programs->ahead = false;
	programs->refused = false;
	programs->replaced = false;
	keep_text(programs, start->text, start->by);
	programs->going = ahead || start_sandbox(programs, programs->number, err) == 0;
	maybe_load(programs);
	return programs->going ? 0 : -1;
}

void
programs_serve(struct programs *programs, struct calls *calls)
{
	programs->calls = calls;
	maybe_load(programs);
}

void
programs_ask_on(struct programs *programs, const char *why)
{
	journal_program_asked(programs->parts.journal, programs->run, programs->number, why);
	ask(programs, HOW_TO_GO_ON);
	programs_prepare(programs);
}

void
programs_ask_no_more(struct programs *programs)
{
	stop_asking(programs);
	if (!programs->ahead)
		return;
	attempt_free(programs->attempt);
	programs->attempt = NULL;
	programs->ahead = false;
}

/* --- verdicts --- */

/* The text is thrown away unread; its sandbox with it. */
static void
refuse(struct programs *programs, const char *why)
{
	programs->refused = true;
	stop_asking(programs);
	attempt_kill(programs->attempt, "denied", BY_ENDED, why);
}

static void
give_up(struct programs *programs)
{
	programs_ask_no_more(programs);
	programs->hooks.on_given_up(programs->hooks.arg);
}

static void
on_timeout(void *arg)
{
	struct programs *programs = arg;

	if (programs->question == WHETHER_TO_RUN) {
		record_verdict(programs, PROGRAM_REFUSE, BY_TIMEOUT, NULL);
		refuse(programs, "nobody decided on the program in time");
	} else if (programs->question == HOW_TO_GO_ON) {
		record_verdict(programs, PROGRAM_STOP, BY_TIMEOUT, NULL);
		give_up(programs);
	}
}

/* Without a text it is the model that writes another. */
static bool
rewrites(const struct programs *programs, const struct program_decision *decision)
{
	return decision->verdict == PROGRAM_TRY_AGAIN && decision->text.len == 0 &&
	       programs->hooks.on_rewrite;
}

static int
check_verdict(
	const struct programs *programs, const struct program_decision *decision, struct err *err)
{
	bool after = decision->verdict == PROGRAM_TRY_AGAIN || decision->verdict == PROGRAM_STOP;
	bool text = decision->verdict == PROGRAM_EDIT || decision->verdict == PROGRAM_TRY_AGAIN;

	if (programs->question == NOTHING && programs->decided)
		return err_set(
			err, ERR_STATE, "the program was decided before: %s", programs->decided);
	if (programs->question != (after ? HOW_TO_GO_ON : WHETHER_TO_RUN))
		return err_set(err, ERR_STATE, "\"%s\" is not asked now",
			program_verdict_name(decision->verdict));
	if (decision->attempt != programs->number)
		return err_set(err, ERR_MISMATCH, "attempt %u waits, not %u", programs->number,
			decision->attempt);
	if (decision->verdict == PROGRAM_RUN &&
		(decision->seen_seq < 0 ? programs->replaced
					: decision->seen_seq < (int64_t)programs->text_seq))
		return err_set(err, ERR_MISMATCH,
			"the program was changed; what was decided on is not what waits");
	if (text && decision->text.len == 0 && !rewrites(programs, decision))
		return err_set(err, ERR_USAGE, "\"%s\" needs the text of a program",
			program_verdict_name(decision->verdict));
	return 0;
}

/* Another text in the same sandbox: nothing of the first has run. */
static void
replace(struct programs *programs, struct untrusted text)
{
	stop_asking(programs);
	programs->replaced = true;
	keep_text(programs, text, "person");
	maybe_load(programs);
}

static void
rewrite(struct programs *programs, const struct program_decision *decision)
{
	stop_asking(programs);
	programs->hooks.on_rewrite(decision->reason ? decision->reason : "", programs->hooks.arg);
}

static void
try_again(struct programs *programs, struct untrusted text)
{
	AUTO_FREE char *name = mem_str(programs->name ? programs->name : "program.py");
	struct programs_start start = { text, name, "person" };
	struct err err = { 0 };
	struct attempt_end failed = { .outcome = "sandbox", .error = err.text };

	if (programs_start(programs, &start, &err) < 0)
		programs->hooks.on_ended(&failed, untrusted("", 0), programs->hooks.arg);
}

int
programs_decide(struct programs *programs, const struct program_decision *decision, struct err *err)
{
	if (check_verdict(programs, decision, err) < 0)
		return -1;
	record_verdict(programs, decision->verdict, BY_PERSON, decision);
	if (journal_flush(programs->parts.journal, true, err) < 0)
		return -1;
	switch (decision->verdict) {
	case PROGRAM_RUN:
		stop_asking(programs);
		attempt_go(programs->attempt);
		break;
	case PROGRAM_EDIT:
		replace(programs, decision->text);
		break;
	case PROGRAM_REFUSE:
		refuse(programs, decision->reason && decision->reason[0]
					 ? decision->reason
					 : "a person refused the program");
		break;
	case PROGRAM_TRY_AGAIN:
		if (rewrites(programs, decision))
			rewrite(programs, decision);
		else
			try_again(programs, decision->text);
		break;
	case PROGRAM_STOP:
		give_up(programs);
	}
	return 0;
}

/* --- the rest --- */

struct programs *
programs_new(const struct attempt_parts *parts, unsigned run, bool asks,
	const struct programs_hooks *hooks)
{
	struct programs *programs = mem_zero(1, sizeof(*programs));

	programs->parts = *parts;
	programs->hooks = *hooks;
	programs->run = run;
	programs->asks = asks;
	programs->left_ns = -1;
	programs->counting_at = -1;
	programs->timeout = loop_timer_new(parts->loop, on_timeout, programs);
	return programs;
}

void
programs_free(struct programs *programs)
{
	if (!programs)
		return;
	attempt_free(programs->attempt);
	loop_timer_free(programs->timeout);
	free(programs->text);
	free(programs->name);
	free(programs->decided);
	free(programs);
}

void
programs_calls_changed(struct programs *programs)
{
	count_time(programs);
	if (programs->going)
		attempt_calls_changed(programs->attempt);
}

void
programs_next_run(struct programs *programs, unsigned run)
{
	/* It holds the calls of its run, which go now. */
	attempt_free(programs->attempt);
	programs->attempt = NULL;
	programs->calls = NULL;
	programs->ahead = programs->ready = programs->going = false;
	programs->run = run;
}

unsigned
programs_attempt(const struct programs *programs)
{
	return programs->number;
}

bool
programs_by_person(const struct programs *programs)
{
	return programs->by_person;
}

struct untrusted
programs_text(const struct programs *programs)
{
	return untrusted(programs->text ? programs->text : "", programs->text_len);
}

bool
programs_going(const struct programs *programs)
{
	return programs->going;
}

bool
programs_refused(const struct programs *programs)
{
	return programs->refused;
}

void
programs_kill(struct programs *programs, const char *outcome, enum decided_by by, const char *why)
{
	programs_ask_no_more(programs);
	if (programs->going)
		attempt_kill(programs->attempt, outcome, by, why);
}
