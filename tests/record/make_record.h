/*
 * make_record.h - records for tests, event by event or as one sample session.
 *
 * Everything but the times is the same in each run: the session's id, the salts, the binds.  An
 * error fails the test.
 *
 * Knows:      writer, event, session.
 * Unaware of: which test asks.
 */
#ifndef TESTS_RECORD_MAKE_RECORD_H
#define TESTS_RECORD_MAKE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/record/event.h"

struct record;
struct session;

#define MAKE_ID "0123456789abcdef0123456789abcdef"
#define MAKE_CALLS 64
#define MAKE_CONSOLE "00000000c0c0c0c0"

struct make {
	struct record *record;
	struct event event; /* for events of one's own: event_begin, fields, make_append */
	unsigned salts;     /* drawn so far */
	uint64_t calls;
	struct digest binds[MAKE_CALLS + 1]; /* of now */
	int64_t edits[MAKE_CALLS + 1];       /* made so far */
	unsigned attempt;                    /* of the calls and the end that come; 0: 1 */
	unsigned run;                        /* of what comes; 0: 1 */
};

void make_open(struct make *make, int fd /* takes */);
void make_close(struct make *make);  /* writes what is left */
void make_append(struct make *make); /* make->event */
/* A $ field with a salt that is the same in each run. */
void make_content(struct make *make, const char *key, const char *bytes, size_t len);
struct content make_commitment(struct make *make, const char *bytes, size_t len);
/* False, and 64 zeros, for a tool that the payroll server does not have. */
bool make_tool_digest(const char *name, struct digest *out);
void make_text(struct make *make, const char *key, const char *text); /* NULL: null */

/* Session start, the three payroll tools, a task, a program of 12 lines, its sandbox, counters. */
void make_start(struct make *make, const char *name);
uint64_t make_request(struct make *make, const char *tool, const char *args, int line);
void make_ruled(struct make *make, uint64_t call, const char *action, const char *rule);
void make_held(struct make *make, uint64_t call, int timeout_s); /* -1: none */
void make_held_why(struct make *make, uint64_t call, const char *why, int timeout_s);
void make_presented(struct make *make, uint64_t call); /* by MAKE_CONSOLE */
/* by "person": via MAKE_CONSOLE. */
void make_decided(
	struct make *make, uint64_t call, const char *verdict, const char *by, const char *reason);
void make_call_start(struct make *make, uint64_t call);
void make_call_end(struct make *make, uint64_t call, const char *outcome, const char *result);
/* What a person does (make_person.c). */
void make_edited(struct make *make, uint64_t call, const char *tool, const char *args);
void make_unedited(struct make *make, uint64_t call, const struct digest *asked);
void make_extended(struct make *make, uint64_t call, int64_t ms);
void make_away(struct make *make, bool away);
void make_program_text(struct make *make, unsigned attempt, const char *text);
void make_program_decided(struct make *make, unsigned attempt, const char *verdict);
void make_program_end(struct make *make, unsigned attempt, const char *outcome);
/* The replies of a model (make_model.c). */
void make_start_modelled(struct make *make); /* as make_start, with a task and no program */
void make_turn(struct make *make, int turn, const char *purpose);
void make_turn_delta(struct make *make, int turn, const char *part, const char *text);
void make_turn_retry(struct make *make, int turn, const char *cause, int wait_ms);
void make_turn_end(
	struct make *make, int turn, const char *stop, const char *error, const char *refused);
void make_asked(struct make *make, unsigned attempt, const char *why);
void make_run_end(struct make *make, const char *outcome);
void make_task(struct make *make, const char *text);
void make_answer(struct make *make, const char *text);
void make_output(struct make *make, const char *stream, const char *text);
void make_end(struct make *make, const char *outcome, int exit_code);

enum make_sample {
	SAMPLE_HELD, /* 4 calls: a read, a raise by rule, a raise denied by a person, a raise held
		      */
	SAMPLE_ENDED /* the same; the fourth was approved and the session ended in order */
};
void make_sample(int fd /* takes */, enum make_sample sample);
/* The sample folded, an event each 250 ms: deterministic to the last byte.  Initialises it. */
void make_sample_session(struct session *session, enum make_sample sample);

/* An empty file in memory. */
int make_file(void);

#endif
