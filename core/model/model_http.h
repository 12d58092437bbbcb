/*
 * model_http.h - a model behind HTTP: one request, its retries, its stream in even pieces.
 *
 * Before any of a reply was given, a request that failed in a way that passes is sent again, after
 * the time the server asks for or one that doubles.  After that never: what was shown stands.  The
 * first piece of a reply is handed on at once, then at most one a MODEL_PIECE_MS and part.
 *
 * Knows:      http, wire, model, loop.
 * Unaware of: what is asked; the record.
 * Calls back: as model.h says.
 */
#ifndef CORE_MODEL_MODEL_HTTP_H
#define CORE_MODEL_MODEL_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/model/wire.h"

struct err;
struct http;
struct loop;
struct model;

#define MODEL_PIECE_MS 33

struct model_http_options { /* copied */
	const struct wire *wire;
	const char *provider;
	const char *base_url;
	const char *key;        /* NULL: none; kept here only, wiped at the end */
	const char *key_source; /* "OPENAI_API_KEY": for words about it; NULL: none */
	struct wire_options options;
	int64_t connect_ms, idle_ms, total_ms; /* the last two: -1 for ever */
	size_t max_reply;                      /* bytes */
	unsigned retries;
};
/* Fails with ERR_USAGE when base_url is no address. */
struct model *model_http_new(struct loop *loop, struct http *http,
	const struct model_http_options *options, struct err *err) ATTR_CHECKED;

#endif
