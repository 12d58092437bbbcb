/* call_words.c - one table of states, and which of them a call is in. */
#include "config.h"

#include "tui/call_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/session.h"

enum state {
	STATE_ASKED,
	STATE_WAITS,
	STATE_STARTS,
	STATE_RUNS,
	STATE_ALLOWED,
	STATE_APPROVED,
	STATE_GRANTED,
	STATE_REUSED,
	STATE_SIMULATED,
	STATE_DENIED,
	STATE_FAILED,
	STATE_CANCELLED,
	STATE_UNKNOWN,
	STATE_COUNT,
};

static const struct {
	const char *name;
	struct call_words words;
} states[STATE_COUNT] = {
	[STATE_ASKED] = { "asked", { " ", "asked", STYLE_DIM } },
	[STATE_WAITS] = { "waits", { " ", "WAITS", STYLE_ACCENT_WAIT } },
	[STATE_STARTS] = { "starts", { " ", "starts", STYLE_RUNNING } },
	[STATE_RUNS] = { "runs", { " ", "runs", STYLE_RUNNING } },
	[STATE_ALLOWED] = { "allowed", { "·", "allowed", STYLE_DIM } },
	[STATE_APPROVED] = { "approved", { "+", "approved", STYLE_APPROVED } },
	[STATE_GRANTED] = { "granted", { "+", "granted", STYLE_APPROVED } },
	[STATE_REUSED] = { "reused", { "=", "reused", STYLE_DIM } },
	[STATE_SIMULATED] = { "simulated", { "~", "simulated", STYLE_DIM } },
	[STATE_DENIED] = { "denied", { "-", "denied", STYLE_DENIED } },
	[STATE_FAILED] = { "failed", { "!", "failed", STYLE_FAILED } },
	[STATE_CANCELLED] = { "cancelled", { "-", "cancelled", STYLE_DENIED } },
	[STATE_UNKNOWN] = { "unknown", { "!", "unknown", STYLE_FAILED } },
};

static bool
is(const char *text, const char *word)
{
	return text && strcmp(text, word) == 0;
}

/* Who let it through. */
static enum state
let_through(const struct session_call *call)
{
	if (is(call->by, "person") || is(call->by, "reviewer"))
		return STATE_APPROVED;
	return is(call->by, "grant") ? STATE_GRANTED : STATE_ALLOWED;
}

static enum state
ended(const struct session_call *call)
{
	static const struct {
		const char *outcome;
		enum state state;
	} outcomes[] = {
		{ "denied", STATE_DENIED },
		{ "error", STATE_FAILED },
		{ "cancelled", STATE_CANCELLED },
		{ "reused", STATE_REUSED },
		{ "simulated", STATE_SIMULATED },
	};

	if (is(call->outcome, "ok"))
		return let_through(call);
	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
		if (is(call->outcome, outcomes[i].outcome))
			return outcomes[i].state;
	return STATE_UNKNOWN;
}

static enum state
state_of(const struct session_call *call)
{
	switch (call->state) {
	case CALL_HELD:
		return STATE_WAITS;
	case CALL_STARTED:
		return STATE_RUNS;
	case CALL_ENDED:
		return ended(call);
	case CALL_DECIDED:
		return is(call->verdict, "deny") ? STATE_DENIED : STATE_STARTS;
	case CALL_REQUESTED:
		break;
	}
	return STATE_ASKED;
}

struct call_words
call_words(const struct session_call *call)
{
	return states[state_of(call)].words;
}

const char *
call_state_word(const struct session_call *call)
{
	return states[state_of(call)].name;
}

const char *
call_state_known(const char *word)
{
	for (int i = 0; i < STATE_COUNT; i++)
		if (strcmp(states[i].name, word) == 0)
			return states[i].name;
	return NULL;
}
