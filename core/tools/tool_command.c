/*
 * A process is over when its exit was reported; what it wrote is read to the end then.  Its job may
 * be over before (timeout, too much output, the run's end): then the process is only buried.
 */
#include "config.h"

#include "core/tools/tool_command.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/json.h"
#include "core/base/jsonout.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/gate/gate.h"
#include "core/run/configuration.h"
#include "core/run/spawn.h"
#include "core/tools/job.h"
#include "core/tools/tail.h"

#define READ_MAX 65536
#define PARALLEL_MAX 32

struct command {
	struct tool_source source; /* first */
	struct loop *loop;
	struct spawner *spawner;
	const struct config_tool *config;
	struct tool_source_hooks hooks;
	struct jobs jobs;
	struct job_text text;
	struct process *processes;
	uint64_t last_number;
};

struct process {
	struct process *next;
	struct command *command;
	struct proc *proc;
	uint64_t number; /* its job's, which may be over */
	int in_fd, out_fd;
	struct loop_watch *in_watch, *out_watch;
	struct buf in;
	struct buf out;
	struct tail tail;
	struct loop_timer *timer;
};

static struct command *
of_source(struct tool_source *source)
{
	return (struct command *)source;
}

static void start_jobs(struct command *command);

/* ---- a process ---- */

static void
close_end(int *fd, struct loop_watch **watch)
{
	loop_unwatch(*watch);
	*watch = NULL;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
process_free(struct process *process)
{
	struct process **at = &process->command->processes;

	while (*at != process)
		at = &(*at)->next;
	*at = process->next;
	if (process->proc)
		proc_drop(process->proc);
	close_end(&process->in_fd, &process->in_watch);
	close_end(&process->out_fd, &process->out_watch);
	tail_close(&process->tail);
	loop_timer_free(process->timer);
	buf_release(&process->in);
	buf_release(&process->out);
	free(process);
}

/* End its job, and it. */
static void
give_up(struct process *process, enum tool_outcome outcome, const char *why)
{
	struct job *job = jobs_find(&process->command->jobs, process->number);

	if (job)
		jobs_end(&process->command->jobs, job, outcome, why);
	if (process->proc)
		proc_kill(process->proc);
}

static void
on_input(int fd, unsigned events, void *arg)
{
	struct process *process = arg;

	if (io_write_some(fd, &process->in, NULL) < 0 || process->in.len == 0)
		close_end(&process->in_fd, &process->in_watch);
}

/* One read; false when nothing more comes now. */
static bool
read_output(struct process *process)
{
	struct err err = { 0 };
	ssize_t got;

	if (process->out_fd < 0)
		return false;
	got = io_read_some(process->out_fd, &process->out, READ_MAX, &err);
	if (got > 0 && process->out.len > TOOL_RESULT_MAX) {
		AUTO_FREE char *why = mem_printf("it wrote more than %zu bytes", TOOL_RESULT_MAX);

		close_end(&process->out_fd, &process->out_watch);
		give_up(process, TOOL_FAILED, why);
		return false;
	}
	if (got == 0 || (got < 0 && err.errnum != EAGAIN && err.errnum != EINTR))
		loop_watch_set(process->out_watch, 0);
	return got > 0;
}

static void
on_output(int fd, unsigned events, void *arg)
{
	read_output(arg);
}

static void
on_timer(void *arg)
{
	struct process *process = arg;
	AUTO_FREE char *why = mem_printf("it took longer than its timeout_s of %lld",
		(long long)process->command->config->timeout_s);

	give_up(process, TOOL_TIMED_OUT, why);
}

/* ---- its result ---- */

static int
text_as_string(struct job_text *text, const char *bytes, size_t len, struct err *err)
{
	struct jsonout out;

	if (len > 0 && bytes[len - 1] == '\n')
		len--;
	if (!text_is_utf8(bytes, len))
		return err_set(err, ERR_FORMAT, "its output is neither JSON nor UTF-8 text");
	buf_clear(&text->value);
	jsonout_init(&out, &text->value);
	jsonout_strn(&out, bytes, len);
	if (text->value.len > TOOL_RESULT_MAX)
		return err_set(err, ERR_LIMIT, "it wrote more than %zu bytes", TOOL_RESULT_MAX);
	return 0;
}

static void
finish_ok(struct process *process, struct job *job)
{
	struct command *command = process->command;
	const char *bytes = process->out.len ? process->out.data : "";
	struct err err;

	if (job_text_read(&command->text, bytes, process->out.len, NULL) < 0 &&
		text_as_string(&command->text, bytes, process->out.len, &err) < 0)
		jobs_fail(&command->jobs, job, TOOL_FAILED, err.text);
	else
		jobs_finish(&command->jobs, job, command->text.value.data, command->text.value.len);
}

static void
finish(struct process *process, struct job *job, const struct proc_exit *end)
{
	struct jobs *jobs = &process->command->jobs;
	const char *last = tail_line(&process->tail);
	AUTO_FREE char *why = NULL;

	if (!end->started) {
		jobs_fail(jobs, job, TOOL_FAILED, end->error);
	} else if (end->signaled) {
		why = mem_printf("it was killed by signal %d", end->code);
		jobs_fail(jobs, job, TOOL_UNKNOWN, why);
	} else if (end->code != 0) {
		why = last ? mem_str(last) : mem_printf("it ended with status %d", end->code);
		jobs_fail(jobs, job, TOOL_FAILED, why);
	} else {
		finish_ok(process, job);
	}
}

static void
on_exit_of_process(struct proc *proc, const struct proc_exit *end, void *arg)
{
	struct process *process = arg;
	struct command *command = process->command;
	struct job *job;

	process->proc = NULL;
	while (read_output(process))
		;
	tail_close(&process->tail);
	job = jobs_find(&command->jobs, process->number);
	if (job)
		finish(process, job, end);
	process_free(process);
	start_jobs(command);
}

/* ---- calls ---- */

static int
open_ends(struct process *process, int theirs[3], struct err *err)
{
	struct loop *loop = process->command->loop;
	int log = -1;

	if (io_pipe(&theirs[0], &process->in_fd, err) < 0 ||
		io_pipe(&process->out_fd, &theirs[1], err) < 0 ||
		io_pipe(&log, &theirs[2], err) < 0)
		return -1;
	if (io_nonblocking(log, err) < 0) {
		close(log);
		return -1;
	}
	tail_open(&process->tail, loop, log);
	if (io_nonblocking(process->in_fd, err) < 0 || io_nonblocking(process->out_fd, err) < 0)
		return -1;
	process->in_watch =
		loop_watch(loop, process->in_fd, LOOP_WRITE, LOOP_STREAMS, on_input, process);
	process->out_watch =
		loop_watch(loop, process->out_fd, LOOP_READ, LOOP_STREAMS, on_output, process);
	return 0;
}

static int
run(struct process *process, struct err *err)
{
	struct command *command = process->command;
	const struct config_tool *config = command->config;
	struct proc_hooks hooks = { .on_exit = on_exit_of_process, .arg = process };
	struct spawn_tool request = {
		.argv = (const char *const *)config->argv,
		.env = (const char *const *)config->env,
		.cwd = config->folder,
		.user = config->user,
		.isolate = config->isolate,
		.covers = spawner_covers(command->spawner),
		.fds = { -1, -1, -1 },
		.extra_fd = -1,
	};

	if (open_ends(process, request.fds, err) < 0) {
		for (int i = 0; i < 3; i++)
			if (request.fds[i] >= 0)
				close(request.fds[i]);
		return -1;
	}
	process->proc = spawn_tool(command->spawner, &request, &hooks, err);
	if (!process->proc)
		return -1;
	if (config->timeout_s >= 0)
		loop_timer_in(process->timer, config->timeout_s * NS_PER_S);
	return 0;
}

static void
start_job(struct command *command, struct job *job)
{
	struct process *process = mem_zero(1, sizeof(*process));
	struct err err;
	size_t len;
	const char *args = permit_args(job->permit, &len);

	process->command = command;
	process->in_fd = process->out_fd = -1;
	process->next = command->processes;
	command->processes = process;
	process->timer = loop_timer_new(command->loop, on_timer, process);
	buf_init(&process->in, BUF_UNBOUNDED);
	buf_init(&process->out, TOOL_RESULT_MAX + 2 * READ_MAX);
	buf_put(&process->in, args, len);
	buf_byte(&process->in, '\n');
	process->number = ++command->last_number;
	if (run(process, &err) < 0) {
		jobs_end(&command->jobs, job, TOOL_FAILED, err.text);
		process_free(process);
		return;
	}
	jobs_start(&command->jobs, job, process->number);
}

static void
start_jobs(struct command *command)
{
	size_t most = command->config->parallel ? PARALLEL_MAX : 1;
	struct job *job;

	while (jobs_running(&command->jobs) < most && (job = jobs_waiting(&command->jobs)))
		start_job(command, job);
}

static void
command_call(struct tool_source *source, struct tool *tool, struct permit *permit,
	tool_done_fn done, void *arg)
{
	struct command *command = of_source(source);

	(void)jobs_add(&command->jobs, tool, permit, done, arg);
	start_jobs(command);
}

static void
command_cancel(struct tool_source *source)
{
	struct command *command = of_source(source);

	jobs_end_all(&command->jobs, false, TOOL_CANCELLED, "the run ended before it started");
	for (struct process *process = command->processes; process; process = process->next)
		give_up(process, TOOL_UNKNOWN, "the run ended while it ran");
}

/* ---- the tool ---- */

static void
write_member(struct jsonout *out, const char *key, struct json_value value, const char *otherwise)
{
	AUTO_BUF struct buf compact;
	size_t len = otherwise ? strlen(otherwise) : 0;
	const char *source = json_there(value) ? json_source(value, &len) : otherwise;

	buf_init(&compact, BUF_UNBOUNDED);
	if (!source)
		return;
	strict_compact(source, len, &compact);
	jsonout_key(out, key);
	jsonout_raw(out, compact.data, compact.len);
}

/* The definition, from the owner's configuration. */
static struct json *
define(const struct config_tool *config, struct err *err)
{
	struct json_value source = config->source;
	AUTO_BUF struct buf text;
	struct jsonout out;

	buf_init(&text, BUF_UNBOUNDED);
	jsonout_init(&out, &text);
	jsonout_array(&out);
	jsonout_object(&out);
	jsonout_key_str(&out, "name", config->server);
	write_member(&out, "description", json_get(source, "description"), "\"\"");
	write_member(
		&out, "inputSchema", json_get(source, "input_schema"), "{\"type\":\"object\"}");
	write_member(&out, "annotations", json_get(source, "annotations"), NULL);
	jsonout_object_end(&out);
	jsonout_array_end(&out);
	return json_read(text.data, text.len, err);
}

static void
say_ready(void *arg)
{
	struct command *command = arg;
	struct err err;
	AUTO_JSON struct json *doc = define(command->config, &err);

	if (doc)
		command->hooks.on_ready(json_root(doc), command->hooks.arg);
	else
		command->hooks.on_failed(err.text, false, command->hooks.arg);
}

static void
command_free(struct tool_source *source)
{
	struct command *command = of_source(source);

	loop_undefer(command->loop, command);
	while (command->processes)
		process_free(command->processes);
	jobs_release(&command->jobs);
	job_text_release(&command->text);
	free(command);
}

static const struct tool_source_ops command_ops = {
	.kind = "command",
	.call = command_call,
	.cancel = command_cancel,
	.free = command_free,
};

struct tool_source *
tool_command_new(struct loop *loop, struct spawner *spawner, const struct config_tool *config,
	const struct tool_source_hooks *hooks, struct err *err)
{
	struct command *command = mem_zero(1, sizeof(*command));

	command->source.ops = &command_ops;
	command->loop = loop;
	command->spawner = spawner;
	command->config = config;
	command->hooks = *hooks;
	jobs_init(&command->jobs, loop);
	job_text_init(&command->text);
	loop_defer(loop, say_ready, command);
	return &command->source;
}
