#include "config.h"

#include "core/session/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/session/replay_inside.h"
#include "core/session/replay_search.h"
#include "core/session/session_inside.h"

#define HELD_MAX 64 /* held calls that a seek loads */

struct replay {
	struct replay_source source;
	struct replay_scan *scan;
	struct replay_place place;
	struct replay_place aside;  /* for replay_session_at(); empty until then */
	struct session_call at_end; /* zeroed, or in full */
	char *end_words, *fault;
};

/* --- the file --- */

static int
open_file(const char *path, struct err *err)
{
	/* A pipe must not make us wait. */
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (S_ISDIR(st.st_mode))
		return err_set(
			err, ERR_REFUSED, "%s: this is a folder, and a record is a file", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_REFUSED,
			"%s: this is no regular file, and a replay goes back and forth in one",
			path);
	return io_give(&fd);
}

/* --- what is to be said of its end --- */

static char *
words_of_fault(struct replay *replay, const struct err *fault)
{
	if (fault->kind == ERR_SYSTEM || fault->kind == ERR_LIMIT || fault->kind == ERR_REFUSED)
		return mem_printf("the film ends where the record cannot be read: %s", fault->text);
	if (replay_scan_goes_on(replay->scan))
		return mem_printf("the record is damaged, and the film ends there: %s (events "
				  "stand behind it; verify tells more)",
			fault->text);
	return mem_printf("the record's end is torn: %s", fault->text);
}

static void
set_end_words(struct replay *replay, const struct err *fault)
{
	const struct replay_index *index = &replay->source.index;
	uint64_t behind = replay_scan_size(replay->scan) - index->end;

	free(replay->end_words);
	replay->end_words = NULL;
	if (fault->kind != ERR_NONE)
		replay->end_words = words_of_fault(replay, fault);
	else if (behind > 0)
		replay->end_words = mem_printf("the last %" PRIu64
					       " bytes are no whole event: torn, or being written",
			behind);
	else if (index->event_count > 0 &&
		 index->events[index->event_count - 1].type == EVENT_ROTATED)
		replay->end_words = mem_str("the session goes on in another file");
}

static void
scan(struct replay *replay, struct err *fault)
{
	*fault = (struct err){ 0 };
	(void)!replay_scan_more(replay->scan, fault);
	set_end_words(replay, fault);
}

static int
no_record(const struct replay *replay, const char *path, const struct err *fault, struct err *err)
{
	if (fault->kind == ERR_NONE)
		return err_set(err, ERR_FORMAT, "%s: %s", path,
			replay_scan_size(replay->scan) == 0
				? "this file is empty: it is no record"
				: "this file holds no whole event: it is no record");
	return err_set(err, fault->kind == ERR_MISMATCH ? ERR_FORMAT : fault->kind, "%s: %s", path,
		fault->text);
}

struct replay *
replay_open(const char *path, struct err *err)
{
	int fd = open_file(path, err);
	struct replay *replay;
	struct err fault;

	if (fd < 0)
		return NULL;
	replay = mem_zero(1, sizeof(*replay));
	replay_file_init(&replay->source.file, fd);
	words_init(&replay->source.index.words);
	replay->scan = replay_scan_new(&replay->source.file, &replay->source.index);
	replay_place_init(&replay->place);
	replay_place_init(&replay->aside);
	scan(replay, &fault);
	if (replay->source.index.event_count > 0) {
		/* The entries of all calls are made now, so that no later seek has to. */
		if (replay_seek(replay, 1, &fault) == 0 && replay_seek(replay, 0, &fault) == 0)
			return replay;
	}
	no_record(replay, path, &fault, err);
	replay_close(replay);
	return NULL;
}

static void
release_index(struct replay_index *index)
{
	for (size_t i = 0; i < index->counter_count; i++)
		free(index->counters[i].values);
	free(index->events);
	free(index->calls);
	free(index->structure);
	free(index->outputs);
	free(index->counters);
	free(index->edits);
	free(index->checkpoints);
	free(index->waits);
	free(index->used);
	free(index->marks);
	words_release(&index->words);
}

void
replay_close(struct replay *replay)
{
	if (!replay)
		return;
	replay_place_release(&replay->place);
	replay_place_release(&replay->aside);
	replay_scan_free(replay->scan);
	session_call_release(&replay->at_end);
	release_index(&replay->source.index);
	replay_file_release(&replay->source.file);
	free(replay->end_words);
	free(replay->fault);
	free(replay);
}

uint64_t
replay_refresh(struct replay *replay)
{
	const struct replay_index *index = &replay->source.index;
	size_t before = index->event_count;
	struct err fault;

	scan(replay, &fault);
	if (index->event_count > before) {
		uint64_t position = replay->place.position;

		replay_place_grown(&replay->place, index);
		replay_place_release(&replay->aside);
		(void)!replay_seek(replay, position, NULL);
	}
	return index->event_count - before;
}

/* --- what the index tells --- */

uint64_t
replay_events(const struct replay *replay)
{
	return replay->source.index.event_count;
}

bool
replay_torn(const struct replay *replay)
{
	return replay_scan_size(replay->scan) > replay->source.index.end;
}

const char *
replay_end_words(const struct replay *replay)
{
	return replay->end_words;
}

int64_t
replay_length(const struct replay *replay)
{
	return replay_mono(replay, replay_events(replay));
}

int64_t
replay_mono(const struct replay *replay, uint64_t index)
{
	uint64_t events = replay_events(replay);

	return replay->source.index.events[index < events ? index : events - 1].mono;
}

uint64_t
replay_at_mono(const struct replay *replay, int64_t mono)
{
	uint64_t low = 0, high = replay_events(replay);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (replay->source.index.events[middle].mono <= mono)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t
replay_marks(const struct replay *replay)
{
	return replay->source.index.mark_count;
}

struct replay_mark
replay_mark(const struct replay *replay, size_t i)
{
	return replay->source.index.marks[i];
}

bool
replay_search(const struct replay *replay, const char *needle, size_t len, uint64_t from, bool back,
	uint64_t *index)
{
	return replay_search_bytes(
		replay->source.file.fd, &replay->source.index, needle, len, from, back, index);
}

/* --- the session at a position --- */

static void
keep_fault(struct replay *replay, const struct err *err)
{
	free(replay->fault);
	replay->fault = err->kind == ERR_NONE ? NULL : mem_str(err->text);
}

/* What waits is looked at first: the front of the queue with all its page needs. */
static void
load_held(struct replay *replay)
{
	const struct session *session = &replay->place.session;
	size_t left = session->waiting < HELD_MAX ? session->waiting : HELD_MAX;
	struct err err = { 0 };

	for (size_t i = session->held_from; left > 0 && i < session->call_count; i++) {
		if (session->calls[i].state != CALL_HELD)
			continue;
		left--;
		if (i == session->held_from)
			(void)!replay_place_load(&replay->place, &replay->source, i + 1, &err);
		else
			(void)!replay_place_load_one(&replay->place, &replay->source, i + 1, &err);
	}
	keep_fault(replay, &err);
}

int
replay_seek(struct replay *replay, uint64_t position, struct err *err)
{
	int result;

	if (position > replay_events(replay))
		position = replay_events(replay);
	result = replay_place_seek(&replay->place, &replay->source, position, err);
	load_held(replay);
	return result;
}

uint64_t
replay_position(const struct replay *replay)
{
	return replay->place.position;
}

const struct session *
replay_session(const struct replay *replay)
{
	return &replay->place.session;
}

bool
replay_load(struct replay *replay, uint64_t call)
{
	struct err err = { 0 };
	int loaded = replay_place_load(&replay->place, &replay->source, call, &err);

	keep_fault(replay, &err);
	return loaded > 0;
}

const char *
replay_fault(const struct replay *replay)
{
	return replay->fault;
}

const struct session *
replay_session_at(struct replay *replay, uint64_t seq, uint64_t call, struct err *err)
{
	struct replay_place *aside = &replay->aside;

	if (seq >= replay_events(replay)) {
		err_set(err, ERR_MISSING, "there is no event %" PRIu64, seq);
		return NULL;
	}
	if (aside->calls_ready == 0)
		replay_place_like(aside, &replay->place, &replay->source.index);
	if (replay_place_seek(aside, &replay->source, seq + 1, err) < 0 ||
		replay_place_load(aside, &replay->source, call, err) < 0)
		return NULL;
	if (session_call(&aside->session, call))
		return &aside->session;
	err_set(err, ERR_MISSING, "there is no call %" PRIu64 " at event %" PRIu64, call, seq);
	return NULL;
}

const struct session_call *
replay_call_at_end(struct replay *replay, uint64_t call, struct err *err)
{
	const struct replay_index *index = &replay->source.index;
	struct session_call *made = &replay->at_end;

	session_call_release(made);
	memset(made, 0, sizeof(*made));
	if (call == 0 || call > index->call_count) {
		err_set(err, ERR_MISSING, "there is no call %" PRIu64 " in the record", call);
		return NULL;
	}
	if (replay_place_call(&replay->source, (size_t)call - 1, REPLAY_NEVER, made, err) < 0) {
		memset(made, 0, sizeof(*made));
		return NULL;
	}
	made->nth_here = index->calls[call - 1].nth_here;
	if (made->held_mono > 0)
		made->held_mono = index->calls[call - 1].held_mono;
	return made;
}
