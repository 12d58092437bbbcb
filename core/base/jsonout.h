/*
 * jsonout.h - write JSON in its one canonical form: ASCII 0x20-0x7E, no spaces, all else escaped.
 *
 * The form of every record, protocol and bridge line.  Escapes are \" \\ \b \f \n \r \t and
 * lower-case \u00xx (surrogate pairs above U+FFFF).  A byte that is no UTF-8 becomes \ufffd:
 * callers that must keep such bytes store them as base64.
 *
 * Knows:      buf, utf8.
 * Unaware of: what is written.
 */
#ifndef CORE_BASE_JSONOUT_H
#define CORE_BASE_JSONOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct jsonout {
	struct buf *buf; /* borrowed */
	bool comma;      /* internal: the next value needs a comma before it */
};

void jsonout_init(struct jsonout *out, struct buf *buf);
void jsonout_object(struct jsonout *out);
void jsonout_object_end(struct jsonout *out);
void jsonout_array(struct jsonout *out);
void jsonout_array_end(struct jsonout *out);
void jsonout_key(struct jsonout *out, const char *key);
void jsonout_str(struct jsonout *out, const char *str); /* NULL writes null */
void jsonout_strn(struct jsonout *out, const char *bytes, size_t len);
void jsonout_int(struct jsonout *out, int64_t value);
void jsonout_bool(struct jsonout *out, bool value);
void jsonout_null(struct jsonout *out);
/* A value that is JSON already and holds no raw line break.  Non-ASCII inside strings is escaped.
 */
void jsonout_raw(struct jsonout *out, const char *json, size_t len);

/* key and value in one. */
void jsonout_key_str(struct jsonout *out, const char *key, const char *str);
void jsonout_key_int(struct jsonout *out, const char *key, int64_t value);
void jsonout_key_bool(struct jsonout *out, const char *key, bool value);

#endif
