/*
 * Bytes come in bounded pieces; whole lines are taken in order.  A run of record lines goes to
 * on_lines and the reader as one piece, so following a busy session costs little.  Any hook may
 * free the client: while lines are taken that is put off, and nothing more is said.
 */
#include "config.h"

#include "tui/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/record/event.h"
#include "core/record/reader.h"

#define CHUNK 65536
#define LINE_CEILING (80u << 20)
#define CONSOLE_BYTES 8
#define COUNT_MAX ((int64_t)1 << 53)

struct client {
	struct loop *loop;
	struct loop_watch *watch;
	int fd;
	struct client_hooks hooks;
	struct reader *reader;
	struct buf in;
	size_t seen; /* bytes of in that hold no LF */
	struct buf out;
	char console[2 * CONSOLE_BYTES + 1];
	uint64_t from;
	uint64_t next; /* the first seq that was not recorded yet when we connected */
	int64_t mono;
	uint64_t last_id;
	bool hello, live, ended, closed;
	bool busy; /* lines are being taken: client_free() only marks */
	bool freed;
};

static void
release(struct client *client)
{
	loop_unwatch(client->watch);
	close(client->fd);
	reader_free(client->reader);
	buf_release(&client->in);
	buf_release(&client->out);
	free(client);
}

/* --- out --- */

static void
interests(struct client *client)
{
	if (!client->closed)
		loop_watch_set(client->watch, LOOP_READ | (client->out.len > 0 ? LOOP_WRITE : 0));
}

static void
send_line(struct client *client, const char *line, size_t len)
{
	if (client->closed)
		return;
	buf_put(&client->out, line, len);
	interests(client);
}

static void
send_hello(struct client *client)
{
	AUTO_FREE char *line = mem_printf("{\"hello\":1,\"console\":\"%s\",\"from\":%llu}\n",
		client->console, (unsigned long long)client->from);

	send_line(client, line, strlen(line));
}

uint64_t
client_request(struct client *client, const char *op, const char *members, size_t len)
{
	AUTO_BUF struct buf line;

	buf_init(&line, BUF_UNBOUNDED);
	buf_printf(&line, "{\"id\":%llu,\"op\":\"%s\"%s", (unsigned long long)++client->last_id, op,
		len > 0 ? "," : "");
	buf_put(&line, members, len);
	buf_str(&line, "}\n");
	send_line(client, line.data, line.len);
	return client->last_id;
}

/* --- the end of the connection --- */

static void
close_down(struct client *client, const char *why)
{
	if (client->closed)
		return;
	client->closed = true;
	loop_unwatch(client->watch);
	client->watch = NULL;
	if (client->hooks.on_closed)
		client->hooks.on_closed(client->ended ? NULL : why, client->hooks.arg);
}

/* --- in --- */

static void
go_live(struct client *client)
{
	client->live = true;
	if (client->hooks.on_live)
		client->hooks.on_live(client->hooks.arg);
}

static bool
starts(const char *line, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

static bool
is_record_line(const struct client *client, const char *line, size_t len)
{
	return client->hello && !starts(line, len, "{\"reply\":") &&
	       !starts(line, len, "{\"notice\":");
}

/* False when the line is no hello of a supervisor that we can talk to. */
static bool
take_hello(struct client *client, struct json_value root)
{
	int64_t version, next;

	if (!json_int(json_get(root, "hello"), 1, 1, &version) ||
		!json_int(json_get(root, "next"), 0, COUNT_MAX, &next) ||
		!json_int(json_get(root, "mono"), 0, INT64_MAX, &client->mono))
		return false;
	client->hello = true;
	client->next = (uint64_t)next;
	return true;
}

static void
after_hello(struct client *client)
{
	if (client->hooks.on_hello)
		client->hooks.on_hello(client, client->hooks.arg);
	if (!client->freed && client->next <= client->from)
		go_live(client);
}

static void
take_message(struct client *client, const char *line, size_t len)
{
	AUTO_JSON struct json *doc = json_read(line, len, NULL);
	struct json_value root = json_root(doc);
	int64_t id;

	if (!client->hello) {
		if (take_hello(client, root))
			after_hello(client);
		else
			close_down(client, "the other side does not speak this protocol");
	} else if (json_int(json_get(root, "reply"), 1, COUNT_MAX, &id)) {
		if (client->hooks.on_reply)
			client->hooks.on_reply((uint64_t)id, root, client->hooks.arg);
	} else if (json_text(root, "notice")) {
		if (client->hooks.on_notice)
			client->hooks.on_notice(root, client->hooks.arg);
	} else {
		close_down(client, "the supervisor sent a line that is no message");
	}
}

static void
deliver(struct client *client, const struct event_view *event)
{
	uint64_t seq = event->seq;

	client->ended |= event->type == EVENT_SESSION_END;
	if (client->hooks.on_event)
		client->hooks.on_event(event, client->hooks.arg);
	if (!client->freed && !client->live && seq + 1 >= client->next)
		go_live(client);
}

/* Whole record lines. */
static void
take_lines(struct client *client, const char *lines, size_t len)
{
	struct event_view event;
	struct err err = { 0 };
	int got;

	if (client->hooks.on_lines)
		client->hooks.on_lines(lines, len, client->hooks.arg);
	if (client->freed)
		return;
	got = reader_feed(client->reader, lines, len, &err);
	while (got >= 0 && !client->closed &&
		(got = reader_next(client->reader, &event, &err)) > 0) {
		deliver(client, &event);
		if (client->freed)
			return;
	}
	if (got < 0)
		close_down(client, err.text);
}

/* The length of the run of record lines at the front of in, LFs included. */
static size_t
record_run(const struct client *client)
{
	size_t at = 0;

	while (at < client->in.len) {
		const char *line = client->in.data + at;
		const char *end = memchr(line, '\n', client->in.len - at);

		if (!end || !is_record_line(client, line, (size_t)(end - line)))
			break;
		at += (size_t)(end - line) + 1;
	}
	return at;
}

static void
take_one(struct client *client)
{
	size_t run = record_run(client);
	const char *end;

	if (run > 0) {
		take_lines(client, client->in.data, run);
	} else {
		end = memchr(client->in.data, '\n', client->in.len);
		run = (size_t)(end - client->in.data) + 1;
		take_message(client, client->in.data, run - 1);
	}
	if (!client->freed)
		buf_take(&client->in, run);
}

static void
take_whole_lines(struct client *client)
{
	client->busy = true;
	while (!client->freed && !client->closed && client->in.len > client->seen &&
		memchr(client->in.data + client->seen, '\n', client->in.len - client->seen)) {
		client->seen = 0;
		take_one(client);
	}
	client->busy = false;
	client->seen = client->in.len;
	if (client->freed)
		release(client);
}

static void
on_socket(int fd, unsigned events, void *arg)
{
	struct client *client = arg;
	struct err err = { 0 };
	ssize_t got;

	/* A write that fails is no end yet: what the other side said before it left comes first. */
	if (events & LOOP_WRITE && io_write_some(fd, &client->out, NULL) < 0)
		buf_clear(&client->out);
	interests(client);
	if (!(events & LOOP_READ))
		return;
	got = io_read_some(fd, &client->in, CHUNK, &err);
	if (got > 0)
		take_whole_lines(client);
	else if (got == 0)
		close_down(client, "the supervisor is gone");
	else if (err.errnum != EAGAIN)
		close_down(client, err.text);
}

/* --- life --- */

struct client *
client_new(struct loop *loop, int fd, uint64_t from, const struct client_hooks *hooks)
{
	struct client *client = mem_zero(1, sizeof(*client));
	uint8_t id[CONSOLE_BYTES];

	client->loop = loop;
	client->fd = fd;
	client->from = from;
	client->hooks = *hooks;
	client->reader = reader_new(from == 0 ? READER_CHAIN : 0);
	buf_init(&client->in, LINE_CEILING);
	buf_init(&client->out, BUF_UNBOUNDED);
	hash_random(id, sizeof(id));
	hash_hex(id, sizeof(id), client->console);
	(void)!io_nonblocking(fd, NULL);
	client->watch = loop_watch(loop, fd, LOOP_READ, LOOP_STREAMS, on_socket, client);
	send_hello(client);
	return client;
}

void
client_free(struct client *client)
{
	if (client && client->busy)
		client->freed = true;
	else if (client)
		release(client);
}

const char *
client_console(const struct client *client)
{
	return client->console;
}

int64_t
client_mono(const struct client *client)
{
	return client->mono;
}
