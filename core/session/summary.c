/*
 * The tail is read from behind in growing pieces until the session's end is in it; reading begins
 * after a whole event line, where the next line is an event's first.
 */
#include "config.h"

#include "core/session/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/reader.h"

#define CHUNK 16384
#define HEAD_MAX ((off_t)1 << 20) /* the task stands within */
#define TAIL_FIRST ((off_t)16 << 10)
#define TAIL_MAX ((off_t)2 << 20)
#define SCAN_MAX ((off_t)64 << 20)
#define TASK_MAX 400
#define EVENT_BEGINS "{\"v\":1,\"seq\":"
#define DENIED "\"verdict\":\"deny\""
#define LINE_HEAD 200 /* the type of an event stands within */

static char *
text_of(struct json_value data, const char *key)
{
	return mem_str(json_text(data, key));
}

/* --- the head --- */

static void
take_head(struct summary *summary, const struct event_view *event)
{
	size_t len = 0;
	const char *text;

	if (event->type == EVENT_SESSION_START) {
		summary->name = text_of(event->data, "name");
		summary->mode = text_of(event->data, "mode");
		summary->began = clock_utc_read(event->t) - event->mono;
	} else if (event->type == EVENT_TASK && !summary->task) {
		text = event_view_content(event, "text", &len, NULL);
		summary->task = text ? mem_strn(text, len < TASK_MAX ? len : TASK_MAX) : NULL;
	}
}

/* Done with the task, or where no task can come any more. */
static bool
head_ends(const struct event_view *event)
{
	return event->type == EVENT_TASK || event->type == EVENT_CALL_REQUEST ||
	       event->type == EVENT_RUN_END || event->type == EVENT_SESSION_END;
}

static void
read_head(int fd, struct summary *summary)
{
	struct reader *reader = reader_new(READER_CHAIN | READER_LENIENT);
	struct event_view event;
	struct err err = { 0 };
	char chunk[CHUNK];
	bool done = false;
	off_t at = 0;

	while (!done && at < HEAD_MAX) {
		ssize_t got = pread(fd, chunk, sizeof(chunk), at);
		int next = got > 0 ? reader_feed(reader, chunk, (size_t)got, &err) : -1;

		if (next < 0)
			break;
		at += got;
		while (!done && (next = reader_next(reader, &event, &err)) > 0) {
			take_head(summary, &event);
			done = head_ends(&event);
		}
		if (next < 0 && !done)
			break;
	}
	reader_free(reader);
	if (err.kind != ERR_NONE)
		summary->fault = mem_str(err.text);
}

char *
summary_config(const char *path, size_t *len, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct reader *reader;
	struct event_view event;
	char chunk[CHUNK];
	char *config = NULL;
	int next = 0;
	ssize_t got;

	if (fd < 0) {
		err_sys(err, errno, "%s", path);
		return NULL;
	}
	reader = reader_new(READER_CHAIN | READER_LENIENT);
	while (next == 0 && (got = read(fd, chunk, sizeof(chunk))) > 0)
		next = reader_feed(reader, chunk, (size_t)got, err) < 0
			       ? -1
			       : reader_next(reader, &event, err);
	if (next > 0 && event.type == EVENT_SESSION_START) {
		const char *text = event_view_content(&event, "config", len, NULL);

		config = text ? mem_strn(text, *len) : NULL;
	}
	reader_free(reader);
	if (!config && next >= 0)
		err_set(err, ERR_FORMAT, "%s: it holds no configuration", path);
	return config;
}

/* --- the tail --- */

static void
take_tail(struct summary *summary, const struct event_view *event)
{
	struct json_value data = event->data;
	int64_t number;

	summary->length = event->mono;
	if (event->type == EVENT_RUN_END) {
		if (json_int(json_get(data, "calls"), 0, INT64_MAX, &number))
			summary->calls = number;
		if (json_int(json_get(data, "denied"), 0, INT64_MAX, &number))
			summary->denied = number;
	} else if (event->type == EVENT_SESSION_END) {
		summary->ended = true;
		free(summary->outcome);
		free(summary->closed_by);
		summary->outcome = text_of(data, "outcome");
		summary->closed_by = text_of(data, "closed_by");
		summary->exit_code = 1;
		if (json_int(json_get(data, "exit_code"), 0, 255, &number))
			summary->exit_code = (int)number;
	}
}

static bool
starts(const char *line, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* Behind the first whole event line of the piece; its end when there is none. */
static size_t
after_an_event(const char *bytes, size_t len, bool whole)
{
	size_t at = 0;

	while (!whole && at < len) {
		const char *end = memchr(bytes + at, '\n', len - at);
		size_t line = at;

		if (!end)
			return len;
		at = (size_t)(end - bytes) + 1;
		if (line > 0 && starts(bytes + line, len - line, EVENT_BEGINS))
			break;
	}
	return at;
}

/* The last `size` bytes of the record. */
static void
read_tail(int fd, off_t all, off_t size, struct summary *summary)
{
	AUTO_FREE char *bytes = mem_zero((size_t)size, 1);
	struct reader *reader = reader_new(READER_LENIENT | (size == all ? READER_CHAIN : 0));
	struct event_view event;
	ssize_t got = pread(fd, bytes, (size_t)size, all - size);
	size_t len = got > 0 ? (size_t)got : 0;
	size_t from = after_an_event(bytes, len, size == all);

	summary->torn = len > 0 && bytes[len - 1] != '\n';
	if (reader_feed(reader, bytes + from, len - from, NULL) == 0)
		while (reader_next(reader, &event, NULL) > 0)
			take_tail(summary, &event);
	reader_free(reader);
}

/* --- a record without an end --- */

struct scan {
	int64_t calls, denied;
};

static bool
line_has(const char *line, size_t len, const char *words)
{
	return memmem(line, len < LINE_HEAD ? len : LINE_HEAD, words, strlen(words)) != NULL;
}

static void
scan_line(struct scan *scan, const char *line, size_t len)
{
	if (!starts(line, len, EVENT_BEGINS))
		return;
	if (line_has(line, len, "\"type\":\"call.request\""))
		scan->calls++;
	else if (line_has(line, len, "\"type\":\"call.decided\""))
		scan->denied += memmem(line, len, DENIED, strlen(DENIED)) != NULL;
}

static void
count_calls(int fd, struct summary *summary)
{
	AUTO_BUF struct buf held;
	struct scan scan = { 0 };
	char chunk[4 * CHUNK];
	off_t at = 0;
	ssize_t got;

	buf_init(&held, BUF_UNBOUNDED);
	while (at < SCAN_MAX && (got = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		size_t from = 0;
		char *end;

		at += got;
		buf_put(&held, chunk, (size_t)got);
		while ((end = memchr(held.data + from, '\n', held.len - from))) {
			scan_line(&scan, held.data + from, (size_t)(end - held.data) - from);
			from = (size_t)(end - held.data) + 1;
		}
		buf_take(&held, from);
	}
	if (at < SCAN_MAX) {
		summary->calls = scan.calls;
		summary->denied = scan.denied;
	}
}

/* --- the whole --- */

static void
read_ends(int fd, struct summary *summary)
{
	struct stat stat;
	off_t size = TAIL_FIRST;

	if (fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode)) {
		summary->fault = mem_str("no regular file");
		return;
	}
	read_head(fd, summary);
	while (stat.st_size > 0 && !summary->ended) {
		if (size > stat.st_size)
			size = stat.st_size;
		read_tail(fd, stat.st_size, size, summary);
		if (size == stat.st_size || size >= TAIL_MAX)
			break;
		size *= 8;
	}
	if (!summary->ended)
		count_calls(fd, summary);
}

void
summary_read(const char *path, struct summary *summary)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	*summary = (struct summary){ .length = -1, .calls = -1, .denied = -1 };
	if (fd < 0)
		summary->fault = mem_str(strerror(errno));
	else
		read_ends(fd, summary);
}

void
summary_release(struct summary *summary)
{
	free(summary->name);
	free(summary->mode);
	free(summary->task);
	free(summary->outcome);
	free(summary->closed_by);
	free(summary->fault);
	memset(summary, 0, sizeof(*summary));
}

const char *
summary_state(const struct summary *summary)
{
	if (summary->ended)
		return summary->outcome ? summary->outcome : "ended";
	if (summary->fault)
		return "unreadable";
	return summary->torn ? "torn" : "cut off";
}
