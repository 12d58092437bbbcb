/* What a model's replies leave in a record. */
#include "config.h"

#include <string.h>

#include "tests/record/make_record.h"

static void
begin_turn(struct make *make, enum event_type type, int turn)
{
	event_begin(&make->event, type);
	event_int(&make->event, "run", make->run ? make->run : 1);
	event_int(&make->event, "turn", turn);
}

void
make_turn(struct make *make, int turn, const char *purpose)
{
	begin_turn(make, EVENT_MODEL_REQUEST, turn);
	event_str(&make->event, "purpose", purpose);
	event_str(&make->event, "host", "https://model.example");
	make_append(make);
}

void
make_turn_delta(struct make *make, int turn, const char *part, const char *text)
{
	begin_turn(make, EVENT_MODEL_DELTA, turn);
	event_str(&make->event, "part", part);
	make_text(make, "text", text);
	make_append(make);
}

void
make_turn_retry(struct make *make, int turn, const char *cause, int wait_ms)
{
	begin_turn(make, EVENT_MODEL_RETRY, turn);
	event_str(&make->event, "cause", cause);
	event_int(&make->event, "wait_ms", wait_ms);
	make_append(make);
}

void
make_turn_end(struct make *make, int turn, const char *stop, const char *error, const char *refused)
{
	static const char usage[] = "{\"input\":1200,\"output\":340}";

	begin_turn(make, EVENT_MODEL_END, turn);
	event_str(&make->event, "stop", stop);
	event_str(&make->event, "error", error);
	event_str(&make->event, "refused", refused);
	event_json(&make->event, "usage", usage, strlen(usage));
	event_int(&make->event, "cost_micro_usd", 41000);
	make_append(make);
}

void
make_asked(struct make *make, unsigned attempt, const char *why)
{
	event_begin(&make->event, EVENT_PROGRAM_ASKED);
	event_int(&make->event, "run", make->run ? make->run : 1);
	event_int(&make->event, "attempt", attempt);
	event_str(&make->event, "why", why);
	make_append(make);
}

void
make_run_end(struct make *make, const char *outcome)
{
	event_begin(&make->event, EVENT_RUN_END);
	event_int(&make->event, "run", make->run ? make->run : 1);
	event_str(&make->event, "outcome", outcome);
	make_append(make);
}

void
make_task(struct make *make, const char *text)
{
	event_begin(&make->event, EVENT_TASK);
	event_int(&make->event, "run", make->run ? make->run : 1);
	make_text(make, "text", text);
	event_str(&make->event, "from", "person");
	make_append(make);
}

void
make_answer(struct make *make, const char *text)
{
	event_begin(&make->event, EVENT_ANSWER);
	event_int(&make->event, "run", make->run ? make->run : 1);
	make_text(make, "text", text);
	make_append(make);
}
