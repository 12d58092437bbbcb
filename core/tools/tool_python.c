/*
 * The protocol with worker.py is in that file's head.  A process goes through DOWN, STARTING, READY
 * and LOST: lost is one that we killed or that closed its line, until its exit is reported; only
 * then is it DOWN, told as dead, and started again if calls wait.  So no two processes of one
 * source ever run.
 *
 * A worker is the tool's own process: what comes from it is foreign, and a line that does not fit
 * the protocol ends it.
 */
#include "config.h"

#include "core/tools/tool_python.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/json.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/gate.h"
#include "core/run/configuration.h"
#include "core/run/spawn.h"
#include "core/tools/job.h"
#include "core/tools/python_boot.h"
#include "core/tools/tail.h"
#include "core/tools/worker_line.h"

#define READ_MAX 65536
#define LINE_MAX_BYTES (TOOL_RESULT_MAX + 4096)
#define PARALLEL_MAX 32
#define EXIT_LIMIT_NS NS_PER_S
#define START_LIMIT_NS (60 * NS_PER_S) /* imports of a large library on a busy machine */

enum phase { PHASE_DOWN, PHASE_STARTING, PHASE_READY, PHASE_LOST };

struct python {
	struct tool_source source; /* first */
	struct loop *loop;
	struct spawner *spawner;
	const struct config_tool *config;
	struct tool_source_hooks hooks;
	struct buf boot; /* what each process gets first */
	struct digest code;
	char *hello; /* of the first start; a later one must say the same */
	enum phase phase;
	struct proc *proc;
	int fd; /* -1 unless STARTING or READY */
	struct loop_watch *watch;
	struct tail tail;
	struct buf in;
	struct buf out;
	struct job_text text;
	struct jobs jobs;
	struct loop_timer *timer;
	bool timer_set;
	bool served;  /* this process said what it offers */
	bool ended;   /* it wrote the last it will */
	bool telling; /* a hook or done is running */
	uint64_t last_number;
	char *lost_why;
};

static struct python *
of_source(struct tool_source *source)
{
	return (struct python *)source;
}

static void pump(struct python *python);
static int start(struct python *python, struct err *err);

/* ---- the end of a process ---- */

static void
close_line(struct python *python)
{
	loop_unwatch(python->watch);
	python->watch = NULL;
	if (python->fd >= 0)
		close(python->fd);
	python->fd = -1;
	buf_clear(&python->in);
	buf_clear(&python->out);
}

/* Give this process up.  What ran in it has an unknown outcome. */
static void
lose(struct python *python, const char *why)
{
	if (python->phase != PHASE_STARTING && python->phase != PHASE_READY)
		return;
	free(python->lost_why);
	python->lost_why = mem_str(why);
	jobs_end_all(&python->jobs, true, TOOL_UNKNOWN, why);
	close_line(python);
	python->phase = PHASE_LOST;
	if (python->proc)
		proc_kill(python->proc);
}

static bool
not_isolated(const struct python *python, const struct proc_exit *end)
{
	static const char *const others[] = { "start ", "working folder", "user: ", "become user" };

	if (end->started || !python->config->isolate)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strncmp(end->error, others[i], strlen(others[i])) == 0)
			return false;
	return true;
}

static char *
describe_exit(struct python *python, const struct proc_exit *end)
{
	const char *last = tail_line(&python->tail);
	const char *before = last ? "; its last words: " : "";

	if (!end->started)
		return mem_str(end->error);
	if (end->signaled)
		return mem_printf("its process was killed by signal %d%s%s", end->code, before,
			last ? last : "");
	return mem_printf(
		"its process ended with status %d%s%s", end->code, before, last ? last : "");
}

/* No definitions came.  At the first start the server has failed, later only what waits. */
static void
start_failed(struct python *python, const char *why, bool isolation)
{
	AUTO_FREE char *text = mem_printf("it did not start again: %s", why);

	if (!python->hello) {
		python->hooks.on_failed(why, isolation, python->hooks.arg);
		jobs_end_all(&python->jobs, false, TOOL_FAILED, why);
		return;
	}
	jobs_end_all(&python->jobs, false, TOOL_FAILED, text);
	python->hooks.on_died(text, python->hooks.arg);
}

/* The line's last words are taken before, as an answer may stand in it. */
static void
on_exit_of_worker(struct proc *proc, const struct proc_exit *end, void *arg)
{
	struct python *python = arg;
	enum phase phase = python->phase;
	AUTO_FREE char *why = NULL;

	python->proc = NULL;
	if (phase == PHASE_STARTING || phase == PHASE_READY)
		pump(python);
	tail_close(&python->tail);
	phase = python->phase;
	why = phase == PHASE_LOST ? MEM_GIVE(python->lost_why) : describe_exit(python, end);
	if (phase != PHASE_LOST)
		lose(python, why);
	python->phase = PHASE_DOWN;
	loop_timer_stop(python->timer);
	python->timer_set = false;
	if (!python->served)
		start_failed(python, why, not_isolated(python, end));
	else
		python->hooks.on_died(why, python->hooks.arg);
	if (python->phase == PHASE_DOWN && jobs_waiting(&python->jobs)) {
		struct err err;

		if (start(python, &err) < 0)
			jobs_end_all(&python->jobs, false, TOOL_FAILED, err.text);
	}
}

/* ---- calls ---- */

static void
set_timer(struct python *python, int64_t ns)
{
	loop_timer_in(python->timer, ns);
	python->timer_set = true;
}

static void
flush(struct python *python)
{
	if (io_write_some(python->fd, &python->out, NULL) < 0) {
		lose(python, "its process closed the line");
		return;
	}
	loop_watch_set(python->watch, python->out.len ? LOOP_READ | LOOP_WRITE : LOOP_READ);
}

static void
send_job(struct python *python, struct job *job)
{
	size_t len;
	const char *args = permit_args(job->permit, &len);

	jobs_start(&python->jobs, job, ++python->last_number);
	buf_printf(&python->out, "%llu %s ", (unsigned long long)job->number, job->tool->wire);
	buf_put(&python->out, args, len);
	buf_byte(&python->out, '\n');
	if (!python->timer_set && python->config->timeout_s >= 0)
		set_timer(python, python->config->timeout_s * NS_PER_S);
}

static void
start_jobs(struct python *python)
{
	size_t most = python->config->parallel ? PARALLEL_MAX : 1;
	size_t running = jobs_running(&python->jobs);
	bool any = false;

	while (python->phase == PHASE_READY && !python->ended && running < most) {
		struct job *job = jobs_waiting(&python->jobs);

		if (!job)
			break;
		send_job(python, job);
		running++;
		any = true;
	}
	if (any)
		flush(python);
}

static void
end_overdue(struct python *python)
{
	int64_t limit = python->config->timeout_s * NS_PER_S;
	int64_t now = loop_now(python->loop), next = -1;
	struct job *overdue = NULL;

	for (struct job *job = python->jobs.first; job; job = job->next) {
		int64_t left = job->started_at + limit - now;

		if (!job->started)
			continue;
		if (left <= 0)
			overdue = job;
		else if (next < 0 || left < next)
			next = left;
	}
	if (overdue) {
		AUTO_FREE char *why = mem_printf("%s took longer than its timeout_s of %lld",
			overdue->tool->facts.full, (long long)python->config->timeout_s);

		jobs_end(&python->jobs, overdue, TOOL_TIMED_OUT, why);
		lose(python, why);
	} else if (next >= 0) {
		set_timer(python, next);
	}
}

static void
on_timer(void *arg)
{
	struct python *python = arg;

	python->timer_set = false;
	if (python->ended)
		lose(python, "its process closed its line");
	else if (python->phase == PHASE_STARTING)
		lose(python, "it did not say what it offers within a minute");
	else if (python->phase == PHASE_READY)
		end_overdue(python);
}

static void
python_call(struct tool_source *source, struct tool *tool, struct permit *permit, tool_done_fn done,
	void *arg)
{
	struct python *python = of_source(source);
	struct job *job = jobs_add(&python->jobs, tool, permit, done, arg);
	struct err err;

	if (python->phase == PHASE_READY)
		start_jobs(python);
	else if (python->phase == PHASE_DOWN && start(python, &err) < 0)
		jobs_end(&python->jobs, job, TOOL_FAILED, err.text);
}

static void
python_cancel(struct tool_source *source)
{
	struct python *python = of_source(source);

	jobs_end_all(&python->jobs, false, TOOL_CANCELLED, "the run ended before it started");
	if (jobs_running(&python->jobs) > 0)
		lose(python, "the run ended while it ran");
}

/* ---- what the worker says ---- */

static void
finish_ok(struct python *python, struct job *job, const char *text, size_t len)
{
	struct err err;

	if (job_text_read(&python->text, text, len, &err) < 0)
		jobs_fail(&python->jobs, job, TOOL_FAILED, err.text);
	else
		jobs_finish(&python->jobs, job, python->text.value.data, python->text.value.len);
}

static void
on_answer(struct python *python, const char *bytes, size_t len)
{
	struct worker_line line;
	struct job *job = NULL;

	if (worker_line_read(bytes, len, &line))
		job = jobs_find(&python->jobs, line.number);
	if (job && line.kind == WORKER_OK) {
		finish_ok(python, job, line.text, line.text_len);
	} else if (job && line.kind == WORKER_ERROR) {
		AUTO_FREE char *words = worker_line_words(&line);

		jobs_fail(&python->jobs, job, TOOL_FAILED, words);
	} else {
		lose(python, "its process wrote what is no answer on its line");
	}
}

/* The definitions, or NULL with the process lost. */
static struct json *
read_hello(struct python *python, const char *bytes, size_t len)
{
	struct worker_line line;
	struct json *doc = NULL;

	if (worker_line_read(bytes, len, &line) && line.kind == WORKER_FAILED) {
		AUTO_FREE char *words = worker_line_words(&line);

		lose(python, words);
		return NULL;
	}
	if (line.kind == WORKER_TOOLS)
		doc = json_read(line.text, line.text_len, NULL);
	if (json_kind(json_root(doc)) == JSON_ARRAY)
		return doc;
	json_free(doc);
	lose(python, "its process did not say what it offers");
	return NULL;
}

static void
on_hello(struct python *python, const char *line, size_t len)
{
	AUTO_JSON struct json *doc = read_hello(python, line, len);
	struct json_value hello = { 0 };

	if (!doc)
		return;
	if (python->hello && (strlen(python->hello) != len || memcmp(python->hello, line, len))) {
		lose(python, "it offers other tools than before");
		return;
	}
	python->phase = PHASE_READY;
	python->served = true;
	loop_timer_stop(python->timer);
	python->timer_set = false;
	if (!python->hello)
		hello = json_root(doc);
	python->hooks.on_ready(hello, python->hooks.arg);
	if (!python->hello)
		python->hello = mem_strn(line, len);
	start_jobs(python);
}

/* Handle the whole lines that are there. */
static void
take_lines(struct python *python)
{
	while (python->in.len > 0 && python->fd >= 0) {
		char *end = memchr(python->in.data, '\n', python->in.len);
		size_t len;

		if (!end) {
			if (python->in.len > LINE_MAX_BYTES)
				lose(python, "its process wrote a line that is too long");
			return;
		}
		len = (size_t)(end - python->in.data);
		if (python->phase == PHASE_STARTING)
			on_hello(python, python->in.data, len);
		else
			on_answer(python, python->in.data, len);
		if (python->fd < 0)
			return;
		buf_take(&python->in, len + 1);
	}
}

/* Read all that is there. */
static void
pump(struct python *python)
{
	while (python->fd >= 0 && io_read_some(python->fd, &python->in, READ_MAX, NULL) > 0)
		take_lines(python);
}

/* Its exit, which says more, follows at once; if not, it only closed its line. */
static void
line_ended(struct python *python)
{
	python->ended = true;
	loop_watch_set(python->watch, 0);
	set_timer(python, EXIT_LIMIT_NS);
}

static void
on_line(int fd, unsigned events, void *arg)
{
	struct python *python = arg;
	struct err err = { 0 };
	ssize_t got;

	if (events & LOOP_WRITE)
		flush(python);
	if (!(events & LOOP_READ) || python->fd < 0)
		return;
	got = io_read_some(fd, &python->in, READ_MAX, &err);
	python->telling = true;
	take_lines(python);
	python->telling = false;
	if (python->fd < 0)
		return;
	if (got == 0 || (got < 0 && err.errnum != EAGAIN && err.errnum != EINTR))
		line_ended(python);
	else
		start_jobs(python);
}

/* ---- starting ---- */

static int
open_line(struct python *python, int *theirs, int *their_log, struct err *err)
{
	AUTO_CLOSE int line = -1;
	AUTO_CLOSE int log = -1;

	if (io_pair(&line, theirs, err) < 0)
		return -1;
	if (io_pipe(&log, their_log, err) < 0 || io_nonblocking(line, err) < 0 ||
		io_nonblocking(log, err) < 0) {
		close(*theirs);
		return -1;
	}
	tail_open(&python->tail, python->loop, io_give(&log));
	python->fd = io_give(&line);
	python->watch =
		loop_watch(python->loop, python->fd, LOOP_READ, LOOP_STREAMS, on_line, python);
	return 0;
}

static int
start(struct python *python, struct err *err)
{
	const char *const argv[] = { python->config->python, "-c", python_boot, NULL };
	struct proc_hooks hooks = { .on_exit = on_exit_of_worker, .arg = python };
	struct spawn_tool request = {
		.argv = argv,
		.env = (const char *const *)python->config->env,
		.cwd = python->config->folder,
		.user = python->config->user,
		.isolate = python->config->isolate,
		.covers = spawner_covers(python->spawner),
		.fds = { -1, -1, -1 },
	};

	if (open_line(python, &request.extra_fd, &request.fds[2], err) < 0)
		return -1;
	python->proc = spawn_tool(python->spawner, &request, &hooks, err);
	if (!python->proc) {
		close_line(python);
		tail_close(&python->tail);
		return -1;
	}
	python->phase = PHASE_STARTING;
	python->served = python->ended = false;
	buf_put(&python->out, python->boot.data, python->boot.len);
	set_timer(python, START_LIMIT_NS);
	if (python->hello)
		python->hooks.on_restart(python->hooks.arg);
	flush(python);
	return 0;
}

static void
python_free(struct tool_source *source)
{
	struct python *python = of_source(source);

	assert(!python->telling);
	if (python->proc)
		proc_drop(python->proc);
	close_line(python);
	tail_close(&python->tail);
	jobs_release(&python->jobs);
	loop_timer_free(python->timer);
	buf_release(&python->boot);
	buf_release(&python->in);
	buf_release(&python->out);
	job_text_release(&python->text);
	free(python->hello);
	free(python->lost_why);
	free(python);
}

static const struct tool_source_ops python_ops = {
	.kind = "python",
	.call = python_call,
	.cancel = python_cancel,
	.free = python_free,
};

struct tool_source *
tool_python_new(struct loop *loop, struct spawner *spawner, const struct config_tool *config,
	const struct tool_source_hooks *hooks, struct err *err)
{
	struct python *python = mem_zero(1, sizeof(*python));

	python->source.ops = &python_ops;
	python->loop = loop;
	python->spawner = spawner;
	python->config = config;
	python->hooks = *hooks;
	python->fd = -1;
	buf_init(&python->boot, BUF_UNBOUNDED);
	buf_init(&python->in, LINE_MAX_BYTES + 2 * READ_MAX);
	buf_init(&python->out, BUF_UNBOUNDED);
	job_text_init(&python->text);
	jobs_init(&python->jobs, loop);
	python->timer = loop_timer_new(loop, on_timer, python);
	if (python_boot_gather(config, &python->boot, &python->code, err) < 0 ||
		start(python, err) < 0) {
		python_free(&python->source);
		return NULL;
	}
	return &python->source;
}

const struct digest *
tool_python_code(const struct tool_source *source)
{
	return &((const struct python *)source)->code;
}
