/*
 * Record lines are copied from the file in chunks that end at a line's end; a line longer than a
 * chunk grows the chunk.  Reading from the socket stops while answers pile up.
 */
#include "config.h"

#include "core/run/console.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/jsonout.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/record/writer.h"

#define PROTOCOL 1
#define CHUNK 65536
#define OUT_HIGH (4 * CHUNK)
#define REQUEST_MAX (4 << 20) /* an edit brings all arguments, or a whole program */
#define ID_MAX ((int64_t)1 << 53)

struct console {
	struct loop *loop;
	struct loop_watch *watch;
	int fd;
	char *who;
	struct console_session session;
	struct console_hooks hooks;
	struct buf in;
	struct buf out;
	char id[CONSOLE_ID_SIZE];
	bool hello;
	bool gone;
	bool more; /* the record holds lines beyond the chunk in hand: go on when that has left */
	off_t at;  /* offset in the record of the next byte to send; -1: waits for `from` */
	uint64_t from;
	bool *freed;
};

static void
interests(struct console *console)
{
	unsigned events = console->out.len < OUT_HIGH ? LOOP_READ : 0;

	if (console->out.len > 0 || console->more)
		events |= LOOP_WRITE;
	if (!console->gone)
		loop_watch_set(console->watch, events);
}

static void
report_gone(void *arg)
{
	struct console *console = arg;

	console->hooks.on_gone(console, console->hooks.arg);
}

static void
gone(struct console *console)
{
	if (console->gone)
		return;
	console->gone = true;
	loop_watch_set(console->watch, 0);
	loop_defer(console->loop, report_gone, console);
}

static void
flush_out(struct console *console)
{
	if (!console->gone && io_write_some(console->fd, &console->out, NULL) < 0)
		gone(console);
	interests(console);
}

/* Whole lines of [at, end) to out; false when not even one fitted into this size. */
static bool
copy_lines(struct console *console, off_t end, size_t size)
{
	size_t want = (off_t)size < end - console->at ? size : (size_t)(end - console->at);
	char *space = buf_space(&console->out, want);
	ssize_t got = pread(record_fd(console->session.record), space, want, console->at);
	char *last = got > 0 ? memrchr(space, '\n', (size_t)got) : NULL;

	if (!last)
		return false;
	buf_added(&console->out, (size_t)(last - space) + 1);
	console->at += last - space + 1;
	return true;
}

void
console_follow(struct console *console)
{
	off_t end = record_written(console->session.record);

	if (!console->hello || console->gone)
		return;
	if (console->at < 0)
		console->at = record_offset(console->session.record, console->from);
	while (console->at >= 0 && console->at < end && console->out.len < CHUNK) {
		size_t size = CHUNK;

		while (!copy_lines(console, end, size)) {
			if ((off_t)size >= end - console->at) {
				gone(console);
				return;
			}
			size *= 2;
		}
	}
	console->more = console->at >= 0 && console->at < end;
	if (console->out.len > 0)
		flush_out(console);
}

bool
console_caught_up(const struct console *console)
{
	if (console->gone || !console->hello)
		return true;
	return console->out.len == 0 && console->at == record_written(console->session.record);
}

static void
answer_hello(struct console *console)
{
	struct jsonout out;

	jsonout_init(&out, &console->out);
	jsonout_object(&out);
	jsonout_key_int(&out, "hello", PROTOCOL);
	jsonout_key_str(&out, "version", PACKAGE_VERSION);
	jsonout_key_str(&out, "id", console->session.id);
	jsonout_key_str(&out, "name", console->session.name);
	jsonout_key_int(&out, "next", (int64_t)record_next_seq(console->session.record));
	jsonout_key_int(&out, "mono", record_mono(console->session.record));
	jsonout_object_end(&out);
	buf_byte(&console->out, '\n');
}

static bool
is_console_id(const char *id)
{
	return id && strlen(id) == CONSOLE_ID_SIZE - 1 &&
	       strspn(id, "0123456789abcdef") == CONSOLE_ID_SIZE - 1;
}

static bool
take_hello(struct console *console, struct json_value root)
{
	const char *id = json_text(root, "console");
	int64_t version, from;

	if (!json_int(json_get(root, "hello"), PROTOCOL, PROTOCOL, &version) ||
		!json_int(json_get(root, "from"), 0, ID_MAX, &from) || !is_console_id(id))
		return false;
	memcpy(console->id, id, CONSOLE_ID_SIZE);
	console->from = (uint64_t)from;
	console->at = -1;
	console->hello = true;
	answer_hello(console);
	console->hooks.on_hello(console, console->hooks.arg);
	console_follow(console);
	flush_out(console);
	return true;
}

static bool
take_request(struct console *console, struct json_value root)
{
	const char *op = json_text(root, "op");
	int64_t id;

	if (!op || !json_int(json_get(root, "id"), 1, ID_MAX, &id))
		return false;
	console->hooks.on_request(console, (uint64_t)id, op, root, console->hooks.arg);
	return true;
}

/* A line that is no request ends the connection: a console that errs is not to be guessed at. */
static void
one_line(struct console *console, const char *line, size_t len)
{
	AUTO_JSON struct json *doc = json_read(line, len, NULL);
	struct json_value root = json_root(doc);
	bool taken;

	if (json_kind(root) != JSON_OBJECT)
		taken = false;
	else if (console->hello)
		taken = take_request(console, root);
	else
		taken = take_hello(console, root);
	if (!taken)
		gone(console);
}

static void
take_lines(struct console *console)
{
	bool freed = false;
	char *end;

	console->freed = &freed;
	while (!console->gone && console->in.len > 0 &&
		(end = memchr(console->in.data, '\n', console->in.len))) {
		size_t len = (size_t)(end - console->in.data);

		one_line(console, console->in.data, len);
		if (freed)
			return;
		buf_take(&console->in, len + 1);
	}
	console->freed = NULL;
}

static void
on_socket(int fd, unsigned events, void *arg)
{
	struct console *console = arg;
	struct err err = { 0 };
	ssize_t got;

	if (events & LOOP_WRITE) {
		flush_out(console);
		console_follow(console);
	}
	if (!(events & LOOP_READ) || console->gone)
		return;
	got = io_read_some(fd, &console->in, CHUNK, &err);
	if (got == 0 || (got < 0 && err.errnum != EAGAIN))
		gone(console);
	else
		take_lines(console);
}

struct console *
console_new(struct loop *loop, int fd, const char *who, const struct console_session *session,
	const struct console_hooks *hooks)
{
	struct console *console = mem_zero(1, sizeof(*console));

	console->loop = loop;
	console->fd = fd;
	console->who = mem_str(who);
	console->session = *session;
	console->hooks = *hooks;
	buf_init(&console->in, REQUEST_MAX);
	buf_init(&console->out, BUF_UNBOUNDED);
	(void)!io_nonblocking(fd, NULL);
	console->watch = loop_watch(loop, fd, LOOP_READ, LOOP_STREAMS, on_socket, console);
	return console;
}

void
console_free(struct console *console)
{
	if (console->freed)
		*console->freed = true;
	loop_undefer(console->loop, console);
	loop_unwatch(console->watch);
	close(console->fd);
	buf_release(&console->in);
	buf_release(&console->out);
	free(console->who);
	free(console);
}

const char *
console_id(const struct console *console)
{
	return console->id;
}

const char *
console_who(const struct console *console)
{
	return console->who;
}

void
console_ok(struct console *console, uint64_t id)
{
	console_follow(console);
	buf_printf(&console->out, "{\"reply\":%llu,\"ok\":true}\n", (unsigned long long)id);
	flush_out(console);
}

void
console_refuse(struct console *console, uint64_t id, const char *kind, const char *error)
{
	struct jsonout out;

	jsonout_init(&out, &console->out);
	jsonout_object(&out);
	jsonout_key_int(&out, "reply", (int64_t)id);
	jsonout_key_bool(&out, "ok", false);
	jsonout_key_str(&out, "kind", kind);
	jsonout_key_str(&out, "error", error);
	jsonout_object_end(&out);
	buf_byte(&console->out, '\n');
	flush_out(console);
}

void
console_notice(struct console *console, const char *what, const char *members)
{
	if (!console->hello)
		return;
	buf_printf(
		&console->out, "{\"notice\":\"%s\"%s%s}\n", what, members[0] ? "," : "", members);
	flush_out(console);
}
