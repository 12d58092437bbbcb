/*
 * What the events of a call say of this call alone, whatever other calls do: so that one call can
 * be made from its own events.  Its place in the queue (held_mono, when another was before it) and
 * nth_here are not its own.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/session.h"
#include "core/session/session_inside.h"

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
		memcpy(call->more->args_salt, salt, DIGEST_BYTES);
	else
		memset(call->more->args_salt, 0, DIGEST_BYTES);
	set_digest(&call->bind, event->data, "bind");
}

static void
requested(struct session_call *call, const struct event_view *event)
{
	struct json_value data = event->data;

	call->loaded = true;
	call->more = mem_zero(1, sizeof(*call->more));
	call->number = (uint64_t)session_number(data, "call", 0);
	call->run = (unsigned)session_number(data, "run", 0);
	call->attempt = (unsigned)session_number(data, "attempt", 0);
	call->line = (int)(session_number(data, "line", 0) & 0x7fffffff);
	session_set_text(&call->tool, data, "tool");
	if (!call->tool)
		call->tool = mem_str("");
	session_set_text(&call->origin, data, "origin");
	set_args(call, event);
	call->requested_mono = event->mono;
	call->timeout_ms = -1;
}

static void
drop_tried(struct session_call *call)
{
	for (size_t i = 0; i < call->more->tried_count; i++) {
		free(call->more->tried[i].rule);
		free(call->more->tried[i].at);
		free(call->more->tried[i].action);
		free(call->more->tried[i].why);
	}
	free(call->more->tried);
	call->more->tried = NULL;
	call->more->tried_count = 0;
}

static void
ruled(struct session_call *call, const struct event_view *event)
{
	struct json_iter it = json_each(json_get(event->data, "tried"));

	session_set_text(&call->action, event->data, "action");
	session_set_text(&call->rule, event->data, "rule");
	session_set_text(&call->more->at, event->data, "at");
	session_set_text(&call->more->ruled_reason, event->data, "reason");
	drop_tried(call);
	while (json_next(&it)) {
		struct session_call_more *more = call->more;
		struct session_tried *tried;

		more->tried = session_room(more->tried, more->tried_count, sizeof(*tried));
		tried = &more->tried[more->tried_count++];
		session_set_text(&tried->rule, it.value, "rule");
		session_set_text(&tried->at, it.value, "at");
		session_set_text(&tried->action, it.value, "action");
		session_set_text(&tried->why, it.value, "why");
		tried->matched = json_bool(json_get(it.value, "matched"), false);
	}
}

static bool
held(struct session_call *call, const struct event_view *event)
{
	struct json_value confirm = json_get(event->data, "confirm");
	int64_t timeout_s = session_number(event->data, "timeout_s", -1);

	if (call->state != CALL_REQUESTED)
		return false;
	call->state = CALL_HELD;
	call->held_mono = event->mono;
	session_set_text(&call->held_why, event->data, "why");
	call->confirm_code = json_is(confirm, "code");
	call->person_only = json_bool(json_get(event->data, "person_only"), false);
	call->timeout_ms = timeout_s < 0 || timeout_s > INT64_MAX / 1000 ? -1 : timeout_s * 1000;
	call->repeat_of = (uint64_t)session_number(event->data, "repeat_of", 0);
	return true;
}

static bool
is_by(const struct session_shown *shown, const char *console)
{
	return shown->console && console && strcmp(shown->console, console) == 0;
}

/* What this console showed before becomes the presentation that counts.  False: it showed none. */
static bool
turn_back_to(struct session_call_more *more, const char *console)
{
	struct session_shown before = more->shown;

	for (size_t i = 0; i < more->elsewhere_count; i++) {
		if (!is_by(&more->elsewhere[i], console))
			continue;
		more->shown = more->elsewhere[i];
		more->elsewhere[i] = before;
		return true;
	}
	return false;
}

/* Room for what this console shows; what another one did is kept. */
static void
turn_to(struct session_call_more *more, const char *console)
{
	struct session_shown before = more->shown;

	if (!console || !before.console || is_by(&before, console) || turn_back_to(more, console))
		return;
	more->elsewhere =
		session_room(more->elsewhere, more->elsewhere_count, sizeof(*more->elsewhere));
	more->elsewhere[more->elsewhere_count++] = before;
	more->shown = (struct session_shown){ .console = NULL };
}

static void
presented(struct session_call *call, const struct event_view *event)
{
	struct session_shown *shown = &call->more->shown;

	turn_to(call->more, json_text(event->data, "console"));
	call->presentations++;
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

static void
edited(struct session_call *call, const struct event_view *event)
{
	struct session_call_more *more = call->more;

	if (!more->asked.bytes && !more->asked.missing) {
		more->asked = call->args;
		memcpy(more->asked_salt, more->args_salt, DIGEST_BYTES);
		call->args = (struct blob){ NULL, 0, false };
	}
	set_args(call, event);
	call->edit = (unsigned)session_number(event->data, "edit", 0);
	set_confirm(call, event->data);
	session_set_text(&more->edited_who, event->data, "who");
}

static bool
unedited(struct session_call *call, const struct event_view *event)
{
	struct session_call_more *more = call->more;

	if (!more->asked.bytes && !more->asked.missing)
		return false;
	session_drop_blob(&call->args);
	call->args = more->asked;
	memcpy(more->args_salt, more->asked_salt, DIGEST_BYTES);
	more->asked = (struct blob){ NULL, 0, false };
	call->edit = 0;
	set_confirm(call, event->data);
	session_set_text(&more->edited_who, event->data, "who");
	set_digest(&call->bind, event->data, "bind");
	return true;
}

static void
extended(struct session_call *call, const struct event_view *event)
{
	int64_t ms = session_number(event->data, "ms", 0);

	if (__builtin_add_overflow(call->extended_ms, ms, &call->extended_ms))
		call->extended_ms = INT64_MAX;
}

static bool
decided(struct session_call *call, const struct event_view *event)
{
	struct json_value data = event->data;
	struct session_call_more *more = call->more;

	if (call->state > CALL_HELD)
		return false;
	call->state = CALL_DECIDED;
	call->decided_mono = event->mono;
	session_set_text(&call->verdict, data, "verdict");
	session_set_text(&call->by, data, "by");
	session_set_text(&call->who, data, "who");
	session_set_text(&more->via, data, "via");
	session_set_text(&more->console, data, "console");
	if (!is_by(&more->shown, more->console))
		(void)turn_back_to(more, more->console);
	session_set_blob(&more->reason, event, "reason");
	session_set_blob(&more->comment, event, "comment");
	call->stop = json_bool(json_get(data, "stop"), false);
	call->grant = (uint64_t)session_number(data, "grant", 0);
	call->result_of = (uint64_t)session_number(data, "of", 0);
	more->dwell_ms = session_number(data, "dwell_ms", -1);
	more->covered = session_number(data, "covered", -1);
	more->total = session_number(data, "total", -1);
	return true;
}

static bool
started(struct session_call *call, const struct event_view *event)
{
	if (call->state != CALL_DECIDED)
		return false;
	call->state = CALL_STARTED;
	call->started_mono = event->mono;
	return true;
}

static bool
ended(struct session_call *call, const struct event_view *event)
{
	if (call->state == CALL_ENDED)
		return false;
	call->state = CALL_ENDED;
	call->ended_mono = event->mono;
	session_set_text(&call->outcome, event->data, "outcome");
	session_set_blob(&call->result, event, "result");
	call->ms = session_number(event->data, "ms", 0);
	return true;
}

bool
session_call_own(struct session_call *call, const struct event_view *event)
{
	switch (event->type) {
	case EVENT_CALL_REQUEST:
		return requested(call, event), true;
	case EVENT_CALL_RULED:
		return ruled(call, event), true;
	case EVENT_CALL_HELD:
		return held(call, event);
	case EVENT_CALL_PRESENTED:
		return presented(call, event), true;
	case EVENT_CALL_EDITED:
		return edited(call, event), true;
	case EVENT_CALL_UNEDITED:
		return unedited(call, event);
	case EVENT_CALL_EXTENDED:
		return extended(call, event), true;
	case EVENT_CALL_DECIDED:
		return decided(call, event);
	case EVENT_CALL_START:
		return started(call, event);
	case EVENT_CALL_END:
		return ended(call, event);
	default:
		return false;
	}
}

void
session_call_release(struct session_call *call)
{
	struct session_call_more *more = call->more;
	char *texts[] = { call->tool, call->origin, call->action, call->rule, call->held_why,
		call->verdict, call->by, call->who, call->outcome };

	if (!call->loaded)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	drop_tried(call);
	free(more->edited_who);
	free(more->at);
	free(more->ruled_reason);
	free(more->shown.console);
	for (size_t i = 0; i < more->elsewhere_count; i++)
		free(more->elsewhere[i].console);
	free(more->elsewhere);
	free(more->via);
	free(more->console);
	session_drop_blob(&call->args);
	session_drop_blob(&call->result);
	session_drop_blob(&more->asked);
	session_drop_blob(&more->reason);
	session_drop_blob(&more->comment);
	free(more);
}
