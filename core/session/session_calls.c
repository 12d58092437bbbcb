/*
 * The events of calls.  `waiting` is the number of calls in CALL_HELD at every moment; the clock of
 * the second in the queue begins when the first leaves it.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/session.h"
#include "core/session/session_inside.h"

static struct session_call *
call_of(struct session *session, const struct event_view *event)
{
	uint64_t number = (uint64_t)session_number(event->data, "call", 0);

	if (number == 0 || number > session->call_count)
		return NULL;
	return &session->calls[number - 1];
}

static void
set_digest(struct digest *slot, struct json_value data, const char *key)
{
	const char *hex = json_text(data, key);

	if (hex)
		(void)digest_parse(hex, strlen(hex), slot);
}

static void
set_args(struct session_call *call, const struct event_view *event)
{
	const uint8_t *salt = event_view_salt(event, "args");

	session_set_blob(&call->args, event, "args");
	if (salt)
		memcpy(call->args_salt, salt, DIGEST_BYTES);
	else
		memset(call->args_salt, 0, DIGEST_BYTES);
	set_digest(&call->bind, event->data, "bind");
}

/* The latest of them carries the count, so the search ends there. */
static unsigned
nth_here(const struct session *session, const struct session_call *call)
{
	for (size_t i = call->number - 1; i-- > 0;) {
		const struct session_call *before = &session->calls[i];

		if (before->attempt != call->attempt)
			break;
		if (before->line == call->line && strcmp(before->tool, call->tool) == 0)
			return before->nth_here + 1;
	}
	return 1;
}

void
session_call_request(struct session *session, const struct event_view *event)
{
	struct json_value data = event->data;
	struct session_call *call;

	if ((uint64_t)session_number(data, "call", 0) != session->call_count + 1)
		return;
	session_runs(session, event);
	session->calls = session_room(session->calls, session->call_count, sizeof(*call));
	call = &session->calls[session->call_count++];
	call->number = session->call_count;
	call->run = (unsigned)session_number(data, "run", 0);
	call->attempt = (unsigned)session_number(data, "attempt", 0);
	call->line = (int)(session_number(data, "line", 0) & 0x7fffffff);
	session_set_text(&call->tool, data, "tool");
	if (!call->tool)
		call->tool = mem_str("");
	session_set_text(&call->origin, data, "origin");
	set_args(call, event);
	call->nth_here = nth_here(session, call);
	call->requested_mono = event->mono;
	call->timeout_ms = -1;
	if (call->line > 0)
		session->live_line = call->line;
}

static void
drop_tried(struct session_call *call)
{
	for (size_t i = 0; i < call->tried_count; i++) {
		free(call->tried[i].rule);
		free(call->tried[i].at);
		free(call->tried[i].action);
		free(call->tried[i].why);
	}
	free(call->tried);
	call->tried = NULL;
	call->tried_count = 0;
}

void
session_call_ruled(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);
	struct json_iter it = json_each(json_get(event->data, "tried"));

	if (!call)
		return;
	session_set_text(&call->action, event->data, "action");
	session_set_text(&call->rule, event->data, "rule");
	session_set_text(&call->at, event->data, "at");
	session_set_text(&call->ruled_reason, event->data, "reason");
	drop_tried(call);
	while (json_next(&it)) {
		struct session_tried *tried;

		call->tried = session_room(call->tried, call->tried_count, sizeof(*tried));
		tried = &call->tried[call->tried_count++];
		session_set_text(&tried->rule, it.value, "rule");
		session_set_text(&tried->at, it.value, "at");
		session_set_text(&tried->action, it.value, "action");
		session_set_text(&tried->why, it.value, "why");
		tried->matched = json_bool(json_get(it.value, "matched"), false);
	}
}

static void
show_waiting(struct session *session)
{
	if (session->waiting > 0)
		session->state = RUN_WAITING;
	else if (session->state == RUN_WAITING)
		session->state = RUN_RUNNING;
}

void
session_call_held(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);
	struct json_value confirm = json_get(event->data, "confirm");
	int64_t timeout_s = session_number(event->data, "timeout_s", -1);

	if (!call || call->state != CALL_REQUESTED)
		return;
	call->state = CALL_HELD;
	call->held_mono = event->mono;
	session_set_text(&call->held_why, event->data, "why");
	call->confirm_code = json_is(confirm, "code");
	call->person_only = json_bool(json_get(event->data, "person_only"), false);
	call->timeout_ms = timeout_s < 0 || timeout_s > INT64_MAX / 1000 ? -1 : timeout_s * 1000;
	call->repeat_of = (uint64_t)session_number(event->data, "repeat_of", 0);
	session->waiting++;
	show_waiting(session);
}

void
session_call_presented(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);

	struct session_shown *shown;

	if (!call)
		return;
	call->presentations++;
	shown = &call->shown;
	session_set_text(&shown->console, event->data, "console");
	shown->mono = event->mono;
	shown->presentation = (uint64_t)session_number(event->data, "presentation", 0);
	shown->seen_seq = (uint64_t)session_number(event->data, "seen_seq", 0);
	shown->cols = (int)(session_number(event->data, "cols", 0) & INT_MAX);
	shown->rows = (int)(session_number(event->data, "rows", 0) & INT_MAX);
	shown->strict = json_is(json_get(event->data, "mode"), "strict");
	set_digest(&shown->frame, event->data, "frame");
}

/* An edit changes how the call is confirmed, where the event says so. */
static void
set_confirm(struct session_call *call, struct json_value data)
{
	struct json_value confirm = json_get(data, "confirm");

	if (json_there(confirm))
		call->confirm_code = json_is(confirm, "code");
	call->person_only = json_bool(json_get(data, "person_only"), call->person_only);
}

void
session_call_edited(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);

	if (!call)
		return;
	if (!call->asked.bytes && !call->asked.missing) {
		call->asked = call->args;
		memcpy(call->asked_salt, call->args_salt, DIGEST_BYTES);
		call->args = (struct blob){ NULL, 0, false };
	}
	set_args(call, event);
	set_confirm(call, event->data);
	call->edit = (unsigned)session_number(event->data, "edit", 0);
	session_set_text(&call->edited_who, event->data, "who");
}

void
session_call_unedited(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);

	if (!call || (!call->asked.bytes && !call->asked.missing))
		return;
	session_drop_blob(&call->args);
	call->args = call->asked;
	memcpy(call->args_salt, call->asked_salt, DIGEST_BYTES);
	call->asked = (struct blob){ NULL, 0, false };
	set_confirm(call, event->data);
	call->edit = 0;
	session_set_text(&call->edited_who, event->data, "who");
	set_digest(&call->bind, event->data, "bind");
}

void
session_call_extended(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);
	int64_t ms = session_number(event->data, "ms", 0);

	if (call && __builtin_add_overflow(call->extended_ms, ms, &call->extended_ms))
		call->extended_ms = INT64_MAX;
}

/* held_mono moves by the time that does not count. */
void
session_queue_stood_still(struct session *session, int64_t from, int64_t to)
{
	struct session_call *first = (struct session_call *)session_first_held(session);

	if (!first)
		return;
	if (first->held_mono > from)
		from = first->held_mono;
	if (to > from)
		first->held_mono += to - from;
}

static void
leave_queue(struct session *session, struct session_call *call, int64_t mono)
{
	bool was_first = call == session_first_held(session);
	struct session_call *next;

	session->waiting--;
	call->state = CALL_DECIDED;
	next = (struct session_call *)session_first_held(session);
	if (was_first && next && next->held_mono < mono)
		next->held_mono = mono;
	show_waiting(session);
}

void
session_call_decided(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);
	struct json_value data = event->data;

	if (!call || call->state > CALL_HELD)
		return;
	if (call->state == CALL_HELD)
		leave_queue(session, call, event->mono);
	call->state = CALL_DECIDED;
	call->decided_mono = event->mono;
	session_set_text(&call->verdict, data, "verdict");
	session_set_text(&call->by, data, "by");
	session_set_text(&call->via, data, "via");
	session_set_text(&call->who, data, "who");
	session_set_text(&call->console, data, "console");
	session_set_blob(&call->reason, event, "reason");
	session_set_blob(&call->comment, event, "comment");
	call->stop = json_bool(json_get(data, "stop"), false);
	call->grant = (uint64_t)session_number(data, "grant", 0);
	call->result_of = (uint64_t)session_number(data, "of", 0);
	call->dwell_ms = session_number(data, "dwell_ms", -1);
	call->covered = session_number(data, "covered", -1);
	call->total = session_number(data, "total", -1);
	session_grant_used(session, call->grant);
	session->denied += call->verdict && strcmp(call->verdict, "deny") == 0;
}

void
session_call_start(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);

	if (!call || call->state != CALL_DECIDED)
		return;
	call->state = CALL_STARTED;
	call->started_mono = event->mono;
}

void
session_call_end(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);

	if (!call || call->state == CALL_ENDED)
		return;
	if (call->state == CALL_HELD)
		leave_queue(session, call, event->mono);
	call->state = CALL_ENDED;
	call->ended_mono = event->mono;
	session_set_text(&call->outcome, event->data, "outcome");
	session_set_blob(&call->result, event, "result");
	call->ms = session_number(event->data, "ms", 0);
	while (session->open_from < session->call_count &&
		session->calls[session->open_from].state == CALL_ENDED)
		session->open_from++;
}

void
session_call_release(struct session_call *call)
{
	char *texts[] = { call->tool, call->origin, call->action, call->rule, call->at,
		call->ruled_reason, call->edited_who, call->shown.console, call->held_why,
		call->verdict, call->by, call->via, call->who, call->console, call->outcome };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	drop_tried(call);
	session_drop_blob(&call->args);
	session_drop_blob(&call->asked);
	session_drop_blob(&call->reason);
	session_drop_blob(&call->comment);
	session_drop_blob(&call->result);
}
