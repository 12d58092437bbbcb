/* coverage.c - ranges kept sorted and apart: touching ones are joined at once. */
#include "config.h"

#include "tui/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

void
coverage_init(struct coverage *coverage)
{
	memset(coverage, 0, sizeof(*coverage));
}

void
coverage_release(struct coverage *coverage)
{
	free(coverage->ranges);
	coverage_init(coverage);
}

void
coverage_clear(struct coverage *coverage)
{
	coverage->count = 0;
}

/* The first range that ends at or after this place: the only one that could hold or touch it. */
static size_t
find(const struct coverage *coverage, size_t at)
{
	size_t low = 0, high = coverage->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (coverage->ranges[middle].to < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
insert(struct coverage *coverage, size_t place, struct coverage_range range)
{
	if (coverage->count == coverage->room) {
		coverage->room = coverage->room ? coverage->room * 2 : 8;
		coverage->ranges =
			mem_grow(coverage->ranges, coverage->room, sizeof(*coverage->ranges));
	}
	memmove(coverage->ranges + place + 1, coverage->ranges + place,
		(coverage->count - place) * sizeof(*coverage->ranges));
	coverage->ranges[place] = range;
	coverage->count++;
}

void
coverage_add(struct coverage *coverage, size_t from, size_t to)
{
	size_t place = find(coverage, from), last = place;
	struct coverage_range range = { from, to };

	if (from >= to)
		return;
	for (; last < coverage->count && coverage->ranges[last].from <= to; last++) {
		if (coverage->ranges[last].from < range.from)
			range.from = coverage->ranges[last].from;
		if (coverage->ranges[last].to > range.to)
			range.to = coverage->ranges[last].to;
	}
	if (last == place) {
		insert(coverage, place, range);
		return;
	}
	coverage->ranges[place] = range;
	memmove(coverage->ranges + place + 1, coverage->ranges + last,
		(coverage->count - last) * sizeof(*coverage->ranges));
	coverage->count -= last - place - 1;
}

size_t
coverage_seen(const struct coverage *coverage)
{
	size_t seen = 0;

	for (size_t i = 0; i < coverage->count; i++)
		seen += coverage->ranges[i].to - coverage->ranges[i].from;
	return seen;
}

bool
coverage_has(const struct coverage *coverage, size_t from, size_t to)
{
	size_t place = find(coverage, from);

	if (from >= to)
		return true;
	/* A range that ends where ours begins holds none of it. */
	if (place < coverage->count && coverage->ranges[place].to == from)
		place++;
	return place < coverage->count && coverage->ranges[place].from <= from &&
	       coverage->ranges[place].to >= to;
}
