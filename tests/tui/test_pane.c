/* The approval pane on the whole screen: pictures, and what it offers where. */
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
#include "tui/document.h"
#include "tui/rows.h"
#include "tui/theme.h"
#include "tui/view_approval.h"
#include "tui/view_edit.h"

#define RAISE "payroll.apply_raise"

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
	session_release(&app->session);
	make_sample_session(&app->session, SAMPLE_HELD);
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
take(struct fixture *f, void (*fill)(struct make *make))
{
	session_release(&f->app.session);
	sample_session(&f->app.session, fill);
}

static void
compose(struct fixture *f, int cols, int rows)
{
	canvas_resize(f->app.canvas, cols, rows);
	app_compose(&f->app);
}

static void
assert_pane(struct fixture *f, int cols, int rows, const char *what)
{
	AUTO_FREE char *name = mem_printf("pane-%s-%dx%d", what, cols, rows);

	compose(f, cols, rows);
	assert_picture(f->app.canvas, name);
}

static void
assert_shows(struct fixture *f, const char *words)
{
	AUTO_BUF struct buf now;

	buf_init(&now, BUF_UNBOUNDED);
	canvas_dump(f->app.canvas, &now, false);
	if (!strstr(now.data, words))
		fail_msg("\"%s\" is not in:\n%s", words, now.data);
}

static bool
offers(struct fixture *f, enum command command)
{
	return f->app.approval->ops->offers(f->app.approval, command);
}

/* --- sizes --- */

static void
the_pane_has_its_pictures(void **state)
{
	struct fixture *f = *state;

	app_open(&f->app, 0);
	assert_pane(f, 80, 24, "waits");
	assert_pane(f, 120, 40, "waits");
	assert_pane(f, 200, 60, "waits");
	assert_pane(f, 40, 12, "waits");
}

static void
below_the_least_size_no_key_that_decides_is_offered(void **state)
{
	struct fixture *f = *state;

	app_open(&f->app, 0);
	compose(f, 59, 24);
	assert_shows(f, "read only below 60x15");
	for (int i = COMMAND_NONE + 1; i < COMMAND_COUNT; i++)
		if (command_flags((enum command)i) &
			(COMMAND_DECIDES | COMMAND_APPROVES | COMMAND_NEEDS_REST))
			assert_false(offers(f, (enum command)i));
	assert_false(offers(f, COMMAND_EDIT) || offers(f, COMMAND_EDIT_HERE));
	assert_false(offers(f, COMMAND_EXTEND) || offers(f, COMMAND_COMMENT));
	compose(f, 60, 15);
	assert_true(offers(f, COMMAND_APPROVE) && offers(f, COMMAND_DENY));
}

static void
keys_that_come_before_the_first_picture_do_nothing(void **state)
{
	struct fixture *f = *state;

	app_open(&f->app, 0);
	for (int i = COMMAND_NONE + 1; i < COMMAND_COUNT; i++)
		if (!(command_flags((enum command)i) & COMMAND_CLOSES) && f->app.approval) {
			f->app.needle = mem_str("name");
			app_run_command(&f->app, (enum command)i);
			while (f->app.overlays > 0)
				app_pop(&f->app);
			app_prompt_release(&f->app);
		}
	assert_int_equal(f->app.deciding, 0);
}

/* --- why it is held --- */

static void
fill_repeat(struct make *make)
{
	uint64_t call;

	make_start(make, "payroll-1");
	call = make_request(make, RAISE, "{\"name\":\"Ada\",\"amount\":9000}", 8);
	make_ruled(make, call, "ask", NULL);
	make_held(make, call, 300);
	make_presented(make, call);
	make_decided(make, call, "approve", "person", NULL);
	make_call_start(make, call);
	make_call_end(make, call, "ok", "{\"salary\":71000}");
	make->attempt = 2;
	call = make_request(make, RAISE, "{\"name\":\"Ada\",\"amount\":9000}", 8);
	make_ruled(make, call, "allow", "small raises");
	make_held_why(make, call, "repeat", 300);
}

static void
a_repeat_says_so_first_and_offers_the_earlier_result(void **state)
{
	struct fixture *f = *state;

	take(f, fill_repeat);
	f->app.session.calls[1].repeat_of = 1;
	app_open(&f->app, 0);
	assert_pane(f, 80, 24, "repeat");
	assert_true(offers(f, COMMAND_REUSE) && offers(f, COMMAND_APPROVE));
}

static void
what_is_no_repeat_offers_no_earlier_result(void **state)
{
	struct fixture *f = *state;

	app_open(&f->app, 0);
	compose(f, 80, 24);
	assert_false(offers(f, COMMAND_REUSE));
}

static void
fill_budget(struct make *make)
{
	uint64_t call;

	make_start(make, "payroll-1");
	call = make_request(make, RAISE, "{\"name\":\"Ada\",\"amount\":9000}", 8);
	make_ruled(make, call, "allow", "small raises");
	make_held_why(make, call, "budget", 300);
}

static void
over_a_limit_no_yes_is_offered_before_it_was_raised(void **state)
{
	struct fixture *f = *state;
	struct session_counter *calls;

	take(f, fill_budget);
	calls = &f->app.session.counters[0];
	calls->used = calls->limit;
	app_open(&f->app, 0);
	assert_pane(f, 80, 24, "budget");
	assert_false(offers(f, COMMAND_APPROVE));
	assert_true(offers(f, COMMAND_DENY));
	calls->limit++;
	app_present_again(&f->app);
	compose(f, 80, 24);
	assert_true(offers(f, COMMAND_APPROVE));
}

static void
being_away_is_said_in_the_title_and_in_the_last_row(void **state)
{
	struct fixture *f = *state;

	f->app.session.away = true;
	app_open(&f->app, 0);
	compose(f, 80, 24);
	assert_shows(f, "AWAY, the clock stands");
	assert_shows(f, "│ away  ");
}

/* --- edits and differences --- */

static void
fill_edited(struct make *make)
{
	uint64_t call;

	make_start(make, "payroll-1");
	call = make_request(make, RAISE, "{\"name\":\"Ada\",\"amount\":9000,\"why\":\"a\"}", 8);
	make_ruled(make, call, "ask", NULL);
	make_held(make, call, 300);
	make_edited(make, call, RAISE, "{\"name\":\"Ada\",\"amount\":4000,\"note\":[1,2]}");
}

static void
an_edit_is_shown_as_a_difference(void **state)
{
	struct fixture *f = *state;

	take(f, fill_edited);
	app_open(&f->app, 0);
	assert_pane(f, 80, 24, "edited");
	assert_true(offers(f, COMMAND_UNEDIT));
}

static void
fill_difference(struct make *make)
{
	uint64_t call;

	make_start(make, "payroll-1");
	call = make_request(make, RAISE,
		"{\"name\":\"Ada\",\"amount\":1,\"text\":\"a\\nb\\nc\\nd\\ne\\nf\\ng\\nh\",\"in\":{"
		"\"x\":1}}",
		8);
	make_ruled(make, call, "ask", NULL);
	make_held(make, call, 300);
	make_presented(make, call);
	make_decided(make, call, "approve", "person", NULL);
	make_call_start(make, call);
	make_call_end(make, call, "ok", "1");
	call = make_request(make, RAISE,
		"{\"name\":\"Ada\",\"amount\":2,\"text\":\"a\\nb\\nc\\nd\\nE\\nf\\ng\\nh\",\"in\":{"
		"\"y\":1}}",
		8);
	make_ruled(make, call, "ask", NULL);
	make_held(make, call, 300);
}

static void
a_difference_goes_by_argument_and_by_line(void **state)
{
	struct fixture *f = *state;
	struct rows *rows;
	AUTO_BUF struct buf text;

	take(f, fill_difference);
	rows = document_difference(
		&f->app.session, session_call(&f->app.session, 2), 76, TEXT_STRICT);
	buf_init(&text, BUF_UNBOUNDED);
	rows_text(rows, &text);
	rows_free(rows);
	assert_golden(text.data, "difference-76");
}

/* Bytes as the terminal sends them, a read each. */
static void
type(struct fixture *f, const char *bytes)
{
	for (; *bytes; bytes++)
		app_input(&f->app, bytes, 1);
}

static void
fields_are_edited_in_place_as_json(void **state)
{
	struct fixture *f = *state;
	AUTO_FREE char *text = NULL;

	app_open(&f->app, 0);
	app_edit_here(&f->app, 4);
	assert_null(view_edit_text(f->app.edit_here));
	type(f, "j\r\x7f\x7f\x7f\x7f"
		"12");
	compose(f, 80, 24);
	assert_shows(f, "as JSON, empty: not given: 12");
	type(f, "x\r");
	compose(f, 80, 24);
	assert_shows(f, "no JSON, 1:3");
	type(f, "\x7f\r");
	assert_pane(f, 80, 24, "fields");
	text = view_edit_text(f->app.edit_here);
	assert_string_equal(text, "{\n  \"name\": \"Cleo\",\n  \"amount\": 12\n}\n");
}

static void
an_argument_is_taken_out_with_an_empty_line(void **state)
{
	struct fixture *f = *state;
	AUTO_FREE char *text = NULL;

	app_open(&f->app, 0);
	app_edit_here(&f->app, 4);
	type(f, "\r\x7f\x7f\x7f\x7f\x7f\x7f\r");
	text = view_edit_text(f->app.edit_here);
	assert_string_equal(text, "{\n  \"amount\": 9000\n}\n");
}

static void
what_is_edited_in_place_is_kept_when_the_call_is_decided(void **state)
{
	struct fixture *f = *state;

	app_open(&f->app, 0);
	app_edit_here(&f->app, 4);
	type(f, "j\r0\r");
	f->app.session.calls[3].state = CALL_DECIDED;
	f->app.session.waiting = 0;
	app_look_for_waiting(&f->app);
	assert_null(f->app.approval);
	assert_null(f->app.edit_here);
	assert_non_null(strstr(f->app.kept.text, "90000"));
	assert_non_null(strstr(f->app.message, "your text is kept"));
}

/* --- several --- */

static void
fill_three(struct make *make)
{
	static const char *const args[] = { "{\"name\":\"Ada\",\"amount\":9000}",
		"{\"name\":\"Bob\",\"amount\":9000}", "{\"name\":\"Cleo\",\"amount\":9000}" };

	make_start(make, "payroll-1");
	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		uint64_t call = make_request(make, RAISE, args[i], 8);

		make_ruled(make, call, "ask", NULL);
		make_held(make, call, 300);
	}
}

static void
several_calls_stand_one_below_the_other_with_their_bytes(void **state)
{
	static const uint64_t calls[] = { 1, 2, 3 };
	struct fixture *f = *state;
	struct approval_shown first, second;

	take(f, fill_three);
	app_open_many(&f->app, calls, ARRAY_SIZE(calls));
	assert_pane(f, 120, 60, "several");
	assert_int_equal(view_approval_count(f->app.approval), 3);
	first = view_approval_shown(f->app.approval, 0);
	second = view_approval_shown(f->app.approval, 1);
	assert_false(digest_equal(&first.frame, &second.frame));
	assert_false(digest_equal(&first.bind, &second.bind));
	assert_int_equal(second.bytes_at, first.total);
	assert_false(offers(f, COMMAND_EDIT) || offers(f, COMMAND_GRANT));
	assert_true(offers(f, COMMAND_APPROVE) && offers(f, COMMAND_DENY));
}

static void
a_call_for_a_code_or_a_person_is_never_one_of_several(void **state)
{
	static const uint64_t calls[] = { 1, 2 };
	struct fixture *f = *state;

	take(f, fill_three);
	f->app.session.calls[1].confirm_code = true;
	app_open_many(&f->app, calls, ARRAY_SIZE(calls));
	assert_null(f->app.approval);
	assert_non_null(strstr(f->app.message, "call 2 wants its code"));
	f->app.session.calls[1].confirm_code = false;
	f->app.session.calls[1].person_only = true;
	app_open_many(&f->app, calls, ARRAY_SIZE(calls));
	assert_null(f->app.approval);
	f->app.session.calls[1].person_only = false;
	app_open_many(&f->app, calls, ARRAY_SIZE(calls));
	assert_non_null(f->app.approval);
}

#define PANE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		PANE_TEST(the_pane_has_its_pictures),
		PANE_TEST(below_the_least_size_no_key_that_decides_is_offered),
		PANE_TEST(keys_that_come_before_the_first_picture_do_nothing),
		PANE_TEST(a_repeat_says_so_first_and_offers_the_earlier_result),
		PANE_TEST(what_is_no_repeat_offers_no_earlier_result),
		PANE_TEST(over_a_limit_no_yes_is_offered_before_it_was_raised),
		PANE_TEST(being_away_is_said_in_the_title_and_in_the_last_row),
		PANE_TEST(an_edit_is_shown_as_a_difference),
		PANE_TEST(a_difference_goes_by_argument_and_by_line),
		PANE_TEST(fields_are_edited_in_place_as_json),
		PANE_TEST(an_argument_is_taken_out_with_an_empty_line),
		PANE_TEST(what_is_edited_in_place_is_kept_when_the_call_is_decided),
		PANE_TEST(several_calls_stand_one_below_the_other_with_their_bytes),
		PANE_TEST(a_call_for_a_code_or_a_person_is_never_one_of_several),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
