/*
 * The bytes are checked as they stand instead of written anew and compared: that needs no second
 * writer and no memory, and says the same.
 */
#include "config.h"

#include "core/record/canonical.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/utf8.h"

bool
canonical_literal(struct canonical *text, const char *literal)
{
	size_t len = strlen(literal);

	if ((size_t)(text->end - text->at) < len || memcmp(text->at, literal, len) != 0)
		return false;
	text->at += len;
	return true;
}

bool
canonical_number(struct canonical *text, uint64_t max, uint64_t *out)
{
	const char *at = text->at;
	uint64_t value = 0;

	while (at < text->end && *at >= '0' && *at <= '9') {
		uint64_t digit = (uint64_t)(*at - '0');

		if (value > (max - digit) / 10 || (value == 0 && at > text->at))
			return false;
		value = value * 10 + digit;
		at++;
	}
	if (at == text->at)
		return false;
	text->at = at;
	*out = value;
	return true;
}

bool
canonical_digest(struct canonical *text, struct digest *out)
{
	if (text->end - text->at < DIGEST_HEX - 1 || !digest_parse(text->at, DIGEST_HEX - 1, out))
		return false;
	text->at += DIGEST_HEX - 1;
	return true;
}

static bool
plain(unsigned char byte)
{
	return byte >= 0x20 && byte <= 0x7E && byte != '"' && byte != '\\';
}

/* Four lower-case hex digits. */
static bool
take_unit(struct canonical *text, uint32_t *out)
{
	uint32_t value = 0;

	if (text->end - text->at < 4)
		return false;
	for (unsigned i = 0; i < 4; i++) {
		char digit = text->at[i];

		if (digit >= '0' && digit <= '9')
			value = value << 4 | (uint32_t)(digit - '0');
		else if (digit >= 'a' && digit <= 'f')
			value = value << 4 | (uint32_t)(digit - 'a' + 10);
		else
			return false;
	}
	text->at += 4;
	*out = value;
	return true;
}

/* What has a shorter spelling must not be written as \u. */
static bool
take_character(struct canonical *text, uint32_t *code)
{
	uint32_t low;

	if (!take_unit(text, code) || (*code < 0x7F && plain((unsigned char)*code)))
		return false;
	if (*code < 0x80 && *code != 0 && strchr("\"\\\b\f\n\r\t", (int)*code))
		return false;
	if (*code < 0xD800 || *code > 0xDFFF)
		return true;
	if (*code > 0xDBFF || !canonical_literal(text, "\\u") || !take_unit(text, &low) ||
		low < 0xDC00 || low > 0xDFFF)
		return false;
	*code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
	return true;
}

/* Behind the backslash. */
static bool
take_escape(struct canonical *text, struct buf *out)
{
	static const char named[] = "\"\"\\\\b\bf\fn\nr\rt\t";
	uint32_t code;

	if (text->at == text->end)
		return false;
	if (*text->at != 'u') {
		for (const char *pair = named; *pair; pair += 2) {
			if (pair[0] != *text->at)
				continue;
			text->at++;
			if (out)
				buf_byte(out, pair[1]);
			return true;
		}
		return false;
	}
	text->at++;
	if (!take_character(text, &code))
		return false;
	if (out) {
		char utf8[4];

		buf_put(out, utf8, utf8_encode(code, utf8));
	}
	return true;
}

bool
canonical_string(struct canonical *text, struct buf *out)
{
	for (;;) {
		const char *run = text->at;

		while (text->at < text->end && plain((unsigned char)*text->at))
			text->at++;
		if (out)
			buf_put(out, run, (size_t)(text->at - run));
		if (text->at == text->end)
			return false;
		if (*text->at == '"') {
			text->at++;
			return true;
		}
		if (*text->at++ != '\\' || !take_escape(text, out))
			return false;
	}
}

bool
canonical_json(struct canonical text)
{
	while (text.at < text.end) {
		unsigned char byte = (unsigned char)*text.at++;

		if (byte <= 0x20 || byte > 0x7E)
			return false;
		if (byte == '"' && !canonical_string(&text, NULL))
			return false;
	}
	return true;
}
