/*
 * value = A x 10^a and step = B x 10^b with whole A and B that do not end in 0.  Where a >= b, the
 * remainder of A x 10^(a-b) by B is had digit by digit, so only B has to fit a machine's number.
 * Where a < b, value would be a multiple of 10^(a+1), and A would end in 0: it is none.
 */
#include "config.h"

#include "core/gate/multiple.h"

#include "core/base/decimal.h"

#define STEP_DIGITS 36    /* ten times as much still fits 128 bits */
#define ZEROS_MAX 1000000 /* more than a number of the strict reader can ask for */

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

/* The digits as a whole number, by a modulus; 0: none. */
static unsigned __int128
digits_by(const struct decimal *value, unsigned __int128 modulus)
{
	unsigned __int128 rest = 0;

	for (const char *at = value->digits; at < value->end; at++) {
		if (*at == '.')
			continue;
		rest = rest * 10 + (unsigned)(*at - '0');
		if (modulus)
			rest %= modulus;
	}
	return rest;
}

int
decimal_multiple(const struct decimal *value, const struct decimal *step)
{
	int64_t step_digits = digit_count(step);
	int64_t zeros = (value->exponent - digit_count(value)) - (step->exponent - step_digits);
	unsigned __int128 modulus, rest;

	if (decimal_is_zero(value))
		return 1;
	if (zeros < 0)
		return 0;
	if (step_digits > STEP_DIGITS || zeros > ZEROS_MAX)
		return -1;
	modulus = digits_by(step, 0);
	rest = digits_by(value, modulus);
	for (; zeros > 0 && rest != 0; zeros--)
		rest = rest * 10 % modulus;
	return rest == 0;
}
