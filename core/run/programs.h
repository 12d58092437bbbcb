/*
 * programs.h - the programs of one run, one after the other: each shown, asked about, run, ended.
 *
 * An attempt is one program in one sandbox of its own.  Where programs are asked about, an attempt
 * stands still between its forecast and a person's verdict; and after one that failed the run
 * waits for a person, who hands in another program or gives up.  Whoever else has another program
 * (a repair) hands it in from on_ended, or later, after programs_prepare() there.  Nothing of a
 * budget or of what tightened begins anew.
 *
 * Knows:      attempt, calls, journal, config, loop.
 * Unaware of: sockets, how the run ends, who writes programs.
 * Calls back: the hooks, from the loop or from inside programs_decide().
 */
#ifndef CORE_RUN_PROGRAMS_H
#define CORE_RUN_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/text.h"
#include "core/gate/gate.h"
#include "core/run/attempt.h"

struct calls;
struct err;
struct programs;

struct programs_hooks {
	/*
	 * The program of the latest attempt has ended.  Call programs_start(), programs_prepare()
	 * or programs_ask_on() from here when another may follow; else the run is over.
	 * end and printed are gone after that call.
	 */
	void (*on_ended)(const struct attempt_end *end, struct untrusted printed, void *arg);
	/* After programs_ask_on(): there will be no other. */
	void (*on_given_up)(void *arg);
	/* The same: another is to be written.  word: the person's, ""  for none.  NULL where nobody
	 * writes: then a person's program is wanted. */
	void (*on_rewrite)(const char *word, void *arg);
	void *arg;
};

struct programs_start {
	struct untrusted text; /* copied */
	const char *name;      /* file name in tracebacks; copied */
	const char *by;        /* "file", "person", "model", "client" */
};

struct programs *programs_new(const struct attempt_parts *parts, unsigned run, bool asks,
	const struct programs_hooks *hooks);
void programs_free(struct programs *programs); /* NULL is fine; kills */

/* Record a program and start its sandbox; it is loaded once calls serve (programs_serve()). */
int programs_start(struct programs *programs, const struct programs_start *start,
	struct err *err) ATTR_CHECKED;
/* The tools stand: calls (borrowed) serve every program from now on. */
void programs_serve(struct programs *programs, struct calls *calls);
/* Another program is likely: start its sandbox ahead.  Nothing while one is going. */
void programs_prepare(struct programs *programs);
/* The latest has failed, or none came to be: a person says how to go on, while the next sandbox
 * starts.  why: for people. */
void programs_ask_on(struct programs *programs, const char *why);
/* Another run of the session begins: its programs go on counting.  What served the run before is
 * let go of; programs_serve() again. */
void programs_next_run(struct programs *programs, unsigned run);
unsigned programs_attempt(const struct programs *programs); /* the latest; 0: none yet */
bool programs_by_person(const struct programs *programs);   /* the latest, as it stands */
/* The text of the latest.  Borrowed until the next. */
struct untrusted programs_text(const struct programs *programs);

enum program_verdict {
	PROGRAM_RUN,
	PROGRAM_EDIT,
	PROGRAM_REFUSE,
	PROGRAM_TRY_AGAIN,
	PROGRAM_STOP,
};
const char *program_verdict_name(enum program_verdict verdict);

struct program_decision {
	unsigned attempt;
	enum program_verdict verdict;
	int64_t presentation;
	int64_t seen_seq;      /* the newest event in what was shown; -1: not said */
	const char *reason;    /* NULL: none */
	struct untrusted text; /* edit, try_again */
	const char *who;
};
/*
 * Before the program runs: run, edit, refuse.  After it failed: try_again, stop.  Fails with
 * ERR_STATE when that is not what is asked now, ERR_MISMATCH for another attempt or another text
 * of it than waits, ERR_RECORD when the verdict cannot be recorded (it does not count then).
 */
int programs_decide(struct programs *programs, const struct program_decision *decision,
	struct err *err) ATTR_CHECKED;

/* The held or outstanding counts of calls, or the person's absence, changed. */
void programs_calls_changed(struct programs *programs);

/* A program is in its sandbox; its end will be told. */
bool programs_going(const struct programs *programs);
/* A person said no to the latest before it ran, or nobody said yes in time. */
bool programs_refused(const struct programs *programs);
/* The run is ending: nothing is asked, and no other program follows. */
void programs_ask_no_more(struct programs *programs);
/* End it now, as attempt_kill(); what is asked is asked no more. */
void programs_kill(
	struct programs *programs, const char *outcome, enum decided_by by, const char *why);

#endif
