#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/record/reader.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"

/* Fold what was made so far; event number i has mono (i + 1) s. */
static void
fold(struct make *make, int fd, struct session *session)
{
	struct reader *reader = reader_new(READER_CHAIN);
	struct err err = { 0 };
	struct event_view view;
	char chunk[65536];
	off_t at = 0;
	ssize_t got;

	make_close(make);
	session_init(session);
	while ((got = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		at += got;
		assert_int_equal(reader_feed(reader, chunk, (size_t)got, &err), 0);
		while (reader_next(reader, &view, &err) == 1) {
			view.mono = (int64_t)(view.seq + 1) * NS_PER_S;
			session_apply(session, &view);
		}
		assert_string_equal(err.text, "");
	}
	reader_free(reader);
	close(fd);
}

static int
begin(struct make *make)
{
	int fd = make_file();

	make_open(make, dup(fd));
	return fd;
}

static void
an_empty_session_has_nothing_and_waits_for_nobody(void **state)
{
	struct session session;

	(void)state;
	session_init(&session);

	assert_null(session_first_held(&session));
	assert_null(session_call(&session, 0));
	assert_null(session_call(&session, 1));
	assert_null(session_program(&session));
	assert_null(session_last_approved(&session, "t", 5));
	assert_int_equal(session_time_left(&session, NULL, 0), -1);
	session_release(&session);
}

static void
the_sample_reads_as_it_was_written(void **state)
{
	struct session session;
	const struct session_call *call;

	(void)state;
	make_sample_session(&session, SAMPLE_HELD);

	assert_string_equal(session.id, MAKE_ID);
	assert_string_equal(session.name, "payroll-1");
	assert_int_equal(session.state, RUN_WAITING);
	assert_int_equal(session.call_count, 4);
	assert_int_equal(session.waiting, 1);
	assert_int_equal(session.denied, 1);
	assert_int_equal(session.tool_count, 3);
	assert_string_equal(session_tool(&session, "payroll.apply_raise")->effect, "mutate");
	assert_string_equal(session_tool(&session, "payroll.apply_raise")->name, "apply_raise");
	assert_string_equal(session.loosened[0], "budget.max_tool_calls");
	assert_string_equal(session.task.bytes, "Raise everyone in Engineering.");
	assert_int_equal(session_program(&session)->lines, 12);
	assert_int_equal(session_program(&session)->site_count, 2);
	assert_int_equal(session_counter(&session, "max_tool_calls")->used, 3);
	assert_int_equal(session_counter(&session, "max_tool_calls")->limit, 50);
	assert_int_equal(session.layer_count, 2);
	assert_true(session.layers[0].proved);
	assert_false(session.layers[1].proved);
	assert_int_equal(session.live_line, 8);
	call = session_call(&session, 3);
	assert_string_equal(call->verdict, "deny");
	assert_string_equal(call->more->reason.bytes, "ask his manager first");
	assert_string_equal(call->outcome, "denied");
	call = session_first_held(&session);
	assert_int_equal(call->number, 4);
	assert_string_equal(call->args.bytes, "{\"name\":\"Cleo\",\"amount\":9000}");
	assert_int_equal(call->nth_here, 3);
	assert_string_equal(call->more->tried[0].why, "amount: 9000 is more than 5000");
	assert_int_equal(call->presentations, 1);
	session_release(&session);
}

static void
an_ended_session_says_how(void **state)
{
	struct session session;

	(void)state;
	make_sample_session(&session, SAMPLE_ENDED);

	assert_int_equal(session.state, RUN_ENDED);
	assert_true(session.ended);
	assert_string_equal(session.closed_by, "end");
	assert_string_equal(session.run_outcome, "ok");
	assert_string_equal(session.answer.bytes, "raised: Ada, Cleo\n");
	assert_string_equal(session_program(&session)->outcome, "ok");
	assert_int_equal(session_last_approved(&session, "payroll.apply_raise", 9)->number, 4);
	assert_null(session_last_approved(&session, "payroll.apply_raise", 4));
	assert_int_equal(session.waiting, 0);
	session_release(&session);
}

static void
only_the_first_in_the_queue_counts_down(void **state)
{
	struct session session;
	struct make make;
	int fd = begin(&make);
	int64_t held;

	(void)state;
	make_start(&make, "x-1");
	make_request(&make, "payroll.apply_raise", "{}", 1);
	make_request(&make, "payroll.apply_raise", "{}", 1);
	make_held(&make, 1, 60);
	make_held(&make, 2, 100);
	fold(&make, fd, &session);
	held = session.calls[0].held_mono;

	assert_int_equal(session.waiting, 2);
	assert_int_equal(session_time_left(&session, &session.calls[0], held + 10 * NS_PER_S),
		50 * NS_PER_S);
	assert_int_equal(session_time_left(&session, &session.calls[0], held + 99 * NS_PER_S), 0);
	assert_int_equal(session_time_left(&session, &session.calls[1], held + 99 * NS_PER_S),
		100 * NS_PER_S);
	session_release(&session);
}

static void
the_next_ones_time_begins_when_the_first_is_decided(void **state)
{
	struct session session;
	struct make make;
	int fd = begin(&make);
	int64_t decided;

	(void)state;
	make_start(&make, "x-1");
	make_request(&make, "payroll.apply_raise", "{}", 1);
	make_request(&make, "payroll.apply_raise", "{}", 1);
	make_held(&make, 1, 60);
	make_held(&make, 2, 100);
	make_output(&make, "stdout", "some time passes");
	make_decided(&make, 1, "deny", "person", NULL);
	fold(&make, fd, &session);
	decided = session.calls[0].decided_mono;

	assert_int_equal(session_first_held(&session)->number, 2);
	assert_int_equal(session_time_left(&session, &session.calls[1], decided), 100 * NS_PER_S);
	assert_int_equal(session_time_left(&session, &session.calls[1], decided + 30 * NS_PER_S),
		70 * NS_PER_S);
	assert_int_equal(session_time_left(&session, &session.calls[0], decided), -1);
	session_release(&session);
}

static void
a_call_without_a_timeout_has_no_time_left_to_show(void **state)
{
	struct session session;
	struct make make;
	int fd = begin(&make);

	(void)state;
	make_start(&make, "x-1");
	make_request(&make, "payroll.apply_raise", "{}", 1);
	make_held(&make, 1, -1);
	fold(&make, fd, &session);

	assert_int_equal(session_time_left(&session, &session.calls[0], 0), -1);
	assert_int_equal(session.calls[0].timeout_ms, -1);
	session_release(&session);
}

static void
a_verdict_is_given_once(void **state)
{
	struct session session;
	struct make make;
	int fd = begin(&make);

	(void)state;
	make_start(&make, "x-1");
	make_request(&make, "payroll.apply_raise", "{}", 1);
	make_held(&make, 1, 60);
	make_decided(&make, 1, "deny", "timeout", "too late");
	make_decided(&make, 1, "approve", "person", NULL);
	fold(&make, fd, &session);

	assert_string_equal(session.calls[0].verdict, "deny");
	assert_string_equal(session.calls[0].by, "timeout");
	assert_int_equal(session.denied, 1);
	assert_int_equal(session.state, RUN_RUNNING);
	session_release(&session);
}

static void
numbers_out_of_order_change_nothing(void **state)
{
	struct session session;
	struct make make;
	int fd = begin(&make);

	(void)state;
	make_start(&make, "x-1");
	make.calls = 6;
	make_request(&make, "payroll.apply_raise", "{}", 1);
	make_held(&make, 7, 60);
	make_held(&make, 0, 60);
	make_call_end(&make, 9, "ok", NULL);
	fold(&make, fd, &session);

	assert_int_equal(session.call_count, 0);
	assert_int_equal(session.waiting, 0);
	session_release(&session);
}

/* A presentation by another console than the one make_presented() speaks for. */
static void
present_elsewhere(struct make *make, uint64_t call, const char *console, int64_t presentation)
{
	event_begin(&make->event, EVENT_CALL_PRESENTED);
	event_int(&make->event, "call", (int64_t)call);
	event_digest(&make->event, "bind", &make->binds[call]);
	event_str(&make->event, "console", console);
	event_int(&make->event, "presentation", presentation);
	event_int(&make->event, "seen_seq", 1);
	event_int(&make->event, "cols", 111);
	event_int(&make->event, "rows", 33);
	event_str(&make->event, "mode", "strict");
	event_digest(&make->event, "frame", &make->binds[0]);
	make_append(make);
}

static void
the_presentation_that_counts_is_that_of_the_console_that_decided(void **state)
{
	struct session session;
	struct make make;
	int fd = begin(&make);

	(void)state;
	make_start(&make, "x-1");
	for (int i = 0; i < 2; i++) {
		uint64_t call = make_request(&make, "payroll.apply_raise", "{}", 1);

		make_ruled(&make, call, "ask", NULL);
		make_held(&make, call, 60);
		present_elsewhere(&make, call, "aaaaaaaaaaaaaaaa", 7);
		make_presented(&make, call);
		present_elsewhere(&make, call, "bbbbbbbbbbbbbbbb", 9);
		present_elsewhere(&make, call, "aaaaaaaaaaaaaaaa", 8);
		if (i == 0)
			make_decided(&make, call, "approve", "person", NULL);
	}
	fold(&make, fd, &session);

	assert_string_equal(session.calls[0].more->shown.console, MAKE_CONSOLE);
	assert_int_equal(session.calls[0].more->shown.cols, 80);
	assert_string_equal(session.calls[1].more->shown.console, "aaaaaaaaaaaaaaaa");
	assert_int_equal(session.calls[1].more->shown.presentation, 8);
	assert_int_equal(session.calls[1].presentations, 4);
	session_release(&session);
}

static void
an_edit_keeps_what_was_asked_and_an_unedit_brings_it_back(void **state)
{
	struct session session;
	struct make make;
	int fd = begin(&make);

	(void)state;
	make_start(&make, "x-1");
	make_request(&make, "payroll.apply_raise", "{\"amount\":9}", 1);
	make_held(&make, 1, 60);
	event_begin(&make.event, EVENT_CALL_EDITED);
	event_int(&make.event, "call", 1);
	make_text(&make, "args", "{\"amount\":1}");
	make_append(&make);
	fold(&make, dup(fd), &session);
	assert_string_equal(session.calls[0].args.bytes, "{\"amount\":1}");
	assert_string_equal(session.calls[0].more->asked.bytes, "{\"amount\":9}");
	session_release(&session);
	close(fd);

	fd = begin(&make);
	make_start(&make, "x-1");
	make_request(&make, "payroll.apply_raise", "{\"amount\":9}", 1);
	make_held(&make, 1, 60);
	event_begin(&make.event, EVENT_CALL_EDITED);
	event_int(&make.event, "call", 1);
	make_text(&make, "args", "{\"amount\":1}");
	make_append(&make);
	event_begin(&make.event, EVENT_CALL_UNEDITED);
	event_int(&make.event, "call", 1);
	make_append(&make);
	fold(&make, fd, &session);
	assert_string_equal(session.calls[0].args.bytes, "{\"amount\":9}");
	session_release(&session);
}

static void
a_second_run_counts_its_denials_anew(void **state)
{
	struct session session;
	struct make make;
	int fd = begin(&make);

	(void)state;
	make_start(&make, "x-1");
	make_request(&make, "payroll.apply_raise", "{}", 1);
	make_decided(&make, 1, "deny", "rule", "never");
	event_begin(&make.event, EVENT_TASK);
	event_int(&make.event, "run", 2);
	make_text(&make, "text", "the next");
	make_append(&make);
	fold(&make, fd, &session);

	assert_int_equal(session.denied, 0);
	assert_int_equal(session.run, 2);
	assert_int_equal(session.state, RUN_STARTING);
	session_release(&session);
}

static void
a_tool_that_comes_again_takes_the_place_of_the_first(void **state)
{
	static const char added[] = "[{\"name\":\"payroll.apply_raise\",\"effect\":\"destroy\"}]";
	static const char removed[] = "[\"payroll.get_employee\"]";
	struct session session;
	struct make make;
	int fd = begin(&make);

	(void)state;
	make_start(&make, "x-1");
	event_begin(&make.event, EVENT_TOOLS);
	event_str(&make.event, "server", "payroll");
	event_str(&make.event, "state", "changed");
	event_json(&make.event, "added", added, strlen(added));
	event_json(&make.event, "removed", removed, strlen(removed));
	make_append(&make);
	fold(&make, fd, &session);

	assert_int_equal(session.tool_count, 2);
	assert_int_equal(session.server_count, 1);
	assert_string_equal(session.servers[0].state, "changed");
	assert_string_equal(session_tool(&session, "payroll.apply_raise")->effect, "destroy");
	assert_null(session_tool(&session, "payroll.get_employee"));
	session_release(&session);
}

static void
the_sample_is_the_same_each_time(void **state)
{
	struct session one, other;

	(void)state;
	make_sample_session(&one, SAMPLE_HELD);
	make_sample_session(&other, SAMPLE_HELD);

	assert_memory_equal(&one.calls[3].bind, &other.calls[3].bind, sizeof(struct digest));
	assert_int_equal(one.mono, other.mono);
	session_release(&one);
	session_release(&other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_session_has_nothing_and_waits_for_nobody),
		cmocka_unit_test(the_sample_reads_as_it_was_written),
		cmocka_unit_test(an_ended_session_says_how),
		cmocka_unit_test(only_the_first_in_the_queue_counts_down),
		cmocka_unit_test(the_next_ones_time_begins_when_the_first_is_decided),
		cmocka_unit_test(a_call_without_a_timeout_has_no_time_left_to_show),
		cmocka_unit_test(a_verdict_is_given_once),
		cmocka_unit_test(numbers_out_of_order_change_nothing),
		cmocka_unit_test(the_presentation_that_counts_is_that_of_the_console_that_decided),
		cmocka_unit_test(an_edit_keeps_what_was_asked_and_an_unedit_brings_it_back),
		cmocka_unit_test(a_second_run_counts_its_denials_anew),
		cmocka_unit_test(a_tool_that_comes_again_takes_the_place_of_the_first),
		cmocka_unit_test(the_sample_is_the_same_each_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
