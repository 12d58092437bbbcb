/*
 * A reader first sniffs what comes, whatever its content type says; then each object of the stream
 * goes to the format.  A stream that ends is not a stream that finished: only the format's terminal
 * marker makes a reply whole.  The first error stands, and nothing after it is read.
 */
#include "config.h"

#include "core/model/wire.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/model/wire_inside.h"

#define EXCERPT 160  /* bytes of foreign bodies in errors */
#define FOREIGN 4096 /* of them that are kept */
#define DONE "[DONE]"

static const struct wire *const wires[] = { &wire_responses, &wire_chat, &wire_anthropic,
	&wire_ollama };

const struct wire *
wire_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(wires); i++)
		if (strcmp(wires[i]->name, name) == 0)
			return wires[i];
	return NULL;
}

enum wire_auth
wire_auth(const struct wire *wire)
{
	return wire->auth;
}

static bool
ends_with(const char *text, size_t len, const char *end)
{
	return len >= strlen(end) && memcmp(text + len - strlen(end), end, strlen(end)) == 0;
}

char *
wire_url(const struct wire *wire, const char *base_url)
{
	const char *scheme = strstr(base_url, "://");
	const char *host = scheme ? scheme + 3 : base_url;
	size_t len = strlen(base_url);
	bool has_path;

	while (len > 0 && base_url[len - 1] == '/')
		len--;
	if (ends_with(base_url, len, wire->path))
		return mem_strn(base_url, len);
	/* Most people paste a base that ends in its version; some leave it away. */
	has_path = memchr(host, '/', len - (size_t)(host - base_url)) != NULL;
	return mem_printf("%.*s%s%s", (int)len, base_url, wire->versioned && !has_path ? "/v1" : "",
		wire->path);
}

void
wire_request(const struct wire *wire, const struct wire_options *options,
	const struct model_request *request, struct buf *buf)
{
	struct jsonout out;

	jsonout_init(&out, buf);
	jsonout_object(&out);
	wire->request(options, request, &out);
	jsonout_object_end(&out);
}

/* --- for the formats --- */

void
wire_fail(struct wire_reader *reader, enum wire_fault fault, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	if (reader->stopped)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	reader->stopped = true;
	reader->fault = fault;
	free(reader->error);
	reader->error = mem_str(text);
}

static void
hand_on(struct wire_reader *reader, enum model_part part)
{
	struct buf *text = &reader->scratch;

	if (text->len == 0 || reader->stopped)
		return;
	reader->text_bytes += text->len;
	if (reader->text_bytes > reader->limits.text) {
		wire_fail(reader, WIRE_NOT_AGAIN,
			"the reply is longer than %zu bytes (model.max_reply)",
			reader->limits.text);
		return;
	}
	reader->hooks.on_delta(part, text->data, text->len, reader->hooks.arg);
}

void
wire_text(struct wire_reader *reader, enum model_part part, const char *bytes, size_t len)
{
	buf_clear(&reader->scratch);
	payload_text(&reader->joins[part], bytes, len, &reader->scratch);
	hand_on(reader, part);
}

void
wire_text_of(
	struct wire_reader *reader, enum model_part part, const json_t *object, const char *key)
{
	size_t len;
	const char *text = payload_str(object, key, &len);

	if (text && len > 0)
		wire_text(reader, part, text, len);
}

void
wire_finish(struct wire_reader *reader, enum model_stop stop, const char *reason)
{
	if (reader->stopped)
		return;
	reader->finished = true;
	reader->stop = stop;
	free(reader->reason);
	reader->reason = mem_str(reason);
}

void
wire_unknown_end(struct wire_reader *reader, const char *reason)
{
	wire_finish(reader, MODEL_ERROR, reason);
	wire_fail(reader, WIRE_NOT_AGAIN, "the reply ended with \"%.80s\", which is no clean end",
		reason);
}

void
wire_call_begin(struct wire_reader *reader, const char *name)
{
	AUTO_BUF struct buf text;
	struct jsonout out;

	wire_call_end(reader);
	buf_init(&text, BUF_UNBOUNDED);
	jsonout_init(&out, &text);
	buf_str(&text, "{\"name\": ");
	jsonout_str(&out, name);
	buf_str(&text, ", \"arguments\": ");
	reader->in_call = true;
	wire_text(reader, MODEL_TEXT, text.data, text.len);
}

void
wire_call_end(struct wire_reader *reader)
{
	if (reader->in_call)
		wire_text(reader, MODEL_TEXT, "}\n", 2);
	reader->in_call = false;
}

/* --- payloads --- */

static int
excerpt_len(size_t len)
{
	return (int)(len < EXCERPT ? len : EXCERPT);
}

static void
take_object(struct wire_reader *reader, const char *name, const json_t *object)
{
	if (!json_is_object(object))
		wire_fail(reader, WIRE_NOT_AGAIN, "the stream holds a value that is no object");
	else if (!wire_error_in(reader, object))
		reader->wire->payload(reader, name, object);
}

static void
take_json(struct wire_reader *reader, const char *name, const char *bytes, size_t len)
{
	struct err err = { 0 };
	json_t *object = payload_read(bytes, len, &err);

	if (object)
		take_object(reader, name, object);
	else
		wire_fail(reader, WIRE_NOT_AGAIN, "the stream holds what is no JSON (%.200s): %.*s",
			err.text, excerpt_len(len), bytes);
	json_decref(object);
}

static bool
is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static void
trim(const char **bytes, size_t *len)
{
	while (*len > 0 && is_blank((*bytes)[*len - 1]))
		(*len)--;
	while (*len > 0 && is_blank(**bytes)) {
		(*bytes)++;
		(*len)--;
	}
}

static bool
starts(const char *bytes, size_t len, const char *word)
{
	return len >= strlen(word) && memcmp(bytes, word, strlen(word)) == 0;
}

/* The end of a stream in its own words says nothing of how the reply ended. */
static bool
is_done(const char *bytes, size_t len)
{
	return starts(bytes, len, DONE) || starts(bytes, len, "\"" DONE);
}

static void
take_data(struct wire_reader *reader, const char *name, const char *bytes, size_t len)
{
	trim(&bytes, &len);
	if (len > 0 && !is_done(bytes, len))
		take_json(reader, name, bytes, len);
}

static void
take_event(struct wire_reader *reader)
{
	const struct sse *sse = &reader->sse;

	if (sse->error) {
		AUTO_BUF struct buf object;

		buf_init(&object, BUF_UNBOUNDED);
		buf_str(&object, "{\"error\":");
		buf_put(&object, sse->data.data, sse->data.len);
		buf_byte(&object, '}');
		take_json(reader, "error", object.data, object.len);
	} else {
		take_data(reader, sse->name, sse->data.data, sse->data.len);
	}
}

/* --- bytes --- */

/* By the first bytes that are no space; false: more must come before it can be said. */
static bool
sniff(struct wire_reader *reader)
{
	static const char *const fields[] = { "data", "event", "id", "retry", "error" };
	const char *bytes = reader->body.data ? reader->body.data : "";
	size_t len = reader->body.len;

	if (starts(bytes, len, "\xef\xbb\xbf")) {
		bytes += 3;
		len -= 3;
	}
	while (len > 0 && is_blank(*bytes)) {
		bytes++;
		len--;
	}
	if (len == 0 || (len < 3 && (unsigned char)*bytes == 0xef))
		return false;
	if (*bytes == '{' || *bytes == '[')
		reader->kind = reader->wire == &wire_ollama ? WIRE_LINES : WIRE_DOCUMENT;
	else if (*bytes == ':')
		reader->kind = WIRE_EVENTS;
	else
		reader->kind = WIRE_FOREIGN;
	for (size_t i = 0; reader->kind == WIRE_FOREIGN && i < ARRAY_SIZE(fields); i++) {
		size_t word = strlen(fields[i]);

		if (len < word + 1 && memcmp(bytes, fields[i], len < word ? len : word) == 0) {
			reader->kind = WIRE_UNKNOWN;
			return false;
		}
		if (starts(bytes, len, fields[i]) && strchr(":\r\n", bytes[word]))
			reader->kind = WIRE_EVENTS;
	}
	return true;
}

static void
too_long(struct wire_reader *reader)
{
	wire_fail(reader, WIRE_NOT_AGAIN, "one event of the stream is longer than %zu bytes",
		reader->limits.event);
}

static void
take_line(struct wire_reader *reader, const char *line, size_t len)
{
	if (reader->kind == WIRE_LINES) {
		take_data(reader, "", line, len);
		return;
	}
	switch (sse_line(&reader->sse, line, len)) {
	case SSE_EVENT:
		take_event(reader);
		break;
	case SSE_LONG:
		too_long(reader);
		break;
	case SSE_NOTHING:
		break;
	}
}

static void
feed_lines(struct wire_reader *reader, const char *bytes, size_t len)
{
	while (!reader->stopped)
		switch (lines_next(&reader->lines, &bytes, &len)) {
		case LINES_LINE:
			take_line(reader, reader->lines.line.data ? reader->lines.line.data : "",
				reader->lines.line.len);
			break;
		case LINES_LONG:
			too_long(reader);
			return;
		case LINES_MORE:
			return;
		}
}

/* Of what is foreign only the beginning is of use. */
static void
keep(struct wire_reader *reader, const char *bytes, size_t len)
{
	if (reader->kind == WIRE_FOREIGN && reader->body.len >= FOREIGN)
		return;
	buf_put(&reader->body, bytes, len);
	if (reader->kind != WIRE_FOREIGN && reader->body.len > reader->limits.event)
		too_long(reader);
}

static void
feed_first(struct wire_reader *reader)
{
	AUTO_BUF struct buf first = reader->body;

	buf_init(&reader->body, BUF_UNBOUNDED);
	if (reader->kind == WIRE_EVENTS || reader->kind == WIRE_LINES)
		feed_lines(reader, first.data, first.len);
	else
		keep(reader, first.data, first.len);
}

static void
feed(struct wire_reader *reader, const char *bytes, size_t len)
{
	if (reader->kind == WIRE_EVENTS || reader->kind == WIRE_LINES) {
		feed_lines(reader, bytes, len);
	} else if (reader->kind != WIRE_UNKNOWN) {
		keep(reader, bytes, len);
	} else {
		buf_put(&reader->body, bytes, len);
		if (sniff(reader))
			feed_first(reader);
		else if (reader->body.len > reader->limits.event)
			too_long(reader);
	}
}

bool
wire_feed(struct wire_reader *reader, const char *bytes, size_t len)
{
	reader->any = reader->any || len > 0;
	if (!reader->stopped)
		feed(reader, bytes, len);
	return !reader->stopped;
}

/* --- the end --- */

/* Without its blank line an event counts only when it is whole by itself. */
static void
flush_lines(struct wire_reader *reader)
{
	struct buf *line = &reader->lines.line;

	if (lines_rest(&reader->lines))
		take_line(reader, line->data, line->len);
	if (!reader->stopped && reader->kind == WIRE_EVENTS && sse_rest(&reader->sse)) {
		struct err err = { 0 };
		json_t *object = payload_read(reader->sse.data.data, reader->sse.data.len, &err);

		if (object)
			take_event(reader);
		json_decref(object);
	}
}

static void
flush_document(struct wire_reader *reader, int status)
{
	const char *bytes = reader->body.data ? reader->body.data : "";
	size_t len = reader->body.len;
	struct err err = { 0 };
	json_t *object;

	if (starts(bytes, len, "\xef\xbb\xbf")) {
		bytes += 3;
		len -= 3;
	}
	object = payload_read(bytes, len, &err);
	if (object && status < 400)
		take_object(reader, "", object);
	else if (object && !wire_error_in(reader, object))
		wire_fail(reader, WIRE_NO_FAULT, "%.*s", excerpt_len(len), bytes);
	else if (!object && status >= 400)
		wire_fail(reader, WIRE_NO_FAULT, "%.*s", excerpt_len(len), bytes);
	/* Otherwise it was cut. */
	json_decref(object);
}

static void
flush_foreign(struct wire_reader *reader)
{
	const char *bytes = reader->body.data ? reader->body.data : "";
	size_t len = reader->body.len;

	trim(&bytes, &len);
	wire_fail(reader, WIRE_NO_FAULT, "%s came in place of a reply: %.*s",
		len > 0 && *bytes == '<' ? "a page (of a proxy?)" : "something else",
		excerpt_len(len), bytes);
}

static void
flush(struct wire_reader *reader, int status)
{
	if (reader->kind == WIRE_UNKNOWN && reader->body.len > 0)
		reader->kind = WIRE_FOREIGN;
	if (reader->kind == WIRE_EVENTS || reader->kind == WIRE_LINES)
		flush_lines(reader);
	else if (reader->kind == WIRE_DOCUMENT)
		flush_document(reader, status);
	else if (reader->kind == WIRE_FOREIGN)
		flush_foreign(reader);
	wire_call_end(reader);
	for (enum model_part part = MODEL_TEXT; part <= MODEL_REASONING; part++) {
		buf_clear(&reader->scratch);
		payload_rest(&reader->joins[part], &reader->scratch);
		hand_on(reader, part);
	}
}

static enum model_stop
stop_of(const struct wire_reader *reader, int status)
{
	if (reader->error || status >= 400)
		return MODEL_ERROR;
	/* A refusal after text is a rejected program, not a short one. */
	if (reader->refused)
		return MODEL_REFUSAL;
	return reader->finished ? reader->stop : MODEL_CUT;
}

void
wire_end(struct wire_reader *reader, int status, bool clean, struct model_end *end)
{
	if (!reader->stopped)
		flush(reader, status);
	*end = (struct model_end){
		.stop = stop_of(reader, status),
		.reason = reader->reason,
		.error = reader->error,
		.request_id = reader->request_id,
		.status = status,
		.usage = reader->usage,
	};
	if (end->stop == MODEL_CUT)
		end->error = !reader->any ? "the reply is empty"
			     : clean ? "the stream ended without saying that the reply is whole"
				     : "the connection broke before the reply was whole";
}

enum wire_fault
wire_reader_fault(const struct wire_reader *reader)
{
	return reader->fault;
}

struct wire_reader *
wire_reader_new(
	const struct wire *wire, const struct wire_limits *limits, const struct wire_hooks *hooks)
{
	struct wire_reader *reader = mem_zero(1, sizeof(*reader));

	reader->wire = wire;
	reader->limits = *limits;
	reader->hooks = *hooks;
	reader->usage = MODEL_USAGE_UNKNOWN;
	reader->part_at = -1;
	lines_init(&reader->lines, limits->event);
	sse_init(&reader->sse, limits->event);
	buf_init(&reader->body, BUF_UNBOUNDED);
	buf_init(&reader->scratch, BUF_UNBOUNDED);
	buf_init(&reader->part, BUF_UNBOUNDED);
	return reader;
}

void
wire_reader_free(struct wire_reader *reader)
{
	if (!reader)
		return;
	lines_release(&reader->lines);
	sse_release(&reader->sse);
	buf_release(&reader->body);
	buf_release(&reader->scratch);
	buf_release(&reader->part);
	free(reader->reason);
	free(reader->error);
	free(reader->request_id);
	free(reader);
}
