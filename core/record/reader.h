/*
 * reader.h - lines of a record become events; used for files, sockets and replays alike.
 *
 * Bytes go in, in any pieces; whole events come out, each with its contents resolved.  The reader
 * is strict (formats.md 1): a line that is not in canonical form, a gap in seq, a broken chain or a
 * content without its event is an error that says where.  Memory: one event and its contents.
 *
 * Knows:      strict, json, hash, event.
 * Unaware of: the order of call events (verify checks it), what a view makes of them (session).
 */
#ifndef CORE_RECORD_READER_H
#define CORE_RECORD_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/record/event.h"

struct err;
struct reader;

/* One event as read.  Borrowed: valid until the reader is fed or asked again. */
struct event_view {
	uint64_t seq;
	int64_t mono; /* ns since the session began */
	const char *t;
	enum event_type type; /* EVENT_COUNT: a type this version does not know */
	struct json_value data;
	const struct reader *reader; /* for event_view_content */
	int64_t offset;              /* bytes into the stream where its first line begins */
	size_t references;           /* contents it refers to, in any depth */
	size_t missing;              /* of these, whose content line is not there */
};

/* One of them, in order of reference. */
struct reference_view {
	struct digest commitment;
	bool missing;
	bool withheld; /* the content is a masked text; the commitment of the real bytes is another
			*/
};
struct reference_view event_view_reference(const struct event_view *view, size_t index);

/*
 * The bytes of the $ field `key` of data (or of a reference value).  NULL when the field is not
 * there, null, or its content is missing (redacted): *missing tells (may be NULL).
 */
const char *event_view_content(
	const struct event_view *view, const char *key, size_t *len, bool *missing);
const char *event_view_content_of(
	const struct event_view *view, struct json_value reference, size_t *len, bool *missing);
/* The salt of that content line (32 bytes), or NULL. */
const uint8_t *event_view_salt(const struct event_view *view, const char *key);

enum reader_flags {
	READER_CHAIN = 1,  /* from seq 0, prev held against the line before; off for a stream that
			    * starts late: seq has no gaps, prev is not looked at */
	READER_LENIENT = 2 /* contents may be missing (redacted records); else that is an error */
};

struct reader *reader_new(unsigned flags);
void reader_free(struct reader *reader); /* NULL is fine */

/* Queue bytes (copied).  The ceiling of one line is 64 MiB. */
int reader_feed(struct reader *reader, const char *bytes, size_t len, struct err *err) ATTR_CHECKED;
/*
 * Next whole event: 1 and *view filled, 0 when more bytes are needed, -1 at a bad line: ERR_FORMAT
 * when it is not in canonical form, ERR_REFUSED when it is of another format version, ERR_MISMATCH
 * when it is a good line in a wrong place or a content that its commitment does not fit,
 * ERR_MISSING when a content is not there.
 */
int reader_next(struct reader *reader, struct event_view *view, struct err *err) ATTR_CHECKED;
/*
 * After a bad line: drop it and go on behind it as with a stream that starts late (a chain is held
 * from the next event on).  False when the line's end has not been fed yet.
 */
bool reader_resync(struct reader *reader);

/*
 * Forget what was fed and go on elsewhere in the stream: the next bytes begin at this offset with
 * the lines of event seq, and the chain is not held against what came before.  Not for
 * READER_CHAIN.
 */
void reader_restart(struct reader *reader, uint64_t seq, int64_t offset);

/* Where the next unread line begins, and the digest of the last event line. */
int64_t reader_offset(const struct reader *reader);
void reader_head(const struct reader *reader, struct digest *head);
size_t reader_pending(const struct reader *reader); /* bytes of a line without its LF yet */

#endif
