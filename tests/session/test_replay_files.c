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

	assert_null(film_open(fd, &err));
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
		struct replay *replay = film_open_whole(fd);

		assert_true(replay_events(replay) >= events);
		events = replay_events(replay);
		assert_true(replay_torn(replay) == (replay_end_words(replay) != NULL));
		film_seek(replay, events);
		film_as_folded(whole, events, replay_session(replay));
		replay_close(replay);
		close(fd);
	}
	close(whole);
}

static void
a_very_long_line_is_an_event_like_any_other(void **state)
{
	const size_t len = 5 << 20; /* more than is read at once */
	AUTO_FREE char *text = mem_zero(1, len);
	int fd = make_file();
	struct replay *replay;
	struct make make;

	(void)state;
	memset(text, 'x', len);
	make_open(&make, dup(fd));
	make_start(&make, "long");
	make_output(&make, "stdout", "before");
	event_begin(&make.event, EVENT_OUTPUT);
	event_str(&make.event, "stream", "stdout");
	make_content(&make, "text", text, len);
	make_append(&make);
	make_output(&make, "stdout", "after");
	make_close(&make);
	replay = film_open_whole(fd);

	assert_null(replay_end_words(replay));
	film_seek(replay, replay_events(replay));
	assert_int_equal(replay_session(replay)->output_bytes, len + 11);
	film_as_folded(fd, replay_events(replay), replay_session(replay));
	replay_close(replay);
	close(fd);
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
	replay = film_open_whole(fd);
	assert_true(replay_torn(replay));
	assert_non_null(strstr(replay_end_words(replay), "torn"));
	replay_close(replay);
	close(fd);

	line = strstr(bytes, "\"type\":\"call.ruled\"");
	line[0] = 'x';
	fd = file_of(bytes, len);
	replay = film_open_whole(fd);
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
	int fd = film_random(29, 4000);
	size_t len;
	AUTO_FREE char *bytes = read_all(fd, &len);
	char *content = strstr(bytes + len / 4, "\"text\":\"{\\\"n\\\":");
	struct replay *replay;
	struct err err = { 0 };
	uint64_t stopped;

	(void)state;
	content[14] = content[14] == '1' ? '2' : '1';
	assert_int_equal(pwrite(fd, bytes, len, 0), len);
	replay = film_open_whole(fd);

	assert_int_equal(replay_seek(replay, 10, &err), 0);
	for (stopped = 100; replay_seek(replay, stopped, &err) == 0; stopped += 100)
		assert_true(stopped < replay_events(replay));
	assert_non_null(strstr(err.text, "commitment"));
	assert_non_null(strstr(err.text, "offset"));
	assert_true(replay_position(replay) <= stopped);
	film_as_folded(fd, replay_position(replay), replay_session(replay));
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
	replay = film_open_whole(fd);

	assert_false(replay_torn(replay));
	film_seek(replay, replay_events(replay));
	(void)!replay_load(replay, 3);
	assert_true(replay_session(replay)->calls[2].more->reason.missing);
	film_as_folded(fd, replay_events(replay), replay_session(replay));
	replay_close(replay);
	close(fd);
	close(whole);
}

static void
a_record_that_grows_is_taken_in_by_a_refresh(void **state)
{
	int whole = film_random(31, 3000);
	size_t len;
	AUTO_FREE char *bytes = read_all(whole, &len);
	size_t have = len / 3;
	int fd = file_of(bytes, have);
	struct replay *replay = film_open_whole(fd);

	(void)state;
	while (have < len) {
		uint64_t before = replay_events(replay);
		size_t more = len - have < 20000 ? len - have : 20000;

		film_seek(replay, before - 7);
		assert_int_equal(pwrite(fd, bytes + have, more, (off_t)have), more);
		have += more;
		assert_true(replay_refresh(replay) > 0);
		assert_int_equal(replay_position(replay), before - 7);
		film_as_folded(whole, before - 7, replay_session(replay));
		film_seek(replay, replay_events(replay));
		film_as_folded(whole, replay_events(replay), replay_session(replay));
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
	int fd = film_random(37, 3000);
	struct replay *replay = film_open_whole(fd);
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
		cmocka_unit_test(a_record_cut_anywhere_gives_the_events_before_the_cut),
		cmocka_unit_test(a_very_long_line_is_an_event_like_any_other),
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
