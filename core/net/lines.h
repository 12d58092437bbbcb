/*
 * lines.h - lines out of bytes, however they are split: LF, CR LF, or a lone CR ends one.
 *
 * A byte order mark at the very beginning is passed over.  Bytes are bytes: whether a line is UTF-8
 * is for its reader, who has all of it.
 *
 * Knows:      buf.
 * Unaware of: what lines mean.
 */
#ifndef CORE_NET_LINES_H
#define CORE_NET_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buf.h"

struct lines {
	struct buf line; /* the latest, without its end; or what there is of it */
	bool whole;      /* internal: it was given, and is dropped next */
	bool after_cr;   /* internal: an LF now belongs to the end before it */
	bool begun;      /* internal: a mark cannot follow any more */
};

enum lines_got {
	LINES_MORE, /* the bytes are used up */
	LINES_LINE, /* lines->line is one; call again with what is left */
	LINES_LONG, /* it passes the ceiling: nothing more can be read */
};

/* most: bytes of one line. */
void lines_init(struct lines *lines, size_t most);
void lines_release(struct lines *lines);
/* Takes bytes from the front of *bytes. */
enum lines_got lines_next(struct lines *lines, const char **bytes, size_t *len);
/* At the end of all bytes: is there a last line without an end?  It is lines->line then. */
bool lines_rest(struct lines *lines);

#endif
