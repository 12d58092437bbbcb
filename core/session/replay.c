/*
 * The record is folded from its start on every seek backwards.
 */
#include "config.h"

#include "core/session/replay.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/session.h"

#define CHUNK_BYTES ((size_t)1 << 18)

struct spot {
	int64_t offset, mono;
};

struct replay {
	int fd;
	struct spot *spots;
	size_t events, room;
	int64_t end; /* of the last good line */
	bool torn;
	char *end_words;
	struct replay_mark *marks;
	size_t mark_count, mark_room;
	struct session session;
	uint64_t position;
};

static bool
is(const char *text, const char *word)
{
	return text && strcmp(text, word) == 0;
}

static void
add_mark(struct replay *replay, const struct event_view *event)
{
	const char *by = json_text(event->data, "by");
	struct replay_mark mark = { .index = event->seq, .mono = event->mono };

	if (event->type == EVENT_CALL_DECIDED) {
		mark.decision = is(by, "person") || is(by, "reviewer") || is(by, "timeout");
		mark.kind = is(json_text(event->data, "verdict"), "deny") ? REPLAY_DENIED
									  : REPLAY_APPROVED;
		if (!mark.decision && mark.kind == REPLAY_APPROVED)
			return;
	} else if (event->type == EVENT_CALL_END || event->type == EVENT_PROGRAM_END) {
		const char *outcome = json_text(event->data, "outcome");

		if (!is(outcome, "error") && !is(outcome, "unknown"))
			return;
		mark.kind = REPLAY_FAILED;
	} else {
		return;
	}
	if (replay->mark_count == replay->mark_room) {
		replay->mark_room = replay->mark_room ? 2 * replay->mark_room : 64;
		replay->marks = mem_grow(replay->marks, replay->mark_room, sizeof(mark));
	}
	replay->marks[replay->mark_count++] = mark;
}

static void
add_event(struct replay *replay, const struct event_view *event)
{
	if (replay->events == replay->room) {
		replay->room = replay->room ? 2 * replay->room : 1024;
		replay->spots = mem_grow(replay->spots, replay->room, sizeof(*replay->spots));
	}
	replay->spots[replay->events++] = (struct spot){ event->offset, event->mono };
	add_mark(replay, event);
}

/* Read to where `stop` says; 0 at the end, -1 with err at a bad line. */
static int
read_events(
	struct replay *replay, uint64_t from, uint64_t until, struct session *out, struct err *err)
{
	struct reader *reader = reader_new(READER_CHAIN | READER_LENIENT);
	AUTO_FREE char *chunk = mem_zero(1, CHUNK_BYTES);
	struct event_view view;
	off_t at = 0;
	int next = 0;

	for (;;) {
		ssize_t got = pread(replay->fd, chunk, CHUNK_BYTES, at);

		if (got < 0)
			next = err_sys(err, errno, "read");
		if (got <= 0)
			break;
		at += got;
		next = reader_feed(reader, chunk, (size_t)got, err);
		while (next >= 0 && (next = reader_next(reader, &view, err)) > 0) {
			if (view.seq >= until) {
				reader_free(reader);
				return 0;
			}
			if (out && view.seq >= from)
				session_apply(out, &view);
			if (!out)
				add_event(replay, &view);
		}
		if (next < 0)
			break;
	}
	replay->end = reader_offset(reader);
	replay->torn = next < 0 || reader_pending(reader) > 0;
	reader_free(reader);
	return next < 0 ? -1 : 0;
}

static int
open_file(const char *path, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_REFUSED, "%s: this is no file, and a record is one", path);
	return io_give(&fd);
}

struct replay *
replay_open(const char *path, struct err *err)
{
	int fd = open_file(path, err);
	struct replay *replay;
	struct err end = { 0 };

	if (fd < 0)
		return NULL;
	replay = mem_zero(1, sizeof(*replay));
	replay->fd = fd;
	session_init(&replay->session);
	if (read_events(replay, 0, UINT64_MAX, NULL, &end) < 0)
		replay->end_words = mem_str(end.text);
	else if (replay->torn)
		replay->end_words = mem_str("the last line is not whole");
	if (replay->events > 0)
		return replay;
	err_set(err, end.kind == ERR_REFUSED ? ERR_REFUSED : ERR_FORMAT, "%s: %s", path,
		end.kind ? end.text : "this file holds no event: it is no record");
	replay_close(replay);
	return NULL;
}

void
replay_close(struct replay *replay)
{
	if (!replay)
		return;
	session_release(&replay->session);
	close(replay->fd);
	free(replay->spots);
	free(replay->marks);
	free(replay->end_words);
	free(replay);
}

uint64_t
replay_events(const struct replay *replay)
{
	return replay->events;
}

bool
replay_torn(const struct replay *replay)
{
	return replay->torn;
}

const char *
replay_end_words(const struct replay *replay)
{
	return replay->end_words;
}

int64_t
replay_length(const struct replay *replay)
{
	return replay->spots[replay->events - 1].mono;
}

int64_t
replay_mono(const struct replay *replay, uint64_t index)
{
	if (index >= replay->events)
		index = replay->events - 1;
	return replay->spots[index].mono;
}

uint64_t
replay_at_mono(const struct replay *replay, int64_t mono)
{
	uint64_t low = 0, high = replay->events;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (replay->spots[middle].mono <= mono)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int
replay_seek(struct replay *replay, uint64_t position, struct err *err)
{
	if (position > replay->events)
		position = replay->events;
	if (position < replay->position) {
		session_release(&replay->session);
		replay->position = 0;
	}
	if (position > replay->position &&
		read_events(replay, replay->position, position, &replay->session, err) < 0)
		return -1;
	replay->position = position;
	return 0;
}

uint64_t
replay_position(const struct replay *replay)
{
	return replay->position;
}

const struct session *
replay_session(const struct replay *replay)
{
	return &replay->session;
}

bool
replay_load(struct replay *replay, uint64_t call)
{
	(void)replay;
	(void)call;
	return false;
}

size_t
replay_marks(const struct replay *replay)
{
	return replay->mark_count;
}

struct replay_mark
replay_mark(const struct replay *replay, size_t i)
{
	return replay->marks[i];
}

static bool
holds(const char *bytes, size_t len, const char *needle, size_t needle_len)
{
	for (size_t at = 0; at + needle_len <= len; at++)
		if (strncasecmp(bytes + at, needle, needle_len) == 0)
			return true;
	return false;
}

bool
replay_search(const struct replay *replay, const char *needle, size_t len, uint64_t from, bool back,
	uint64_t *index)
{
	uint64_t i = back ? from - 1 : from;

	if (len == 0 || (back && from == 0))
		return false;
	if (back && i >= replay->events)
		i = replay->events - 1;
	for (; i < replay->events; i += back ? UINT64_MAX : 1) {
		int64_t begin = replay->spots[i].offset;
		int64_t end = i + 1 < replay->events ? replay->spots[i + 1].offset : replay->end;
		AUTO_FREE char *bytes = mem_zero(1, (size_t)(end - begin) + 1);
		ssize_t got = pread(replay->fd, bytes, (size_t)(end - begin), begin);

		if (got > 0 && holds(bytes, (size_t)got, needle, len)) {
			*index = i;
			return true;
		}
	}
	return false;
}

int
replay_session_at(
	struct replay *replay, uint64_t seq, uint64_t call, struct session *out, struct err *err)
{
	(void)call;
	session_init(out);
	if (read_events(replay, 0, seq + 1, out, err) == 0)
		return 0;
	session_release(out);
	return -1;
}
