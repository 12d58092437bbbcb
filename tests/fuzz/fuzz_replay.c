/*
 * Whatever a file holds: a replay of it opens or says why not; every position gives a session or an
 * error that names the place; and where the strict reader reads up to there, what is counted is
 * what the plain fold counts.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/record/reader.h"
#include "core/session/replay.h"
#include "core/session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
must(bool held)
{
	if (!held)
		abort();
}

static struct replay *
open_bytes(const char *bytes, size_t len, struct err *err)
{
	int fd = memfd_create("record", MFD_CLOEXEC);
	struct replay *replay;
	char path[64];

	must(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	replay = replay_open(path, err);
	close(fd);
	return replay;
}

/* False: a line before does not read. */
static bool
fold(const char *bytes, size_t len, uint64_t position, struct session *out)
{
	struct reader *reader = reader_new(READER_LENIENT);
	struct event_view view;
	uint64_t events = 0;

	session_init(out);
	must(reader_feed(reader, bytes, len, NULL) == 0);
	while (events < position && reader_next(reader, &view, NULL) > 0) {
		session_apply(out, &view);
		events++;
	}
	reader_free(reader);
	return events == position;
}

static void
check_counts(const struct session *film)
{
	size_t waiting = 0;

	for (size_t i = 0; i < film->call_count; i++) {
		must(film->calls[i].number == i + 1 && film->calls[i].tool && film->calls[i].more);
		waiting += film->calls[i].state == CALL_HELD;
	}
	must(waiting == film->waiting);
	must(!waiting || session_first_held(film)->state == CALL_HELD);
}

static void
check_equal(const struct session *plain, const struct session *film)
{
	must(plain->call_count == film->call_count && plain->waiting == film->waiting);
	must(plain->denied == film->denied && plain->output_bytes == film->output_bytes);
	must(plain->state == film->state && plain->mono == film->mono);
	must(plain->counter_count == film->counter_count);
	must(plain->program_count == film->program_count);
	for (size_t i = 0; i < plain->call_count; i++) {
		const struct session_call *a = &plain->calls[i], *b = &film->calls[i];

		must(a->state == b->state && a->nth_here == b->nth_here && a->line == b->line);
		must(a->held_mono == b->held_mono && a->ended_mono == b->ended_mono);
		must(strcmp(a->tool, b->tool) == 0);
	}
}

static void
look_at(struct replay *replay, uint64_t position, const char *bytes, size_t len)
{
	const struct session *film = replay_session(replay);
	struct err err = { 0 };
	struct session plain;
	bool reached = replay_seek(replay, position, &err) == 0;

	must(reached || (err.text[0] && replay_position(replay) <= position));
	must(film->generation == replay_position(replay));
	check_counts(film);
	if (fold(bytes, len, replay_position(replay), &plain))
		check_equal(&plain, film);
	session_release(&plain);
	for (uint64_t call = 0; call <= film->call_count + 1 && call < 20; call++)
		(void)!replay_load(replay, call);
	check_counts(film);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct err err = { 0 };
	struct replay *replay = open_bytes((const char *)bytes, len, &err);
	uint64_t events, index;
	const struct session *session;

	if (!replay) {
		must(err.text[0] != '\0');
		return 0;
	}
	events = replay_events(replay);
	look_at(replay, events, (const char *)bytes, len);
	look_at(replay, events / 2, (const char *)bytes, len);
	look_at(replay, events / 2 + 1, (const char *)bytes, len);
	look_at(replay, 0, (const char *)bytes, len);
	look_at(replay, events / 3, (const char *)bytes, len);
	session = replay_session_at(replay, events - 1, 1, &err);
	must(!session || session_call(session, 1)->loaded);
	if (replay_search(replay, "CALL", 4, 0, false, &index))
		must(index < events);
	must(replay_marks(replay) <= 2 * events && replay_refresh(replay) == 0);
	replay_close(replay);
	return 0;
}
