/*
 * Only the end is kept: what comes pushes out what came first.
 */
#include "config.h"

#include "core/tools/tail.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/base/loop.h"

#define READ_MAX 4096

static void
keep(struct tail *tail, char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i] == '\0')
			bytes[i] = ' ';
	if (len > TAIL_BYTES) {
		bytes += len - TAIL_BYTES;
		len = TAIL_BYTES;
	}
	if (tail->len + len > TAIL_BYTES) {
		size_t drop = tail->len + len - TAIL_BYTES;

		memmove(tail->text, tail->text + drop, tail->len - drop);
		tail->len -= drop;
	}
	memcpy(tail->text + tail->len, bytes, len);
	tail->len += len;
	tail->text[tail->len] = '\0';
}

/* One read; false when nothing more comes now. */
static bool
read_some(struct tail *tail)
{
	char bytes[READ_MAX];
	ssize_t got = read(tail->fd, bytes, sizeof(bytes));

	if (got > 0) {
		keep(tail, bytes, (size_t)got);
		return true;
	}
	if (got == 0 || (errno != EAGAIN && errno != EINTR))
		loop_watch_set(tail->watch, 0);
	return false;
}

static void
on_readable(int fd, unsigned events, void *arg)
{
	read_some(arg);
}

void
tail_open(struct tail *tail, struct loop *loop, int fd)
{
	tail->fd = fd;
	tail->len = 0;
	tail->text[0] = '\0';
	tail->watch = loop_watch(loop, fd, LOOP_READ, LOOP_STREAMS, on_readable, tail);
}

void
tail_close(struct tail *tail)
{
	if (!tail->watch)
		return;
	for (int i = 0; i < 64 && read_some(tail); i++)
		;
	loop_unwatch(tail->watch);
	tail->watch = NULL;
	close(tail->fd);
}

const char *
tail_line(struct tail *tail)
{
	char *line;

	while (tail->len > 0 && strchr(" \n\r\t", tail->text[tail->len - 1]))
		tail->text[--tail->len] = '\0';
	if (tail->len == 0)
		return NULL;
	line = strrchr(tail->text, '\n');
	return line ? line + 1 : tail->text;
}
