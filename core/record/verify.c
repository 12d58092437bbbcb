/*
 * One pass.  Faults are kept by their code, the first of each; the highest is the verdict.  After a
 * bad line the rest of the file is searched for anything that is an event: with it the record is
 * corrupt, without it the tail is torn, as a crash leaves it.
 *
 * Contents that are missing must be those that `redacted` events name.  Both are summed up as sets
 * (the sum of a digest of each member), so that memory does not grow with them.
 */
#include "config.h"

#include "core/record/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/record/event.h"
#include "core/record/reader.h"
#include "core/record/verify_order.h"

#define CODES 10

struct fault {
	bool there;
	char text[ERR_TEXT_MAX];
	uint64_t seq;
	int64_t offset;
};

struct set {
	uint64_t count, sum;
};

struct verification {
	struct reader *reader;
	struct order *order;
	const struct digest *anchor;
	bool anchor_found;
	struct fault faults[CODES];
	uint64_t events, contents, unknown_types, signatures;
	struct set missing, redacted;
	uint64_t missing_seq; /* the first event with one */
	int64_t missing_offset;
	struct digest head;
	int64_t good_end; /* offset behind the last good event */
	int64_t size;     /* bytes read */
	char start[16];   /* of the stream */
	bool stopped;     /* at a bad line */
};

static void
add_fault(struct verification *v, enum verify_code code, const char *text, uint64_t seq,
	int64_t offset)
{
	struct fault *fault = &v->faults[code];

	if (fault->there)
		return;
	fault->there = true;
	fault->seq = seq;
	fault->offset = offset;
	snprintf(fault->text, sizeof(fault->text), "%s", text);
}

static void
add_member(struct set *set, uint64_t seq, const struct digest *content)
{
	char text[24 + DIGEST_HEX];
	char hex[DIGEST_HEX];
	struct digest digest;
	uint64_t part;

	digest_hex(content, hex);
	snprintf(text, sizeof(text), "%" PRIu64 " %s", seq, hex);
	hash_bytes(text, strlen(text), &digest);
	memcpy(&part, digest.bytes, sizeof(part));
	set->count++;
	set->sum += part;
}

static void
see_redacted(struct verification *v, const struct event_view *event)
{
	struct json_iter it = json_each(json_get(event->data, "items"));

	while (json_next(&it)) {
		const char *hex = json_string(json_at(it.value, 1), NULL);
		struct digest content;
		int64_t seq;

		if (json_int(json_at(it.value, 0), 0, INT64_MAX, &seq) && hex &&
			digest_parse(hex, strlen(hex), &content))
			add_member(&v->redacted, (uint64_t)seq, &content);
	}
}

static void
see_contents(struct verification *v, const struct event_view *event)
{
	v->contents += event->references;
	if (event->missing == 0)
		return;
	if (v->missing.count == 0) {
		v->missing_seq = event->seq;
		v->missing_offset = event->offset;
	}
	for (size_t i = 0; i < event->references; i++) {
		struct reference_view reference = event_view_reference(event, i);

		if (reference.missing)
			add_member(&v->missing, event->seq, &reference.commitment);
	}
}

static bool
says(struct json_value data, const char *key, uint64_t expected)
{
	int64_t number;

	return json_int(json_get(data, key), 0, INT64_MAX, &number) && (uint64_t)number == expected;
}

/* Against what stood before it. */
static void
see_checkpoint(struct verification *v, const struct event_view *event)
{
	char hex[DIGEST_HEX];

	digest_hex(&v->head, hex);
	v->signatures += json_kind(json_get(event->data, "signature")) == JSON_STRING;
	if (!says(event->data, "events", event->seq) ||
		!says(event->data, "contents", v->contents) ||
		!json_is(json_get(event->data, "head"), hex))
		add_fault(v, VERIFY_BROKEN, "a checkpoint does not fit what stands before it",
			event->seq, event->offset);
}

static void
see_event(struct verification *v, const struct event_view *event)
{
	struct err err = { 0 };

	if (event->type == EVENT_CHECKPOINT)
		see_checkpoint(v, event);
	else if (event->type == EVENT_REDACTED)
		see_redacted(v, event);
	v->unknown_types += event->type == EVENT_COUNT;
	see_contents(v, event);
	if (order_event(v->order, event, &err) < 0)
		add_fault(v, VERIFY_ORDER, err.text, event->seq, event->offset);
	reader_head(v->reader, &v->head);
	if (v->anchor && digest_equal(v->anchor, &v->head))
		v->anchor_found = true;
	v->events++;
	v->good_end = reader_offset(v->reader);
}

/* A line that is no event of this format: torn, or corrupt when an event follows. */
static void
stop_at(struct verification *v, const struct err *bad)
{
	v->stopped = true;
	if (bad->kind == ERR_MISMATCH)
		add_fault(v, VERIFY_BROKEN, bad->text, v->events, reader_offset(v->reader));
	else if (bad->kind == ERR_REFUSED)
		add_fault(v, VERIFY_FORMAT, bad->text, v->events, reader_offset(v->reader));
}

/* Behind a bad line. */
static void
search(struct verification *v)
{
	struct event_view event;
	char text[160];
	int found = 0;

	do
		found = reader_next(v->reader, &event, NULL);
	while (found < 0 && reader_resync(v->reader));
	if (found != 1)
		return;
	snprintf(text, sizeof(text),
		"seq %" PRIu64 " at offset %" PRId64
		": a bad line, and good ones behind it (offset %" PRId64 "): corrupt",
		v->events, v->good_end, event.offset);
	add_fault(v, VERIFY_BROKEN, text, v->events, v->good_end);
}

static void
see_bytes(struct verification *v, const char *bytes, size_t len)
{
	struct event_view event;
	struct err err = { 0 };
	int next = 0;

	for (size_t i = 0; i < len && v->size + (int64_t)i < (int64_t)sizeof(v->start); i++)
		v->start[v->size + (int64_t)i] = bytes[i];
	v->size += (int64_t)len;
	if (reader_feed(v->reader, bytes, len, &err) < 0) {
		v->stopped = true;
		add_fault(v, VERIFY_BROKEN, err.text, v->events, v->good_end);
		return;
	}
	while (!v->stopped && (next = reader_next(v->reader, &event, &err)) == 1)
		see_event(v, &event);
	if (next < 0)
		stop_at(v, &err);
	if (v->stopped)
		search(v);
}

static bool
is_settled(const struct verification *v)
{
	return v->stopped && v->faults[VERIFY_BROKEN].there;
}

static void
read_all(struct verification *v, int fd)
{
	static char chunk[65536];
	char text[128];
	ssize_t got;

	(void)lseek(fd, 0, SEEK_SET);
	/* Behind a broken place nothing changes the verdict, and a device has no end. */
	while (!is_settled(v) && (got = read(fd, chunk, sizeof(chunk))) != 0) {
		if (got > 0) {
			see_bytes(v, chunk, (size_t)got);
		} else if (errno != EINTR) {
			snprintf(text, sizeof(text), "read: %s", strerror(errno));
			add_fault(v, VERIFY_IO, text, v->events, v->size);
			return;
		}
	}
}

static bool
looks_like_record(const struct verification *v)
{
	static const char *const starts[] = { "{\"v\":1,\"seq\":0,", "{\"content\":\"" };
	size_t len = v->size < 12 ? (size_t)v->size : 12;

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		if (strncmp(v->start, starts[i], len) == 0)
			return true;
	}
	return false;
}

static void
judge(struct verification *v)
{
	if (v->events == 0 && !looks_like_record(v))
		add_fault(v, VERIFY_FORMAT, "this is no record: its first line is no event", 0, 0);
	if (v->anchor && !v->anchor_found)
		add_fault(v, VERIFY_ANCHOR, "the anchor is not the digest of any of its events",
			v->events, v->good_end);
	if (v->missing.count > v->redacted.count ||
		(v->missing.count == v->redacted.count && v->missing.sum != v->redacted.sum))
		add_fault(v, VERIFY_CONTENT, "a content is missing that no `redacted` names",
			v->missing_seq, v->missing_offset);
}

static void
say(struct buf *out, const char *sep, uint64_t count, const char *one, const char *many)
{
	if (count > 0)
		buf_printf(out, "%s%" PRIu64 " %s", sep, count, count == 1 ? one : many);
}

static void
say_incomplete(const struct verification *v, const struct verify_result *result,
	const struct order_summary *order, struct buf *out)
{
	buf_str(out, "not complete: ");
	if (result->torn)
		buf_printf(out,
			"torn at offset %" PRId64 " (%" PRId64 " bytes behind the last event)",
			v->good_end, v->size - v->good_end);
	else if (order->recovered)
		buf_str(out, "closed by recovery");
	else
		buf_str(out, v->events ? "no session.end" : "no event at all");
}

static void
say_unchecked(const struct verification *v, const struct order_summary *order, struct buf *out)
{
	AUTO_BUF struct buf list;

	buf_init(&list, 1024);
	say(&list, ", ", v->signatures, "signature", "signatures");
	say(&list, ", ", order->presented, "frame", "frames");
	say(&list, ", ", order->withheld, "bind of withheld arguments",
		"binds of withheld arguments");
	say(&list, ", ", v->unknown_types, "event of an unknown type", "events of unknown types");
	if (list.len > 0)
		buf_printf(out, "; not checked: %s", list.data + 2);
}

static void
say_all(const struct verification *v, const struct order_summary *order,
	struct verify_result *result)
{
	AUTO_BUF struct buf out;

	buf_init(&out, 4096);
	if (result->code >= VERIFY_BROKEN)
		buf_str(&out, v->faults[result->code].text);
	else if (result->code == VERIFY_INCOMPLETE)
		say_incomplete(v, result, order, &out);
	else
		buf_str(&out, "whole and complete, not signed");
	say(&out, "; ", v->events, "event", "events");
	say(&out, ", ", v->contents, "content", "contents");
	say(&out, "; redacted: ", v->redacted.count, "content", "contents");
	say(&out, "; ", order->undecided, "call was never decided", "calls were never decided");
	say(&out, "; ", order->waiting, "call was decided and did not run",
		"calls were decided and did not run");
	say(&out, "; ", order->unknown, "call has an unknown outcome",
		"calls have unknown outcomes");
	say_unchecked(v, order, &out);
	snprintf(result->text, sizeof(result->text), "%s", out.data);
}

static void
conclude(struct verification *v, struct verify_result *result)
{
	struct order_summary order;

	order_summary(v->order, &order);
	judge(v);
	*result = (struct verify_result){
		.code = order.ended && !order.recovered ? VERIFY_WHOLE : VERIFY_INCOMPLETE,
		.events = v->events,
		.contents = v->contents,
		.redacted = v->redacted.count,
		.head = v->head,
		.undecided = order.undecided,
		.unknown = order.unknown,
	};
	for (int code = VERIFY_BROKEN; code < CODES; code++) {
		if (!v->faults[code].there)
			continue;
		result->code = (enum verify_code)code;
		result->bad_seq = v->faults[code].seq;
		result->bad_offset = v->faults[code].offset;
	}
	result->torn = !v->faults[VERIFY_BROKEN].there && !v->faults[VERIFY_FORMAT].there &&
		       v->size > v->good_end;
	if (result->torn && result->code < VERIFY_INCOMPLETE)
		result->code = VERIFY_INCOMPLETE;
	say_all(v, &order, result);
}

void
verify_fd(int fd, const struct digest *anchor, struct verify_result *result)
{
	struct verification v = { .anchor = anchor };

	v.reader = reader_new(READER_CHAIN | READER_LENIENT);
	v.order = order_new();
	read_all(&v, fd);
	conclude(&v, result);
	reader_free(v.reader);
	order_free(v.order);
}
