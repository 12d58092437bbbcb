/*
 * session.h - what is known of a session: a fold over the events of its record, and nothing else.
 *
 * Live console, attach, replay, show and list read the same struct.  Fields are plain and open for
 * reading; only session_apply() changes them, and everyone else holds a const pointer.  All text in
 * it is foreign, and NULL where the record gave none; calls[].tool, tools[].full, servers[].name,
 * counters[].name and alerts[].text never are.
 *
 * Knows:      record/reader, json, mem.
 * Unaware of: where the events come from, the screen.
 */
#ifndef CORE_SESSION_SESSION_H
#define CORE_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hash.h"

struct event_view;

/* Owned bytes of foreign text (NUL-terminated too).  missing: redacted or withheld. */
struct blob {
	char *bytes; /* NULL: never given */
	size_t len;
	bool missing;
};

enum call_state {
	CALL_REQUESTED,
	CALL_HELD,    /* waits for a decision */
	CALL_DECIDED, /* approved, not started yet */
	CALL_STARTED,
	CALL_ENDED,
};

struct session_tried { /* one rule that came near */
	char *rule, *at, *action, *why;
	bool matched;
};

struct session_call {
	uint64_t number;
	unsigned run, attempt;
	enum call_state state;
	char *tool;
	struct blob args; /* the latest: as requested, or as edited */
	uint8_t args_salt[DIGEST_BYTES];
	struct blob asked; /* as requested, once an edit replaced them */
	uint8_t asked_salt[DIGEST_BYTES];
	struct digest bind;
	int line;          /* the program's word; 0: not given */
	char *origin;      /* "program", "person", ... */
	unsigned nth_here; /* how many calls of this tool from this line came before, plus 1 */
	int64_t requested_mono, held_mono, decided_mono, started_mono, ended_mono; /* 0: not yet */
	/* ruled */
	char *action, *rule, *at, *ruled_reason;
	struct session_tried *tried;
	size_t tried_count;
	/* held */
	char *held_why;
	bool confirm_code, person_only;
	int64_t timeout_ms; /* -1: none */
	int64_t extended_ms;
	/* decided */
	char *verdict, *by, *via, *who, *console;
	struct blob reason;
	struct blob comment;
	bool stop;
	/* ended */
	char *outcome;
	struct blob result;
	int64_t ms;
	unsigned presentations;
};

struct session_tool {
	char *full, *server, *name, *python, *effect, *effect_from;
	struct digest sha256;
	bool isolated;
	struct blob definition; /* JSON */
};

struct session_server {
	char *name, *state;
	bool isolated;
};

struct session_site { /* of the forecast */
	int line;
	char *tool, *action, *effect;
	bool loop;
};

struct session_program { /* one attempt */
	unsigned run, attempt;
	struct blob text;
	size_t lines;
	char *by;
	struct session_site *sites;
	size_t site_count;
	char *outcome; /* NULL while it goes on */
	struct blob error;
	int end_line;
	int64_t cpu_ms, max_rss_kb, held_ms;
	int exit;
};

struct session_output { /* one chunk */
	unsigned attempt;
	bool err; /* standard error */
	struct blob text;
	uint64_t seq;
};

struct session_counter {
	char *name;
	int64_t used, limit; /* limit -1: none */
};

struct session_layer {
	char *name, *kind, *detail;
	bool proved;
};

struct session_alert {
	uint64_t seq;
	int64_t mono;
	char *text;
};

enum run_state {
	RUN_STARTING, /* before the first program */
	RUN_WRITING,  /* a model writes */
	RUN_READY,    /* a program is there and has not begun */
	RUN_RUNNING,
	RUN_WAITING, /* at least one call is held */
	RUN_ENDED,
};

struct session {
	char *id, *name, *version, *mode, *host, *user;
	char *model; /* "provider/name" or NULL */
	bool scripted;
	struct blob task;
	char *task_from;
	unsigned run, attempt; /* the current ones */
	enum run_state state;
	int live_line;      /* 0: unknown */
	int64_t begun_mono; /* of the current program; 0: not yet */

	struct session_call *calls; /* calls[i].number == i + 1 */
	size_t call_count;
	size_t waiting;   /* calls in CALL_HELD */
	size_t open_from; /* internal: the calls before have ended */
	struct session_program *programs;
	size_t program_count;
	struct session_tool *tools;
	size_t tool_count;
	struct session_server *servers;
	size_t server_count;
	struct session_output *outputs;
	size_t output_count;
	size_t output_bytes;
	struct session_counter *counters;
	size_t counter_count;
	struct session_layer *layers;
	size_t layer_count;
	char *backend;
	struct session_alert *alerts;
	size_t alert_count;
	char **loosened;
	size_t loosened_count;

	struct blob answer;
	char *run_outcome; /* of the latest run.end */
	bool ended;        /* session.end was seen */
	char *outcome;     /* of session.end */
	int exit_code;     /* valid once ended */
	char *closed_by;
	uint64_t denied; /* calls of this run that were denied */

	uint64_t seq;        /* of the last event applied */
	int64_t mono;        /* of the last event applied */
	uint64_t generation; /* grows with each event: cheap "has it changed" */
};

void session_init(struct session *session);
void session_release(struct session *session);

/* Fold one event in.  Unknown types and fields are passed over. */
void session_apply(struct session *session, const struct event_view *event);

/* Look-ups; NULL when there is none. */
const struct session_call *session_call(const struct session *session, uint64_t number);
const struct session_call *session_first_held(const struct session *session);
const struct session_tool *session_tool(const struct session *session, const char *full);
const struct session_program *session_program(const struct session *session); /* current */
const struct session_counter *session_counter(const struct session *session, const char *name);
/* The last approved (by a person) call of this tool before `number`. */
const struct session_call *session_last_approved(
	const struct session *session, const char *tool, uint64_t number);
/* ns the first held call has left at mono `now`; -1: no limit or nothing held.  Only the first in
 * the queue counts down: held_mono of the next is when the one before it was decided, if later. */
int64_t session_time_left(
	const struct session *session, const struct session_call *call, int64_t now);
const char *run_state_name(enum run_state state);

#endif
