/* What a yes is asked on besides a call: a grant, a rule, the program; pictures, and what is sent.
 */
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

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/bounds.h"
#include "core/gate/policy.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"
#include "tests/tui/fake_supervisor.h"
#include "tests/tui/golden.h"
#include "tests/tui/sample.h"
#include "tui/app_inside.h"
#include "tui/bound_list.h"
#include "tui/canvas.h"
#include "tui/client.h"
#include "tui/guard.h"
#include "tui/view_approval.h"
#include "tui/view_bounds.h"

struct fixture {
	struct app_request request;
	struct app_result result;
	struct app app;
	struct fake_supervisor fake; /* fd -1: none */
};

static int
setup(void **state)
{
	struct fixture *f = mem_zero(1, sizeof(*f));
	struct app *app = &f->app;

	f->request.socket = f->fake.fd = -1;
	app->request = &f->request;
	app->result = &f->result;
	app->loop = loop_new();
	assert_int_equal(app_theme_named(&app->theme, "default", NULL), 0);
	app_make(app);
	app_make_panes(app);
	session_release(&app->session);
	make_sample_session(&app->session, SAMPLE_HELD);
	app->clock_ahead = -loop_now(app->loop) - INT64_C(1000000000000);
	app->live = true;
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	if (f->app.client) {
		client_free(f->app.client);
		f->app.client = NULL;
		fake_end(&f->fake);
	}
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
assert_sizes(struct fixture *f, const char *what)
{
	static const int sizes[][2] = { { 80, 24 }, { 120, 40 }, { 200, 60 }, { 40, 12 } };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		AUTO_FREE char *name = mem_printf("sheet-%s-%dx%d", what, sizes[i][0], sizes[i][1]);

		compose(f, sizes[i][0], sizes[i][1]);
		assert_picture(f->app.canvas, name);
	}
}

static struct view *
top(struct fixture *f)
{
	return app_top(&f->app);
}

static enum view_reply
run(struct fixture *f, enum command command, struct intent *out)
{
	*out = (struct intent){ .kind = INTENT_NONE };
	return top(f)->ops->run(top(f), command, out);
}

static const struct session_call *
held(struct fixture *f)
{
	return session_first_held(&f->app.session);
}

/* --- pictures --- */

static void
the_grant_has_its_pictures(void **state)
{
	struct fixture *f = *state;

	app_open(&f->app, 0);
	app_ask_grant(&f->app, held(f)->number);
	assert_sizes(f, "grant");
}

static void
the_rule_has_its_pictures(void **state)
{
	struct fixture *f = *state;

	app_open(&f->app, 0);
	app_ask_rule(&f->app, held(f)->number);
	assert_sizes(f, "rule");
}

static void
the_list_of_grants_says_how_they_are_made(void **state)
{
	struct fixture *f = *state;

	app_show_grants(&f->app);
	assert_sizes(f, "no-grants");
}

static void
the_question_about_the_program_has_its_pictures(void **state)
{
	struct fixture *f = *state;

	f->app.session.state = RUN_ASKING;
	app_open_program(&f->app);
	assert_sizes(f, "program");
}

/* --- what is asked --- */

static void
below_the_least_size_no_sheet_takes_a_yes(void **state)
{
	struct fixture *f = *state;

	app_open(&f->app, 0);
	app_ask_grant(&f->app, held(f)->number);
	compose(f, 59, 24);
	for (int i = COMMAND_NONE + 1; i < COMMAND_COUNT; i++)
		if (command_flags((enum command)i) & (COMMAND_APPROVES | COMMAND_NEEDS_ARMED))
			assert_false(top(f)->ops->offers(top(f), (enum command)i));
	assert_non_null(top(f)->ops->guard->blocked(top(f)));
	compose(f, 60, 15);
	assert_null(top(f)->ops->guard->blocked(top(f)));
}

static void
each_change_of_a_bound_asks_anew(void **state)
{
	static const enum command changes[] = { COMMAND_RIGHT, COMMAND_LEFT, COMMAND_DOWN,
		COMMAND_UP };
	struct fixture *f = *state;
	struct intent intent;

	app_open(&f->app, 0);
	app_ask_grant(&f->app, held(f)->number);
	compose(f, 80, 24);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		assert_int_equal(run(f, changes[i], &intent), VIEW_DIRTY);
		assert_int_equal(intent.kind, INTENT_AGAIN);
	}
}

static void
a_yes_sends_what_was_laid_out(void **state)
{
	struct fixture *f = *state;
	struct intent intent = { .kind = INTENT_NONE };
	AUTO_BOUNDS struct bounds *bounds = NULL;
	AUTO_JSON struct json *args = json_read(held(f)->args.bytes, held(f)->args.len, NULL);

	app_open(&f->app, 0);
	app_ask_grant(&f->app, held(f)->number);
	compose(f, 80, 24);
	top(f)->ops->guard->yes(top(f), COMMAND_APPROVE, &intent);
	assert_int_equal(intent.kind, INTENT_GRANT);
	assert_int_equal(intent.call, held(f)->number);
	assert_int_equal(intent.number, 5);
	bounds = bounds_read(intent.text, strlen(intent.text), NULL);
	assert_true(bounds && bounds_fit(bounds, json_root(args), NULL, 0));
}

static void
no_grant_is_offered_where_each_call_wants_a_person(void **state)
{
	struct fixture *f = *state;
	struct session_call *call = (struct session_call *)held(f);

	assert_null(bound_refused(&f->app.session, call));
	call->confirm_code = true;
	assert_non_null(bound_refused(&f->app.session, call));
	call->confirm_code = false;
	call->person_only = true;
	assert_non_null(bound_refused(&f->app.session, call));
	call->person_only = false;
	call->line = 1;
	assert_non_null(bound_refused(&f->app.session, call));
}

/* --- bounds --- */

static const char *const arguments[] = {
	"{}",
	"{\"name\":\"Ada\",\"amount\":9000}",
	"{\"a\":-5,\"b\":1.50,\"c\":1e3,\"d\":-0.0}",
	"{\"a\":true,\"b\":null,\"c\":[1,{\"x\":2}],\"d\":{\"y\":[]}}",
	"{\"\\u0000odd\":1}",
	"{\"\\u202e\":\"\\ud83d\\ude00\",\"quote\\\"d\":\"back\\\\slash\"}",
	"{\"big\":123456789012345678901234567890}",
	"[1,2]",
	"7",
};

/* Whatever is switched, what is written is closed and the call itself is within. */
static void
bounds_are_always_closed_and_hold_the_call(void **state)
{
	unsigned chance = 7;

	for (size_t i = 0; i < ARRAY_SIZE(arguments); i++) {
		struct session session;
		struct bound_list list;
		AUTO_JSON struct json *args = json_read(arguments[i], strlen(arguments[i]), NULL);

		sample_waiting(&session, arguments[i]);
		if (!bound_list_make(&list, &session, session_first_held(&session), false)) {
			assert_true(i == 4 || i >= 7);
			session_release(&session);
			continue;
		}
		for (int turn = 0; turn < 60; turn++) {
			AUTO_BUF struct buf text;
			AUTO_BOUNDS struct bounds *bounds = NULL;
			struct err err = { 0 };

			buf_init(&text, BUF_UNBOUNDED);
			assert_true(bound_list_write(&list, &text));
			bounds = bounds_read(text.data, text.len, &err);
			if (!bounds || !bounds_fit(bounds, json_root(args), NULL, 0))
				fail_msg("%s: %s", text.data, err.text);
			chance = chance * 1103515245 + 12345;
			if (list.count > 0)
				bound_switch(&list, (chance >> 16) % list.count, chance & 0x8000);
		}
		bound_list_release(&list);
		session_release(&session);
	}
}

static void
a_bound_that_is_wrong_changes_nothing(void **state)
{
	static const struct {
		enum bound_kind kind;
		const char *text;
		bool good;
	} texts[] = {
		{ BOUND_CONST, "9000", true },
		{ BOUND_CONST, "9000 1", false },
		{ BOUND_CONST, "", false },
		{ BOUND_CONST, "Ada", false },
		{ BOUND_ENUM, "[1,2]", true },
		{ BOUND_ENUM, "[]", false },
		{ BOUND_ENUM, "[[1]]", false },
		{ BOUND_ENUM, "9000", false },
		{ BOUND_RANGE, "1..2", true },
		{ BOUND_RANGE, "-1.5..1e2", true },
		{ BOUND_RANGE, "2..1", false },
		{ BOUND_RANGE, "1..", false },
		{ BOUND_RANGE, "..", false },
		{ BOUND_RANGE, "1-2", false },
		{ BOUND_RANGE, "\"a\"..\"b\"", false },
		{ BOUND_RANGE, "1..2..3", false },
	};
	struct session session;
	struct bound_list list;

	sample_waiting(&session, "{\"amount\":9000}");
	assert_true(bound_list_make(&list, &session, session_first_held(&session), false));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_FREE char *before = NULL;
		struct err err = { 0 };
		int typed;

		while (list.bounds[0].kind != texts[i].kind)
			bound_switch(&list, 0, false);
		before = mem_str(list.bounds[0].typed);
		typed = bound_type(&list, 0, texts[i].text, &err);
		if ((typed == 0) != texts[i].good)
			fail_msg("%s: %s", texts[i].text, err.text);
		assert_string_equal(list.bounds[0].typed, typed == 0 ? texts[i].text : before);
		assert_true(typed == 0 || *err.text);
	}
	bound_list_release(&list);
	session_release(&session);
}

static void
a_rule_is_written_without_what_is_unbound(void **state)
{
	struct fixture *f = *state;
	struct intent intent = { .kind = INTENT_NONE };
	struct policy *policy = policy_new(NULL, 0, NULL);

	app_open(&f->app, 0);
	app_ask_rule(&f->app, held(f)->number);
	compose(f, 80, 24);
	top(f)->ops->guard->yes(top(f), COMMAND_APPROVE, &intent);
	assert_int_equal(intent.kind, INTENT_RULE);
	assert_string_equal(intent.word, "ask");
	assert_string_equal(
		intent.text, "{\"tools\":[\"payroll.apply_raise\"],\"action\":\"ask\"}");
	assert_int_equal(policy_add(policy, intent.text, strlen(intent.text), "x", NULL), 0);
	policy_free(policy);
}

#define SHEET_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* --- answers --- */

static void
connect_to_fake(struct fixture *f)
{
	struct client_hooks hooks = { .arg = f };

	fake_begin(&f->fake);
	f->app.client = client_new(f->app.loop, f->fake.theirs, 0, &hooks);
}

static void
nothing(void *arg)
{
	(void)arg;
}

static const char *
heard(struct fixture *f)
{
	for (int i = 0; i < 3; i++) {
		loop_defer(f->app.loop, nothing, f); /* a turn does not wait */
		loop_turn(f->app.loop);
	}
	return fake_hear(&f->fake);
}

/* As when its key stands: the sheet's request is on its way, with this id. */
static uint64_t
say_yes(struct fixture *f)
{
	struct intent intent = { .kind = INTENT_NONE };

	compose(f, 80, 24);
	top(f)->ops->guard->yes(top(f), COMMAND_APPROVE, &intent);
	app_intent(&f->app, &intent);
	assert_int_equal(f->app.awaited_count, 1);
	assert_false(top(f)->ops->offers(top(f), COMMAND_APPROVE));
	return f->app.awaited[0].id;
}

static void
a_refusal_reaches_the_sheet_that_help_lies_over(void **state)
{
	struct fixture *f = *state;
	uint64_t id;

	connect_to_fake(f);
	app_open(&f->app, 0);
	app_ask_rule(&f->app, held(f)->number);
	id = say_yes(f);
	app_run_command(&f->app, COMMAND_HELP);
	assert_int_equal(f->app.overlays, 2);
	app_answered(&f->app, id, false, "not now");
	app_pop(&f->app);
	compose(f, 80, 24);
	assert_true(top(f)->ops->offers(top(f), COMMAND_APPROVE));
}

static void
an_answer_closes_the_sheet_that_asked_and_no_other(void **state)
{
	struct fixture *f = *state;
	uint64_t id;

	connect_to_fake(f);
	app_open(&f->app, 0);
	app_ask_rule(&f->app, held(f)->number);
	id = say_yes(f);
	app_run_command(&f->app, COMMAND_HELP);
	app_answered(&f->app, id, true, NULL);
	assert_int_equal(f->app.overlays, 0);
	assert_ptr_equal(f->app.guarded, f->app.approval);

	app_ask_rule(&f->app, held(f)->number);
	id = say_yes(f);
	app_pop(&f->app);
	app_ask_rule(&f->app, held(f)->number);
	app_answered(&f->app, id, true, NULL);
	assert_int_equal(f->app.overlays, 1);
}

static void
the_comment_of_the_call_goes_with_its_grant(void **state)
{
	struct fixture *f = *state;

	connect_to_fake(f);
	app_open(&f->app, 0);
	view_approval_set_comment(f->app.approval, "as agreed");
	compose(f, 80, 24);
	f->app.presented = true;
	app_ask_grant(&f->app, held(f)->number);
	(void)say_yes(f);
	assert_non_null(strstr(heard(f), "\"comment\":\"as agreed\""));
}

static void
every_request_gets_its_answer_however_many_wait(void **state)
{
	struct fixture *f = *state;

	connect_to_fake(f);
	app_open(&f->app, 0);
	compose(f, 80, 24);
	for (int i = 0; i < 100; i++)
		app_extend(&f->app, held(f)->number);
	app_decide(&f->app, &(struct intent){ INTENT_DENY, .call = held(f)->number });
	assert_int_equal(f->app.deciding, 1);
	app_answered(&f->app, f->app.awaited[100].id, false, "not now");
	assert_int_equal(f->app.deciding, 0);
}

static void
a_reason_typed_on_a_terminal_that_became_too_small_is_not_sent(void **state)
{
	struct fixture *f = *state;
	struct intent deny = { INTENT_DENY, .text = "no" };

	connect_to_fake(f);
	app_open(&f->app, 0);
	deny.call = held(f)->number;
	compose(f, 59, 24);
	app_decide(&f->app, &deny);
	assert_int_equal(f->app.deciding, 0);
	compose(f, 60, 15);
	app_decide(&f->app, &deny);
	assert_int_equal(f->app.deciding, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		SHEET_TEST(the_grant_has_its_pictures),
		SHEET_TEST(the_rule_has_its_pictures),
		SHEET_TEST(the_list_of_grants_says_how_they_are_made),
		SHEET_TEST(the_question_about_the_program_has_its_pictures),
		SHEET_TEST(below_the_least_size_no_sheet_takes_a_yes),
		SHEET_TEST(each_change_of_a_bound_asks_anew),
		SHEET_TEST(a_yes_sends_what_was_laid_out),
		SHEET_TEST(no_grant_is_offered_where_each_call_wants_a_person),
		cmocka_unit_test(bounds_are_always_closed_and_hold_the_call),
		cmocka_unit_test(a_bound_that_is_wrong_changes_nothing),
		SHEET_TEST(a_rule_is_written_without_what_is_unbound),
		SHEET_TEST(a_refusal_reaches_the_sheet_that_help_lies_over),
		SHEET_TEST(an_answer_closes_the_sheet_that_asked_and_no_other),
		SHEET_TEST(the_comment_of_the_call_goes_with_its_grant),
		SHEET_TEST(every_request_gets_its_answer_however_many_wait),
		SHEET_TEST(a_reason_typed_on_a_terminal_that_became_too_small_is_not_sent),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
