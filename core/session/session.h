/*
 * session.h - what is known of a session: a fold over the events of its record, and nothing else.
 *
 * Live console, attach, replay, show and list read the same struct.  Fields are plain and open for
 * reading; only session_apply() changes them, and everyone else holds a const pointer.  All text in
 * it is foreign, and NULL where the record gave none; calls[].tool, tools[].full, servers[].name,
 * counters[].name and alerts[].text and limits[].name never are.
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
#include "core/base/text.h"

struct event_view;

/* Owned bytes of foreign text (NUL-terminated too).  missing: redacted or withheld. */
struct blob {
	char *bytes; /* NULL: never given */
	size_t len;
	bool missing;
};

static inline struct untrusted
blob_text(const struct blob *blob) /* nothing given, or missing: empty */
{
	return untrusted(blob->bytes ? blob->bytes : "", blob->bytes ? blob->len : 0);
}

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

struct session_shown { /* a presentation of a call */
	char *console; /* NULL: never presented */
	int64_t mono;
	uint64_t presentation, seen_seq;
	int cols, rows; /* of the document, and of the screen */
	bool strict;
	struct digest frame;
};

/* What is read of few calls at a time; kept apart because there may be hundreds of thousands. */
struct session_call_more {
	uint8_t args_salt[DIGEST_BYTES];
	struct blob asked; /* as requested, once an edit replaced the arguments */
	uint8_t asked_salt[DIGEST_BYTES];
	char *edited_who; /* of the latest edit, also once it was taken back */
	/* ruled */
	char *at, *ruled_reason;
	struct session_tried *tried;
	size_t tried_count;
	struct session_shown shown;      /* the latest; once a console decided, that console's */
	struct session_shown *elsewhere; /* the latest of each other console */
	size_t elsewhere_count;
	/* decided */
	char *via, *console;
	int64_t dwell_ms, covered, total; /* by a console; -1: not said */
	struct blob reason;
	struct blob comment;
};

struct session_call {
	uint64_t number;
	unsigned run, attempt;
	enum call_state state;
	int line;          /* the program's word; 0: not given */
	unsigned nth_here; /* how many calls of this tool from this line came before, plus 1 */
	unsigned edit;     /* number of the edit whose arguments these are; 0: as requested */
	unsigned presentations;
	bool loaded; /* false in a replay only: args, result, bind, edit, presentations, who,
		      * repeat_of, result_of, the limits of its wait and all of `more` are
		      * empty until replay_load() */
	bool confirm_code, person_only, stop; /* an edit may change the first two */
	char *tool;
	char *origin;                   /* "program", "person", ... */
	struct session_call_more *more; /* never NULL */
	struct blob args;               /* the latest: as requested, or as edited */
	struct digest bind;
	int64_t requested_mono, held_mono, decided_mono, started_mono, ended_mono; /* 0: not yet */
	char *action, *rule;                                                       /* ruled */
	/* held */
	char *held_why;
	int64_t timeout_ms; /* -1: none */
	int64_t extended_ms;
	uint64_t repeat_of; /* a call that started before with equal arguments; 0: none */
	/* decided */
	char *verdict, *by, *who;
	uint64_t grant;     /* that decided it; 0: none */
	uint64_t result_of; /* `of`: the call whose result or denial was used; 0: none */
	/* ended */
	char *outcome;
	struct blob result;
	int64_t ms;
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
	char *verdict, *decided_who; /* of the latest program.decided; NULL: none */
	struct blob decided_reason;
	bool forecast; /* its sites are known: it can be decided on */
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

struct session_limit { /* "sandbox.memory": 536870912 */
	char *name;
	int64_t value; /* -1: none */
};

struct session_alert {
	uint64_t seq;
	int64_t mono;
	char *text;
};

/* "The next n calls of this tool from this line, within bounds." */
struct session_grant {
	uint64_t number;
	char *tool;
	struct digest tool_sha256;
	unsigned attempt;
	int line;
	int64_t n, used;
	struct blob bounds; /* JSON schema: closed bounds on every argument */
	uint64_t from_call;
	char *who;
	bool revoked; /* or void: its program has ended, its tool has changed */
};

struct session_rule {     /* made from a call in this run */
	struct blob rule; /* JSON */
	uint64_t from_call;
	bool from_now; /* in force; false: kept for after the run */
	char *who;
};

struct session_turn { /* one reply of a model, or what there is of it */
	unsigned run, turn;
	char *purpose;                              /* "program", "repair", "answer" */
	char *host;                                 /* where it was asked for; NULL: nowhere */
	struct blob text, reasoning;                /* as far as they came */
	int64_t began_mono, first_mono, ended_mono; /* 0: not yet */
	char *retry_cause;                          /* it is asked for again; NULL: not now */
	int64_t retry_mono, retry_ms; /* since when that is waited for, and how long */
	/* ended */
	char *stop, *reason, *error, *request_id;
	char *refused; /* why its text is no program; NULL: it is, or none was wanted */
	int64_t input, output, cached, reasoned; /* tokens; -1: not said */
	int64_t cost_micro;                      /* -1: not known */
};

enum run_state {
	RUN_STARTING, /* before the first program */
	RUN_WRITING,  /* a model writes */
	RUN_READY,    /* a program is there and has not begun */
	RUN_ASKING,   /* a person decides on the program: before it runs, or after it failed */
	RUN_RUNNING,
	RUN_WAITING, /* at least one call is held */
	RUN_RESTING, /* the run is over; a next task may follow in this session */
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
	size_t call_room; /* internal */
	size_t waiting;   /* calls in CALL_HELD */
	size_t held_from; /* internal: index of the first of them */
	struct session_program *programs;
	size_t program_count;
	struct session_turn *turns; /* turns[i].turn == i + 1 */
	size_t turn_count;
	struct session_tool *tools;
	size_t tool_count;
	struct session_server *servers;
	size_t server_count;
	struct session_output *outputs;
	size_t output_count;
	size_t outputs_before; /* chunks before these that are not here (a replay's only) */
	size_t output_bytes;
	struct session_counter *counters;
	size_t counter_count;
	int64_t raised_mono; /* when a limit was raised last; 0: never */
	struct session_layer *layers;
	size_t layer_count;
	char *backend;
	struct session_alert *alerts;
	size_t alert_count;
	char **loosened;
	size_t loosened_count;
	struct session_limit *limits;
	size_t limit_count;
	struct session_grant *grants; /* grants[i].number == i + 1 */
	size_t grant_count;
	struct session_rule *rules;
	size_t rule_count;
	char *asked_why;   /* why a person was last asked how to go on; NULL: never */
	bool program_ask;  /* approval.program is "ask" */
	bool away;         /* every clock stands still, everything holds */
	int64_t away_mono; /* since when, or until when */
	int64_t away_ns;   /* all of it so far, but for the time it goes on now */
	char *away_who;
	size_t consoles;    /* attached */
	uint64_t alone_seq; /* of the event that detached the last console; 0: never alone */
	int64_t alone_mono;

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
/* What the forecast of the current program says beside its budget. */
struct session_reach {
	size_t places, loops; /* that call; of them in a loop */
	int64_t left;         /* calls; -1: no limit is known */
	bool too_many;        /* more places than calls are left */
};
void session_reach(const struct session *session, struct session_reach *out);
#define SESSION_REACH_BYTES 128
/* "the program calls at 2 places, 1 in a loop; 48 calls are left". */
void session_reach_words(const struct session_reach *reach, char out[SESSION_REACH_BYTES]);
const struct session_turn *session_turn(const struct session *session); /* the latest */
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
