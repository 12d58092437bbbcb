#include "config.h"

#include "core/base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPONENT_END INT64_C(1000000000000)

/*
 * More digits than any double or midpoint of two doubles has; what follows them only matters as
 * "something follows".
 */
#define DIGITS_ENOUGH 800

static bool
is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static int64_t
read_exponent(const char *at, const char *end)
{
	bool negative = false;
	int64_t value = 0;

	if (at < end && (*at == '+' || *at == '-'))
		negative = *at++ == '-';
	for (; at < end && value < EXPONENT_END; at++)
		value = value * 10 + (*at - '0');
	if (value > EXPONENT_END)
		value = EXPONENT_END;
	return negative ? -value : value;
}

void
decimal_read(const char *text, size_t len, struct decimal *out)
{
	const char *end = text + len;
	const char *at = text;
	bool after_point = false;

	*out = (struct decimal){ .negative = *at == '-' };
	if (out->negative)
		at++;
	for (; at < end && (is_digit(*at) || *at == '.'); at++) {
		if (*at == '.') {
			after_point = true;
			continue;
		}
		if (*at != '0') {
			if (!out->digits)
				out->digits = at;
			out->end = at + 1;
		}
		/* Each digit before the point moves it right, each 0 right after it moves it left.
		 */
		if (out->digits && !after_point)
			out->exponent++;
		if (!out->digits && after_point)
			out->exponent--;
	}
	if (at < end)
		out->exponent += read_exponent(at + 1, end);
	if (decimal_is_zero(out))
		*out = (struct decimal){ 0 };
}

static int
compare_digits(const struct decimal *a, const struct decimal *b)
{
	const char *x = a->digits;
	const char *y = b->digits;

	for (;;) {
		if (x < a->end && *x == '.')
			x++;
		if (y < b->end && *y == '.')
			y++;
		if (x == a->end || y == b->end)
			return (x < a->end) - (y < b->end);
		if (*x != *y)
			return *x < *y ? -1 : 1;
		x++;
		y++;
	}
}

static int
sign(const struct decimal *decimal)
{
	if (decimal_is_zero(decimal))
		return 0;
	return decimal->negative ? -1 : 1;
}

int
decimal_compare(const struct decimal *a, const struct decimal *b)
{
	int a_sign = sign(a);

	if (a_sign != sign(b))
		return a_sign < sign(b) ? -1 : 1;
	if (a_sign == 0)
		return 0;
	if (a->exponent != b->exponent)
		return a->exponent < b->exponent ? -a_sign : a_sign;
	return a_sign * compare_digits(a, b);
}

/* Handed to strtod without a point, whose spelling depends on the locale. */
static double
near_double(const struct decimal *decimal)
{
	char text[DIGITS_ENOUGH + 32];
	int len = 0;

	for (const char *at = decimal->digits; at < decimal->end && len < DIGITS_ENOUGH; at++) {
		if (*at != '.')
			text[len++] = *at;
	}
	if (len == DIGITS_ENOUGH)
		text[len++] = '1';
	snprintf(text + len, sizeof(text) - (size_t)len, "e%lld",
		(long long)(decimal->exponent - len));
	return strtod(text, NULL);
}

double
decimal_double(const struct decimal *decimal)
{
	double size;

	if (decimal_is_zero(decimal) || decimal->exponent < -330)
		size = 0;
	else if (decimal->exponent > 310)
		size = HUGE_VAL;
	else
		size = near_double(decimal);
	return decimal->negative ? -size : size;
}
