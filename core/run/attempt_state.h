/*
 * attempt_state.h - the inside of attempt.h, shared by its own files only.
 *
 * Knows:      attempt, buf, sandbox/badge.
 * Unaware of: everything attempt.h is unaware of.
 */
#ifndef CORE_RUN_ATTEMPT_STATE_H
#define CORE_RUN_ATTEMPT_STATE_H

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/run/attempt.h"
#include "core/sandbox/sandbox.h"

#define ATTEMPT_TICK_NS (200 * NS_PER_MS)

enum attempt_phase {
	ATTEMPT_STARTING,
	ATTEMPT_READY,
	ATTEMPT_LOADING,
	ATTEMPT_LOADED,
	ATTEMPT_RUNNING,
	ATTEMPT_LEAVING,
	ATTEMPT_ENDED
};

struct attempt {
	struct attempt_parts parts;
	struct attempt_hooks hooks;
	unsigned run, number;
	enum attempt_phase phase;
	struct sandbox *sandbox;
	struct bridge *bridge;
	struct calls *calls;
	struct loop_watch *stderr_watch;
	struct loop_timer *tick;
	struct loop_timer *deadline; /* start, or leave */
	char layers_seen[LAYER_COUNT];
	int64_t started_at; /* ns */
	int64_t ticked_at;
	bool was_held, was_still, was_away; /* since then */
	int64_t wall_ns, held_ns;
	struct buf stdout_text;
	struct buf stderr_raw;
	int64_t printed;
	/* The end, as it is known so far. */
	char *killed_as; /* our own verdict, a word of program.end */
	char *last_word; /* the program's */
	char *error;
	int end_line;
	int end_exit;
	int live_line;
	bool protocol;
};

/* What passed since the last time counts under the state of the clocks at that time. */
void attempt_count_time(struct attempt *attempt);
void attempt_on_tick(void *arg);

#endif
