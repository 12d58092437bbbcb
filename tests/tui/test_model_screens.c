/* The whole screen while a model writes, when its reply was no program, and between two tasks. */
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
	app->focus = LAYOUT_PROGRAM;
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

/* The session's clock stands at its last event. */
static void
take(struct fixture *f, void (*fill)(struct make *make))
{
	uint64_t generation = f->app.session.generation;

	session_release(&f->app.session);
	sample_session(&f->app.session, fill);
	f->app.clock_ahead = -loop_now(f->app.loop) - INT64_C(1000000000000);
	f->app.session.generation += generation; /* what is drawn is another one */
	f->app.live = true;
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
	AUTO_FREE char *name = mem_printf("model-%s-%dx%d", what, cols, rows);

	compose(f, cols, rows);
	assert_picture(f->app.canvas, name);
}

static void
assert_screens(struct fixture *f, const char *what)
{
	assert_screen(f, 80, 24, what);
	assert_screen(f, 120, 40, what);
	assert_screen(f, 40, 12, what);
}

static void
type(struct fixture *f, const char *bytes)
{
	for (; *bytes; bytes++)
		app_input(&f->app, bytes, 1);
}

static bool
on_screen(struct fixture *f, const char *words)
{
	AUTO_BUF struct buf picture;

	buf_init(&picture, BUF_UNBOUNDED);
	canvas_dump(f->app.canvas, &picture, false);
	return strstr(picture.data, words) != NULL;
}

/* --- while it writes --- */

static void
fill_writing(struct make *make)
{
	make_start_modelled(make);
	make_turn(make, 1, "program");
	make_turn_delta(make, 1, "reasoning", "They want a raise for everyone in Engineering. ");
	make_turn_delta(make, 1, "text", "I look at everyone first, then raise those who are ");
	make_turn_delta(make, 1, "text", "in Engineering.\n\n```python\ntotal = 0\nfor name in ");
	make_turn_delta(make, 1, "text", "list_employees():\n    e = get_employee(name=name)\n");
	make_turn_delta(
		make, 1, "text", "    if e[\"department\"] == \"Engineering\":\n        app");
}

static void
fill_asked(struct make *make)
{
	make_start_modelled(make);
	make_turn(make, 1, "program");
}

static void
fill_retry(struct make *make)
{
	make_start_modelled(make);
	make_turn(make, 1, "program");
	make_turn_retry(make, 1,
		"model.example answered 429: too many requests, the account has used its tokens of "
		"this minute \x1b[31m[request req_77]",
		90000);
}

static void
a_reply_has_its_pictures_while_it_comes(void **state)
{
	struct fixture *f = *state;

	take(f, fill_writing);
	assert_screens(f, "writing");
	assert_true(on_screen(f, "the model writes a program"));
	assert_false(on_screen(f, "They want a raise"));
}

static void
reasoning_takes_the_place_of_the_reply_and_gives_it_back(void **state)
{
	struct fixture *f = *state;

	take(f, fill_writing);
	compose(f, 80, 24);
	type(f, "o");
	assert_screen(f, 80, 24, "reasoning");
	assert_true(on_screen(f, "They want a raise"));
	assert_false(on_screen(f, "total = 0"));
	type(f, "o");
	compose(f, 80, 24);
	assert_true(on_screen(f, "total = 0"));
}

static void
a_reply_can_be_cancelled_only_while_it_goes_on(void **state)
{
	struct fixture *f = *state;

	take(f, fill_writing);
	compose(f, 80, 24);
	assert_true(app_offers(&f->app, COMMAND_CANCEL));
	assert_true(on_screen(f, "C cancel the reply"));
	f->app.live = false;
	assert_false(app_offers(&f->app, COMMAND_CANCEL));
	take(f, fill_retry);
	assert_true(app_offers(&f->app, COMMAND_CANCEL));
}

static void
what_leaves_the_machine_is_said_before_anything_came(void **state)
{
	struct fixture *f = *state;

	take(f, fill_asked);
	assert_screens(f, "asked");
}

static void
a_long_message_ends_in_a_mark_and_leaves_room_for_the_key(void **state)
{
	struct fixture *f = *state;

	take(f, fill_asked);
	app_say(&f->app, STYLE_TEXT,
		"openai/gpt-5-mini at https://model.example is sent the task, what the tools are, "
		"and of failed programs the error, the output and the calls");
	assert_screen(f, 80, 24, "message");
	assert_true(on_screen(f, "… "));
	assert_true(on_screen(f, "C cancel the reply"));
}

static void
what_is_waited_for_is_told_whole_and_escaped(void **state)
{
	struct fixture *f = *state;

	take(f, fill_retry);
	assert_screens(f, "retry");
	compose(f, 80, 24);
	assert_true(on_screen(f, "asked again in "));
	assert_true(on_screen(f, "<U+001B>[31m[request req_77]"));
}

/* --- no program --- */

static void
fill_refused(struct make *make)
{
	make_start_modelled(make);
	make_turn(make, 1, "program");
	make_turn_delta(make, 1, "text", "I would rather talk about it first.\nWho asks?\n");
	make_turn_end(make, 1, "complete", NULL,
		"the reply holds no program: one Python program in one ```python fence is wanted");
	make_asked(make, 0, "the reply holds no program");
}

static void
fill_cut(struct make *make)
{
	make_start_modelled(make);
	make_turn(make, 1, "program");
	make_turn_delta(make, 1, "text", "```python\ntotal = 0\n");
	make_turn_end(make, 1, "length", NULL, NULL);
	make_asked(make, 0, "the reply was cut at a limit of tokens, so it is not run");
}

static void
a_reply_that_is_no_program_says_why(void **state)
{
	struct fixture *f = *state;

	take(f, fill_refused);
	assert_screens(f, "refused");
	take(f, fill_cut);
	assert_screen(f, 80, 24, "cut");
}

static void
how_to_go_on_is_asked_with_what_came(void **state)
{
	struct fixture *f = *state;

	take(f, fill_refused);
	compose(f, 80, 24);
	type(f, "\r");
	assert_screens(f, "how");
	assert_true(f->app.overlays == 1);
	compose(f, 80, 24);
	assert_true(on_screen(f, "I would rather talk about it first."));
	assert_true(on_screen(f, "T try another way"));
}

static void
fill_second_cut(struct make *make)
{
	make_start_modelled(make);
	make_turn(make, 1, "program");
	make_turn_delta(make, 1, "text", "```python\nprint(1)\n```\n");
	make_turn_end(make, 1, "complete", NULL, NULL);
	make_program_text(make, 1, "print(1)\n");
	make_program_end(make, 1, "ok");
	make_answer(make, "1\n");
	make_run_end(make, "ok");
	make->run = 2;
	make_task(make, "And now the others.");
	make_turn(make, 2, "program");
	make_turn_end(make, 2, "cut", "transfer closed", NULL);
	make_asked(make, 1, "the reply ended before its end");
}

/* The task before had a program; it is none of this one's. */
static void
a_next_task_without_a_program_is_not_asked_about_the_one_before(void **state)
{
	struct fixture *f = *state;

	take(f, fill_second_cut);
	compose(f, 80, 24);
	type(f, "\r");
	assert_screen(f, 80, 24, "second");
	assert_true(on_screen(f, "there is no program: how to go on?"));
	assert_false(on_screen(f, "print(1)"));
}

/* --- between two tasks --- */

static void
fill_resting(struct make *make)
{
	uint64_t call;

	make_start_modelled(make);
	make_turn(make, 1, "program");
	make_turn_delta(make, 1, "text", "```python\nprint(list_employees())\n```\n");
	make_turn_end(make, 1, "complete", NULL, NULL);
	make_program_text(make, 1, "print(list_employees())\n");
	call = make_request(make, "payroll.list_employees", "{}", 1);
	make_ruled(make, call, "allow", NULL);
	make_decided(make, call, "approve", "rule", NULL);
	make_call_start(make, call);
	make_call_end(make, call, "ok", "[]");
	make_output(make, "stdout", "[]\n");
	make_program_end(make, 1, "ok");
	make_turn(make, 2, "answer");
	make_turn_delta(
		make, 2, "text", "There is nobody.\n\n- not in Engineering\n- nor elsewhere\n");
	make_turn_end(make, 2, "complete", NULL, NULL);
	make_answer(make, "There is nobody.\n\n- not in Engineering\n- nor elsewhere \x1b[2J\n");
	make_run_end(make, "ok");
}

static void
a_session_that_rests_offers_a_next_task(void **state)
{
	struct fixture *f = *state;

	take(f, fill_resting);
	assert_screens(f, "rests");
	compose(f, 80, 24);
	assert_true(on_screen(f, "T next task"));
	type(f, "T");
	assert_screen(f, 80, 24, "next");
}

static void
the_answer_keeps_its_lines_and_escapes_all_else(void **state)
{
	struct fixture *f = *state;

	take(f, fill_resting);
	compose(f, 80, 24);
	type(f, "a");
	assert_screens(f, "answer");
	compose(f, 80, 24);
	assert_true(on_screen(f, "- not in Engineering"));
	assert_false(on_screen(f, "<U+000A>"));
	assert_true(on_screen(f, "<U+001B>"));
	type(f, "u");
	compose(f, 80, 24);
	assert_true(on_screen(f, "<U+000A>"));
}

/* The same text twice: what the first attempt called is not the second one's. */
static void
fill_same_text(struct make *make)
{
	static const char text[] = "list_employees()\nraise ValueError\n";

	make_start_modelled(make);
	for (unsigned attempt = 1; attempt <= 2; attempt++) {
		uint64_t call;

		make->attempt = attempt;
		make_program_text(make, attempt, text);
		call = make_request(make, "payroll.list_employees", "{}", 1);
		make_ruled(make, call, "allow", NULL);
		make_decided(make, call, "approve", "rule", NULL);
		make_call_start(make, call);
		make_call_end(make, call, "ok", "[]");
		if (attempt == 1)
			make_program_end(make, attempt, "error");
	}
}

static void
fill_same_text_once(struct make *make)
{
	make_start_modelled(make);
	make_program_text(make, 1, "list_employees()\nraise ValueError\n");
	make_ruled(make, make_request(make, "payroll.list_employees", "{}", 1), "allow", NULL);
	make_call_start(make, 1);
	make_call_end(make, 1, "ok", "[]");
}

static void
calls_of_an_attempt_are_its_own_though_the_text_is_the_same(void **state)
{
	struct fixture *f = *state;

	take(f, fill_same_text_once);
	compose(f, 80, 24);
	assert_true(on_screen(f, "1 ok"));
	take(f, fill_same_text);
	compose(f, 80, 24);
	assert_true(on_screen(f, "1 ok"));
	assert_false(on_screen(f, "2 ok"));
}

#define MODEL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		MODEL_TEST(a_reply_has_its_pictures_while_it_comes),
		MODEL_TEST(reasoning_takes_the_place_of_the_reply_and_gives_it_back),
		MODEL_TEST(a_reply_can_be_cancelled_only_while_it_goes_on),
		MODEL_TEST(what_leaves_the_machine_is_said_before_anything_came),
		MODEL_TEST(a_long_message_ends_in_a_mark_and_leaves_room_for_the_key),
		MODEL_TEST(what_is_waited_for_is_told_whole_and_escaped),
		MODEL_TEST(a_reply_that_is_no_program_says_why),
		MODEL_TEST(how_to_go_on_is_asked_with_what_came),
		MODEL_TEST(a_next_task_without_a_program_is_not_asked_about_the_one_before),
		MODEL_TEST(a_session_that_rests_offers_a_next_task),
		MODEL_TEST(the_answer_keeps_its_lines_and_escapes_all_else),
		MODEL_TEST(calls_of_an_attempt_are_its_own_though_the_text_is_the_same),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
