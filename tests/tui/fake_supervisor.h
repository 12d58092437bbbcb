/*
 * fake_supervisor.h - the other end of a client's socket, played by the test: it says what the test
 * tells it to and keeps what it heard.  It follows no rule of the real one.
 */
#ifndef TESTS_TUI_FAKE_SUPERVISOR_H
#define TESTS_TUI_FAKE_SUPERVISOR_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/record/event.h"
#include "core/record/writer.h"

struct fake_supervisor {
	int fd;                /* ours */
	int theirs;            /* for client_new() */
	struct record *record; /* over a memory file */
	size_t sent;           /* bytes of the record */
	struct buf heard;
};

static inline void
fake_begin(struct fake_supervisor *fake)
{
	memset(fake, 0, sizeof(*fake));
	if (io_pair(&fake->fd, &fake->theirs, NULL) < 0)
		abort();
	fake->record = record_new(memfd_create("record", MFD_CLOEXEC), 0);
	buf_init(&fake->heard, BUF_UNBOUNDED);
	if (io_nonblocking(fake->fd, NULL) < 0)
		abort();
}

static inline void
fake_hang_up(struct fake_supervisor *fake)
{
	if (fake->fd >= 0)
		close(fake->fd);
	fake->fd = -1;
}

static inline void
fake_end(struct fake_supervisor *fake)
{
	fake_hang_up(fake);
	record_free(fake->record);
	buf_release(&fake->heard);
}

static inline void
fake_say(struct fake_supervisor *fake, const char *line)
{
	if (io_write_all(fake->fd, line, strlen(line), NULL) < 0)
		abort();
}

static inline void
fake_hello(struct fake_supervisor *fake, unsigned next)
{
	AUTO_BUF struct buf line;

	buf_init(&line, 1024);
	buf_printf(&line,
		"{\"hello\":1,\"version\":\"0.1.0\",\"id\":\"%032d\",\"name\":\"fake-1\","
		"\"next\":%u,\"mono\":5000}\n",
		0, next);
	fake_say(fake, line.data);
}

/* One event with one text field into the record. */
static inline void
fake_event(struct fake_supervisor *fake, enum event_type type, const char *key, const char *text)
{
	struct event event;

	event_init(&event);
	event_begin(&event, type);
	event_str(&event, key, text);
	if (record_append(fake->record, &event, NULL, NULL) < 0 ||
		record_write(fake->record, NULL) < 0)
		abort();
	event_release(&event);
}

/* What the record holds and was not sent yet; step: bytes a write, 0 for all at once. */
static inline void
fake_send_record(struct fake_supervisor *fake, size_t step, void (*between)(void *arg), void *arg)
{
	size_t end = (size_t)record_written(fake->record);

	while (fake->sent < end) {
		char piece[4096];
		size_t want = end - fake->sent < sizeof(piece) ? end - fake->sent : sizeof(piece);
		ssize_t got;

		want = step && step < want ? step : want;
		got = pread(record_fd(fake->record), piece, want, (off_t)fake->sent);
		if (got <= 0 || io_write_all(fake->fd, piece, (size_t)got, NULL) < 0)
			abort();
		fake->sent += (size_t)got;
		if (between)
			between(arg);
	}
}

static inline const char *
fake_hear(struct fake_supervisor *fake)
{
	while (io_read_some(fake->fd, &fake->heard, 65536, NULL) > 0)
		;
	return fake->heard.data ? fake->heard.data : "";
}

#endif
