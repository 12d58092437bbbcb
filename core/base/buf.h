/*
 * buf.h - a byte buffer with a ceiling fixed at its creation.
 *
 * data is always followed by a NUL that does not count.  Bytes are taken from the front without
 * moving the rest each time (head), so a buffer serves as a queue too.
 *
 * Knows:      attr, err, mem.
 * Unaware of: what the bytes mean.
 */
#ifndef CORE_BASE_BUF_H
#define CORE_BASE_BUF_H

#include <stddef.h>

#include "core/base/attr.h"

struct err;

struct buf {
	char *data; /* borrowed by readers until the next change */
	size_t len;
	size_t room;    /* internal */
	size_t ceiling; /* bytes; more is ERR_LIMIT */
	char *block;    /* internal: start of the allocation; data lies within */
};

#define BUF_UNBOUNDED ((size_t)1 << 40)

void buf_init(struct buf *buf, size_t ceiling);
void buf_release(struct buf *buf);
void buf_clear(struct buf *buf); /* keeps the memory */

/* Append.  Fails with ERR_LIMIT when the ceiling would be passed; then nothing was added. */
int buf_add(struct buf *buf, const void *bytes, size_t len, struct err *err) ATTR_CHECKED;

/* The same for buffers whose ceiling cannot be reached by correct code: a breach aborts. */
void buf_put(struct buf *buf, const void *bytes, size_t len);
void buf_str(struct buf *buf, const char *str);
void buf_byte(struct buf *buf, char byte);
void buf_printf(struct buf *buf, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* Room for len bytes past the end, to be read into; then buf_added() says how many came. */
char *buf_space(struct buf *buf, size_t len);
void buf_added(struct buf *buf, size_t len);

/* Drop len bytes from the front. */
void buf_take(struct buf *buf, size_t len);

/* Gives the bytes (NUL-terminated) to the caller and leaves the buffer empty. */
char *buf_give(struct buf *buf);

static inline void
buf_leave_release(struct buf *slot)
{
	buf_release(slot);
}

#define AUTO_BUF ON_LEAVE(buf_leave_release)

#endif
