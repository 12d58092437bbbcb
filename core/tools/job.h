/*
 * job.h - calls of one source, from their permit to their done: what the kinds of tools share.
 *
 * Knows:      tool, gate (permit), loop, strict, jsonout, mem.
 * Unaware of: how a call runs.
 * Calls back: each call's done, once, from the loop.
 */
#ifndef CORE_TOOLS_JOB_H
#define CORE_TOOLS_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/buf.h"
#include "core/base/strict.h"
#include "core/tools/tool.h"

struct err;
struct loop;
struct permit;

struct job {
	struct job *next;
	struct tool *tool;
	struct permit *permit;
	tool_done_fn done;
	void *arg;
	bool started;
	int64_t started_at;      /* ns */
	uint64_t number;         /* the source's own */
	enum tool_outcome ended; /* internal, with message: how it will be told */
	char *message;
};

/* Calls in order of arrival; those that ended wait for the loop to tell. */
struct jobs {
	struct loop *loop;
	struct job *first;
	struct job *ended;
};

void jobs_init(struct jobs *jobs, struct loop *loop);
void jobs_release(struct jobs *jobs); /* drops all without their done */

/* Takes the permit. */
struct job *jobs_add(
	struct jobs *jobs, struct tool *tool, struct permit *permit, tool_done_fn done, void *arg);
struct job *jobs_find(const struct jobs *jobs, uint64_t number); /* started ones; NULL: none */
struct job *jobs_waiting(const struct jobs *jobs);               /* first not started */
size_t jobs_running(const struct jobs *jobs);
void jobs_start(struct jobs *jobs, struct job *job, uint64_t number);

/* End a job now, from the loop: calls done with TOOL_OK and the value.  Takes job. */
void jobs_finish(struct jobs *jobs, struct job *job, const char *json, size_t len);
/* The same for any other outcome. */
void jobs_fail(struct jobs *jobs, struct job *job, enum tool_outcome outcome, const char *message);
/* End a job from anywhere: done follows in the next turn.  Takes job; message is copied. */
void jobs_end(struct jobs *jobs, struct job *job, enum tool_outcome outcome, const char *message);
/* End all that run, or all that wait, in that way. */
void jobs_end_all(struct jobs *jobs, bool started, enum tool_outcome outcome, const char *message);

/* Room for reading results, used again and again. */
struct job_text {
	struct strict_tape tape;
	struct buf value; /* the result: strict JSON in ASCII without spaces outside strings */
	struct buf source;
};

void job_text_init(struct job_text *text);
void job_text_release(struct job_text *text);
/* Read a result into text->value.  Fails with words that say what is wrong with it. */
int job_text_read(
	struct job_text *text, const char *json, size_t len, struct err *err) ATTR_CHECKED;

#endif
