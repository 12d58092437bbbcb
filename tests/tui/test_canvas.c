/* The canvas: our words, foreign cells, borders, clipping, what changed. */
#include "config.h"

#include <locale.h>

#include "core/base/hash.h"
#include "tests/tui/golden.h"

static void
foreign(struct canvas *canvas, int x, int y, const char *source)
{
	struct text_iter iter;
	struct text_cell cell;

	for (text_begin(&iter, untrusted_str(source), TEXT_TEXT); text_next(&iter, &cell);)
		x += canvas_cell(canvas, x, y, STYLE_TEXT, &cell);
}

static void
assert_row(const struct canvas *canvas, int y, const char *expected)
{
	AUTO_BUF struct buf row;

	buf_init(&row, BUF_UNBOUNDED);
	for (int x = 0; x < canvas_cols(canvas); x++)
		buf_str(&row, canvas_at(canvas, x, y).utf8);
	assert_string_equal(row.data, expected);
}

static void
boxes_share_their_edges(void **state)
{
	struct canvas *canvas = canvas_new(24, 8);

	canvas_box(canvas, rect_make(0, 0, 12, 8), STYLE_BORDER);
	canvas_box(canvas, rect_make(11, 0, 13, 4), STYLE_BORDER);
	canvas_box(canvas, rect_make(11, 3, 13, 5), STYLE_BORDER_FOCUS);
	canvas_text(canvas, 2, 0, STYLE_TITLE, " program ");
	assert_picture(canvas, "canvas-boxes");
	canvas_set_ascii(canvas, true);
	canvas_clear(canvas);
	canvas_box(canvas, rect_make(0, 0, 12, 8), STYLE_BORDER);
	canvas_box(canvas, rect_make(11, 0, 13, 4), STYLE_BORDER);
	canvas_box(canvas, rect_make(11, 3, 13, 5), STYLE_BORDER_FOCUS);
	assert_picture(canvas, "canvas-boxes-ascii");
	canvas_free(canvas);
}

static void
a_foreign_byte_in_our_words_is_an_escape(void **state)
{
	struct canvas *canvas = canvas_new(16, 1);

	assert_int_equal(canvas_text(canvas, 0, 0, STYLE_TEXT, "a\033b"), 10);
	assert_row(canvas, 0, "a<U+001B>b      ");
	assert_int_equal(canvas_at(canvas, 3, 0).style, STYLE_ESCAPE);
	canvas_clear(canvas);
	canvas_text(canvas, 0, 0, STYLE_TEXT, "\xE2\x80\xAE\xFF");
	assert_row(canvas, 0, "<U+202E><xFF>   ");
	canvas_free(canvas);
}

static void
nothing_is_drawn_outside_of_the_clip(void **state)
{
	struct canvas *canvas = canvas_new(6, 3);

	canvas_clip(canvas, rect_make(1, 1, 3, 1));
	for (int y = -1; y < 5; y++)
		canvas_text(canvas, -2, y, STYLE_TEXT, "0123456789");
	canvas_box(canvas, rect_make(-1, -1, 9, 9), STYLE_BORDER);
	assert_row(canvas, 0, "      ");
	assert_row(canvas, 1, " 345  ");
	assert_row(canvas, 2, "      ");
	canvas_clip(canvas, rect_make(-5, -5, 100, 100));
	canvas_fill(canvas, rect_make(-1000, -1000, 100000, 100000), STYLE_DIM);
	assert_int_equal(canvas_at(canvas, 5, 2).style, STYLE_DIM);
	canvas_free(canvas);
}

static void
a_wide_character_is_whole_or_not_there(void **state)
{
	struct canvas *canvas = canvas_new(5, 1);

	foreign(canvas, 0, 0, "日本語");
	assert_row(canvas, 0, "日本 ");
	canvas_text(canvas, 1, 0, STYLE_TEXT, "x");
	assert_row(canvas, 0, " x本 ");
	canvas_text(canvas, 2, 0, STYLE_TEXT, "y");
	assert_row(canvas, 0, " xy  ");
	canvas_free(canvas);
}

static void
escapes_keep_their_style(void **state)
{
	struct canvas *canvas = canvas_new(12, 1);

	foreign(canvas, 0, 0, "a\033b");
	canvas_restyle(canvas, canvas_all(canvas), STYLE_SELECTED);
	assert_int_equal(canvas_at(canvas, 0, 0).style, STYLE_SELECTED);
	assert_int_equal(canvas_at(canvas, 1, 0).style, STYLE_ESCAPE);
	canvas_free(canvas);
}

static void
a_foreign_row_ends_in_our_mark_when_it_is_cut(void **state)
{
	struct canvas *canvas = canvas_new(8, 2);
	struct canvas_run run = { 0, 0, 6, STYLE_VALUE, TEXT_TEXT };

	assert_int_equal(canvas_foreign(canvas, &run, untrusted_str("abcdef")), 6);
	run.y = 1;
	assert_int_equal(canvas_foreign(canvas, &run, untrusted_str("abcdefg")), 6);
	assert_row(canvas, 0, "abcdef  ");
	assert_row(canvas, 1, "abcde…  ");
	canvas_free(canvas);
}

static void
only_what_differs_has_changed(void **state)
{
	struct canvas *before = canvas_new(10, 2), *now = canvas_new(10, 2);
	struct digest one, other;
	int from, to;

	canvas_text(now, 3, 0, STYLE_TEXT, "abc");
	assert_true(canvas_row_changed(now, before, 0, &from, &to));
	assert_int_equal(from, 3);
	assert_int_equal(to, 6);
	assert_false(canvas_row_changed(now, before, 1, &from, &to));
	canvas_digest(before, &one);
	canvas_digest(now, &other);
	assert_false(digest_equal(&one, &other));
	canvas_copy(before, now);
	assert_false(canvas_row_changed(now, before, 0, &from, &to));
	canvas_digest(before, &one);
	assert_true(digest_equal(&one, &other));
	canvas_restyle(now, rect_make(4, 0, 1, 1), STYLE_DIM);
	assert_true(canvas_row_changed(now, before, 0, &from, &to));
	canvas_resize(before, 9, 2);
	assert_true(canvas_row_changed(now, before, 1, &from, &to));
	canvas_free(before);
	canvas_free(now);
}

static void
an_empty_canvas_takes_all_drawing(void **state)
{
	struct canvas *canvas = canvas_new(0, 0);
	struct canvas_run run = { 0, 0, 0, STYLE_TEXT, TEXT_STRICT };
	int x, y;

	canvas_box(canvas, rect_make(0, 0, 10, 10), STYLE_BORDER);
	canvas_text(canvas, 0, 0, STYLE_TEXT, "abc");
	canvas_foreign(canvas, &run, untrusted_str("abc"));
	canvas_set_cursor(canvas, 0, 0);
	assert_false(canvas_cursor(canvas, &x, &y));
	canvas_resize(canvas, 1, 1);
	canvas_box(canvas, canvas_all(canvas), STYLE_BORDER);
	canvas_free(canvas);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_share_their_edges),
		cmocka_unit_test(a_foreign_byte_in_our_words_is_an_escape),
		cmocka_unit_test(nothing_is_drawn_outside_of_the_clip),
		cmocka_unit_test(a_wide_character_is_whole_or_not_there),
		cmocka_unit_test(escapes_keep_their_style),
		cmocka_unit_test(a_foreign_row_ends_in_our_mark_when_it_is_cut),
		cmocka_unit_test(only_what_differs_has_changed),
		cmocka_unit_test(an_empty_canvas_takes_all_drawing),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
