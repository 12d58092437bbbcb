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

/* Small pieces are gathered before they go to the buffer: text with many quotes is common. */
struct gather {
	struct buf *buf;
	size_t used;
	char text[1024];
};

#define ESCAPE_MAX 12

static void
flush(struct gather *gather)
{
	buf_put(gather->buf, gather->text, gather->used);
	gather->used = 0;
}

static void
put_run(struct gather *gather, const char *bytes, size_t len)
{
	if (len > sizeof(gather->text) - gather->used) {
		flush(gather);
		if (len > sizeof(gather->text) / 2) {
			buf_put(gather->buf, bytes, len);
			return;
		}
	}
	memcpy(gather->text + gather->used, bytes, len);
	gather->used += len;
}

static void
put_unit(struct gather *gather, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";
	char *to = gather->text + gather->used;

	*to++ = '\\';
	*to++ = 'u';
	for (int shift = 12; shift >= 0; shift -= 4)
		*to++ = digits[unit >> shift & 15];
	gather->used += 6;
}

/* The letter of the short escape, or NUL. */
static char
short_escape(uint32_t code)
{
	switch (code) {
	case '"':
	case '\\':
		return (char)code;
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	default:
		return '\0';
	}
}

static void
put_escaped(struct gather *gather, uint32_t code)
{
	char letter = short_escape(code);

	if (sizeof(gather->text) - gather->used < ESCAPE_MAX)
		flush(gather);
	if (letter) {
		gather->text[gather->used++] = '\\';
		gather->text[gather->used++] = letter;
	} else if (code > 0xFFFF) {
		put_unit(gather, 0xD800 + ((code - 0x10000) >> 10));
		put_unit(gather, 0xDC00 + ((code - 0x10000) & 0x3FF));
	} else {
		put_unit(gather, code);
	}
}

typedef size_t (*run_fn)(const char *bytes, size_t len);

/* What run says stands for itself goes as it is, everything between as escapes. */
static void
put_text(struct buf *buf, const char *bytes, size_t len, run_fn run_of)
{
	struct gather gather;
	size_t at = 0;

	gather.buf = buf;
	gather.used = 0;
	while (at < len) {
		size_t run = run_of(bytes + at, len - at);
		uint32_t code;
		unsigned size;

		put_run(&gather, bytes + at, run);
		at += run;
		if (at == len)
			break;
		size = utf8_decode(bytes + at, len - at, &code);
		put_escaped(&gather, size ? code : 0xFFFD);
		at += size ? size : 1;
	}
	flush(&gather);
}

static void
put_string(struct buf *buf, const char *bytes, size_t len)
{
	buf_byte(buf, '"');
	put_text(buf, bytes, len, plain_run);
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
	put_text(out->buf, json, len, ascii_run);
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
