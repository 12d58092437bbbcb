/*
 * json.h - a JSON text that passed the strict reader, as a read-only tree.
 *
 * A struct json owns a copy of its text; a struct json_value is a cheap handle into it, valid as
 * long as the document.  Look-ups never fail: what is not there is a value of kind JSON_ABSENT,
 * and every function takes such a value.  Numbers stay source text.
 *
 * Knows:      strict, decimal, mem, err.
 * Unaware of: configuration, tools, records.
 */
#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/strict.h"

struct err;
struct json;

struct json_value {
	const struct json *doc; /* NULL: absent */
	uint32_t node;
};

/* Gives a document, or NULL with err as strict_read() sets it. */
struct json *json_read(const char *text, size_t len, struct err *err) ATTR_CHECKED;
void json_free(struct json *json); /* NULL is fine */

struct json_value json_root(const struct json *json); /* NULL gives absent */
enum json_kind json_kind(struct json_value value);
static inline bool
json_there(struct json_value value)
{
	return value.doc != NULL;
}

struct json_value json_get(struct json_value object, const char *key);
struct json_value json_getn(struct json_value object, const char *key, size_t key_len);
struct json_value json_at(struct json_value array, size_t index); /* O(index) */
size_t json_count(struct json_value value);                       /* elements or members, else 0 */

/* for (it = json_each(v); json_next(&it);) ... it.key (objects; else absent), it.value, it.index */
struct json_iter {
	struct json_value key;
	struct json_value value;
	size_t index;
	uint32_t left; /* internal */
	uint32_t at;   /* internal */
	bool object;   /* internal */
	const struct json *doc;
};
struct json_iter json_each(struct json_value container); /* scalars and absent: no turns */
bool json_next(struct json_iter *iter);

/* The source bytes of a value, as in the text (not NUL-terminated).  Borrowed. */
const char *json_source(struct json_value value, size_t *len);

/*
 * A string's bytes after unescaping, NUL-terminated, len bytes (may hold NULs).  Borrowed.
 * NULL when value is no string.  len may be NULL.
 */
const char *json_string(struct json_value value, size_t *len);

/* object[key] as a string without NUL bytes, or NULL. */
const char *json_text(struct json_value object, const char *key);
bool json_is(struct json_value value, const char *string); /* a string equal to this */
bool json_bool(struct json_value value, bool otherwise);

/* A number written without fraction and exponent within [min, max]; else false, *out untouched. */
bool json_int(struct json_value value, int64_t min, int64_t max, int64_t *out);
/* A double; false for what is no number.  Not exact beyond 2^53: for display and ratios only. */
bool json_double(struct json_value value, double *out);

/* Sets *order to -1, 0 or 1 by the exact decimal values; false unless both are numbers. */
bool json_compare(struct json_value a, struct json_value b, int *order);

/* Where the value begins; 1:1 for absent. */
void json_position(struct json_value value, unsigned *line, unsigned *column);

/* Equal as JSON values: objects without order, numbers by exact decimal value, strings by bytes. */
bool json_equal(struct json_value a, struct json_value b);

static inline void
json_leave_free(struct json **slot)
{
	json_free(*slot);
}

#define AUTO_JSON ON_LEAVE(json_leave_free)

#endif
