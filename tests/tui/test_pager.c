/* The pager: rows that join to the cells of the text, scrolling, search, and what was seen. */
#include "config.h"

#include <locale.h>

#include "core/base/text.h"
#include "tests/tui/golden.h"
#include "tui/pager.h"

static const struct pager_look plain = { .style = STYLE_VALUE };

/* All rows at this width, without gutters and without the mark of a column left free. */
static char *
joined(const char *source, size_t len, enum text_mode mode, int width)
{
	struct pager *pager = pager_new(mode, &plain);
	struct canvas *canvas;
	struct buf rows;
	int count;

	buf_init(&rows, BUF_UNBOUNDED);
	buf_str(&rows, "");
	pager_set(pager, untrusted(source, len), false);
	count = (int)pager_rows_at(pager, width + 2);
	canvas = canvas_new(width + 2, count);
	pager_draw(pager, canvas, canvas_all(canvas));
	for (int y = 0; y < count; y++) {
		bool first = strcmp(canvas_at(canvas, 0, y).utf8, "·") != 0;
		int end = width + 2;

		if (y > 0 && first)
			buf_byte(&rows, '\n');
		while (end > 2 && strcmp(canvas_at(canvas, end - 1, y).utf8, " ") == 0 &&
			canvas_at(canvas, end - 1, y).style == STYLE_TEXT)
			end--;
		for (int x = 2; x < end; x++)
			if (strcmp(canvas_at(canvas, x, y).utf8, "╌") != 0)
				buf_str(&rows, canvas_at(canvas, x, y).utf8);
	}
	canvas_free(canvas);
	pager_free(pager);
	return buf_give(&rows);
}

static void
rows_join_to_the_cells_of_the_text_at_every_width(void **state)
{
	static const char *const sources[] = {
		"",
		"abc",
		"a\xE2\x80\xAE-bcdef <U+202E> and \xFF\xFE and much more of it",
		"日本語日本語x日本語",
		"{\"name\": \"Ada\",\n\"amount\": 9000}",
		"        indented           far",
		"x\xCC\x84y\xCC\x84z\xCC\x84",
	};

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		for (unsigned mode = TEXT_STRICT; mode <= TEXT_LINES; mode++)
			for (int width = 2; width < 40; width++) {
				struct untrusted text = untrusted_str(sources[i]);
				AUTO_FREE char *rows = joined(text.bytes, text.len, mode, width);
				AUTO_FREE char *cells = text_escape(text, mode);

				assert_string_equal(rows ? rows : "", cells ? cells : "");
			}
}

static void
a_text_that_grows_is_wrapped_as_if_it_had_come_at_once(void **state)
{
	static const char source[] =
		"one line\nand <U+20 \xC3\xA9 x\xCC\x84 end  \n\n\n\n\n\n\n\n\n"
		"\tlast <SP x 4        z";
	size_t len = sizeof(source) - 1;

	for (unsigned mode = TEXT_STRICT; mode <= TEXT_LINES; mode++)
		for (size_t step = 1; step < 7; step++) {
			struct pager *grown = pager_new(mode, &plain);
			struct pager *whole = pager_new(mode, &plain);
			struct canvas *one = canvas_new(14, 30), *other = canvas_new(14, 30);
			int from, to;

			for (size_t at = step; at < len + step; at += step) {
				size_t upto = at < len ? at : len;

				pager_set(grown, untrusted(source, upto), true);
				canvas_clear(one);
				pager_draw(grown, one, canvas_all(one));
			}
			pager_set(whole, untrusted(source, len), false);
			pager_draw(whole, other, canvas_all(other));
			assert_int_equal(pager_rows(grown), pager_rows(whole));
			for (int y = 0; y < 30; y++)
				assert_false(canvas_row_changed(one, other, y, &from, &to));
			pager_free(grown);
			pager_free(whole);
			canvas_free(one);
			canvas_free(other);
		}
}

static void
only_bytes_that_were_drawn_whole_are_seen(void **state)
{
	static const char source[] = "abcdefgh\xE2\x80\xAEijklmnop";
	struct pager *pager = pager_new(TEXT_STRICT, &plain);
	struct canvas *canvas = canvas_new(12, 1);
	struct coverage seen;

	coverage_init(&seen);
	pager_set(pager, untrusted_str(source), false);
	pager_draw(pager, canvas, canvas_all(canvas));
	pager_seen(pager, &seen);
	/* The escape is cut by the end of the first row. */
	assert_int_equal(coverage_seen(&seen), 8);
	pager_command(pager, COMMAND_DOWN);
	pager_draw(pager, canvas, canvas_all(canvas));
	pager_seen(pager, &seen);
	assert_false(coverage_has(&seen, 8, 11));
	assert_true(coverage_has(&seen, 11, 15));
	/* Both rows at once show it. */
	canvas_resize(canvas, 12, 2);
	pager_command(pager, COMMAND_TOP);
	pager_draw(pager, canvas, canvas_all(canvas));
	pager_seen(pager, &seen);
	assert_true(coverage_has(&seen, 0, 15));
	coverage_release(&seen);
	pager_free(pager);
	canvas_free(canvas);
}

static void
jumps_do_not_see_what_they_skip(void **state)
{
	char source[400];
	struct pager *pager = pager_new(TEXT_STRICT, &plain);
	struct canvas *canvas = canvas_new(12, 4);
	struct coverage seen;

	memset(source, 'a', sizeof(source));
	coverage_init(&seen);
	pager_set(pager, untrusted(source, sizeof(source)), false);
	pager_draw(pager, canvas, canvas_all(canvas));
	pager_seen(pager, &seen);
	pager_command(pager, COMMAND_BOTTOM);
	pager_draw(pager, canvas, canvas_all(canvas));
	pager_seen(pager, &seen);
	assert_int_equal(coverage_seen(&seen), 80);
	coverage_clear(&seen);
	pager_command(pager, COMMAND_TOP);
	for (size_t page = 0; page < 40; page++) {
		pager_draw(pager, canvas, canvas_all(canvas));
		pager_seen(pager, &seen);
		pager_command(pager, COMMAND_PAGE_DOWN);
	}
	assert_true(coverage_has(&seen, 0, sizeof(source)));
	coverage_release(&seen);
	pager_free(pager);
	canvas_free(canvas);
}

static void
what_lies_outside_of_the_canvas_is_not_seen(void **state)
{
	struct pager *pager = pager_new(TEXT_STRICT, &plain);
	struct canvas *canvas = canvas_new(12, 2);
	struct coverage seen;

	coverage_init(&seen);
	pager_set(pager, untrusted_str("0123456789abcdefghijKLMNOPQRST"), false);
	pager_draw(pager, canvas, rect_make(0, 0, 12, 5));
	pager_seen(pager, &seen);
	assert_int_equal(coverage_seen(&seen), 20);
	coverage_clear(&seen);
	pager_draw(pager, canvas, rect_make(0, 0, 13, 2));
	pager_seen(pager, &seen);
	assert_int_equal(coverage_seen(&seen), 0);
	pager_draw(pager, canvas, rect_make(0, 0, 0, 0));
	pager_seen(pager, &seen);
	assert_int_equal(coverage_seen(&seen), 0);
	coverage_release(&seen);
	pager_free(pager);
	canvas_free(canvas);
}

static void
rows_begin_with_the_consoles_own_gutter(void **state)
{
	struct pager *pager = pager_new(TEXT_TEXT, &plain);
	struct canvas *canvas = canvas_new(20, 8);

	pager_set(pager,
		untrusted_str("short\na line that is longer than a row \xE2\x80\xAE\n"
			      "日本語日本語日本語"),
		false);
	pager_draw(pager, canvas, canvas_all(canvas));
	assert_picture(canvas, "pager-gutter");
	pager_free(pager);
	canvas_free(canvas);
}

static void
a_search_goes_on_and_around(void **state)
{
	struct pager *pager = pager_new(TEXT_LINES, &plain);
	struct canvas *canvas = canvas_new(10, 2);

	pager_set(pager, untrusted_str("one\ntwo\nthree\nfour\ntwo\nend\n"), false);
	pager_draw(pager, canvas, canvas_all(canvas));
	assert_true(pager_search(pager, &(struct find){ .needle = "two", .len = 3 }));
	assert_true(pager_search(pager, &(struct find){ .needle = "two", .len = 3 }));
	canvas_clear(canvas);
	pager_draw(pager, canvas, canvas_all(canvas));
	assert_picture(canvas, "pager-search");
	assert_true(pager_search(pager, &(struct find){ .needle = "two", .len = 3 }));
	assert_int_equal(pager_top(pager), 1);
	assert_false(pager_search(pager, &(struct find){ .needle = "five", .len = 4 }));
	pager_free(pager);
	canvas_free(canvas);
}

static void
a_followed_text_stays_at_its_end_until_one_looks_back(void **state)
{
	struct pager *pager = pager_new(TEXT_LINES, &plain);
	struct canvas *canvas = canvas_new(10, 2);

	pager_follow(pager, true);
	pager_set(pager, untrusted_str("1\n2\n3\n"), false);
	pager_draw(pager, canvas, canvas_all(canvas));
	assert_int_equal(pager_top(pager), 1);
	pager_set(pager, untrusted_str("1\n2\n3\n4\n"), true);
	pager_draw(pager, canvas, canvas_all(canvas));
	assert_int_equal(pager_top(pager), 2);
	pager_command(pager, COMMAND_UP);
	pager_set(pager, untrusted_str("1\n2\n3\n4\n5\n"), true);
	pager_draw(pager, canvas, canvas_all(canvas));
	assert_int_equal(pager_top(pager), 1);
	pager_show_line(pager, 4);
	pager_draw(pager, canvas, canvas_all(canvas));
	assert_int_equal(pager_top(pager), 3);
	pager_free(pager);
	canvas_free(canvas);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_join_to_the_cells_of_the_text_at_every_width),
		cmocka_unit_test(a_text_that_grows_is_wrapped_as_if_it_had_come_at_once),
		cmocka_unit_test(only_bytes_that_were_drawn_whole_are_seen),
		cmocka_unit_test(jumps_do_not_see_what_they_skip),
		cmocka_unit_test(what_lies_outside_of_the_canvas_is_not_seen),
		cmocka_unit_test(rows_begin_with_the_consoles_own_gutter),
		cmocka_unit_test(a_search_goes_on_and_around),
		cmocka_unit_test(a_followed_text_stays_at_its_end_until_one_looks_back),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
