#include "config.h"

#include "tests/session/films.h"

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

struct replay *
film_open(int fd, struct err *err)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return replay_open(path, err);
}

struct replay *
film_open_whole(int fd)
{
	struct err err = { 0 };
	struct replay *replay = film_open(fd, &err);

	assert_string_equal(err.text, "");
	assert_non_null(replay);
	return replay;
}

int
film_random(unsigned seed, unsigned events)
{
	int fd = make_file();

	random_record(dup(fd), seed, events);
	return fd;
}

void
film_seek(struct replay *replay, uint64_t position)
{
	struct err err = { 0 };

	if (replay_seek(replay, position, &err) < 0)
		fail_msg("position %llu: %s", (unsigned long long)position, err.text);
	assert_int_equal(replay_position(replay), position);
}

void
film_as_folded(int fd, uint64_t position, const struct session *film)
{
	struct session plain;
	char *difference;

	plain_fold(fd, position, &plain);
	difference = plain_difference(&plain, film);
	if (difference)
		fail_msg("at position %llu: %s", (unsigned long long)position, difference);
	session_release(&plain);
}
