/*
 * A pipe that polls as writable takes 4096 bytes without blocking, so each write is that much at
 * most after a poll; the poll is the only place that waits, and a signal handler ends it.
 */
#include "config.h"

#include "tui/cmd/outlet.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/loop.h"
#include "core/base/mem.h"

#define PIECE 4096
#define AGAIN_NS (20 * NS_PER_MS)

struct outlet {
	struct loop_timer *again;
	int fd;
	bool gone;
	struct buf queue;
};

/* One piece; false when a signal came or nothing is left. */
static bool
flush_piece(struct outlet *outlet)
{
	struct pollfd poller = { .fd = outlet->fd, .events = POLLOUT };
	size_t len = outlet->queue.len < PIECE ? outlet->queue.len : PIECE;
	ssize_t put;

	if (len == 0 || (poll(&poller, 1, -1) < 0 && errno == EINTR))
		return false;
	put = write(outlet->fd, outlet->queue.data, len);
	if (put > 0)
		buf_take(&outlet->queue, (size_t)put);
	else if (put < 0 && errno != EINTR && errno != EAGAIN)
		outlet->gone = true;
	return put > 0;
}

static void
flush(void *arg)
{
	struct outlet *outlet = arg;

	while (flush_piece(outlet))
		;
	if (outlet->gone)
		buf_clear(&outlet->queue);
	else if (outlet->queue.len > 0)
		loop_timer_in(outlet->again, AGAIN_NS);
}

struct outlet *
outlet_new(struct loop *loop, int fd)
{
	struct outlet *outlet = mem_zero(1, sizeof(*outlet));

	outlet->fd = fd;
	outlet->again = loop_timer_new(loop, flush, outlet);
	buf_init(&outlet->queue, BUF_UNBOUNDED);
	return outlet;
}

void
outlet_free(struct outlet *outlet)
{
	if (!outlet)
		return;
	loop_timer_free(outlet->again);
	buf_release(&outlet->queue);
	free(outlet);
}

void
outlet_write(struct outlet *outlet, const char *bytes, size_t len)
{
	if (outlet->gone)
		return;
	buf_put(&outlet->queue, bytes, len);
	flush(outlet);
}

size_t
outlet_left(const struct outlet *outlet)
{
	return outlet->queue.len;
}
