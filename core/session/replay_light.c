/* A call's entry where only the index has been asked: what a list shows, no bytes. */
#include "config.h"

#include <string.h>

#include "core/session/replay_inside.h"

static enum call_state
state_at(const struct replay_call *call, uint64_t position)
{
	if (call->ended < position)
		return CALL_ENDED;
	if (call->started < position)
		return CALL_STARTED;
	if (call->decided < position)
		return CALL_DECIDED;
	return call->held < position ? CALL_HELD : CALL_REQUESTED;
}

void
replay_light_call(
	const struct replay_index *index, size_t i, uint64_t position, struct session_call *out)
{
	static struct session_call_more nothing = { .dwell_ms = -1, .covered = -1, .total = -1 };
	const struct replay_call *call = &index->calls[i];
	const struct words *words = &index->words;

	memset(out, 0, sizeof(*out));
	out->number = i + 1;
	out->more = &nothing;
	out->run = call->run;
	out->attempt = call->attempt;
	out->line = call->line;
	out->nth_here = call->nth_here;
	out->tool = words_text(words, call->tool);
	out->origin = words_text(words, call->origin);
	out->state = state_at(call, position);
	out->timeout_ms = -1;
	out->requested_mono = index->events[call->requested].mono;
	if (call->ruled < position) {
		out->action = words_text(words, call->action);
		out->rule = words_text(words, call->rule);
	}
	if (call->held < position) {
		out->held_mono = call->held_mono;
		out->held_why = words_text(words, call->held_why);
	}
	if (call->decided < position) {
		out->decided_mono = index->events[call->decided].mono;
		out->verdict = words_text(words, call->verdict);
		out->by = words_text(words, call->by);
		out->grant = call->grant;
	}
	if (call->started < position)
		out->started_mono = index->events[call->started].mono;
	if (call->ended < position) {
		out->ended_mono = index->events[call->ended].mono;
		out->outcome = words_text(words, call->outcome);
		out->ms = call->ms;
	}
}
