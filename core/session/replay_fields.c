#include "config.h"

#include "core/session/replay_fields.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/strict.h"

/* Behind the closing quote of a string that begins at `at`. */
static const char *
skip_string(const char *at, const char *end)
{
	for (at++; at < end; at++) {
		if (*at == '"')
			return at + 1;
		if (*at == '\\')
			at++;
	}
	return end;
}

static const char *
skip_nested(const char *at, const char *end)
{
	unsigned depth = 0;

	while (at < end) {
		if (*at == '"') {
			at = skip_string(at, end);
			continue;
		}
		if (*at == '{' || *at == '[')
			depth++;
		else if ((*at == '}' || *at == ']') && --depth == 0)
			return at + 1;
		at++;
	}
	return end;
}

static const char *
skip_value(const char *at, const char *end)
{
	if (at == end)
		return end;
	if (*at == '"')
		return skip_string(at, end);
	if (*at == '{' || *at == '[')
		return skip_nested(at, end);
	while (at < end && *at != ',' && *at != '}' && *at != ']')
		at++;
	return at;
}

static struct fields
open_as(struct span value, char bracket)
{
	if (!value.at || value.len < 2 || value.at[0] != bracket)
		return (struct fields){ .at = NULL, .end = NULL };
	return (struct fields){ .at = value.at + 1, .end = value.at + value.len - 1 };
}

static bool
take_value(struct fields *fields)
{
	const char *begin = fields->at;

	fields->at = skip_value(begin, fields->end);
	fields->value = (struct span){ begin, (size_t)(fields->at - begin) };
	if (fields->at < fields->end)
		fields->at++;
	return true;
}

struct fields
fields_of(struct span object)
{
	return open_as(object, '{');
}

bool
fields_next(struct fields *fields)
{
	const char *begin = fields->at;

	if (begin >= fields->end || *begin != '"')
		return false;
	fields->at = skip_string(begin, fields->end);
	if (fields->at - begin < 2 || fields->at >= fields->end || *fields->at != ':')
		return false;
	fields->key = (struct span){ begin + 1, (size_t)(fields->at - begin) - 2 };
	fields->at++;
	return take_value(fields);
}

struct fields
fields_elements(struct span array)
{
	return open_as(array, '[');
}

bool
fields_next_element(struct fields *fields)
{
	return fields->at < fields->end && take_value(fields);
}

struct span
fields_get(struct span object, const char *key)
{
	struct fields it = fields_of(object);
	size_t len = strlen(key);

	while (fields_next(&it))
		if (span_is(it.key, key, len))
			return it.value;
	return (struct span){ NULL, 0 };
}

int64_t
span_number(struct span value, int64_t otherwise)
{
	int64_t sum = 0;

	if (SPAN_IS(value, "-0"))
		return 0;
	for (size_t i = 0; i < value.len; i++) {
		if (value.at[i] < '0' || value.at[i] > '9' ||
			__builtin_mul_overflow(sum, 10, &sum) ||
			__builtin_add_overflow(sum, value.at[i] - '0', &sum))
			return otherwise;
	}
	return value.len > 0 ? sum : otherwise;
}

/* The strict reader alone may say what escapes mean. */
static struct span
unescaped(struct span value, struct buf *room)
{
	struct strict_tape tape = { 0 };

	if (strict_read(value.at, value.len, &tape, NULL) < 0)
		return (struct span){ NULL, 0 };
	strict_tape_release(&tape);
	buf_clear(room);
	buf_added(room, strict_unescape(value.at, value.len, buf_space(room, value.len)));
	return (struct span){ room->data, room->len };
}

struct span
span_text(struct span value, struct buf *room)
{
	static const struct span none = { NULL, 0 };
	struct span text;

	if (value.len < 2 || value.at[0] != '"' || value.at[value.len - 1] != '"')
		return none;
	text = (struct span){ value.at + 1, value.len - 2 };
	if (memchr(text.at, '\\', text.len))
		text = unescaped(value, room);
	return text.at && memchr(text.at, '\0', text.len) ? none : text;
}
