/*
 * One pass over the bytes: of each line only what the index needs is looked at, at fixed places in
 * its envelope.  Lines near the end of the file are read strictly too, so that what a crash left
 * there is not taken for an event; of the others a seek finds out.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/record/canonical.h"
#include "core/record/reader.h"
#include "core/session/replay_inside.h"

#define CHUNK_BYTES ((size_t)1 << 20)
#define LINE_MAX_BYTES ((size_t)64 << 20)
#define TAIL_BYTES ((uint64_t)1 << 16) /* are read strictly */
#define TYPE_SLOTS 256
#define HEX ((size_t)DIGEST_HEX - 1)

struct type_slot {
	const char *name;
	size_t len;
	enum event_type type;
};

struct replay_scan {
	struct replay_file *file;
	struct replay_index *index;
	struct replay_fold *fold;
	char *chunk;
	size_t room;
	uint64_t size;   /* of the file */
	uint64_t offset; /* of the line that is being looked at */
	uint64_t begin;  /* of the first line of the event in progress */
	struct replay_content *contents;
	size_t content_count, content_room;
	struct type_slot types[TYPE_SLOTS];
};

static struct type_slot *
slot_of(struct replay_scan *scan, const char *name, size_t len)
{
	unsigned at = (unsigned char)name[0] * 3u + (unsigned char)name[len - 1] * 5u +
		      (unsigned char)name[len / 2] * 7u + (unsigned)len * 11u;

	while (scan->types[at % TYPE_SLOTS].name &&
		(scan->types[at % TYPE_SLOTS].len != len ||
			memcmp(scan->types[at % TYPE_SLOTS].name, name, len) != 0))
		at++;
	return &scan->types[at % TYPE_SLOTS];
}

struct replay_scan *
replay_scan_new(struct replay_file *file, struct replay_index *index)
{
	struct replay_scan *scan = mem_zero(1, sizeof(*scan));

	scan->file = file;
	scan->index = index;
	scan->fold = replay_fold_new(file, index);
	for (unsigned i = 0; i < EVENT_COUNT; i++) {
		const char *name = event_name((enum event_type)i);
		size_t len = strlen(name);

		*slot_of(scan, name, len) = (struct type_slot){ name, len, (enum event_type)i };
	}
	return scan;
}

void
replay_scan_free(struct replay_scan *scan)
{
	if (!scan)
		return;
	replay_fold_free(scan->fold);
	free(scan->chunk);
	free(scan->contents);
	free(scan);
}

uint64_t
replay_scan_size(const struct replay_scan *scan)
{
	return scan->size;
}

static int
bad(const struct replay_scan *scan, enum err_kind kind, const char *what, struct err *err)
{
	return err_set(err, kind, "seq %zu at offset %" PRIu64 ": %s", scan->index->event_count,
		scan->offset, what);
}

/* --- content lines --- */

static int
take_content(struct replay_scan *scan, struct canonical line, struct err *err)
{
	static const char before[] = "\",\"salt\":\"";
	const size_t to_key = HEX + sizeof(before) - 1 + HEX;
	struct replay_content content = { .text = 0 };
	size_t len = (size_t)(line.end - line.at);
	struct canonical text;

	if (len <= to_key + 4 || memcmp(line.at + HEX, before, sizeof(before) - 1) != 0)
		return bad(scan, ERR_FORMAT, "this content line is not in canonical form", err);
	text = (struct canonical){ line.at + to_key, line.end };
	if ((!canonical_literal(&text, "\",\"text\":\"") &&
		    !canonical_literal(&text, "\",\"base64\":\"")) ||
		text.end - text.at < 2 || memcmp(text.end - 2, "\"}", 2) != 0)
		return bad(scan, ERR_FORMAT, "this content line is not in canonical form", err);
	memcpy(content.commitment, line.at, HEX);
	content.text = words_hash(text.at, (size_t)(text.end - text.at));
	REPLAY_ROOM(scan->contents, scan->content_count, scan->content_room);
	scan->contents[scan->content_count++] = content;
	return 0;
}

/* --- event lines --- */

static bool
take_type(struct replay_scan *scan, struct canonical *line, enum event_type *type)
{
	const char *quote = memchr(line->at, '"', (size_t)(line->end - line->at));
	const struct type_slot *slot;

	if (!quote || quote == line->at)
		return false;
	slot = slot_of(scan, line->at, (size_t)(quote - line->at));
	*type = slot->name ? slot->type : EVENT_COUNT;
	line->at = quote;
	return true;
}

static bool
take_envelope(struct replay_scan *scan, struct canonical line, struct replay_line *out)
{
	static const char prev[] = ",\"prev\":\"";
	static const size_t after = sizeof(prev) - 1 + HEX + 2;
	uint64_t mono;
	const char *end;

	if (!canonical_literal(&line, "{\"v\":1,\"seq\":") ||
		!canonical_number(&line, INT64_MAX, &out->seq) ||
		!canonical_literal(&line, ",\"t\":\"") || line.end - line.at < CLOCK_UTC_SIZE - 1)
		return false;
	line.at += CLOCK_UTC_SIZE - 1;
	if (!canonical_literal(&line, "\",\"mono\":") ||
		!canonical_number(&line, INT64_MAX, &mono) ||
		!canonical_literal(&line, ",\"type\":\"") || !take_type(scan, &line, &out->type) ||
		!canonical_literal(&line, "\",\"data\":") ||
		(size_t)(line.end - line.at) < after + 2)
		return false;
	end = line.end - after;
	if (*line.at != '{' || end[-1] != '}' || memcmp(end, prev, sizeof(prev) - 1) != 0 ||
		memcmp(line.end - 2, "\"}", 2) != 0)
		return false;
	out->mono = (int64_t)mono;
	out->data = line.at;
	out->data_len = (size_t)(end - line.at);
	return true;
}

static int
wrong_seq(const struct replay_scan *scan, uint64_t seq, struct err *err)
{
	char what[128];

	if (scan->index->event_count == 0)
		return bad(scan, ERR_REFUSED,
			"this file goes on from an earlier file of its session, and a replay "
			"shows the first file alone",
			err);
	snprintf(what, sizeof(what), "the event here has seq %" PRIu64, seq);
	return bad(scan, ERR_MISMATCH, what, err);
}

static int
check_strictly(struct replay_scan *scan, struct err *err)
{
	struct event_view view;

	return replay_file_event(scan->file, scan->index, scan->index->event_count - 1, &view, err);
}

static int
take_event(struct replay_scan *scan, struct canonical line, uint64_t end, struct err *err)
{
	struct canonical start = line;
	struct replay_index *index = scan->index;
	struct replay_line event;
	uint64_t was_end = index->end;

	if (canonical_literal(&start, "{\"v\":") && !canonical_literal(&start, "1,"))
		return bad(scan, ERR_REFUSED, "an event of an unknown format version", err);
	if (!take_envelope(scan, line, &event))
		return bad(scan, ERR_FORMAT, "this is no line of a record", err);
	if (event.seq != index->event_count)
		return wrong_seq(scan, event.seq, err);
	if (index->event_count >= REPLAY_NEVER - 1)
		return bad(scan, ERR_LIMIT, "more events than a replay can show", err);
	REPLAY_ROOM(index->events, index->event_count, index->event_room);
	index->events[index->event_count++] = (struct replay_event){
		.offset = scan->begin,
		.type = event.type,
		.mono = event.mono,
	};
	index->end = end;
	if ((end + TAIL_BYTES < scan->size || check_strictly(scan, err) == 0) &&
		replay_fold_event(scan->fold, &event, scan->contents, scan->content_count, err) ==
			0) {
		scan->begin = end;
		scan->content_count = 0;
		return 0;
	}
	index->event_count--;
	index->end = was_end;
	return -1;
}

static int
take_line(struct replay_scan *scan, const char *at, size_t len, struct err *err)
{
	struct canonical line = { at, at + len };

	if (len >= LINE_MAX_BYTES)
		return bad(scan, ERR_LIMIT, "a line of more than 64 MiB", err);
	if (canonical_literal(&line, "{\"content\":\""))
		return take_content(scan, line, err);
	return take_event(scan, line, scan->offset + len + 1, err);
}

/* --- the file --- */

/* Fill the chunk behind `kept` bytes. */
static ssize_t
read_chunk(struct replay_scan *scan, size_t kept, uint64_t at, struct err *err)
{
	uint64_t left = scan->size - at;
	ssize_t got;

	if (scan->room - kept < CHUNK_BYTES / 2) {
		scan->room = scan->room ? 2 * scan->room : 2 * CHUNK_BYTES;
		scan->chunk = mem_grow(scan->chunk, scan->room, 1);
	}
	if (left > scan->room - kept)
		left = scan->room - kept;
	if (left > CHUNK_BYTES)
		left = CHUNK_BYTES;
	do
		got = pread(scan->file->fd, scan->chunk + kept, (size_t)left, (off_t)at);
	while (got < 0 && errno == EINTR);
	return got < 0 ? err_sys(err, errno, "read at offset %" PRIu64, at) : got;
}

/* All whole lines among `len` bytes; *taken is where the rest begins. */
static int
take_lines(struct replay_scan *scan, size_t searched, size_t len, size_t *taken, struct err *err)
{
	const char *end = scan->chunk + len;
	const char *at = scan->chunk;
	const char *from = at + searched;
	const char *lf;

	*taken = 0;
	while ((lf = memchr(from, '\n', (size_t)(end - from)))) {
		if (take_line(scan, at, (size_t)(lf - at), err) < 0)
			return -1;
		scan->offset += (size_t)(lf + 1 - at);
		at = from = lf + 1;
	}
	*taken = (size_t)(at - scan->chunk);
	if ((size_t)(end - at) > LINE_MAX_BYTES)
		return bad(scan, ERR_LIMIT, "a line of more than 64 MiB", err);
	return 0;
}

static int
take_file(struct replay_scan *scan, struct err *err)
{
	uint64_t at = scan->offset;
	size_t kept = 0;

	while (at < scan->size) {
		ssize_t got = read_chunk(scan, kept, at, err);
		size_t taken;

		if (got < 0)
			return -1;
		if (got == 0)
			break;
		at += (size_t)got;
		if (take_lines(scan, kept, kept + (size_t)got, &taken, err) < 0)
			return -1;
		kept = kept + (size_t)got - taken;
		memmove(scan->chunk, scan->chunk + taken, kept);
	}
	return 0;
}

int
replay_scan_more(struct replay_scan *scan, struct err *err)
{
	struct stat st;
	int result;

	if (fstat(scan->file->fd, &st) < 0)
		return err_sys(err, errno, "stat");
	scan->size = (uint64_t)st.st_size;
	scan->offset = scan->begin = scan->index->end;
	scan->content_count = 0;
	result = take_file(scan, err);
	free(scan->chunk);
	scan->chunk = NULL;
	scan->room = 0;
	return result;
}

bool
replay_scan_goes_on(struct replay_scan *scan)
{
	uint64_t at = scan->offset;
	size_t kept = 0, searched = 0;
	bool found = false;
	bool first = true; /* the bad line itself */
	ssize_t got;

	while (!found && at < scan->size && kept < LINE_MAX_BYTES &&
		(got = read_chunk(scan, kept, at, NULL)) > 0) {
		size_t len = kept + (size_t)got;
		const char *line = scan->chunk, *lf;
		struct replay_line event;

		at += (size_t)got;
		searched = kept;
		while (!found && (lf = memchr(scan->chunk + searched, '\n', len - searched))) {
			found = !first &&
				take_envelope(scan, (struct canonical){ line, lf }, &event) &&
				event.seq >= scan->index->event_count;
			first = false;
			line = lf + 1;
			searched = (size_t)(line - scan->chunk);
		}
		kept = len - (size_t)(line - scan->chunk);
		memmove(scan->chunk, line, kept);
	}
	free(scan->chunk);
	scan->chunk = NULL;
	scan->room = 0;
	return found;
}
