/* Only what the events themselves say is checked: whether programs are asked about at all is not
 * known here. */
#include "config.h"

#include "core/record/order_run.h"

#include <stddef.h>

#include "core/base/json.h"
#include "core/record/event.h"
#include "core/record/reader.h"

static int64_t
attempt_of(const struct event_view *event)
{
	int64_t attempt = 0;

	(void)json_int(json_get(event->data, "attempt"), 0, INT64_MAX, &attempt);
	return attempt;
}

static const char *
on_away(struct order_run *run, const struct event_view *event)
{
	bool away = json_bool(json_get(event->data, "away"), run->away);

	if (away == run->away)
		return away ? "the person was away already" : "the person was not away";
	run->away = away;
	return NULL;
}

/* The same attempt again is an edit's new text. */
static const char *
on_program(struct order_run *run, const struct event_view *event)
{
	int64_t attempt = attempt_of(event);
	bool same = attempt == run->attempt && run->closed && !run->ended;

	if (!same && attempt != run->attempt + 1)
		return "an attempt out of turn";
	run->attempt = attempt;
	run->asked = false;
	run->ended = false;
	run->closed = false;
	return NULL;
}

static const char *
on_program_decided(struct order_run *run, const struct event_view *event)
{
	struct json_value verdict = json_get(event->data, "verdict");
	bool after = json_is(verdict, "try_again") || json_is(verdict, "stop");
	bool edit = json_is(verdict, "edit");
	bool refuse = json_is(verdict, "refuse");

	if (attempt_of(event) != run->attempt)
		return "a verdict on another program than the latest";
	if (!after && !edit && !refuse && !json_is(verdict, "run"))
		return "an unknown verdict";
	if (run->closed)
		return "a verdict after one that closed the program";
	if (after && run->asked)
		return NULL;
	if (after != run->ended)
		return after ? "how to go on, and the program has not ended"
			     : "whether to run a program that has ended";
	run->closed = edit || refuse;
	return NULL;
}

const char *
order_run_event(struct order_run *run, const struct event_view *event)
{
	switch (event->type) {
	case EVENT_AWAY:
		return on_away(run, event);
	case EVENT_PROGRAM:
		return on_program(run, event);
	case EVENT_PROGRAM_DECIDED:
		return on_program_decided(run, event);
	case EVENT_PROGRAM_ASKED:
		run->asked = true;
		return attempt_of(event) == run->attempt ? NULL
							 : "how to go on after another program";
	case EVENT_PROGRAM_END:
		run->ended = attempt_of(event) == run->attempt;
		run->closed = false;
		return NULL;
	default:
		return NULL;
	}
}

const char *
order_run_request(const struct order_run *run, const struct event_view *request)
{
	if (run->closed && attempt_of(request) == run->attempt &&
		json_is(json_get(request->data, "origin"), "program"))
		return "its program was refused, or is being replaced";
	return NULL;
}

const char *
order_run_decided(const struct order_run *run, const struct event_view *decided)
{
	struct json_value by = json_get(decided->data, "by");
	bool approve = json_is(json_get(decided->data, "verdict"), "approve");

	if (!run->away)
		return NULL;
	if (json_is(by, "timeout"))
		return "a timeout while the person was away";
	if (approve && (json_is(by, "rule") || json_is(by, "default") || json_is(by, "grant")))
		return "approved by itself while the person was away";
	return NULL;
}
