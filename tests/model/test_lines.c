#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/net/lines.h"

/* All lines, each in brackets; the last without an end in parentheses; "LONG" where it stops. */
static void
lines_of(const char *text, size_t len, size_t first, size_t most, struct buf *out)
{
	struct lines lines;
	const size_t ends[] = { first, len };
	size_t at = 0;

	lines_init(&lines, most);
	for (size_t i = 0; i < 2; i++) {
		const char *bytes = text + at;
		size_t left = ends[i] - at;
		enum lines_got got;

		while ((got = lines_next(&lines, &bytes, &left)) == LINES_LINE)
			buf_printf(out, "[%.*s]", (int)lines.line.len,
				lines.line.len ? lines.line.data : "");
		if (got == LINES_LONG) {
			buf_str(out, "LONG");
			lines_release(&lines);
			return;
		}
		at = ends[i];
	}
	if (lines_rest(&lines))
		buf_printf(out, "(%.*s)", (int)lines.line.len, lines.line.data);
	lines_release(&lines);
}

static void
assert_lines(const char *text, size_t most, const char *wanted)
{
	for (size_t first = 0; first <= strlen(text); first++) {
		AUTO_BUF struct buf out;

		buf_init(&out, 10000);
		lines_of(text, strlen(text), first, most, &out);
		buf_byte(&out, '\0');
		if (strcmp(out.data, wanted) != 0)
			fail_msg("split at %zu: \"%s\", wanted \"%s\"", first, out.data, wanted);
	}
}

static void
each_of_three_ends_ends_a_line(void **state)
{
	(void)state;
	assert_lines("a\nb\r\nc\rd\n", 100, "[a][b][c][d]");
	assert_lines("\n\n", 100, "[][]");
	assert_lines("\r\n\r\n", 100, "[][]");
	assert_lines("\r\r", 100, "[][]");
	assert_lines("\n\r", 100, "[][]");
	assert_lines("\r\r\n\n", 100, "[][][]");
}

static void
a_last_line_without_an_end_is_told_apart(void **state)
{
	(void)state;
	assert_lines("a\nb", 100, "[a](b)");
	assert_lines("a\r", 100, "[a]");
	assert_lines("", 100, "");
}

static void
a_mark_is_passed_over_at_the_very_beginning_only(void **state)
{
	(void)state;
	assert_lines("\xef\xbb\xbf"
		     "a\n\xef\xbb\xbf"
		     "b\n",
		100,
		"[a][\xef\xbb\xbf"
		"b]");
	assert_lines("\xef\xbb\xbf\xef\xbb\xbf"
		     "a\n",
		100,
		"[\xef\xbb\xbf"
		"a]");
	assert_lines("\n\xef\xbb\xbf"
		     "a",
		100,
		"[](\xef\xbb\xbf"
		"a)");
	assert_lines("\xef\xbb\xbf"
		     "a",
		100, "(a)");
	assert_lines("\xef\xbb", 100, "(\xef\xbb)");
}

static void
bytes_are_not_looked_into(void **state)
{
	static const char text[] = "a\0\xff\nb\n";
	struct lines lines;
	const char *bytes = text;
	size_t left = sizeof(text) - 1;

	(void)state;
	lines_init(&lines, 100);
	assert_int_equal(lines_next(&lines, &bytes, &left), LINES_LINE);
	assert_int_equal(lines.line.len, 3);
	assert_memory_equal(lines.line.data, "a\0\xff", 3);
	lines_release(&lines);
}

static void
a_line_beyond_the_ceiling_ends_everything(void **state)
{
	(void)state;
	assert_lines("abcd\nabcde\nx\n", 4, "[abcd]LONG");
	assert_lines("abcde", 4, "LONG");
	assert_lines("abcd", 4, "(abcd)");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_of_three_ends_ends_a_line),
		cmocka_unit_test(a_last_line_without_an_end_is_told_apart),
		cmocka_unit_test(a_mark_is_passed_over_at_the_very_beginning_only),
		cmocka_unit_test(bytes_are_not_looked_into),
		cmocka_unit_test(a_line_beyond_the_ceiling_ends_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
