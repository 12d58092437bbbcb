/*
 * canonical.h - is a text in the one byte form that the record's lines have (formats.md 1)?
 *
 * What core/base/jsonout writes: bytes 0x20-0x7E, no spaces between values, each character of a
 * string in its one spelling.  Whether the text is JSON at all is the strict reader's business.
 *
 * Knows:      attr, buf, utf8.
 * Unaware of: lines, events.
 */
#ifndef CORE_RECORD_CANONICAL_H
#define CORE_RECORD_CANONICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/hash.h"

struct buf;

/* A place in a text; the functions below move on only when they hold. */
struct canonical {
	const char *at;
	const char *end;
};

bool canonical_literal(struct canonical *text, const char *literal) ATTR_CHECKED;
/* Decimal digits without leading zeros, at most max. */
bool canonical_number(struct canonical *text, uint64_t max, uint64_t *out) ATTR_CHECKED;
/* 64 lower-case hex digits. */
bool canonical_digest(struct canonical *text, struct digest *out) ATTR_CHECKED;
/* The inside of a string and its closing quote; the unescaped bytes are added to out (or NULL). */
bool canonical_string(struct canonical *text, struct buf *out) ATTR_CHECKED;
/* Strings in their one spelling, printable bytes, nothing between values, to the end. */
bool canonical_json(struct canonical text) ATTR_CHECKED;

#endif
