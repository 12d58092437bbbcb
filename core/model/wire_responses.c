/*
 * OpenAI's Responses.  Deltas are addressed by output and content.  Parts come one after the other,
 * so that each is a stretch of all that was said.  The event that ends a part says its text again,
 * which proves what came, and completes what was lost as long as nothing follows it.
 */
#include "config.h"

#include <string.h>

#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/model/wire_inside.h"

#define PARTS_MAX 1000

static void
request(const struct wire_options *options, const struct model_request *asked, struct jsonout *out)
{
	jsonout_key_str(out, "model", options->name);
	jsonout_key(out, "instructions");
	jsonout_strn(out, asked->instructions.bytes, asked->instructions.len);
	jsonout_key(out, "input");
	jsonout_array(out);
	for (size_t i = 0; i < asked->count; i++) {
		jsonout_object(out);
		jsonout_key_str(
			out, "role", asked->messages[i].role == MODEL_USER ? "user" : "assistant");
		jsonout_key(out, "content");
		jsonout_strn(out, asked->messages[i].text.bytes, asked->messages[i].text.len);
		jsonout_object_end(out);
	}
	jsonout_array_end(out);
	jsonout_key_bool(out, "stream", true);
	/* The provider keeps no copy of the conversation: each request has all of it. */
	jsonout_key_bool(out, "store", false);
	if (options->max_output >= 0)
		jsonout_key_int(out, "max_output_tokens", options->max_output);
	if (options->effort) {
		jsonout_key(out, "reasoning");
		jsonout_object(out);
		jsonout_key_str(out, "effort", options->effort);
		jsonout_object_end(out);
	}
}

static void
take_usage(struct wire_reader *reader, const json_t *usage)
{
	if (!json_is_object(usage))
		return;
	reader->usage = (struct model_usage){
		.input = payload_count(usage, "input_tokens"),
		.output = payload_count(usage, "output_tokens"),
		.cached =
			payload_count(payload_get(usage, "input_tokens_details"), "cached_tokens"),
		.reasoning = payload_count(
			payload_get(usage, "output_tokens_details"), "reasoning_tokens"),
	};
}

/* The part that an event is about, by its number; it is begun where it is new.  -1: failed. */
static int64_t
part_of(struct wire_reader *reader, const json_t *event)
{
	struct wire_part part = { payload_count(event, "output_index"),
		payload_count(event, "content_index"), reader->said.len };

	for (size_t i = reader->part_count; i-- > 0;)
		if (reader->parts[i].output == part.output &&
			reader->parts[i].content == part.content)
			return (int64_t)i;
	if (reader->part_count >= PARTS_MAX) {
		wire_fail(reader, WIRE_NOT_AGAIN, "the reply has more than %d parts", PARTS_MAX);
		return -1;
	}
	reader->parts = mem_grow(reader->parts, reader->part_count + 1, sizeof(*reader->parts));
	reader->parts[reader->part_count] = part;
	return (int64_t)reader->part_count++;
}

static bool
is_last(const struct wire_reader *reader, int64_t part)
{
	return part == (int64_t)reader->part_count - 1;
}

/* As it is handed on: halves of a pair are joined. */
static void
say(struct wire_reader *reader, const char *text, size_t len)
{
	wire_text(reader, MODEL_TEXT, text, len);
	if (!reader->stopped)
		buf_put(&reader->said, reader->scratch.data, reader->scratch.len);
}

static void
take_text(struct wire_reader *reader, const json_t *event)
{
	size_t len;
	const char *text = payload_str(event, "delta", &len);
	int64_t part = text ? part_of(reader, event) : -1;

	if (part < 0)
		return;
	if (is_last(reader, part))
		say(reader, text, len);
	else
		wire_fail(reader, WIRE_NOT_AGAIN, "the reply mixes its parts");
}

/* What came of a part is a beginning of what it is, and all of it where it is not the last. */
static void
check_text(struct wire_reader *reader, int64_t part, const char *text, size_t len)
{
	size_t from = reader->parts[part].from;
	size_t end = is_last(reader, part) ? reader->said.len : reader->parts[part + 1].from;
	struct payload_join join = { 0 };
	AUTO_BUF struct buf whole;

	buf_init(&whole, BUF_UNBOUNDED);
	payload_text(&join, text, len, &whole);
	payload_rest(&join, &whole);
	if (whole.len < end - from || (whole.len > end - from && !is_last(reader, part)) ||
		(end > from && memcmp(whole.data, reader->said.data + from, end - from) != 0)) {
		wire_fail(reader, WIRE_NOT_AGAIN,
			"the text that came is not the text the reply says it is");
		return;
	}
	if (!is_last(reader, part))
		return;
	/* A half that waited is in what is left. */
	reader->joins[MODEL_TEXT] = (struct payload_join){ 0 };
	if (whole.len > end - from)
		say(reader, whole.data + (end - from), whole.len - (end - from));
}

static void
end_text(struct wire_reader *reader, const json_t *event)
{
	size_t len;
	const char *text = payload_str(event, "text", &len);
	int64_t part = text ? part_of(reader, event) : -1;

	if (part >= 0)
		check_text(reader, part, text, len);
}

static void
take_function(struct wire_reader *reader, const json_t *item)
{
	const char *type = payload_word(item, "type");

	if (!type || strcmp(type, "function_call") != 0)
		return;
	wire_call_begin(reader, payload_word(item, "name"));
	wire_text_of(reader, MODEL_TEXT, item, "arguments");
	wire_call_end(reader);
}

static void
refuse(struct wire_reader *reader, const json_t *holder, const char *key)
{
	size_t len;

	if (!payload_str(holder, key, &len) || len == 0)
		return;
	reader->refused = true;
	wire_text_of(reader, MODEL_TEXT, holder, key);
}

/* Of a reply that came without deltas. */
static void
take_item_text(struct wire_reader *reader, const json_t *item)
{
	const json_t *content = payload_get(item, "content");

	take_function(reader, item);
	for (size_t i = 0; i < json_array_size(content); i++) {
		const json_t *part = json_array_get(content, i);
		const char *type = payload_word(part, "type");
		bool thought = type && strcmp(type, "reasoning_text") == 0;

		wire_text_of(reader, thought ? MODEL_REASONING : MODEL_TEXT, part, "text");
		refuse(reader, part, "refusal");
	}
}

static bool
is_reasoning(const json_t *item)
{
	const char *type = payload_word(item, "type");

	return type && strcmp(type, "reasoning") == 0;
}

static bool
holds_refusal(const json_t *item)
{
	const json_t *content = payload_get(item, "content");

	for (size_t i = 0; i < json_array_size(content); i++)
		if (payload_get(json_array_get(content, i), "refusal"))
			return true;
	return false;
}

static void
take_output(struct wire_reader *reader, const json_t *response)
{
	const json_t *output = payload_get(response, "output");
	bool told = reader->any_text;

	for (size_t i = 0; i < json_array_size(output); i++) {
		const json_t *item = json_array_get(output, i);

		if (!told && !(is_reasoning(item) && reader->text_bytes > 0))
			take_item_text(reader, item);
		reader->refused = reader->refused || holds_refusal(item);
	}
}

/* status: what the event's name says, where the response has none. */
static void
take_end(struct wire_reader *reader, const json_t *response, const char *status)
{
	const char *reason = payload_word(payload_get(response, "incomplete_details"), "reason");

	if (payload_word(response, "status"))
		status = payload_word(response, "status");
	take_usage(reader, payload_get(response, "usage"));
	take_output(reader, response);
	if (strcmp(status, "completed") == 0)
		wire_finish(reader, MODEL_COMPLETE, status);
	else if (strcmp(status, "incomplete") == 0 && reason &&
		 strcmp(reason, "max_output_tokens") == 0)
		wire_finish(reader, MODEL_LENGTH, reason);
	else if (strcmp(status, "incomplete") == 0 && reason &&
		 strcmp(reason, "content_filter") == 0)
		wire_finish(reader, MODEL_FILTERED, reason);
	else
		wire_unknown_end(reader, reason ? reason : status);
}

static void
take_failure(struct wire_reader *reader, const json_t *response)
{
	take_usage(reader, payload_get(response, "usage"));
	if (!wire_error_in(reader, response))
		wire_unknown_end(reader, "failed");
}

static void
take_refusal(struct wire_reader *reader, const json_t *event)
{
	refuse(reader, event, "delta");
}

/* It says all of it again. */
static void
end_refusal(struct wire_reader *reader, const json_t *event)
{
	if (!reader->refused)
		refuse(reader, event, "refusal");
	reader->refused = true;
}

static void
take_reasoning(struct wire_reader *reader, const json_t *event)
{
	wire_text_of(reader, MODEL_REASONING, event, "delta");
}

static void
take_item(struct wire_reader *reader, const json_t *event)
{
	take_function(reader, payload_get(event, "item"));
}

static void
take_completed(struct wire_reader *reader, const json_t *event)
{
	take_end(reader, payload_get(event, "response"), "completed");
}

static void
take_incomplete(struct wire_reader *reader, const json_t *event)
{
	take_end(reader, payload_get(event, "response"), "incomplete");
}

static void
take_failed(struct wire_reader *reader, const json_t *event)
{
	take_failure(reader, payload_get(event, "response"));
}

static const struct {
	const char *type;
	void (*take)(struct wire_reader *reader, const json_t *event);
} events[] = {
	{ "response.output_text.delta", take_text },
	{ "response.output_text.done", end_text },
	{ "response.reasoning_summary_text.delta", take_reasoning },
	{ "response.reasoning_text.delta", take_reasoning },
	{ "response.refusal.delta", take_refusal },
	{ "response.refusal.done", end_refusal },
	{ "response.output_item.done", take_item },
	{ "response.completed", take_completed },
	{ "response.incomplete", take_incomplete },
	{ "response.failed", take_failed },
	{ "error", wire_error },
};

static void
payload(struct wire_reader *reader, const char *name, const json_t *object)
{
	const char *type = payload_word(object, "type");
	const char *kind = payload_word(object, "object");

	if (!type && kind && strcmp(kind, "response") == 0) {
		take_end(reader, object, "no status");
		return;
	}
	type = type ? type : name;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (strcmp(events[i].type, type) == 0)
			events[i].take(reader, object);
}

const struct wire wire_responses = {
	.name = "openai",
	.path = "/responses",
	.versioned = true,
	.auth = WIRE_BEARER,
	.request = request,
	.payload = payload,
};
