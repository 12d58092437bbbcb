/* The fold of a model's turns: grown by deltas, told apart by their numbers, and how they end. */
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

struct fixture {
	struct make make;
	struct session session;
	int fd;
};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->fd = make_file();
	make_open(&f->make, dup(f->fd));
	session_init(&f->session);
	make_start(&f->make, "modelled");
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	session_release(&f->session);
	close(f->fd);
	free(f);
	return 0;
}

/* Event number i has mono (i + 1) s. */
static void
fold(struct fixture *f)
{
	struct reader *reader = reader_new(READER_CHAIN);
	struct err err = { 0 };
	struct event_view view;
	char chunk[65536];
	off_t at = 0;
	ssize_t got;

	make_close(&f->make);
	while ((got = pread(f->fd, chunk, sizeof(chunk), at)) > 0) {
		at += got;
		assert_int_equal(reader_feed(reader, chunk, (size_t)got, &err), 0);
		while (reader_next(reader, &view, &err) == 1) {
			view.mono = (int64_t)(view.seq + 1) * NS_PER_S;
			session_apply(&f->session, &view);
		}
	}
	reader_free(reader);
}

static void
begin(struct fixture *f, enum event_type type, int turn)
{
	event_begin(&f->make.event, type);
	event_int(&f->make.event, "run", 1);
	event_int(&f->make.event, "turn", turn);
}

static void
asked(struct fixture *f, int turn, const char *purpose)
{
	begin(f, EVENT_MODEL_REQUEST, turn);
	event_str(&f->make.event, "purpose", purpose);
	event_str(&f->make.event, "host", "http://127.0.0.1");
	make_append(&f->make);
}

static void
delta(struct fixture *f, int turn, const char *part, const char *text)
{
	begin(f, EVENT_MODEL_DELTA, turn);
	event_str(&f->make.event, "part", part);
	make_text(&f->make, "text", text);
	make_append(&f->make);
}

static void
retried(struct fixture *f, int turn)
{
	begin(f, EVENT_MODEL_RETRY, turn);
	event_str(&f->make.event, "cause", "429: slow down");
	event_int(&f->make.event, "wait_ms", 1500);
	make_append(&f->make);
}

static void
ended(struct fixture *f, int turn, const char *stop)
{
	static const char usage[] = "{\"input\":40,\"output\":7}";

	begin(f, EVENT_MODEL_END, turn);
	event_str(&f->make.event, "stop", stop);
	event_json(&f->make.event, "usage", usage, sizeof(usage) - 1);
	event_int(&f->make.event, "cost_micro_usd", 1200);
	make_append(&f->make);
}

static void
a_reply_grows_by_its_deltas(void **state)
{
	struct fixture *f = *state;
	const struct session_turn *turn;

	asked(f, 1, "program");
	delta(f, 1, "reasoning", "hm");
	for (int i = 0; i < 300; i++)
		delta(f, 1, "text", "0123456789");
	delta(f, 1, "reasoning", "m");
	fold(f);
	turn = session_turn(&f->session);
	assert_int_equal(f->session.turn_count, 1);
	assert_int_equal(f->session.state, RUN_WRITING);
	assert_string_equal(turn->purpose, "program");
	assert_int_equal(turn->text.len, 3000);
	assert_memory_equal(turn->text.bytes + 2990, "0123456789", 11);
	assert_string_equal(turn->reasoning.bytes, "hmm");
	assert_int_equal(turn->ended_mono, 0);
	assert_int_equal(turn->input, -1);
}

static void
what_is_waited_for_ends_with_the_next_delta(void **state)
{
	struct fixture *f = *state;
	const struct session_turn *turn;

	asked(f, 1, "program");
	retried(f, 1);
	fold(f);
	turn = session_turn(&f->session);
	assert_string_equal(turn->retry_cause, "429: slow down");
	assert_int_equal(turn->retry_ms, 1500);
}

static void
a_delta_after_a_retry_says_that_it_goes_on(void **state)
{
	struct fixture *f = *state;

	asked(f, 1, "program");
	retried(f, 1);
	delta(f, 1, "text", "x");
	fold(f);
	assert_null(session_turn(&f->session)->retry_cause);
}

static void
an_end_tells_what_was_used(void **state)
{
	struct fixture *f = *state;
	const struct session_turn *turn;

	asked(f, 1, "program");
	delta(f, 1, "text", "x");
	ended(f, 1, "complete");
	fold(f);
	turn = session_turn(&f->session);
	assert_string_equal(turn->stop, "complete");
	assert_int_equal(turn->input, 40);
	assert_int_equal(turn->output, 7);
	assert_int_equal(turn->cached, -1);
	assert_int_equal(turn->cost_micro, 1200);
	assert_true(turn->ended_mono > turn->first_mono && turn->first_mono > turn->began_mono);
}

static void
what_comes_for_another_turn_changes_none(void **state)
{
	struct fixture *f = *state;

	asked(f, 1, "program");
	delta(f, 1, "text", "one");
	ended(f, 1, "complete");
	delta(f, 1, "text", "late");
	asked(f, 2, "repair");
	delta(f, 1, "text", "later");
	delta(f, 2, "text", "two");
	ended(f, 3, "error");
	fold(f);
	assert_int_equal(f->session.turn_count, 2);
	assert_string_equal(f->session.turns[0].text.bytes, "one");
	assert_string_equal(f->session.turns[1].text.bytes, "two");
	assert_null(f->session.turns[1].stop);
}

static void
a_person_is_asked_until_a_verdict(void **state)
{
	struct fixture *f = *state;

	asked(f, 1, "program");
	ended(f, 1, "cut");
	event_begin(&f->make.event, EVENT_PROGRAM_ASKED);
	event_int(&f->make.event, "run", 1);
	event_int(&f->make.event, "attempt", 1);
	event_str(&f->make.event, "why", "the reply ended before its end");
	make_append(&f->make);
	fold(f);
	assert_int_equal(f->session.state, RUN_ASKING);
	assert_string_equal(f->session.asked_why, "the reply ended before its end");
}

static void
the_forecast_is_held_against_what_is_left(void **state)
{
	struct fixture *f = *state;
	struct session_reach reach;

	fold(f);
	session_reach(&f->session, &reach);
	assert_true(reach.left > 0);
	assert_false(reach.too_many);
	assert_true(reach.loops <= reach.places);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_reply_grows_by_its_deltas, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_is_waited_for_ends_with_the_next_delta, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_delta_after_a_retry_says_that_it_goes_on, setup, teardown),
		cmocka_unit_test_setup_teardown(an_end_tells_what_was_used, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_comes_for_another_turn_changes_none, setup, teardown),
		cmocka_unit_test_setup_teardown(a_person_is_asked_until_a_verdict, setup, teardown),
		cmocka_unit_test_setup_teardown(
			the_forecast_is_held_against_what_is_left, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
