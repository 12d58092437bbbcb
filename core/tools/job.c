/*
 * A job is in exactly one list: first (waiting or started) or ended.  Whoever takes it out calls
 * done once and frees it.
 */
#include "config.h"

#include "core/tools/job.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/jsonout.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/strict.h"
#include "core/gate/gate.h"

void
jobs_init(struct jobs *jobs, struct loop *loop)
{
	*jobs = (struct jobs){ .loop = loop };
}

static void
job_free(struct job *job)
{
	permit_free(job->permit);
	free(job->message);
	free(job);
}

static void
drop(struct job *job)
{
	while (job) {
		struct job *next = job->next;

		job_free(job);
		job = next;
	}
}

void
jobs_release(struct jobs *jobs)
{
	loop_undefer(jobs->loop, jobs);
	drop(jobs->first);
	drop(jobs->ended);
	jobs->first = jobs->ended = NULL;
}

static void
append(struct job **list, struct job *job)
{
	while (*list)
		list = &(*list)->next;
	*list = job;
	job->next = NULL;
}

static void
take_out(struct jobs *jobs, struct job *job)
{
	struct job **at = &jobs->first;

	while (*at != job) {
		assert(*at);
		at = &(*at)->next;
	}
	*at = job->next;
}

struct job *
jobs_add(struct jobs *jobs, struct tool *tool, struct permit *permit, tool_done_fn done, void *arg)
{
	struct job *job = mem_zero(1, sizeof(*job));

	job->tool = tool;
	job->permit = permit;
	job->done = done;
	job->arg = arg;
	append(&jobs->first, job);
	return job;
}

struct job *
jobs_find(const struct jobs *jobs, uint64_t number)
{
	struct job *job = jobs->first;

	while (job && !(job->started && job->number == number))
		job = job->next;
	return job;
}

struct job *
jobs_waiting(const struct jobs *jobs)
{
	struct job *job = jobs->first;

	while (job && job->started)
		job = job->next;
	return job;
}

size_t
jobs_running(const struct jobs *jobs)
{
	size_t running = 0;

	for (struct job *job = jobs->first; job; job = job->next)
		running += job->started;
	return running;
}

void
jobs_start(struct jobs *jobs, struct job *job, uint64_t number)
{
	job->started = true;
	job->started_at = loop_now(jobs->loop);
	job->number = number;
}

static void
tell(struct jobs *jobs, struct job *job, struct tool_result *result)
{
	if (job->started)
		result->ms = (loop_now(jobs->loop) - job->started_at) / NS_PER_MS;
	job->done(result, job->arg);
	job_free(job);
}

void
jobs_finish(struct jobs *jobs, struct job *job, const char *json, size_t len)
{
	struct tool_result result = { .outcome = TOOL_OK, .json = json, .json_len = len };

	take_out(jobs, job);
	tell(jobs, job, &result);
}

void
jobs_fail(struct jobs *jobs, struct job *job, enum tool_outcome outcome, const char *message)
{
	struct tool_result result = { .outcome = outcome, .message = message };

	take_out(jobs, job);
	tell(jobs, job, &result);
}

static void
tell_ended(void *arg)
{
	struct jobs *jobs = arg;
	struct job *job;

	while ((job = jobs->ended)) {
		struct tool_result result = { .outcome = job->ended, .message = job->message };

		jobs->ended = job->next;
		tell(jobs, job, &result);
	}
}

void
jobs_end(struct jobs *jobs, struct job *job, enum tool_outcome outcome, const char *message)
{
	take_out(jobs, job);
	job->ended = outcome;
	job->message = mem_str(message);
	if (!jobs->ended)
		loop_defer(jobs->loop, tell_ended, jobs);
	append(&jobs->ended, job);
}

void
jobs_end_all(struct jobs *jobs, bool started, enum tool_outcome outcome, const char *message)
{
	struct job *job = jobs->first;

	while (job) {
		struct job *next = job->next;

		if (job->started == started)
			jobs_end(jobs, job, outcome, message);
		job = next;
	}
}

static bool
is_canonical(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] > 0x7e)
			return false;
	return true;
}

void
job_text_init(struct job_text *text)
{
	text->tape = (struct strict_tape){ 0 };
	buf_init(&text->value, BUF_UNBOUNDED);
	buf_init(&text->source, BUF_UNBOUNDED);
}

void
job_text_release(struct job_text *text)
{
	strict_tape_release(&text->tape);
	buf_release(&text->value);
	buf_release(&text->source);
}

int
job_text_read(struct job_text *text, const char *json, size_t len, struct err *err)
{
	struct jsonout out;

	if (len > TOOL_RESULT_MAX)
		return err_set(err, ERR_LIMIT, "it returned more than %zu bytes", TOOL_RESULT_MAX);
	if (strict_read(json, len, &text->tape, err) < 0)
		return err_within(err, "its result is no strict JSON");
	buf_clear(&text->value);
	strict_compact(json, len, &text->value);
	if (is_canonical(text->value.data, text->value.len))
		return 0;
	buf_clear(&text->source);
	buf_put(&text->source, text->value.data, text->value.len);
	buf_clear(&text->value);
	jsonout_init(&out, &text->value);
	jsonout_raw(&out, text->source.data, text->source.len);
	return 0;
}
