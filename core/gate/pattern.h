/*
 * pattern.h - regular expressions of JSON Schema with limits on what a match may cost.
 *
 * Knows:      err, mem, pcre2.
 * Unaware of: schemas.
 */
#ifndef CORE_GATE_PATTERN_H
#define CORE_GATE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"

struct err;
struct pattern;

/*
 * Compile.  whole: for allow rules; the text must be anchored at both ends (^...$, no alternation
 * outside of brackets, no inline flags) and is matched against the whole string.
 */
struct pattern *pattern_new(const char *text, size_t len, bool whole, struct err *err) ATTR_CHECKED;
void pattern_free(struct pattern *pattern); /* NULL is fine */

/*
 * 1: matches, 0: does not, -1: a limit was reached.  *steps is what the match may cost, and what
 * is left of it afterwards: one for each item of the pattern that is tried and for each 16 bytes
 * that an item passes, so that many matches can share one bound.
 */
int pattern_match(const struct pattern *pattern, const char *text, size_t len, uint64_t *steps);

#endif
