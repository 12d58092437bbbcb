#include "config.h"

#include "core/net/lines.h"

#include <string.h>

#define MARK "\xef\xbb\xbf"
#define MARK_LEN 3

void
lines_init(struct lines *lines, size_t most)
{
	*lines = (struct lines){ .whole = false };
	buf_init(&lines->line, most);
}

void
lines_release(struct lines *lines)
{
	buf_release(&lines->line);
}

static size_t
to_end(const char *bytes, size_t len)
{
	size_t at = 0;

	while (at < len && bytes[at] != '\n' && bytes[at] != '\r')
		at++;
	return at;
}

/* A mark counts as one only where the first line begins with it. */
static void
drop_mark(struct lines *lines)
{
	if (!lines->begun && lines->line.len >= MARK_LEN &&
		memcmp(lines->line.data, MARK, MARK_LEN) == 0)
		buf_take(&lines->line, MARK_LEN);
	lines->begun = true;
}

enum lines_got
lines_next(struct lines *lines, const char **bytes, size_t *len)
{
	size_t at;

	if (lines->whole)
		buf_clear(&lines->line);
	lines->whole = false;
	if (lines->after_cr && *len > 0) {
		lines->after_cr = false;
		if (**bytes == '\n') {
			(*bytes)++;
			(*len)--;
		}
	}
	at = to_end(*bytes, *len);
	if (buf_add(&lines->line, *bytes, at, NULL) < 0)
		return LINES_LONG;
	if (at == *len) {
		*bytes += at;
		*len = 0;
		return LINES_MORE;
	}
	lines->after_cr = (*bytes)[at] == '\r';
	*bytes += at + 1;
	*len -= at + 1;
	drop_mark(lines);
	lines->whole = true;
	return LINES_LINE;
}

bool
lines_rest(struct lines *lines)
{
	if (lines->whole || lines->line.len == 0)
		return false;
	drop_mark(lines);
	return true;
}
