/*
 * run_finish() is the only way to the end and is safe to call more than once: the first outcome
 * stands. The end waits for two things that may come in either order: the end of the latest program
 * and the last running tool.  on_ended() alone says what follows a program: another, a question,
 * the end.
 */
#include "config.h"

#include "core/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/run/calls.h"
#include "core/run/configuration.h"
#include "core/run/journal.h"
#include "core/run/programs.h"
#include "core/run/run_state.h"
#include "core/run/spawn.h"
#include "core/tools/registry.h"

#define EXIT_RECORD 7

/* Exit codes of product.md.  The order is that of the manual. */
static int
outcome_code(const struct run *run, const char *outcome)
{
	static const struct {
		const char *outcome;
		int code;
	} codes[] = {
		{ "ok", 0 },
		{ "denied", 3 },
		{ "stopped", 3 },
		{ "budget", 4 },
		{ "sandbox", 5 },
		{ "model", 6 },
		{ "record", EXIT_RECORD },
		{ "record_size", EXIT_RECORD },
		{ "time", 8 },
		{ "cpu", 8 },
	};

	if (run->exit_code >= 0)
		return run->exit_code;
	if (strcmp(outcome, "ok") == 0 && run->start.fail_on_denied && run->calls &&
		calls_denied(run->calls) > 0)
		return 3;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (strcmp(codes[i].outcome, outcome) == 0)
			return codes[i].code;
	return 1;
}

/* A next task may follow an end of the program's or the model's own making. */
static bool
may_rest(const struct run *run)
{
	static const char *const final[] = { "stopped", "signal", "record", "record_size",
		"sandbox" };

	for (size_t i = 0; i < ARRAY_SIZE(final); i++)
		if (strcmp(final[i], run->outcome) == 0)
			return false;
	return run_model_stays(run) && !journal_lost(run->parts.journal);
}

static void rest_alone(struct run *run);

static void
close_session(void *arg)
{
	struct run *run = arg;
	int code = outcome_code(run, run->outcome);
	struct journal_run_end end = {
		.run = run->number,
		.outcome = run->outcome,
		.exit_code = code,
		.calls = run->calls ? calls_total(run->calls) : 0,
		.denied = run->calls ? calls_denied(run->calls) : 0,
		.duration_ms = (loop_now(run->parts.loop) - run->began) / NS_PER_MS,
	};

	if (run->calls)
		calls_flush_budget(run->calls);
	if (!run->resting)
		journal_run_end(run->parts.journal, &end);
	if (!run->resting && may_rest(run)) {
		run->resting = true;
		run->exit_code = code;
		rest_alone(run);
		return;
	}
	journal_session_end(run->parts.journal, run->outcome, code);
	if (journal_lost(run->parts.journal))
		code = EXIT_RECORD;
	run->closed = true;
	run->hooks.on_done(code, run->hooks.arg);
}

static bool
asks_about_programs(const struct run *run)
{
	return strcmp(config_str(run->parts.config, SETTING_APPROVAL_PROGRAM), "ask") == 0;
}

/* Everything that had to end has ended: write the end, from the loop and not from a callback. */
static void
maybe_close(struct run *run)
{
	if (run->closing || run->resting || !run->outcome || !run->program_gone)
		return;
	if (run->calls && calls_running(run->calls) > 0)
		return;
	run->closing = true;
	loop_defer(run->parts.loop, close_session, run);
}

/* Its run has ended as it did: only the session is left to end. */
static void
leave_rest(struct run *run)
{
	if (run->closing && run->closed)
		return;
	run->closed = false;
	loop_undefer(run->parts.loop, run);
	loop_defer(run->parts.loop, close_session, run);
}

/* Nobody is there who could give a next task: one may come back for a while. */
static void
rest_alone(struct run *run)
{
	int64_t rest_s = config_int(run->parts.config, SETTING_MODEL_REST_S);

	if (run->rest && (!run->resting || run->consoles > 0))
		loop_timer_stop(run->rest);
	else if (run->rest)
		loop_timer_in(run->rest, rest_s * NS_PER_S);
}

static void
on_rested(void *arg)
{
	leave_rest(arg);
}

void
run_finish(struct run *run, const char *outcome, enum decided_by by, const char *why)
{
	const char *words = why ? why : "the run has ended";

	if (!run->outcome) {
		run->outcome = mem_str(outcome);
		if (why)
			journal_alert(run->parts.journal, why);
	}
	if (run->resting) {
		leave_rest(run);
		return;
	}
	run_model_stop(run);
	if (run->programs)
		programs_ask_no_more(run->programs);
	if (run->programs && !run->program_gone) {
		programs_kill(run->programs, strcmp(outcome, "budget") == 0 ? outcome : "killed",
			by, words);
		if (programs_going(run->programs))
			return;
	}
	if (run->calls)
		calls_end_program(run->calls, by, words);
	run->program_gone = true;
	maybe_close(run);
}

void
run_over(struct run *run, const char *outcome)
{
	run->program_gone = true;
	if (!run->outcome)
		run->outcome = mem_str(outcome);
	maybe_close(run);
}

/* A person may hand in another program after one that failed, where they are asked at all. */
static bool
may_go_on(const struct run *run, const char *outcome)
{
	return !run->outcome && asks_about_programs(run) && !programs_refused(run->programs) &&
	       (strcmp(outcome, "error") == 0 || strcmp(outcome, "denied") == 0 ||
		       strcmp(outcome, "syntax") == 0);
}

static void
on_given_up(void *arg)
{
	struct run *run = arg;

	run_over(run, run->ended_as);
}

static void
on_rewrite(const char *word, void *arg)
{
	run_model_rewrite(arg, word);
}

static void
on_ended(const struct attempt_end *end, struct untrusted printed, void *arg)
{
	struct run *run = arg;

	if (run_has_model(run) && run_model_goes_on(run, end, printed))
		return;
	if (!run_has_model(run) && may_go_on(run, end->outcome)) {
		free(run->ended_as);
		run->ended_as = mem_str(end->outcome);
		programs_ask_on(run->programs, "the program failed");
		return;
	}
	run->program_gone = true;
	if (!run->outcome)
		run->outcome = mem_str(end->outcome);
	if (strcmp(end->outcome, "sandbox") == 0 && end->error)
		journal_alert(run->parts.journal, end->error);
	if (strcmp(run->outcome, "ok") == 0)
		journal_answer(run->parts.journal, run->number, printed);
	maybe_close(run);
}

static void
on_stop(enum calls_stop stop, const char *why, void *arg)
{
	run_finish(arg, stop == CALLS_STOP_BUDGET ? "budget" : "stopped", BY_ENDED, why);
}

static void
on_change(void *arg)
{
	struct run *run = arg;

	if (run->programs && !run->program_gone)
		programs_calls_changed(run->programs);
	if (run->outcome)
		maybe_close(run);
}

static void
on_person_done(bool ok, const char *text, size_t len, void *arg)
{
	struct run *run = arg;

	if (ok)
		journal_answer(run->parts.journal, run->number, untrusted(text, len));
	if (!run->outcome)
		run->outcome = mem_str(ok                             ? "ok"
				       : calls_denied(run->calls) > 0 ? "denied"
								      : "error");
	run->program_gone = true;
}

/* A person may leave the server out where the tool's name is unique. */
static const char *
full_name(const struct run *run, const char *word)
{
	const char *found = NULL;

	if (registry_find(run->registry, word, strlen(word)))
		return word;
	for (size_t i = 0; i < registry_count(run->registry); i++) {
		const struct tool_facts *facts = &registry_at(run->registry, i)->facts;

		if (strcmp(facts->name, word) != 0)
			continue;
		if (found)
			return word;
		found = facts->full;
	}
	return found ? found : word;
}

static void
call_of_person(struct run *run)
{
	struct err err = { 0 };

	if (calls_person(run->calls, full_name(run, run->start.tool), run->start.arguments,
		    on_person_done, run, &err) < 0)
		run_finish(run, "error", BY_ENDED, err.text);
	else
		maybe_close(run);
}

static void
tools_of(struct run *run, const char *server, struct tool **added, size_t *count, bool *isolated)
{
	for (size_t i = 0; i < registry_count(run->registry); i++) {
		struct tool *tool = registry_at(run->registry, i);

		if (strcmp(tool->facts.server, server) != 0)
			continue;
		*isolated = tool->isolated;
		added[(*count)++] = tool;
	}
}

/* A server that comes back is the same tools, from the same bytes: the record has them already. */
static bool
told_before(struct run *run, const char *server)
{
	for (size_t i = 0; i < run->told_count; i++)
		if (strcmp(run->told[i], server) == 0)
			return true;
	run->told = mem_grow(run->told, run->told_count + 1, sizeof(*run->told));
	run->told[run->told_count++] = mem_str(server);
	return false;
}

static void
on_server(const char *server, enum server_state state, const char *error, void *arg)
{
	struct run *run = arg;
	bool news = run->registry && state == SERVER_READY && !told_before(run, server);
	size_t all = news ? registry_count(run->registry) : 0;
	AUTO_FREE struct tool **added = mem_zero(all, sizeof(*added));
	bool isolated = config_isolates(run->parts.config, server);
	size_t count = 0;

	if (run->closed)
		return;
	if (all > 0)
		tools_of(run, server, added, &count, &isolated);
	journal_tools(run->parts.journal, server, server_state_name(state), isolated, added, count);
	if (error) {
		AUTO_FREE char *text = mem_printf("%s: %s", server, error);

		journal_alert(run->parts.journal, text);
	}
	if (state == SERVER_FAILED)
		run->tools_failed = true;
}

int
run_make_calls(struct run *run, struct err *err)
{
	struct calls_parts parts = {
		.loop = run->parts.loop,
		.config = run->parts.config,
		.journal = run->parts.journal,
		.registry = run->registry,
		.session_id = run->start.id,
		.no_ask = run->start.no_ask,
		.before = run->calls,
	};
	struct calls *calls =
		calls_new(&parts, &(struct calls_hooks){ on_stop, on_change, run }, err);

	if (!calls)
		return -1;
	calls_free(run->calls);
	run->calls = calls;
	calls_attach(run->calls, NULL, run->number, 1);
	return 0;
}

static void
on_tools_ready(void *arg)
{
	struct run *run = arg;
	struct err err = { 0 };

	if (run->outcome)
		return;
	if (run->tools_failed) {
		run->exit_code = registry_not_isolated(run->registry) ? 5 : 2;
		run_finish(run, run->exit_code == 5 ? "sandbox" : "error", BY_ENDED,
			"a tool server did not start, so the run does not start");
		return;
	}
	if (run_make_calls(run, &err) < 0) {
		run->exit_code = 2;
		run_finish(run, "error", BY_ENDED, err.text);
		return;
	}
	run->tools_ready = true;
	if (run->start.tool)
		call_of_person(run);
	else if (run_has_model(run))
		run_model_tools_ready(run);
	else
		programs_serve(run->programs, run->calls);
}

static const char unasked[] = "approval.program is \"ask\": a person decides on the program "
			      "first, and the run was started with --no-ask";

/* Nobody is asked in this run: a program that needs a yes does not begin. */
static void
refuse_unasked(struct run *run)
{
	struct journal_program program = { run->number, 1, run->start.program, "file" };
	struct journal_program_decided decided = {
		.attempt = 1,
		.verdict = program_verdict_name(PROGRAM_REFUSE),
		.by = BY_LIMIT,
		.reason = unasked,
	};

	journal_program(run->parts.journal, &program);
	journal_program_decided(run->parts.journal, &decided);
	run_finish(run, "denied", BY_LIMIT, unasked);
}

static void
start_program(struct run *run)
{
	struct attempt_parts parts = {
		.loop = run->parts.loop,
		.config = run->parts.config,
		.journal = run->parts.journal,
		.registry = run->registry,
		.spawner = run->parts.spawner,
	};
	struct programs_hooks hooks = { on_ended, on_given_up,
		run_has_model(run) ? on_rewrite : NULL, run };
	struct programs_start start = { run->start.program, run->start.program_name, "file" };
	struct err err = { 0 };

	if (run_has_model(run)) {
		run->programs = programs_new(&parts, run->number, asks_about_programs(run), &hooks);
		run_model_start(run);
		/* Nothing is sent for a program that could not run. */
		if (asks_about_programs(run) && run->start.no_ask)
			run_finish(run, "denied", BY_LIMIT, unasked);
		return;
	}
	journal_task(run->parts.journal, run->number,
		run->start.task ? run->start.task : run->start.program_name,
		run->start.task ? "person" : "file");
	if (asks_about_programs(run) && run->start.no_ask) {
		refuse_unasked(run);
		return;
	}
	run->programs = programs_new(&parts, run->number, asks_about_programs(run), &hooks);
	if (programs_start(run->programs, &start, &err) < 0)
		run_finish(run, "sandbox", BY_ENDED, err.text);
}

struct run *
run_new(const struct run_parts *parts, const struct run_start *start, const struct run_hooks *hooks)
{
	struct run *run = mem_zero(1, sizeof(*run));
	struct registry_hooks tools = { on_server, on_tools_ready, run };
	struct journal_session session = {
		.id = start->id,
		.name = start->name,
		.mode = start->mode,
		.config = parts->config,
		.modelled = strcmp(start->mode, "model") == 0,
	};
	struct err err = { 0 };

	run->parts = *parts;
	run->start = *start;
	run->hooks = *hooks;
	run->number = 1;
	run->rest = loop_timer_new(parts->loop, on_rested, run);
	run->began = loop_now(parts->loop);
	run->exit_code = -1;
	run->program_gone = start->tool != NULL;
	journal_session_start(parts->journal, &session);
	run->registry = registry_new(parts->loop, parts->spawner, parts->config, &tools, &err);
	if (!run->registry) {
		run->exit_code = 2;
		run_finish(run, "error", BY_ENDED, err.text);
		return run;
	}
	if (!start->tool)
		start_program(run);
	return run;
}

void
run_free(struct run *run)
{
	if (!run)
		return;
	loop_undefer(run->parts.loop, run);
	loop_timer_free(run->rest);
	run_model_free(run);
	programs_free(run->programs);
	registry_free(run->registry);
	calls_free(run->calls);
	for (size_t i = 0; i < run->told_count; i++)
		free(run->told[i]);
	free(run->told);
	free(run->outcome);
	free(run->ended_as);
	free(run);
}

struct calls *
run_calls(struct run *run)
{
	return run->calls;
}

int
run_decide_program(struct run *run, const struct program_decision *decision, struct err *err)
{
	if (!run->programs || run->outcome)
		return err_set(err, ERR_STATE,
			run->outcome ? "the run is ending" : "this run has no program");
	return programs_decide(run->programs, decision, err);
}

int
run_away(struct run *run, bool away, const char *who, struct err *err)
{
	if (!run->calls || run->outcome)
		return err_set(err, ERR_STATE,
			run->outcome ? "the run is ending" : "the run has not begun yet");
	return calls_away(run->calls, away, who, err);
}

void
run_stop(struct run *run, int signo)
{
	if (signo)
		run->exit_code = run->outcome ? run->exit_code : 128 + signo;
	run_finish(run, signo ? "signal" : "stopped", signo ? BY_SIGNAL : BY_ENDED,
		signo ? "the run was ended by a signal" : "a person stopped the run");
}

void
run_record_lost(struct run *run, bool full, const char *why)
{
	free(run->outcome);
	run->outcome = mem_str(full ? "record_size" : "record");
	run->exit_code = -1;
	run_finish(run, run->outcome, BY_LIMIT, why);
}

void
run_spawner_lost(struct run *run)
{
	if (!run->outcome)
		run->outcome = mem_str("sandbox");
	run->program_gone = true;
	run_finish(run, "sandbox", BY_ENDED,
		"the process that holds the sandbox and the tools is gone");
}

void
run_consoles(struct run *run, size_t count)
{
	run->consoles = count;
	rest_alone(run);
}
