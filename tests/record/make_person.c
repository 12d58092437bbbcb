/* What a person does to calls, to programs, and to the session by being away. */
#include "config.h"

#include <string.h>

#include "tests/record/make_record.h"

#define WHO "uid 1000 pid 4711"

static struct digest *
bind_of(struct make *make, uint64_t call)
{
	return &make->binds[call % (MAKE_CALLS + 1)];
}

void
make_edited(struct make *make, uint64_t call, const char *tool, const char *args)
{
	struct content content = make_commitment(make, args, strlen(args));
	struct digest sha256;
	bool known = make_tool_digest(tool, &sha256);

	event_bind(MAKE_ID, call, tool, known ? &sha256 : NULL, &content.commitment,
		bind_of(make, call));
	event_begin(&make->event, EVENT_CALL_EDITED);
	event_int(&make->event, "call", (int64_t)call);
	event_int(&make->event, "edit", ++make->edits[call % (MAKE_CALLS + 1)]);
	event_content_made(&make->event, "args", &content, args, strlen(args));
	event_digest(&make->event, "bind", bind_of(make, call));
	event_str(&make->event, "by", "person");
	event_str(&make->event, "who", WHO);
	event_str(&make->event, "confirm", "key");
	event_bool(&make->event, "person_only", false);
	make_append(make);
}

void
make_unedited(struct make *make, uint64_t call, const struct digest *asked)
{
	event_begin(&make->event, EVENT_CALL_UNEDITED);
	event_int(&make->event, "call", (int64_t)call);
	event_int(&make->event, "edit", make->edits[call % (MAKE_CALLS + 1)]);
	event_digest(&make->event, "bind", asked);
	event_str(&make->event, "by", "person");
	event_str(&make->event, "who", WHO);
	event_str(&make->event, "confirm", "key");
	event_bool(&make->event, "person_only", false);
	make_append(make);
	*bind_of(make, call) = *asked;
}

void
make_extended(struct make *make, uint64_t call, int64_t ms)
{
	event_begin(&make->event, EVENT_CALL_EXTENDED);
	event_int(&make->event, "call", (int64_t)call);
	event_int(&make->event, "ms", ms);
	event_str(&make->event, "who", WHO);
	make_append(make);
}

void
make_away(struct make *make, bool away)
{
	event_begin(&make->event, EVENT_AWAY);
	event_bool(&make->event, "away", away);
	event_str(&make->event, "who", WHO);
	make_append(make);
}

void
make_program_text(struct make *make, unsigned attempt, const char *text)
{
	int64_t lines = 0;

	for (const char *at = text; *at; at++)
		lines += *at == '\n' || !at[1];
	event_begin(&make->event, EVENT_PROGRAM);
	event_int(&make->event, "run", 1);
	event_int(&make->event, "attempt", attempt);
	make_text(make, "text", text);
	event_int(&make->event, "lines", lines);
	event_str(&make->event, "by", "person");
	make_append(make);
}

void
make_program_decided(struct make *make, unsigned attempt, const char *verdict)
{
	event_begin(&make->event, EVENT_PROGRAM_DECIDED);
	event_int(&make->event, "attempt", attempt);
	event_str(&make->event, "verdict", verdict);
	event_str(&make->event, "reason", NULL);
	event_str(&make->event, "by", "person");
	event_str(&make->event, "who", WHO);
	event_int(&make->event, "presentation", 1);
	make_append(make);
}

void
make_program_end(struct make *make, unsigned attempt, const char *outcome)
{
	event_begin(&make->event, EVENT_PROGRAM_END);
	event_int(&make->event, "attempt", attempt);
	event_str(&make->event, "outcome", outcome);
	event_int(&make->event, "exit", strcmp(outcome, "ok") == 0 ? 0 : 1);
	event_str(&make->event, "error", NULL);
	event_int(&make->event, "line", 12);
	event_int(&make->event, "cpu_ms", 31);
	event_int(&make->event, "max_rss_kb", 11000);
	event_int(&make->event, "held_ms", 1500);
	make_append(make);
}
