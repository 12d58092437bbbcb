/*
 * calls.h - the way of a call: registry, budget, policy, gate, record, tool, and back.
 *
 * A request line that the bridge counted comes in here and leaves by exactly one answer.  No layer
 * is passed over: known tool, schema, budget, policy, gate; then the record is durable; then the
 * permit is spent.
 *
 * Knows:      gate, policy, budget, schema, registry, tool, journal, bridge, config.
 * Unaware of: sandboxes, sockets, clocks but the gate's.
 * Calls back: the hooks, from inside any function here; they must not free the calls.
 */
#ifndef CORE_RUN_CALLS_H
#define CORE_RUN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/gate/gate.h"

struct bridge;
struct bridge_request;
struct budget;
struct buf;
struct calls;
struct config;
struct err;
struct journal;
struct loop;
struct registry;

#define CALLS_NAME_MAX \
	256 /* bytes of a tool's name in the record; no known tool has a longer one */

enum calls_stop {
	CALLS_STOP_DENIED, /* a denial that stops the run: X, or on_timeout "stop" */
	CALLS_STOP_BUDGET, /* max_refused reached, or on_exceeded "stop" */
};

struct calls_hooks {
	/* The run must stop.  why: for people. */
	void (*on_stop)(enum calls_stop stop, const char *why, void *arg);
	/* Held or outstanding counts changed. */
	void (*on_change)(void *arg);
	void *arg;
};

struct calls_parts { /* all borrowed, outlive the calls */
	struct loop *loop;
	const struct config *config;
	struct journal *journal;
	struct registry *registry;
	const char *session_id;
	bool no_ask;          /* --no-ask: an ask is denied at once */
	struct calls *before; /* of the run before, whose numbers go on: only to be freed after;
			       * NULL: the first */
};

/* Compiles the rules and holds them against the tools. */
struct calls *calls_new(const struct calls_parts *parts, const struct calls_hooks *hooks,
	struct err *err) ATTR_CHECKED;
void calls_free(struct calls *calls); /* NULL is fine */

struct budget *calls_budget(struct calls *calls);
const struct policy *calls_policy(const struct calls *calls);

/* Requests of this program come from this bridge from now on; NULL: from none, and what is still
 * without an answer gets none. */
void calls_attach(struct calls *calls, struct bridge *bridge, unsigned run, unsigned attempt);
void calls_request(struct calls *calls, const struct bridge_request *request);

/* One call of a person's own (`tollbridge call`).  done gets the answer, later. */
typedef void (*calls_done_fn)(bool ok, const char *text, size_t len, void *arg);
int calls_person(struct calls *calls, const char *tool, struct json_value arguments,
	calls_done_fn done, void *arg, struct err *err) ATTR_CHECKED;

/* What a console says of one frame of a held call. */
struct calls_presented {
	call_id call;
	struct digest bind;
	const char *console;
	int64_t presentation, seen_seq, cols, rows;
	bool strict;
	const char *frame;
};
int calls_presented(
	struct calls *calls, const struct calls_presented *presented, struct err *err) ATTR_CHECKED;

struct calls_decision {
	call_id call;
	struct digest bind;
	enum verdict verdict;
	const char *via; /* "console" or "decide" */
	const char *who; /* the socket's peer */
	const char *console;
	const char *code; /* NULL: none given */
	const char *reason, *comment;
	const char *frame;
	int64_t presentation, dwell_ms, covered, total;
	bool stop;
};
/*
 * A person's verdict.  Refused (ERR_STATE, ERR_MISMATCH, ERR_MISSING, ERR_REFUSED with words for
 * the person) when the call is not held, was decided, the bind differs, the code is wrong, the call
 * is for a person at a console only, is too large to be approved, or was not presented whole.
 */
int calls_decide(
	struct calls *calls, const struct calls_decision *decision, struct err *err) ATTR_CHECKED;

/* A person's other arguments for a held call, as JSON text; or, back, those it was asked with. */
struct calls_edit {
	call_id call;
	struct digest bind; /* of what the person changed */
	const char *who;
	const char *args; /* unused when back */
	size_t args_len;
	bool back;
};
/*
 * The whole way again: strict reader, schema, policy, gate; it waits on under a new bind, whatever
 * rules allow, or is denied by a rule (both are success).  Its place in the budget is the one it
 * has.  Fails with words for the person and changes nothing: ERR_FORMAT for a text that is no
 * object or does not fit the tool's schema, ERR_REFUSED for one that changes nothing, and as
 * gate_edit() does.
 */
int calls_edit(struct calls *calls, const struct calls_edit *edit, struct err *err) ATTR_CHECKED;

/* More time for a held call (ms > 0).  Fails as gate_extend() does. */
int calls_extend(struct calls *calls, call_id call, int64_t ms, const char *who,
	struct err *err) ATTR_CHECKED;

/*
 * The person is away or back (gate_away()).  Back: what waited for that alone is decided as its
 * ruling says.  ERR_REFUSED where nobody is asked anyway (--no-ask).
 */
int calls_away(struct calls *calls, bool away, const char *who, struct err *err) ATTR_CHECKED;
bool calls_are_away(const struct calls *calls);

/* Another program of the same run is about to begin: its calls are taken.  Budget and what
 * tightened stay as they are. */
void calls_next_program(struct calls *calls);
/* The program is gone, or must go: what waits is denied, what runs is cancelled. */
void calls_end_program(struct calls *calls, enum decided_by by, const char *reason);

size_t calls_held(const struct calls *calls);
size_t calls_running(const struct calls *calls);     /* started and not ended */
size_t calls_outstanding(const struct calls *calls); /* requests of the bridge without an answer */
uint64_t calls_total(const struct calls *calls);     /* of this run */
uint64_t calls_denied(const struct calls *calls);    /* of this run, by anything */

/* Budget counters that changed reach the record at the latest now. */
void calls_flush_budget(struct calls *calls);

#endif
