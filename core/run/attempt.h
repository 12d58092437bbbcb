/*
 * attempt.h - one program in one sandbox: start ahead of need, prove, load, go, measure, end.
 *
 * Nothing of the program runs before attempt_go(); until then another text may be loaded in its
 * place.
 *
 * Knows:      sandbox, bridge, calls, journal, config, loop.
 * Unaware of: where the program came from, what follows its end.
 * Calls back: the hooks, from the loop; on_ended is the last and may free the attempt.
 */
#ifndef CORE_RUN_ATTEMPT_H
#define CORE_RUN_ATTEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/text.h"
#include "core/gate/gate.h"

struct attempt;
struct calls;
struct config;
struct err;
struct journal;
struct loop;
struct registry;
struct spawner;

struct attempt_parts { /* all borrowed, outlive the attempt */
	struct loop *loop;
	const struct config *config;
	struct journal *journal;
	struct registry *registry;
	struct spawner *spawner;
};

struct attempt_end {
	const char *
		outcome; /* a word of program.end, or "sandbox" when it never came to the program */
	const char *error; /* for people; foreign; may be NULL */
	int exit;
};

struct attempt_hooks {
	/* The sandbox stands and every promised layer is proved. */
	void (*on_ready)(void *arg);
	/* The program is loaded and its forecast is recorded: it waits for attempt_go(). */
	void (*on_loaded)(void *arg);
	void (*on_ended)(const struct attempt_end *end, void *arg);
	void *arg;
};

/* Start the sandbox.  run and attempt are the record's numbers. */
struct attempt *attempt_new(const struct attempt_parts *parts, unsigned run, unsigned number,
	const struct attempt_hooks *hooks, struct err *err) ATTR_CHECKED;
void attempt_free(struct attempt *attempt); /* NULL is fine; kills */

/* After on_ready, and again after on_loaded: hand a program over.  calls serve it until its end. */
void attempt_load(
	struct attempt *attempt, struct calls *calls, struct untrusted program, const char *name);
/* After on_loaded, once: let it go. */
void attempt_go(struct attempt *attempt);
/* The held or outstanding counts of calls changed (the wall clock may stand still or go on). */
void attempt_calls_changed(struct attempt *attempt);

/* End it now with this outcome ("killed", "budget", ...); waiting calls are denied with `by`. */
void attempt_kill(
	struct attempt *attempt, const char *outcome, enum decided_by by, const char *why);

/* What the program printed to standard output so far.  Borrowed until the next output. */
struct untrusted attempt_output(const struct attempt *attempt);

#endif
