/* Ollama's own format: one object a line.  Its context is small unless one is asked for, and what
 * does not fit it is cut from the front: truncate false makes that an error. */
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
	jsonout_key_bool(out, "truncate", false);
	jsonout_key(out, "options");
	jsonout_object(out);
	if (options->max_output >= 0)
		jsonout_key_int(out, "num_predict", options->max_output);
	if (options->context >= 0)
		jsonout_key_int(out, "num_ctx", options->context);
	jsonout_object_end(out);
	if (options->effort && strcmp(options->effort, "true") == 0)
		jsonout_key_bool(out, "think", true);
	else if (options->effort && strcmp(options->effort, "false") == 0)
		jsonout_key_bool(out, "think", false);
	else if (options->effort)
		jsonout_key_str(out, "think", options->effort);
}

static void
take_calls(struct wire_reader *reader, const json_t *calls)
{
	for (size_t i = 0; i < json_array_size(calls); i++) {
		const json_t *function = payload_get(json_array_get(calls, i), "function");
		char *arguments = json_dumps(
			payload_get(function, "arguments"), JSON_COMPACT | JSON_ENCODE_ANY);

		wire_call_begin(reader, payload_word(function, "name"));
		wire_text(reader, MODEL_TEXT, arguments ? arguments : "{}",
			arguments ? strlen(arguments) : 2);
		wire_call_end(reader);
		free(arguments);
	}
}

static void
take_done(struct wire_reader *reader, const json_t *object)
{
	const char *reason = payload_word(object, "done_reason");

	reader->usage.input = payload_count(object, "prompt_eval_count");
	reader->usage.output = payload_count(object, "eval_count");
	/* Old versions give none: a reply at its limit looks the same as a whole one. */
	if (!reason || !reason[0])
		wire_fail(reader, WIRE_NOT_AGAIN,
			"the reply ended without a reason, so that it may be cut; newer versions "
			"of the server give one");
	else if (strcmp(reason, "stop") == 0)
		wire_finish(reader, MODEL_COMPLETE, reason);
	else if (strcmp(reason, "length") == 0)
		wire_finish(reader, MODEL_LENGTH, reason);
	else
		wire_unknown_end(reader, reason);
}

static void
payload(struct wire_reader *reader, const char *name, const json_t *object)
{
	const json_t *said = payload_get(object, "message");

	(void)name;
	wire_text_of(reader, MODEL_REASONING, said, "thinking");
	wire_text_of(reader, MODEL_TEXT, said, "content");
	take_calls(reader, payload_get(said, "tool_calls"));
	if (json_is_true(payload_get(object, "done")))
		take_done(reader, object);
}

const struct wire wire_ollama = {
	.name = "ollama",
	.path = "/api/chat",
	.auth = WIRE_BEARER,
	.request = request,
	.payload = payload,
};
