/*
 * run.h - one session: its tools, its program, its end, in order.
 *
 * Sandbox and tools start at once and side by side; the program goes when both stand.  The end is
 * in order too: the program's end, what still runs, the answer, run.end, session.end.
 *
 * Knows:      programs, calls, registry, journal, config, spawn.
 * Unaware of: sockets and consoles.
 * Calls back: on_done once, after session.end is written.
 */
#ifndef CORE_RUN_RUN_H
#define CORE_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/attr.h"
#include "core/base/json.h"
#include "core/base/text.h"

struct calls;
struct program_decision;
struct config;
struct err;
struct journal;
struct loop;
struct run;
struct spawner;

struct run_start {        /* what `tollbridge run` and `call` ask for; borrowed, outlives the run */
	const char *mode; /* "model", "program" or "call" */
	const char *id, *name;    /* of the session */
	const char *task;         /* NULL: none; mode model has one */
	const char *program_name; /* mode program */
	struct untrusted program;
	const char *tool; /* mode call */
	struct json_value arguments;
	bool no_ask;
	bool person; /* one looks on, or will: how to go on can be asked, and a next task follow */
	bool fail_on_denied;
};

struct run_parts { /* borrowed, outlive the run */
	struct loop *loop;
	const struct config *config;
	struct journal *journal;
	struct spawner *spawner;
};

struct run_hooks {
	void (*on_done)(int exit_code, void *arg);
	void *arg;
};

/* Records session.start and starts everything.  Failures to start are the run's end, not an error.
 */
struct run *run_new(const struct run_parts *parts, const struct run_start *start,
	const struct run_hooks *hooks);
void run_free(struct run *run); /* NULL is fine */

struct calls *run_calls(struct run *run); /* NULL before the tools stand */

/* A person's verdict on the program (programs_decide()); ERR_STATE too when the run is ending. */
int run_decide_program(
	struct run *run, const struct program_decision *decision, struct err *err) ATTR_CHECKED;

/* The person is away or back, from now on (calls_away()).  Fails before the tools stand, after the
 * end, and as calls_away() does. */
int run_away(struct run *run, bool away, const char *who, struct err *err) ATTR_CHECKED;

/* A next task in the session, after the run has ended.  ERR_STATE when that is not so. */
int run_task(struct run *run, const char *text, struct err *err) ATTR_CHECKED;
/* The reply of the model is wanted no more (author_cancel()). */
int run_cancel(struct run *run, unsigned turn, struct err *err) ATTR_CHECKED;
/* How many consoles are attached now. */
void run_consoles(struct run *run, size_t count);

/* End the run.  signo: 0 when a person stopped it. */
void run_stop(struct run *run, int signo);
/* The record is lost (poisoned, or full): nothing more is released, exit 7. */
void run_record_lost(struct run *run, bool full, const char *why);
/* The reaper is gone: nothing may go on. */
void run_spawner_lost(struct run *run);

#endif
