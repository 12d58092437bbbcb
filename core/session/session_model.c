/* The turns of a model.  Deltas grow a text in place: a long reply comes in thousands of them. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/session.h"
#include "core/session/session_inside.h"

const struct session_turn *
session_turn(const struct session *session)
{
	return session->turn_count > 0 ? &session->turns[session->turn_count - 1] : NULL;
}

void
session_reach(const struct session *session, struct session_reach *out)
{
	const struct session_program *program = session_program(session);
	const struct session_counter *calls = session_counter(session, "max_tool_calls");

	*out = (struct session_reach){ .left = -1 };
	if (calls && calls->limit >= 0)
		out->left = calls->limit > calls->used ? calls->limit - calls->used : 0;
	for (size_t i = 0; program && i < program->site_count; i++)
		out->loops += program->sites[i].loop;
	out->places = program ? program->site_count : 0;
	out->too_many = out->left >= 0 && (int64_t)out->places > out->left;
}

void
session_reach_words(const struct session_reach *reach, char out[SESSION_REACH_BYTES])
{
	char left[48] = "";

	if (reach->left >= 0)
		snprintf(left, sizeof(left), "; %lld call%s left", (long long)reach->left,
			reach->left == 1 ? " is" : "s are");
	if (reach->places == 0)
		snprintf(out, SESSION_REACH_BYTES,
			"the program calls no tool, as far as its text tells%s", left);
	else
		snprintf(out, SESSION_REACH_BYTES,
			"%sthe program calls at %zu place%s, %zu in a loop%s",
			reach->too_many ? "! " : "", reach->places, reach->places == 1 ? "" : "s",
			reach->loops, left);
}

/* The turn that an event is of: only the latest goes on. */
static struct session_turn *
turn_of(struct session *session, const struct event_view *event)
{
	struct session_turn *turn =
		session->turn_count > 0 ? &session->turns[session->turn_count - 1] : NULL;

	if (!turn || turn->ended_mono ||
		turn->turn != (unsigned)session_number(event->data, "turn", 0))
		return NULL;
	return turn;
}

void
session_model_request(struct session *session, const struct event_view *event)
{
	struct session_turn *turn;

	session_writing(session, event);
	session->turns = session_room(session->turns, session->turn_count, sizeof(*turn));
	turn = &session->turns[session->turn_count++];
	turn->run = (unsigned)session_number(event->data, "run", 0);
	turn->turn = (unsigned)session_number(event->data, "turn", 0);
	turn->began_mono = event->mono;
	turn->input = turn->output = turn->cached = turn->reasoned = turn->cost_micro = -1;
	session_set_text(&turn->purpose, event->data, "purpose");
	session_set_text(&turn->host, event->data, "host");
}

/* The room is the power of two from the length on. */
static void
grow_blob(struct blob *blob, const char *bytes, size_t len)
{
	size_t room = 64;

	while (room <= blob->len + len)
		room *= 2;
	if (!blob->bytes || blob->len == 0 || room > 2 * blob->len)
		blob->bytes = mem_grow_large(blob->bytes, room, 1);
	memcpy(blob->bytes + blob->len, bytes, len);
	blob->len += len;
	blob->bytes[blob->len] = '\0';
}

void
session_model_delta(struct session *session, const struct event_view *event)
{
	struct session_turn *turn = turn_of(session, event);
	bool reasoning = json_is(json_get(event->data, "part"), "reasoning");
	struct blob *blob;
	size_t len;
	bool missing;
	const char *bytes;

	if (!turn)
		return;
	blob = reasoning ? &turn->reasoning : &turn->text;
	bytes = event_view_content(event, "text", &len, &missing);
	turn->first_mono = turn->first_mono ? turn->first_mono : event->mono;
	blob->missing = blob->missing || missing;
	if (bytes)
		grow_blob(blob, bytes, len);
	session_set_text(&turn->retry_cause, event->data, "cause"); /* none: it goes on */
}

void
session_model_retry(struct session *session, const struct event_view *event)
{
	struct session_turn *turn = turn_of(session, event);

	if (!turn)
		return;
	session_set_text(&turn->retry_cause, event->data, "cause");
	turn->retry_mono = event->mono;
	turn->retry_ms = session_number(event->data, "wait_ms", 0);
}

void
session_model_end(struct session *session, const struct event_view *event)
{
	struct session_turn *turn = turn_of(session, event);
	struct json_value usage = json_get(event->data, "usage");

	if (!turn)
		return;
	turn->ended_mono = event->mono;
	free(turn->retry_cause);
	turn->retry_cause = NULL;
	session_set_text(&turn->stop, event->data, "stop");
	session_set_text(&turn->reason, event->data, "reason");
	session_set_text(&turn->error, event->data, "error");
	session_set_text(&turn->request_id, event->data, "request_id");
	session_set_text(&turn->refused, event->data, "refused");
	turn->input = session_number(usage, "input", -1);
	turn->output = session_number(usage, "output", -1);
	turn->cached = session_number(usage, "cached", -1);
	turn->reasoned = session_number(usage, "reasoning", -1);
	turn->cost_micro = session_number(event->data, "cost_micro_usd", -1);
}

/* A person is to say how to go on. */
void
session_program_asked(struct session *session, const struct event_view *event)
{
	session_set_text(&session->asked_why, event->data, "why");
	session->state = RUN_ASKING;
}

void
session_model_release(struct session *session)
{
	for (size_t i = 0; i < session->turn_count; i++) {
		struct session_turn *turn = &session->turns[i];

		free(turn->purpose);
		free(turn->host);
		free(turn->retry_cause);
		free(turn->stop);
		free(turn->reason);
		free(turn->error);
		free(turn->request_id);
		free(turn->refused);
		session_drop_blob(&turn->text);
		session_drop_blob(&turn->reasoning);
	}
	free(session->turns);
	free(session->asked_why);
}
