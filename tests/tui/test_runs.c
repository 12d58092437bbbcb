/* The list of runs, the waiting calls of all runs, and what happened meanwhile. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"
#include "tests/tui/golden.h"
#include "tests/tui/sample.h"
#include "tui/canvas.h"
#include "tui/find.h"
#include "tui/fleet.h"
#include "tui/header.h"
#include "tui/meanwhile.h"
#include "tui/view.h"
#include "tui/view_runs.h"
#include "tui/view_waiting.h"

#define UTC (1000000 * NS_PER_S)
#define MINUTE (60 * NS_PER_S)
#define RUNS 7

struct fixture {
	struct session held, other;
	struct fleet_run run[RUNS];
	const struct fleet_run *runs[RUNS];
	size_t count;
	struct keymap *keymap;
	struct canvas *canvas;
	struct view_scene scene;
	struct view *view;
};

static const struct fleet_run *const *
runs_of(size_t *count, void *arg)
{
	struct fixture *f = arg;

	*count = f->count;
	return f->runs;
}

static const struct view_runs_look *
look(struct fixture *f)
{
	static struct view_runs_look all;

	all = (struct view_runs_look){ runs_of, f };
	return &all;
}

static void
add(struct fixture *f, const char *id, const char *name, const struct session *session,
	int64_t began)
{
	struct fleet_run *run = &f->run[f->count];

	*run = (struct fleet_run){ .name = (char *)name,
		.live = session != NULL,
		.known = true,
		.session = session,
		.summary = { .calls = -1, .denied = -1 },
		.began = UTC - began };
	snprintf(run->id, sizeof(run->id), "%s", id);
	f->runs[f->count++] = run;
}

static void
add_record(struct fixture *f, const char *id, const char *name, const struct summary *summary,
	int64_t began)
{
	add(f, id, name, NULL, began);
	f->run[f->count - 1].summary = *summary;
}

static int
setup(void **state)
{
	struct fixture *f = mem_zero(1, sizeof(*f));
	struct summary ended = { .task = (char *)"give everyone a raise",
		.ended = true,
		.outcome = (char *)"ok",
		.calls = 12,
		.denied = 1 };
	struct summary stopped = { .task = (char *)"\x1b[2Jhostile \xe2\x80\xae task",
		.ended = true,
		.outcome = (char *)"stopped",
		.exit_code = 3,
		.calls = 1048576,
		.denied = 0,
		.closed_by = (char *)"recovery" };
	struct summary cut = { .calls = 4, .denied = 0, .torn = true };
	struct summary broken = { .fault = (char *)"line 1 is no event", .calls = -1 };

	make_sample_session(&f->held, SAMPLE_HELD);
	sample_waiting(&f->other, "{\"name\":\"<U+202E>\\u202e\",\"amount\":9007199254740993}");
	add(f, "a", "payroll-2", &f->held, 5 * MINUTE);
	add(f, "b", "cleanup-with-a-long-name-1", &f->other, 30 * NS_PER_S);
	add_record(f, "c", "payroll-1", &ended, 3 * 60 * MINUTE);
	add_record(f, "d", "sweep-4", &stopped, 5 * 24 * 60 * MINUTE);
	add_record(f, "e", "sweep-3", &cut, 6 * 24 * 60 * MINUTE);
	add_record(f, "f", "sweep-2", &broken, 7 * 24 * 60 * MINUTE);
	add(f, "g", "sweep-1", NULL, 8 * 24 * 60 * MINUTE);
	f->run[6].known = false;
	f->keymap = keymap_new();
	f->canvas = canvas_new(80, 24);
	f->scene = (struct view_scene){ .session = &f->held,
		.keymap = f->keymap,
		.mono = f->held.mono + NS_PER_S,
		.utc = UTC };
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	view_free(f->view);
	session_release(&f->held);
	session_release(&f->other);
	keymap_free(f->keymap);
	canvas_free(f->canvas);
	free(f);
	return 0;
}

static void
paint(struct fixture *f, int cols, int rows)
{
	canvas_resize(f->canvas, cols, rows);
	canvas_clear(f->canvas);
	f->view->ops->paint(f->view, f->canvas, canvas_all(f->canvas), &f->scene);
}

static void
assert_view(struct fixture *f, int cols, int rows, const char *what)
{
	AUTO_FREE char *name = mem_printf("%s-%dx%d", what, cols, rows);

	paint(f, cols, rows);
	assert_picture(f->canvas, name);
}

static struct intent
run(struct fixture *f, enum command command)
{
	struct intent intent = { .kind = INTENT_NONE };

	(void)f->view->ops->run(f->view, command, &intent);
	return intent;
}

static void
assert_title(struct fixture *f, const char *wanted)
{
	char title[128];

	f->view->ops->title(f->view, &f->scene, title, sizeof(title));
	assert_string_equal(title, wanted);
}

/* --- runs --- */

static void
runs_have_their_pictures(void **state)
{
	struct fixture *f = *state;

	f->view = view_runs_new(look(f));
	assert_view(f, 80, 12, "runs");
	assert_view(f, 40, 12, "runs");
	assert_view(f, 120, 12, "runs");
}

static void
an_empty_list_says_what_to_do_first(void **state)
{
	struct fixture *f = *state;

	f->count = 0;
	f->view = view_runs_new(look(f));
	assert_view(f, 80, 8, "runs-none");
	assert_view(f, 40, 12, "runs-none");
	assert_false(f->view->ops->offers(f->view, COMMAND_OPEN));
}

static void
the_selection_stays_on_its_run(void **state)
{
	struct fixture *f = *state;
	const struct fleet_run *first;

	f->view = view_runs_new(look(f));
	paint(f, 80, 24);
	run(f, COMMAND_DOWN);
	first = f->runs[0];
	f->runs[0] = f->runs[1];
	f->runs[1] = first;
	assert_string_equal(run(f, COMMAND_OPEN).text, "b");
	run(f, COMMAND_BOTTOM);
	assert_string_equal(run(f, COMMAND_OPEN).text, "g");
}

static void
only_a_run_that_goes_on_can_be_stopped(void **state)
{
	struct fixture *f = *state;

	f->view = view_runs_new(look(f));
	paint(f, 80, 24);
	assert_true(f->view->ops->offers(f->view, COMMAND_STOP));
	assert_int_equal(run(f, COMMAND_STOP).kind, INTENT_RUN_STOP);
	run(f, COMMAND_BOTTOM);
	paint(f, 80, 24);
	assert_false(f->view->ops->offers(f->view, COMMAND_STOP));
}

static void
a_filter_leaves_the_runs_that_hold_its_words(void **state)
{
	struct fixture *f = *state;
	struct find find = { .needle = "sweep-2", .len = 7 };

	f->view = view_runs_new(look(f));
	paint(f, 80, 24);
	assert_title(f, "runs · reading 7 of 7");
	f->run[6].known = true;
	assert_title(f, "runs · 2 going on · 5 recorded");
	assert_true(f->view->ops->search(f->view, &find));
	assert_string_equal(run(f, COMMAND_OPEN).text, "f");
	f->view->ops->filter(f->view, "stopped");
	assert_title(f, "runs · 1 of 7 shown");
	assert_string_equal(run(f, COMMAND_OPEN).text, "d");
	assert_false(f->view->ops->search(f->view, &find));
}

/* --- waiting calls --- */

static void
waiting_calls_have_their_pictures(void **state)
{
	struct fixture *f = *state;

	f->view = view_waiting_new(look(f), "a");
	assert_view(f, 80, 8, "waiting");
	assert_view(f, 40, 12, "waiting");
	assert_view(f, 120, 8, "waiting");
}

static void
a_call_of_another_run_is_opened_there(void **state)
{
	struct fixture *f = *state;
	struct intent intent;

	f->view = view_waiting_new(look(f), "a");
	paint(f, 80, 24);
	intent = run(f, COMMAND_OPEN);
	assert_int_equal(intent.kind, INTENT_OPEN);
	assert_int_equal(intent.call, 4);
	run(f, COMMAND_DOWN);
	intent = run(f, COMMAND_OPEN);
	assert_int_equal(intent.kind, INTENT_RUN);
	assert_string_equal(intent.text, "b");
	assert_int_equal(intent.call, 1);
}

static void
only_calls_of_the_open_run_are_marked(void **state)
{
	struct fixture *f = *state;
	struct intent intent;

	f->view = view_waiting_new(look(f), "a");
	paint(f, 80, 24);
	run(f, COMMAND_DOWN);
	assert_false(f->view->ops->offers(f->view, COMMAND_MARK));
	run(f, COMMAND_MARK);
	assert_int_equal(run(f, COMMAND_OPEN).kind, INTENT_RUN);
	run(f, COMMAND_UP);
	assert_true(f->view->ops->offers(f->view, COMMAND_MARK));
	run(f, COMMAND_MARK);
	assert_title(f, "waiting calls of all runs · 1 marked");
	assert_view(f, 80, 8, "waiting-marked");
	intent = run(f, COMMAND_OPEN);
	assert_int_equal(intent.kind, INTENT_OPEN_MANY);
	assert_int_equal(intent.call_count, 1);
	assert_int_equal(intent.calls[0], 4);
}

static void
a_mark_goes_with_its_call(void **state)
{
	struct fixture *f = *state;

	f->view = view_waiting_new(look(f), "a");
	paint(f, 80, 24);
	run(f, COMMAND_MARK);
	session_release(&f->held);
	make_sample_session(&f->held, SAMPLE_ENDED);
	assert_title(f, "waiting calls of all runs");
	assert_int_equal(run(f, COMMAND_OPEN).kind, INTENT_RUN);
}

static void
no_waiting_call_opens_nothing(void **state)
{
	struct fixture *f = *state;

	f->count = 0;
	f->view = view_waiting_new(look(f), "a");
	assert_view(f, 80, 8, "waiting-none");
	assert_int_equal(run(f, COMMAND_OPEN).kind, INTENT_NONE);
}

/* --- meanwhile --- */

static void
what_happened_meanwhile_has_its_pictures(void **state)
{
	struct fixture *f = *state;
	struct meanwhile all = { .from = 0, .until = INT64_MAX, .until_seq = UINT64_MAX };

	all.until = f->held.mono;
	f->view = meanwhile_view(&all);
	assert_view(f, 80, 14, "meanwhile");
	view_free(f->view);
	all.away = true;
	f->view = meanwhile_view(&all);
	assert_view(f, 40, 12, "meanwhile-away");
}

static void
nothing_is_told_of_a_time_in_which_nothing_happened(void **state)
{
	struct fixture *f = *state;
	struct meanwhile late = { .from = f->held.mono,
		.until = f->held.mono + MINUTE,
		.from_seq = f->held.seq,
		.until_seq = UINT64_MAX };

	assert_false(meanwhile_happened(&f->held, &late));
	late.from = 0;
	assert_true(meanwhile_happened(&f->held, &late));
}

/* --- the header --- */

static void
what_waits_elsewhere_stands_in_the_header(void **state)
{
	static const int cols[] = { 60, 80, 120 };
	struct fixture *f = *state;

	f->scene.elsewhere = "2 more wait in payroll-3: ]";
	f->scene.elsewhere_short = "+2: ]";
	for (size_t i = 0; i < ARRAY_SIZE(cols); i++) {
		AUTO_FREE char *name = mem_printf("header-elsewhere-%dx1", cols[i]);

		canvas_resize(f->canvas, cols[i], 1);
		canvas_clear(f->canvas);
		header_draw(f->canvas, canvas_all(f->canvas), &f->scene, false);
		assert_picture(f->canvas, name);
	}
	canvas_clear(f->canvas);
	header_runs(f->canvas, canvas_all(f->canvas), &f->scene);
	assert_picture(f->canvas, "header-runs-120x1");
}

#define RUNS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUNS_TEST(runs_have_their_pictures),
		RUNS_TEST(an_empty_list_says_what_to_do_first),
		RUNS_TEST(the_selection_stays_on_its_run),
		RUNS_TEST(only_a_run_that_goes_on_can_be_stopped),
		RUNS_TEST(a_filter_leaves_the_runs_that_hold_its_words),
		RUNS_TEST(waiting_calls_have_their_pictures),
		RUNS_TEST(a_call_of_another_run_is_opened_there),
		RUNS_TEST(only_calls_of_the_open_run_are_marked),
		RUNS_TEST(a_mark_goes_with_its_call),
		RUNS_TEST(no_waiting_call_opens_nothing),
		RUNS_TEST(what_happened_meanwhile_has_its_pictures),
		RUNS_TEST(nothing_is_told_of_a_time_in_which_nothing_happened),
		RUNS_TEST(what_waits_elsewhere_stands_in_the_header),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
