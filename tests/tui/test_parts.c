/* The small parts of the screen: what is seen, layout, lists, one line of text, hints and meters.
 */
#include "config.h"

#include <locale.h>

#include "tests/tui/golden.h"
#include "tui/bar.h"
#include "tui/coverage.h"
#include "tui/layout.h"
#include "tui/lineedit.h"
#include "tui/listbox.h"

static void
coverage_is_the_union_of_what_was_added(void **state)
{
	bool model[64] = { false };
	struct coverage coverage;
	uint32_t seed = 7;

	coverage_init(&coverage);
	for (int round = 0; round < 200; round++) {
		size_t from, to, seen = 0;

		seed = seed * 1664525 + 1013904223;
		from = (seed >> 8) % 64;
		to = from + (seed >> 16) % 5;
		if (round % 20 == 0) {
			coverage_clear(&coverage);
			memset(model, 0, sizeof(model));
		}
		coverage_add(&coverage, from, to < 64 ? to : 64);
		for (size_t i = from; i < to && i < 64; i++)
			model[i] = true;
		for (size_t i = 0; i < 64; i++) {
			seen += model[i];
			assert_int_equal(coverage_has(&coverage, i, i + 1), model[i]);
		}
		assert_int_equal(coverage_seen(&coverage), seen);
	}
	coverage_clear(&coverage);
	coverage_add(&coverage, 0, 4);
	coverage_add(&coverage, 5, 9);
	assert_false(coverage_has(&coverage, 0, 9));
	coverage_add(&coverage, 4, 5);
	assert_true(coverage_has(&coverage, 0, 9));
	assert_true(coverage_has(&coverage, 20, 20));
	coverage_release(&coverage);
}

static bool
is_within(struct rect rect, int cols, int rows)
{
	return rect_empty(rect) ||
	       (rect.x >= 0 && rect.y >= 0 && rect.x + rect.w <= cols && rect.y + rect.h <= rows);
}

static void
every_size_has_a_layout_within_it(void **state)
{
	for (int cols = 0; cols < 260; cols += 3)
		for (int rows = 0; rows < 90; rows++)
			for (unsigned kind = 0; kind < 8; kind++) {
				struct layout_request request = { cols, rows, LAYOUT_CALLS,
					kind & 1, kind & 2, kind & 4, 12 };
				struct layout layout;

				layout_make(&layout, &request);
				assert_true(is_within(layout.header, cols, rows));
				assert_true(is_within(layout.hint, cols, rows));
				assert_true(is_within(layout.tabs, cols, rows));
				assert_true(is_within(layout.approval, cols, rows));
				for (int i = 0; i < LAYOUT_PANES; i++)
					assert_true(is_within(layout.pane[i], cols, rows));
			}
}

static void
a_wide_screen_has_all_panes_and_a_narrow_one_has_tabs(void **state)
{
	struct layout_request request = { 120, 30, LAYOUT_CALLS, false, false, false, 0 };
	struct layout layout;
	struct canvas *canvas = canvas_new(120, 30);

	layout_make(&layout, &request);
	canvas_fill(canvas, layout.header, STYLE_HEADER);
	for (int i = 0; i < LAYOUT_PANES; i++)
		canvas_box(canvas, layout.pane[i], STYLE_BORDER);
	canvas_fill(canvas, layout.hint, STYLE_HINT);
	assert_picture(canvas, "layout-120x30");
	request.cols = 80;
	layout_make(&layout, &request);
	assert_true(rect_empty(layout.pane[LAYOUT_PROGRAM]));
	assert_int_equal(layout.pane[LAYOUT_CALLS].w, 80);
	assert_int_equal(layout.tabs.h, 1);
	canvas_free(canvas);
}

static void
the_approval_pane_leaves_program_in_sight_on_wide_screens(void **state)
{
	struct layout_request request = { 120, 30, LAYOUT_CALLS, false, true, false, 12 };
	struct layout layout;

	layout_make(&layout, &request);
	assert_int_equal(layout.approval.h, 12);
	assert_int_equal(layout.approval.y + layout.approval.h, 29);
	request.approval_h = 100;
	layout_make(&layout, &request);
	assert_int_equal(layout.approval.y, 6);
	request.full = true;
	layout_make(&layout, &request);
	assert_int_equal(layout.approval.h, 28);
	request.full = false;
	request.cols = 99;
	layout_make(&layout, &request);
	assert_int_equal(layout.approval.h, 28);
	assert_false(layout_can_decide(59, 15));
	assert_false(layout_can_decide(60, 14));
	assert_true(layout_can_decide(60, 15));
}

static void
draw_number(struct canvas *canvas, struct rect rect, size_t i, bool selected, void *arg)
{
	canvas_printf(canvas, rect.x, rect.y, STYLE_TEXT, "%s row %zu", selected ? ">" : " ", i);
}

static void
a_list_follows_its_end_until_one_looks_back(void **state)
{
	struct canvas *canvas = canvas_new(12, 4);
	struct listbox list;

	listbox_init(&list);
	listbox_set_count(&list, 10);
	listbox_draw(&list, canvas, canvas_all(canvas), draw_number, NULL);
	assert_int_equal(list.selected, 9);
	assert_int_equal(list.top, 6);
	assert_picture(canvas, "listbox");
	assert_true(listbox_command(&list, COMMAND_UP));
	listbox_set_count(&list, 20);
	assert_int_equal(list.selected, 8);
	assert_true(listbox_command(&list, COMMAND_BOTTOM));
	listbox_set_count(&list, 21);
	assert_int_equal(list.selected, 20);
	assert_true(listbox_command(&list, COMMAND_TOP));
	listbox_draw(&list, canvas, canvas_all(canvas), draw_number, NULL);
	assert_int_equal(list.top, 0);
	listbox_set_count(&list, 0);
	assert_int_equal(list.selected, 0);
	assert_true(listbox_command(&list, COMMAND_DOWN));
	assert_false(listbox_command(&list, COMMAND_APPROVE));
	listbox_draw(&list, canvas, rect_make(0, 0, 0, 0), draw_number, NULL);
	canvas_free(canvas);
}

static void
type(struct lineedit *edit, const char *names)
{
	AUTO_FREE char *copy = mem_str(names);
	char *save = NULL;

	for (char *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		struct key key;

		assert_true(key_parse(name, &key));
		lineedit_key(edit, key);
	}
}

static void
a_line_is_edited_by_characters(void **state)
{
	struct lineedit *edit = lineedit_new(32, NULL);

	type(edit, "a é 日 b Left Left Backspace x");
	assert_string_equal(lineedit_text(edit), "ax日b");
	type(edit, "Delete End Space c Ctrl-W");
	assert_string_equal(lineedit_text(edit), "axb ");
	type(edit, "Home Ctrl-K");
	assert_string_equal(lineedit_text(edit), "");
	type(edit, "Backspace Delete Left Right");
	assert_int_equal(lineedit_len(edit), 0);
	lineedit_free(edit);
}

static void
a_line_takes_no_controls_and_no_more_than_its_bytes(void **state)
{
	struct lineedit *edit = lineedit_new(6, NULL);
	struct key hidden = { KEY_CHAR, 0x202E, 0 };

	assert_true(lineedit_key(edit, hidden));
	assert_int_equal(lineedit_len(edit), 0);
	lineedit_paste(edit, "a\nb\033\xFF\xE2\x80\xAE", 8);
	assert_string_equal(lineedit_text(edit), "a b");
	lineedit_paste(edit, "\xE6\x97\xA5\xE6\x97\xA5", 6);
	assert_string_equal(lineedit_text(edit), "a b\xE6\x97\xA5");
	type(edit, "c");
	assert_int_equal(lineedit_len(edit), 6);
	lineedit_free(edit);
	edit = lineedit_new(4, "0123456789BCDFG");
	type(edit, "B 7 a A y Y 9");
	assert_string_equal(lineedit_text(edit), "B79");
	lineedit_free(edit);
}

static void
a_line_longer_than_its_place_shows_where_one_types(void **state)
{
	struct canvas *canvas = canvas_new(10, 1);
	struct lineedit *edit = lineedit_new(64, NULL);
	int x, y;

	lineedit_set(edit, "0123456789abcdef");
	lineedit_draw(edit, canvas, rect_make(1, 0, 8, 1), STYLE_INPUT);
	assert_picture(canvas, "lineedit");
	assert_true(canvas_cursor(canvas, &x, &y));
	assert_int_equal(x, 8);
	type(edit, "Home");
	lineedit_draw(edit, canvas, rect_make(1, 0, 8, 1), STYLE_INPUT);
	assert_true(canvas_cursor(canvas, &x, &y));
	assert_int_equal(x, 1);
	lineedit_free(edit);
	canvas_free(canvas);
}

static void
hints_name_keys_and_stop_where_the_row_ends(void **state)
{
	static const enum command commands[] = { COMMAND_APPROVE, COMMAND_DENY, COMMAND_SEARCH,
		COMMAND_DENY_REASON, COMMAND_STOP };
	struct canvas *canvas = canvas_new(50, 4);
	struct keymap *keymap = keymap_new();
	struct bar_hints hints = { keymap, MAP_APPROVAL, commands, 5 };

	bar_hints(canvas, rect_make(0, 0, 40, 1), &hints);
	bar_meter(canvas, rect_make(0, 1, 10, 1), 4, 50);
	bar_meter(canvas, rect_make(12, 1, 10, 1), 49, 50);
	bar_meter(canvas, rect_make(24, 1, 10, 1), 50, 50);
	bar_meter(canvas, rect_make(36, 1, 10, 1), 0, 50);
	canvas_set_ascii(canvas, true);
	bar_meter(canvas, rect_make(0, 2, 10, 1), 25, 50);
	bar_meter(canvas, rect_make(12, 2, 10, 1), INT64_MAX, INT64_MAX);
	bar_meter(canvas, rect_make(24, 2, 10, 1), -1, 0);
	assert_picture(canvas, "bar");
	keymap_free(keymap);
	canvas_free(canvas);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(coverage_is_the_union_of_what_was_added),
		cmocka_unit_test(every_size_has_a_layout_within_it),
		cmocka_unit_test(a_wide_screen_has_all_panes_and_a_narrow_one_has_tabs),
		cmocka_unit_test(the_approval_pane_leaves_program_in_sight_on_wide_screens),
		cmocka_unit_test(a_list_follows_its_end_until_one_looks_back),
		cmocka_unit_test(a_line_is_edited_by_characters),
		cmocka_unit_test(a_line_takes_no_controls_and_no_more_than_its_bytes),
		cmocka_unit_test(a_line_longer_than_its_place_shows_where_one_types),
		cmocka_unit_test(hints_name_keys_and_stop_where_the_row_ends),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
