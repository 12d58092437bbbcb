#include "config.h"

#include "core/base/utf8.h"

#include <assert.h>
#include <stdbool.h>

static bool
goes_on(unsigned char byte)
{
	return (byte & 0xC0) == 0x80;
}

static unsigned
length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xC2)
		return 0;
	if (first < 0xE0)
		return 2;
	if (first < 0xF0)
		return 3;
	return first < 0xF5 ? 4 : 0;
}

unsigned
utf8_decode(const char *text, size_t len, uint32_t *code)
{
	static const unsigned char first_bits[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *bytes = (const unsigned char *)text;
	unsigned size = length_of(bytes[0]);
	uint32_t found;

	if (size == 0 || size > len)
		return 0;
	found = bytes[0] & first_bits[size];
	for (unsigned i = 1; i < size; i++) {
		if (!goes_on(bytes[i]))
			return 0;
		found = found << 6 | (bytes[i] & 0x3F);
	}
	if (found < least[size] || found > 0x10FFFF || (found >= 0xD800 && found < 0xE000))
		return 0;
	*code = found;
	return size;
}

unsigned
utf8_encode(uint32_t code, char out[4])
{
	unsigned size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char mark[] = { 0, 0, 0xC0, 0xE0, 0xF0 };

	assert(code <= 0x10FFFF);
	for (unsigned i = size - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code & 0x3F));
		code >>= 6;
	}
	out[0] = (char)(mark[size] | code);
	return size;
}
