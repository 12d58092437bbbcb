/* Anthropic's Messages.  Usage is cumulative: the last value of each field counts. */
#include "config.h"

#include <string.h>

#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/model/wire_inside.h"

#define MAX_TOKENS                                                                     \
	8192 /* the format wants a number; where none is set, one that all models take \
	      */

static void
request(const struct wire_options *options, const struct model_request *asked, struct jsonout *out)
{
	jsonout_key_str(out, "model", options->name);
	jsonout_key_int(
		out, "max_tokens", options->max_output >= 0 ? options->max_output : MAX_TOKENS);
	jsonout_key(out, "system");
	jsonout_array(out);
	jsonout_object(out);
	jsonout_key_str(out, "type", "text");
	jsonout_key(out, "text");
	jsonout_strn(out, asked->instructions.bytes, asked->instructions.len);
	/* The same bytes in each request of a session: worth keeping there. */
	jsonout_key(out, "cache_control");
	jsonout_object(out);
	jsonout_key_str(out, "type", "ephemeral");
	jsonout_object_end(out);
	jsonout_object_end(out);
	jsonout_array_end(out);
	jsonout_key(out, "messages");
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
	if (options->effort) {
		jsonout_key(out, "thinking");
		jsonout_object(out);
		jsonout_key_str(out, "type", "adaptive");
		jsonout_object_end(out);
		jsonout_key(out, "output_config");
		jsonout_object(out);
		jsonout_key_str(out, "effort", options->effort);
		jsonout_object_end(out);
	}
}

static int64_t
latest(const json_t *usage, const char *key, int64_t before)
{
	int64_t count = payload_count(usage, key);

	return count >= 0 ? count : before;
}

static int64_t
none_is_zero(int64_t count)
{
	return count > 0 ? count : 0;
}

static void
take_usage(struct wire_reader *reader, const json_t *usage)
{
	struct model_usage *sum = &reader->usage;

	reader->fresh_input = latest(usage, "input_tokens", reader->fresh_input);
	reader->cache_made = latest(usage, "cache_creation_input_tokens", reader->cache_made);
	sum->cached = latest(usage, "cache_read_input_tokens", sum->cached);
	sum->output = latest(usage, "output_tokens", sum->output);
	if (reader->fresh_input >= 0)
		sum->input = reader->fresh_input + none_is_zero(reader->cache_made) +
			     none_is_zero(sum->cached);
}

static void
take_block(struct wire_reader *reader, const json_t *block)
{
	const char *type = payload_word(block, "type");

	wire_call_end(reader);
	wire_text_of(reader, MODEL_TEXT, block, "text");
	wire_text_of(reader, MODEL_REASONING, block, "thinking");
	if (type && strcmp(type, "tool_use") == 0)
		wire_call_begin(reader, payload_word(block, "name"));
}

static void
take_delta(struct wire_reader *reader, const json_t *delta)
{
	wire_text_of(reader, MODEL_TEXT, delta, "text");
	wire_text_of(reader, MODEL_REASONING, delta, "thinking");
	if (reader->in_call)
		wire_text_of(reader, MODEL_TEXT, delta, "partial_json");
}

static void
take_refusal(struct wire_reader *reader, const json_t *holder)
{
	const char *why = payload_word(payload_get(holder, "stop_details"), "explanation");

	reader->refused = true;
	wire_finish(reader, MODEL_REFUSAL, why ? why : "refusal");
}

static void
take_stop(struct wire_reader *reader, const json_t *holder)
{
	const char *reason = payload_word(holder, "stop_reason");

	if (!reason)
		return;
	if (strcmp(reason, "end_turn") == 0 || strcmp(reason, "stop_sequence") == 0 ||
		strcmp(reason, "tool_use") == 0) {
		wire_finish(reader, MODEL_COMPLETE, reason);
	} else if (strcmp(reason, "max_tokens") == 0) {
		wire_finish(reader, MODEL_LENGTH, reason);
	} else if (strcmp(reason, "model_context_window_exceeded") == 0) {
		reader->fault = WIRE_CONTEXT;
		wire_finish(reader, MODEL_LENGTH, reason);
	} else if (strcmp(reason, "refusal") == 0) {
		take_refusal(reader, holder);
	} else {
		wire_unknown_end(reader, reason);
	}
	/* That is the reason; the reply is whole only once message_stop says so. */
	reader->finished = false;
}

static void
take_whole(struct wire_reader *reader, const json_t *message)
{
	const json_t *content = payload_get(message, "content");

	take_usage(reader, payload_get(message, "usage"));
	for (size_t i = 0; i < json_array_size(content); i++)
		take_block(reader, json_array_get(content, i));
	wire_call_end(reader);
	take_stop(reader, message);
	reader->finished = reader->reason != NULL;
}

static void
payload(struct wire_reader *reader, const char *name, const json_t *object)
{
	const char *type = payload_word(object, "type");

	type = type ? type : name;
	if (strcmp(type, "message_start") == 0) {
		take_usage(reader, payload_get(payload_get(object, "message"), "usage"));
	} else if (strcmp(type, "content_block_start") == 0) {
		take_block(reader, payload_get(object, "content_block"));
	} else if (strcmp(type, "content_block_delta") == 0) {
		take_delta(reader, payload_get(object, "delta"));
	} else if (strcmp(type, "content_block_stop") == 0) {
		wire_call_end(reader);
	} else if (strcmp(type, "message_delta") == 0) {
		take_usage(reader, payload_get(object, "usage"));
		take_stop(reader, payload_get(object, "delta"));
	} else if (strcmp(type, "message_stop") == 0) {
		wire_call_end(reader);
		reader->finished = reader->reason != NULL;
	} else if (strcmp(type, "message") == 0) {
		take_whole(reader, object);
	}
}

const struct wire wire_anthropic = {
	.name = "anthropic",
	.path = "/messages",
	.versioned = true,
	.auth = WIRE_X_API_KEY,
	.request = request,
	.payload = payload,
};
