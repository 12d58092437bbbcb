/*
 * The index is made by the same fold that session.c is, by events' bytes where they are many
 * (calls, counters, output, lines), through session_apply() itself where they are few: `now` is the
 * session without its calls, counters and outputs.  tests/session/test_replay.c holds one fold
 * against the other.
 *
 * Events of calls are taken in only where session.c takes them in; an event that it passes over
 * leaves no trace here either.
 */
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/replay.h"
#include "core/session/replay_fields.h"
#include "core/session/replay_inside.h"
#include "core/session/replay_lines.h"
#include "core/session/session_inside.h"

struct replay_fold {
	struct replay_file *file;
	struct replay_index *index;
	struct session now;
	struct buf room; /* for texts with escapes */
	struct replay_lines lines;
	size_t open_from; /* the calls before have ended */
	/* Indexes of held calls, ascending; the first is at `head`. */
	uint32_t *queue;
	size_t head, tail, queue_room;
	int64_t *used; /* of grants, by now */
	size_t used_count, used_room;
	size_t output_bytes;
	uint32_t *counter_of; /* index + 1, by word */
	size_t counter_of_room;
};

struct replay_fold *
replay_fold_new(struct replay_file *file, struct replay_index *index)
{
	struct replay_fold *fold = mem_zero(1, sizeof(*fold));

	fold->file = file;
	fold->index = index;
	session_init(&fold->now);
	buf_init(&fold->room, BUF_UNBOUNDED);
	return fold;
}

void
replay_fold_free(struct replay_fold *fold)
{
	if (!fold)
		return;
	session_release(&fold->now);
	buf_release(&fold->room);
	replay_lines_release(&fold->lines);
	free(fold->queue);
	free(fold->used);
	free(fold->counter_of);
	free(fold);
}

/* --- what an event says --- */

/* One event on its way into the index. */
struct telling {
	struct replay_fold *fold;
	const struct replay_line *line;
	struct span data;
	const struct replay_content *contents;
	size_t content_count;
	uint32_t i; /* index of the event */
};

static uint32_t
word_of(const struct telling *told, struct span value)
{
	struct span text = span_text(value, &told->fold->room);

	return words_add(&told->fold->index->words, text.at, text.len);
}

static int
small_of(struct span value)
{
	int64_t number = span_number(value, 0);

	return number > INT_MAX ? INT_MAX : (int)number;
}

/* The content line that a reference names; NULL: it is not there. */
static const struct replay_content *
content_of(const struct telling *told, struct span reference)
{
	struct span hex = span_text(fields_get(reference, "$content"), &told->fold->room);

	for (size_t i = 0; i < told->content_count; i++)
		if (span_is(hex, told->contents[i].commitment, DIGEST_HEX - 1))
			return &told->contents[i];
	return NULL;
}

static bool
word_is(const struct replay_index *index, uint32_t word, const char *text)
{
	const char *is = words_text(&index->words, word);

	return is && strcmp(is, text) == 0;
}

/* --- marks --- */

static void
add_mark(const struct telling *told, enum replay_mark_kind kind, bool decision)
{
	struct replay_index *index = told->fold->index;

	REPLAY_ROOM(index->marks, index->mark_count, index->mark_room);
	index->marks[index->mark_count++] = (struct replay_mark){
		.index = told->i,
		.mono = told->line->mono,
		.kind = kind,
		.decision = decision,
	};
}

static void
mark_decided(const struct telling *told, const struct replay_call *call)
{
	static const char *const of_itself[] = { "rule", "default", "grant", "limit", "invalid",
		"earlier", "budget", "ended" };
	const struct replay_index *index = told->fold->index;
	bool denied = word_is(index, call->verdict, "deny");
	bool decision = true;

	for (size_t i = 0; i < ARRAY_SIZE(of_itself); i++)
		if (word_is(index, call->by, of_itself[i]))
			decision = false;
	if (decision || denied)
		add_mark(told, denied ? REPLAY_DENIED : REPLAY_APPROVED, decision);
}

static void
mark_outcome(const struct telling *told, struct span outcome)
{
	static const char *const fine[] = { "ok", "denied", "cancelled", "reused", "simulated" };
	struct span text = span_text(outcome, &told->fold->room);

	for (size_t i = 0; i < ARRAY_SIZE(fine); i++)
		if (span_is(text, fine[i], strlen(fine[i])))
			return;
	add_mark(told, REPLAY_FAILED, false);
}

/* --- the queue of held calls --- */

static void
show_waiting(struct replay_fold *fold)
{
	if (fold->tail > fold->head)
		fold->now.state = RUN_WAITING;
	else if (fold->now.state == RUN_WAITING)
		fold->now.state = RUN_RUNNING;
}

static void
enter_queue(struct replay_fold *fold, uint32_t call)
{
	size_t at;

	if (fold->head == fold->tail)
		fold->head = fold->tail = 0;
	REPLAY_ROOM(fold->queue, fold->tail, fold->queue_room);
	for (at = fold->tail; at > fold->head && fold->queue[at - 1] > call; at--)
		fold->queue[at] = fold->queue[at - 1];
	fold->queue[at] = call;
	fold->tail++;
	show_waiting(fold);
}

static size_t
place_in_queue(const struct replay_fold *fold, uint32_t call)
{
	size_t low = fold->head, high = fold->tail;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (fold->queue[middle] < call)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
leave_queue(struct replay_fold *fold, uint32_t call, int64_t mono)
{
	size_t at = place_in_queue(fold, call);
	bool was_first = at == fold->head;
	struct replay_call *next;

	if (was_first)
		fold->head++;
	else
		memmove(fold->queue + at, fold->queue + at + 1,
			(--fold->tail - at) * sizeof(*fold->queue));
	show_waiting(fold);
	if (!was_first || fold->head == fold->tail)
		return;
	next = &fold->index->calls[fold->queue[fold->head]];
	if (next->held_mono < mono)
		next->held_mono = mono;
}

static void
stood_still(struct replay_fold *fold, int64_t from, int64_t to)
{
	struct replay_call *first;

	if (fold->head == fold->tail)
		return;
	first = &fold->index->calls[fold->queue[fold->head]];
	if (first->held_mono > from)
		from = first->held_mono;
	if (to > from)
		first->held_mono += to - from;
}

/* --- calls --- */

static void
tell_runs(struct replay_fold *fold, int64_t mono)
{
	session_runs(&fold->now, &(struct event_view){ .mono = mono });
}

static void
call_request(const struct telling *told)
{
	struct replay_fold *fold = told->fold;
	struct replay_index *index = fold->index;
	struct fields it = fields_of(told->data);
	const struct replay_content *args = NULL;
	uint64_t number = 0;
	struct replay_call call = {
		.last = told->i,
		.requested = told->i,
		.ruled = REPLAY_NEVER,
		.held = REPLAY_NEVER,
		.decided = REPLAY_NEVER,
		.started = REPLAY_NEVER,
		.ended = REPLAY_NEVER,
	};

	while (fields_next(&it)) {
		if (SPAN_IS(it.key, "call"))
			number = (uint64_t)span_number(it.value, 0);
		else if (SPAN_IS(it.key, "run"))
			call.run = (uint32_t)span_number(it.value, 0);
		else if (SPAN_IS(it.key, "attempt"))
			call.attempt = (uint32_t)span_number(it.value, 0);
		else if (SPAN_IS(it.key, "line"))
			call.line = (int32_t)(span_number(it.value, 0) & 0x7fffffff);
		else if (SPAN_IS(it.key, "tool"))
			call.tool = word_of(told, it.value);
		else if (SPAN_IS(it.key, "origin"))
			call.origin = word_of(told, it.value);
		else if (SPAN_IS(it.key, "args"))
			args = content_of(told, it.value);
	}
	if (number != index->call_count + 1)
		return;
	if (call.tool == 0)
		call.tool = words_add(&index->words, "", 0);
	call.args = args ? args->text : 0;
	call.nth_here = replay_lines_nth(&fold->lines, call.attempt, call.line, call.tool);
	tell_runs(fold, told->line->mono);
	REPLAY_ROOM(index->calls, index->call_count, index->call_room);
	index->calls[index->call_count++] = call;
	index->events[told->i].call = (uint32_t)number;
	if (call.line > 0)
		fold->now.live_line = call.line;
}

static void
call_decided(const struct telling *told, struct replay_call *call)
{
	struct replay_fold *fold = told->fold;
	struct fields it = fields_of(told->data);

	if (call->decided != REPLAY_NEVER || call->ended != REPLAY_NEVER)
		return;
	if (call->held != REPLAY_NEVER)
		leave_queue(fold, (uint32_t)(call - fold->index->calls), told->line->mono);
	call->decided = told->i;
	while (fields_next(&it)) {
		if (SPAN_IS(it.key, "verdict"))
			call->verdict = word_of(told, it.value);
		else if (SPAN_IS(it.key, "by"))
			call->by = word_of(told, it.value);
		else if (SPAN_IS(it.key, "grant"))
			call->grant = (uint64_t)span_number(it.value, 0);
	}
	if (call->grant > 0 && call->grant <= fold->used_count)
		fold->used[call->grant - 1]++;
	fold->now.denied += word_is(fold->index, call->verdict, "deny");
	mark_decided(told, call);
}

static void
call_end(const struct telling *told, struct replay_call *call)
{
	struct replay_fold *fold = told->fold;
	struct replay_index *index = fold->index;
	struct span outcome = fields_get(told->data, "outcome");

	if (call->ended != REPLAY_NEVER)
		return;
	if (call->held != REPLAY_NEVER && call->decided == REPLAY_NEVER)
		leave_queue(fold, (uint32_t)(call - index->calls), told->line->mono);
	call->ended = told->i;
	call->outcome = word_of(told, outcome);
	call->ms = span_number(fields_get(told->data, "ms"), 0);
	mark_outcome(told, outcome);
	while (fold->open_from < index->call_count &&
		index->calls[fold->open_from].ended != REPLAY_NEVER)
		fold->open_from++;
}

/* Of several rulings the index keeps the latest; a position before it shows none. */
static void
call_ruled(const struct telling *told, struct replay_call *call)
{
	if (call->ended != REPLAY_NEVER)
		return;
	call->ruled = told->i;
	call->action = word_of(told, fields_get(told->data, "action"));
	call->rule = word_of(told, fields_get(told->data, "rule"));
}

static void
call_held(const struct telling *told, struct replay_call *call)
{
	struct replay_fold *fold = told->fold;

	if (call->held != REPLAY_NEVER || call->decided != REPLAY_NEVER ||
		call->ended != REPLAY_NEVER)
		return;
	call->held = told->i;
	call->held_mono = told->line->mono;
	call->held_why = word_of(told, fields_get(told->data, "why"));
	enter_queue(fold, (uint32_t)(call - fold->index->calls));
}

static void
call_edited(const struct telling *told, struct replay_call *call)
{
	struct replay_index *index = told->fold->index;
	const struct replay_content *args = content_of(told, fields_get(told->data, "args"));

	call->edited = true;
	REPLAY_ROOM(index->edits, index->edit_count, index->edit_room);
	index->edits[index->edit_count++] =
		(struct replay_edit){ (uint32_t)(call - index->calls), args ? args->text : 0 };
}

static void
call_event(const struct telling *told)
{
	struct replay_index *index = told->fold->index;
	uint64_t number = (uint64_t)span_number(fields_get(told->data, "call"), 0);
	struct replay_event *event = &index->events[told->i];
	struct replay_call *call;

	if (number == 0 || number > index->call_count)
		return;
	call = &index->calls[number - 1];
	event->call = (uint32_t)number;
	event->before = call->last + 1;
	call->last = told->i;
	if (told->line->type == EVENT_CALL_RULED)
		call_ruled(told, call);
	else if (told->line->type == EVENT_CALL_HELD)
		call_held(told, call);
	else if (told->line->type == EVENT_CALL_EDITED)
		call_edited(told, call);
	else if (told->line->type == EVENT_CALL_DECIDED)
		call_decided(told, call);
	else if (told->line->type == EVENT_CALL_END)
		call_end(told, call);
	else if (told->line->type == EVENT_CALL_START && call->decided != REPLAY_NEVER &&
		 call->started == REPLAY_NEVER && call->ended == REPLAY_NEVER)
		call->started = told->i;
}

/* --- counters and output --- */

static struct replay_counter *
counter_of(struct replay_fold *fold, uint32_t name)
{
	struct replay_index *index = fold->index;

	if (name >= fold->counter_of_room) {
		size_t room = 2 * (size_t)name + 64;

		fold->counter_of = mem_grow(fold->counter_of, room, sizeof(*fold->counter_of));
		memset(fold->counter_of + fold->counter_of_room, 0,
			(room - fold->counter_of_room) * sizeof(*fold->counter_of));
		fold->counter_of_room = room;
	}
	if (fold->counter_of[name] == 0) {
		index->counters = session_room(
			index->counters, index->counter_count, sizeof(*index->counters));
		index->counters[index->counter_count++].name = name;
		fold->counter_of[name] = (uint32_t)index->counter_count;
	}
	return &index->counters[fold->counter_of[name] - 1];
}

static void
budget(const struct telling *told)
{
	struct fields each = fields_elements(fields_get(told->data, "counters"));

	while (fields_next_element(&each)) {
		uint32_t name = word_of(told, fields_get(each.value, "name"));
		struct replay_counter *counter;
		struct replay_value value = {
			.index = told->i,
			.used = span_number(fields_get(each.value, "used"), 0),
			.limit = span_number(fields_get(each.value, "limit"), -1),
		};

		if (name == 0)
			continue;
		counter = counter_of(told->fold, name);
		REPLAY_ROOM(counter->values, counter->count, counter->room);
		counter->values[counter->count++] = value;
	}
}

static void
output(const struct telling *told)
{
	struct replay_index *index = told->fold->index;
	struct span text = fields_get(told->data, "text");

	REPLAY_ROOM(index->outputs, index->output_count, index->output_room);
	index->outputs[index->output_count++] = told->i;
	if (content_of(told, text))
		told->fold->output_bytes += (size_t)span_number(fields_get(text, "bytes"), 0);
}

/* --- the structure --- */

static int
structure(const struct telling *told, struct err *err)
{
	struct replay_fold *fold = told->fold;
	struct replay_index *index = fold->index;
	bool away = fold->now.away;
	int64_t since = fold->now.away_mono;
	struct event_view view;

	if (replay_file_event(fold->file, index, told->i, &view, err) < 0)
		return -1;
	session_apply(&fold->now, &view);
	if (away && !fold->now.away)
		stood_still(fold, since, view.mono);
	while (fold->used_count < fold->now.grant_count) {
		REPLAY_ROOM(fold->used, fold->used_count, fold->used_room);
		fold->used[fold->used_count++] = 0;
	}
	if (told->line->type == EVENT_PROGRAM_END)
		mark_outcome(told, fields_get(told->data, "outcome"));
	REPLAY_ROOM(index->structure, index->structure_count, index->structure_room);
	index->structure[index->structure_count++] = told->i;
	return 0;
}

static int
tell(const struct telling *told, struct err *err)
{
	switch (told->line->type) {
	case EVENT_CALL_REQUEST:
		return call_request(told), 0;
	case EVENT_CALL_RULED:
	case EVENT_CALL_HELD:
	case EVENT_CALL_PRESENTED:
	case EVENT_CALL_EDITED:
	case EVENT_CALL_UNEDITED:
	case EVENT_CALL_EXTENDED:
	case EVENT_CALL_ESCALATED:
	case EVENT_CALL_REVIEWED:
	case EVENT_CALL_DECIDED:
	case EVENT_CALL_START:
	case EVENT_CALL_END:
		return call_event(told), 0;
	case EVENT_BUDGET:
		return budget(told), 0;
	case EVENT_OUTPUT:
		return output(told), 0;
	case EVENT_PROGRAM_LINE:
		tell_runs(told->fold, told->line->mono);
		told->fold->now.live_line = small_of(fields_get(told->data, "line"));
		return 0;
	default:
		return session_folds(told->line->type) ? structure(told, err) : 0;
	}
}

/* Not more often than it costs, so that their memory stays in proportion to the events. */
static void
checkpoint(struct replay_fold *fold)
{
	struct replay_index *index = fold->index;
	size_t waiting = fold->tail - fold->head;
	size_t last = index->checkpoint_count
			      ? index->checkpoints[index->checkpoint_count - 1].position
			      : 0;

	if (index->event_count - last < REPLAY_STEP ||
		index->event_count - last < waiting + fold->used_count)
		return;
	REPLAY_ROOM(index->checkpoints, index->checkpoint_count, index->checkpoint_room);
	index->checkpoints[index->checkpoint_count++] = (struct replay_checkpoint){
		.position = (uint32_t)index->event_count,
		.calls = (uint32_t)index->call_count,
		.open_from = (uint32_t)fold->open_from,
		.structure = (uint32_t)index->structure_count,
		.outputs = (uint32_t)index->output_count,
		.output_bytes = fold->output_bytes,
		.state = fold->now.state,
		.live_line = fold->now.live_line,
		.begun_mono = fold->now.begun_mono,
		.denied = fold->now.denied,
		.waits = index->wait_count,
		.waiting = waiting,
		.grants = index->used_count,
		.grant_count = fold->used_count,
	};
	for (size_t i = fold->head; i < fold->tail; i++) {
		REPLAY_ROOM(index->waits, index->wait_count, index->wait_room);
		index->waits[index->wait_count++] = (struct replay_wait){ fold->queue[i],
			index->calls[fold->queue[i]].held_mono };
	}
	for (size_t i = 0; i < fold->used_count; i++) {
		REPLAY_ROOM(index->used, index->used_count, index->used_room);
		index->used[index->used_count++] = fold->used[i];
	}
}

int
replay_fold_event(struct replay_fold *fold, const struct replay_line *line,
	const struct replay_content *contents, size_t content_count, struct err *err)
{
	struct telling told = {
		.fold = fold,
		.line = line,
		.data = { line->data, line->data_len },
		.contents = contents,
		.content_count = content_count,
		.i = (uint32_t)(fold->index->event_count - 1),
	};

	if (tell(&told, err) < 0)
		return -1;
	checkpoint(fold);
	return 0;
}
