/*
 * The live bytes are data[0..len) inside one block.  buf_take() only moves data forward; the block
 * is compacted when space at the end runs out, so that a queue costs amortised constant time.
 */
#include "config.h"

#include "core/base/buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"

void
buf_init(struct buf *buf, size_t ceiling)
{
	memset(buf, 0, sizeof(*buf));
	buf->ceiling = ceiling;
}

void
buf_release(struct buf *buf)
{
	free(buf->block);
	buf_init(buf, buf->ceiling);
}

void
buf_clear(struct buf *buf)
{
	buf->data = buf->block;
	buf->len = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

char *
buf_space(struct buf *buf, size_t len)
{
	size_t before = buf->block ? (size_t)(buf->data - buf->block) : 0;
	size_t want = buf->len + len + 1;

	if (before + want <= buf->room)
		return buf->data + buf->len;
	if (before > 0) {
		memmove(buf->block, buf->data, buf->len);
		buf->data = buf->block;
	}
	if (want > buf->room) {
		buf->room = want < 64 ? 64 : want + want / 2;
		buf->block = mem_grow(buf->block, buf->room, 1);
		buf->data = buf->block;
	}
	buf->data[buf->len] = '\0';
	return buf->data + buf->len;
}

void
buf_added(struct buf *buf, size_t len)
{
	buf->len += len;
	buf->data[buf->len] = '\0';
}

int
buf_add(struct buf *buf, const void *bytes, size_t len, struct err *err)
{
	char *end;

	if (len > buf->ceiling - buf->len)
		return err_set(err, ERR_LIMIT, "more than %zu bytes", buf->ceiling);
	end = buf_space(buf, len);
	if (len)
		memcpy(end, bytes, len);
	buf_added(buf, len);
	return 0;
}

void
buf_put(struct buf *buf, const void *bytes, size_t len)
{
	int added = buf_add(buf, bytes, len, NULL);

	assert(added == 0);
	(void)added;
}

void
buf_str(struct buf *buf, const char *str)
{
	buf_put(buf, str, strlen(str));
}

void
buf_byte(struct buf *buf, char byte)
{
	buf_put(buf, &byte, 1);
}

void
buf_printf(struct buf *buf, const char *fmt, ...)
{
	va_list args;
	va_list again;
	int len;

	va_start(args, fmt);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	assert(len >= 0 && (size_t)len <= buf->ceiling - buf->len);
	vsnprintf(buf_space(buf, (size_t)len), (size_t)len + 1, fmt, again);
	va_end(again);
	buf_added(buf, (size_t)len);
}

void
buf_take(struct buf *buf, size_t len)
{
	assert(len <= buf->len);
	buf->data += len;
	buf->len -= len;
	if (buf->len == 0 && buf->block)
		buf_clear(buf);
}

char *
buf_give(struct buf *buf)
{
	char *given;

	buf_space(buf, 0);
	if (buf->data != buf->block)
		memmove(buf->block, buf->data, buf->len + 1);
	given = buf->block;
	given[buf->len] = '\0';
	buf->block = NULL;
	buf_init(buf, buf->ceiling);
	return given;
}
