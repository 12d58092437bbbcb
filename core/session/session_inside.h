/*
 * session_inside.h - what the parts of the fold share: one function for each event, and how values
 * of an event become fields.
 *
 * Knows:      json.
 * Unaware of: who reads the session.
 */
#ifndef CORE_SESSION_SESSION_INSIDE_H
#define CORE_SESSION_SESSION_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/json.h"
#include "core/record/event.h"

struct blob;
struct event_view;
struct session;
struct session_call;
struct session_program;

/* Does an event of this type change more than seq, mono and generation? */
bool session_folds(enum event_type type);

/* Replace a text by object[key]; NULL when that is no text. */
void session_set_text(char **slot, struct json_value object, const char *key);
/* Replace a blob by the content of a $ field of the event. */
void session_set_blob(struct blob *slot, const struct event_view *event, const char *key);
void session_set_blob_of(
	struct blob *slot, const struct event_view *event, struct json_value reference);
void session_drop_blob(struct blob *slot);
/* object[key] within 0 and INT64_MAX, else `otherwise`. */
int64_t session_number(struct json_value object, const char *key, int64_t otherwise);
/* The array with a zeroed place behind its `count` elements; takes the old one. */
void *session_room(void *array, size_t count, size_t size);

/* session_calls.c */
void session_call_request(struct session *session, const struct event_view *event);
/* An event that changes nothing but its call. */
void session_call_told(struct session *session, const struct event_view *event);
void session_call_held(struct session *session, const struct event_view *event);
void session_call_decided(struct session *session, const struct event_view *event);
void session_call_end(struct session *session, const struct event_view *event);
/* No time of a held call passed between the two moments. */
void session_queue_stood_still(struct session *session, int64_t from, int64_t to);

/* session_call_own.c: an event of this call, of any call.* type that is folded.  False: it does not
 * fit the call's state, and nothing has changed.  CALL_REQUEST wants a zeroed call. */
bool session_call_own(struct session_call *call, const struct event_view *event);
void session_call_release(struct session_call *call);

/* session_gate.c */
void session_grant_add(struct session *session, const struct event_view *event);
void session_grant_revoke(struct session *session, const struct event_view *event);
void session_rule_add(struct session *session, const struct event_view *event);
void session_away(struct session *session, const struct event_view *event);
void session_attach(struct session *session, const struct event_view *event);
void session_detach(struct session *session, const struct event_view *event);
void session_grant_used(struct session *session, uint64_t number);
/* What voids grants: the end of their program, a change of their tool. */
void session_grants_of_program(struct session *session, unsigned attempt);
void session_grants_of_tool(struct session *session, const char *full);
void session_gate_release(struct session *session);

/* session_run.c */
void session_start(struct session *session, const struct event_view *event);
void session_tools(struct session *session, const struct event_view *event);
void session_task(struct session *session, const struct event_view *event);
void session_writing(struct session *session, const struct event_view *event);

/* session_model.c */
void session_model_request(struct session *session, const struct event_view *event);
void session_model_delta(struct session *session, const struct event_view *event);
void session_model_retry(struct session *session, const struct event_view *event);
void session_model_end(struct session *session, const struct event_view *event);
void session_program_asked(struct session *session, const struct event_view *event);
void session_model_release(struct session *session);

/* session_run.c again */
void session_program_text(struct session *session, const struct event_view *event);
void session_forecast(struct session *session, const struct event_view *event);
void session_program_decided(struct session *session, const struct event_view *event);
void session_sandbox(struct session *session, const struct event_view *event);
void session_line(struct session *session, const struct event_view *event);
void session_budget(struct session *session, const struct event_view *event);
void session_output(struct session *session, const struct event_view *event);
void session_program_end(struct session *session, const struct event_view *event);
void session_answer(struct session *session, const struct event_view *event);
void session_run_end(struct session *session, const struct event_view *event);
void session_alert(struct session *session, const struct event_view *event);
void session_end(struct session *session, const struct event_view *event);
void session_run_release(struct session *session);
/* The program runs: the first sign of it. */
void session_runs(struct session *session, const struct event_view *event);

#endif
