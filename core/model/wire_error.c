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
#define DUMP_MAX 300  /* of an error in a shape that is not known */

struct sign {
	const char *word;
	enum wire_fault fault;
};

static const struct sign codes[] = {
	{ "context_length_exceeded", WIRE_CONTEXT },
	{ "exceed_context_size_error", WIRE_CONTEXT },
	{ "model_context_window_exceeded", WIRE_CONTEXT },
	{ "insufficient_quota", WIRE_NOT_AGAIN },
	{ "billing_error", WIRE_NOT_AGAIN },
	{ "authentication_error", WIRE_NOT_AGAIN },
	{ "permission_error", WIRE_NOT_AGAIN },
	{ "invalid_api_key", WIRE_NOT_AGAIN },
	{ "overloaded_error", WIRE_OVERLOADED },
	{ "rate_limit_error", WIRE_OVERLOADED },
	{ "rate_limit_exceeded", WIRE_OVERLOADED },
	{ "server_error", WIRE_OVERLOADED },
	{ "api_error", WIRE_OVERLOADED },
	{ "timeout_error", WIRE_OVERLOADED },
	{ "unavailable_error", WIRE_OVERLOADED },
};

static const struct sign phrases[] = {
	{ "stream_options", WIRE_STREAM_OPTIONS },
	{ "context length", WIRE_CONTEXT },
	{ "context window", WIRE_CONTEXT },
	{ "context size", WIRE_CONTEXT },
	{ "prompt is too long", WIRE_CONTEXT },
	{ "input length exceeds", WIRE_CONTEXT },
};

static enum wire_fault
fault_of_text(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(phrases); i++)
		if (strcasestr(text, phrases[i].word))
			return phrases[i].fault;
	return WIRE_NO_FAULT;
}

enum wire_fault
wire_fault_of_words(const char *bytes, size_t len)
{
	AUTO_FREE char *text = mem_strn(bytes, len);

	return fault_of_text(text);
}

/* Statuses of HTTP that servers put into an error in place of a word. */
static enum wire_fault
fault_of_number(int64_t code)
{
	return code == 408 || code == 409 || code == 429 || (code >= 500 && code < 600)
		       ? WIRE_OVERLOADED
		       : WIRE_NO_FAULT;
}

static enum wire_fault
fault_of(const json_t *error, const char *message)
{
	const char *type = payload_word(error, "type");
	const char *code = payload_word(error, "code");
	const char *param = payload_word(error, "param");
	enum wire_fault fault;

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if ((type && strcmp(type, codes[i].word) == 0) ||
			(code && strcmp(code, codes[i].word) == 0))
			return codes[i].fault;
	fault = param ? fault_of_text(param) : WIRE_NO_FAULT;
	if (fault == WIRE_NO_FAULT)
		fault = fault_of_text(message);
	return fault == WIRE_NO_FAULT ? fault_of_number(payload_count(error, "code")) : fault;
}

static void
take_request_id(struct wire_reader *reader, const json_t *object)
{
	const char *id = payload_word(object, "request_id");

	if (id)
		wire_word(&reader->request_id, id);
}

/* The words of an error, or else all that came of it.  Gives memory. */
static char *
words_of(const json_t *error)
{
	const json_t *told = json_is_object(error) ? payload_get(error, "message") : error;
	const char *words = json_string_value(told);
	char *all;

	if (words && words[0])
		return mem_strn(words, wire_cut(words, strlen(words), WORDS_MAX));
	if (json_is_object(told) || json_is_array(told))
		error = told;
	else if (!json_is_object(error) || json_object_size(error) < 2)
		return mem_str("an error without words");
	all = json_dumps(error, JSON_COMPACT);
	if (all && strlen(all) > DUMP_MAX)
		all[wire_cut(all, strlen(all), DUMP_MAX)] = '\0';
	return all ? all : mem_str("an error without words");
}

void
wire_error(struct wire_reader *reader, const json_t *error)
{
	AUTO_FREE char *words = words_of(error);
	const char *type = payload_word(error, "type");
	const char *code = payload_word(error, "code");
	char number[32] = "";
	const char *word;

	if (!code && payload_count(error, "code") >= 0) {
		snprintf(number, sizeof(number), "%lld", (long long)payload_count(error, "code"));
		code = number;
	}
	word = code ? code : type;
	wire_fail(reader, fault_of(error, words), "%s%s%.80s%s", words, word ? " (" : "",
		word ? word : "", word ? ")" : "");
}

static bool
says_error(const json_t *object, const char *key)
{
	const char *word = payload_word(object, key);

	return word && strcmp(word, "error") == 0;
}

/* Nothing of a reply is beside it. */
static bool
is_bare_detail(const json_t *object)
{
	return payload_get(object, "detail") && json_object_size(object) <= 2;
}

bool
wire_error_in(struct wire_reader *reader, const json_t *object)
{
	const json_t *error = payload_get(object, "error");

	/* One server gives a list of one. */
	if (json_is_array(object))
		return wire_error_in(reader, json_array_get(object, 0));
	take_request_id(reader, object);
	/* A member that is there and says nothing is no error. */
	if (json_is_object(error) || (json_is_string(error) && json_string_length(error) > 0) ||
		json_is_true(error))
		wire_error(reader, error);
	else if (says_error(object, "object") || says_error(object, "type"))
		wire_error(reader, object);
	else if (is_bare_detail(object))
		wire_error(reader, payload_get(object, "detail"));
	else
		return false;
	return true;
}
