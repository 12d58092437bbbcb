/* The calls pane: columns at each width, filters, thousands of calls. */
#include "config.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"
#include "tests/tui/golden.h"
#include "tests/tui/sample.h"
#include "tui/calls_filter.h"
#include "tui/calls_row.h"
#include "tui/canvas.h"
#include "tui/view.h"
#include "tui/view_calls.h"

struct fixture {
	struct session session;
	struct keymap *keymap;
	struct canvas *canvas;
	struct view *view;
	struct view_scene scene;
};

static int
setup(void **state)
{
	struct fixture *f = mem_zero(1, sizeof(*f));

	make_sample_session(&f->session, SAMPLE_HELD);
	f->keymap = keymap_new();
	f->canvas = canvas_new(120, 8);
	f->view = view_calls_new();
	f->scene = (struct view_scene){ .session = &f->session,
		.keymap = f->keymap,
		.mono = f->session.mono,
		.focused = true };
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	view_free(f->view);
	session_release(&f->session);
	keymap_free(f->keymap);
	canvas_free(f->canvas);
	free(f);
	return 0;
}

static void
paint(struct fixture *f, int cols, int rows)
{
	canvas_resize(f->canvas, cols, rows);
	f->view->ops->paint(f->view, f->canvas, canvas_all(f->canvas), &f->scene);
}

static void
columns_go_by_their_importance_and_never_overflow(void **state)
{
	for (int width = 1; width <= 300; width++) {
		struct calls_columns columns = calls_columns(width, 12345);
		int sum = 1 + columns.number + columns.time + columns.tool + columns.args +
			  columns.rule + columns.word + columns.taken;

		assert_true(sum <= width);
		assert_true(!columns.rule || columns.time);
		assert_true(!columns.time || columns.args);
		assert_true(!columns.args || columns.taken);
		if (width >= 28)
			assert_true(columns.tool >= 12 && columns.word >= 7);
	}
	assert_true(calls_columns(120, 9).rule > 0);
}

static void
a_wide_pane_shows_every_column(void **state)
{
	struct fixture *f = *state;

	paint(f, 120, 6);
	assert_picture(f->canvas, "calls-120x6");
}

static size_t
left_by(struct fixture *f, const char *words)
{
	struct calls_filter *filter = calls_filter_new(words);
	size_t count = 0;

	for (size_t i = 0; i < f->session.call_count; i++)
		count += calls_filter_holds(filter, &f->session.calls[i]);
	calls_filter_free(filter);
	return count;
}

static void
a_filter_leaves_what_all_its_words_hold_for(void **state)
{
	static const struct {
		const char *words;
		size_t left;
	} cases[] = {
		{ "", 4 },
		{ "waits", 1 },
		{ "denied", 1 },
		{ "-denied", 3 },
		{ "tool:raise", 3 },
		{ "tool:raise denied", 1 },
		{ "tool:RAISE", 0 },
		{ "ada", 1 },
		{ "Ada", 1 },
		{ "9000 -waits", 1 },
		{ "line:8", 3 },
		{ "line:99", 0 },
		{ "attempt:1", 4 },
		{ "by:person", 1 },
		{ "nobody", 0 },
		{ "-", 0 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (left_by(f, cases[i].words) != cases[i].left)
			fail_msg("\"%s\" leaves %zu, not %zu", cases[i].words,
				left_by(f, cases[i].words), cases[i].left);
}

static void
the_selected_call_stays_selected_when_a_filter_comes(void **state)
{
	struct fixture *f = *state;
	struct intent intent = { .kind = INTENT_NONE };

	paint(f, 80, 8);
	view_calls_select(f->view, 3);
	assert_string_equal(f->view->ops->filter(f->view, "tool:raise"), "tool:raise");
	paint(f, 80, 8);
	f->view->ops->run(f->view, COMMAND_OPEN, &intent);
	assert_int_equal(intent.call, 3);
	assert_string_equal(f->view->ops->filter(f->view, NULL), "tool:raise");
	f->view->ops->filter(f->view, "");
	paint(f, 80, 8);
	f->view->ops->run(f->view, COMMAND_OPEN, &intent);
	assert_int_equal(intent.call, 3);
}

static void
the_title_counts_what_the_filter_leaves_and_escapes_its_words(void **state)
{
	struct fixture *f = *state;
	char title[256];

	f->view->ops->filter(f->view, "tool:raise \xe2\x80\xae");
	paint(f, 80, 8);
	f->view->ops->title(f->view, &f->scene, title, sizeof(title));
	assert_string_equal(title, "calls · 1 waits · 0 of 4: tool:raise <U+202E>");
}

static void
a_search_goes_both_ways_and_counts(void **state)
{
	struct fixture *f = *state;
	struct find next = { .needle = "9000", .len = 4 };
	struct find back = { .needle = "9000", .len = 4, .back = true };

	paint(f, 80, 8);
	view_calls_select(f->view, 1);
	assert_true(f->view->ops->search(f->view, &next));
	assert_int_equal(next.at, 1);
	assert_int_equal(next.count, 2);
	assert_true(f->view->ops->search(f->view, &back));
	assert_int_equal(back.at, 2);
}

/* Calls that ended are held against a filter once, however often the session changes. */
static void
a_filter_keeps_up_with_a_session_that_goes_on_and_back(void **state)
{
	struct fixture *f = *state;
	struct intent intent = { .kind = INTENT_NONE };

	f->view->ops->filter(f->view, "waits");
	paint(f, 80, 8);
	f->view->ops->run(f->view, COMMAND_OPEN, &intent);
	assert_int_equal(intent.call, 4);
	f->session.calls[3].state = CALL_STARTED;
	f->session.generation++;
	f->session.seq++;
	paint(f, 80, 8);
	assert_false(f->view->ops->offers(f->view, COMMAND_OPEN));
	f->session.calls[3].state = CALL_HELD;
	f->session.generation--;
	f->session.seq--;
	paint(f, 80, 8);
	assert_true(f->view->ops->offers(f->view, COMMAND_OPEN));
}

#define CALLS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CALLS_TEST(columns_go_by_their_importance_and_never_overflow),
		CALLS_TEST(a_wide_pane_shows_every_column),
		CALLS_TEST(a_filter_leaves_what_all_its_words_hold_for),
		CALLS_TEST(the_selected_call_stays_selected_when_a_filter_comes),
		CALLS_TEST(the_title_counts_what_the_filter_leaves_and_escapes_its_words),
		CALLS_TEST(a_search_goes_both_ways_and_counts),
		CALLS_TEST(a_filter_keeps_up_with_a_session_that_goes_on_and_back),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
