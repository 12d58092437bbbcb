/*
 * Each call walks a small automaton, and one table says which event leads from where to where.
 * What goes beyond the mere sequence (binds, verdicts, presentations) is checked by the function of
 * that event.  Open calls are kept in order of their numbers, so that one is found by bisection;
 * those that ended are swept out when they are the half.
 */
#include "config.h"

#include "core/record/verify_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/record/event.h"
#include "core/record/order_grants.h"
#include "core/record/order_run.h"
#include "core/record/reader.h"

#define SESSION_ID_MAX 128

enum place {
	AT_REQUESTED,
	AT_RULED,
	AT_HELD,
	AT_EDITED,
	AT_UNEDITED,
	AT_DECIDED,
	AT_STARTED,
	AT_ENDED,
};

#define FROM(place) (1U << AT_##place)

static const struct step {
	enum event_type type;
	unsigned from; /* FROM() of places */
	enum place to;
} steps[] = {
	{ EVENT_CALL_RULED, FROM(REQUESTED), AT_RULED },
	{ EVENT_CALL_RULED, FROM(EDITED) | FROM(UNEDITED), AT_HELD },
	{ EVENT_CALL_HELD, FROM(REQUESTED) | FROM(RULED), AT_HELD },
	{ EVENT_CALL_PRESENTED, FROM(HELD) | FROM(EDITED), AT_HELD },
	{ EVENT_CALL_EXTENDED, FROM(HELD) | FROM(EDITED), AT_HELD },
	{ EVENT_CALL_ESCALATED, FROM(HELD) | FROM(EDITED), AT_HELD },
	{ EVENT_CALL_REVIEWED, FROM(HELD) | FROM(EDITED), AT_HELD },
	{ EVENT_CALL_EDITED, FROM(HELD) | FROM(EDITED), AT_EDITED },
	{ EVENT_CALL_UNEDITED, FROM(HELD) | FROM(EDITED), AT_UNEDITED },
	{ EVENT_CALL_DECIDED, FROM(REQUESTED) | FROM(RULED) | FROM(HELD) | FROM(EDITED),
		AT_DECIDED },
	{ EVENT_CALL_START, FROM(DECIDED), AT_STARTED },
	{ EVENT_CALL_END, FROM(DECIDED) | FROM(STARTED), AT_ENDED },
};

struct presented {
	struct digest bind;
	struct digest console; /* digest of its name */
};

struct open_call {
	uint64_t number;
	enum place place;
	char *tool;
	struct digest asked; /* bind of the request */
	struct digest bind;  /* of the latest request, edit or unedit */
	int64_t attempt, line;
	int64_t edits; /* made so far, taken back or not */
	bool released; /* was held for what may pass by itself: absence, a budget */
	bool held;     /* it waited */
	bool timed;    /* was held with a time limit */
	bool ruled;    /* since then */
	bool ruled_deny;
	bool approved;
	struct presented *presented;
	size_t presented_count;
};

struct known_tool {
	char *name;
	struct digest sha256;
};

struct order {
	char id[SESSION_ID_MAX];
	bool begun;
	uint64_t last_call;
	struct open_call *calls; /* numbers grow; some are AT_ENDED */
	size_t call_count, call_room, ended_count;
	struct known_tool *tools;
	size_t tool_count, tool_room;
	struct order_run run;
	struct order_grants grants;
	struct order_summary summary;
};

struct order *
order_new(void)
{
	return mem_zero(1, sizeof(struct order));
}

static void
release_call(struct open_call *call)
{
	free(call->tool);
	free(call->presented);
}

void
order_free(struct order *order)
{
	if (!order)
		return;
	for (size_t i = 0; i < order->call_count; i++)
		release_call(&order->calls[i]);
	for (size_t i = 0; i < order->tool_count; i++)
		free(order->tools[i].name);
	free(order->calls);
	free(order->tools);
	order_grants_release(&order->grants);
	free(order);
}

/* --- tools --- */

static struct known_tool *
find_tool(struct order *order, const char *name)
{
	for (size_t i = 0; i < order->tool_count; i++) {
		if (strcmp(order->tools[i].name, name) == 0)
			return &order->tools[i];
	}
	return NULL;
}

static bool
take_digest(struct json_value object, const char *key, struct digest *out)
{
	const char *hex = json_text(object, key);

	return hex && digest_parse(hex, strlen(hex), out);
}

static void
add_tool(struct order *order, struct json_value added)
{
	const char *name = json_text(added, "name");
	struct known_tool *tool = name ? find_tool(order, name) : NULL;
	struct digest sha256;

	if (!name || !take_digest(added, "tool_sha256", &sha256))
		return;
	if (!tool) {
		if (order->tool_count == order->tool_room) {
			order->tool_room = order->tool_room ? 2 * order->tool_room : 16;
			order->tools =
				mem_grow(order->tools, order->tool_room, sizeof(*order->tools));
		}
		tool = &order->tools[order->tool_count++];
		tool->name = mem_str(name);
	}
	tool->sha256 = sha256;
}

static void
remove_tool(struct order *order, struct json_value removed)
{
	const char *name = json_string(removed, NULL);
	struct known_tool *tool;

	if (!name)
		name = json_text(removed, "name");
	tool = name ? find_tool(order, name) : NULL;
	if (!tool)
		return;
	free(tool->name);
	*tool = order->tools[--order->tool_count];
}

static void
on_tools(struct order *order, const struct event_view *event)
{
	struct json_iter it = json_each(json_get(event->data, "removed"));

	while (json_next(&it))
		remove_tool(order, it.value);
	it = json_each(json_get(event->data, "added"));
	while (json_next(&it))
		add_tool(order, it.value);
}

/* --- calls --- */

static struct open_call *
find_call(struct order *order, uint64_t number)
{
	size_t low = 0;
	size_t high = order->call_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order->calls[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == order->call_count || order->calls[low].number != number ||
		order->calls[low].place == AT_ENDED)
		return NULL;
	return &order->calls[low];
}

static void
sweep(struct order *order)
{
	size_t kept = 0;

	if (order->ended_count < 16 || order->ended_count < order->call_count / 2)
		return;
	for (size_t i = 0; i < order->call_count; i++) {
		if (order->calls[i].place == AT_ENDED)
			release_call(&order->calls[i]);
		else
			order->calls[kept++] = order->calls[i];
	}
	order->call_count = kept;
	order->ended_count = 0;
}

static int
broken(const struct event_view *event, uint64_t call, const char *what, struct err *err)
{
	return err_set(err, ERR_STATE,
		"seq %" PRIu64 " at offset %" PRId64 ": call %" PRIu64 ": %s: %s", event->seq,
		event->offset, call, event_name(event->type), what);
}

/* bind, from the commitment that the event itself carries: it says nothing about missing bytes. */
static int
check_bind(struct order *order, const struct event_view *event, struct open_call *call,
	struct err *err)
{
	struct json_value args = json_get(event->data, "args");
	const struct known_tool *tool = find_tool(order, call->tool);
	struct digest commitment, made;

	if (!take_digest(event->data, "bind", &call->bind))
		return broken(event, call->number, "no bind", err);
	if (json_there(json_get(args, "real"))) {
		order->summary.withheld++;
		return 0;
	}
	if (!take_digest(args, "$content", &commitment))
		return broken(event, call->number, "no arguments", err);
	event_bind(order->id, call->number, call->tool, tool ? &tool->sha256 : NULL, &commitment,
		&made);
	if (!digest_equal(&made, &call->bind))
		return broken(event, call->number,
			"bind is not that of this session, call, tool and arguments", err);
	return 0;
}

static int
on_request(struct order *order, const struct event_view *event, uint64_t number, struct err *err)
{
	const char *tool = json_text(event->data, "tool");
	const char *wrong = order_run_request(&order->run, event);
	struct open_call *call;

	if (wrong)
		return broken(event, number, wrong, err);
	if (number != order->last_call + 1)
		return broken(event, number, "calls are numbered from 1 without gaps", err);
	order->last_call = number;
	if (order->call_count == order->call_room) {
		order->call_room = order->call_room ? 2 * order->call_room : 16;
		order->calls = mem_grow(order->calls, order->call_room, sizeof(*order->calls));
	}
	call = &order->calls[order->call_count++];
	*call = (struct open_call){ .number = number, .place = AT_REQUESTED };
	call->tool = mem_str(tool ? tool : "");
	(void)json_int(json_get(event->data, "attempt"), 1, INT64_MAX, &call->attempt);
	(void)json_int(json_get(event->data, "line"), 1, INT64_MAX, &call->line);
	if (check_bind(order, event, call, err) < 0)
		return -1;
	call->asked = call->bind;
	return 0;
}

static int
on_ruled(struct order *order, const struct event_view *event, struct open_call *call,
	struct err *err)
{
	call->ruled = true;
	call->ruled_deny = json_is(json_get(event->data, "action"), "deny");
	return 0;
}

static int
on_held(struct order *order, const struct event_view *event, struct open_call *call,
	struct err *err)
{
	struct json_value why = json_get(event->data, "why");
	int64_t timeout_s;

	call->held = true;
	call->released = json_is(why, "away") || json_is(why, "budget");
	call->timed = json_int(json_get(event->data, "timeout_s"), 0, INT64_MAX, &timeout_s);
	return 0;
}

static int
on_extended(struct order *order, const struct event_view *event, struct open_call *call,
	struct err *err)
{
	int64_t ms;

	if (!call->timed)
		return broken(event, call->number, "it waits for ever", err);
	if (!json_int(json_get(event->data, "ms"), 1, INT64_MAX, &ms))
		return broken(event, call->number, "no time is added", err);
	return 0;
}

/* What a person changed goes by no rule any more. */
static int
on_edited(struct order *order, const struct event_view *event, struct open_call *call,
	struct err *err)
{
	int64_t edit;

	if (!json_int(json_get(event->data, "edit"), 1, INT64_MAX, &edit) || edit != ++call->edits)
		return broken(event, call->number, "edits are numbered from 1 without gaps", err);
	call->ruled = false;
	call->released = false;
	return check_bind(order, event, call, err);
}

static int
on_unedited(struct order *order, const struct event_view *event, struct open_call *call,
	struct err *err)
{
	struct digest bind;

	if (digest_equal(&call->bind, &call->asked))
		return broken(event, call->number, "nothing was edited", err);
	call->ruled = false;
	call->bind = call->asked;
	if (!take_digest(event->data, "bind", &bind) || !digest_equal(&bind, &call->asked))
		return broken(event, call->number, "bind is not that of the request", err);
	return 0;
}

static bool
was_presented(const struct open_call *call, const struct presented *sought)
{
	for (size_t i = 0; i < call->presented_count; i++) {
		if (digest_equal(&call->presented[i].bind, &sought->bind) &&
			digest_equal(&call->presented[i].console, &sought->console))
			return true;
	}
	return false;
}

static bool
take_presented(const struct event_view *event, struct presented *out)
{
	const char *console = json_text(event->data, "console");

	if (!console || !take_digest(event->data, "bind", &out->bind))
		return false;
	hash_bytes(console, strlen(console), &out->console);
	return true;
}

static int
on_presented(struct order *order, const struct event_view *event, struct open_call *call,
	struct err *err)
{
	struct presented presented;

	order->summary.presented++;
	if (!take_presented(event, &presented))
		return broken(event, call->number, "no bind or no console", err);
	if (!digest_equal(&presented.bind, &call->bind))
		return broken(event, call->number, "bind is not that of the call now", err);
	if (was_presented(call, &presented))
		return 0;
	call->presented =
		mem_grow(call->presented, call->presented_count + 1, sizeof(*call->presented));
	call->presented[call->presented_count++] = presented;
	return 0;
}

/* A call that waits goes by a rule only where what it waited for is over. */
static bool
goes_by_itself(const struct event_view *event, const struct open_call *call)
{
	struct json_value by = json_get(event->data, "by");

	return call->held && !call->released &&
	       (json_is(by, "rule") || json_is(by, "default") || json_is(by, "grant"));
}

static int
check_approve(const struct event_view *event, const struct open_call *call, struct err *err)
{
	struct presented seen;
	struct digest bind;

	if (!take_digest(event->data, "bind", &bind) || !digest_equal(&bind, &call->bind))
		return broken(event, call->number, "an approve of another bind", err);
	if (!call->ruled)
		return broken(
			event, call->number, "an approve without a ruling on these arguments", err);
	if (call->ruled_deny)
		return broken(event, call->number, "an approve of what a rule denies", err);
	if (goes_by_itself(event, call))
		return broken(event, call->number, "it waited, and nobody approved it", err);
	if (json_is(json_get(event->data, "by"), "person") &&
		json_is(json_get(event->data, "via"), "console") &&
		(!take_presented(event, &seen) || !was_presented(call, &seen)))
		return broken(event, call->number,
			"an approve from a console to which this was not presented", err);
	return 0;
}

static int
on_decided(struct order *order, const struct event_view *event, struct open_call *call,
	struct err *err)
{
	struct json_value verdict = json_get(event->data, "verdict");
	const struct known_tool *tool = find_tool(order, call->tool);
	struct order_origin origin = { call->tool, tool ? &tool->sha256 : NULL, call->attempt,
		call->line };
	const char *wrong = order_run_decided(&order->run, event);

	wrong = wrong ? wrong : order_grants_decided(&order->grants, event, &origin);
	if (wrong)
		return broken(event, call->number, wrong, err);
	call->approved = json_is(verdict, "approve");
	if (call->approved)
		return check_approve(event, call, err);
	if (!json_is(verdict, "deny") && !json_is(verdict, "reuse") &&
		!json_is(verdict, "simulate"))
		return broken(event, call->number, "an unknown verdict", err);
	return 0;
}

static int
on_start(struct order *order, const struct event_view *event, struct open_call *call,
	struct err *err)
{
	struct digest bind;

	if (!call->approved)
		return broken(event, call->number, "it was not approved", err);
	if (!take_digest(event->data, "bind", &bind) || !digest_equal(&bind, &call->bind))
		return broken(event, call->number, "another bind than was approved", err);
	return 0;
}

static int
on_end(struct order *order, const struct event_view *event, struct open_call *call, struct err *err)
{
	order->ended_count++;
	sweep(order);
	return 0;
}

typedef int (*call_fn)(struct order *order, const struct event_view *event, struct open_call *call,
	struct err *err);

static const call_fn checks[EVENT_COUNT] = {
	[EVENT_CALL_RULED] = on_ruled,
	[EVENT_CALL_HELD] = on_held,
	[EVENT_CALL_EXTENDED] = on_extended,
	[EVENT_CALL_EDITED] = on_edited,
	[EVENT_CALL_UNEDITED] = on_unedited,
	[EVENT_CALL_PRESENTED] = on_presented,
	[EVENT_CALL_DECIDED] = on_decided,
	[EVENT_CALL_START] = on_start,
	[EVENT_CALL_END] = on_end,
};

/* The step an event takes from here; NULL: none.  *known tells whether it is one of calls at all.
 */
static const struct step *
step_of(enum event_type type, const struct open_call *call, bool *known)
{
	*known = false;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		if (steps[i].type != type)
			continue;
		*known = true;
		if (call && (steps[i].from & (1U << call->place)))
			return &steps[i];
	}
	return NULL;
}

static int
call_event(struct order *order, const struct event_view *event, struct err *err)
{
	struct open_call *call;
	const struct step *step;
	int64_t number = 0;
	bool known;

	(void)json_int(json_get(event->data, "call"), 1, INT64_MAX, &number);
	if (event->type == EVENT_CALL_REQUEST)
		return on_request(order, event, (uint64_t)number, err);
	call = find_call(order, (uint64_t)number);
	step = step_of(event->type, call, &known);
	if (!known)
		return 0;
	if (!call)
		return broken(event, (uint64_t)number, "no such call is open", err);
	if (!step)
		return broken(event, call->number, "it has no place here", err);
	call->place = step->to;
	return checks[event->type] ? checks[event->type](order, event, call, err) : 0;
}

/* --- the session --- */

static int
session_event(const struct event_view *event, const char *what, struct err *err)
{
	return err_set(err, ERR_STATE, "seq %" PRIu64 " at offset %" PRId64 ": %s", event->seq,
		event->offset, what);
}

static int
begin(struct order *order, const struct event_view *event, struct err *err)
{
	const char *id = json_text(event->data, "id");

	order->begun = true;
	if (event->type != EVENT_SESSION_START || !id || strlen(id) >= sizeof(order->id))
		return session_event(event, "the first event is no session.start", err);
	memcpy(order->id, id, strlen(id));
	return 0;
}

static int
end(struct order *order, const struct event_view *event, struct err *err)
{
	struct order_summary now;

	order->summary.ended = true;
	order->summary.recovered = !json_is(json_get(event->data, "closed_by"), "end");
	order_summary(order, &now);
	if (!order->summary.recovered && now.undecided + now.waiting + now.unknown > 0)
		return session_event(event, "the session ends and calls have no call.end", err);
	return 0;
}

int
order_event(struct order *order, const struct event_view *event, struct err *err)
{
	const char *wrong;

	if (!order->begun)
		return begin(order, event, err);
	if (order->summary.ended && event->type != EVENT_REDACTED &&
		event->type != EVENT_CHECKPOINT)
		return session_event(event, "something happens after session.end", err);
	switch (event->type) {
	case EVENT_SESSION_START:
		return session_event(event, "a second session.start", err);
	case EVENT_SESSION_END:
		return end(order, event, err);
	case EVENT_TOOLS:
		on_tools(order, event);
		return 0;
	default:
		wrong = order_run_event(&order->run, event);
		wrong = wrong ? wrong : order_grants_event(&order->grants, event);
		return wrong ? session_event(event, wrong, err) : call_event(order, event, err);
	}
}

void
order_summary(const struct order *order, struct order_summary *out)
{
	*out = order->summary;
	for (size_t i = 0; i < order->call_count; i++) {
		enum place place = order->calls[i].place;

		out->undecided += place < AT_DECIDED;
		out->waiting += place == AT_DECIDED;
		out->unknown += place == AT_STARTED;
	}
}
