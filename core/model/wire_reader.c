/*
 * A reader first sniffs what comes, whatever its content type says; then each object of the stream
 * goes to the format.  A stream that ends is not a stream that finished: only the format's terminal
 * marker makes a reply whole, and only when no text follows it.  The first error stands, and
 * nothing after it is read.
 */
#include "config.h"

#include "core/model/wire.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/model/wire_inside.h"

#define EXCERPT 160  /* bytes of foreign bodies in errors */
#define FOREIGN 4096 /* of them that are kept */
#define DONE "[DONE]"

/* --- payloads --- */

static int
excerpt_len(const char *bytes, size_t len)
{
	return (int)wire_cut(bytes, len, EXCERPT);
}

static void
take_object(struct wire_reader *reader, const char *name, const json_t *object)
{
	if (wire_error_in(reader, object))
		return;
	if (!json_is_object(object))
		wire_fail(reader, WIRE_NOT_AGAIN, "the stream holds a value that is no object");
	else if (strcmp(name, "error") == 0)
		wire_error(reader, object);
	else
		reader->wire->payload(reader, name, object);
}

static void
malformed(struct wire_reader *reader, const char *bytes, size_t len, const struct err *err)
{
	wire_fail(reader, WIRE_NOT_AGAIN, "the stream holds what is no JSON (%.200s): %.*s",
		err->text, excerpt_len(bytes, len), bytes);
}

static void
take_json(struct wire_reader *reader, const char *name, const char *bytes, size_t len)
{
	struct err err = { 0 };
	json_t *object = payload_read(bytes, len, &err);

	if (object)
		take_object(reader, name, object);
	else
		malformed(reader, bytes, len, &err);
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

/* What nothing follows: where it is cut, it is not there. */
static void
take_last(struct wire_reader *reader, const char *name, const char *bytes, size_t len)
{
	struct err err = { 0 };
	json_t *object;

	trim(&bytes, &len);
	if (len == 0 || is_done(bytes, len))
		return;
	object = payload_read(bytes, len, &err);
	if (object)
		take_object(reader, name, object);
	else if (!payload_is_cut(bytes, len))
		malformed(reader, bytes, len, &err);
	json_decref(object);
}

static void
take_data(struct wire_reader *reader, const char *name, const char *bytes, size_t len)
{
	trim(&bytes, &len);
	if (len > 0 && !is_done(bytes, len))
		take_json(reader, name, bytes, len);
}

/* Some servers put the error's object there, some a whole document, some plain words. */
static void
take_error_field(struct wire_reader *reader, const char *bytes, size_t len)
{
	json_t *object = payload_read(bytes, len, NULL);

	if (!object)
		wire_fail(reader, wire_fault_of_words(bytes, len), "%.*s", excerpt_len(bytes, len),
			bytes);
	else if (!wire_error_in(reader, object))
		wire_error(reader, object);
	json_decref(object);
}

static void
take_event(struct wire_reader *reader)
{
	const struct sse *sse = &reader->sse;

	if (sse->error)
		take_error_field(reader, sse->data.data, sse->data.len);
	else
		take_data(reader, sse->name, sse->data.data, sse->data.len);
}

/* --- bytes --- */

static void
too_long(struct wire_reader *reader)
{
	wire_fail(reader, WIRE_NOT_AGAIN, "one event of the stream is longer than %zu bytes",
		reader->limits.event);
}

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
	if (reader->body.len - len > reader->limits.event) {
		too_long(reader);
		return false;
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

static void keep(struct wire_reader *reader, const char *bytes, size_t len);

/* A first line that is cut begins a document of many lines. */
static void
take_json_line(struct wire_reader *reader, const char *line, size_t len)
{
	trim(&line, &len);
	if (!reader->lined && len > 0 && payload_is_cut(line, len)) {
		reader->kind = WIRE_DOCUMENT;
		keep(reader, line, len);
		keep(reader, "\n", 1);
		return;
	}
	reader->lined = reader->lined || len > 0;
	take_data(reader, "", line, len);
}

static void
take_line(struct wire_reader *reader, const char *line, size_t len)
{
	if (reader->kind == WIRE_LINES) {
		take_json_line(reader, line, len);
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
			if (reader->kind == WIRE_DOCUMENT) {
				keep(reader, bytes, len);
				return;
			}
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

/* Without the end of its line, or its blank line, the last counts only when it is whole. */
static void
flush_lines(struct wire_reader *reader)
{
	struct buf *line = &reader->lines.line;
	const struct sse *sse = &reader->sse;
	bool rest = lines_rest(&reader->lines);

	if (rest && reader->kind == WIRE_LINES)
		take_last(reader, "", line->data, line->len);
	else if (rest)
		take_line(reader, line->data, line->len);
	if (reader->stopped || reader->kind != WIRE_EVENTS || !sse_rest(sse))
		return;
	if (sse->error)
		take_event(reader);
	else
		take_last(reader, sse->name, sse->data.data, sse->data.len);
}

/* An error of an answer that says by its status that it is one. */
static void
flush_error(struct wire_reader *reader, const char *bytes, size_t len)
{
	json_t *object = payload_read(bytes, len, NULL);

	if (!object || !wire_error_in(reader, object))
		wire_fail(reader, WIRE_NO_FAULT, "%.*s", excerpt_len(bytes, len), bytes);
	json_decref(object);
}

static void
flush_document(struct wire_reader *reader, int status)
{
	const char *bytes = reader->body.data ? reader->body.data : "";
	size_t len = reader->body.len;

	if (starts(bytes, len, "\xef\xbb\xbf")) {
		bytes += 3;
		len -= 3;
	}
	trim(&bytes, &len);
	if (status < 400)
		take_last(reader, "", bytes, len);
	else
		flush_error(reader, bytes, len);
}

static void
flush_foreign(struct wire_reader *reader)
{
	const char *bytes = reader->body.data ? reader->body.data : "";
	size_t len = reader->body.len;

	trim(&bytes, &len);
	wire_fail(reader, WIRE_NO_FAULT, "%s came in place of a reply: %.*s",
		len > 0 && *bytes == '<' ? "a page (of a proxy?)" : "something else",
		excerpt_len(bytes, len), bytes);
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
	wire_text_rest(reader);
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

static bool
names_stream_options(const struct buf *body)
{
	static const char name[] = "stream_options";

	return body->len > 0 && memmem(body->data, body->len, name, strlen(name));
}

void
wire_end(struct wire_reader *reader, int status, bool clean, struct model_end *end)
{
	if (!reader->stopped)
		flush(reader, status);
	if (status >= 400 && !reader->error)
		wire_fail(reader, WIRE_NO_FAULT, "an error without words");
	/* Servers say in many shapes that they do not know this parameter. */
	if ((status == 400 || status == 422) && reader->fault == WIRE_NO_FAULT &&
		names_stream_options(&reader->body))
		reader->fault = WIRE_STREAM_OPTIONS;
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

bool
wire_reader_finished(const struct wire_reader *reader)
{
	return reader->finished;
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
	reader->fresh_input = reader->cache_made = -1;
	lines_init(&reader->lines, limits->event);
	sse_init(&reader->sse, limits->event);
	buf_init(&reader->body, BUF_UNBOUNDED);
	buf_init(&reader->scratch, BUF_UNBOUNDED);
	buf_init(&reader->said, BUF_UNBOUNDED);
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
	buf_release(&reader->said);
	free(reader->parts);
	free(reader->reason);
	free(reader->error);
	free(reader->request_id);
	free(reader);
}
