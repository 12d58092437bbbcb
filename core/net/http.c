/*
 * libcurl says which sockets and which time it waits for; the loop says when they are due.  Inside
 * its call backs nothing may be added or removed, so a transfer that is cancelled there is only
 * marked, and goes when libcurl has returned.
 */
#include "config.h"

#include "core/net/http.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"

#define REDIRECTS_MAX 5

struct http {
	struct loop *loop;
	CURLM *multi;
	struct loop_timer *timer;
	struct http_transfer *first;
	bool inside; /* libcurl runs */
};

struct http_transfer {
	struct http *http;
	struct http_transfer *next;
	struct http_hooks hooks;
	CURL *easy;
	struct curl_slist *headers;
	char *url, *body;
	size_t max_bytes, bytes;
	int64_t idle_ns; /* -1: for ever */
	struct loop_timer *idle;
	char error[CURL_ERROR_SIZE];
	char *why; /* our own reason to end it; NULL: none */
	unsigned redirects;
	bool unwanted; /* on_body wants no more */
	bool timed_out;
	bool cancelled;
};

/* --- the loop's side --- */

static void drain(struct http *http);

static void
act(struct http *http, curl_socket_t fd, int what)
{
	int running;

	http->inside = true;
	curl_multi_socket_action(http->multi, fd, what, &running);
	http->inside = false;
	drain(http);
}

static void
on_socket(int fd, unsigned events, void *arg)
{
	act(arg, fd,
		(events & LOOP_READ ? CURL_CSELECT_IN : 0) |
			(events & LOOP_WRITE ? CURL_CSELECT_OUT : 0));
}

static void
on_timer(void *arg)
{
	act(arg, CURL_SOCKET_TIMEOUT, 0);
}

/* libcurl waits for this socket; its watch is kept as the socket's own datum. */
static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *datum)
{
	struct http *http = arg;
	struct loop_watch *watch = datum;
	unsigned events =
		(what & CURL_POLL_IN ? LOOP_READ : 0) | (what & CURL_POLL_OUT ? LOOP_WRITE : 0);

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		loop_unwatch(watch);
		curl_multi_assign(http->multi, fd, NULL);
	} else if (watch) {
		loop_watch_set(watch, events);
	} else {
		watch = loop_watch(http->loop, fd, events, LOOP_STREAMS, on_socket, http);
		curl_multi_assign(http->multi, fd, watch);
	}
	return 0;
}

static int
set_timer(CURLM *multi, long ms, void *arg)
{
	struct http *http = arg;

	(void)multi;
	if (ms < 0)
		loop_timer_stop(http->timer);
	else
		loop_timer_in(http->timer, ms * NS_PER_MS);
	return 0;
}

/* No process that is started later is to have it. */
static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	(void)arg;
	(void)purpose;
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

struct http *
http_new(struct loop *loop)
{
	static bool initialized;
	struct http *http = mem_zero(1, sizeof(*http));

	if (!initialized && curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		abort();
	initialized = true;
	http->loop = loop;
	http->multi = curl_multi_init();
	http->timer = loop_timer_new(loop, on_timer, http);
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
	return http;
}

/* --- one transfer --- */

static int
status_of(const struct http_transfer *transfer)
{
	long status = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
	return (int)status;
}

static bool
is_redirect(int status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static void
stir(struct http_transfer *transfer)
{
	if (transfer->idle_ns >= 0)
		loop_timer_in(transfer->idle, transfer->idle_ns);
}

static size_t
on_bytes(char *bytes, size_t size, size_t count, void *arg)
{
	struct http_transfer *transfer = arg;
	size_t len = size * count;
	int status = status_of(transfer);

	stir(transfer);
	if (transfer->cancelled)
		return 0;
	if (is_redirect(status))
		return len;
	transfer->bytes += len;
	if (transfer->bytes > transfer->max_bytes) {
		transfer->why =
			mem_printf("the answer is longer than %zu bytes", transfer->max_bytes);
		return 0;
	}
	transfer->unwanted = !transfer->hooks.on_body(status, bytes, len, transfer->hooks.arg);
	return transfer->unwanted || transfer->cancelled ? 0 : len;
}

static size_t
on_header(char *bytes, size_t size, size_t count, void *arg)
{
	(void)bytes;
	stir(arg);
	return size * count;
}

static void
unlink_transfer(struct http_transfer *transfer)
{
	struct http_transfer **link = &transfer->http->first;

	while (*link != transfer)
		link = &(*link)->next;
	*link = transfer->next;
}

static void
release(struct http_transfer *transfer)
{
	unlink_transfer(transfer);
	curl_multi_remove_handle(transfer->http->multi, transfer->easy);
	curl_easy_cleanup(transfer->easy);
	for (struct curl_slist *at = transfer->headers; at; at = at->next)
		explicit_bzero(at->data, strlen(at->data));
	curl_slist_free_all(transfer->headers);
	loop_timer_free(transfer->idle);
	free(transfer->url);
	free(transfer->body);
	free(transfer->why);
	free(transfer);
}

static void
tell(struct http_transfer *transfer, CURLcode code)
{
	bool reached = code != CURLE_COULDNT_RESOLVE_HOST && code != CURLE_COULDNT_RESOLVE_PROXY &&
		       code != CURLE_COULDNT_CONNECT && code != CURLE_SSL_CONNECT_ERROR &&
		       code != CURLE_PEER_FAILED_VERIFICATION;
	struct http_done done = {
		.status = status_of(transfer),
		.clean = code == CURLE_OK && !transfer->why,
		.error = transfer->why                ? transfer->why
			 : code == CURLE_OK           ? NULL
			 : transfer->unwanted         ? NULL
			 : transfer->error[0] != '\0' ? transfer->error
						      : curl_easy_strerror(code),
		.unreached = !reached,
		.distrusted = code == CURLE_PEER_FAILED_VERIFICATION,
		.timed_out = transfer->timed_out || code == CURLE_OPERATION_TIMEDOUT,
	};

	transfer->hooks.on_done(&done, transfer->hooks.arg);
}

/* --- redirects --- */

static char *
part_of(const char *url, CURLUPart part)
{
	CURLU *parsed = curl_url();
	char *text = NULL, *copy;

	if (curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK)
		curl_url_get(parsed, part, &text, part == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0);
	copy = mem_str(text);
	curl_free(text);
	curl_url_cleanup(parsed);
	return copy;
}

static bool
same_part(const char *a, const char *b, CURLUPart part)
{
	AUTO_FREE char *of_a = part_of(a, part);
	AUTO_FREE char *of_b = part_of(b, part);

	return of_a && of_b && strcasecmp(of_a, of_b) == 0;
}

static bool
same_place(const char *a, const char *b)
{
	return same_part(a, b, CURLUPART_SCHEME) && same_part(a, b, CURLUPART_HOST) &&
	       same_part(a, b, CURLUPART_PORT);
}

/* Sent again to where it points, when that is the same place and the request stays the same one. */
static bool
follows_redirect(struct http_transfer *transfer)
{
	int status = status_of(transfer);
	char *target = NULL;

	if (!is_redirect(status))
		return false;
	curl_easy_getinfo(transfer->easy, CURLINFO_REDIRECT_URL, &target);
	if (!target) {
		transfer->why = mem_str("a redirect that points nowhere");
		return false;
	}
	if ((status != 307 && status != 308) || !same_place(transfer->url, target)) {
		transfer->why = mem_printf("a redirect to %.300s, which is not followed", target);
		return false;
	}
	if (++transfer->redirects > REDIRECTS_MAX) {
		transfer->why = mem_printf("more than %d redirects", REDIRECTS_MAX);
		return false;
	}
	free(transfer->url);
	transfer->url = mem_str(target);
	curl_multi_remove_handle(transfer->http->multi, transfer->easy);
	curl_easy_setopt(transfer->easy, CURLOPT_URL, transfer->url);
	curl_multi_add_handle(transfer->http->multi, transfer->easy);
	return true;
}

/* --- ends --- */

static void
finish(struct http_transfer *transfer, CURLcode code)
{
	if (!transfer->cancelled && code == CURLE_OK && follows_redirect(transfer))
		return;
	/* A call back may cancel it. */
	transfer->http->inside = true;
	if (!transfer->cancelled)
		tell(transfer, code);
	transfer->http->inside = false;
	release(transfer);
}

static void
drain(struct http *http)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(http->multi, &left))) {
		struct http_transfer *transfer;
		CURLcode code = message->data.result;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
		finish(transfer, code);
	}
}

static void
on_idle(void *arg)
{
	struct http_transfer *transfer = arg;

	transfer->timed_out = true;
	transfer->why =
		mem_printf("nothing came for %lld s", (long long)(transfer->idle_ns / NS_PER_S));
	finish(transfer, CURLE_OPERATION_TIMEDOUT);
}

void
http_cancel(struct http_transfer *transfer)
{
	if (!transfer)
		return;
	transfer->cancelled = true;
	if (!transfer->http->inside)
		release(transfer);
}

void
http_free(struct http *http)
{
	if (!http)
		return;
	while (http->first)
		release(http->first);
	curl_multi_cleanup(http->multi);
	loop_timer_free(http->timer);
	free(http);
}

/* --- the start --- */

int
http_check_url(const char *url, struct err *err)
{
	AUTO_FREE char *scheme = part_of(url, CURLUPART_SCHEME);
	AUTO_FREE char *host = part_of(url, CURLUPART_HOST);
	AUTO_FREE char *user = part_of(url, CURLUPART_USER);

	if (!scheme || !host ||
		(strcasecmp(scheme, "http") != 0 && strcasecmp(scheme, "https") != 0))
		return err_set(err, ERR_USAGE,
			"%.200s is no address of a server: write http://... or https://...", url);
	if (user)
		return err_set(err, ERR_USAGE,
			"the address of %.200s holds a user or a password: it would stand in the "
			"record",
			host);
	return 0;
}

/* libcurl looks for these by itself only in its own tool. */
static void
set_certificates(CURL *easy)
{
	static const char *const files[] = { "CURL_CA_BUNDLE", "SSL_CERT_FILE" };
	const char *folder = getenv("SSL_CERT_DIR");

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const char *file = getenv(files[i]);

		if (!file || !file[0])
			continue;
		curl_easy_setopt(easy, CURLOPT_CAINFO, file);
		break;
	}
	if (folder && folder[0])
		curl_easy_setopt(easy, CURLOPT_CAPATH, folder);
}

static void
set_request(struct http_transfer *transfer, const struct http_request *request)
{
	CURL *easy = transfer->easy;

	for (size_t i = 0; request->headers && request->headers[i]; i++)
		transfer->headers = curl_slist_append(transfer->headers, request->headers[i]);
	/* Or a large body waits a second for a server that never answers that. */
	transfer->headers = curl_slist_append(transfer->headers, "Expect:");
	curl_easy_setopt(easy, CURLOPT_URL, transfer->url);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers);
	if (request->body) {
		curl_easy_setopt(easy, CURLOPT_POST, 1L);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, transfer->body);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_len);
	}
	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_ms);
	if (request->total_ms >= 0)
		curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)request->total_ms);
}

static void
set_manners(struct http_transfer *transfer)
{
	CURL *easy = transfer->easy;

	curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->error);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	/* A name that nobody resolves must not hold up its cancelling. */
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	set_certificates(easy);
}

struct http_transfer *
http_start(struct http *http, const struct http_request *request, const struct http_hooks *hooks,
	struct err *err)
{
	struct http_transfer *transfer;

	if (http_check_url(request->url, err) < 0)
		return NULL;
	transfer = mem_zero(1, sizeof(*transfer));
	transfer->http = http;
	transfer->hooks = *hooks;
	transfer->url = mem_str(request->url);
	transfer->body = request->body ? mem_strn(request->body, request->body_len) : NULL;
	transfer->max_bytes = request->max_bytes;
	transfer->idle_ns = request->idle_ms < 0 ? -1 : request->idle_ms * NS_PER_MS;
	transfer->idle = loop_timer_new(http->loop, on_idle, transfer);
	transfer->easy = curl_easy_init();
	transfer->next = http->first;
	http->first = transfer;
	set_request(transfer, request);
	set_manners(transfer);
	stir(transfer);
	curl_multi_add_handle(http->multi, transfer->easy);
	return transfer;
}

const char *
http_header(const struct http_transfer *transfer, const char *name)
{
	struct curl_header *header;

	if (curl_easy_header(transfer->easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
		return NULL;
	return header->value;
}
