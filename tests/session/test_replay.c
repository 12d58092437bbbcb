#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/session/replay.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"
#include "tests/session/films.h"
#include "tests/session/plain_fold.h"
#include "tests/session/random_record.h"

/* --- the same session as by folding everything --- */

static void
any_position_is_what_the_plain_fold_gives(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 3; seed++) {
		int fd = film_random(seed, 4000);
		struct replay *replay = film_open_whole(fd);
		uint64_t dice = seed;

		for (int i = 0; i < 16; i++) {
			uint64_t position =
				random_below(&dice, (unsigned)replay_events(replay) + 1);

			film_seek(replay, position);
			film_as_folded(fd, position, replay_session(replay));
		}
		replay_close(replay);
		close(fd);
	}
}

static void
steps_back_and_forth_are_what_the_plain_fold_gives(void **state)
{
	int fd = film_random(7, 3000);
	struct replay *replay = film_open_whole(fd);
	uint64_t dice = 7;
	uint64_t position = 600;

	(void)state;
	for (int i = 0; i < 50; i++) {
		position += random_below(&dice, 90);
		position -= random_below(&dice, 40);
		film_seek(replay, position);
		film_as_folded(fd, position, replay_session(replay));
	}
	replay_close(replay);
	close(fd);
}

static void
every_call_can_be_loaded_at_every_position(void **state)
{
	int fd = film_random(11, 3000);
	struct replay *replay = film_open_whole(fd);
	uint64_t dice = 11;

	(void)state;
	for (int i = 0; i < 12; i++) {
		uint64_t position = random_below(&dice, (unsigned)replay_events(replay) + 1);
		const struct session *session = replay_session(replay);

		film_seek(replay, position);
		for (uint64_t call = 1; call <= session->call_count; call++) {
			(void)!replay_load(replay, call);
			assert_null(replay_fault(replay));
			assert_true(session->calls[call - 1].loaded);
			assert_false(replay_load(replay, call));
		}
		assert_false(replay_load(replay, 0));
		assert_false(replay_load(replay, session->call_count + 1));
		film_as_folded(fd, position, session);
	}
	replay_close(replay);
	close(fd);
}

static void
leafing_through_all_calls_keeps_only_some_in_memory(void **state)
{
	int fd = film_random(43, 42000);
	struct replay *replay = film_open_whole(fd);
	const struct session *session = replay_session(replay);
	size_t loaded = 0;

	(void)state;
	film_seek(replay, replay_events(replay));
	for (uint64_t call = 1; call <= session->call_count; call++) {
		(void)!replay_load(replay, call);
		assert_true(session->calls[call - 1].loaded);
	}

	for (size_t i = 0; i < session->call_count; i++)
		loaded += session->calls[i].loaded;
	assert_true(loaded < session->call_count);
	film_as_folded(fd, replay_events(replay), session);
	replay_close(replay);
	close(fd);
}

static void
going_on_after_a_load_is_what_the_plain_fold_gives(void **state)
{
	int fd = film_random(13, 4000);
	struct replay *replay = film_open_whole(fd);
	uint64_t dice = 13;

	(void)state;
	for (int i = 0; i < 30; i++) {
		uint64_t position = random_below(&dice, (unsigned)replay_events(replay) - 40);

		film_seek(replay, position);
		for (int k = 0; k < 20; k++)
			(void)!replay_load(replay, random_below(&dice, 400));
		position += random_below(&dice, 40);
		film_seek(replay, position);
		film_as_folded(fd, position, replay_session(replay));
	}
	replay_close(replay);
	close(fd);
}

static void
the_session_at_a_seq_has_the_call_and_what_its_page_compares(void **state)
{
	int fd = film_random(17, 3000);
	struct replay *replay = film_open_whole(fd);
	uint64_t dice = 17;
	unsigned held = 0;

	(void)state;
	for (int i = 0; i < 60; i++) {
		uint64_t seq = random_below(&dice, (unsigned)replay_events(replay));
		const struct session_call *call, *last;
		const struct session *session;
		struct err err = { 0 };

		film_seek(replay, seq + 1);
		call = session_first_held(replay_session(replay));
		if (!call)
			continue;
		held++;
		session = replay_session_at(replay, seq, call->number, &err);
		assert_non_null(session);
		assert_true(session->calls[call->number - 1].loaded);
		last = session_last_approved(session, call->tool, call->number);
		assert_true(!last || last->loaded);
		film_as_folded(fd, seq + 1, session);
		assert_int_equal(replay_position(replay), seq + 1);
	}
	assert_true(held > 10);
	replay_close(replay);
	close(fd);
}

static const struct session_call *
last_held(const struct session *session)
{
	for (size_t i = session->call_count; i-- > 0;)
		if (session->calls[i].state == CALL_HELD)
			return &session->calls[i];
	return NULL;
}

/* The page warns of the latest call before with equal arguments: none may hide unloaded. */
static void
no_equal_call_is_left_out_of_a_page(void **state)
{
	int fd = film_random(19, 3000);
	struct replay *replay = film_open_whole(fd);
	const struct session *film = replay_session(replay);
	uint64_t dice = 19;
	unsigned found = 0;

	(void)state;
	for (int i = 0; i < 60; i++) {
		uint64_t position = random_below(&dice, (unsigned)replay_events(replay));
		const struct session_call *held;
		struct session plain;

		film_seek(replay, position);
		held = last_held(film);
		if (!held)
			continue;
		(void)!replay_load(replay, held->number);
		if (!held->args.bytes)
			continue;
		plain_fold(fd, position, &plain);
		for (size_t k = held->number - 1; k-- > 0;) {
			const struct session_call *before = &plain.calls[k];

			if (before->started_mono == 0 || strcmp(before->tool, held->tool) != 0 ||
				!before->args.bytes ||
				strcmp(before->args.bytes, held->args.bytes) != 0)
				continue;
			assert_true(film->calls[k].loaded);
			found++;
			break;
		}
		session_release(&plain);
	}
	if (found <= 5)
		fail_msg("only %u equal calls in 60 positions", found);
	replay_close(replay);
	close(fd);
}

static void
a_call_at_the_end_is_as_in_the_session_there(void **state)
{
	int fd = film_random(41, 2500);
	struct replay *replay = film_open_whole(fd);
	struct session end;
	struct err err = { 0 };

	(void)state;
	plain_fold(fd, UINT64_MAX, &end);
	film_seek(replay, 50);
	for (uint64_t number = 1; number <= end.call_count; number++) {
		const struct session_call *call = replay_call_at_end(replay, number, &err);
		char *difference;

		assert_non_null(call);
		difference = plain_call_difference(&end.calls[number - 1], call);
		if (difference)
			fail_msg("%s", difference);
	}
	assert_null(replay_call_at_end(replay, end.call_count + 1, &err));
	assert_int_equal(err.kind, ERR_MISSING);
	assert_null(replay_call_at_end(replay, 0, &err));
	session_release(&end);
	replay_close(replay);
	close(fd);
}

/* --- time, marks, search --- */

static void
time_goes_to_the_last_event_of_its_moment(void **state)
{
	int fd = film_random(23, 300);
	struct replay *replay = film_open_whole(fd);

	(void)state;
	assert_int_equal(replay_at_mono(replay, -1), 0);
	assert_int_equal(replay_at_mono(replay, INT64_MAX), replay_events(replay));
	for (uint64_t i = 0; i < replay_events(replay); i++) {
		uint64_t at = replay_at_mono(replay, replay_mono(replay, i));

		assert_true(at > i);
		assert_true(replay_mono(replay, at - 1) == replay_mono(replay, i));
	}
	assert_int_equal(replay_length(replay), replay_mono(replay, replay_events(replay) - 1));
	replay_close(replay);
	close(fd);
}

static void
marks_are_the_decisions_and_failures_of_the_sample(void **state)
{
	int fd = make_file();
	struct replay *replay;
	struct replay_mark mark;

	(void)state;
	make_sample(dup(fd), SAMPLE_ENDED);
	replay = film_open_whole(fd);

	assert_int_equal(replay_marks(replay), 2);
	mark = replay_mark(replay, 0);
	assert_int_equal(mark.kind, REPLAY_DENIED);
	assert_true(mark.decision);
	assert_int_equal(mark.mono, replay_mono(replay, mark.index));
	film_seek(replay, mark.index);
	assert_int_equal(replay_session(replay)->waiting, 1);
	film_seek(replay, mark.index + 1);
	assert_int_equal(replay_session(replay)->waiting, 0);
	mark = replay_mark(replay, 1);
	assert_int_equal(mark.kind, REPLAY_APPROVED);
	assert_true(mark.decision);
	replay_close(replay);
	close(fd);
}

static void
a_search_goes_both_ways_and_knows_no_case(void **state)
{
	int fd = make_file();
	struct replay *replay;
	uint64_t first, index;

	(void)state;
	make_sample(dup(fd), SAMPLE_ENDED);
	replay = film_open_whole(fd);

	assert_true(replay_search(replay, "ASK HIS manager", 15, 0, false, &first));
	assert_int_equal(first, replay_mark(replay, 0).index);
	assert_true(replay_search(replay, "ask his manager", 15, first, false, &index));
	assert_int_equal(index, first);
	assert_true(replay_search(replay, "ask his manager", 15, first + 1, false, &index));
	assert_true(index > first); /* the program's output says it again */
	assert_true(replay_search(replay, "ask his manager", 15, UINT64_MAX, true, &index));
	assert_true(index > first);
	assert_true(replay_search(replay, "ask his manager", 15, index, true, &index));
	assert_int_equal(index, first);
	assert_false(replay_search(replay, "ask his manager", 15, first, true, &index));
	assert_false(replay_search(replay, "nobody wrote this", 17, 0, false, &index));
	assert_false(replay_search(replay, "", 0, 0, false, &index));
	assert_true(replay_search(replay, "\"session.start\"", 15, 0, false, &index));
	assert_int_equal(index, 0);
	replay_close(replay);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_position_is_what_the_plain_fold_gives),
		cmocka_unit_test(steps_back_and_forth_are_what_the_plain_fold_gives),
		cmocka_unit_test(every_call_can_be_loaded_at_every_position),
		cmocka_unit_test(leafing_through_all_calls_keeps_only_some_in_memory),
		cmocka_unit_test(going_on_after_a_load_is_what_the_plain_fold_gives),
		cmocka_unit_test(the_session_at_a_seq_has_the_call_and_what_its_page_compares),
		cmocka_unit_test(no_equal_call_is_left_out_of_a_page),
		cmocka_unit_test(a_call_at_the_end_is_as_in_the_session_there),
		cmocka_unit_test(time_goes_to_the_last_event_of_its_moment),
		cmocka_unit_test(marks_are_the_decisions_and_failures_of_the_sample),
		cmocka_unit_test(a_search_goes_both_ways_and_knows_no_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
