#include "config.h"

#include "core/gate/decimal.h"

#include <ctype.h>
#include <string.h>

#define EXPONENT_MAX 99999
#define INT128_DIGITS 36

/* Digits of the mantissa without leading zeros; the point counts from their start. */
static bool
read_mantissa(struct decimal *out, const char *text, size_t len, size_t *used)
{
	bool fraction = false;
	size_t i;

	for (i = 0; i < len && (isdigit((unsigned char)text[i]) || text[i] == '.'); i++) {
		if (text[i] == '.') {
			fraction = true;
			continue;
		}
		if (out->count == 0 && text[i] == '0') {
			out->point -= fraction;
			continue;
		}
		if (out->count == DECIMAL_DIGITS)
			return false;
		out->digits[out->count++] = text[i];
		out->point += !fraction;
	}
	*used = i;
	return true;
}

static bool
read_exponent(struct decimal *out, const char *text, size_t len)
{
	int exponent = 0;
	bool negative = false;
	size_t i = 1;

	if (len == 0)
		return true;
	if (text[i] == '+' || text[i] == '-')
		negative = text[i++] == '-';
	for (; i < len; i++) {
		exponent = exponent * 10 + (text[i] - '0');
		if (exponent > EXPONENT_MAX)
			return false;
	}
	out->point += negative ? -exponent : exponent;
	return true;
}

bool
decimal_read(struct decimal *out, const char *text, size_t len)
{
	size_t used;

	out->negative = len > 0 && text[0] == '-';
	out->point = 0;
	out->count = 0;
	text += out->negative;
	len -= out->negative;
	if (!read_mantissa(out, text, len, &used) || !read_exponent(out, text + used, len - used))
		return false;
	while (out->count > 0 && out->digits[out->count - 1] == '0')
		out->count--;
	if (out->count == 0) {
		out->negative = false;
		out->point = 0;
	}
	return true;
}

static int
compare_magnitude(const struct decimal *a, const struct decimal *b)
{
	int shared = a->count < b->count ? a->count : b->count;
	int order;

	if (a->count == 0 || b->count == 0)
		return a->count - b->count;
	if (a->point != b->point)
		return a->point - b->point;
	order = memcmp(a->digits, b->digits, (size_t)shared);
	return order ? order : a->count - b->count;
}

int
decimal_compare(const struct decimal *a, const struct decimal *b)
{
	int order;

	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	order = compare_magnitude(a, b);
	return a->negative ? -order : order;
}

bool
decimal_is_integer(const struct decimal *value)
{
	return value->point >= value->count;
}

/* The magnitude times ten to the scale, as an integer of at most 36 digits. */
static bool
scaled(const struct decimal *value, int scale, unsigned __int128 *out)
{
	int digits = value->point + scale;

	*out = 0;
	if (digits > INT128_DIGITS || digits < value->count)
		return value->count == 0;
	for (int i = 0; i < digits; i++)
		*out = *out * 10 + (unsigned)(i < value->count ? value->digits[i] - '0' : 0);
	return true;
}

int
decimal_multiple(const struct decimal *value, const struct decimal *step)
{
	int value_scale = value->count - value->point;
	int step_scale = step->count - step->point;
	int scale = value_scale > step_scale ? value_scale : step_scale;
	unsigned __int128 a, b;

	if (value->count == 0)
		return 1;
	if (scale < 0)
		scale = 0;
	if (!scaled(value, scale, &a) || !scaled(step, scale, &b) || b == 0)
		return -1;
	return a % b == 0;
}
