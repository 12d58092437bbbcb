/*
 * http.h - HTTP requests on the loop, over libcurl's multi interface.
 *
 * TLS is verified.  Proxies and certificate stores are those of libcurl's usual variables.  A
 * redirect is followed only to the same scheme, host and port, so that a key never goes elsewhere;
 * any other is an error that names where it points.  Bodies come as they arrive.
 *
 * Knows:      libcurl, loop, buf.
 * Unaware of: what is asked.
 * Calls back: the hooks, from the loop; on_done last, once, and never after http_cancel().
 */
#ifndef CORE_NET_HTTP_H
#define CORE_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"

struct err;
struct http;
struct http_transfer;
struct loop;

/* Borrows the loop. */
struct http *http_new(struct loop *loop);
void http_free(struct http *http); /* NULL is fine; cancels what goes on */

struct http_request {       /* copied */
	const char *method; /* "POST" */
	const char *url;
	const char *const *headers; /* "Name: value", NULL-terminated; NULL: none */
	const char *body;           /* NULL: none */
	size_t body_len;
	int64_t connect_ms; /* until the connection stands, name and TLS included */
	int64_t idle_ms;    /* between two bytes, the first included; -1: for ever */
	int64_t total_ms;   /* -1: for ever */
	size_t max_bytes;   /* of the body; more is a failure */
};

struct http_done {
	int status;        /* 0: no answer came */
	bool clean;        /* the body ended as HTTP says it must */
	const char *error; /* for people, without the key; NULL: none.  Also with a status: cut */
	bool unreached;    /* nothing was sent: no name, no connection, TLS refused */
	bool distrusted;   /* the server's certificate is none that is trusted */
	bool timed_out;
};

struct http_hooks {
	/* Each piece of the body, with the status of its head.  false: no more is wanted, and
	 * on_done follows as after an error. */
	bool (*on_body)(int status, const char *bytes, size_t len, void *arg);
	/* Headers can be read from inside on_done and on_body. */
	void (*on_done)(const struct http_done *done, void *arg);
	void *arg;
};

/* ERR_USAGE for a URL that is none, whose scheme is not http or https, or that holds a password. */
int http_check_url(const char *url, struct err *err) ATTR_CHECKED;
/* Fails as http_check_url() does. */
struct http_transfer *http_start(struct http *http, const struct http_request *request,
	const struct http_hooks *hooks, struct err *err) ATTR_CHECKED;
/* At once, without any hook; also in the middle of a name's resolution.  NULL is fine. */
void http_cancel(struct http_transfer *transfer);
/* A header of the answer, by its name in any case; NULL: not there.  Borrowed. */
const char *http_header(const struct http_transfer *transfer, const char *name);

#endif
