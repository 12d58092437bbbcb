/*
 * gate_state.h - the inside of gate.h, shared by its own files only.
 *
 * Knows:      gate, denials.
 * Unaware of: everything gate.h is unaware of.
 */
#ifndef CORE_GATE_GATE_STATE_H
#define CORE_GATE_GATE_STATE_H

#include "core/gate/denials.h"
#include "core/gate/gate.h"

struct held {
	struct held *next;
	struct gate_call facts; /* args: owned below */
	char *args;
	char *asked;          /* before the first edit that counts; NULL: not edited */
	int64_t left_ns;      /* -1: waits for ever */
	enum ruled_why ruled; /* what allowed it, where it waits for the absence alone */
	bool away_alone;      /* goes by itself once the person is back */
};

/* What is remembered of a decided call. */
struct past {
	call_id call;
	enum verdict verdict;
	enum decided_by by;
};

struct gate {
	struct gate_limits limits;
	struct gate_hooks hooks;
	struct held *first; /* in order of arrival */
	size_t held_count;
	struct past *past;
	size_t past_count, past_room;
	struct denials *denials;
	call_id newest; /* calls come in the order of their numbers */
	int64_t ticked; /* now of the last tick, or of the first call's arrival */
	bool ended;
	bool away;
};

/* NULL: it does not wait. */
struct held *gate_held_call(const struct gate *gate, call_id call);
/* Fails and says why a call does not wait. */
int gate_why_not(const struct gate *gate, call_id call, struct err *err) ATTR_CHECKED;
/* What a caller may see of it. */
void gate_describe(const struct held *held, struct gate_call *out);

/*
 * A denial, by whomever: out of the queue, remembered, and tightening where `by` tightens.  Fills
 * *denied with reason, borrowed, and frees the held call.
 */
void gate_deny_held(struct gate *gate, struct held *held, enum decided_by by, const char *reason,
	struct gate_verdict *denied);

#endif
