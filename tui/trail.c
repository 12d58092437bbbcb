#include "config.h"

#include "tui/trail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/session.h"

#define CHUNK 65536

struct trail {
	int fd;
	struct reader *reader;
	struct session session;
};

struct trail *
trail_new(const char *record_path, struct err *err)
{
	AUTO_CLOSE int fd = open(record_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct trail *trail;

	if (fd < 0) {
		err_sys(err, errno, "%s", record_path);
		return NULL;
	}
	trail = mem_zero(1, sizeof(*trail));
	trail->fd = io_give(&fd);
	trail->reader = reader_new(READER_CHAIN | READER_LENIENT);
	session_init(&trail->session);
	return trail;
}

void
trail_free(struct trail *trail)
{
	if (!trail)
		return;
	close(trail->fd);
	reader_free(trail->reader);
	session_release(&trail->session);
	free(trail);
}

static bool
counts(const struct event_view *event)
{
	return event->type != EVENT_OUTPUT && event->type != EVENT_MODEL_DELTA;
}

int
trail_step(struct trail *trail, struct err *err)
{
	char chunk[CHUNK];
	struct event_view event;
	ssize_t got = read(trail->fd, chunk, sizeof(chunk));
	int next;

	if (got < 0)
		return errno == EINTR ? 1 : err_sys(err, errno, "read");
	if (reader_feed(trail->reader, chunk, (size_t)got, err) < 0)
		return -1;
	while ((next = reader_next(trail->reader, &event, err)) > 0)
		if (counts(&event))
			session_apply(&trail->session, &event);
	if (next < 0)
		return -1;
	return (size_t)got == sizeof(chunk);
}

const struct session *
trail_session(const struct trail *trail)
{
	return &trail->session;
}
