/* Differences: rows give both texts back, changes are the fewest, a bound holds. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "tui/diff.h"

/* "-a+b c": each row by its sign and first letter. */
static void
picture(const char *before, const char *after, char *out, size_t size)
{
	struct diff diff;
	size_t at = 0;

	diff_make(&diff, untrusted_str(before), untrusted_str(after));
	out[0] = '\0';
	for (size_t i = 0; i < diff.count && at + 3 < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%c%c", " -+"[diff.rows[i].kind],
			diff.rows[i].line.bytes[0]);
	diff_release(&diff);
}

static void
the_fewest_lines_are_removed_and_added(void **state)
{
	static const struct {
		const char *before, *after, *rows;
	} cases[] = {
		{ "", "", "" },
		{ "a\nb\n", "a\nb\n", " a b" },
		{ "a\nb", "a\nb\n", " a b" },
		{ "", "a\n", "+a" },
		{ "a\n", "", "-a" },
		{ "a\nb\nc\n", "a\nx\nc\n", " a-b+x c" },
		{ "a\nc\n", "a\nb\nc\n", " a+b c" },
		{ "a\nb\nc\n", "c\n", "-a-b c" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char rows[256];

		picture(cases[i].before, cases[i].after, rows, sizeof(rows));
		if (cases[i].rows)
			assert_string_equal(rows, cases[i].rows);
	}
}

static void
the_example_of_the_paper_takes_five_changes(void **state)
{
	struct diff diff;

	diff_make(
		&diff, untrusted_str("a\nb\nc\na\nb\nb\na\n"), untrusted_str("c\nb\na\nb\na\nc\n"));
	assert_int_equal(diff.added + diff.removed, 5);
	assert_false(diff.coarse);
	diff_release(&diff);
}

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

static void
fill_lines(struct buf *text, uint32_t *seed)
{
	size_t lines = next_random(seed) % 40;

	buf_init(text, BUF_UNBOUNDED);
	for (size_t i = 0; i < lines; i++)
		buf_printf(text, "%c\n", 'a' + (int)(next_random(seed) % 5));
}

static void
assert_gives_back(const struct diff *diff, const struct buf *text, enum diff_kind without)
{
	size_t at = 0, number = 0;

	for (size_t i = 0; i < diff->count; i++) {
		const struct diff_row *row = &diff->rows[i];

		if (row->kind == without)
			continue;
		number++;
		assert_memory_equal(text->data + at, row->line.bytes, row->line.len);
		assert_int_equal(without == DIFF_ADDED ? row->before : row->after, number);
		at += row->line.len;
	}
	assert_int_equal(at, text->len);
}

static void
rows_give_both_texts_back(void **state)
{
	uint32_t seed = 7;

	for (int i = 0; i < 500; i++) {
		AUTO_BUF struct buf before;
		AUTO_BUF struct buf after;
		struct diff diff;

		fill_lines(&before, &seed);
		fill_lines(&after, &seed);
		diff_make(&diff, untrusted(before.data, before.len),
			untrusted(after.data, after.len));
		assert_gives_back(&diff, &before, DIFF_ADDED);
		assert_gives_back(&diff, &after, DIFF_REMOVED);
		diff_release(&diff);
	}
}

static void
texts_that_differ_too_much_are_all_removed_and_all_added(void **state)
{
	AUTO_BUF struct buf before;
	AUTO_BUF struct buf after;
	struct diff diff;

	buf_init(&before, BUF_UNBOUNDED);
	buf_init(&after, BUF_UNBOUNDED);
	buf_str(&before, "same\n");
	buf_str(&after, "same\n");
	for (int i = 0; i < 3000; i++) {
		buf_printf(&before, "before %d\n", i);
		buf_printf(&after, "after %d\n", i);
	}
	diff_make(&diff, untrusted(before.data, before.len), untrusted(after.data, after.len));
	assert_true(diff.coarse);
	assert_int_equal(diff.removed, 3000);
	assert_int_equal(diff.added, 3000);
	assert_int_equal(diff.rows[0].kind, DIFF_SAME);
	diff_release(&diff);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fewest_lines_are_removed_and_added),
		cmocka_unit_test(the_example_of_the_paper_takes_five_changes),
		cmocka_unit_test(rows_give_both_texts_back),
		cmocka_unit_test(texts_that_differ_too_much_are_all_removed_and_all_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
