/*
 * Most bytes of most strings stand for themselves, so strings are copied in runs: a table says
 * which bytes end a run, and only those are looked at singly.
 */
#include "config.h"

#include "core/base/jsonout.h"

#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/utf8.h"

/* What stands for itself inside a string. */
static bool
plain_in_string(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

static size_t
plain_run(const char *bytes, size_t len)
{
	size_t at = 0;

	while (at < len && plain_in_string((unsigned char)bytes[at]))
		at++;
	return at;
}

static size_t
ascii_run(const char *bytes, size_t len)
{
	size_t at = 0;

	while (at < len && (unsigned char)bytes[at] < 0x7F)
		at++;
	return at;
}

static void
put_unit(struct buf *buf, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";
	char text[6] = { '\\', 'u', digits[unit >> 12 & 15], digits[unit >> 8 & 15],
		digits[unit >> 4 & 15], digits[unit & 15] };

	buf_put(buf, text, sizeof(text));
}

static void
put_escaped(struct buf *buf, uint32_t code)
{
	static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";

	for (const char *at = named; *at; at += 2) {
		if (code == (unsigned char)at[0]) {
			char text[2] = { '\\', at[1] };

			buf_put(buf, text, sizeof(text));
			return;
		}
	}
	if (code > 0xFFFF) {
		put_unit(buf, 0xD800 + ((code - 0x10000) >> 10));
		put_unit(buf, 0xDC00 + ((code - 0x10000) & 0x3FF));
		return;
	}
	put_unit(buf, code);
}

/* Escape the one character at bytes; gives how many bytes it took. */
static size_t
put_character(struct buf *buf, const char *bytes, size_t len)
{
	uint32_t code;
	unsigned size = utf8_decode(bytes, len, &code);

	put_escaped(buf, size ? code : 0xFFFD);
	return size ? size : 1;
}

static void
put_string(struct buf *buf, const char *bytes, size_t len)
{
	buf_byte(buf, '"');
	for (size_t at = 0; at < len;) {
		size_t run = plain_run(bytes + at, len - at);

		buf_put(buf, bytes + at, run);
		at += run;
		if (at < len)
			at += put_character(buf, bytes + at, len - at);
	}
	buf_byte(buf, '"');
}

static void
begin_value(struct jsonout *out)
{
	if (out->comma)
		buf_byte(out->buf, ',');
	out->comma = true;
}

void
jsonout_init(struct jsonout *out, struct buf *buf)
{
	out->buf = buf;
	out->comma = false;
}

static void
begin_container(struct jsonout *out, char open)
{
	begin_value(out);
	buf_byte(out->buf, open);
	out->comma = false;
}

static void
end_container(struct jsonout *out, char close)
{
	buf_byte(out->buf, close);
	out->comma = true;
}

void
jsonout_object(struct jsonout *out)
{
	begin_container(out, '{');
}

void
jsonout_object_end(struct jsonout *out)
{
	end_container(out, '}');
}

void
jsonout_array(struct jsonout *out)
{
	begin_container(out, '[');
}

void
jsonout_array_end(struct jsonout *out)
{
	end_container(out, ']');
}

void
jsonout_key(struct jsonout *out, const char *key)
{
	begin_value(out);
	put_string(out->buf, key, strlen(key));
	buf_byte(out->buf, ':');
	out->comma = false;
}

void
jsonout_str(struct jsonout *out, const char *str)
{
	if (str)
		jsonout_strn(out, str, strlen(str));
	else
		jsonout_null(out);
}

void
jsonout_strn(struct jsonout *out, const char *bytes, size_t len)
{
	begin_value(out);
	put_string(out->buf, bytes, len);
}

void
jsonout_int(struct jsonout *out, int64_t value)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%lld", (long long)value);

	begin_value(out);
	buf_put(out->buf, text, (size_t)len);
}

void
jsonout_bool(struct jsonout *out, bool value)
{
	begin_value(out);
	buf_str(out->buf, value ? "true" : "false");
}

void
jsonout_null(struct jsonout *out)
{
	begin_value(out);
	buf_str(out->buf, "null");
}

void
jsonout_raw(struct jsonout *out, const char *json, size_t len)
{
	begin_value(out);
	for (size_t at = 0; at < len;) {
		size_t run = ascii_run(json + at, len - at);

		buf_put(out->buf, json + at, run);
		at += run;
		if (at < len)
			at += put_character(out->buf, json + at, len - at);
	}
}

void
jsonout_key_str(struct jsonout *out, const char *key, const char *str)
{
	jsonout_key(out, key);
	jsonout_str(out, str);
}

void
jsonout_key_int(struct jsonout *out, const char *key, int64_t value)
{
	jsonout_key(out, key);
	jsonout_int(out, value);
}

void
jsonout_key_bool(struct jsonout *out, const char *key, bool value)
{
	jsonout_key(out, key);
	jsonout_bool(out, value);
}
