/*
 * wire_inside.h - what the files of the wire formats share.  Nobody else includes it.
 *
 * wire_request.c    the formats by name, and what they send
 * wire_reader.c     the reader: sniffing, framing, bounds of events
 * wire_reply.c      text, the end, failure: what formats make of a reply
 * wire_error.c      error objects of all servers, and what is worth another try
 * wire_chat.c  wire_responses.c  wire_anthropic.c  wire_ollama.c   one format each
 */
#ifndef CORE_MODEL_WIRE_INSIDE_H
#define CORE_MODEL_WIRE_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "core/base/buf.h"
#include "core/model/payload.h"
#include "core/model/wire.h"
#include "core/net/lines.h"
#include "core/net/sse.h"

struct jsonout;

struct wire {
	const char *name;
	const char *path; /* "/responses", behind the version */
	bool versioned;   /* the path lies below "/v1" */
	enum wire_auth auth;
	void (*request)(const struct wire_options *options, const struct model_request *request,
		struct jsonout *out);
	/* One object of the stream, or a whole reply that came in place of one.  name: of the
	 * event, "" for none. */
	void (*payload)(struct wire_reader *reader, const char *name, const json_t *object);
};

enum wire_kind { WIRE_UNKNOWN, WIRE_EVENTS, WIRE_LINES, WIRE_DOCUMENT, WIRE_FOREIGN };

/* responses: one text of the reply, as it was handed on; it ends where the next begins. */
struct wire_part {
	int64_t output, content; /* where it belongs, -1: not said */
	size_t from;             /* within what was said */
};

struct wire_reader {
	const struct wire *wire;
	struct wire_limits limits;
	struct wire_hooks hooks;
	enum wire_kind kind;
	struct lines lines;
	struct sse sse;
	struct buf body; /* a document; the beginning of what is foreign */
	size_t text_bytes;
	struct payload_join joins[2]; /* by enum model_part */
	struct buf scratch;
	bool any;                          /* something came */
	bool any_text;                     /* some of it was text of the reply */
	bool lined;                        /* a line was one object: it is no document */
	bool stopped;                      /* nothing more is read: an error */
	bool finished;                     /* the terminal marker came */
	bool refused;                      /* the model refused in words */
	bool in_call;                      /* a tool call is being written out as text */
	enum model_stop stop;              /* of the marker */
	char *reason, *error, *request_id; /* the peer's words; NULL: none */
	enum wire_fault fault;
	struct model_usage usage;
	int64_t fresh_input, cache_made; /* anthropic: what the input is the sum of, with cached */
	struct buf said;                 /* responses: the text of all parts */
	struct wire_part *parts;         /* responses: in their order */
	size_t part_count;
};

extern const struct wire wire_chat, wire_responses, wire_anthropic, wire_ollama;

/* --- wire_reply.c --- */

/* A stretch of text or reasoning: joined, counted, handed on. */
void wire_text(struct wire_reader *reader, enum model_part part, const char *bytes, size_t len);
/* object[key], where it is a text that is not empty. */
void wire_text_of(
	struct wire_reader *reader, enum model_part part, const json_t *object, const char *key);
/* Nothing follows: halves that wait are handed on as what they are. */
void wire_text_rest(struct wire_reader *reader);
/* The terminal marker, with the peer's word for why. */
void wire_finish(struct wire_reader *reader, enum model_stop stop, const char *reason);
/* The stream is in error: our words, and nothing more is read. */
void wire_fail(struct wire_reader *reader, enum wire_fault fault, const char *fmt, ...)
	ATTR_PRINTF(3, 4);
/* A word the format does not know ends the reply, but not cleanly. */
void wire_unknown_end(struct wire_reader *reader, const char *reason);

/* At most so many bytes, and whole characters. */
size_t wire_cut(const char *bytes, size_t len, size_t most);
/* Keep a peer's word, bounded, in place of what *slot held. */
void wire_word(char **slot, const char *word);

/* A tool call, which no program is: written out as JSON text, so that it is recognised as one. */
void wire_call_begin(struct wire_reader *reader, const char *name);
void wire_call_end(struct wire_reader *reader);

/* --- wire_error.c --- */

/* The error that an object is or holds; false: it holds none. */
bool wire_error_in(struct wire_reader *reader, const json_t *object);
/* What a text of no known shape is about. */
enum wire_fault wire_fault_of_words(const char *bytes, size_t len);
/* An error object itself. */
void wire_error(struct wire_reader *reader, const json_t *error);

#endif
