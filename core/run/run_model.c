/*
 * A model run is a row of turns: ask, run, and by the program's end answer, mend, ask the person,
 * or stop.  What a person must decide is asked only where one was promised (start.person);
 * headless, the run ends.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/net/http.h"
#include "core/run/account.h"
#include "core/run/author.h"
#include "core/run/author_prompt.h"
#include "core/run/calls.h"
#include "core/run/configuration.h"
#include "core/run/journal.h"
#include "core/run/key.h"
#include "core/run/programs.h"
#include "core/run/run_state.h"

#define PROGRAM_NAME "program.py"

bool
run_has_model(const struct run *run)
{
	return strcmp(run->start.mode, "model") == 0;
}

/* A person may say how to go on; else this is the end. */
static void
ask_person(struct run *run, const char *outcome, const char *why)
{
	if (run->outcome)
		return;
	if (!run->start.person) {
		run_over(run, outcome);
		return;
	}
	free(run->ended_as);
	run->ended_as = mem_str(outcome);
	programs_ask_on(run->programs, why);
}

/* --- what the author says --- */

static void
on_program(struct untrusted text, void *arg)
{
	struct run *run = arg;
	struct programs_start start = { text, PROGRAM_NAME, "model" };
	struct err err = { 0 };

	if (programs_start(run->programs, &start, &err) < 0)
		run_finish(run, "sandbox", BY_ENDED, err.text);
}

static void
on_answer(struct untrusted text, void *arg)
{
	struct run *run = arg;

	journal_answer(run->parts.journal, run->number, text);
	run_over(run, "ok");
}

static void
on_failed(const char *outcome, const char *why, void *arg)
{
	struct run *run = arg;

	journal_alert(run->parts.journal, why);
	if (strcmp(outcome, "record") == 0)
		return; /* the journal tells that by itself */
	ask_person(run, outcome, why);
}

/* --- the start --- */

static void
begin(struct run *run)
{
	run->account = run->account ? run->account : account_new();
	account_next_run(run->account);
	journal_keep_account(run->parts.journal, run->account);
	journal_budget(run->parts.journal, run->number, calls_budget(run->calls), NULL);
	author_run(run->author, run->number, run->calls, untrusted_str(run->task));
}

static void
maybe_begin(struct run *run, const char *key)
{
	struct author_parts parts = {
		.loop = run->parts.loop,
		.config = run->parts.config,
		.journal = run->parts.journal,
		.registry = run->registry,
		.key = key,
	};
	struct author_hooks hooks = { on_program, on_answer, on_failed, run };
	struct err err = { 0 };

	run->http = http_new(run->parts.loop);
	parts.http = run->http;
	run->account = account_new();
	parts.account = run->account;
	run->author = author_new(&parts, &hooks, &err);
	if (!run->author) {
		run->exit_code = 2;
		run_finish(run, "model", BY_ENDED, err.text);
		return;
	}
	run->key_known = true;
	if (run->tools_ready)
		begin(run);
}

static void
on_key(const char *key, const char *why, void *arg)
{
	struct run *run = arg;

	if (!run->outcome && why) {
		run->exit_code = 2;
		run_finish(run, "model", BY_ENDED, why);
	} else if (!run->outcome) {
		maybe_begin(run, key);
	}
	key_drop(run->key);
	run->key = NULL;
}

void
run_model_start(struct run *run)
{
	struct key_hooks hooks = { on_key, run };

	run->task = mem_str(run->start.task);
	journal_task(run->parts.journal, run->number, run->task, "person");
	programs_prepare(run->programs);
	run->key = key_read(run->parts.loop, run->parts.spawner, run->parts.config, &hooks);
}

void
run_model_tools_ready(struct run *run)
{
	programs_serve(run->programs, run->calls);
	if (run->key_known)
		begin(run);
}

void
run_model_free(struct run *run)
{
	key_drop(run->key);
	author_free(run->author);
	http_free(run->http);
	journal_keep_account(run->parts.journal, NULL);
	account_free(run->account);
	free(run->task);
	free(run->last_outcome);
	free(run->last_error);
	free(run->last_printed);
}

/* --- what follows a program --- */

static void
keep_end(struct run *run, const struct attempt_end *end, struct untrusted printed)
{
	free(run->last_outcome);
	free(run->last_error);
	free(run->last_printed);
	run->last_outcome = mem_str(end->outcome);
	run->last_error = mem_str(end->error);
	run->last_printed = mem_strn(printed.bytes ? printed.bytes : "", printed.len);
	run->last_printed_len = printed.len;
}

static void
repair(struct run *run, const char *word)
{
	struct author_failure failure = {
		.attempt = programs_attempt(run->programs),
		.outcome = run->last_outcome,
		.error = untrusted_str(run->last_error),
		.printed = untrusted(run->last_printed, run->last_printed_len),
		.word = word,
	};

	if (programs_by_person(run->programs))
		failure.program = programs_text(run->programs);
	programs_prepare(run->programs);
	author_repair(run->author, &failure);
}

/* The kinds of end that another program can mend. */
static bool
can_be_mended(const char *outcome)
{
	static const char *const kinds[] = { "error", "syntax", "time", "cpu", "memory", "output" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i], outcome) == 0)
			return true;
	return false;
}

static bool
answers_in_words(const struct run *run)
{
	return strcmp(config_str(run->parts.config, SETTING_ANSWER), "model") == 0;
}

bool
run_model_goes_on(struct run *run, const struct attempt_end *end, struct untrusted printed)
{
	if (run->outcome || programs_refused(run->programs))
		return false;
	keep_end(run, end, printed);
	if (strcmp(end->outcome, "ok") == 0) {
		if (answers_in_words(run))
			author_answer(run->author, printed);
		else
			author_done(run->author);
		return answers_in_words(run);
	}
	if (strcmp(end->outcome, "denied") == 0) {
		if (run->start.person)
			ask_person(run, "denied", "a denial ended the program");
		return run->start.person;
	}
	if (!can_be_mended(end->outcome))
		return false;
	if (author_may_repair(run->author))
		repair(run, NULL);
	else if (run->start.person)
		ask_person(run, end->outcome, "the program failed, and no repair is left");
	else
		return false;
	return true;
}

void
run_model_rewrite(struct run *run, const char *word)
{
	if (run->last_outcome && strcmp(run->last_outcome, "ok") != 0) {
		repair(run, word);
		return;
	}
	programs_prepare(run->programs);
	author_again(run->author, word);
}

void
run_model_stop(struct run *run)
{
	key_drop(run->key);
	run->key = NULL;
	if (run->author)
		author_stop(run->author);
}

/* --- the next task --- */

bool
run_model_stays(const struct run *run)
{
	return run_has_model(run) && run->start.person && run->consoles > 0 && run->author &&
	       run->calls;
}

int
run_task(struct run *run, const char *text, struct err *err)
{
	if (!run->resting)
		return err_set(err, ERR_STATE,
			run_has_model(run) ? "the run goes on; a next task can follow when it ended"
					   : "this session takes no further task");
	run->resting = false;
	loop_timer_stop(run->rest);
	run->number++;
	run->began = loop_now(run->parts.loop);
	run->closing = false;
	run->program_gone = false;
	run->exit_code = -1;
	free(run->outcome);
	run->outcome = NULL;
	free(run->last_outcome);
	run->last_outcome = NULL;
	free(run->task);
	run->task = mem_str(text);
	programs_next_run(run->programs, run->number);
	if (run_make_calls(run, err) < 0)
		return -1;
	programs_serve(run->programs, run->calls);
	programs_prepare(run->programs);
	journal_task(run->parts.journal, run->number, text, "person");
	begin(run);
	return 0;
}

int
run_cancel(struct run *run, unsigned turn, struct err *err)
{
	if (!run->author || run->outcome)
		return err_set(err, ERR_STATE, "no reply is being written");
	return author_cancel(run->author, turn, err);
}
