/*
 * OpenAI's Responses.  Deltas are addressed by output and content; the event that ends a part says
 * its text again, which completes what was lost and proves what came.
 */
#include "config.h"

#include <string.h>

#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/model/wire_inside.h"

#define PARTS 100000 /* parts of one output, for one number of both */

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

static void
enter_part(struct wire_reader *reader, const json_t *event)
{
	int64_t at = payload_count(event, "output_index") * PARTS +
		     payload_count(event, "content_index");

	if (at == reader->part_at)
		return;
	reader->part_at = at;
	buf_clear(&reader->part);
}

static void
take_text(struct wire_reader *reader, const json_t *event)
{
	size_t len;
	const char *text = payload_str(event, "delta", &len);

	enter_part(reader, event);
	if (!text)
		return;
	wire_text(reader, MODEL_TEXT, text, len);
	/* As it was handed on: halves of a pair are joined. */
	buf_put(&reader->part, reader->scratch.data, reader->scratch.len);
}

static void
check_text(struct wire_reader *reader, const char *text, size_t len)
{
	const struct buf *part = &reader->part;
	struct payload_join join = { 0 };
	AUTO_BUF struct buf whole;

	buf_init(&whole, BUF_UNBOUNDED);
	payload_text(&join, text, len, &whole);
	payload_rest(&join, &whole);
	if (whole.len < part->len ||
		memcmp(whole.data ? whole.data : "", part->len ? part->data : "", part->len) != 0) {
		wire_fail(reader, WIRE_NOT_AGAIN,
			"the text that came is not the text the reply says it is");
		return;
	}
	/* A half that waited is in what is left. */
	reader->joins[MODEL_TEXT] = (struct payload_join){ 0 };
	if (whole.len > part->len)
		wire_text(reader, MODEL_TEXT, whole.data + part->len, whole.len - part->len);
	buf_clear(&reader->part);
	buf_put(&reader->part, whole.data, whole.len);
}

static void
end_text(struct wire_reader *reader, const json_t *event)
{
	size_t len;
	const char *text = payload_str(event, "text", &len);

	enter_part(reader, event);
	if (text)
		check_text(reader, text, len);
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

/* Of a reply that came without deltas. */
static void
take_output(struct wire_reader *reader, const json_t *response)
{
	const json_t *output = payload_get(response, "output");

	for (size_t i = 0; i < json_array_size(output); i++) {
		const json_t *item = json_array_get(output, i);
		const json_t *content = payload_get(item, "content");

		take_function(reader, item);
		for (size_t k = 0; k < json_array_size(content); k++) {
			const json_t *part = json_array_get(content, k);
			size_t len;

			wire_text_of(reader, MODEL_TEXT, part, "text");
			if (payload_str(part, "refusal", &len) && len > 0) {
				reader->refused = true;
				wire_text_of(reader, MODEL_TEXT, part, "refusal");
			}
		}
	}
}

static void
take_end(struct wire_reader *reader, const json_t *response)
{
	const char *status = payload_word(response, "status");
	const char *reason = payload_word(payload_get(response, "incomplete_details"), "reason");

	take_usage(reader, payload_get(response, "usage"));
	if (reader->text_bytes == 0)
		take_output(reader, response);
	if (status && strcmp(status, "completed") == 0)
		wire_finish(reader, MODEL_COMPLETE, status);
	else if (status && strcmp(status, "incomplete") == 0 && reason &&
		 strcmp(reason, "max_output_tokens") == 0)
		wire_finish(reader, MODEL_LENGTH, reason);
	else if (status && strcmp(status, "incomplete") == 0 && reason &&
		 strcmp(reason, "content_filter") == 0)
		wire_finish(reader, MODEL_FILTERED, reason);
	else
		wire_unknown_end(reader, reason ? reason : status ? status : "no status");
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
	reader->refused = true;
	wire_text_of(reader, MODEL_TEXT, event, "delta");
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
take_response(struct wire_reader *reader, const json_t *event)
{
	take_end(reader, payload_get(event, "response"));
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
	{ "response.output_item.done", take_item },
	{ "response.completed", take_response },
	{ "response.incomplete", take_response },
	{ "response.failed", take_failed },
	{ "error", wire_error },
};

static void
payload(struct wire_reader *reader, const char *name, const json_t *object)
{
	const char *type = payload_word(object, "type");
	const char *kind = payload_word(object, "object");

	if (!type && kind && strcmp(kind, "response") == 0) {
		take_end(reader, object);
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
