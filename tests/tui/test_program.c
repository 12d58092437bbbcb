/* The program pane: attempts, what changed between them, gates, search. */
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
#include "tui/canvas.h"
#include "tui/view.h"
#include "tui/view_program.h"

static const char first_text[] = "names = list_employees()\n"
				 "for name in names:\n"
				 "    drop_employee(name=name)\n"
				 "print(len(names))\n";
static const char second_text[] = "names = list_employees()\n"
				  "for name in names:\n"
				  "    if name == \"Ada\":\n"
				  "        apply_raise(name=name, amount=10)\n"
				  "print(len(names))\n";

struct fixture {
	struct session session;
	struct keymap *keymap;
	struct canvas *canvas;
	struct view *view;
	struct view_scene scene;
};

static void
add_program(struct make *make, int attempt, const char *text)
{
	event_begin(&make->event, EVENT_PROGRAM);
	event_int(&make->event, "run", 1);
	event_int(&make->event, "attempt", attempt);
	make_text(make, "text", text);
	event_int(&make->event, "lines", 4);
	event_str(&make->event, "by", "model");
	make_append(make);
}

static void
add_sites(struct make *make, int attempt, const char *sites)
{
	event_begin(&make->event, EVENT_PROGRAM_FORECAST);
	event_int(&make->event, "attempt", attempt);
	event_json(&make->event, "sites", sites, strlen(sites));
	make_append(make);
}

static void
add_end(struct make *make, int attempt, const char *outcome)
{
	event_begin(&make->event, EVENT_PROGRAM_END);
	event_int(&make->event, "attempt", attempt);
	event_str(&make->event, "outcome", outcome);
	event_int(&make->event, "exit", 1);
	make_text(make, "error", NULL);
	event_int(&make->event, "line", 3);
	event_int(&make->event, "cpu_ms", 1);
	event_int(&make->event, "max_rss_kb", 1);
	event_int(&make->event, "held_ms", 0);
	make_append(make);
}

static void
fill_attempts(struct make *make)
{
	make_start(make, "payroll-1");
	add_program(make, 2, first_text);
	add_sites(make, 2,
		"[{\"line\":1,\"tool\":\"payroll.list_employees\",\"loop\":false,"
		"\"effect\":\"read\",\"action\":\"allow\"},"
		"{\"line\":3,\"tool\":\"payroll.drop_employee\",\"loop\":true,"
		"\"effect\":\"destroy\",\"action\":\"deny\"}]");
	add_end(make, 2, "denied");
	add_program(make, 3, second_text);
	add_sites(make, 3,
		"[{\"line\":4,\"tool\":\"payroll.apply_raise\",\"loop\":true,"
		"\"effect\":\"mutate\",\"action\":\"depends\"},"
		"{\"line\":4,\"tool\":\"payroll.apply_raise\",\"loop\":true,"
		"\"effect\":\"mutate\",\"action\":\"ask\"}]");
}

static int
setup(void **state)
{
	struct fixture *f = mem_zero(1, sizeof(*f));

	sample_session(&f->session, fill_attempts);
	f->keymap = keymap_new();
	f->canvas = canvas_new(70, 8);
	f->view = view_program_new(NULL);
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
paint(struct fixture *f)
{
	canvas_clear(f->canvas);
	f->view->ops->paint(f->view, f->canvas, canvas_all(f->canvas), &f->scene);
}

static void
run(struct fixture *f, enum command command)
{
	struct intent intent = { .kind = INTENT_NONE };

	assert_true(f->view->ops->offers(f->view, command));
	assert_int_equal(f->view->ops->run(f->view, command, &intent), VIEW_DIRTY);
	paint(f);
}

static bool
offers(struct fixture *f, enum command command)
{
	return f->view->ops->offers(f->view, command);
}

static void
the_newest_attempt_is_shown_and_the_others_are_tabs(void **state)
{
	struct fixture *f = *state;

	paint(f);
	assert_picture(f->canvas, "program-tabs-70x8");
	assert_false(offers(f, COMMAND_RIGHT));
	run(f, COMMAND_LEFT);
	assert_picture(f->canvas, "program-tab-before-70x8");
	run(f, COMMAND_LEFT);
	assert_false(offers(f, COMMAND_LEFT));
}

static void
the_difference_between_attempts_shows_what_went_and_came(void **state)
{
	struct fixture *f = *state;
	char title[256];

	paint(f);
	run(f, COMMAND_DIFF);
	assert_picture(f->canvas, "program-diff-70x8");
	f->view->ops->title(f->view, &f->scene, title, sizeof(title));
	assert_string_equal(title, "program · attempt 3 against 2 · 1 removed, 2 added");
	run(f, COMMAND_DIFF);
	f->view->ops->title(f->view, &f->scene, title, sizeof(title));
	assert_string_equal(title, "program · attempt 3");
	run(f, COMMAND_LEFT);
	run(f, COMMAND_LEFT);
	assert_false(offers(f, COMMAND_DIFF));
}

static void
a_new_attempt_takes_the_place_only_of_one_that_nobody_chose(void **state)
{
	struct fixture *f = *state;
	char title[256];

	paint(f);
	run(f, COMMAND_LEFT);
	f->session.generation++;
	paint(f);
	f->view->ops->title(f->view, &f->scene, title, sizeof(title));
	assert_string_equal(title, "program · attempt 2");
	run(f, COMMAND_FOLLOW);
	f->view->ops->title(f->view, &f->scene, title, sizeof(title));
	assert_string_equal(title, "program · attempt 3");
}

static void
a_search_lights_all_matches_and_the_one_found_apart(void **state)
{
	struct fixture *f = *state;
	struct find find = { .needle = "NAME", .len = 4 };

	paint(f);
	assert_false(f->view->ops->search(f->view, &find));
	find.needle = "name";
	assert_true(f->view->ops->search(f->view, &find));
	assert_int_equal(find.count, 7);
	assert_int_equal(find.at, 1);
	paint(f);
	assert_picture(f->canvas, "program-search-70x8");
	find.back = true;
	assert_true(f->view->ops->search(f->view, &find));
	assert_int_equal(find.at, 7);
}

static void
a_replay_that_goes_back_shows_what_there_was(void **state)
{
	struct fixture *f = *state;
	char title[256];

	paint(f);
	session_release(&f->session);
	make_sample_session(&f->session, SAMPLE_HELD);
	f->session.seq = 3;
	paint(f);
	f->view->ops->title(f->view, &f->scene, title, sizeof(title));
	assert_string_equal(title, "program · attempt 1");
}

#define PROGRAM_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		PROGRAM_TEST(the_newest_attempt_is_shown_and_the_others_are_tabs),
		PROGRAM_TEST(the_difference_between_attempts_shows_what_went_and_came),
		PROGRAM_TEST(a_new_attempt_takes_the_place_only_of_one_that_nobody_chose),
		PROGRAM_TEST(a_search_lights_all_matches_and_the_one_found_apart),
		PROGRAM_TEST(a_replay_that_goes_back_shows_what_there_was),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
