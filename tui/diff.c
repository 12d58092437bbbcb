/*
 * Lines that the texts begin and end with alike are set aside.  For the rest, trace[d] keeps how
 * far each diagonal came with d changes; walking it back from the end gives the path.
 *
 * Invariant: rows in order give the first text without the added ones, the second without the
 * removed ones.
 */
#include "config.h"

#include "tui/diff.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

struct lines {
	struct untrusted *list;
	size_t count;
};

struct myers {
	const struct untrusted *a, *b;
	int a_count, b_count;
	int **trace; /* trace[d][k + d]: x of diagonal k after d changes */
	int changes; /* found; -1: more than there may be */
};

/* --- lines --- */

static struct lines
split(struct untrusted text)
{
	struct lines lines = { 0 };
	size_t room = 0;

	for (size_t at = 0; at < text.len;) {
		const char *end = memchr(text.bytes + at, '\n', text.len - at);
		size_t len = end ? (size_t)(end - text.bytes) - at + 1 : text.len - at;

		if (lines.count == room) {
			room = room ? room * 2 : 64;
			lines.list = mem_grow(lines.list, room, sizeof(*lines.list));
		}
		lines.list[lines.count++] = untrusted(text.bytes + at, len);
		at += len;
	}
	return lines;
}

/* A last line without a break is equal to one with it. */
static bool
equal(struct untrusted a, struct untrusted b)
{
	if (a.len > 0 && a.bytes[a.len - 1] == '\n')
		a.len--;
	if (b.len > 0 && b.bytes[b.len - 1] == '\n')
		b.len--;
	return a.len == b.len && memcmp(a.bytes, b.bytes, a.len) == 0;
}

/* --- the path --- */

/* How far diagonal k comes with d changes: from the better neighbour, then along equal lines. */
static int
furthest(const struct myers *m, int d, int k)
{
	const int *before = d > 0 ? m->trace[d - 1] : NULL;
	int x = 0;

	if (before && (k == -d || (k != d && before[k - 1 + d - 1] < before[k + 1 + d - 1])))
		x = before[k + 1 + d - 1];
	else if (before)
		x = before[k - 1 + d - 1] + 1;
	while (x < m->a_count && x - k < m->b_count && equal(m->a[x], m->b[x - k]))
		x++;
	return x;
}

static bool
step(struct myers *m, int d)
{
	m->trace[d] = mem_zero((size_t)(2 * d + 1), sizeof(int));
	for (int k = -d; k <= d; k += 2) {
		int x = furthest(m, d, k);

		m->trace[d][k + d] = x;
		if (x >= m->a_count && x - k >= m->b_count)
			return true;
	}
	return false;
}

static void
find_path(struct myers *m)
{
	m->trace = mem_zero(DIFF_CHANGES_MAX + 1, sizeof(*m->trace));
	m->changes = -1;
	for (int d = 0; d <= DIFF_CHANGES_MAX && m->changes < 0; d++)
		if (step(m, d))
			m->changes = d;
}

static void
drop_path(struct myers *m)
{
	for (int d = 0; m->trace && d <= DIFF_CHANGES_MAX; d++)
		free(m->trace[d]);
	free(m->trace);
}

/* Which lines of a go and which of b come, by walking the path back. */
static void
mark_path(const struct myers *m, bool *goes, bool *comes)
{
	int x = m->a_count, y = m->b_count;

	for (int d = m->changes; d > 0; d--) {
		const int *before = m->trace[d - 1];
		int k = x - y;
		bool down = k == -d || (k != d && before[k - 1 + d - 1] < before[k + 1 + d - 1]);
		int from = down ? before[k + 1 + d - 1] : before[k - 1 + d - 1];

		if (down)
			comes[from - (k + 1)] = true;
		else
			goes[from] = true;
		x = from;
		y = from - (down ? k + 1 : k - 1);
	}
}

/* --- rows --- */

static void
add_row(struct diff *diff, enum diff_kind kind, const struct untrusted *line, size_t before,
	size_t after)
{
	diff->rows[diff->count++] = (struct diff_row){ .kind = kind,
		.before = kind == DIFF_ADDED ? 0 : before,
		.after = kind == DIFF_REMOVED ? 0 : after,
		.line = *line };
	diff->removed += kind == DIFF_REMOVED;
	diff->added += kind == DIFF_ADDED;
}

static void
make_rows(struct diff *diff, const struct lines *a, const struct lines *b, const bool *goes,
	const bool *comes)
{
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		bool gone = i < a->count && goes[i];
		bool came = !gone && j < b->count && comes[j];

		if (gone)
			add_row(diff, DIFF_REMOVED, &a->list[i], i + 1, 0);
		else
			add_row(diff, came ? DIFF_ADDED : DIFF_SAME, &b->list[j], i + 1, j + 1);
		i += !came;
		j += !gone;
	}
}

static size_t
common_start(const struct lines *a, const struct lines *b)
{
	size_t same = 0;

	while (same < a->count && same < b->count && equal(a->list[same], b->list[same]))
		same++;
	return same;
}

static size_t
common_end(const struct lines *a, const struct lines *b, size_t start)
{
	size_t same = 0;

	while (same < a->count - start && same < b->count - start &&
		equal(a->list[a->count - 1 - same], b->list[b->count - 1 - same]))
		same++;
	return same;
}

void
diff_make(struct diff *diff, struct untrusted before, struct untrusted after)
{
	struct lines a = split(before), b = split(after);
	size_t start = common_start(&a, &b), end = common_end(&a, &b, start);
	AUTO_FREE bool *goes = mem_zero(a.count + 1, sizeof(*goes));
	AUTO_FREE bool *comes = mem_zero(b.count + 1, sizeof(*comes));
	struct myers m = { .a = a.list ? a.list + start : NULL,
		.b = b.list ? b.list + start : NULL,
		.a_count = (int)(a.count - start - end),
		.b_count = (int)(b.count - start - end) };

	*diff = (struct diff){ 0 };
	find_path(&m);
	if (m.changes >= 0) {
		mark_path(&m, goes + start, comes + start);
	} else {
		diff->coarse = true;
		memset(goes + start, true, (size_t)m.a_count);
		memset(comes + start, true, (size_t)m.b_count);
	}
	diff->rows = mem_zero(a.count + b.count + 1, sizeof(*diff->rows));
	make_rows(diff, &a, &b, goes, comes);
	drop_path(&m);
	free(a.list);
	free(b.list);
}

void
diff_release(struct diff *diff)
{
	free(diff->rows);
	*diff = (struct diff){ 0 };
}
