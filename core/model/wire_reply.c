/*
 * What a format makes of a reply: text that is joined, counted and handed on; its end; an error.
 * The first error stands, and text after the end is one.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/model/wire_inside.h"

#define WORD 400 /* bytes of a peer's own word: a reason, an id */

size_t
wire_cut(const char *bytes, size_t len, size_t most)
{
	if (len <= most)
		return len;
	/* Not within a character. */
	while (most > 0 && ((unsigned char)bytes[most] & 0xc0) == 0x80)
		most--;
	return most;
}

void
wire_word(char **slot, const char *word)
{
	free(*slot);
	*slot = mem_strn(word, wire_cut(word, strlen(word), WORD));
}

/* Whatever was put into it: halves of pairs and what is no UTF-8 are mended. */
static char *
mended(const char *text)
{
	struct payload_join join = { 0 };
	AUTO_BUF struct buf out;

	buf_init(&out, BUF_UNBOUNDED);
	payload_text(&join, text, strlen(text), &out);
	payload_rest(&join, &out);
	return mem_strn(out.data ? out.data : "", out.len);
}

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
	reader->error = mended(text);
}

static void
hand_on(struct wire_reader *reader, enum model_part part)
{
	struct buf *text = &reader->scratch;

	if (text->len == 0 || reader->stopped)
		return;
	reader->any_text = reader->any_text || part == MODEL_TEXT;
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
	if (len > 0 && reader->finished) {
		wire_fail(reader, WIRE_NOT_AGAIN, "the reply goes on after its end");
		return;
	}
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
	/* A clean word does not undo one that is not. */
	if (reader->reason && reader->stop != MODEL_COMPLETE)
		return;
	reader->stop = stop;
	wire_word(&reader->reason, reason);
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

void
wire_text_rest(struct wire_reader *reader)
{
	for (enum model_part part = MODEL_TEXT; part <= MODEL_REASONING; part++) {
		buf_clear(&reader->scratch);
		payload_rest(&reader->joins[part], &reader->scratch);
		hand_on(reader, part);
	}
}
