/*
 * coverage.h - which bytes of a text have been seen: a set of ranges.
 *
 * Knows:      mem.
 * Unaware of: what counts as seen.
 */
#ifndef TUI_COVERAGE_H
#define TUI_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

struct coverage_range {
	size_t from, to; /* to is exclusive */
};

struct coverage {
	struct coverage_range *ranges; /* internal: sorted, apart */
	size_t count, room;            /* internal */
};

void coverage_init(struct coverage *coverage);
void coverage_release(struct coverage *coverage);
void coverage_clear(struct coverage *coverage);
void coverage_add(struct coverage *coverage, size_t from, size_t to);
size_t coverage_seen(const struct coverage *coverage);                      /* bytes */
bool coverage_has(const struct coverage *coverage, size_t from, size_t to); /* all of them? */

#endif
