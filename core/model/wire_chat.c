/* OpenAI's Chat Completions, and the many servers that speak it with words of their own. */
#include "config.h"

#include <string.h>

#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/model/wire_inside.h"

static void
message(struct jsonout *out, const char *role, struct untrusted text)
{
	jsonout_object(out);
	jsonout_key_str(out, "role", role);
	jsonout_key(out, "content");
	jsonout_strn(out, text.bytes, text.len);
	jsonout_object_end(out);
}

static void
request(const struct wire_options *options, const struct model_request *asked, struct jsonout *out)
{
	jsonout_key_str(out, "model", options->name);
	jsonout_key(out, "messages");
	jsonout_array(out);
	message(out, "system", asked->instructions);
	for (size_t i = 0; i < asked->count; i++)
		message(out, asked->messages[i].role == MODEL_USER ? "user" : "assistant",
			asked->messages[i].text);
	jsonout_array_end(out);
	jsonout_key_bool(out, "stream", true);
	if (!options->no_stream_options) {
		jsonout_key(out, "stream_options");
		jsonout_object(out);
		jsonout_key_bool(out, "include_usage", true);
		jsonout_object_end(out);
	}
	if (options->max_output >= 0)
		jsonout_key_int(out, "max_completion_tokens", options->max_output);
	if (options->effort)
		jsonout_key_str(out, "reasoning_effort", options->effort);
}

static void
take_usage(struct wire_reader *reader, const json_t *usage)
{
	if (!json_is_object(usage))
		return;
	reader->usage = (struct model_usage){
		.input = payload_count(usage, "prompt_tokens"),
		.output = payload_count(usage, "completion_tokens"),
		.cached =
			payload_count(payload_get(usage, "prompt_tokens_details"), "cached_tokens"),
		.reasoning = payload_count(
			payload_get(usage, "completion_tokens_details"), "reasoning_tokens"),
	};
}

static void
take_call(struct wire_reader *reader, const json_t *function)
{
	const char *name = payload_word(function, "name");

	if (name && name[0])
		wire_call_begin(reader, name);
	wire_text_of(reader, MODEL_TEXT, function, "arguments");
}

static bool
has_text(const json_t *object, const char *key)
{
	size_t len;

	return payload_str(object, key, &len) && len > 0;
}

/* Some servers give content as a list of parts, those of thinking with a list of their own. */
static void
take_parts(struct wire_reader *reader, const json_t *parts)
{
	for (size_t i = 0; i < json_array_size(parts); i++) {
		const json_t *part = json_array_get(parts, i);
		const json_t *thinking = payload_get(part, "thinking");

		wire_text_of(reader, MODEL_TEXT, part, "text");
		wire_text_of(reader, MODEL_REASONING, part, "thinking");
		for (size_t k = 0; k < json_array_size(thinking); k++)
			wire_text_of(reader, MODEL_REASONING, json_array_get(thinking, k), "text");
	}
}

/* delta of a stream, message of a whole completion. */
static void
take_delta(struct wire_reader *reader, const json_t *delta)
{
	const json_t *calls = payload_get(delta, "tool_calls");

	/* Two names of one thing; some servers send both. */
	wire_text_of(reader, MODEL_REASONING, delta,
		has_text(delta, "reasoning_content") ? "reasoning_content" : "reasoning");
	wire_text_of(reader, MODEL_TEXT, delta, "content");
	take_parts(reader, payload_get(delta, "content"));
	if (has_text(delta, "refusal")) {
		reader->refused = true;
		wire_text_of(reader, MODEL_TEXT, delta, "refusal");
	}
	for (size_t i = 0; i < json_array_size(calls); i++)
		take_call(reader, payload_get(json_array_get(calls, i), "function"));
	if (json_is_object(payload_get(delta, "function_call")))
		take_call(reader, payload_get(delta, "function_call"));
}

static void
take_finish(struct wire_reader *reader, const char *reason)
{
	wire_call_end(reader);
	if (strcmp(reason, "stop") == 0 || strcmp(reason, "tool_calls") == 0 ||
		strcmp(reason, "function_call") == 0)
		wire_finish(reader, MODEL_COMPLETE, reason);
	else if (strcmp(reason, "length") == 0)
		wire_finish(reader, MODEL_LENGTH, reason);
	else if (strcmp(reason, "content_filter") == 0)
		wire_finish(reader, MODEL_FILTERED, reason);
	else
		wire_unknown_end(reader, reason);
}

/* We ask for one choice, and read no other. */
static const json_t *
first_choice(const json_t *choices)
{
	for (size_t i = 0; i < json_array_size(choices); i++)
		if (payload_count(json_array_get(choices, i), "index") <= 0)
			return json_array_get(choices, i);
	return NULL;
}

static void
payload(struct wire_reader *reader, const char *name, const json_t *object)
{
	const json_t *choice = first_choice(payload_get(object, "choices"));
	const json_t *delta = payload_get(choice, "delta");
	const char *reason = payload_word(choice, "finish_reason");

	(void)name;
	take_usage(reader, payload_get(object, "usage"));
	take_delta(reader, json_is_object(delta) ? delta : payload_get(choice, "message"));
	if (choice && wire_error_in(reader, choice))
		return;
	if (reason && reason[0])
		take_finish(reader, reason);
}

const struct wire wire_chat = {
	.name = "openai-chat",
	.path = "/chat/completions",
	.versioned = true,
	.auth = WIRE_BEARER,
	.request = request,
	.payload = payload,
};
