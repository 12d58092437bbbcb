#include "config.h"

#include "core/run/journal_model.h"

#include "core/base/jsonout.h"
#include "core/record/event.h"
#include "core/run/journal.h"

static struct event *
begin(struct journal *journal, enum event_type type, unsigned run, unsigned turn)
{
	struct event *event = journal_begin(journal, type);

	event_int(event, "run", run);
	event_int(event, "turn", turn);
	return event;
}

static void
add_messages(struct event *event, const struct model_message *messages, size_t count)
{
	jsonout_key(&event->out, "messages");
	jsonout_array(&event->out);
	for (size_t i = 0; i < count; i++) {
		jsonout_object(&event->out);
		jsonout_key_str(
			&event->out, "role", messages[i].role == MODEL_USER ? "user" : "assistant");
		jsonout_key(&event->out, "text");
		event_content_here(event, messages[i].text.bytes, messages[i].text.len);
		jsonout_object_end(&event->out);
	}
	jsonout_array_end(&event->out);
}

void
journal_model_request(struct journal *journal, const struct journal_model_request *request)
{
	struct event *event = begin(journal, EVENT_MODEL_REQUEST, request->run, request->turn);

	event_str(event, "purpose", request->purpose);
	event_str(event, "host", request->host);
	event_int(event, "bytes", request->bytes);
	if (request->instructions.len > 0)
		event_content(event, "instructions", request->instructions.bytes,
			request->instructions.len);
	add_messages(event, request->messages, request->count);
	journal_append(journal);
}

void
journal_model_delta(struct journal *journal, unsigned run, unsigned turn, enum model_part part,
	struct untrusted text)
{
	struct event *event = begin(journal, EVENT_MODEL_DELTA, run, turn);

	event_str(event, "part", part == MODEL_TEXT ? "text" : "reasoning");
	event_content(event, "text", text.bytes, text.len);
	journal_append(journal);
}

void
journal_model_retry(
	struct journal *journal, unsigned run, unsigned turn, const char *cause, int64_t wait_ms)
{
	struct event *event = begin(journal, EVENT_MODEL_RETRY, run, turn);

	event_str(event, "cause", cause);
	event_int(event, "wait_ms", wait_ms);
	journal_append(journal);
}

static void
add_tokens(struct event *event, const char *key, int64_t tokens)
{
	if (tokens >= 0)
		jsonout_key_int(&event->out, key, tokens);
}

void
journal_model_end(struct journal *journal, const struct journal_model_end *ended)
{
	const struct model_end *end = ended->end;
	struct event *event = begin(journal, EVENT_MODEL_END, ended->run, ended->turn);

	event_str(event, "stop", model_stop_name(end->stop));
	event_str(event, "reason", end->reason);
	event_str(event, "error", end->error);
	event_str(event, "request_id", end->request_id);
	event_int(event, "status", end->status);
	event_str(event, "refused", ended->refused);
	jsonout_key(&event->out, "usage");
	jsonout_object(&event->out);
	add_tokens(event, "input", end->usage.input);
	add_tokens(event, "output", end->usage.output);
	add_tokens(event, "cached", end->usage.cached);
	add_tokens(event, "reasoning", end->usage.reasoning);
	jsonout_object_end(&event->out);
	if (ended->cost_micro >= 0)
		event_int(event, "cost_micro_usd", ended->cost_micro);
	event_int(event, "ms", ended->ms);
	if (ended->first_ms >= 0)
		event_int(event, "first_ms", ended->first_ms);
	journal_append(journal);
}
