/*
 * One list says which function folds which event; an event without one changes nothing but the
 * session's seq, mono and generation.  A record may come from anywhere, so no function trusts what
 * an event says: numbers out of order and names of nothing are passed over.
 */
#include "config.h"

#include "core/session/session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/session_inside.h"

typedef void (*apply_fn)(struct session *session, const struct event_view *event);

static const apply_fn applies[EVENT_COUNT] = {
	[EVENT_SESSION_START] = session_start,
	[EVENT_TOOLS] = session_tools,
	[EVENT_TASK] = session_task,
	[EVENT_MODEL_REQUEST] = session_model_request,
	[EVENT_MODEL_DELTA] = session_model_delta,
	[EVENT_MODEL_RETRY] = session_model_retry,
	[EVENT_MODEL_END] = session_model_end,
	[EVENT_PROGRAM_ASKED] = session_program_asked,
	[EVENT_PROGRAM] = session_program_text,
	[EVENT_PROGRAM_FORECAST] = session_forecast,
	[EVENT_PROGRAM_DECIDED] = session_program_decided,
	[EVENT_SANDBOX_START] = session_sandbox,
	[EVENT_PROGRAM_LINE] = session_line,
	[EVENT_CALL_REQUEST] = session_call_request,
	[EVENT_CALL_RULED] = session_call_told,
	[EVENT_CALL_HELD] = session_call_held,
	[EVENT_CALL_PRESENTED] = session_call_told,
	[EVENT_CALL_EDITED] = session_call_told,
	[EVENT_CALL_UNEDITED] = session_call_told,
	[EVENT_CALL_EXTENDED] = session_call_told,
	[EVENT_CALL_DECIDED] = session_call_decided,
	[EVENT_CALL_START] = session_call_told,
	[EVENT_CALL_END] = session_call_end,
	[EVENT_BUDGET] = session_budget,
	[EVENT_OUTPUT] = session_output,
	[EVENT_PROGRAM_END] = session_program_end,
	[EVENT_ANSWER] = session_answer,
	[EVENT_RUN_END] = session_run_end,
	[EVENT_RULE_ADD] = session_rule_add,
	[EVENT_GRANT_ADD] = session_grant_add,
	[EVENT_GRANT_REVOKE] = session_grant_revoke,
	[EVENT_ALERT] = session_alert,
	[EVENT_CONSOLE_ATTACH] = session_attach,
	[EVENT_CONSOLE_DETACH] = session_detach,
	[EVENT_AWAY] = session_away,
	[EVENT_SESSION_END] = session_end,
};

bool
session_folds(enum event_type type)
{
	return type < EVENT_COUNT && applies[type];
}

void
session_init(struct session *session)
{
	memset(session, 0, sizeof(*session));
}

void
session_release(struct session *session)
{
	for (size_t i = 0; i < session->call_count; i++)
		session_call_release(&session->calls[i]);
	free(session->calls);
	session_gate_release(session);
	session_run_release(session);
	session_init(session);
}

void
session_apply(struct session *session, const struct event_view *event)
{
	if (event->type < EVENT_COUNT && applies[event->type])
		applies[event->type](session, event);
	session->seq = event->seq;
	session->mono = event->mono;
	session->generation++;
}

void
session_set_text(char **slot, struct json_value object, const char *key)
{
	free(*slot);
	*slot = mem_str(json_text(object, key));
}

void
session_drop_blob(struct blob *slot)
{
	free(slot->bytes);
	*slot = (struct blob){ NULL, 0, false };
}

void
session_set_blob_of(struct blob *slot, const struct event_view *event, struct json_value reference)
{
	bool missing;
	size_t len;
	const char *bytes = event_view_content_of(event, reference, &len, &missing);

	session_drop_blob(slot);
	if (bytes)
		slot->bytes = mem_copy(bytes, len);
	slot->len = len;
	slot->missing = missing;
}

void
session_set_blob(struct blob *slot, const struct event_view *event, const char *key)
{
	session_set_blob_of(slot, event, json_get(event->data, key));
}

int64_t
session_number(struct json_value object, const char *key, int64_t otherwise)
{
	int64_t number = otherwise;

	return json_int(json_get(object, key), 0, INT64_MAX, &number) ? number : otherwise;
}

/* The room is the power of two that holds count: it grows when count has reached one. */
void *
session_room(void *array, size_t count, size_t size)
{
	if ((count & (count - 1)) == 0 || count == 0)
		array = mem_grow(array, count ? 2 * count : 1, size);
	memset((char *)array + count * size, 0, size);
	return array;
}

const struct session_call *
session_call(const struct session *session, uint64_t number)
{
	if (number == 0 || number > session->call_count)
		return NULL;
	return &session->calls[number - 1];
}

const struct session_call *
session_first_held(const struct session *session)
{
	if (session->waiting == 0)
		return NULL;
	return &session->calls[session->held_from];
}

const struct session_tool *
session_tool(const struct session *session, const char *full)
{
	for (size_t i = 0; full && i < session->tool_count; i++) {
		if (strcmp(session->tools[i].full, full) == 0)
			return &session->tools[i];
	}
	return NULL;
}

const struct session_program *
session_program(const struct session *session)
{
	return session->program_count ? &session->programs[session->program_count - 1] : NULL;
}

const struct session_counter *
session_counter(const struct session *session, const char *name)
{
	for (size_t i = 0; i < session->counter_count; i++) {
		if (strcmp(session->counters[i].name, name) == 0)
			return &session->counters[i];
	}
	return NULL;
}

static bool
is(const char *text, const char *word)
{
	return text && word && strcmp(text, word) == 0;
}

const struct session_call *
session_last_approved(const struct session *session, const char *tool, uint64_t number)
{
	size_t i = number ? number - 1 : 0;

	if (i > session->call_count)
		i = session->call_count;
	while (i-- > 0) {
		const struct session_call *call = &session->calls[i];

		if (is(call->tool, tool) && is(call->verdict, "approve") && is(call->by, "person"))
			return call;
	}
	return NULL;
}

int64_t
session_time_left(const struct session *session, const struct session_call *call, int64_t now)
{
	int64_t limit, left;

	if (!call || call->state != CALL_HELD || call->timeout_ms < 0 ||
		__builtin_add_overflow(call->timeout_ms, call->extended_ms, &limit) ||
		__builtin_mul_overflow(limit, NS_PER_MS, &limit))
		return -1;
	if (call != session_first_held(session))
		return limit;
	if (session->away && now > session->away_mono)
		now = session->away_mono;
	if (now < call->held_mono)
		now = call->held_mono;
	left = limit - (now - call->held_mono);
	return left > 0 ? left : 0;
}

const char *
run_state_name(enum run_state state)
{
	static const char *const names[] = {
		[RUN_STARTING] = "starting",
		[RUN_WRITING] = "writing",
		[RUN_READY] = "ready",
		[RUN_ASKING] = "asks",
		[RUN_RUNNING] = "running",
		[RUN_WAITING] = "waiting",
		[RUN_RESTING] = "done",
		[RUN_ENDED] = "ended",
	};

	assert((size_t)state < ARRAY_SIZE(names));
	return names[state];
}
