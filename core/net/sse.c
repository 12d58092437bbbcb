#include "config.h"

#include "core/net/sse.h"

#include <string.h>

void
sse_init(struct sse *sse, size_t most)
{
	*sse = (struct sse){ .has_data = false };
	buf_init(&sse->data, most);
}

void
sse_release(struct sse *sse)
{
	buf_release(&sse->data);
}

static void
begin(struct sse *sse)
{
	buf_clear(&sse->data);
	sse->name[0] = '\0';
	sse->has_data = sse->error = sse->given = false;
}

static bool
is(const char *line, size_t name_len, const char *name)
{
	return strlen(name) == name_len && memcmp(line, name, name_len) == 0;
}

static enum sse_got
add_data(struct sse *sse, const char *value, size_t len)
{
	if (sse->has_data && buf_add(&sse->data, "\n", 1, NULL) < 0)
		return SSE_LONG;
	sse->has_data = true;
	return buf_add(&sse->data, value, len, NULL) < 0 ? SSE_LONG : SSE_NOTHING;
}

static enum sse_got
take_field(struct sse *sse, const char *line, size_t name_len, const char *value, size_t len)
{
	if (is(line, name_len, "data"))
		return add_data(sse, value, len);
	if (is(line, name_len, "error")) {
		sse->error = true;
		return add_data(sse, value, len);
	}
	if (is(line, name_len, "event")) {
		size_t kept = len < SSE_NAME_SIZE - 1 ? len : SSE_NAME_SIZE - 1;

		memcpy(sse->name, value, kept);
		sse->name[kept] = '\0';
	}
	return SSE_NOTHING;
}

enum sse_got
sse_line(struct sse *sse, const char *line, size_t len)
{
	const char *colon;
	size_t name_len;

	if (sse->given)
		begin(sse);
	if (len == 0) {
		sse->given = true;
		return sse->has_data && sse->data.len > 0 ? SSE_EVENT : SSE_NOTHING;
	}
	colon = memchr(line, ':', len);
	name_len = colon ? (size_t)(colon - line) : len;
	if (!colon)
		return take_field(sse, line, name_len, "", 0);
	len -= name_len + 1;
	colon++;
	if (len > 0 && *colon == ' ') {
		colon++;
		len--;
	}
	return take_field(sse, line, name_len, colon, len);
}

bool
sse_rest(const struct sse *sse)
{
	return !sse->given && sse->has_data && sse->data.len > 0;
}
