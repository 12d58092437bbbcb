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

struct grants;
struct policy;
struct repeats;
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
	uint64_t bridge_id; /* 0: a person's own, or its program has ended */
	unsigned attempt;
	int line; /* the program's word; 0: not given */
	struct tool *tool;
	struct digest bind;
	struct digest asked_bind; /* as it was asked */
	size_t args_len;
	char *edited; /* a person's arguments in place of the program's; NULL: none */
	size_t edited_len;
	unsigned edits; /* made so far, taken back or not */
	bool person;    /* decided by a person: durable before it starts */
	bool running;
	bool past_cap;      /* its line is not counted */
	char *past_budget;  /* the limit it is past, in words, while it is; NULL: none */
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
	struct grants *grants;
	struct repeats *repeats;
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
	bool refused_out; /* max_refused is reached: the run must stop */
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
/* A denial that the gate gave by itself: recorded, answered, freed. */
void calls_denied_by_gate(struct calls *calls, const struct gate_verdict *verdict);
/* A rule or a default let it go: recorded, then released. */
void call_allowed(struct call *call, enum decided_by by, struct permit *permit);

/* The supervisor's own checks of a yes (approval-pane.md, "Decisions carry"). */
int call_check_approval(struct call *call, const struct gate_call *held,
	const struct calls_decision *decision, struct err *err) ATTR_CHECKED;
/* A person's approval that the gate took: recorded, then released. */
void call_approved(struct call *call, const struct calls_decision *decision, struct permit *permit);

/* The grant that covers the call; 0: none. */
uint64_t call_grant(const struct call *call, struct json_value arguments);
/* The gate let it go on the word of this grant: recorded, then released. */
void call_granted(struct call *call, uint64_t grant, struct permit *permit);

/* The presentation that this console showed last of the call; 0: none. */
int64_t call_shown_last(struct call *call, const char *console);

/* calls_repeat.c: the call that this one repeats (0: none), what started, and the reuse. */
call_id call_repeats(const struct call *call, struct json_value arguments);
void call_started(const struct call *call, const struct permit *permit);
int call_check_reuse(const struct call *call, const struct gate_call *held, const char *via,
	struct err *err) ATTR_CHECKED;
/* Decided and recorded: answered with the earlier result, freed. */
void call_reused(struct call *call, call_id of);

/* calls_budget.c: may a person raise limits in this run? */
bool calls_ask_to_raise(const struct calls *calls);
void call_past_budget(struct call *call, const char *reason);
/* A denied call past the cap counts as a refusal. */
void call_not_counted(struct call *call);
void calls_check_refused(struct calls *calls);

/* Call backs that calls_new() installs. */
void calls_on_decided(const struct gate_verdict *verdict, void *arg);
void calls_on_deadline(void *arg);
void calls_on_refusals(void *arg);

#endif
