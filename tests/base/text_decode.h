/*
 * text_decode.h - the way back: what text_escape() made, read by the notation alone.
 *
 * That it gives the source again, for any source, is what makes two different inputs look
 * different.
 */
#ifndef TESTS_BASE_TEXT_DECODE_H
#define TESTS_BASE_TEXT_DECODE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

static bool
decode_run(struct buf *out, const char **at, const char *name, char byte)
{
	size_t len = strlen(name);
	char *end;
	unsigned long long count;

	if (strncmp(*at, name, len) != 0 || strncmp(*at + len, " x ", 3) != 0)
		return false;
	count = strtoull(*at + len + 3, &end, 10);
	if (*end != '>' || count > (1 << 24))
		return false;
	while (count-- > 0)
		buf_byte(out, byte);
	*at = end + 1;
	return true;
}

/* *at is after a "<". */
static bool
decode_token(struct buf *out, const char **at)
{
	char utf8[4], *end;
	unsigned long value;

	if (strncmp(*at, "U+", 2) == 0) {
		value = strtoul(*at + 2, &end, 16);
		if (*end != '>' || value > 0x10FFFF)
			return false;
		buf_put(out, utf8, utf8_encode((uint32_t)value, utf8));
	} else if (**at == 'x' && strspn(*at + 1, "0123456789ABCDEF") == 2 && (*at)[3] == '>') {
		buf_byte(out, (char)strtoul(*at + 1, &end, 16));
	} else {
		return decode_run(out, at, "SP", ' ') || decode_run(out, at, "TAB", '\t') ||
		       decode_run(out, at, "NL", '\n');
	}
	*at = end + 1;
	return true;
}

/* drawn is what the cells said, with LF for each break.  In TEXT_LINES a break stands for itself
 * unless a token before it says so already. */
static void
text_decode(struct buf *out, const char *drawn, enum text_mode mode)
{
	bool said = false;

	for (const char *at = drawn; *at;) {
		bool token = false;

		if (*at == '<') {
			const char *after = at + 1;

			token = decode_token(out, &after);
			if (token)
				at = after;
		}
		if (!token) {
			if (*at != '\n' || (mode == TEXT_LINES && !said))
				buf_byte(out, *at);
			at++;
		}
		said = token && out->len > 0 && out->data[out->len - 1] == '\n';
	}
}

#endif
