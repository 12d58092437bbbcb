/*
 * The outcome is decided by the first that happens: the supervisor's own kill (time, cpu, output,
 * protocol, budget, stop), else the status of process 1, with the program's own last word only to
 * tell kinds of failure apart.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/json.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/where.h"
#include "core/gate/policy.h"
#include "core/run/attempt_state.h"
#include "core/run/bridge.h"
#include "core/run/calls.h"
#include "core/run/calls_grant.h"
#include "core/run/configuration.h"
#include "core/run/journal.h"
#include "core/run/spawn.h"
#include "core/tools/registry.h"

#define START_LIMIT_NS (20 * NS_PER_S) /* to a proved sandbox, on a busy machine */
#define LEAVE_LIMIT_NS (5 * NS_PER_S)  /* from the program's last word to the end of process 1 */
#define STDERR_MAX 65536

static void
set_error(struct attempt *attempt, const char *error)
{
	if (!attempt->error && error)
		attempt->error = mem_str(error);
}

void
attempt_kill(struct attempt *attempt, const char *outcome, enum decided_by by, const char *why)
{
	if (attempt->phase == ATTEMPT_ENDED)
		return;
	attempt_count_time(attempt);
	if (!attempt->killed_as) {
		attempt->killed_as = mem_str(outcome);
		set_error(attempt, why);
	}
	if (attempt->calls)
		calls_end_program(attempt->calls, by, why);
	if (attempt->sandbox)
		sandbox_kill(attempt->sandbox);
}

static void
add_output(struct attempt *attempt, const char *stream, const char *text, size_t len)
{
	int64_t limit = config_int(attempt->parts.config, SETTING_SANDBOX_OUTPUT);

	if (len == 0 || attempt->killed_as || attempt->phase == ATTEMPT_ENDED)
		return;
	if ((int64_t)len > limit - attempt->printed) {
		len = (size_t)(limit - attempt->printed);
		attempt_kill(attempt, "output", BY_LIMIT,
			"the program printed more than sandbox.output allows");
	}
	attempt->printed += (int64_t)len;
	if (strcmp(stream, "stdout") == 0)
		buf_put(&attempt->stdout_text, text, len);
	if (len > 0)
		journal_output(
			attempt->parts.journal, attempt->number, stream, untrusted(text, len));
}

/* Process 1's standard error: what bypassed the runner.  False when nothing more comes now. */
static bool
read_stderr(struct attempt *attempt)
{
	int fd = sandbox_stderr(attempt->sandbox);
	struct err err = { 0 };
	ssize_t got;

	buf_clear(&attempt->stderr_raw);
	got = io_read_some(fd, &attempt->stderr_raw, STDERR_MAX, &err);
	if (got > 0)
		add_output(attempt, "stderr", attempt->stderr_raw.data, (size_t)got);
	else if (got == 0 || err.errnum != EAGAIN)
		loop_watch_set(attempt->stderr_watch, 0);
	return got > 0 && !attempt->killed_as;
}

static void
on_stderr(int fd, unsigned events, void *arg)
{
	(void)read_stderr(arg);
}

static void
proved(struct attempt *attempt)
{
	int64_t start_ms = (loop_now(attempt->parts.loop) - attempt->started_at) / NS_PER_MS;
	struct badge badge;
	struct err err = { 0 };
	int whole = sandbox_prove(attempt->sandbox, &badge, &err);

	loop_timer_stop(attempt->deadline);
	journal_sandbox(attempt->parts.journal, attempt->number,
		config_str(attempt->parts.config, SETTING_SANDBOX_BACKEND), &badge, start_ms);
	if (whole < 0) {
		attempt_kill(attempt, "sandbox", BY_ENDED, err.text);
		return;
	}
	attempt->phase = ATTEMPT_READY;
	attempt->hooks.on_ready(attempt->hooks.arg);
}

/* The runner sends one probe for each layer; the last one makes the handshake whole. */
static void
on_probe(const char *name, bool layer_proved, const char *detail, void *arg)
{
	struct attempt *attempt = arg;
	int layer = layer_of(name);
	int seen = 0;

	if (layer < 0 || attempt->phase != ATTEMPT_STARTING)
		return;
	sandbox_probed(attempt->sandbox, name, layer_proved, detail);
	attempt->layers_seen[layer] = 1;
	for (int i = 0; i < LAYER_COUNT; i++)
		seen += attempt->layers_seen[i];
	if (seen == LAYER_COUNT)
		proved(attempt);
}

static void
one_site(struct attempt *attempt, struct json_value value, struct journal_site *site)
{
	const char *name = json_text(value, "tool");
	struct tool *tool =
		name ? registry_find(attempt->parts.registry, name, strlen(name)) : NULL;
	int64_t line = 0;

	json_int(json_get(value, "line"), 1, INT32_MAX, &line);
	site->line = (int)line;
	site->tool = name && strlen(name) <= CALLS_NAME_MAX ? name : "";
	site->loop = json_bool(json_get(value, "loop"), false);
	site->effect = tool ? tool->facts.effect : EFFECT_MUTATE;
	site->action =
		tool ? policy_forecast(calls_policy(attempt->calls), &tool->facts) : ACTION_DENY;
}

static void
on_forecast(struct json_value sites, void *arg)
{
	struct attempt *attempt = arg;
	size_t count = json_count(sites);
	AUTO_FREE struct journal_site *list = mem_zero(count, sizeof(*list));
	struct json_iter it = json_each(sites);

	if (attempt->killed_as)
		return;
	for (size_t i = 0; json_next(&it); i++)
		one_site(attempt, it.value, &list[i]);
	journal_forecast(attempt->parts.journal, attempt->number, list, count);
	calls_forecast(attempt->calls, list, count);
	loop_timer_stop(attempt->deadline);
	attempt->phase = ATTEMPT_LOADED;
	attempt->hooks.on_loaded(attempt->hooks.arg);
}

void
attempt_go(struct attempt *attempt)
{
	assert(attempt->phase == ATTEMPT_LOADED);
	attempt->phase = ATTEMPT_RUNNING;
	attempt->ticked_at = loop_now(attempt->parts.loop);
	attempt->was_away = calls_are_away(attempt->calls);
	loop_timer_in(attempt->tick, ATTEMPT_TICK_NS);
	bridge_go(attempt->bridge);
}

static void
on_output(bool err, const char *text, size_t len, void *arg)
{
	add_output(arg, err ? "stderr" : "stdout", text, len);
}

static void
on_line(int line, void *arg)
{
	struct attempt *attempt = arg;

	if (line == attempt->live_line)
		return;
	attempt->live_line = line;
	journal_line(attempt->parts.journal, line);
}

static void
on_end(const char *outcome, int exit_code, const char *error, int line, void *arg)
{
	struct attempt *attempt = arg;

	attempt->last_word = mem_str(outcome);
	attempt->end_exit = exit_code;
	attempt->end_line = line;
	if (!attempt->killed_as)
		set_error(attempt, error);
	attempt_count_time(attempt);
	attempt->phase = ATTEMPT_LEAVING;
	loop_timer_stop(attempt->tick);
	loop_timer_in(attempt->deadline, LEAVE_LIMIT_NS);
}

static void
on_request(const struct bridge_request *request, void *arg)
{
	struct attempt *attempt = arg;

	if (attempt->killed_as || attempt->phase != ATTEMPT_RUNNING)
		return;
	if (request->line > 0)
		attempt->live_line = request->line;
	calls_request(attempt->calls, request);
}

static void
on_violation(const char *what, bool last, void *arg)
{
	struct attempt *attempt = arg;
	AUTO_FREE char *text = NULL;

	if (attempt->killed_as)
		return;
	text = mem_printf("the program broke the rules of the bridge: %s", what);
	journal_alert(attempt->parts.journal, text);
	if (last)
		attempt_kill(attempt, "protocol", BY_ENDED, text);
}

static void
on_closed(void *arg)
{
	struct attempt *attempt = arg;

	/* Without its bridge the program can do nothing that counts: give it the time to end. */
	if (attempt->phase != ATTEMPT_LEAVING && attempt->phase != ATTEMPT_ENDED)
		loop_timer_in(attempt->deadline, LEAVE_LIMIT_NS);
}

static void
on_deadline(void *arg)
{
	struct attempt *attempt = arg;

	if (attempt->phase == ATTEMPT_STARTING || attempt->phase == ATTEMPT_READY)
		attempt_kill(attempt, "sandbox", BY_ENDED,
			"the sandbox started, and its runner did not answer");
	else if (attempt->phase == ATTEMPT_LOADING)
		attempt_kill(attempt, "protocol", BY_ENDED,
			"the runner got the program and did not begin it");
	else
		attempt_kill(attempt, attempt->last_word ? "killed" : "protocol", BY_ENDED,
			"the program closed the bridge and did not end");
}

/* The word for an end that was not ours, from process 1's status. */
static const char *
natural_outcome(const struct attempt *attempt, const struct proc_exit *exit)
{
	const char *word = attempt->last_word;

	if (exit->signaled && exit->code == SIGXCPU)
		return "cpu";
	if (exit->signaled)
		return "killed";
	if (word && strcmp(word, "syntax") == 0)
		return word;
	if (exit->code == 0)
		return "ok";
	if (word && strcmp(word, "denied") == 0 && calls_denied(attempt->calls) > 0)
		return word;
	if (word && strcmp(word, "budget") == 0)
		return word;
	if (attempt->error && strstr(attempt->error, "\nMemoryError"))
		return "memory";
	return "error";
}

static void
end_of_program(struct attempt *attempt, const struct proc_exit *exit, const char *outcome)
{
	struct journal_program_end end = {
		.attempt = attempt->number,
		.outcome = outcome,
		.exit = exit->signaled ? 128 + exit->code : exit->code,
		.error = attempt->error,
		.line = attempt->end_line ? attempt->end_line : attempt->live_line,
		.cpu_ms = exit->cpu_ms,
		.max_rss_kb = exit->max_rss_kb,
		.held_ms = attempt->held_ns / NS_PER_MS,
	};

	calls_flush_budget(attempt->calls);
	journal_program_end(attempt->parts.journal, &end);
}

/*
 * What a dead program left: its calls end first, so that a request among its last bytes is recorded
 * and denied instead of run for nobody; then the rest of its output.
 */
static void
take_leavings(struct attempt *attempt)
{
	if (attempt->calls)
		calls_end_program(attempt->calls, BY_ENDED, "the program has ended");
	if (attempt->bridge && !attempt->killed_as)
		bridge_drain(attempt->bridge);
	while (!attempt->killed_as && read_stderr(attempt))
		;
	if (attempt->calls)
		calls_attach(attempt->calls, NULL, attempt->run, attempt->number);
}

static void
on_exit_of_sandbox(struct sandbox *sandbox, const struct proc_exit *exit, void *arg)
{
	struct attempt *attempt = arg;
	bool ran = attempt->calls != NULL;
	struct attempt_end end = { 0 };

	attempt_count_time(attempt);
	take_leavings(attempt);
	if (!exit->started && exit->error[0])
		set_error(attempt, exit->error);
	if (!ran && !attempt->killed_as)
		set_error(attempt, "the sandbox ended before the program was handed over");
	end.outcome = attempt->killed_as ? attempt->killed_as
		      : !ran             ? "sandbox"
					 : natural_outcome(attempt, exit);
	end.error = attempt->error;
	end.exit = exit->code;
	attempt->phase = ATTEMPT_ENDED;
	if (ran)
		end_of_program(attempt, exit, end.outcome);
	loop_timer_stop(attempt->tick);
	loop_timer_stop(attempt->deadline);
	attempt->hooks.on_ended(&end, attempt->hooks.arg);
}

static void
start_bridge(struct attempt *attempt)
{
	const struct config *config = attempt->parts.config;
	struct bridge_limits limits = {
		.line = (size_t)config_int(config, SETTING_BRIDGE_LINE),
		.notifications_per_s = config_int(config, SETTING_BRIDGE_RATE),
	};
	struct bridge_hooks hooks = {
		.on_request = on_request,
		.on_probe = on_probe,
		.on_forecast = on_forecast,
		.on_output = on_output,
		.on_line = on_line,
		.on_end = on_end,
		.on_violation = on_violation,
		.on_closed = on_closed,
		.arg = attempt,
	};

	attempt->bridge =
		bridge_new(attempt->parts.loop, sandbox_bridge(attempt->sandbox), &limits, &hooks);
	attempt->stderr_watch = loop_watch(attempt->parts.loop, sandbox_stderr(attempt->sandbox),
		LOOP_READ, LOOP_STREAMS, on_stderr, attempt);
}

static struct sandbox *
start_sandbox(struct attempt *attempt, struct err *err)
{
	const struct config *config = attempt->parts.config;
	const char *backend = config_str(config, SETTING_SANDBOX_BACKEND);
	const struct sandbox_ops *ops = sandbox_find(backend);
	size_t mounts = config_mount_count(config);
	AUTO_FREE struct sandbox_mount *list = mem_zero(mounts, sizeof(*list));
	AUTO_FREE char *runner = where_data("core/sandbox/guest/runner.py");
	struct sandbox_config wanted = {
		.limits = {
			.memory_bytes = config_int(config, SETTING_SANDBOX_MEMORY),
			.pids = config_int(config, SETTING_SANDBOX_PIDS),
			.cpu_s = config_int(config, SETTING_SANDBOX_CPU_S),
			.cpus = config_int(config, SETTING_SANDBOX_CPUS),
			.tmp_bytes = config_int(config, SETTING_SANDBOX_TMP),
		},
		.python = config_str(config, SETTING_SANDBOX_PYTHON),
		.mounts = list,
		.mount_count = mounts,
		.runner = runner,
	};
	struct sandbox_hooks hooks = { .on_exit = on_exit_of_sandbox, .arg = attempt };

	if (!ops) {
		err_set(err, ERR_SANDBOX, "there is no sandbox backend \"%s\"", backend);
		return NULL;
	}
	for (size_t i = 0; i < mounts; i++)
		list[i] = (struct sandbox_mount){ config_mount(config, i)->from,
			config_mount(config, i)->to };
	return sandbox_start(ops, attempt->parts.spawner, &wanted, &hooks, err);
}

struct attempt *
attempt_new(const struct attempt_parts *parts, unsigned run, unsigned number,
	const struct attempt_hooks *hooks, struct err *err)
{
	struct attempt *attempt = mem_zero(1, sizeof(*attempt));

	attempt->parts = *parts;
	attempt->hooks = *hooks;
	attempt->run = run;
	attempt->number = number;
	attempt->started_at = loop_now(parts->loop);
	buf_init(&attempt->stdout_text, BUF_UNBOUNDED);
	buf_init(&attempt->stderr_raw, STDERR_MAX);
	attempt->sandbox = start_sandbox(attempt, err);
	if (!attempt->sandbox) {
		attempt_free(attempt);
		return NULL;
	}
	attempt->tick = loop_timer_new(parts->loop, attempt_on_tick, attempt);
	attempt->deadline = loop_timer_new(parts->loop, on_deadline, attempt);
	loop_timer_in(attempt->deadline, START_LIMIT_NS);
	start_bridge(attempt);
	return attempt;
}

void
attempt_free(struct attempt *attempt)
{
	if (!attempt)
		return;
	if (attempt->calls)
		calls_attach(attempt->calls, NULL, attempt->run, attempt->number);
	bridge_free(attempt->bridge);
	loop_unwatch(attempt->stderr_watch);
	sandbox_free(attempt->sandbox);
	loop_timer_free(attempt->tick);
	loop_timer_free(attempt->deadline);
	buf_release(&attempt->stdout_text);
	buf_release(&attempt->stderr_raw);
	free(attempt->killed_as);
	free(attempt->last_word);
	free(attempt->error);
	free(attempt);
}

void
attempt_load(
	struct attempt *attempt, struct calls *calls, struct untrusted program, const char *name)
{
	AUTO_BUF struct buf tools;

	buf_init(&tools, BUF_UNBOUNDED);
	registry_guest_tools(attempt->parts.registry, &tools);
	assert(attempt->phase == ATTEMPT_READY || attempt->phase == ATTEMPT_LOADED);
	attempt->calls = calls;
	calls_attach(calls, attempt->bridge, attempt->run, attempt->number);
	bridge_serve(attempt->bridge, calls_budget(calls));
	attempt->phase = ATTEMPT_LOADING;
	loop_timer_in(attempt->deadline, START_LIMIT_NS);
	bridge_load(attempt->bridge, program.bytes, program.len, name, tools.data);
}

struct untrusted
attempt_output(const struct attempt *attempt)
{
	return untrusted(attempt->stdout_text.data ? attempt->stdout_text.data : "",
		attempt->stdout_text.len);
}
