/*
 * The events of calls.  `waiting` is the number of calls in CALL_HELD at every moment, held_from
 * the index of the first of them; the clock of the second in the queue begins when the first leaves
 * it.
 */
#include "config.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/session.h"
#include "core/session/session_inside.h"

#define CALLS_MIN 16

static struct session_call *
call_of(struct session *session, const struct event_view *event)
{
	uint64_t number = (uint64_t)session_number(event->data, "call", 0);

	if (number == 0 || number > session->call_count)
		return NULL;
	return &session->calls[number - 1];
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

static struct session_call *
next_call(struct session *session)
{
	struct session_call *call;

	if (session->call_count == session->call_room) {
		session->call_room = session->call_room ? 2 * session->call_room : CALLS_MIN;
		session->calls = mem_grow(session->calls, session->call_room, sizeof(*call));
	}
	call = &session->calls[session->call_count++];
	memset(call, 0, sizeof(*call));
	return call;
}

void
session_call_request(struct session *session, const struct event_view *event)
{
	struct session_call *call;

	if ((uint64_t)session_number(event->data, "call", 0) != session->call_count + 1)
		return;
	session_runs(session, event);
	call = next_call(session);
	(void)session_call_own(call, event);
	call->nth_here = nth_here(session, call);
	if (call->line > 0)
		session->live_line = call->line;
}

void
session_call_told(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);

	if (call)
		(void)session_call_own(call, event);
}

/* --- the queue --- */

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
	size_t index;

	if (!call || !session_call_own(call, event))
		return;
	index = (size_t)(call - session->calls);
	if (session->waiting == 0 || index < session->held_from)
		session->held_from = index;
	session->waiting++;
	show_waiting(session);
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

/* The call is held no more. */
static void
left_queue(struct session *session, const struct session_call *call, int64_t mono)
{
	bool was_first = call == &session->calls[session->held_from];
	struct session_call *next;

	session->waiting--;
	show_waiting(session);
	if (!was_first || session->waiting == 0)
		return;
	do
		next = &session->calls[++session->held_from];
	while (next->state != CALL_HELD);
	if (next->held_mono < mono)
		next->held_mono = mono;
}

void
session_call_decided(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);
	bool waited = call && call->state == CALL_HELD;

	if (!call || !session_call_own(call, event))
		return;
	if (waited)
		left_queue(session, call, event->mono);
	session_grant_used(session, call->grant);
	session->denied += call->verdict && strcmp(call->verdict, "deny") == 0;
}

void
session_call_end(struct session *session, const struct event_view *event)
{
	struct session_call *call = call_of(session, event);
	bool waited = call && call->state == CALL_HELD;

	if (call && session_call_own(call, event) && waited)
		left_queue(session, call, event->mono);
}
