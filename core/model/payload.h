/*
 * payload.h - the JSON that servers of models really send, read by jansson after mending.
 *
 * Mended: bytes that are no UTF-8 (U+FFFD), and escapes of half a surrogate pair, which servers
 * send when they split an emoji over two deltas.  A half stands in the strings as the code point
 * PAYLOAD_HALF + half, a private one, until payload_text() joins it with the half that the next
 * delta begins with.  Numbers are all read as doubles: none is too large.
 *
 * Knows:      jansson, buf, utf8.
 * Unaware of: formats.
 */
#ifndef CORE_MODEL_PAYLOAD_H
#define CORE_MODEL_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "core/base/attr.h"

struct buf;
struct err;

#define PAYLOAD_HALF 0x100000 /* U+10D800 to U+10DFFF */

/* One value and nothing after it.  Gives it (json_decref), or NULL with ERR_FORMAT. */
json_t *payload_read(const char *bytes, size_t len, struct err *err) ATTR_CHECKED;
/* Its first value is not closed: what payload_read() refused is the beginning of one. */
bool payload_is_cut(const char *bytes, size_t len);

/* One stream of deltas. */
struct payload_join {
	uint32_t half; /* a high surrogate that waits for its other half; 0: none */
};
/* Append a delta as valid UTF-8; a half that ends it is held back.  A half alone is U+FFFD. */
void payload_text(struct payload_join *join, const char *bytes, size_t len, struct buf *out);
/* There is no further delta. */
void payload_rest(struct payload_join *join, struct buf *out);

/* Look-ups that take anything (NULL too): object[key], and as text, number or flag. */
json_t *payload_get(const json_t *object, const char *key);
/* NULL when it is no text; may hold NULs. */
const char *payload_str(const json_t *object, const char *key, size_t *len);
/* NULL when it is no text, or holds NULs. */
const char *payload_word(const json_t *object, const char *key);
int64_t payload_count(const json_t *object, const char *key); /* -1: not there, or no count */

#endif
