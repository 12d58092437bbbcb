/*
 * Error objects differ by server: {"error": {...}}, {"error": "text"}, {"object": "error", ...},
 * {"type": "error", "error": {...}}, {"detail": ...}.  What they are about is read from their
 * codes, and from their words only where codes say nothing.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/mem.h"
#include "core/model/wire_inside.h"

#define WORDS_MAX 600 /* bytes of a server's own message */

static const struct {
	const char *word;
	enum wire_fault fault;
} codes[] = {
	{ "context_length_exceeded", WIRE_CONTEXT },
	{ "exceed_context_size_error", WIRE_CONTEXT },
	{ "model_context_window_exceeded", WIRE_CONTEXT },
	{ "insufficient_quota", WIRE_NOT_AGAIN },
	{ "billing_error", WIRE_NOT_AGAIN },
	{ "overloaded_error", WIRE_OVERLOADED },
	{ "rate_limit_error", WIRE_OVERLOADED },
	{ "rate_limit_exceeded", WIRE_OVERLOADED },
	{ "server_error", WIRE_OVERLOADED },
	{ "api_error", WIRE_OVERLOADED },
	{ "timeout_error", WIRE_OVERLOADED },
	{ "unavailable_error", WIRE_OVERLOADED },
}, phrases[] = {
	{ "stream_options", WIRE_STREAM_OPTIONS },
	{ "context length", WIRE_CONTEXT },
	{ "context window", WIRE_CONTEXT },
	{ "context size", WIRE_CONTEXT },
	{ "prompt is too long", WIRE_CONTEXT },
	{ "input length exceeds", WIRE_CONTEXT },
};

static enum wire_fault
fault_of(const char *type, const char *code, const char *param, const char *message)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if ((type && strcmp(type, codes[i].word) == 0) ||
			(code && strcmp(code, codes[i].word) == 0))
			return codes[i].fault;
	for (size_t i = 0; i < ARRAY_SIZE(phrases); i++)
		if ((param && strcasestr(param, phrases[i].word)) ||
			strcasestr(message, phrases[i].word))
			return phrases[i].fault;
	return WIRE_NO_FAULT;
}

static void
take_request_id(struct wire_reader *reader, const json_t *object)
{
	const char *id = payload_word(object, "request_id");

	if (!id)
		return;
	free(reader->request_id);
	reader->request_id = mem_str(id);
}

void
wire_error(struct wire_reader *reader, const json_t *error)
{
	const char *plain = json_string_value(error);
	const char *message = plain ? plain : payload_word(error, "message");
	const char *type = payload_word(error, "type");
	const char *code = payload_word(error, "code");
	char number[32] = "";
	const char *word;

	if (!code && payload_count(error, "code") >= 0) {
		snprintf(number, sizeof(number), "%lld", (long long)payload_count(error, "code"));
		code = number;
	}
	word = code ? code : type;
	message = message ? message : "";
	wire_fail(reader, fault_of(type, code, payload_word(error, "param"), message),
		"%.*s%s%.80s%s", WORDS_MAX, message[0] ? message : "an error without words",
		word ? " (" : "", word ? word : "", word ? ")" : "");
}

static bool
says_error(const json_t *object, const char *key)
{
	const char *word = payload_word(object, key);

	return word && strcmp(word, "error") == 0;
}

bool
wire_error_in(struct wire_reader *reader, const json_t *object)
{
	const json_t *error = payload_get(object, "error");
	const json_t *detail = payload_get(object, "detail");

	take_request_id(reader, object);
	/* A member that is there and says nothing is no error. */
	if (json_is_object(error) || (json_is_string(error) && json_string_length(error) > 0) ||
		json_is_true(error))
		wire_error(reader, error);
	else if (says_error(object, "object") || says_error(object, "type"))
		wire_error(reader, object);
	else if (json_is_string(detail))
		wire_error(reader, detail);
	else
		return false;
	return true;
}
