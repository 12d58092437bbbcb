/*
 * A reply is in one of four states: none, sent, waiting to be sent again, cancelled (its end is
 * due). Nothing is ever told from inside ask() or cancel(): ends come from the loop.  A server that
 * keeps its stream open behind the terminal marker is left after a short time.
 */
#include "config.h"

#include "core/model/model_http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/model/model.h"
#include "core/model/retry.h"
#include "core/net/http.h"

#define ENVELOPE 8 /* a body may be so many times its text: each delta has its object around it */
#define ENVELOPE_MIN (1u << 20)
#define GRACE_MS 3000 /* for usage, or an error, behind the terminal marker */

struct model_http {
	struct model model;
	struct model_ops ops;
	struct loop *loop;
	struct http *http;
	struct model_http_options options;
	char *url, *place; /* place: for words */
	struct model_hooks hooks;
	struct buf body;
	const struct model_request *request;
	struct http_transfer *transfer; /* NULL: none goes on */
	struct wire_reader *reader;
	struct loop_timer *retry, *piece, *cancelled, *grace;
	unsigned tried;
	bool going;
	bool given; /* some of the reply was handed on, or waits to be */
	bool no_stream_options;
	int status;         /* of the answer that comes */
	struct buf pending; /* of one part, not handed on yet */
	enum model_part part;
	int64_t piece_at; /* when the last piece was handed on; -1: none yet */
};

/* --- pieces --- */

static void
hand_on(struct model_http *self)
{
	loop_timer_stop(self->piece);
	if (self->pending.len == 0)
		return;
	self->piece_at = loop_now(self->loop);
	self->hooks.on_delta(self->part, self->pending.data, self->pending.len, self->hooks.arg);
	buf_clear(&self->pending);
}

static void
on_piece(void *arg)
{
	hand_on(arg);
}

static void
on_delta(enum model_part part, const char *bytes, size_t len, void *arg)
{
	struct model_http *self = arg;
	int64_t due;

	/* The order of the parts is that of the stream. */
	if (part != self->part)
		hand_on(self);
	if (self->pending.len == 0) {
		due = self->piece_at < 0
			      ? 0
			      : self->piece_at + MODEL_PIECE_MS * NS_PER_MS - loop_now(self->loop);
		loop_timer_in(self->piece, due > 0 ? due : 0);
	}
	self->part = part;
	self->given = true;
	buf_put(&self->pending, bytes, len);
}

/* --- the end --- */

static void send_request(struct model_http *self);

static void
close_stream(struct model_http *self)
{
	http_cancel(self->transfer);
	self->transfer = NULL;
	wire_reader_free(self->reader);
	self->reader = NULL;
	loop_timer_stop(self->retry);
	loop_timer_stop(self->piece);
	loop_timer_stop(self->cancelled);
	loop_timer_stop(self->grace);
}

/* end's words may be the reader's, which lives until the hooks have returned. */
static void
end_reply(struct model_http *self, const struct model_end *end)
{
	struct wire_reader *reader = self->reader;

	hand_on(self);
	self->going = false;
	self->reader = NULL;
	close_stream(self);
	self->hooks.on_end(end, self->hooks.arg);
	wire_reader_free(reader);
}

static void
on_cancelled(void *arg)
{
	struct model_end end = { .stop = MODEL_CANCELLED, .usage = MODEL_USAGE_UNKNOWN };

	end_reply(arg, &end);
}

/* What a person can do about it. */
static const char *
advice(const struct model_http *self, int status, enum wire_fault fault)
{
	if (fault == WIRE_CONTEXT)
		return "; the prompt is longer than the context of the model: use a model with a "
		       "larger one, fewer tools, or a smaller model.catalogue";
	if (status == 401 || status == 403)
		return self->options.key ? "; is the key right?" : "; it wants a key";
	if (status == 404)
		return "; are model.name and model.base_url right?";
	if (status == 429)
		return "; the limits of the account are reached";
	return "";
}

static char *
error_words(const struct model_http *self, const struct http_done *done,
	const struct model_end *end, enum wire_fault fault)
{
	bool cut = end->stop == MODEL_CUT;
	const char *id = end->request_id ? end->request_id
			 : http_header(self->transfer, "x-request-id")
				 ? http_header(self->transfer, "x-request-id")
				 : http_header(self->transfer, "request-id");
	const char *said = end->error ? end->error : done->error ? done->error : "no words";
	char status[32] = "";
	bool keyed = (done->status == 401 || done->status == 403) && self->options.key_source;

	/* Of a stream that began well the status says nothing. */
	if (done->status >= 300)
		snprintf(status, sizeof(status), " answered %d", done->status);
	return mem_printf("%s%s: %s%s%s%s%s%s%s%s", self->place, status,
		cut && done->error ? done->error : said, advice(self, done->status, fault),
		keyed ? " (" : "", keyed ? self->options.key_source : "", keyed ? ")" : "",
		id ? " [request " : "", id ? id : "", id ? "]" : "");
}

static void
try_again(struct model_http *self, const char *cause, int64_t wait_ms)
{
	AUTO_FREE char *words = mem_str(cause);

	close_stream(self);
	self->hooks.on_retry(words, wait_ms, self->hooks.arg);
	loop_timer_in(self->retry, wait_ms * NS_PER_MS);
}

static bool
may_try_again(const struct model_http *self, const struct http_done *done, enum wire_fault fault)
{
	struct retry_signs signs = {
		.status = done->status,
		.unreached = done->unreached || done->status == 0,
		.overloaded = fault == WIRE_OVERLOADED,
		.final = fault == WIRE_NOT_AGAIN || fault == WIRE_CONTEXT || done->distrusted,
		.should = http_header(self->transfer, "x-should-retry"),
	};

	return !self->given && self->tried < self->options.retries && retry_may(&signs);
}

static int64_t
wait_of(struct model_http *self)
{
	struct retry_hints hints = {
		.after_ms = http_header(self->transfer, "retry-after-ms"),
		.after = http_header(self->transfer, "retry-after"),
	};

	return retry_wait_ms(&hints, self->tried, retry_jitter());
}

static void
on_done(const struct http_done *done, void *arg)
{
	struct model_http *self = arg;
	struct model_end end;
	enum wire_fault fault;
	AUTO_FREE char *words = NULL;
	AUTO_FREE char *id = NULL;

	wire_end(self->reader, done->status, done->clean, &end);
	fault = wire_reader_fault(self->reader);
	words = error_words(self, done, &end, fault);
	/* No answer at all is no reply that was cut. */
	if (end.stop == MODEL_CUT && !self->given &&
		(done->status == 0 || done->status >= 300 || done->timed_out))
		end.stop = MODEL_ERROR;
	if (end.stop == MODEL_ERROR && fault == WIRE_STREAM_OPTIONS && !self->given &&
		!self->no_stream_options) {
		self->no_stream_options = true;
		try_again(self, words, 0);
		return;
	}
	if ((end.stop == MODEL_ERROR || end.stop == MODEL_CUT) &&
		may_try_again(self, done, fault)) {
		int64_t wait_ms = wait_of(self);

		if (wait_ms >= 0) {
			self->tried++;
			try_again(self, words, wait_ms);
			return;
		}
	}
	id = mem_str(end.request_id ? end.request_id
		     : http_header(self->transfer, "x-request-id")
			     ? http_header(self->transfer, "x-request-id")
			     : http_header(self->transfer, "request-id"));
	end.request_id = id;
	if (end.stop == MODEL_ERROR || end.stop == MODEL_CUT)
		end.error = words;
	end_reply(self, &end);
}

static void
on_grace(void *arg)
{
	struct model_http *self = arg;
	struct http_done done = { .status = self->status, .clean = true };

	on_done(&done, self);
}

static bool
on_body(int status, const char *bytes, size_t len, void *arg)
{
	struct model_http *self = arg;
	bool before = wire_reader_finished(self->reader);
	bool more = wire_feed(self->reader, bytes, len);

	self->status = status;
	if (!before && wire_reader_finished(self->reader))
		loop_timer_in(self->grace, GRACE_MS * NS_PER_MS);
	return more;
}

/* --- the request --- */

static char *
key_header(const struct model_http *self)
{
	if (!self->options.key)
		return NULL;
	return wire_auth(self->options.wire) == WIRE_X_API_KEY
		       ? mem_printf("x-api-key: %s", self->options.key)
		       : mem_printf("Authorization: Bearer %s", self->options.key);
}

static void
fail_later(void *arg)
{
	struct model_end end = { .stop = MODEL_ERROR,
		.error = "the address of the model is no address",
		.usage = MODEL_USAGE_UNKNOWN };

	end_reply(arg, &end);
}

static void
send_request(struct model_http *self)
{
	const struct model_http_options *options = &self->options;
	struct http_hooks hooks = { on_body, on_done, self };
	struct wire_hooks wire_hooks = { on_delta, self };
	struct wire_limits limits = { options->max_reply, options->max_reply };
	struct wire_options wire = options->options;
	char *key = key_header(self);
	const char *headers[5] = { "Content-Type: application/json",
		"Accept: text/event-stream, application/x-ndjson, application/json" };
	size_t count = 2;
	struct http_request request = {
		.method = "POST",
		.url = self->url,
		.headers = headers,
		.connect_ms = options->connect_ms,
		.idle_ms = options->idle_ms,
		.total_ms = options->total_ms,
		.max_bytes = options->max_reply * ENVELOPE > ENVELOPE_MIN
				     ? options->max_reply * ENVELOPE
				     : ENVELOPE_MIN,
	};

	if (wire_auth(options->wire) == WIRE_X_API_KEY)
		headers[count++] = "anthropic-version: 2023-06-01";
	if (key)
		headers[count] = key;
	wire.no_stream_options = self->no_stream_options;
	buf_clear(&self->body);
	wire_request(options->wire, &wire, self->request, &self->body);
	request.body = self->body.data;
	request.body_len = self->body.len;
	self->reader = wire_reader_new(options->wire, &limits, &wire_hooks);
	self->transfer = http_start(self->http, &request, &hooks, NULL);
	if (key)
		explicit_bzero(key, strlen(key));
	free(key);
	if (!self->transfer)
		loop_defer(self->loop, fail_later, self);
}

static void
on_retry_due(void *arg)
{
	send_request(arg);
}

/* --- the model --- */

static void
ask(struct model *model, const struct model_request *request, const struct model_hooks *hooks)
{
	struct model_http *self = (struct model_http *)model;

	self->hooks = *hooks;
	self->request = request;
	self->tried = 0;
	self->going = true;
	self->given = false;
	self->piece_at = -1;
	buf_clear(&self->pending);
	send_request(self);
}

static void
cancel(struct model *model)
{
	struct model_http *self = (struct model_http *)model;

	if (!self->going)
		return;
	http_cancel(self->transfer);
	self->transfer = NULL;
	loop_timer_stop(self->retry);
	loop_timer_stop(self->grace);
	loop_timer_in(self->cancelled, 0);
}

static void
free_model(struct model *model)
{
	struct model_http *self = (struct model_http *)model;

	loop_undefer(self->loop, self);
	close_stream(self);
	loop_timer_free(self->retry);
	loop_timer_free(self->piece);
	loop_timer_free(self->cancelled);
	loop_timer_free(self->grace);
	if (self->options.key)
		explicit_bzero((char *)self->options.key, strlen(self->options.key));
	free((char *)self->options.key);
	free((char *)self->options.key_source);
	free((char *)self->options.options.name);
	free((char *)self->options.options.effort);
	free((char *)self->ops.provider);
	free(self->url);
	free(self->place);
	buf_release(&self->body);
	buf_release(&self->pending);
	free(self);
}

/* "127.0.0.1:8080": where it goes, without what else a URL may hold. */
static char *
place_of(const char *url)
{
	const char *host = strstr(url, "://");

	host = host ? host + 3 : url;
	return mem_strn(host, strcspn(host, "/?#"));
}

struct model *
model_http_new(struct loop *loop, struct http *http, const struct model_http_options *options,
	struct err *err)
{
	struct model_http *self = mem_zero(1, sizeof(*self));

	self->loop = loop;
	self->http = http;
	self->options = *options;
	self->options.key = mem_str(options->key);
	self->options.key_source = mem_str(options->key_source);
	self->options.options.name = mem_str(options->options.name);
	self->options.options.effort = mem_str(options->options.effort);
	self->ops = (struct model_ops){ mem_str(options->provider), ask, cancel, free_model };
	self->model.ops = &self->ops;
	self->url = wire_url(options->wire, options->base_url);
	self->place = place_of(self->url);
	self->retry = loop_timer_new(loop, on_retry_due, self);
	self->piece = loop_timer_new(loop, on_piece, self);
	self->cancelled = loop_timer_new(loop, on_cancelled, self);
	self->grace = loop_timer_new(loop, on_grace, self);
	buf_init(&self->body, BUF_UNBOUNDED);
	buf_init(&self->pending, BUF_UNBOUNDED);
	if (http_check_url(self->url, err) == 0)
		return &self->model;
	free_model(&self->model);
	return NULL;
}
