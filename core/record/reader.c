/*
 * Lines are taken from a queue one by one.  Content lines are unescaped, held against their
 * commitment and kept until the event that refers to them; the references of an event are found by
 * their bytes: in canonical JSON `"$content":` can only be a key, as a quote inside a string has a
 * backslash before it.
 *
 * A bad line stays at the front of the queue, and the reader says the same again, until it is
 * dropped by reader_resync().
 */
#include "config.h"

#include "core/record/reader.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/record/canonical.h"

#define LINE_MAX_BYTES ((size_t)64 << 20)
#define CONTENTS_MAX_BYTES ((size_t)256 << 20) /* of one event */
#define KEEP_BYTES ((size_t)1 << 20)           /* a buffer beyond this gives its memory back */
#define TYPE_MAX 64

struct held_content {
	struct content content;
	struct buf bytes;
};

struct reference {
	struct reference_view view;
	uint64_t bytes;
	size_t held; /* index, when not missing */
};

struct reader {
	unsigned flags;
	struct buf queue;
	size_t searched; /* bytes of the queue known to hold no LF */
	size_t tail;     /* bytes behind the last LF */
	int64_t offset;  /* of the queue's first byte */
	int64_t begin;   /* where the first line of the event in progress begins */
	bool anywhere;   /* the next event may have any seq and prev */
	uint64_t next_seq;
	struct digest head;
	struct hash *hash;
	struct held_content *held;
	size_t held_count, held_room, held_bytes;
	struct reference *references;
	size_t reference_count, reference_room;
	struct json *data;
	char t[CLOCK_UTC_SIZE];
	bool delivered; /* contents, references and data are those of an event handed out */
	bool is_bad;
	struct err bad;
};

struct reader *
reader_new(unsigned flags)
{
	struct reader *reader = mem_zero(1, sizeof(*reader));

	reader->flags = flags;
	reader->anywhere = !(flags & READER_CHAIN);
	reader->hash = hash_new();
	buf_init(&reader->queue, BUF_UNBOUNDED);
	return reader;
}

void
reader_free(struct reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->held_room; i++)
		buf_release(&reader->held[i].bytes);
	free(reader->held);
	free(reader->references);
	json_free(reader->data);
	hash_free(reader->hash);
	buf_release(&reader->queue);
	free(reader);
}

int
reader_feed(struct reader *reader, const char *bytes, size_t len, struct err *err)
{
	const char *last = len ? memrchr(bytes, '\n', len) : NULL;

	reader->tail = last ? len - (size_t)(last + 1 - bytes) : reader->tail + len;
	if (reader->tail > LINE_MAX_BYTES)
		return err_set(err, ERR_LIMIT, "offset %" PRId64 ": a line of more than %zu bytes",
			reader->offset, LINE_MAX_BYTES);
	return len ? buf_add(&reader->queue, bytes, len, err) : 0;
}

static void
forget_event(struct reader *reader)
{
	for (size_t i = 0; i < reader->held_count; i++) {
		if (reader->held[i].bytes.room > KEEP_BYTES)
			buf_release(&reader->held[i].bytes);
	}
	reader->held_count = 0;
	reader->held_bytes = 0;
	reader->reference_count = 0;
	json_free(reader->data);
	reader->data = NULL;
	reader->delivered = false;
	reader->begin = reader->offset;
}

static int
bad_as(const struct reader *reader, enum err_kind kind, const char *what, struct err *err)
{
	return err_set(err, kind, "seq %" PRIu64 " at offset %" PRId64 ": %s", reader->next_seq,
		reader->offset, what);
}

static int
bad_line(const struct reader *reader, const char *what, struct err *err)
{
	return bad_as(reader, ERR_FORMAT, what, err);
}

static int
bad_place(const struct reader *reader, const char *what, struct err *err)
{
	return bad_as(reader, ERR_MISMATCH, what, err);
}

static struct held_content *
next_held(struct reader *reader)
{
	struct held_content *held;

	if (reader->held_count == reader->held_room) {
		size_t room = reader->held_room ? 2 * reader->held_room : 8;

		reader->held = mem_grow(reader->held, room, sizeof(*reader->held));
		for (size_t i = reader->held_room; i < room; i++)
			buf_init(&reader->held[i].bytes, BUF_UNBOUNDED);
		reader->held_room = room;
	}
	held = &reader->held[reader->held_count];
	buf_clear(&held->bytes);
	return held;
}

static bool
is_utf8(const struct buf *bytes)
{
	for (size_t at = 0; at < bytes->len;) {
		uint32_t code;
		unsigned size = utf8_decode(bytes->data + at, bytes->len - at, &code);

		if (size == 0)
			return false;
		at += size;
	}
	return true;
}

/* base64 is for what is no UTF-8, so that each content has one form. */
static bool
take_base64(struct canonical *line, struct buf *out)
{
	const char *quote = memchr(line->at, '"', (size_t)(line->end - line->at));

	if (!quote || !hash_base64_decode(line->at, (size_t)(quote - line->at), out) ||
		is_utf8(out))
		return false;
	line->at = quote + 1;
	return true;
}

static int
read_content(struct reader *reader, struct canonical line, struct err *err)
{
	struct held_content *held = next_held(reader);
	struct digest salt;
	bool whole = canonical_literal(&line, "{\"content\":\"") &&
		     canonical_digest(&line, &held->content.commitment) &&
		     canonical_literal(&line, "\",\"salt\":\"") && canonical_digest(&line, &salt);

	if (whole && canonical_literal(&line, "\",\"text\":\""))
		whole = canonical_string(&line, &held->bytes);
	else
		whole = whole && canonical_literal(&line, "\",\"base64\":\"") &&
			take_base64(&line, &held->bytes);
	if (!whole || !canonical_literal(&line, "}") || line.at != line.end)
		return bad_line(reader, "this content line is not in canonical form", err);
	memcpy(held->content.salt, salt.bytes, DIGEST_BYTES);
	if (!content_fits(&held->content, held->bytes.data, held->bytes.len))
		return bad_place(reader, "the content is not what its commitment says", err);
	if (held->bytes.len > CONTENTS_MAX_BYTES - reader->held_bytes)
		return bad_line(reader, "the contents of one event are too large", err);
	reader->held_bytes += held->bytes.len;
	reader->held_count++;
	return 0;
}

struct envelope {
	uint64_t seq, mono;
	const char *t;
	char type[TYPE_MAX];
	struct canonical data;
	struct digest prev;
};

static bool
take_time(struct canonical *line, const char **out)
{
	static const char shape[] = "0000-00-00T00:00:00.000000000Z";

	if ((size_t)(line->end - line->at) < sizeof(shape) - 1)
		return false;
	for (size_t i = 0; i < sizeof(shape) - 1; i++) {
		char byte = line->at[i];

		if (shape[i] == '0' ? byte < '0' || byte > '9' : byte != shape[i])
			return false;
	}
	*out = line->at;
	line->at += sizeof(shape) - 1;
	return true;
}

static bool
take_type(struct canonical *line, char out[TYPE_MAX])
{
	size_t len = 0;

	while (line->at < line->end && len < TYPE_MAX - 1 &&
		((*line->at >= 'a' && *line->at <= 'z') || *line->at == '.' || *line->at == '_'))
		out[len++] = *line->at++;
	out[len] = '\0';
	return len > 0;
}

/* What follows data has a fixed length, so that data's end is known without reading it. */
static bool
take_envelope(struct canonical line, struct envelope *out)
{
	static const size_t after = sizeof(",\"prev\":\"") - 1 + DIGEST_HEX - 1 + 2;
	struct canonical rest;

	if (!canonical_literal(&line, "{\"v\":1,\"seq\":") ||
		!canonical_number(&line, INT64_MAX, &out->seq) ||
		!canonical_literal(&line, ",\"t\":\"") || !take_time(&line, &out->t) ||
		!canonical_literal(&line, "\",\"mono\":") ||
		!canonical_number(&line, INT64_MAX, &out->mono) ||
		!canonical_literal(&line, ",\"type\":\"") || !take_type(&line, out->type) ||
		!canonical_literal(&line, "\",\"data\":") ||
		(size_t)(line.end - line.at) < after + 2)
		return false;
	rest = (struct canonical){ line.end - after, line.end };
	out->data = (struct canonical){ line.at, rest.at };
	return canonical_literal(&rest, ",\"prev\":\"") && canonical_digest(&rest, &out->prev) &&
	       canonical_literal(&rest, "\"}");
}

/* `at` stands on `"$content":`; a reference has one form and stands alone in its object. */
static bool
take_reference(struct canonical at, const char *data, struct reference *out)
{
	struct digest real;
	uint64_t withheld;

	if (at.at == data || at.at[-1] != '{' || !canonical_literal(&at, "\"$content\":\"") ||
		!canonical_digest(&at, &out->view.commitment) ||
		!canonical_literal(&at, "\",\"bytes\":") ||
		!canonical_number(&at, INT64_MAX, &out->bytes))
		return false;
	out->view.withheld = canonical_literal(&at, ",\"real\":\"");
	if (out->view.withheld &&
		(!canonical_digest(&at, &real) || !canonical_literal(&at, "\",\"withheld\":") ||
			!canonical_number(&at, INT64_MAX, &withheld)))
		return false;
	return canonical_literal(&at, "}");
}

static bool
find_references(struct reader *reader, struct canonical data)
{
	static const char key[] = "\"$content\":";
	struct canonical at = data;

	while ((at.at = memmem(at.at, (size_t)(at.end - at.at), key, sizeof(key) - 1))) {
		if (reader->reference_count == reader->reference_room) {
			reader->reference_room =
				reader->reference_room ? 2 * reader->reference_room : 8;
			reader->references = mem_grow(reader->references, reader->reference_room,
				sizeof(*reader->references));
		}
		if (!take_reference(at, data.at, &reader->references[reader->reference_count]))
			return false;
		reader->reference_count++;
		at.at += sizeof(key) - 1;
	}
	return true;
}

/* Contents come in order of reference, some may be gone: what is there fits the next that asks. */
static int
resolve(struct reader *reader, size_t *missing, struct err *err)
{
	size_t next = 0;

	*missing = 0;
	for (size_t i = 0; i < reader->reference_count; i++) {
		struct reference *reference = &reader->references[i];
		const struct held_content *held =
			next < reader->held_count ? &reader->held[next] : NULL;

		reference->view.missing = !held || !digest_equal(&held->content.commitment,
							   &reference->view.commitment);
		*missing += reference->view.missing;
		if (reference->view.missing)
			continue;
		if (held->bytes.len != reference->bytes)
			return bad_place(reader, "a reference gives a wrong number of bytes", err);
		reference->held = next++;
	}
	if (next < reader->held_count)
		return bad_place(
			reader, "a content stands before an event that does not name it", err);
	if (*missing && !(reader->flags & READER_LENIENT))
		return bad_as(
			reader, ERR_MISSING, "a content that the event names is not there", err);
	return 0;
}

static int
check_place(struct reader *reader, const struct envelope *envelope, struct err *err)
{
	if (reader->anywhere)
		return 0;
	if (envelope->seq != reader->next_seq) {
		char what[64];

		snprintf(what, sizeof(what), "the event here has seq %" PRIu64, envelope->seq);
		return bad_place(reader, what, err);
	}
	if ((reader->flags & READER_CHAIN) && !digest_equal(&envelope->prev, &reader->head))
		return bad_place(
			reader, "prev is not the digest of the event before: chain broken", err);
	return 0;
}

static int
read_event(struct reader *reader, struct canonical line, struct event_view *view, struct err *err)
{
	struct canonical start = line;
	struct envelope envelope;
	size_t missing;

	if (canonical_literal(&start, "{\"v\":") && !canonical_literal(&start, "1,"))
		return bad_as(reader, ERR_REFUSED, "an event of an unknown format version", err);
	if (!take_envelope(line, &envelope) || *envelope.data.at != '{' ||
		!canonical_json(envelope.data))
		return bad_line(reader, "this event line is not in canonical form", err);
	if (check_place(reader, &envelope, err) < 0)
		return -1;
	reader->data =
		json_read(envelope.data.at, (size_t)(envelope.data.end - envelope.data.at), err);
	if (!reader->data)
		return err_within(err, "seq %" PRIu64 " at offset %" PRId64 ": data",
			reader->next_seq, reader->offset);
	if (!find_references(reader, envelope.data))
		return bad_line(reader, "a reference to a content is not in canonical form", err);
	if (resolve(reader, &missing, err) < 0)
		return -1;
	hash_begin(reader->hash);
	hash_add(reader->hash, line.at, (size_t)(line.end - line.at) + 1);
	hash_end(reader->hash, &reader->head);
	memcpy(reader->t, envelope.t, sizeof(reader->t) - 1);
	*view = (struct event_view){
		.seq = envelope.seq,
		.mono = (int64_t)envelope.mono,
		.t = reader->t,
		.type = event_type_of(envelope.type),
		.data = json_root(reader->data),
		.reader = reader,
		.offset = reader->begin,
		.references = reader->reference_count,
		.missing = missing,
	};
	reader->next_seq = envelope.seq + 1;
	reader->anywhere = false;
	return 0;
}

/* The length of the first line with its LF; 0: not all there yet. */
static size_t
first_line(struct reader *reader)
{
	const char *lf = NULL;

	if (reader->searched < reader->queue.len)
		lf = memchr(reader->queue.data + reader->searched, '\n',
			reader->queue.len - reader->searched);
	if (!lf) {
		reader->searched = reader->queue.len;
		return 0;
	}
	reader->searched = (size_t)(lf - reader->queue.data);
	return reader->searched + 1;
}

static void
take_line(struct reader *reader, size_t len)
{
	buf_take(&reader->queue, len);
	reader->offset += (int64_t)len;
	reader->searched = 0;
}

static int
remember_bad(struct reader *reader, const struct err *bad, struct err *err)
{
	reader->is_bad = true;
	reader->bad = *bad;
	if (err)
		*err = *bad;
	return -1;
}

int
reader_next(struct reader *reader, struct event_view *view, struct err *err)
{
	struct err bad = { 0 };
	size_t len;

	if (reader->is_bad)
		return remember_bad(reader, &reader->bad, err);
	if (reader->delivered)
		forget_event(reader);
	while ((len = first_line(reader)) > 0) {
		struct canonical line = { reader->queue.data, reader->queue.data + len - 1 };
		struct canonical start = line;
		bool is_content = canonical_literal(&start, "{\"content\":");

		if (len > LINE_MAX_BYTES)
			(void)!bad_line(reader, "this line is too long", &bad);
		else if (is_content)
			(void)!read_content(reader, line, &bad);
		else
			(void)!read_event(reader, line, view, &bad);
		if (bad.kind != ERR_NONE)
			return remember_bad(reader, &bad, err);
		take_line(reader, len);
		if (is_content)
			continue;
		reader->delivered = true;
		return 1;
	}
	return 0;
}

bool
reader_resync(struct reader *reader)
{
	size_t len = first_line(reader);

	if (len == 0)
		return false;
	take_line(reader, len);
	forget_event(reader);
	reader->is_bad = false;
	reader->anywhere = true;
	return true;
}

void
reader_restart(struct reader *reader, uint64_t seq, int64_t offset)
{
	assert(!(reader->flags & READER_CHAIN));
	buf_clear(&reader->queue);
	reader->searched = 0;
	reader->tail = 0;
	reader->offset = offset;
	forget_event(reader);
	reader->is_bad = false;
	reader->anywhere = false;
	reader->next_seq = seq;
}

int64_t
reader_offset(const struct reader *reader)
{
	return reader->offset;
}

void
reader_head(const struct reader *reader, struct digest *head)
{
	*head = reader->head;
}

size_t
reader_pending(const struct reader *reader)
{
	return reader->tail;
}

struct reference_view
event_view_reference(const struct event_view *view, size_t index)
{
	return view->reader->references[index].view;
}

static const struct reference *
find_reference(const struct event_view *view, struct json_value value)
{
	const char *hex = json_text(value, "$content");
	struct digest commitment;

	if (!hex || !digest_parse(hex, strlen(hex), &commitment))
		return NULL;
	for (size_t i = 0; i < view->reader->reference_count; i++) {
		const struct reference *reference = &view->reader->references[i];

		if (digest_equal(&reference->view.commitment, &commitment))
			return reference;
	}
	return NULL;
}

const char *
event_view_content_of(
	const struct event_view *view, struct json_value value, size_t *len, bool *missing)
{
	const struct reference *found = find_reference(view, value);
	const struct buf *bytes;

	*len = 0;
	if (missing)
		*missing = found && found->view.missing;
	if (!found || found->view.missing)
		return NULL;
	bytes = &view->reader->held[found->held].bytes;
	*len = bytes->len;
	return bytes->len ? bytes->data : "";
}

const char *
event_view_content(const struct event_view *view, const char *key, size_t *len, bool *missing)
{
	return event_view_content_of(view, json_get(view->data, key), len, missing);
}

const uint8_t *
event_view_salt(const struct event_view *view, const char *key)
{
	const struct reference *found = find_reference(view, json_get(view->data, key));

	if (!found || found->view.missing)
		return NULL;
	return view->reader->held[found->held].content.salt;
}
