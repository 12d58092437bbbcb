#include "config.h"

#include "core/gate/multiple.h"

#include "core/base/decimal.h"

#define INT128_DIGITS 36

static int64_t
digit_count(const struct decimal *value)
{
	int64_t count = 0;

	for (const char *at = value->digits; at < value->end; at++)
		count += *at != '.';
	return count;
}

bool
decimal_is_whole(const struct decimal *value)
{
	return decimal_is_zero(value) || value->exponent >= digit_count(value);
}

/* The magnitude times ten to the scale, as an integer of at most 36 digits. */
static bool
scaled(const struct decimal *value, int64_t scale, unsigned __int128 *out)
{
	int64_t digits = value->exponent + scale;
	int64_t used = 0;

	*out = 0;
	if (digits > INT128_DIGITS || digits < digit_count(value))
		return false;
	for (const char *at = value->digits; at < value->end; at++) {
		if (*at == '.')
			continue;
		*out = *out * 10 + (unsigned)(*at - '0');
		used++;
	}
	for (; used < digits; used++)
		*out *= 10;
	return true;
}

int
decimal_multiple(const struct decimal *value, const struct decimal *step)
{
	int64_t value_scale = digit_count(value) - value->exponent;
	int64_t step_scale = digit_count(step) - step->exponent;
	int64_t scale = value_scale > step_scale ? value_scale : step_scale;
	unsigned __int128 a, b;

	if (decimal_is_zero(value))
		return 1;
	if (scale < 0)
		scale = 0;
	if (!scaled(value, scale, &a) || !scaled(step, scale, &b) || b == 0)
		return -1;
	return a % b == 0;
}
