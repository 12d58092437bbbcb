/*
 * calls_state.h - the inside of calls.h, shared by its own files only.
 *
 * Knows:      calls, gate, loop, buf, hash.
 * Unaware of: everything calls.h is unaware of.
 */
#ifndef CORE_RUN_CALLS_STATE_H
#define CORE_RUN_CALLS_STATE_H

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/run/bridge.h"
#include "core/run/calls.h"

struct policy;
struct tool;

#define CALLS_CONSOLE_SIZE 17 /* a console's id and a NUL */
#define CALLS_SHOWN_MAX 8     /* consoles whose presentations of one call are remembered */

/* What one console showed last of a call. */
struct shown {
	char console[CALLS_CONSOLE_SIZE]; /* "": nothing */
	char frame[DIGEST_HEX];
	int64_t presentation;
};

struct call {
	struct calls *calls;
	struct call *next; /* list of all that have no answer yet */
	call_id number;
	uint64_t bridge_id; /* 0: a person's own */
	struct tool *tool;
	struct digest bind;
	size_t args_len;
	bool person; /* decided by a person: durable before it starts */
	bool running;
	calls_done_fn done; /* a person's own call */
	void *done_arg;
	struct shown shown[CALLS_SHOWN_MAX];
	unsigned shown_next; /* the place to be used again when all are taken */
};

struct calls {
	struct calls_parts parts;
	struct calls_hooks hooks;
	struct policy *policy;
	struct budget *budget;
	struct gate *gate;
	struct bridge *bridge;
	struct loop_timer *deadline;
	struct loop_timer *refusals;
	struct call *first;
	struct buf args; /* scratch: compact argument bytes */
	unsigned run, attempt;
	call_id last;
	uint64_t run_total, run_denied;
	uint64_t refused; /* past the cap in this run */
	bool refused_dirty;
	bool budget_dirty;
	bool stop_due; /* a timeout that stops the run, once the gate has told all it has to tell */
	size_t running, outstanding;
};

/* NULL: it has its answer already, or never was. */
struct call *call_find(const struct calls *calls, call_id number);
void call_free(struct call *call);

/* The answer of a call that did not run or failed; frees it. */
void call_answer_error(
	struct call *call, enum bridge_error code, const char *reason, const char *by);

/* Deny without a person: recorded, answered, freed. */
void call_deny(struct call *call, enum decided_by by, enum bridge_error code, const char *reason);

/* Record first, then spend the permit (taken).  A record that fails spends nothing. */
void call_release(struct call *call, struct permit *permit);

/* Held or outstanding counts changed. */
void calls_changed(struct calls *calls);
void calls_arm_deadline(struct calls *calls);

/* Call backs that calls_new() installs. */
void calls_on_decided(const struct gate_verdict *verdict, void *arg);
void calls_on_deadline(void *arg);
void calls_on_refusals(void *arg);

#endif
