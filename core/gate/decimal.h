/*
 * decimal.h - JSON numbers compared exactly, from their source text.
 *
 * A number is its sign, its significant digits and where the point stands.  Beyond 1000 significant
 * digits or an exponent of five digits it is not read, and the caller answers "unknown".
 *
 * Knows:      nothing.
 * Unaware of: schemas.
 */
#ifndef CORE_GATE_DECIMAL_H
#define CORE_GATE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

#define DECIMAL_DIGITS 1000

struct decimal { /* value = 0.DIGITS times ten to the point */
	bool negative;
	int point;
	int count; /* significant digits; 0: zero */
	char digits[DECIMAL_DIGITS];
};

/* text: a number that passed the strict reader.  false: beyond the exact range. */
bool decimal_read(struct decimal *out, const char *text, size_t len);
int decimal_compare(const struct decimal *a, const struct decimal *b); /* <0, 0, >0 */
bool decimal_is_integer(const struct decimal *value);

/* 1: value is a whole multiple of step (> 0), 0: it is not, -1: not decidable within 36 digits. */
int decimal_multiple(const struct decimal *value, const struct decimal *step);

#endif
