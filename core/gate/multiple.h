/*
 * multiple.h - whole numbers and multiples among exact decimals.
 *
 * Knows:      base/decimal.
 * Unaware of: schemas.
 */
#ifndef CORE_GATE_MULTIPLE_H
#define CORE_GATE_MULTIPLE_H

#include <stdbool.h>

struct decimal;

/* 1.0 and 10e-1 are whole. */
bool decimal_is_whole(const struct decimal *value);

/*
 * 1: value is a whole multiple of step (> 0), 0: it is not, -1: not decided, as step has more than
 * 36 significant digits.  Exact for values of any length.
 */
int decimal_multiple(const struct decimal *value, const struct decimal *step);

#endif
