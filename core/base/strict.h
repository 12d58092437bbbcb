/*
 * strict.h - the strict reader: one whole JSON text, or a refusal that says where.
 *
 * Accepts RFC 8259 as formats.md narrows it: UTF-8 without BOM, one value and nothing after it, no
 * duplicate members (after unescaping and NFC), no lone surrogates, no NaN or Infinity, a depth
 * ceiling.  Numbers without fraction and exponent pass at any length; others that overflow a
 * double, or are not zero and become zero, are refused.  The result is a tape of spans over the
 * caller's bytes: nothing is converted, nothing is repaired.
 *
 * Knows:      attr, err, mem, buf, utf8, decimal; names for what it says about duplicates.
 * Unaware of: what the text is for.
 */
#ifndef CORE_BASE_STRICT_H
#define CORE_BASE_STRICT_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"

struct buf;
struct err;

#define STRICT_DEPTH 64

enum json_kind {
	JSON_ABSENT, /* no value at all: what a look-up that found nothing gives */
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING, /* the span includes both quotes */
	JSON_ARRAY,
	JSON_OBJECT, /* children are key, value, key, value ... */
};

struct strict_node {
	uint8_t kind;      /* enum json_kind */
	uint8_t escaped;   /* a string with at least one backslash */
	uint8_t non_ascii; /* a string with at least one byte above 0x7F in its source */
	uint32_t start;    /* byte offset in the text */
	uint32_t len;      /* bytes of the source span */
	uint32_t
		count; /* elements of an array, members of an object, unescaped bytes of a string */
	uint32_t next; /* index of the node after this one's whole subtree */
};

struct strict_tape {
	struct strict_node *nodes; /* in document order; nodes[0] is the root */
	uint32_t count;
	uint32_t room; /* internal */
};

/*
 * Read text (at most 2^31 bytes; 0 is refused).  On success the tape is filled; a tape may be used
 * again and again.  Fails with ERR_FORMAT or ERR_LIMIT; err->text names line:column (both from 1,
 * columns in bytes) and what would have been accepted.
 */
int strict_read(
	const char *text, size_t len, struct strict_tape *tape, struct err *err) ATTR_CHECKED;
void strict_tape_release(struct strict_tape *tape);

/*
 * The bytes of a string, from its span with both quotes, which must have passed.  out has room for
 * len bytes, more than are ever needed; no NUL is added.  Gives their count.
 */
size_t strict_unescape(const char *span, size_t len, char *out);

/* Append text to out without the white space outside strings.  The text must have passed. */
void strict_compact(const char *text, size_t len, struct buf *out);

/* Line and column (from 1, in bytes) of an offset. */
void strict_position(const char *text, size_t offset, unsigned *line, unsigned *column);

#endif
