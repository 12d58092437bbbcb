/*
 * Longest common subsequence by the plain table, after equal heads and tails are set aside.  Beyond
 * a size the middle counts as all changed: longer to read, never wrong.
 */
#include "config.h"

#include "core/run/configuration_diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"

#define MIDDLE_MAX 2000

struct lines {
	struct untrusted *list;
	size_t count;
};

static struct lines
split(const char *text, size_t len)
{
	struct lines lines = { 0 };

	while (len > 0) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;
		size_t step = end ? line + 1 : line;

		lines.list = mem_grow(lines.list, lines.count + 1, sizeof(*lines.list));
		lines.list[lines.count++] = untrusted(text, line);
		text += step;
		len -= step;
	}
	return lines;
}

static bool
same(struct untrusted a, struct untrusted b)
{
	return a.len == b.len && memcmp(a.bytes, b.bytes, a.len) == 0;
}

static void
show(struct buf *out, char sign, size_t at, struct untrusted line)
{
	buf_printf(out, "  %c %zu: ", sign, at + 1);
	text_escape_to(out, line, TEXT_STRICT);
	buf_byte(out, '\n');
}

/* rest[i * width + j]: the longest common part of a from i and b from j. */
static uint16_t *
table(const struct untrusted *a, size_t a_count, const struct untrusted *b, size_t b_count)
{
	size_t width = b_count + 1;
	uint16_t *rest = mem_zero((a_count + 1) * width, sizeof(*rest));

	for (size_t i = a_count; i-- > 0;)
		for (size_t j = b_count; j-- > 0;) {
			uint16_t down = rest[(i + 1) * width + j];
			uint16_t right = rest[i * width + j + 1];

			if (same(a[i], b[j]))
				rest[i * width + j] = (uint16_t)(rest[(i + 1) * width + j + 1] + 1);
			else
				rest[i * width + j] = down > right ? down : right;
		}
	return rest;
}

static void
show_middle(struct buf *out, size_t at, const struct lines *a, const struct lines *b)
{
	size_t i = 0, j = 0, width = b->count + 1;
	bool large = a->count > MIDDLE_MAX || b->count > MIDDLE_MAX;
	AUTO_FREE uint16_t *rest = large ? NULL : table(a->list, a->count, b->list, b->count);

	while (i < a->count || j < b->count) {
		bool take = i < a->count &&
			    (j == b->count || large ||
				    rest[(i + 1) * width + j] >= rest[i * width + j + 1]);

		if (!large && i < a->count && j < b->count && same(a->list[i], b->list[j])) {
			i++;
			j++;
		} else if (take) {
			show(out, '-', at + i, a->list[i]);
			i++;
		} else {
			show(out, '+', at + j, b->list[j]);
			j++;
		}
	}
}

void
diff_lines(
	struct buf *out, const char *before, size_t before_len, const char *after, size_t after_len)
{
	struct lines a = split(before, before_len), b = split(after, after_len);
	struct lines a_middle, b_middle;
	size_t head = 0, tail = 0;

	while (head < a.count && head < b.count && same(a.list[head], b.list[head]))
		head++;
	while (tail + head < a.count && tail + head < b.count &&
		same(a.list[a.count - 1 - tail], b.list[b.count - 1 - tail]))
		tail++;
	a_middle = (struct lines){ a.list ? a.list + head : NULL, a.count - head - tail };
	b_middle = (struct lines){ b.list ? b.list + head : NULL, b.count - head - tail };
	show_middle(out, head, &a_middle, &b_middle);
	free(a.list);
	free(b.list);
}
