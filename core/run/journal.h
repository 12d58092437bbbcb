/*
 * journal.h - the events of a run, in the words of formats.md 1, and when they reach the disk.
 *
 * Each function appends one event.  Nothing here fails: the first error poisons the journal, is
 * kept, and journal_flush() reports it from then on; on_lost is called once, from the next loop
 * turn.
 *
 * Knows:      record/event, record/writer, gate, loop, json.
 * Unaware of: why something happened.
 */
#ifndef CORE_RUN_JOURNAL_H
#define CORE_RUN_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/gate/gate.h"
#include "core/gate/policy.h"
#include "core/record/event.h"

struct account;
struct badge;
struct budget;
struct config;
struct err;
struct journal;
struct loop;
struct record;
struct tool;

struct journal_hooks {
	/* Nothing more can be recorded: poisoned (full is false) or past record.max_bytes (true).
	 */
	void (*on_lost)(bool full, const char *why, void *arg);
	void *arg;
};

/* Borrows the record and the loop. */
struct journal *journal_new(
	struct loop *loop, struct record *record, const struct journal_hooks *hooks);
void journal_free(struct journal *journal);

/* What calls do is told to this account too from now on (borrowed; NULL: to none). */
void journal_keep_account(struct journal *journal, struct account *account);

/* Hand what was appended to the file; sync: and to the disk.  -1: nothing may be released. */
int journal_flush(struct journal *journal, bool sync, struct err *err) ATTR_CHECKED;
/* The number of the event that is appended next. */
uint64_t journal_next_seq(const struct journal *journal);
bool journal_lost(const struct journal *journal); /* an event did not reach the disk */

struct journal_session {
	const char *id, *name, *mode;
	bool modelled; /* a model writes: config says which */
	const struct config *config;
};
void journal_session_start(struct journal *journal, const struct journal_session *session);
void journal_task(struct journal *journal, unsigned run, const char *text, const char *from);
/* added: tools that came with this state; NULL and 0 for none. */
void journal_tools(struct journal *journal, const char *server, const char *state, bool isolated,
	struct tool *const *added, size_t count);
struct journal_program {
	unsigned run, attempt;
	struct untrusted text;
	const char *by; /* "file", "person", "model", "client" */
};
void journal_program(struct journal *journal, const struct journal_program *program);

struct journal_program_decided {
	unsigned attempt;
	const char *verdict;
	enum decided_by by;
	const char *reason, *who; /* NULL: none */
	int64_t presentation;     /* 0: none */
};
void journal_program_decided(
	struct journal *journal, const struct journal_program_decided *decided);

/* The run waits for a person's word on how to go on after this attempt (0: none came to be). */
void journal_program_asked(
	struct journal *journal, unsigned run, unsigned attempt, const char *why);

struct journal_site {
	int line;
	const char *tool;
	bool loop;
	enum effect effect;
	int action; /* enum action, -1: depends */
};
void journal_forecast(
	struct journal *journal, unsigned attempt, const struct journal_site *sites, size_t count);
void journal_sandbox(struct journal *journal, unsigned attempt, const char *backend,
	const struct badge *badge, int64_t start_ms);
void journal_line(struct journal *journal, int line);

struct journal_request {
	unsigned run, attempt;
	call_id call;
	const char *tool;
	struct untrusted args;
	const struct content *content; /* of args */
	const struct digest *bind;
	int line; /* 0: none */
	const char *origin;
};
void journal_request(struct journal *journal, const struct journal_request *request);
void journal_ruled(struct journal *journal, call_id call, const struct ruling *ruling);
void journal_held(struct journal *journal, const struct gate_call *held);

struct journal_presented {
	call_id call;
	const struct digest *bind;
	const char *console;
	int64_t presentation, seen_seq, cols, rows;
	bool strict;
	const char *frame; /* 64 hex digits */
};
void journal_presented(struct journal *journal, const struct journal_presented *presented);

struct journal_edited { /* call.edited, or call.unedited */
	call_id call;
	unsigned edit; /* of this call, from 1 */
	struct untrusted args;
	const struct content *content; /* of args; NULL: back to what was asked */
	const struct digest *bind;
	const char *who;
	bool confirm_code, person_only; /* how it waits now */
};
void journal_edited(struct journal *journal, const struct journal_edited *edited);
void journal_extended(struct journal *journal, call_id call, int64_t ms, const char *who);

struct journal_decided {
	call_id call;
	const struct digest *bind;
	enum verdict verdict;
	enum decided_by by;
	const char *via;                                /* "console", "decide" or NULL */
	const char *who;                                /* the socket's peer or NULL */
	const char *reason;                             /* NULL or "": none */
	const char *comment;                            /* the same */
	const char *console;                            /* NULL: none */
	int64_t presentation, dwell_ms, covered, total; /* with a console */
	bool stop;
	uint64_t grant; /* that decided; 0: none */
	call_id of;     /* whose result or denial it got; 0: none */
};
void journal_decided(struct journal *journal, const struct journal_decided *decided);
void journal_start(struct journal *journal, call_id call, const struct digest *bind);
/*
 * result: NULL bytes for none.  Without haste it is written together with what comes next, 10 ms
 * later at the latest; everything else is written by the end of the loop turn.
 */
void journal_end(struct journal *journal, call_id call, const char *outcome,
	struct untrusted result, int64_t ms);
void journal_unhurried(struct journal *journal);
struct journal_raise {
	call_id call; /* on whose occasion */
	const char *counter;
	int64_t from, to;
	const char *who;
	call_id *admits; /* calls held for their budget that are within it now */
	size_t admit_count;
};
/* raise: NULL when no limit was raised. */
void journal_budget(struct journal *journal, unsigned run, const struct budget *budget,
	const struct journal_raise *raise);
void journal_output(
	struct journal *journal, unsigned attempt, const char *stream, struct untrusted text);

struct journal_grant {
	uint64_t grant;
	const struct tool_facts *tool;
	unsigned attempt;
	int line;
	int64_t n;
	struct untrusted bounds;
	call_id from_call;
	const char *who;
};
void journal_grant_add(struct journal *journal, const struct journal_grant *grant);
void journal_grant_revoke(struct journal *journal, uint64_t grant, const char *who);

struct journal_rule {
	struct untrusted rule;
	call_id from_call;
	bool from_now;
	const char *who;
};
void journal_rule_add(struct journal *journal, const struct journal_rule *rule);

struct journal_program_end {
	unsigned attempt;
	const char *outcome;
	int exit;
	const char *error; /* foreign; NULL: none */
	int line;
	int64_t cpu_ms, max_rss_kb, held_ms;
};
void journal_program_end(struct journal *journal, const struct journal_program_end *end);
void journal_answer(struct journal *journal, unsigned run, struct untrusted text);

struct journal_run_end {
	unsigned run;
	const char *outcome;
	int exit_code;
	uint64_t calls, denied;
	int64_t duration_ms;
};
void journal_run_end(struct journal *journal, const struct journal_run_end *end);
void journal_alert(struct journal *journal, const char *text);
void journal_away(struct journal *journal, bool away, const char *who);
void journal_console(struct journal *journal, bool attached, const char *console, const char *who);
/* The last words: checkpoint and session.end, synced as far as possible. */
void journal_session_end(struct journal *journal, const char *outcome, int exit_code);

/*
 * The building blocks of the functions above, for the journal's own files: the scratch event begun
 * anew, and its append (whose errors the journal keeps).
 */
struct event *journal_begin(struct journal *journal, enum event_type type);
void journal_append(struct journal *journal);
struct account *journal_account(const struct journal *journal); /* NULL: none */

#endif
