/*
 * gate.h - the only door between a tool call and its execution.
 *
 * A call comes in with its ruling and leaves by exactly one verdict.  Allowed calls and approved
 * ones yield a permit, and tool_call() takes one, so that a path to a tool without a verdict does
 * not compile.  Held calls wait in order of arrival; a call's time runs only while it is first in
 * the queue, so that left_ms of every other call stands still.
 *
 * Denials by a person, a reviewer or a timeout tighten for the rest of the run: an equal call of
 * that tool (equal as JSON) is denied with the same reason; other calls of that tool that a rule
 * allowed are held (`denials`), while what the default allows, reads, goes on; and once one tool
 * has had max_denials of them, every further call of any tool is held.  A call that was denied as
 * equal to an earlier one does not count again.
 *
 * A call that repeats one that started in an earlier attempt is held whatever allows it.  A grant
 * lets a call go that a person would be asked about with a key: never one that a rule denies or
 * asks a code or a person for, a repeat, one past its budget, one of a tool that was denied in this
 * run, or one in the person's absence.  A call past its budget cannot be approved before
 * gate_admit(), and its denial does not tighten.
 *
 * A person may change the arguments of a held call: the changed call goes the whole way again and
 * waits under a new bind, whatever rules allow.  While the person is away, every clock stands still
 * and every new call waits.
 *
 * Knows:      facts, policy, mem, err, hash.
 * Unaware of: the screen, the record, how a tool runs.  Time is handed in.
 * Calls back: on_decided for verdicts that the gate gives by itself (timeout, program ended), from
 *             inside gate_tick() and gate_end_program(); it may read the gate, not change it.
 */
#ifndef CORE_GATE_GATE_H
#define CORE_GATE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/hash.h"
#include "core/gate/facts.h"
#include "core/gate/policy.h"

struct err;
struct gate;
struct permit;

enum verdict {
	VERDICT_APPROVE,
	VERDICT_DENY,
	VERDICT_REUSE, /* of a repeat: the earlier call's result answers it, nothing runs */
};
const char *verdict_name(enum verdict verdict); /* as in formats.md */

enum decided_by { /* names as in formats.md */
	BY_PERSON,
	BY_RULE,
	BY_DEFAULT,
	BY_GRANT,
	BY_PLAN,
	BY_REVIEWER,
	BY_BUDGET,
	BY_LIMIT,
	BY_INVALID,
	BY_TIMEOUT,
	BY_EARLIER,
	BY_SIGNAL,
	BY_ENDED,
};
const char *decided_by_name(enum decided_by by);

enum held_why {
	HELD_RULE,
	HELD_DEFAULT,
	HELD_UNKNOWN,
	HELD_REPEAT,
	HELD_DENIALS,
	HELD_HEALTH,
	HELD_CHANGED,
	HELD_BUDGET,
	HELD_AWAY
};
const char *held_why_name(enum held_why why);

struct gate_limits {
	int64_t timeout_ms;   /* approval.timeout_s; -1 waits for ever */
	size_t max_pending;   /* held at once; beyond it gate_full() says so and calls wait in the
				 bridge */
	unsigned max_denials; /* per tool, before every further call of the run is held */
};

/* What a caller may see of one held call.  Valid until the next change. */
struct gate_call {
	call_id call;
	const struct tool_facts *tool;
	const char *args; /* the exact bytes */
	size_t args_len;
	struct digest bind;
	const char *asked; /* what the program asked for, where args are a person's edit; else NULL
			    */
	size_t asked_len;
	enum held_why why;
	call_id repeat_of; /* an equal call that started before; 0: none */
	bool confirm_code;
	bool person_only;
	int64_t timeout_ms; /* -1: none */
	int64_t left_ms;    /* of its own time; counts down only while it is first; -1: none */
};

struct gate_verdict {
	call_id call;
	enum verdict verdict;
	enum decided_by by;
	const char *reason; /* "" when none was given; borrowed until the gate or ruling changes */
};

struct gate_hooks {
	void (*on_decided)(const struct gate_verdict *verdict, void *arg);
	void *arg; /* borrowed; outlives the gate */
};

struct gate *gate_new(const struct gate_limits *limits, const struct gate_hooks *hooks);
void gate_free(struct gate *gate); /* NULL is fine */

/* A call as it comes out of registry, budget and policy.  args are copied. */
struct gate_request {
	call_id call;
	const struct tool_facts *tool;
	const char *args;
	size_t args_len;
	struct digest bind;
	const struct ruling *ruling;
	uint64_t grant;    /* that covers it (grants.h); 0: none */
	call_id repeat_of; /* an equal call of an earlier attempt that started; 0: none */
	bool over_budget;  /* past a limit that a person may raise */
};

enum gate_outcome {
	GATE_ALLOWED, /* *permit is given */
	GATE_GRANTED, /* the same, on the word of request->grant alone */
	GATE_HELD,    /* *held is filled */
	GATE_DENIED,  /* *denied is filled */
};

/* Exactly one outcome for each call number; a number that was seen before is ERR_STATE (-1). */
int gate_submit(struct gate *gate, const struct gate_request *request, int64_t now,
	struct permit **permit, struct gate_call *held, struct gate_verdict *denied,
	struct err *err) ATTR_CHECKED;

/* Was a call of this tool denied in this run so that it tightens, or is every call held? */
bool gate_tightened(const struct gate *gate, const struct tool_facts *tool);

/*
 * The budget of a call held for it was raised: it is ruled on like a new one, but for grants; and
 * when an equal call was denied meanwhile, it waits for a person.
 * GATE_ALLOWED gives a permit; GATE_HELD fills *held, whose `why` is what it waits for now.
 * ERR_STATE or ERR_MISSING (-1) when no such call is held for its budget.
 */
int gate_admit(struct gate *gate, call_id call, const struct ruling *ruling, struct permit **permit,
	struct gate_call *held, struct err *err) ATTR_CHECKED;

/*
 * Decide a held call.  bind must be the digest that was shown (formats.md 1).
 * Gives *permit when approved, NULL when denied.  reason may be NULL.
 * Fails with ERR_STATE if it was decided before (the text says who and what) or its program has
 * ended, ERR_MISMATCH if bind differs, ERR_MISSING if no such call is held, ERR_REFUSED for an
 * approval by what cannot approve it (a timeout, an end; anyone but a person where person_only) or
 * of a call past its budget, and for a reuse by anyone but a person or of what repeats nothing.
 * What passed since the last gate_tick() will be charged to whoever is first then: tick before.
 */
int gate_decide(struct gate *gate, call_id call, const struct digest *bind, enum verdict verdict,
	enum decided_by by, const char *reason, struct permit **permit,
	struct err *err) ATTR_CHECKED;

/*
 * Other arguments for a held call, or, back, those it was asked with.  seen: the bind of what the
 * person changed; bind, ruling: of what it becomes.  args are copied, and ignored when back.
 */
struct gate_change {
	call_id call;
	bool back;
	const char *args;
	size_t args_len;
	struct digest seen, bind;
	const struct ruling *ruling;
};
/*
 * GATE_HELD: it waits on, in its place and with the time it has left, under its new bind, and no
 * longer goes by itself when the person is back.  GATE_DENIED: *denied is filled, by the ruling or
 * as equal to an earlier denial.  Fails (-1) as gate_decide() does; going back needs an edit
 * (ERR_STATE).
 */
int gate_edit(struct gate *gate, const struct gate_change *change, struct gate_verdict *denied,
	struct err *err) ATTR_CHECKED;

/* Past deadlines become denials by timeout.  Gives ns until the next deadline, -1: none. */
int64_t gate_tick(struct gate *gate, int64_t now);
/*
 * Add time to a held call.  ERR_MISSING when it is not held, ERR_REFUSED when it waits for ever,
 * ERR_LIMIT when the sum cannot be counted.
 */
int gate_extend(struct gate *gate, call_id call, int64_t ms, struct err *err) ATTR_CHECKED;

/*
 * The person is away (true) or back.  Away: no time passes, and what would be allowed is held
 * (`away`).  Coming back decides nothing by itself: gate_next_away() does, call by call.
 */
void gate_away(struct gate *gate, bool away, int64_t now);
bool gate_is_away(const struct gate *gate);
/*
 * The next call that was held for the absence alone, as its ruling says: true and *verdict is
 * filled, *permit given when it is an approval; false when there is none (more).  A call that would
 * be held now for another reason, or whose arguments were changed, waits on.
 */
bool gate_next_away(struct gate *gate, struct permit **permit, struct gate_verdict *verdict);

/* The program ended (or the run stops): what waits is denied with `by` and reason. */
void gate_end_program(struct gate *gate, enum decided_by by, const char *reason);
/* A new program of the same run may come: calls are taken again.  Tightening stays. */
void gate_next_program(struct gate *gate);
/* A new run: tightening is forgotten. */
void gate_next_run(struct gate *gate);

size_t gate_held(const struct gate *gate);
bool gate_full(const struct gate *gate);
bool gate_held_at(const struct gate *gate, size_t index, struct gate_call *out); /* 0: first */
bool gate_find(const struct gate *gate, call_id call, struct gate_call *out);
/* The same, for whoever acts on what was shown: fails as gate_decide() does. */
int gate_waits(const struct gate *gate, call_id call, const struct digest *bind,
	struct gate_call *out, struct err *err) ATTR_CHECKED;

/* A permit: the right to run one call once.  Only gate_door.c makes one. */
call_id permit_call(const struct permit *permit);
const struct tool_facts *permit_tool(const struct permit *permit);
const char *permit_args(const struct permit *permit, size_t *len);
const struct digest *permit_bind(const struct permit *permit);
void permit_free(struct permit *permit); /* unused: the call does not run */

static inline void
permit_leave_free(struct permit **slot)
{
	permit_free(*slot);
}

#define AUTO_PERMIT ON_LEAVE(permit_leave_free)

#endif
