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
#include "tests/session/plain_fold.h"
#include "tests/session/random_record.h"

static struct replay *
open_fd(int fd, struct err *err)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return replay_open(path, err);
}

static struct replay *
open_whole(int fd)
{
	struct err err = { 0 };
	struct replay *replay = open_fd(fd, &err);

	assert_string_equal(err.text, "");
	assert_non_null(replay);
	return replay;
}

static int
random_file(unsigned seed, unsigned events)
{
	int fd = make_file();

	random_record(dup(fd), seed, events);
	return fd;
}

static void
seek(struct replay *replay, uint64_t position)
{
	struct err err = { 0 };

	if (replay_seek(replay, position, &err) < 0)
		fail_msg("position %llu: %s", (unsigned long long)position, err.text);
	assert_int_equal(replay_position(replay), position);
}

static void
assert_as_folded(int fd, uint64_t position, const struct session *film)
{
	struct session plain;
	char *difference;

	plain_fold(fd, position, &plain);
	difference = plain_difference(&plain, film);
	if (difference)
		fail_msg("at position %llu: %s", (unsigned long long)position, difference);
	session_release(&plain);
}

/* --- the same session as by folding everything --- */

static void
any_position_is_what_the_plain_fold_gives(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 3; seed++) {
		int fd = random_file(seed, 4000);
		struct replay *replay = open_whole(fd);
		uint64_t dice = seed;

		for (int i = 0; i < 16; i++) {
			uint64_t position =
				random_below(&dice, (unsigned)replay_events(replay) + 1);

			seek(replay, position);
			assert_as_folded(fd, position, replay_session(replay));
		}
		replay_close(replay);
		close(fd);
	}
}

static void
steps_back_and_forth_are_what_the_plain_fold_gives(void **state)
{
	int fd = random_file(7, 3000);
	struct replay *replay = open_whole(fd);
	uint64_t dice = 7;
	uint64_t position = 600;

	(void)state;
	for (int i = 0; i < 50; i++) {
		position += random_below(&dice, 90);
		position -= random_below(&dice, 40);
		seek(replay, position);
		assert_as_folded(fd, position, replay_session(replay));
	}
	replay_close(replay);
	close(fd);
}

static void
every_call_can_be_loaded_at_every_position(void **state)
{
	int fd = random_file(11, 3000);
	struct replay *replay = open_whole(fd);
	uint64_t dice = 11;

	(void)state;
	for (int i = 0; i < 12; i++) {
		uint64_t position = random_below(&dice, (unsigned)replay_events(replay) + 1);
		const struct session *session = replay_session(replay);

		seek(replay, position);
		for (uint64_t call = 1; call <= session->call_count; call++) {
			(void)!replay_load(replay, call);
			assert_null(replay_fault(replay));
			assert_true(session->calls[call - 1].loaded);
			assert_false(replay_load(replay, call));
		}
		assert_false(replay_load(replay, 0));
		assert_false(replay_load(replay, session->call_count + 1));
		assert_as_folded(fd, position, session);
	}
	replay_close(replay);
	close(fd);
}

static void
going_on_after_a_load_is_what_the_plain_fold_gives(void **state)
{
	int fd = random_file(13, 4000);
	struct replay *replay = open_whole(fd);
	uint64_t dice = 13;

	(void)state;
	for (int i = 0; i < 30; i++) {
		uint64_t position = random_below(&dice, (unsigned)replay_events(replay) - 40);

		seek(replay, position);
		for (int k = 0; k < 20; k++)
			(void)!replay_load(replay, random_below(&dice, 400));
		position += random_below(&dice, 40);
		seek(replay, position);
		assert_as_folded(fd, position, replay_session(replay));
	}
	replay_close(replay);
	close(fd);
}

static void
the_session_at_a_seq_has_the_call_and_what_its_page_compares(void **state)
{
	int fd = random_file(17, 3000);
	struct replay *replay = open_whole(fd);
	uint64_t dice = 17;
	unsigned held = 0;

	(void)state;
	for (int i = 0; i < 60; i++) {
		uint64_t seq = random_below(&dice, (unsigned)replay_events(replay));
		const struct session_call *call, *last;
		struct session session;
		struct err err = { 0 };

		seek(replay, seq + 1);
		call = session_first_held(replay_session(replay));
		if (!call)
			continue;
		held++;
		assert_int_equal(replay_session_at(replay, seq, call->number, &session, &err), 0);
		assert_true(session.calls[call->number - 1].loaded);
		last = session_last_approved(&session, call->tool, call->number);
		assert_true(!last || last->loaded);
		assert_as_folded(fd, seq + 1, &session);
		session_release(&session);
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
	int fd = random_file(19, 3000);
	struct replay *replay = open_whole(fd);
	const struct session *film = replay_session(replay);
	uint64_t dice = 19;
	unsigned found = 0;

	(void)state;
	for (int i = 0; i < 60; i++) {
		uint64_t position = random_below(&dice, (unsigned)replay_events(replay));
		const struct session_call *held;
		struct session plain;

		seek(replay, position);
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
	int fd = random_file(41, 2500);
	struct replay *replay = open_whole(fd);
	struct session end;
	struct err err = { 0 };

	(void)state;
	plain_fold(fd, UINT64_MAX, &end);
	seek(replay, 50);
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
	int fd = random_file(23, 300);
	struct replay *replay = open_whole(fd);

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
	replay = open_whole(fd);

	assert_int_equal(replay_marks(replay), 2);
	mark = replay_mark(replay, 0);
	assert_int_equal(mark.kind, REPLAY_DENIED);
	assert_true(mark.decision);
	assert_int_equal(mark.mono, replay_mono(replay, mark.index));
	seek(replay, mark.index);
	assert_int_equal(replay_session(replay)->waiting, 1);
	seek(replay, mark.index + 1);
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
	replay = open_whole(fd);

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

/* --- files that are not whole --- */

static char *
read_all(int fd, size_t *len)
{
	struct stat st;
	char *bytes;

	assert_int_equal(fstat(fd, &st), 0);
	*len = (size_t)st.st_size;
	bytes = mem_zero(1, *len + 1);
	assert_int_equal(pread(fd, bytes, *len, 0), *len);
	return bytes;
}

static int
file_of(const char *bytes, size_t len)
{
	int fd = make_file();

	assert_int_equal(write(fd, bytes, len), len);
	return fd;
}

static void
assert_refused(int fd, const char *words)
{
	struct err err = { 0 };

	assert_null(open_fd(fd, &err));
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
	close(fd);
}

static void
a_record_cut_anywhere_gives_the_events_before_the_cut(void **state)
{
	int whole = make_file();
	size_t len;
	AUTO_FREE char *bytes = NULL;
	uint64_t events = 0;

	(void)state;
	make_sample(dup(whole), SAMPLE_ENDED);
	bytes = read_all(whole, &len);
	for (size_t cut = 3000; cut <= len; cut += cut < len - 2000 ? 97 : 1) {
		int fd = file_of(bytes, cut);
		struct replay *replay = open_whole(fd);

		assert_true(replay_events(replay) >= events);
		events = replay_events(replay);
		assert_true(replay_torn(replay) == (replay_end_words(replay) != NULL));
		seek(replay, events);
		assert_as_folded(whole, events, replay_session(replay));
		replay_close(replay);
		close(fd);
	}
	close(whole);
}

static void
a_torn_end_is_told_from_damage(void **state)
{
	int whole = make_file();
	size_t len;
	AUTO_FREE char *bytes = NULL;
	char *line;
	struct replay *replay;
	int fd;

	(void)state;
	make_sample(dup(whole), SAMPLE_ENDED);
	bytes = read_all(whole, &len);
	fd = file_of(bytes, len);
	assert_int_equal(write(fd, "\0\0\0\0\nrubbish\n", 13), 13);
	replay = open_whole(fd);
	assert_true(replay_torn(replay));
	assert_non_null(strstr(replay_end_words(replay), "torn"));
	replay_close(replay);
	close(fd);

	line = strstr(bytes, "\"type\":\"call.ruled\"");
	line[0] = 'x';
	fd = file_of(bytes, len);
	replay = open_whole(fd);
	assert_true(replay_events(replay) > 5);
	assert_non_null(strstr(replay_end_words(replay), "damaged"));
	assert_non_null(strstr(replay_end_words(replay), "offset"));
	replay_close(replay);
	close(fd);
	close(whole);
}

static void
a_line_that_only_looks_well_is_found_by_the_seek(void **state)
{
	int fd = random_file(29, 4000);
	size_t len;
	AUTO_FREE char *bytes = read_all(fd, &len);
	char *content = strstr(bytes + len / 4, "\"text\":\"{\\\"n\\\":");
	struct replay *replay;
	struct err err = { 0 };
	uint64_t stopped;

	(void)state;
	content[14] = content[14] == '1' ? '2' : '1';
	assert_int_equal(pwrite(fd, bytes, len, 0), len);
	replay = open_whole(fd);

	assert_int_equal(replay_seek(replay, 10, &err), 0);
	for (stopped = 100; replay_seek(replay, stopped, &err) == 0; stopped += 100)
		assert_true(stopped < replay_events(replay));
	assert_non_null(strstr(err.text, "commitment"));
	assert_non_null(strstr(err.text, "offset"));
	assert_true(replay_position(replay) <= stopped);
	assert_as_folded(fd, replay_position(replay), replay_session(replay));
	assert_int_equal(replay_seek(replay, 10, &err), 0);
	replay_close(replay);
	close(fd);
}

static void
what_is_no_record_is_refused_in_words(void **state)
{
	struct err err = { 0 };
	int ends[2];

	(void)state;
	assert_refused(make_file(), "empty");
	assert_refused(file_of("hello\n", 6), "no line of a record");
	assert_refused(file_of("hello", 5), "no whole event");
	assert_refused(file_of("{\"v\":2,\"seq\":0}\n", 16), "unknown format version");
	assert_null(replay_open("/", &err));
	assert_non_null(strstr(err.text, "folder"));
	assert_null(replay_open("/nonexistent/x.jsonl", &err));
	assert_non_null(strstr(err.text, "No such file"));
	assert_int_equal(pipe(ends), 0);
	assert_refused(ends[0], "regular file");
	close(ends[1]);
}

static void
the_second_file_of_a_session_is_refused(void **state)
{
	int whole = make_file();
	size_t len;
	AUTO_FREE char *bytes = NULL;
	char *second;

	(void)state;
	make_sample(dup(whole), SAMPLE_ENDED);
	bytes = read_all(whole, &len);
	second = strstr(bytes, "{\"v\":1,\"seq\":6");
	assert_refused(file_of(second, len - (size_t)(second - bytes)), "earlier file");
	close(whole);
}

static void
a_redacted_content_is_missing_and_all_else_is_there(void **state)
{
	int whole = make_file();
	size_t len;
	AUTO_FREE char *bytes = NULL;
	char *begin, *end;
	struct replay *replay;
	int fd;

	(void)state;
	make_sample(dup(whole), SAMPLE_ENDED);
	bytes = read_all(whole, &len);
	end = strstr(bytes, "\"text\":\"ask his manager first\"");
	for (begin = end; begin[-1] != '\n';)
		begin--;
	end = strchr(end, '\n') + 1;
	memmove(begin, end, (size_t)(bytes + len - end));
	fd = file_of(bytes, len - (size_t)(end - begin));
	replay = open_whole(fd);

	assert_false(replay_torn(replay));
	seek(replay, replay_events(replay));
	(void)!replay_load(replay, 3);
	assert_true(replay_session(replay)->calls[2].more->reason.missing);
	assert_as_folded(fd, replay_events(replay), replay_session(replay));
	replay_close(replay);
	close(fd);
	close(whole);
}

static void
a_record_that_grows_is_taken_in_by_a_refresh(void **state)
{
	int whole = random_file(31, 3000);
	size_t len;
	AUTO_FREE char *bytes = read_all(whole, &len);
	size_t have = len / 3;
	int fd = file_of(bytes, have);
	struct replay *replay = open_whole(fd);

	(void)state;
	while (have < len) {
		uint64_t before = replay_events(replay);
		size_t more = len - have < 20000 ? len - have : 20000;

		seek(replay, before - 7);
		assert_int_equal(pwrite(fd, bytes + have, more, (off_t)have), more);
		have += more;
		assert_true(replay_refresh(replay) > 0);
		assert_int_equal(replay_position(replay), before - 7);
		assert_as_folded(whole, before - 7, replay_session(replay));
		seek(replay, replay_events(replay));
		assert_as_folded(whole, replay_events(replay), replay_session(replay));
	}
	assert_int_equal(replay_refresh(replay), 0);
	assert_false(replay_torn(replay));
	replay_close(replay);
	close(fd);
	close(whole);
}

static void
a_file_that_changes_under_it_is_an_error(void **state)
{
	int fd = random_file(37, 3000);
	struct replay *replay = open_whole(fd);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(ftruncate(fd, 20000), 0);

	assert_int_equal(replay_seek(replay, replay_events(replay), &err), -1);
	assert_non_null(strstr(err.text, "changed"));
	assert_int_equal(replay_seek(replay, 5, &err), 0);
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
		cmocka_unit_test(going_on_after_a_load_is_what_the_plain_fold_gives),
		cmocka_unit_test(the_session_at_a_seq_has_the_call_and_what_its_page_compares),
		cmocka_unit_test(no_equal_call_is_left_out_of_a_page),
		cmocka_unit_test(a_call_at_the_end_is_as_in_the_session_there),
		cmocka_unit_test(time_goes_to_the_last_event_of_its_moment),
		cmocka_unit_test(marks_are_the_decisions_and_failures_of_the_sample),
		cmocka_unit_test(a_search_goes_both_ways_and_knows_no_case),
		cmocka_unit_test(a_record_cut_anywhere_gives_the_events_before_the_cut),
		cmocka_unit_test(a_torn_end_is_told_from_damage),
		cmocka_unit_test(a_line_that_only_looks_well_is_found_by_the_seek),
		cmocka_unit_test(what_is_no_record_is_refused_in_words),
		cmocka_unit_test(the_second_file_of_a_session_is_refused),
		cmocka_unit_test(a_redacted_content_is_missing_and_all_else_is_there),
		cmocka_unit_test(a_record_that_grows_is_taken_in_by_a_refresh),
		cmocka_unit_test(a_file_that_changes_under_it_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
