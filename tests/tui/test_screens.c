/* The whole screen, composed without a terminal: pictures, sizes, keys and typed commands. */
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

#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"
#include "tests/tui/golden.h"
#include "tests/tui/sample.h"
#include "tui/app_inside.h"
#include "tui/canvas.h"
#include "tui/theme.h"

struct fixture {
	struct app_request request;
	struct app_result result;
	struct app app;
};

static void
take_session(struct fixture *f, enum make_sample sample)
{
	session_release(&f->app.session);
	make_sample_session(&f->app.session, sample);
}

static int
setup(void **state)
{
	struct fixture *f = mem_zero(1, sizeof(*f));
	struct app *app = &f->app;

	f->request.socket = -1;
	app->request = &f->request;
	app->result = &f->result;
	app->loop = loop_new();
	assert_int_equal(app_theme_named(&app->theme, "default", NULL), 0);
	app_make(app);
	app_make_panes(app);
	take_session(f, SAMPLE_HELD);
	/* The session's clock stands at its last event. */
	app->clock_ahead = -loop_now(app->loop) - INT64_C(1000000000000);
	app->live = true;
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	app_drop(&f->app);
	loop_free(f->app.loop);
	free(f);
	return 0;
}

static void
compose(struct fixture *f, int cols, int rows)
{
	canvas_resize(f->app.canvas, cols, rows);
	app_compose(&f->app);
}

static void
assert_screen(struct fixture *f, int cols, int rows, const char *what)
{
	AUTO_FREE char *name = mem_printf("screen-%s-%dx%d", what, cols, rows);

	compose(f, cols, rows);
	assert_picture(f->app.canvas, name);
}

/* Bytes as the terminal sends them, a read each. */
static void
type(struct fixture *f, const char *bytes)
{
	for (; *bytes; bytes++)
		app_input(&f->app, bytes, 1);
}

/* --- pictures --- */

static void
a_waiting_session_has_its_pictures(void **state)
{
	struct fixture *f = *state;

	assert_screen(f, 80, 24, "waits");
	assert_screen(f, 40, 12, "waits");
	assert_screen(f, 120, 40, "waits");
	assert_screen(f, 200, 60, "waits");
}

static void
an_ended_session_has_its_picture(void **state)
{
	struct fixture *f = *state;

	take_session(f, SAMPLE_ENDED);
	assert_screen(f, 120, 40, "ended");
	assert_screen(f, 40, 12, "ended");
}

static void
budget_and_sandbox_have_a_page(void **state)
{
	struct fixture *f = *state;

	type(f, "B");
	assert_screen(f, 80, 24, "session");
	type(f, "q");
	assert_int_equal(f->app.overlays, 0);
}

static void
every_size_is_drawn_without_harm(void **state)
{
	static const int cols[] = { 1, 2, 5, 20, 40, 59, 60, 99, 100, 101, 160, 300 };
	static const int rows[] = { 1, 2, 3, 5, 12, 15, 24, 60, 100 };
	struct fixture *f = *state;

	for (int pass = 0; pass < 3; pass++) {
		for (size_t c = 0; c < ARRAY_SIZE(cols); c++)
			for (size_t r = 0; r < ARRAY_SIZE(rows); r++)
				compose(f, cols[c], rows[r]);
		if (pass == 0)
			app_open(&f->app, 0);
		else
			type(f, ":");
	}
	app_close_pane(&f->app, false);
}

/* --- panes --- */

static void
panes_change_their_sizes_and_keep_them(void **state)
{
	struct fixture *f = *state;
	int width, height;

	compose(f, 120, 40);
	width = f->app.layout.pane[LAYOUT_PROGRAM].w;
	height = f->app.layout.pane[LAYOUT_CALLS].h;
	type(f, "}}(");
	compose(f, 120, 40);
	assert_true(f->app.layout.pane[LAYOUT_PROGRAM].w > width);
	assert_true(f->app.layout.pane[LAYOUT_CALLS].h < height);
	for (int i = 0; i < 100; i++)
		type(f, "{(");
	compose(f, 120, 40);
	assert_true(f->app.layout.pane[LAYOUT_PROGRAM].w >= 20);
	assert_true(f->app.layout.pane[LAYOUT_CALLS].h >= 3);
	assert_false(app_offers(&f->app, COMMAND_NARROWER));
	assert_true(app_offers(&f->app, COMMAND_WIDER));
	compose(f, 80, 24);
	assert_false(app_offers(&f->app, COMMAND_WIDER));
}

static void
one_pane_takes_the_screen_and_gives_it_back(void **state)
{
	struct fixture *f = *state;

	type(f, "f");
	compose(f, 120, 40);
	assert_true(rect_empty(f->app.layout.pane[LAYOUT_PROGRAM]));
	type(f, "f");
	compose(f, 120, 40);
	assert_false(rect_empty(f->app.layout.pane[LAYOUT_PROGRAM]));
}

/* --- the command line --- */

static void
a_command_does_what_its_key_does(void **state)
{
	struct fixture *f = *state;

	compose(f, 120, 40);
	type(f, ":next-pane\r");
	assert_int_equal(f->app.focus, LAYOUT_OUTPUT);
	type(f, ":details\r");
	assert_int_equal(f->app.overlays, 1);
	type(f, "q:call 4\r");
	assert_non_null(f->app.approval);
	app_close_pane(&f->app, false);
	type(f, ":call 1\r");
	assert_int_equal(f->app.overlays, 1);
	type(f, "q:line 9\r");
	assert_int_equal(f->app.focus, LAYOUT_PROGRAM);
}

static void
assert_said(struct fixture *f, const char *words)
{
	if (!f->app.message || !strstr(f->app.message, words))
		fail_msg("\"%s\" does not say \"%s\"", f->app.message ? f->app.message : "", words);
}

static void
no_command_that_decides_can_be_typed(void **state)
{
	struct fixture *f = *state;

	compose(f, 120, 40);
	app_open(&f->app, 0);
	compose(f, 120, 40);
	for (int i = COMMAND_NONE + 1; i < COMMAND_COUNT; i++) {
		AUTO_FREE char *line = mem_printf(":%s\r", command_name((enum command)i));

		if (!(command_flags((enum command)i) & (COMMAND_DECIDES | COMMAND_APPROVES)))
			continue;
		type(f, line);
		assert_said(f, "decides, and only its key does that");
		assert_int_equal(f->app.deciding, 0);
		assert_non_null(f->app.approval);
	}
	type(f, ":approve\r");
	assert_said(f, "only its key does that: y while a call waits for you");
	app_close_pane(&f->app, false);
}

static void
a_command_that_is_not_known_is_refused_with_the_nearest(void **state)
{
	struct fixture *f = *state;

	compose(f, 120, 40);
	type(f, ":detials\r");
	assert_said(f, "there is no command \"detials\"; did you mean \"details\"?");
	type(f, ":\xc3\xa4\r");
	assert_said(f, "there is no command \"<U+00E4>\"");
	type(f, ":call 99\r");
	assert_said(f, "there is no call 99; there are 4");
	type(f, ":call x\r");
	assert_said(f, "write the number of a call");
	type(f, ":line 0\r");
	assert_said(f, "write the number of a line");
	type(f, ":help me\r");
	assert_said(f, "help takes no words");
	type(f, ":revoke\r");
	assert_said(f, "revoke does nothing here now");
}

static void
tab_completes_a_name_as_far_as_it_is_clear(void **state)
{
	static const char *const cases[][2] = {
		{ "det", "details " },
		{ "pre", "previous-pane " },
		{ "theme ", "theme " },
		{ "theme li", "theme light" },
		{ "appro", NULL },
		{ "zzz", NULL },
	};
	struct fixture *f = *state;

	compose(f, 120, 4);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *longer = app_command_complete(&f->app, cases[i][0]);

		if (!cases[i][1] || !longer)
			assert_ptr_equal(longer, cases[i][1]);
		else
			assert_string_equal(longer, cases[i][1]);
	}
}

static void
another_theme_is_taken_at_once_and_a_bad_one_refused(void **state)
{
	struct fixture *f = *state;
	struct theme *before = f->app.theme;

	type(f, ":theme nosuch\r");
	assert_said(f, "no theme \"nosuch\"; there are default, light");
	assert_ptr_equal(f->app.theme, before);
	type(f, ":theme high-contrast\r");
	assert_true(theme_look(f->app.theme, STYLE_TEXT, 256).bg >= 0);
}

static void
the_command_line_shows_what_a_name_may_become(void **state)
{
	struct fixture *f = *state;

	compose(f, 120, 40);
	type(f, ":pa");
	canvas_resize(f->app.canvas, 100, 3);
	app_compose(&f->app);
	assert_picture(f->app.canvas, "command-line-100x3");
}

/* --- what is offered --- */

/* A key that the help shows does something: the view takes it, or app does. */
static void
the_hint_bar_and_help_name_no_command_that_nobody_performs(void **state)
{
	static const enum command unbuilt[] = { COMMAND_ACCEPT, COMMAND_REVOKE, COMMAND_MARK,
		COMMAND_PLAY, COMMAND_STEP, COMMAND_LEFT };
	struct fixture *f = *state;

	compose(f, 80, 24);
	for (size_t i = 0; i < ARRAY_SIZE(unbuilt); i++)
		assert_false(app_offers(&f->app, unbuilt[i]));
	assert_true(app_offers(&f->app, COMMAND_SEARCH));
	assert_false(app_offers(&f->app, COMMAND_SEARCH_NEXT));
	type(f, "/raise\r");
	assert_true(app_offers(&f->app, COMMAND_SEARCH_NEXT));
}

/* Every command that a pane or page names does something there. */
static void
a_view_performs_each_command_that_it_offers(void **state)
{
	static const char *const ways[] = { "", "\t", "\t\t", "B", "?", "k\r" };
	struct fixture *f = *state;

	for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
		compose(f, 80, 12);
		type(f, ways[way]);
		for (int i = COMMAND_NONE + 1; i < COMMAND_COUNT; i++) {
			struct view *top = app_top(&f->app);
			struct intent intent = { .kind = INTENT_NONE };

			compose(f, 80, 12);
			if (i == COMMAND_BACK || !top->ops->offers(top, (enum command)i))
				continue;
			if (top->ops->run(top, (enum command)i, &intent) == VIEW_IGNORED)
				fail_msg("after \"%s\" %s is offered and ignored", ways[way],
					command_name((enum command)i));
		}
		while (f->app.overlays > 0)
			app_pop(&f->app);
	}
}

static bool
on_screen(struct fixture *f, const char *words)
{
	AUTO_BUF struct buf picture;

	buf_init(&picture, BUF_UNBOUNDED);
	canvas_dump(f->app.canvas, &picture, false);
	return strstr(picture.data, words) != NULL;
}

static void
hints_and_help_show_the_keys_as_they_are_bound(void **state)
{
	struct fixture *f = *state;
	struct key key, gone;

	assert_true(key_parse("F2", &key));
	assert_true(key_parse("?", &gone));
	assert_int_equal(keymap_bind(f->app.keymap, MAP_ALL, key, COMMAND_HELP, NULL), 0);
	assert_int_equal(keymap_bind(f->app.keymap, MAP_ALL, gone, COMMAND_NONE, NULL), 0);
	assert_true(key_parse("F1", &gone));
	assert_int_equal(keymap_bind(f->app.keymap, MAP_ALL, gone, COMMAND_NONE, NULL), 0);
	assert_true(key_parse("Tab", &gone));
	assert_int_equal(keymap_bind(f->app.keymap, MAP_PANE, gone, COMMAND_NONE, NULL), 0);
	compose(f, 60, 15);
	assert_true(on_screen(f, "F2 help"));
	assert_false(on_screen(f, "next pane"));
	type(f, "?");
	assert_int_equal(f->app.overlays, 0);
	type(f, "\x1bOQ");
	assert_int_equal(f->app.overlays, 1);
	compose(f, 80, 40);
	assert_true(on_screen(f, "F2          │ keys and what they do"));
}

#define SCREEN_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		SCREEN_TEST(a_waiting_session_has_its_pictures),
		SCREEN_TEST(an_ended_session_has_its_picture),
		SCREEN_TEST(budget_and_sandbox_have_a_page),
		SCREEN_TEST(every_size_is_drawn_without_harm),
		SCREEN_TEST(panes_change_their_sizes_and_keep_them),
		SCREEN_TEST(one_pane_takes_the_screen_and_gives_it_back),
		SCREEN_TEST(a_command_does_what_its_key_does),
		SCREEN_TEST(no_command_that_decides_can_be_typed),
		SCREEN_TEST(a_command_that_is_not_known_is_refused_with_the_nearest),
		SCREEN_TEST(tab_completes_a_name_as_far_as_it_is_clear),
		SCREEN_TEST(another_theme_is_taken_at_once_and_a_bad_one_refused),
		SCREEN_TEST(the_command_line_shows_what_a_name_may_become),
		SCREEN_TEST(the_hint_bar_and_help_name_no_command_that_nobody_performs),
		SCREEN_TEST(a_view_performs_each_command_that_it_offers),
		SCREEN_TEST(hints_and_help_show_the_keys_as_they_are_bound),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
