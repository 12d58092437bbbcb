/*
 * decimal.h - the exact value of a JSON number, as digits and a power of ten over its source bytes.
 *
 * Nothing is expanded: 1e400000000 costs as much as 1.
 *
 * Knows:      nothing.
 * Unaware of: JSON apart from its number grammar.
 */
#ifndef CORE_BASE_DECIMAL_H
#define CORE_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0.DIGITS x 10^exponent; the first and last digit are not 0.  Zero has no digits. */
struct decimal {
	const char *digits; /* borrowed; may hold the point */
	const char *end;
	int64_t exponent;
	bool negative; /* never for zero */
};

/* text is a number of RFC 8259.  Exponents beyond +-10^12 count as that. */
void decimal_read(const char *text, size_t len, struct decimal *out);

static inline bool
decimal_is_zero(const struct decimal *decimal)
{
	return decimal->digits == decimal->end;
}

int decimal_compare(const struct decimal *a, const struct decimal *b); /* -1, 0, 1 */

/* The nearest double (ties to even): infinite or zero when out of range.  Free of locales. */
double decimal_double(const struct decimal *decimal);

#endif
