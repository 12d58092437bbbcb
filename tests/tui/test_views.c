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

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"
#include "tests/tui/golden.h"
#include "tests/tui/sample.h"
#include "tui/arming.h"
#include "tui/canvas.h"
#include "tui/coverage.h"
#include "tui/header.h"
#include "tui/layout.h"
#include "tui/view.h"
#include "tui/view_approval.h"
#include "tui/view_calls.h"
#include "tui/view_dialog.h"
#include "tui/view_help.h"
#include "tui/view_output.h"
#include "tui/view_program.h"

#define MS NS_PER_MS
#define NOW (1000 * NS_PER_S)

struct fixture {
	struct session session;
	struct keymap *keymap;
	struct canvas *canvas;
	struct arming *arming;
	struct view_scene scene;
};

static int
setup(void **state)
{
	struct fixture *f = mem_zero(1, sizeof(*f));

	make_sample_session(&f->session, SAMPLE_HELD);
	f->keymap = keymap_new();
	f->canvas = canvas_new(80, 24);
	f->arming = arming_new(0, 0);
	f->scene = (struct view_scene){ &f->session, f->keymap, f->session.mono + NS_PER_S, NOW,
		true };
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	session_release(&f->session);
	keymap_free(f->keymap);
	canvas_free(f->canvas);
	arming_free(f->arming);
	free(f);
	return 0;
}

/* Paint the view alone on a canvas of this size and compare. */
static void
assert_view(struct fixture *f, struct view *view, int cols, int rows, const char *name)
{
	canvas_resize(f->canvas, cols, rows);
	canvas_clear(f->canvas);
	view->ops->paint(view, f->canvas, canvas_all(f->canvas), &f->scene);
	assert_picture(f->canvas, name);
}

static enum view_reply
run(struct view *view, enum command command, struct intent *intent)
{
	*intent = (struct intent){ .kind = INTENT_NONE };
	return view->ops->run(view, command, intent);
}

/* --- program, calls, output --- */

static void
the_program_shows_its_live_line_its_gates_and_its_calls(void **state)
{
	struct fixture *f = *state;
	struct view *view = view_program_new(NULL);

	assert_view(f, view, 70, 14, "program-70x14");
	assert_view(f, view, 40, 8, "program-40x8");
	view_free(view);
}

static void
the_program_is_left_alone_by_somebody_who_scrolls(void **state)
{
	struct fixture *f = *state;
	struct view *view = view_program_new(NULL);
	struct intent intent;

	f->session.live_line = 12;
	assert_view(f, view, 40, 4, "program-follows-40x4");
	assert_int_equal(run(view, COMMAND_TOP, &intent), VIEW_DIRTY);
	assert_view(f, view, 40, 4, "program-top-40x4");
	view_free(view);
}

static void
the_calls_say_how_each_was_decided(void **state)
{
	struct fixture *f = *state;
	struct view *view = view_calls_new();

	assert_view(f, view, 78, 8, "calls-78x8");
	assert_view(f, view, 58, 8, "calls-58x8");
	assert_view(f, view, 38, 8, "calls-38x8");
	view_free(view);
}

static void
enter_opens_a_waiting_call_and_tells_of_a_past_one(void **state)
{
	struct fixture *f = *state;
	struct view *view = view_calls_new();
	struct intent intent;

	view->ops->paint(view, f->canvas, canvas_all(f->canvas), &f->scene);
	view_calls_select(view, 4);
	run(view, COMMAND_OPEN, &intent);
	assert_int_equal(intent.kind, INTENT_OPEN);
	assert_int_equal(intent.call, 4);
	view_calls_select(view, 3);
	run(view, COMMAND_OPEN, &intent);
	assert_int_equal(intent.kind, INTENT_DETAIL);
	assert_int_equal(intent.call, 3);
	view_free(view);
}

static void
a_search_finds_a_call_by_its_arguments(void **state)
{
	struct fixture *f = *state;
	struct view *view = view_calls_new();
	struct intent intent;

	view->ops->paint(view, f->canvas, canvas_all(f->canvas), &f->scene);
	assert_true(view->ops->search(view, &(struct find){ .needle = "Bob", .len = 3 }));
	run(view, COMMAND_OPEN, &intent);
	assert_int_equal(intent.call, 3);
	assert_false(view->ops->search(view, &(struct find){ .needle = "nobody", .len = 6 }));
	view_free(view);
}

static void
fill_output(struct make *make)
{
	make_start(make, "payroll-1");
	make_output(make, "stdout", "one\ntwo \x1b[31m\xe2\x80\xae\n");
	make_output(make, "stderr", "Traceback\n");
	make_output(make, "stdout", "three\tfour\n");
}

static void
output_is_escaped_and_errors_differ(void **state)
{
	struct fixture *f = *state;
	struct view *view = view_output_new();

	session_release(&f->session);
	sample_session(&f->session, fill_output);
	assert_view(f, view, 40, 6, "output-40x6");
	view_free(view);
}

/* A film that went far ahead has other chunks at the same places. */
static void
output_begins_anew_when_a_film_holds_later_pieces(void **state)
{
	struct fixture *f = *state;
	struct view *view = view_output_new();

	session_release(&f->session);
	sample_session(&f->session, fill_output);
	assert_view(f, view, 40, 6, "output-40x6");
	f->session.outputs_before = 1200;
	assert_view(f, view, 60, 6, "output-later-60x6");
	view_free(view);
}

static void
fill_repaired(struct make *make)
{
	make_start(make, "payroll-1");
	make_output(make, "stdout", "first\n");
	event_begin(&make->event, EVENT_PROGRAM);
	event_int(&make->event, "run", 1);
	event_int(&make->event, "attempt", 2);
	make_text(make, "text", "print(2)\n");
	event_int(&make->event, "lines", 1);
	event_str(&make->event, "by", "model");
	make_append(make);
	event_begin(&make->event, EVENT_OUTPUT);
	event_int(&make->event, "attempt", 2);
	event_str(&make->event, "stream", "stdout");
	make_text(make, "text", "second\n");
	make_append(make);
	event_begin(&make->event, EVENT_ANSWER);
	event_int(&make->event, "run", 1);
	make_text(make, "text", "It is two.");
	make_append(make);
}

static void
each_attempts_output_has_a_tab_and_the_answer_too(void **state)
{
	struct fixture *f = *state;
	struct view *view = view_output_new();
	struct intent intent;

	session_release(&f->session);
	sample_session(&f->session, fill_repaired);
	assert_view(f, view, 50, 3, "output-second-50x3");
	assert_int_equal(run(view, COMMAND_LEFT, &intent), VIEW_DIRTY);
	assert_view(f, view, 50, 3, "output-first-50x3");
	assert_false(view->ops->offers(view, COMMAND_LEFT));
	run(view, COMMAND_RIGHT, &intent);
	run(view, COMMAND_RIGHT, &intent);
	assert_view(f, view, 50, 3, "output-answer-50x3");
	assert_false(view->ops->offers(view, COMMAND_RIGHT));
	run(view, COMMAND_FOLLOW, &intent);
	assert_view(f, view, 50, 3, "output-second-50x3");
	view_free(view);
}

/* --- header, dialog, help --- */

static void
the_header_drops_what_does_not_fit(void **state)
{
	static const int widths[] = { 120, 80, 40 };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		AUTO_FREE char *name = mem_printf("header-%d", widths[i]);

		canvas_resize(f->canvas, widths[i], 2);
		canvas_clear(f->canvas);
		header_draw(f->canvas, rect_make(0, 0, widths[i], 1), &f->scene, false);
		header_tabs(f->canvas, rect_make(0, 1, widths[i], 1), &f->scene, LAYOUT_CALLS);
		assert_picture(f->canvas, name);
	}
}

static void
the_end_is_told_in_one_row(void **state)
{
	struct fixture *f = *state;

	session_release(&f->session);
	make_sample_session(&f->session, SAMPLE_ENDED);
	canvas_resize(f->canvas, 60, 1);
	canvas_clear(f->canvas);
	header_outcome(f->canvas, canvas_all(f->canvas), &f->scene);
	assert_picture(f->canvas, "outcome-60");
}

static void
leaving_offers_to_detach_to_stop_and_to_stay(void **state)
{
	struct fixture *f = *state;
	struct view *view = view_dialog_leave();
	struct intent intent;

	assert_view(f, view, 60, 3, "leave-60x3");
	assert_int_equal(run(view, COMMAND_LEAVE_DETACH, &intent), VIEW_CLOSE);
	assert_int_equal(intent.kind, INTENT_DETACH);
	assert_int_equal(run(view, COMMAND_LEAVE_STOP, &intent), VIEW_CLOSE);
	assert_int_equal(intent.kind, INTENT_STOP_LEAVE);
	assert_int_equal(run(view, COMMAND_BACK, &intent), VIEW_CLOSE);
	assert_int_equal(intent.kind, INTENT_NONE);
	view_free(view);
}

static void
help_lists_the_keys_that_work_now(void **state)
{
	struct fixture *f = *state;
	struct view *calls = view_calls_new();
	bool works[COMMAND_COUNT] = {
		[COMMAND_HELP] = true, [COMMAND_REDRAW] = true, [COMMAND_LEAVE] = true
	};
	struct view *help;

	calls->ops->paint(calls, f->canvas, canvas_all(f->canvas), &f->scene);
	for (int command = 1; command < COMMAND_COUNT; command++)
		works[command] |= calls->ops->offers(calls, (enum command)command);
	help = view_help_new(MAP_CALLS, MAP_COUNT, works);
	assert_view(f, help, 78, 20, "help-calls-78x20");
	view_free(help);
	view_free(calls);
}

/* --- the approval pane --- */

static struct view *
open_pane(struct fixture *f, int cols, int rows)
{
	const struct session_call *call = session_first_held(&f->session);
	struct view *view = view_approval_new(&f->session, &call->number, 1, f->arming);

	canvas_resize(f->canvas, cols, rows);
	arming_open(f->arming, call->args.len);
	(void)view_approval_present(view, &f->scene, canvas_all(f->canvas), rows);
	return view;
}

/* A frame of the pane is painted and leaves. */
static void
show_pane(struct fixture *f, struct view *view)
{
	static uint64_t frame;
	struct coverage seen;

	canvas_clear(f->canvas);
	view->ops->paint(view, f->canvas, canvas_all(f->canvas), &f->scene);
	coverage_init(&seen);
	view_approval_seen(view, &seen);
	arming_paint(f->arming, ++frame);
	for (size_t i = 0; i < seen.count; i++)
		arming_painted(
			f->arming, seen.ranges[i].from, seen.ranges[i].to - seen.ranges[i].from);
	arming_frame_left(f->arming, frame, f->scene.now);
	coverage_release(&seen);
}

static void
the_pane_says_that_the_keyboard_must_rest(void **state)
{
	struct fixture *f = *state;
	struct view *view = open_pane(f, 80, 22);

	show_pane(f, view);
	f->scene.now += 250 * MS;
	assert_view(f, view, 80, 22, "approval-quiet-80x22");
	view_free(view);
}

static void
an_armed_pane_offers_to_approve(void **state)
{
	struct fixture *f = *state;
	struct view *view = open_pane(f, 80, 22);

	show_pane(f, view);
	f->scene.now += NS_PER_S;
	assert_view(f, view, 80, 22, "approval-armed-80x22");
	assert_view(f, view, 120, 24, "approval-cut-120x24");
	view_free(view);
}

static void
a_pane_that_cannot_show_all_is_not_armed_before_all_was_scrolled(void **state)
{
	struct fixture *f = *state;
	struct view *view = open_pane(f, 80, 8);
	struct intent intent;

	for (int i = 0; i < 100 && arming_covered(f->arming) < arming_total(f->arming); i++) {
		show_pane(f, view);
		f->scene.now += NS_PER_S;
		assert_true(arming_covered(f->arming) == arming_total(f->arming) ||
			    arming_state(f->arming, f->scene.now) != ARMING_ARMED);
		run(view, COMMAND_DOWN, &intent);
	}
	assert_int_equal(arming_state(f->arming, f->scene.now), ARMING_ARMED);
	view_free(view);
}

static void
a_pane_too_narrow_for_its_document_shows_no_bytes(void **state)
{
	struct fixture *f = *state;
	struct view *view = open_pane(f, 80, 22);
	struct coverage seen;

	canvas_resize(f->canvas, 60, 22);
	view->ops->paint(view, f->canvas, canvas_all(f->canvas), &f->scene);
	coverage_init(&seen);
	view_approval_seen(view, &seen);
	assert_int_equal(coverage_seen(&seen), 0);
	assert_false(view_approval_fits(view, &f->scene, canvas_all(f->canvas)));
	coverage_release(&seen);
	view_free(view);
}

static void
type(struct view *view, const char *text)
{
	for (; *text; text++)
		assert_true(view->ops->key(view, (struct key){ KEY_CHAR, (uint32_t)*text, 0 }));
}

static void
a_reason_goes_with_the_denial(void **state)
{
	struct fixture *f = *state;
	struct view *view = open_pane(f, 80, 22);
	struct intent intent;

	show_pane(f, view);
	assert_int_equal(run(view, COMMAND_DENY_REASON, &intent), VIEW_DIRTY);
	assert_true(view_typing(view));
	type(view, "too much");
	assert_view(f, view, 80, 22, "approval-reason-80x22");
	run(view, COMMAND_ACCEPT, &intent);
	assert_int_equal(intent.kind, INTENT_DENY);
	assert_string_equal(intent.text, "too much");
	view_free(view);
}

static void
a_reason_outlives_a_new_presentation(void **state)
{
	struct fixture *f = *state;
	struct view *view = open_pane(f, 80, 22);
	struct intent intent;

	run(view, COMMAND_DENY_REASON, &intent);
	type(view, "half");
	(void)view_approval_present(view, &f->scene, rect_make(0, 0, 100, 22), 30);
	assert_true(view_typing(view));
	view_free(view);
}

static void
stopping_the_run_is_confirmed_with_another_key(void **state)
{
	struct fixture *f = *state;
	struct view *view = open_pane(f, 80, 22);
	struct intent intent;

	run(view, COMMAND_STOP, &intent);
	assert_int_equal(intent.kind, INTENT_NONE);
	assert_int_equal(view->ops->map(view), MAP_STOP);
	run(view, COMMAND_STOP_CONFIRM, &intent);
	assert_int_equal(intent.kind, INTENT_DENY);
	assert_true(intent.stop);
	view_free(view);
}

static void
only_the_right_code_approves(void **state)
{
	struct fixture *f = *state;
	struct view *view = open_pane(f, 80, 22);
	struct intent intent;
	char code[EVENT_CODE_SIZE];

	event_code(&session_first_held(&f->session)->bind, code);
	view_approval_ask_code(view);
	type(view, strcmp(code, "0000") == 0 ? "1111" : "0000");
	run(view, COMMAND_ACCEPT, &intent);
	assert_int_equal(intent.kind, INTENT_NONE);
	type(view, code);
	run(view, COMMAND_ACCEPT, &intent);
	assert_int_equal(intent.kind, INTENT_APPROVE);
	assert_string_equal(intent.text, code);
	view_free(view);
}

static void
a_new_presentation_leaves_the_field_for_the_code(void **state)
{
	struct fixture *f = *state;
	struct view *view = open_pane(f, 80, 22);

	view_approval_ask_code(view);
	(void)view_approval_present(view, &f->scene, canvas_all(f->canvas), 22);
	assert_false(view_typing(view));
	view_free(view);
}

static void
switching_the_mode_arms_anew(void **state)
{
	struct fixture *f = *state;
	struct view *view = open_pane(f, 80, 22);
	struct intent intent;

	assert_true(view_approval_shown(view, 0).strict);
	run(view, COMMAND_STRICT, &intent);
	assert_int_equal(intent.kind, INTENT_AGAIN);
	assert_false(view_approval_shown(view, 0).strict);
	view_free(view);
}

static void
a_pane_that_is_read_only_says_so_and_offers_no_decision(void **state)
{
	struct fixture *f = *state;
	struct view *view = open_pane(f, 80, 22);

	view_approval_block(view, "read only below 60x15", true);
	show_pane(f, view);
	f->scene.now += NS_PER_S;
	assert_false(view->ops->offers(view, COMMAND_APPROVE));
	assert_false(view->ops->offers(view, COMMAND_DENY));
	assert_view(f, view, 80, 22, "approval-blocked-80x22");
	view_free(view);
}

#define VIEW_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		VIEW_TEST(the_program_shows_its_live_line_its_gates_and_its_calls),
		VIEW_TEST(the_program_is_left_alone_by_somebody_who_scrolls),
		VIEW_TEST(the_calls_say_how_each_was_decided),
		VIEW_TEST(enter_opens_a_waiting_call_and_tells_of_a_past_one),
		VIEW_TEST(a_search_finds_a_call_by_its_arguments),
		VIEW_TEST(output_is_escaped_and_errors_differ),
		VIEW_TEST(output_begins_anew_when_a_film_holds_later_pieces),
		VIEW_TEST(each_attempts_output_has_a_tab_and_the_answer_too),
		VIEW_TEST(the_header_drops_what_does_not_fit),
		VIEW_TEST(the_end_is_told_in_one_row),
		VIEW_TEST(leaving_offers_to_detach_to_stop_and_to_stay),
		VIEW_TEST(help_lists_the_keys_that_work_now),
		VIEW_TEST(the_pane_says_that_the_keyboard_must_rest),
		VIEW_TEST(an_armed_pane_offers_to_approve),
		VIEW_TEST(a_pane_that_cannot_show_all_is_not_armed_before_all_was_scrolled),
		VIEW_TEST(a_pane_too_narrow_for_its_document_shows_no_bytes),
		VIEW_TEST(a_reason_goes_with_the_denial),
		VIEW_TEST(a_reason_outlives_a_new_presentation),
		VIEW_TEST(stopping_the_run_is_confirmed_with_another_key),
		VIEW_TEST(only_the_right_code_approves),
		VIEW_TEST(a_new_presentation_leaves_the_field_for_the_code),
		VIEW_TEST(switching_the_mode_arms_anew),
		VIEW_TEST(a_pane_that_is_read_only_says_so_and_offers_no_decision),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
