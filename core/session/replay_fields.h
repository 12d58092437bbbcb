/*
 * replay_fields.h - the members of an object in a record's line, by a walk over its bytes.
 *
 * For lines in canonical form (formats.md 1: no spaces, one spelling), which are not checked: of
 * other bytes it makes something, but never reads beyond them.  What the values mean is the same
 * as in the fold (json_text, session_number).
 *
 * Knows:      strict, for strings with escapes.
 * Unaware of: events.
 */
#ifndef CORE_SESSION_REPLAY_FIELDS_H
#define CORE_SESSION_REPLAY_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct span {
	const char *at; /* NULL: not there */
	size_t len;
};

/* for (it = fields_of(object); fields_next(&it);) ... it.key (without quotes), it.value */
struct fields {
	struct span key, value;
	const char *at, *end;
};
struct fields fields_of(struct span object); /* other values: no turns */
bool fields_next(struct fields *fields);
/* The elements of an array, in value. */
struct fields fields_elements(struct span array);
bool fields_next_element(struct fields *fields);

static inline bool
span_is(struct span span, const char *word, size_t len)
{
	return span.at && span.len == len && __builtin_memcmp(span.at, word, len) == 0;
}
#define SPAN_IS(span, literal) span_is(span, literal, sizeof(literal) - 1)

struct span fields_get(struct span object, const char *key);
/* Within 0 and INT64_MAX, else `otherwise`. */
int64_t span_number(struct span value, int64_t otherwise);
/* A string's bytes, unescaped into room where that is needed; at is NULL for what is no string
 * without NUL. */
struct span span_text(struct span value, struct buf *room);

#endif
