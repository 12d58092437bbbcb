/*
 * wire.h - the four wire formats: how a request is written, and how a stream is read.
 *
 * A reader takes the bytes of one HTTP body, however they are split, and gives text, reasoning and
 * the end.  It sniffs what came (a stream of events, of lines, a whole document, a page of a proxy)
 * whatever the content type says, and bounds everything.
 *
 * Knows:      sse, jansson (through payload), json, model.
 * Unaware of: HTTP, retries, what the text is for.
 * Calls back: on_delta from inside wire_feed().
 */
#ifndef CORE_MODEL_WIRE_H
#define CORE_MODEL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/model/model.h"

struct buf;
struct wire;
struct wire_reader;

/* "openai" (Responses), "openai-chat", "anthropic", "ollama"; NULL for any other. */
const struct wire *wire_find(const char *name);

enum wire_auth {
	WIRE_BEARER,    /* Authorization: Bearer KEY */
	WIRE_X_API_KEY, /* x-api-key: KEY, and anthropic-version */
};
enum wire_auth wire_auth(const struct wire *wire);
/* "/v1/responses": what follows a base URL that has no path of its own; "/responses" after one that
 * ends in a version ("/v1").  Gives memory. */
char *wire_url(const struct wire *wire, const char *base_url);

struct wire_options {
	const char *name;       /* of the model */
	int64_t max_output;     /* tokens; -1: not sent, where the format allows that */
	int64_t context;        /* tokens of context; -1: the server's own (ollama: num_ctx) */
	const char *effort;     /* of reasoning, in the provider's word; NULL: not sent */
	bool no_stream_options; /* the endpoint refused them (chat) */
};
/* Append the body of a request. */
void wire_request(const struct wire *wire, const struct wire_options *options,
	const struct model_request *request, struct buf *out);

struct wire_hooks {
	void (*on_delta)(enum model_part part, const char *bytes, size_t len, void *arg);
	void *arg;
};
struct wire_limits {  /* bytes */
	size_t event; /* one line or event */
	size_t text;  /* text and reasoning together */
};

struct wire_reader *wire_reader_new(
	const struct wire *wire, const struct wire_limits *limits, const struct wire_hooks *hooks);
void wire_reader_free(struct wire_reader *reader); /* NULL is fine */
/* false: nothing more is wanted (a limit, an error); what comes is dropped. */
bool wire_feed(struct wire_reader *reader, const char *bytes, size_t len);
/* The terminal marker came: what may still follow is usage, or an error. */
bool wire_reader_finished(const struct wire_reader *reader);
/*
 * The body has ended; clean: as HTTP has it.  Fills stop, reason, error, usage and request_id as
 * far as the body says (Anthropic's error has one); text in it is the reader's.  status: of HTTP.
 * An error body (status of 400 and more) is read as one.  Call once.
 */
void wire_end(struct wire_reader *reader, int status, bool clean, struct model_end *end);

/* After wire_end(): what the error was about, for retries. */
enum wire_fault {
	WIRE_NO_FAULT,
	WIRE_OVERLOADED,     /* worth another try later */
	WIRE_NOT_AGAIN,      /* quota, bad request, bad key */
	WIRE_CONTEXT,        /* the prompt is too long for the context */
	WIRE_STREAM_OPTIONS, /* the endpoint knows no stream_options */
};
enum wire_fault wire_reader_fault(const struct wire_reader *reader);

#endif
