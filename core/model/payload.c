/*
 * Mending is one pass over the text: inside strings an escape of half a pair becomes one of the
 * private code point; everything else is copied.  What is still no JSON is for jansson to refuse.
 */
#include "config.h"

#include "core/model/payload.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"
#define ESCAPE_LEN 6 /* \uXXXX */

static bool
is_high(uint32_t code)
{
	return code >= 0xd800 && code <= 0xdbff;
}

static bool
is_low(uint32_t code)
{
	return code >= 0xdc00 && code <= 0xdfff;
}

static uint32_t
joined(uint32_t high, uint32_t low)
{
	return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/* \uXXXX at text; false: it is none. */
static bool
read_escape(const char *text, size_t len, uint32_t *code)
{
	*code = 0;
	if (len < ESCAPE_LEN || text[0] != '\\' || text[1] != 'u')
		return false;
	for (size_t i = 2; i < ESCAPE_LEN; i++) {
		char digit = text[i];
		uint32_t value;

		if (digit >= '0' && digit <= '9')
			value = (uint32_t)(digit - '0');
		else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f')
			value = (uint32_t)((digit | 0x20) - 'a' + 10);
		else
			return false;
		*code = *code * 16 + value;
	}
	return true;
}

static void
put_code(struct buf *out, uint32_t code)
{
	char utf8[4];

	buf_put(out, utf8, utf8_encode(code, utf8));
}

/* An escape at text, within a string: appended mended; gives its length. */
static size_t
mend_escape(const char *text, size_t len, struct buf *out)
{
	uint32_t code, next;
	size_t taken = len < 2 ? len : 2;

	if (!read_escape(text, len, &code)) {
		buf_put(out, text, taken);
		return taken;
	}
	if (is_high(code) && read_escape(text + ESCAPE_LEN, len - ESCAPE_LEN, &next) &&
		is_low(next)) {
		buf_put(out, text, 2 * ESCAPE_LEN);
		return 2 * ESCAPE_LEN;
	}
	if (is_high(code) || is_low(code))
		put_code(out, PAYLOAD_HALF + code);
	else
		buf_put(out, text, ESCAPE_LEN);
	return ESCAPE_LEN;
}

static void
mend(const char *bytes, size_t len, struct buf *out)
{
	bool within = false;

	for (size_t at = 0; at < len;) {
		uint32_t code;
		unsigned taken = utf8_decode(bytes + at, len - at, &code);

		if (within && bytes[at] == '\\') {
			at += mend_escape(bytes + at, len - at, out);
			continue;
		}
		if (bytes[at] == '"')
			within = !within;
		if (taken == 0)
			buf_str(out, REPLACEMENT);
		else
			buf_put(out, bytes + at, taken);
		at += taken ? taken : 1;
	}
}

json_t *
payload_read(const char *bytes, size_t len, struct err *err)
{
	AUTO_BUF struct buf text;
	json_error_t error;
	json_t *value;

	buf_init(&text, BUF_UNBOUNDED);
	mend(bytes, len, &text);
	value = json_loadb(text.data ? text.data : "", text.len,
		JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);
	if (!value)
		err_set(err, ERR_FORMAT, "%s", error.text);
	return value;
}

bool
payload_is_cut(const char *bytes, size_t len)
{
	bool within = false, escaped = false;
	size_t depth = 0;

	for (size_t at = 0; at < len; at++) {
		char byte = bytes[at];

		if (within) {
			within = escaped || byte != '"';
			escaped = !escaped && byte == '\\';
		} else if (byte == '"') {
			within = true;
		} else if (byte == '{' || byte == '[') {
			depth++;
		} else if ((byte == '}' || byte == ']') && (depth == 0 || --depth == 0)) {
			return false;
		}
	}
	return within || depth > 0;
}

/* --- deltas --- */

static void
drop_half(struct payload_join *join, struct buf *out)
{
	if (join->half)
		buf_str(out, REPLACEMENT);
	join->half = 0;
}

static void
put_joining(struct payload_join *join, uint32_t code, struct buf *out)
{
	uint32_t half = code >= PAYLOAD_HALF ? code - PAYLOAD_HALF : 0;

	if (is_low(half) && join->half) {
		put_code(out, joined(join->half, half));
		join->half = 0;
		return;
	}
	drop_half(join, out);
	if (is_high(half))
		join->half = half;
	else if (is_low(half))
		buf_str(out, REPLACEMENT);
	else
		put_code(out, code);
}

void
payload_text(struct payload_join *join, const char *bytes, size_t len, struct buf *out)
{
	for (size_t at = 0; at < len;) {
		uint32_t code = 0xfffd;
		unsigned taken = utf8_decode(bytes + at, len - at, &code);

		put_joining(join, code, out);
		at += taken ? taken : 1;
	}
}

void
payload_rest(struct payload_join *join, struct buf *out)
{
	drop_half(join, out);
}

/* --- look-ups --- */

json_t *
payload_get(const json_t *object, const char *key)
{
	return object ? json_object_get(object, key) : NULL;
}

const char *
payload_str(const json_t *object, const char *key, size_t *len)
{
	const json_t *value = payload_get(object, key);

	*len = json_string_length(value);
	return json_string_value(value);
}

const char *
payload_word(const json_t *object, const char *key)
{
	size_t len;
	const char *text = payload_str(object, key, &len);

	return text && strlen(text) == len ? text : NULL;
}

int64_t
payload_count(const json_t *object, const char *key)
{
	const json_t *value = payload_get(object, key);
	double number = json_number_value(value);

	return json_is_number(value) && number >= 0 && number < 1e15 ? (int64_t)number : -1;
}
