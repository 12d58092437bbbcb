#include "config.h"

#include "tests/session/random_record.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/record/writer.h"
#include "tests/record/make_record.h"

#define CALLS_MAX 8192

struct dice {
	struct make make;
	uint64_t state;
	unsigned attempt, run, grants;
	int64_t used;
	bool ended[CALLS_MAX]; /* by number */
};

unsigned
random_below(uint64_t *state, unsigned limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*state >> 33) % limit;
}

static unsigned
below(struct dice *dice, unsigned limit)
{
	return random_below(&dice->state, limit);
}

/* Mostly one of the last, now and then any, or one that is not there. */
static int64_t
some_call(struct dice *dice)
{
	unsigned calls = (unsigned)dice->make.calls;
	unsigned near = calls < 12 ? calls : 12;

	if (calls == 0 || below(dice, 200) == 0)
		return (int64_t)below(dice, calls + 5);
	if (below(dice, 20) == 0)
		return 1 + (int64_t)below(dice, calls);
	return (int64_t)(calls - below(dice, near));
}

static const char *
some_word(struct dice *dice, const char *const *words)
{
	unsigned count = 0;

	while (words[count])
		count++;
	return words[below(dice, count)];
}

static void
begin(struct dice *dice, enum event_type type)
{
	event_begin(&dice->make.event, type);
}

static void
number(struct dice *dice, const char *key, int64_t value)
{
	event_int(&dice->make.event, key, value);
}

static void
word(struct dice *dice, const char *key, const char *value)
{
	event_str(&dice->make.event, key, value);
}

static void
text(struct dice *dice, const char *key)
{
	char bytes[64];

	if (below(dice, 8) == 0) {
		make_text(&dice->make, key, NULL);
		return;
	}
	snprintf(bytes, sizeof(bytes), "{\"n\":%u,\"t\":\"\xc3\xa4\"}", below(dice, 12));
	make_text(&dice->make, key, bytes);
}

static void
call_request(struct dice *dice)
{
	static const char *const tools[] = { "payroll.list_employees", "payroll.apply_raise",
		"payroll.get_employee", "caf\xc3\xa9.\"quoted\"", NULL };
	bool right = below(dice, 100) > 0;

	begin(dice, EVENT_CALL_REQUEST);
	number(dice, "run", dice->run);
	number(dice, "attempt", dice->attempt);
	number(dice, "call", (int64_t)dice->make.calls + (right ? 1 : 3));
	word(dice, "tool", some_word(dice, tools));
	text(dice, "args");
	number(dice, "line", below(dice, 30));
	word(dice, "origin", "program");
	make_append(&dice->make);
	dice->make.calls += right;
}

static void
call_ruled(struct dice *dice)
{
	uint64_t call = (uint64_t)some_call(dice);

	if (call < CALLS_MAX && dice->ended[call])
		return;
	make_ruled(&dice->make, call, below(dice, 2) ? "allow" : "ask",
		below(dice, 2) ? "small \"raises\"" : NULL);
}

static void
call_held(struct dice *dice)
{
	make_held(&dice->make, (uint64_t)some_call(dice), (int)below(dice, 300) - 1);
}

static void
call_edited(struct dice *dice)
{
	static const enum event_type types[] = { EVENT_CALL_EDITED, EVENT_CALL_UNEDITED,
		EVENT_CALL_EXTENDED, EVENT_CALL_PRESENTED, EVENT_CALL_REVIEWED };
	enum event_type type = types[below(dice, 5)];

	begin(dice, type);
	number(dice, "call", some_call(dice));
	number(dice, "edit", below(dice, 5));
	if (type == EVENT_CALL_EDITED)
		text(dice, "args");
	number(dice, "ms", 300000);
	word(dice, "console", MAKE_CONSOLE);
	number(dice, "presentation", below(dice, 9));
	word(dice, "who", "uid 1000");
	make_append(&dice->make);
}

static void
call_decided(struct dice *dice)
{
	static const char *const by[] = { "person", "rule", "default", "grant", "timeout", NULL };
	static const char *const verdicts[] = { "approve", "approve", "deny", "reuse", NULL };

	begin(dice, EVENT_CALL_DECIDED);
	number(dice, "call", some_call(dice));
	word(dice, "verdict", some_word(dice, verdicts));
	word(dice, "by", some_word(dice, by));
	word(dice, "who", below(dice, 2) ? "uid 1000 pid 4711" : NULL);
	text(dice, "reason");
	if (below(dice, 4) == 0)
		number(dice, "grant", below(dice, dice->grants + 2));
	number(dice, "dwell_ms", below(dice, 5000));
	make_append(&dice->make);
}

static void
call_start(struct dice *dice)
{
	make_call_start(&dice->make, (uint64_t)some_call(dice));
}

static void
call_end(struct dice *dice)
{
	static const char *const outcomes[] = { "ok", "error", "denied", NULL };

	int64_t call = some_call(dice);

	if (call < CALLS_MAX)
		dice->ended[call] = true;
	begin(dice, EVENT_CALL_END);
	number(dice, "call", call);
	word(dice, "outcome", some_word(dice, outcomes));
	text(dice, "result");
	number(dice, "ms", below(dice, 5000));
	make_append(&dice->make);
}

static void
budget(struct dice *dice)
{
	char counters[160];

	snprintf(counters, sizeof(counters),
		"[{\"name\":\"%s\",\"used\":%lld,\"limit\":%s},{\"name\":\"c%u\",\"used\":1}]",
		below(dice, 2) ? "max_tool_calls" : "max_\\u00e4", (long long)dice->used,
		below(dice, 2) ? "50" : "null", below(dice, 1 + (unsigned)dice->used / 8));
	dice->used++;
	begin(dice, EVENT_BUDGET);
	number(dice, "run", dice->run);
	event_json(&dice->make.event, "counters", counters, strlen(counters));
	make_append(&dice->make);
}

static void
output(struct dice *dice)
{
	char chunk[3000];
	unsigned len = below(dice, sizeof(chunk));

	memset(chunk, 'a' + (int)below(dice, 26), sizeof(chunk));
	begin(dice, EVENT_OUTPUT);
	number(dice, "attempt", dice->attempt);
	word(dice, "stream", below(dice, 2) ? "stdout" : "stderr");
	if (len < 50)
		make_text(&dice->make, "text", NULL);
	else
		make_content(&dice->make, "text", chunk, len);
	make_append(&dice->make);
}

static void
line(struct dice *dice)
{
	begin(dice, EVENT_PROGRAM_LINE);
	number(dice, "line", below(dice, 30));
	make_append(&dice->make);
}

static void
program(struct dice *dice)
{
	static const char *const outcomes[] = { "ok", "error", "denied", "syntax", NULL };
	static const enum event_type types[] = { EVENT_PROGRAM, EVENT_PROGRAM,
		EVENT_PROGRAM_FORECAST, EVENT_PROGRAM_DECIDED, EVENT_PROGRAM_END, EVENT_TASK,
		EVENT_MODEL_REQUEST, EVENT_MODEL_DELTA, EVENT_RUN_END, EVENT_ANSWER };
	enum event_type type = types[below(dice, 10)];

	dice->attempt += type == EVENT_PROGRAM && below(dice, 4) > 0;
	dice->run += type == EVENT_TASK;
	begin(dice, type);
	number(dice, "run", dice->run);
	number(dice, "attempt", dice->attempt);
	if (type == EVENT_PROGRAM || type == EVENT_TASK || type == EVENT_ANSWER)
		text(dice, "text");
	word(dice, "outcome", some_word(dice, outcomes));
	word(dice, "verdict", "run");
	event_json(&dice->make.event, "sites", "[{\"line\":3,\"tool\":\"t\"}]", 23);
	make_append(&dice->make);
}

static void
grant(struct dice *dice)
{
	bool add = dice->grants < 3 || below(dice, 2);

	begin(dice, add ? EVENT_GRANT_ADD : EVENT_GRANT_REVOKE);
	number(dice, "grant", add ? ++dice->grants : below(dice, dice->grants + 2));
	word(dice, "tool", "payroll.apply_raise");
	number(dice, "attempt", dice->attempt);
	text(dice, add ? "bounds" : "unknown");
	make_append(&dice->make);
}

static void
person(struct dice *dice)
{
	static const enum event_type types[] = { EVENT_AWAY, EVENT_AWAY, EVENT_CONSOLE_ATTACH,
		EVENT_CONSOLE_DETACH, EVENT_ALERT, EVENT_RULE_ADD };
	enum event_type type = types[below(dice, 6)];

	begin(dice, type);
	event_bool(&dice->make.event, "away", below(dice, 2));
	word(dice, "who", "uid 1000");
	text(dice, type == EVENT_RULE_ADD ? "rule" : "text");
	make_append(&dice->make);
}

void
random_record(int fd, unsigned seed, unsigned events)
{
	static const struct {
		void (*make)(struct dice *dice);
		unsigned weight;
	} kinds[] = {
		{ call_request, 20 },
		{ call_ruled, 15 },
		{ call_held, 12 },
		{ call_edited, 6 },
		{ call_decided, 20 },
		{ call_start, 15 },
		{ call_end, 20 },
		{ budget, 10 },
		{ output, 10 },
		{ line, 4 },
		{ program, 1 },
		{ grant, 2 },
		{ person, 2 },
	};
	struct dice dice = { .state = seed, .attempt = 1, .run = 1 };
	unsigned total = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		total += kinds[i].weight;
	make_open(&dice.make, fd);
	make_start(&dice.make, "random");
	while (events-- > 0) {
		unsigned at = below(&dice, total);
		size_t kind = 0;

		while (at >= kinds[kind].weight)
			at -= kinds[kind++].weight;
		kinds[kind].make(&dice);
	}
	make_close(&dice.make);
}
