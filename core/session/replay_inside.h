/*
 * replay_inside.h - what the parts of a replay share: the index over a record.
 *
 * For each event: where it is, when, of what type and call.  For each call: when it changed its
 * state, and the few words a list shows of it.  For each counter: its values in time.  Every 1024
 * events a checkpoint keeps what else depends on all events before.  The rest of a session
 * ("structure": tools, programs, grants ...) comes from few events, which are folded again.
 *
 * Knows:      session, reader, replay_words.
 * Unaware of: the screen, clocks.
 */
#ifndef CORE_SESSION_REPLAY_INSIDE_H
#define CORE_SESSION_REPLAY_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/buf.h"
#include "core/record/event.h"
#include "core/session/replay_words.h"
#include "core/session/session.h"

struct err;
struct event_view;
struct reader;
struct replay_mark;

#define REPLAY_NEVER UINT32_MAX
#define REPLAY_STEP 1024 /* events from one checkpoint to the next */

struct replay_event {
	uint64_t offset : 56; /* of its first content line */
	uint64_t type : 8;
	int64_t mono;
	uint32_t call;   /* that it is of; 0: of none, or of one that was not there */
	uint32_t before; /* index + 1 of the event before it of the same call; 0: none */
};

struct replay_call {
	uint32_t last; /* index of its last event */
	/* Indexes of the events that changed its state; REPLAY_NEVER: none did. */
	uint32_t requested, ruled, held, decided, started, ended;
	/* words */
	uint32_t tool, origin, action, rule, held_why, verdict, by, outcome;
	uint32_t run, attempt, nth_here;
	int32_t line;
	uint32_t args; /* words_hash() of the arguments as spelled */
	bool edited;   /* there are others, in replay_index.edits */
	int64_t held_mono, ms;
	uint64_t grant;
};

struct replay_edit { /* other arguments of a call */
	uint32_t call, args;
};

struct replay_value { /* of a counter, from an event on */
	uint32_t index;
	int64_t used, limit;
};

struct replay_counter {
	uint32_t name;
	struct replay_value *values;
	size_t count, room;
};

struct replay_wait {   /* a call that is held */
	uint32_t call; /* index */
	int64_t held_mono;
};

/* The state after `position` events, as far as events outside the structure take part in it. */
struct replay_checkpoint {
	uint32_t position;
	uint32_t calls, open_from; /* the calls before open_from have ended */
	uint32_t structure;        /* events of it */
	uint32_t outputs;
	size_t output_bytes;
	enum run_state state;
	int live_line;
	int64_t begun_mono;
	uint64_t denied;
	size_t waits, waiting;      /* where in replay_index.waits, how many */
	size_t grants, grant_count; /* the same in replay_index.used */
};

struct replay_index {
	struct replay_event *events;
	size_t event_count, event_room;
	uint64_t end; /* offset behind the last event */
	struct replay_call *calls;
	size_t call_count, call_room;
	uint32_t *structure; /* indexes of its events */
	size_t structure_count, structure_room;
	uint32_t *outputs; /* indexes of the output events */
	size_t output_count, output_room;
	struct replay_counter *counters; /* in order of first appearance */
	size_t counter_count;
	struct replay_edit *edits;
	size_t edit_count, edit_room;
	struct replay_checkpoint *checkpoints;
	size_t checkpoint_count, checkpoint_room;
	struct replay_wait *waits;
	size_t wait_count, wait_room;
	int64_t *used; /* of grants */
	size_t used_count, used_room;
	struct replay_mark *marks;
	size_t mark_count, mark_room;
	struct words words;
};

/* One more place behind `count` elements; not zeroed. */
#define REPLAY_ROOM(array, count, room)                                              \
	do {                                                                         \
		if ((count) == (room)) {                                             \
			(room) = (room) ? 2 * (room) : 64;                           \
			(array) = mem_grow_large((array), (room), sizeof(*(array))); \
		}                                                                    \
	} while (0)

/* --- replay_scan.c: bytes become an index --- */

struct replay_scan;
struct replay_file;

struct replay_scan *replay_scan_new(struct replay_file *file, struct replay_index *index);
void replay_scan_free(struct replay_scan *scan);
/* Go on to the end of the file as it is now.  0, or -1 at a bad line or read error: the index holds
 * the events before it. */
int replay_scan_more(struct replay_scan *scan, struct err *err) ATTR_CHECKED;
uint64_t replay_scan_size(const struct replay_scan *scan); /* of the file, when it went on */
/* After a bad line: is there a whole event behind it?  Then the record is not torn but damaged. */
bool replay_scan_goes_on(struct replay_scan *scan);

/* --- replay_fold.c: an event becomes part of the index --- */

struct replay_line { /* an event line, by its bytes */
	uint64_t seq;
	int64_t mono;
	enum event_type type;
	const char *data;
	size_t data_len;
};

struct replay_content { /* a content line before it */
	char commitment[DIGEST_HEX];
	uint32_t text; /* words_hash() of the text as spelled */
};

struct replay_fold;
struct replay_fold *replay_fold_new(struct replay_file *file, struct replay_index *index);
void replay_fold_free(struct replay_fold *fold);
/* The event was added to index->events already, without its call. */
int replay_fold_event(struct replay_fold *fold, const struct replay_line *line,
	const struct replay_content *contents, size_t content_count, struct err *err) ATTR_CHECKED;

/* --- replay_file.c: single events, strictly read --- */

struct replay_file {
	int fd;
	struct reader *reader;
	struct buf bytes;
};

void replay_file_init(struct replay_file *file, int fd);
void replay_file_release(struct replay_file *file); /* closes fd */
/* The event with this index; *view is borrowed until the next one is read.  Fails when it does not
 * read, or is not what the index says. */
int replay_file_event(struct replay_file *file, const struct replay_index *index, size_t i,
	struct event_view *view, struct err *err) ATTR_CHECKED;

/* --- replay_light.c: calls that are not loaded --- */

/* The call as it was after `position` events, its texts borrowed from the index. */
void replay_light_call(
	const struct replay_index *index, size_t call, uint64_t position, struct session_call *out);

/* --- replay_place.c: the session at a position --- */

struct replay_place {
	struct session session;
	uint64_t position;
	uint64_t base;      /* position of the checkpoint that it was built from */
	size_t structure;   /* events of it that were folded */
	size_t calls_ready; /* entries of session.calls that hold something */
	uint32_t *touched;  /* calls that differ from their last state as index->calls has it */
	size_t touched_count, touched_room;
};

struct replay_source {
	struct replay_file file;
	struct replay_index index;
};

void replay_place_init(struct replay_place *place);
void replay_place_release(struct replay_place *place);
/* A new one at position 0, whose calls are copied and not made again. */
void replay_place_like(struct replay_place *place, const struct replay_place *other,
	const struct replay_index *index);
/* Calls and events were added to the index: forget what was made of the last ones. */
void replay_place_grown(struct replay_place *place, const struct replay_index *index);
int replay_place_seek(struct replay_place *place, struct replay_source *source, uint64_t position,
	struct err *err) ATTR_CHECKED;
/* A call from its own events before `position`; nth_here and its place in the queue are not in
 * them. */
int replay_place_call(struct replay_source *source, size_t call, uint64_t position,
	struct session_call *made, struct err *err) ATTR_CHECKED;
int replay_place_load_one(struct replay_place *place, struct replay_source *source, uint64_t call,
	struct err *err) ATTR_CHECKED;
/* Load a call, and when it was held those its page is compared with.  Gives how many were loaded.
 */
int replay_place_load(struct replay_place *place, struct replay_source *source, uint64_t call,
	struct err *err) ATTR_CHECKED;

#endif
