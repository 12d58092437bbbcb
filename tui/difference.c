/* A table of the longest common subsequence from each pair of lines on, walked from its start. */
#include "config.h"

#include "tui/difference.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

#define PAIRS_MAX (4 * 1000 * 1000)

struct lines {
	struct untrusted *line;
	size_t count;
};

static struct lines
split(struct untrusted text)
{
	struct lines lines = { 0 };
	const char *at = text.bytes;
	const char *end = text.bytes + text.len;
	size_t room = 0;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		if (lines.count == room) {
			room = room ? room * 2 : 64;
			lines.line = mem_grow(lines.line, room, sizeof(*lines.line));
		}
		lines.line[lines.count++] = untrusted(at, (size_t)(stop - at));
		at = stop < end ? stop + 1 : end;
	}
	return lines;
}

static bool
same(struct untrusted a, struct untrusted b)
{
	return a.len == b.len && memcmp(a.bytes, b.bytes, a.len) == 0;
}

struct walk {
	const struct untrusted *before, *after; /* the middles */
	size_t before_count, after_count;
	uint32_t *longest; /* [i * (after_count + 1) + j]: from these lines on */
	difference_fn on_line;
	void *arg;
};

static uint32_t *
cell(const struct walk *walk, size_t i, size_t j)
{
	return &walk->longest[i * (walk->after_count + 1) + j];
}

static void
fill(struct walk *walk)
{
	for (size_t i = walk->before_count; i-- > 0;)
		for (size_t j = walk->after_count; j-- > 0;) {
			uint32_t down = *cell(walk, i + 1, j);
			uint32_t right = *cell(walk, i, j + 1);

			if (same(walk->before[i], walk->after[j]))
				*cell(walk, i, j) = *cell(walk, i + 1, j + 1) + 1;
			else
				*cell(walk, i, j) = down > right ? down : right;
		}
}

static void
tell_middle(struct walk *walk)
{
	size_t i = 0, j = 0;

	while (walk->longest && i < walk->before_count && j < walk->after_count) {
		if (same(walk->before[i], walk->after[j])) {
			walk->on_line(DIFFERENCE_SAME, walk->before[i++], walk->arg);
			j++;
		} else if (*cell(walk, i + 1, j) >= *cell(walk, i, j + 1)) {
			walk->on_line(DIFFERENCE_REMOVED, walk->before[i++], walk->arg);
		} else {
			walk->on_line(DIFFERENCE_ADDED, walk->after[j++], walk->arg);
		}
	}
	while (i < walk->before_count)
		walk->on_line(DIFFERENCE_REMOVED, walk->before[i++], walk->arg);
	while (j < walk->after_count)
		walk->on_line(DIFFERENCE_ADDED, walk->after[j++], walk->arg);
}

void
difference_lines(struct untrusted before, struct untrusted after, difference_fn on_line, void *arg)
{
	struct lines old = split(before), new = split(after);
	size_t head = 0, tail = 0;
	struct walk walk = { .on_line = on_line, .arg = arg };

	while (head < old.count && head < new.count &&same(old.line[head], new.line[head]))
		head++;
	while (tail < old.count - head &&
		tail < new.count - head &&same(old.line[old.count - 1 - tail],
					   new.line[new.count - 1 - tail]))
		tail++;
	walk.before = old.line + head;
	walk.after = new.line + head;
	walk.before_count = old.count - head - tail;
	walk.after_count = new.count - head - tail;
	if (walk.before_count > 0 && walk.after_count > 0 &&
		walk.before_count < PAIRS_MAX / walk.after_count)
		walk.longest = mem_zero(
			(walk.before_count + 1) * (walk.after_count + 1), sizeof(*walk.longest));
	if (walk.longest)
		fill(&walk);
	for (size_t i = 0; i < head; i++)
		on_line(DIFFERENCE_SAME, old.line[i], arg);
	tell_middle(&walk);
	for (size_t i = old.count - tail; i < old.count; i++)
		on_line(DIFFERENCE_SAME, old.line[i], arg);
	free(walk.longest);
	free(old.line);
	free(new.line);
}
