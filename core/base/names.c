/*
 * Names of plain ASCII, nearly all, are compared where they stand.  Others are brought to NFD
 * first: equal NFD is equal NFC, and decomposing needs no look-ahead.  Marks are put in
 * order by our own sort because utf8proc's is quadratic in the length of a run of marks, which the
 * sender chooses.  Few names are compared pair by pair, many are sorted.
 */
#include "config.h"

#include "core/base/names.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"

#define FEW 16
#define DECOMPOSED_MAX 32

/* A character of a run of marks; index keeps the sort stable. */
struct mark {
	uint32_t code;
	uint32_t index;
	int class;
};

struct marks {
	struct mark *all;
	uint32_t count;
	uint32_t room;
	bool disordered;
};

static int
compare_marks(const void *a, const void *b)
{
	const struct mark *x = a;
	const struct mark *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void
put_code(struct buf *out, uint32_t code)
{
	char bytes[4];

	buf_put(out, bytes, utf8_encode(code, bytes));
}

static void
flush_marks(struct marks *marks, struct buf *out)
{
	if (marks->disordered)
		qsort(marks->all, marks->count, sizeof(*marks->all), compare_marks);
	for (uint32_t i = 0; i < marks->count; i++)
		put_code(out, marks->all[i].code);
	marks->count = 0;
	marks->disordered = false;
}

static void
add_mark(struct marks *marks, uint32_t code, int class)
{
	if (marks->count == marks->room) {
		marks->room = marks->room ? 2 * marks->room : 16;
		marks->all = mem_grow(marks->all, marks->room, sizeof(*marks->all));
	}
	if (marks->count > 0 && marks->all[marks->count - 1].class > class)
		marks->disordered = true;
	marks->all[marks->count] = (struct mark){ code, marks->count, class };
	marks->count++;
}

static void
add_decomposed(uint32_t code, struct marks *marks, struct buf *out)
{
	utf8proc_int32_t parts[DECOMPOSED_MAX];
	int boundary = 0;
	utf8proc_ssize_t count = utf8proc_decompose_char(
		(utf8proc_int32_t)code, parts, DECOMPOSED_MAX, UTF8PROC_DECOMPOSE, &boundary);

	assert(count >= 0 && count <= DECOMPOSED_MAX);
	for (utf8proc_ssize_t i = 0; i < count; i++) {
		int class = utf8proc_get_property(parts[i])->combining_class;

		if (class == 0) {
			flush_marks(marks, out);
			put_code(out, (uint32_t)parts[i]);
		} else {
			add_mark(marks, (uint32_t)parts[i], class);
		}
	}
}

static void
put_nfd(const char *bytes, size_t len, struct buf *out)
{
	struct marks marks = { 0 };

	for (size_t at = 0; at < len;) {
		uint32_t code;
		unsigned size = utf8_decode(bytes + at, len - at, &code);

		assert(size > 0);
		add_decomposed(code, &marks, out);
		at += size;
	}
	flush_marks(&marks, out);
	free(marks.all);
}

static int
compare_names(const void *a, const void *b)
{
	const struct name *x = a;
	const struct name *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->bytes, y->bytes, x->len);
}

static uint32_t
later(const struct name *a, const struct name *b)
{
	return a->place > b->place ? a->place : b->place;
}

static uint32_t
repeated_of_few(const struct name *names, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		for (uint32_t j = 0; j < i; j++) {
			if (compare_names(&names[i], &names[j]) == 0)
				return names[i].place;
		}
	}
	return 0;
}

static uint32_t
repeated_of_many(struct name *names, uint32_t count)
{
	qsort(names, count, sizeof(*names), compare_names);
	for (uint32_t i = 1; i < count; i++) {
		if (compare_names(&names[i - 1], &names[i]) == 0)
			return later(&names[i - 1], &names[i]);
	}
	return 0;
}

/* Two steps, because the buffer may move while it grows: lengths first, addresses then. */
static void
normalise(struct name *names, uint32_t count, struct buf *arena)
{
	const char *at;

	for (uint32_t i = 0; i < count; i++) {
		size_t before = arena->len;

		if (names[i].ascii)
			continue;
		put_nfd(names[i].bytes, names[i].len, arena);
		names[i].len = arena->len - before;
	}
	at = arena->data;
	for (uint32_t i = 0; i < count; i++) {
		if (names[i].ascii)
			continue;
		names[i].bytes = at;
		at += names[i].len;
	}
}

uint32_t
names_repeated(struct name *names, uint32_t count)
{
	AUTO_BUF struct buf arena;

	buf_init(&arena, BUF_UNBOUNDED);
	normalise(names, count, &arena);
	return count <= FEW ? repeated_of_few(names, count) : repeated_of_many(names, count);
}
