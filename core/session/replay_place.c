/*
 * A session at a position is put together from the checkpoint before it - structure folded again,
 * calls as the index has them, counters and the latest output - and then the events from the
 * checkpoint to the position are folded as everywhere.  A call that such an event is about is
 * loaded first, so that session_apply() never meets one that is not.
 *
 * Entries of calls[] that were not touched hold the call's last state, which is right for all that
 * had ended at the checkpoint; the open ones and those that were loaded are in `touched`, and the
 * next build sets them back.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/replay_inside.h"
#include "core/session/session_inside.h"

#define STEPS_MAX 8                    /* checkpoints gone over before a place is built anew */
#define LOADED_MAX 4096                /* calls, for a while */
#define BYTES_MAX ((uint64_t)16 << 20) /* the same in bytes of the record */
#define OUTPUTS_MAX 256                /* chunks before the checkpoint that are there */
#define OUTPUT_BYTES_MAX ((uint64_t)1 << 18)

void
replay_place_init(struct replay_place *place)
{
	memset(place, 0, sizeof(*place));
	session_init(&place->session);
}

void
replay_place_release(struct replay_place *place)
{
	/* What was touched may lie behind the position. */
	place->session.call_count = place->calls_ready;
	session_release(&place->session);
	free(place->touched);
	replay_place_init(place);
}

static void
touch(struct replay_place *place, size_t call)
{
	REPLAY_ROOM(place->touched, place->touched_count, place->touched_room);
	place->touched[place->touched_count++] = (uint32_t)call;
}

/* --- calls --- */

/* All entries hold their last state again. */
static void
reset_calls(struct replay_place *place, const struct replay_index *index)
{
	struct session *session = &place->session;

	for (size_t i = 0; i < place->touched_count; i++) {
		struct session_call *call = &session->calls[place->touched[i]];

		session_call_release(call);
		replay_light_call(index, place->touched[i], REPLAY_NEVER, call);
	}
	place->touched_count = 0;
	if (session->call_room < index->call_count) {
		session->call_room = index->call_count;
		session->calls =
			mem_grow_large(session->calls, session->call_room, sizeof(*session->calls));
	}
	for (; place->calls_ready < index->call_count; place->calls_ready++)
		replay_light_call(index, place->calls_ready, REPLAY_NEVER,
			&session->calls[place->calls_ready]);
}

void
replay_place_grown(struct replay_place *place, const struct replay_index *index)
{
	size_t count = place->session.call_count;

	reset_calls(place, index);
	place->session.call_count = count;
	for (size_t i = 0; i < place->calls_ready; i++)
		replay_light_call(index, i, REPLAY_NEVER, &place->session.calls[i]);
	place->base = UINT64_MAX; /* no shorter way than to build it */
}

void
replay_place_like(struct replay_place *place, const struct replay_place *other,
	const struct replay_index *index)
{
	struct session *session = &place->session;

	replay_place_init(place);
	if (other->calls_ready == 0)
		return;
	place->calls_ready = session->call_room = other->calls_ready;
	session->calls = mem_grow_large(NULL, session->call_room, sizeof(*session->calls));
	memcpy(session->calls, other->session.calls, place->calls_ready * sizeof(*session->calls));
	for (size_t i = 0; i < other->touched_count; i++)
		replay_light_call(
			index, other->touched[i], REPLAY_NEVER, &session->calls[other->touched[i]]);
}

static void
place_calls(struct replay_place *place, const struct replay_index *index,
	const struct replay_checkpoint *from)
{
	struct session *session = &place->session;

	session->call_count = from->calls;
	for (size_t i = from->open_from; i < from->calls; i++) {
		if (index->calls[i].ended < from->position)
			continue;
		replay_light_call(index, i, from->position, &session->calls[i]);
		touch(place, i);
	}
	session->waiting = from->waiting;
	for (size_t i = 0; i < from->waiting; i++) {
		const struct replay_wait *wait = &index->waits[from->waits + i];

		if (i == 0)
			session->held_from = wait->call;
		session->calls[wait->call].held_mono = wait->held_mono;
	}
}

int
replay_place_call(struct replay_source *source, size_t call, uint64_t position,
	struct session_call *made, struct err *err)
{
	const struct replay_index *index = &source->index;
	AUTO_FREE uint32_t *chain = NULL;
	size_t count = 0, room = 0;
	uint32_t at = index->calls[call].last + 1;

	memset(made, 0, sizeof(*made));
	for (; at > 0; at = index->events[at - 1].before) {
		if (at - 1 >= position)
			continue;
		REPLAY_ROOM(chain, count, room);
		chain[count++] = at - 1;
	}
	if (count == 0)
		return err_set(err, ERR_MISSING, "call %zu is not there yet", call + 1);
	while (count > 0) {
		struct event_view view;

		if (replay_file_event(&source->file, index, chain[--count], &view, err) < 0) {
			session_call_release(made);
			return -1;
		}
		(void)session_call_own(made, &view);
	}
	return 0;
}

/* Make the entry from the call's own events before `position`. */
static int
load(struct replay_place *place, struct replay_source *source, size_t call, uint64_t position,
	struct err *err)
{
	struct session_call *entry = &place->session.calls[call];
	struct session_call made;

	if (replay_place_call(source, call, position, &made, err) < 0)
		return -1;
	made.nth_here = entry->nth_here;
	if (made.held_mono > 0)
		made.held_mono = entry->held_mono;
	*entry = made;
	touch(place, call);
	return 0;
}

/* --- the rest at a checkpoint --- */

/* The session without anything, but for the room of its calls. */
static void
forget_structure(struct replay_place *place)
{
	struct session *session = &place->session;
	struct session_call *calls = session->calls;
	size_t room = session->call_room;

	session->calls = NULL;
	session->call_count = 0;
	session_release(session);
	session->calls = calls;
	session->call_room = room;
	place->structure = 0;
}

static int
place_structure(
	struct replay_place *place, struct replay_source *source, size_t count, struct err *err)
{
	struct session *session = &place->session;

	session->call_count = 0;
	session->waiting = 0;
	for (; place->structure < count; place->structure++) {
		struct event_view view;

		if (replay_file_event(&source->file, &source->index,
			    source->index.structure[place->structure], &view, err) < 0)
			return -1;
		session_apply(session, &view);
	}
	return 0;
}

static void
place_counters(struct session *session, const struct replay_index *index, uint64_t position)
{
	for (size_t i = 0; i < session->counter_count; i++)
		free(session->counters[i].name);
	session->counter_count = 0;
	for (size_t i = 0; i < index->counter_count; i++) {
		const struct replay_counter *counter = &index->counters[i];
		size_t low = 0, high = counter->count;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (counter->values[middle].index < position)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == 0)
			break;
		if (i == 0)
			session->counters = mem_grow(session->counters, index->counter_count,
				sizeof(*session->counters));
		session->counters[session->counter_count++] = (struct session_counter){
			.name = mem_str(words_text(&index->words, counter->name)),
			.used = counter->values[low - 1].used,
			.limit = counter->values[low - 1].limit,
		};
	}
}

/* The last chunks before the checkpoint, as many as are worth showing. */
static int
place_outputs(
	struct replay_place *place, struct replay_source *source, size_t count, struct err *err)
{
	const struct replay_index *index = &source->index;
	struct session *session = &place->session;
	size_t first = count;
	uint64_t bytes = 0;

	for (size_t i = 0; i < session->output_count; i++)
		session_drop_blob(&session->outputs[i].text);
	session->output_count = 0;
	while (first > 0 && count - first < OUTPUTS_MAX && bytes < OUTPUT_BYTES_MAX) {
		uint32_t i = index->outputs[--first];

		bytes += (i + 1 < index->event_count ? index->events[i + 1].offset : index->end) -
			 index->events[i].offset;
	}
	session->outputs_before = first;
	for (; first < count; first++) {
		struct event_view view;

		if (replay_file_event(&source->file, index, index->outputs[first], &view, err) < 0)
			return -1;
		session_apply(session, &view);
	}
	return 0;
}

static void
place_rest(struct session *session, const struct replay_index *index,
	const struct replay_checkpoint *from)
{
	session->output_bytes = from->output_bytes;
	session->state = from->state;
	session->live_line = from->live_line;
	session->begun_mono = from->begun_mono;
	session->denied = from->denied;
	for (size_t i = 0; i < session->grant_count; i++)
		session->grants[i].used = i < from->grant_count ? index->used[from->grants + i] : 0;
	session->seq = from->position ? from->position - 1 : 0;
	session->mono = from->position ? index->events[from->position - 1].mono : 0;
	session->generation = from->position;
}

static int
build(struct replay_place *place, struct replay_source *source,
	const struct replay_checkpoint *from, struct err *err)
{
	struct session *session = &place->session;

	reset_calls(place, &source->index);
	if (place->structure > from->structure)
		forget_structure(place);
	if (place_structure(place, source, from->structure, err) < 0 ||
		place_outputs(place, source, from->outputs, err) < 0)
		return -1;
	place_counters(session, &source->index, from->position);
	place_calls(place, &source->index, from);
	place_rest(session, &source->index, from);
	place->base = place->position = from->position;
	return 0;
}

/* --- from a checkpoint to the position --- */

/* No event may reach a call that is not loaded, whatever the file says by now. */
static int
make_way(struct replay_place *place, struct replay_source *source, const struct event_view *view,
	struct err *err)
{
	const struct replay_event *event = &source->index.events[place->position];
	struct session *session = &place->session;
	uint64_t number = (uint64_t)session_number(view->data, "call", 0);
	bool request = view->type == EVENT_CALL_REQUEST;
	bool reaches = request ? number == session->call_count + 1
			       : number > 0 && number <= session->call_count;

	if (reaches != (event->call > 0))
		return err_set(err, ERR_MISMATCH,
			"seq %" PRIu64 " at offset %" PRIu64
			": the file has changed since it was opened",
			place->position, (uint64_t)event->offset);
	if (!reaches || (!request && session->calls[number - 1].loaded))
		return 0;
	if (!request)
		return 1;
	touch(place, number - 1);
	return 0;
}

static bool
is_of_call(enum event_type type)
{
	return type >= EVENT_CALL_REQUEST && type <= EVENT_CALL_END;
}

static int
step(struct replay_place *place, struct replay_source *source, struct err *err)
{
	const struct replay_index *index = &source->index;
	struct session *session = &place->session;
	size_t i = (size_t)place->position;
	struct event_view view;
	int way = 0;

	if (replay_file_event(&source->file, index, i, &view, err) < 0)
		return -1;
	if (is_of_call(view.type))
		way = make_way(place, source, &view, err);
	if (way > 0 && (load(place, source, index->events[i].call - 1, i, err) < 0 ||
			       replay_file_event(&source->file, index, i, &view, err) < 0))
		return -1;
	if (way < 0)
		return -1;
	session_apply(session, &view);
	if (place->structure < index->structure_count && index->structure[place->structure] == i)
		place->structure++;
	place->position++;
	return 0;
}

/* The last one at or before the position. */
static struct replay_checkpoint
checkpoint_before(const struct replay_index *index, uint64_t position)
{
	size_t low = 0, high = index->checkpoint_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->checkpoints[middle].position <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? index->checkpoints[low - 1] : (struct replay_checkpoint){ 0 };
}

/* Is the way from where it stands short, and is what was loaded on it little? */
static bool
is_near(const struct replay_place *place, const struct replay_index *index,
	const struct replay_checkpoint *from, uint64_t position)
{
	uint64_t begin, end;

	if (position < place->position || place->base > place->position ||
		place->calls_ready < index->call_count || place->position >= index->event_count)
		return false;
	begin = index->events[place->base].offset;
	end = position < index->event_count ? index->events[position].offset : index->end;
	return from->position <= place->position ||
	       (position - place->base < (uint64_t)STEPS_MAX * REPLAY_STEP &&
		       position - place->position < REPLAY_STEP && end - begin < BYTES_MAX);
}

int
replay_place_seek(struct replay_place *place, struct replay_source *source, uint64_t position,
	struct err *err)
{
	struct replay_checkpoint from = checkpoint_before(&source->index, position);

	if (position == place->position && place->base <= place->position &&
		place->calls_ready == source->index.call_count)
		return 0;
	if (!is_near(place, &source->index, &from, position) &&
		build(place, source, &from, err) < 0) {
		replay_place_release(place);
		return -1;
	}
	while (place->position < position)
		if (step(place, source, err) < 0)
			return -1;
	return 0;
}

/* --- calls to be looked at --- */

static bool
is_loaded(const struct replay_place *place, uint64_t number)
{
	return place->session.calls[number - 1].loaded;
}

int
replay_place_load_one(
	struct replay_place *place, struct replay_source *source, uint64_t number, struct err *err)
{
	if (number == 0 || number > place->session.call_count || is_loaded(place, number))
		return 0;
	return load(place, source, number - 1, place->position, err) < 0 ? -1 : 1;
}

static bool
has_args(const struct replay_index *index, size_t call, uint32_t args)
{
	if (index->calls[call].args == args)
		return true;
	for (size_t i = 0; index->calls[call].edited && i < index->edit_count; i++)
		if (index->edits[i].call == call && index->edits[i].args == args)
			return true;
	return false;
}

static bool
may_have_equal_args(const struct replay_index *index, size_t a, size_t b)
{
	if (has_args(index, a, index->calls[b].args))
		return true;
	for (size_t i = 0; index->calls[b].edited && i < index->edit_count; i++)
		if (index->edits[i].call == b && has_args(index, a, index->edits[i].args))
			return true;
	return false;
}

/* The latest call before that started, of this tool, with equal arguments. */
static int
load_equal(
	struct replay_place *place, struct replay_source *source, uint64_t number, struct err *err)
{
	const struct replay_index *index = &source->index;
	const struct blob *args = &place->session.calls[number - 1].args;
	int loaded = 0;

	for (size_t i = number - 1; args->bytes && i-- > 0;) {
		const struct session_call *before = &place->session.calls[i];
		int one;

		if (before->started_mono == 0 ||
			index->calls[i].tool != index->calls[number - 1].tool ||
			!may_have_equal_args(index, i, number - 1))
			continue;
		one = replay_place_load_one(place, source, i + 1, err);
		if (one < 0)
			return -1;
		loaded += one;
		if (before->args.bytes && before->args.len == args->len &&
			memcmp(before->args.bytes, args->bytes, args->len) == 0)
			break;
	}
	return loaded;
}

/* Whoever leafs through all calls loads them all: the oldest of those that have ended go. */
static void
unload_oldest(struct replay_place *place, const struct replay_index *index)
{
	size_t kept = 0;

	if (place->touched_count <= LOADED_MAX)
		return;
	for (size_t i = 0; i < place->touched_count; i++) {
		uint32_t call = place->touched[i];

		if (i >= place->touched_count - LOADED_MAX / 2 ||
			index->calls[call].ended >= place->position) {
			place->touched[kept++] = call;
			continue;
		}
		session_call_release(&place->session.calls[call]);
		replay_light_call(index, call, REPLAY_NEVER, &place->session.calls[call]);
	}
	place->touched_count = kept;
}

int
replay_place_load(
	struct replay_place *place, struct replay_source *source, uint64_t number, struct err *err)
{
	const struct session *session = &place->session;
	const struct session_call *call = session_call(session, number);
	const struct session_call *approved;
	int one, loaded;

	if (!call)
		return 0;
	unload_oldest(place, &source->index);
	loaded = replay_place_load_one(place, source, number, err);
	if (loaded < 0 || call->held_mono == 0)
		return loaded;
	approved = session_last_approved(session, call->tool, number);
	one = replay_place_load_one(place, source, approved ? approved->number : 0, err);
	if (one < 0)
		return -1;
	loaded += one;
	one = replay_place_load_one(place, source, call->repeat_of, err);
	if (one < 0)
		return -1;
	loaded += one;
	one = load_equal(place, source, number, err);
	return one < 0 ? -1 : loaded + one;
}
