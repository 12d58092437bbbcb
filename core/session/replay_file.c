#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/record/reader.h"
#include "core/session/replay_inside.h"
#include "core/session/session_inside.h"

#define KEEP_BYTES ((size_t)1 << 20)

void
replay_file_init(struct replay_file *file, int fd)
{
	file->fd = fd;
	file->reader = reader_new(READER_LENIENT);
	buf_init(&file->bytes, BUF_UNBOUNDED);
}

void
replay_file_release(struct replay_file *file)
{
	reader_free(file->reader);
	buf_release(&file->bytes);
	close(file->fd);
}

static int
read_bytes(struct replay_file *file, uint64_t offset, size_t len, struct err *err)
{
	if (file->bytes.room > KEEP_BYTES && len < KEEP_BYTES)
		buf_release(&file->bytes);
	buf_clear(&file->bytes);
	while (file->bytes.len < len) {
		ssize_t got = pread(file->fd, buf_space(&file->bytes, len - file->bytes.len),
			len - file->bytes.len, (off_t)(offset + file->bytes.len));

		if (got < 0 && errno != EINTR)
			return err_sys(err, errno, "read at offset %" PRIu64, offset);
		if (got == 0)
			break;
		if (got > 0)
			buf_added(&file->bytes, (size_t)got);
	}
	return 0;
}

static int
changed(const struct replay_event *event, size_t i, struct err *err)
{
	return err_set(err, ERR_MISMATCH,
		"seq %zu at offset %" PRIu64 ": the file has changed since it was opened", i,
		(uint64_t)event->offset);
}

static bool
is_same(const struct replay_event *event, const struct event_view *view)
{
	uint64_t call = (uint64_t)session_number(view->data, "call", 0);

	if (event->type != view->type || event->mono != view->mono)
		return false;
	return event->call == 0 || event->call == call;
}

int
replay_file_event(struct replay_file *file, const struct replay_index *index, size_t i,
	struct event_view *view, struct err *err)
{
	const struct replay_event *event = &index->events[i];
	uint64_t end = i + 1 < index->event_count ? event[1].offset : index->end;
	int next;

	if (read_bytes(file, event->offset, (size_t)(end - event->offset), err) < 0)
		return -1;
	reader_restart(file->reader, i, (int64_t)event->offset);
	if (reader_feed(file->reader, file->bytes.data, file->bytes.len, err) < 0)
		return -1;
	next = reader_next(file->reader, view, err);
	if (next < 0)
		return -1;
	if (next == 0 || !is_same(event, view))
		return changed(event, i, err);
	return 0;
}
