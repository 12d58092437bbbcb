/*
 * run_state.h - a run as its two files share it.  Nobody else includes it.
 *
 * run_life.c   tools, programs and the end, in order
 * run_model.c  the model that writes the programs: its key, its turns, what follows each
 */
#ifndef CORE_RUN_RUN_STATE_H
#define CORE_RUN_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/run/attempt.h"
#include "core/run/run.h"

struct account;
struct author;
struct http;
struct key;

struct run {
	struct run_parts parts;
	struct run_start start;
	struct run_hooks hooks;
	unsigned number; /* of the run in its session, from 1 */
	struct registry *registry;
	struct calls *calls;
	struct programs *programs; /* NULL: none is to run, or none yet */
	bool program_gone;         /* and no other follows */
	bool closing;              /* the end is due */
	bool closed;               /* it is written: nothing is recorded any more */
	bool resting;              /* the run's end is written; a next task may come */
	bool tools_ready, tools_failed;
	char **told; /* servers whose tools the record has */
	size_t told_count;
	int64_t began;
	char *outcome;  /* of run.end, once it is known */
	char *ended_as; /* the outcome that stands when a person does not go on */
	int exit_code;  /* -1: by the outcome's table */
	size_t consoles;
	/* model */
	struct http *http; /* NULL: a script, or no model */
	struct key *key;
	struct author *author;
	struct account *account;
	char *task;
	bool key_known;
	char *last_outcome, *last_error, *last_printed; /* of the latest program */
	size_t last_printed_len;
};

/* --- run_life.c --- */

/* The way to the end; safe to call more than once: the first outcome stands.  by: what denies the
 * calls that wait. */
void run_finish(struct run *run, const char *outcome, enum decided_by by, const char *why);
/* The latest program is over, nothing follows, and this is how the run ends. */
void run_over(struct run *run, const char *outcome);
/* Calls for the next run, under numbers that go on.  Fails as calls_new() does. */
int run_make_calls(struct run *run, struct err *err);

/* --- run_model.c --- */

bool run_has_model(const struct run *run);
void run_model_start(struct run *run);
void run_model_free(struct run *run);
/* The tools stand: ask, once the key is there too. */
void run_model_tools_ready(struct run *run);
/* A program has ended.  True: something follows. */
bool run_model_goes_on(struct run *run, const struct attempt_end *end, struct untrusted printed);
/* A person wants another program written. */
void run_model_rewrite(struct run *run, const char *word);
/* The end is near: no reply is waited for. */
void run_model_stop(struct run *run);
/* May the session wait for a next task? */
bool run_model_stays(const struct run *run);

#endif
