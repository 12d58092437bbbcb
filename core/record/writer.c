/*
 * Lines are put together in one buffer that keeps its memory, and leave it in one write.  The file
 * ends where `written` says, or the record is poisoned: there is no third state.
 *
 * The index that answers record_offset() has a fixed number of places.  When they are full, every
 * second one is dropped and the stride doubles, so that it stays flat however long a record grows;
 * what lies between two places is scanned in the file.
 */
#include "config.h"

#include "core/record/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/record/event.h"

#define INDEX_PLACES 4096
#define LAST_WORDS_BYTES (1 << 20) /* denying all that waits, the ends of calls, session.end */
#define ENVELOPE_MAX 256           /* an event line less its data */
#define KEEP_BYTES (1 << 20)       /* a buffer that grew beyond this gives its memory back */

struct record {
	int fd;
	int64_t max_bytes; /* 0: none */
	bool last_words;
	bool unsynced;
	int poison; /* errno; 0: healthy */
	int64_t begun;
	struct buf pending;
	off_t written;
	uint64_t written_seq; /* events with a smaller seq are in the file */
	uint64_t next_seq;
	uint64_t contents;
	struct digest head; /* of the last event line; zeros before the first */
	struct hash *hash;
	struct event own; /* for checkpoints */
	uint64_t stride;
	size_t places;
	off_t offsets[INDEX_PLACES]; /* offsets[i]: where event i * stride begins */
};

struct record *
record_new(int fd, int64_t max_bytes)
{
	struct record *record = mem_zero(1, sizeof(*record));

	record->fd = fd;
	record->max_bytes = max_bytes;
	record->begun = clock_mono();
	record->hash = hash_new();
	record->stride = 1;
	buf_init(&record->pending, BUF_UNBOUNDED);
	event_init(&record->own);
	return record;
}

void
record_free(struct record *record)
{
	if (!record)
		return;
	close(record->fd);
	hash_free(record->hash);
	buf_release(&record->pending);
	event_release(&record->own);
	free(record);
}

static int
poisoned(const struct record *record, struct err *err)
{
	return err_set(
		err, ERR_RECORD, "the record cannot be written: %s", strerror(record->poison));
}

static int
poison(struct record *record, int errnum, struct err *err)
{
	record->poison = errnum ? errnum : EIO;
	return poisoned(record, err);
}

static void
index_event(struct record *record)
{
	if (record->next_seq % record->stride)
		return;
	if (record->places == INDEX_PLACES) {
		for (size_t i = 0; i < INDEX_PLACES / 2; i++)
			record->offsets[i] = record->offsets[2 * i];
		record->places = INDEX_PLACES / 2;
		record->stride *= 2;
	}
	record->offsets[record->places++] = record->written + (off_t)record->pending.len;
}

/* printf costs more here than the digest of the line does. */
static void
put_number(struct buf *out, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	buf_put(out, digits + at, sizeof(digits) - at);
}

static void
put_event_line(struct record *record, const struct event *event)
{
	struct buf *out = &record->pending;
	char t[CLOCK_UTC_SIZE];
	char hex[DIGEST_HEX];
	size_t begun = out->len;

	clock_utc(t);
	buf_str(out, "{\"v\":1,\"seq\":");
	put_number(out, record->next_seq);
	buf_str(out, ",\"t\":\"");
	buf_put(out, t, sizeof(t) - 1);
	buf_str(out, "\",\"mono\":");
	put_number(out, (uint64_t)record_mono(record));
	buf_str(out, ",\"type\":\"");
	buf_str(out, event_name(event->type));
	buf_str(out, "\",\"data\":{");
	buf_put(out, event->data.data, event->data.len);
	digest_hex(&record->head, hex);
	buf_str(out, "},\"prev\":\"");
	buf_put(out, hex, DIGEST_HEX - 1);
	buf_str(out, "\"}\n");
	hash_begin(record->hash);
	hash_add(record->hash, out->data + begun, out->len - begun);
	hash_end(record->hash, &record->head);
}

/* Whether len more bytes pass the ceiling. */
static bool
too_large(const struct record *record, size_t len)
{
	int64_t ceiling = record->max_bytes + (record->last_words ? LAST_WORDS_BYTES : 0);
	int64_t now = record->written + (int64_t)record->pending.len;

	return record->max_bytes > 0 && (int64_t)len > ceiling - now;
}

int
record_append(struct record *record, struct event *event, uint64_t *seq, struct err *err)
{
	if (record->poison)
		return poisoned(record, err);
	if (too_large(record, event->contents.len + event->data.len + ENVELOPE_MAX))
		return err_set(err, ERR_LIMIT, "the record has reached its %lld bytes",
			(long long)record->max_bytes);
	index_event(record);
	if (event->contents.len)
		buf_put(&record->pending, event->contents.data, event->contents.len);
	put_event_line(record, event);
	record->contents += event->references;
	if (seq)
		*seq = record->next_seq;
	record->next_seq++;
	return 0;
}

void
record_last_words(struct record *record)
{
	record->last_words = true;
}

int
record_write(struct record *record, struct err *err)
{
	ssize_t wrote;

	if (record->poison)
		return poisoned(record, err);
	if (record->pending.len == 0)
		return 0;
	do /* interrupted before the first byte: nothing was tried yet */
		wrote = write(record->fd, record->pending.data, record->pending.len);
	while (wrote < 0 && errno == EINTR);
	if (wrote < 0)
		return poison(record, errno, err);
	if ((size_t)wrote < record->pending.len)
		return poison(record, ENOSPC, err);
	record->written += wrote;
	record->written_seq = record->next_seq;
	record->unsynced = true;
	if (record->pending.room > KEEP_BYTES)
		buf_release(&record->pending);
	else
		buf_clear(&record->pending);
	return 0;
}

int
record_sync(struct record *record, struct err *err)
{
	if (record_write(record, err) < 0)
		return -1;
	if (!record->unsynced)
		return 0;
	if (fdatasync(record->fd) < 0)
		return poison(record, errno, err);
	record->unsynced = false;
	return 0;
}

int
record_checkpoint(struct record *record, struct err *err)
{
	struct event *event = &record->own;

	event_begin(event, EVENT_CHECKPOINT);
	event_int(event, "events", (int64_t)record->next_seq);
	event_int(event, "contents", (int64_t)record->contents);
	event_int(event, "redactions", 0);
	event_digest(event, "head", &record->head);
	event_str(event, "key", NULL);
	event_str(event, "signature", NULL);
	return record_append(record, event, NULL, err);
}

bool
record_poisoned(const struct record *record)
{
	return record->poison != 0;
}

int64_t
record_mono(const struct record *record)
{
	return clock_mono() - record->begun;
}

int
record_fd(const struct record *record)
{
	return record->fd;
}

off_t
record_written(const struct record *record)
{
	return record->written;
}

uint64_t
record_next_seq(const struct record *record)
{
	return record->next_seq;
}

/* The offset behind the next `events` event lines from `at`; content lines begin with {"c. */
static off_t
skip_events(const struct record *record, off_t at, uint64_t events)
{
	static char chunk[65536];
	size_t column = 0;
	bool is_event = false;

	while (events > 0) {
		ssize_t got = pread(record->fd, chunk, sizeof(chunk), at);

		if (got <= 0)
			return -1;
		for (ssize_t i = 0; i < got && events > 0; i++, at++) {
			if (column++ == 2)
				is_event = chunk[i] == 'v';
			if (chunk[i] != '\n')
				continue;
			events -= is_event;
			column = 0;
		}
	}
	return at;
}

off_t
record_offset(const struct record *record, uint64_t seq)
{
	if (seq >= record->written_seq)
		return -1;
	return skip_events(record, record->offsets[seq / record->stride], seq % record->stride);
}
