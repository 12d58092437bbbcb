/*
 * The rows are the calls that the filter leaves.  Calls that have ended change no more, so they are
 * held against the filter once; only those from the first open one on are looked at again when the
 * session changed.
 */
#include "config.h"

#include "tui/view_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/calls_filter.h"
#include "tui/calls_row.h"
#include "tui/listbox.h"
#include "tui/view.h"

#define TITLE_FILTER_BYTES 60

struct view_calls {
	struct view view;
	struct listbox list;
	const struct session *session;
	struct calls_row row; /* how rows are drawn in this frame */
	char *words;          /* of the filter */
	struct calls_filter *filter;
	uint64_t *shown; /* numbers of the calls that it leaves, growing */
	size_t shown_count, shown_room;
	size_t settled; /* calls before have ended and were looked at */
	uint64_t seq;   /* of the session when it was looked at */
	uint64_t generation;
};

static void
calls_free(struct view *view)
{
	struct view_calls *self = (struct view_calls *)view;

	calls_filter_free(self->filter);
	free(self->words);
	free(self->shown);
	free(self);
}

/* --- which calls --- */

static void
show(struct view_calls *self, uint64_t number)
{
	if (self->shown_count == self->shown_room) {
		self->shown_room = self->shown_room ? self->shown_room * 2 : 64;
		self->shown = mem_grow(self->shown, self->shown_room, sizeof(*self->shown));
	}
	self->shown[self->shown_count++] = number;
}

/* The row of a call, or of the next one that is shown. */
static size_t
row_of(const struct view_calls *self, uint64_t number)
{
	size_t low = 0, high = self->shown_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (self->shown[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
forget(struct view_calls *self)
{
	self->shown_count = 0;
	self->settled = 0;
	self->generation = 0;
}

static void
refresh(struct view_calls *self, const struct session *session)
{
	/* A replay may have gone back: calls are fewer, or open again. */
	if (session->call_count < self->settled || session->seq < self->seq)
		forget(self);
	self->seq = session->seq;
	self->session = session;
	if (calls_filter_all(self->filter)) {
		listbox_set_count(&self->list, session->call_count);
		return;
	}
	if (self->generation != session->generation || self->generation == 0) {
		self->shown_count = row_of(self, self->settled + 1);
		for (size_t i = self->settled; i < session->call_count; i++)
			if (calls_filter_holds(self->filter, &session->calls[i]))
				show(self, session->calls[i].number);
		while (self->settled < session->call_count &&
			session->calls[self->settled].state == CALL_ENDED)
			self->settled++;
		self->generation = session->generation;
	}
	listbox_set_count(&self->list, self->shown_count);
}

static const struct session_call *
call_at(const struct view_calls *self, size_t row)
{
	if (!self->session || row >= self->list.count)
		return NULL;
	if (calls_filter_all(self->filter))
		return session_call(self->session, row + 1);
	return session_call(self->session, self->shown[row]);
}

static const struct session_call *
selected(const struct view_calls *self)
{
	return call_at(self, self->list.selected);
}

/* --- drawing --- */

static void
draw_row(struct canvas *canvas, struct rect rect, size_t i, bool is_selected, void *arg)
{
	const struct view_calls *self = arg;
	const struct session_call *call = call_at(self, i);

	(void)is_selected;
	if (call)
		calls_row_draw(&self->row, canvas, rect, call);
}

static void
calls_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_calls *self = (struct view_calls *)view;

	refresh(self, scene->session);
	self->row = (struct calls_row){ .session = scene->session,
		.mono = scene->mono,
		.columns = calls_columns(rect.w, scene->session->call_count) };
	if (scene->session->call_count == 0)
		canvas_text(canvas, rect.x + 1, rect.y, STYLE_DIM, "no calls yet");
	else if (self->list.count == 0)
		canvas_text(
			canvas, rect.x + 1, rect.y, STYLE_DIM, "no call that the filter leaves");
	else
		listbox_draw(&self->list, canvas, rect, draw_row, self);
}

static void
calls_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	struct view_calls *self = (struct view_calls *)view;
	const struct session *session = scene->session;
	AUTO_FREE char *words = text_escape(untrusted_str(self->words), TEXT_STRICT);
	int len = snprintf(out, size, "calls");

	if (session->waiting > 0)
		len += snprintf(out + len, size - (size_t)len, " · %zu wait%s", session->waiting,
			session->waiting == 1 ? "s" : "");
	if (!calls_filter_all(self->filter))
		snprintf(out + len, size - (size_t)len, " · %zu of %zu: %.*s", self->list.count,
			session->call_count, TITLE_FILTER_BYTES, words);
}

static enum map
calls_map(const struct view *view)
{
	(void)view;
	return MAP_CALLS;
}

/* --- commands --- */

/* The selected call stays selected where the filter leaves it. */
static const char *
calls_filter(struct view *view, const char *words)
{
	struct view_calls *self = (struct view_calls *)view;
	const struct session_call *call = selected(self);
	bool following = self->list.following;

	if (!words || strcmp(words, self->words) == 0)
		return self->words;
	free(self->words);
	self->words = mem_str(words);
	calls_filter_free(self->filter);
	self->filter = calls_filter_new(words);
	forget(self);
	if (!self->session)
		return self->words;
	refresh(self, self->session);
	if (call && !following)
		view_calls_select(view, call->number);
	return self->words;
}

static enum view_reply
calls_run(struct view *view, enum command command, struct intent *out)
{
	struct view_calls *self = (struct view_calls *)view;
	const struct session_call *call = selected(self);

	if (command == COMMAND_OPEN && call) {
		out->kind = call->state == CALL_HELD ? INTENT_OPEN : INTENT_DETAIL;
		out->call = call->number;
		return VIEW_DONE;
	}
	if (command == COMMAND_BACK && !calls_filter_all(self->filter)) {
		(void)calls_filter(view, "");
		return VIEW_DIRTY;
	}
	return listbox_command(&self->list, command) ? VIEW_DIRTY : VIEW_IGNORED;
}

static bool
calls_offers(const struct view *view, enum command command)
{
	const struct view_calls *self = (const struct view_calls *)view;

	if (command == COMMAND_OPEN)
		return selected(self) != NULL;
	if (command == COMMAND_BACK)
		return !calls_filter_all(self->filter);
	return listbox_offers(&self->list, command);
}

static bool
found_in(const struct session_call *call, const struct find *find)
{
	return find_holds(find, call->tool, strlen(call->tool)) ||
	       find_holds(find, call->args.bytes, call->args.len) ||
	       (call->rule && find_holds(find, call->rule, strlen(call->rule)));
}

/* From the selected row on; the rows that match are counted on the way. */
static bool
calls_search(struct view *view, struct find *find)
{
	struct view_calls *self = (struct view_calls *)view;
	size_t count = self->list.count;
	size_t found = count;

	find->count = 0;
	for (size_t i = 1; i <= count; i++) {
		size_t at = (self->list.selected + (find->back ? count - i : i)) % count;

		if (!found_in(call_at(self, at), find))
			continue;
		find->count++;
		if (found == count)
			found = at;
	}
	if (found == count)
		return false;
	find->at = 1;
	for (size_t i = 0; i < found; i++)
		find->at += found_in(call_at(self, i), find);
	listbox_select(&self->list, found);
	return true;
}

struct view *
view_calls_new(void)
{
	static const struct view_ops ops = {
		.free = calls_free,
		.title = calls_title,
		.map = calls_map,
		.run = calls_run,
		.offers = calls_offers,
		.search = calls_search,
		.filter = calls_filter,
		.paint = calls_paint,
	};
	struct view_calls *self = mem_zero(1, sizeof(*self));

	self->view.ops = &ops;
	self->words = mem_str("");
	self->filter = calls_filter_new("");
	listbox_init(&self->list);
	return &self->view;
}

void
view_calls_select(struct view *view, uint64_t call)
{
	struct view_calls *self = (struct view_calls *)view;

	if (call == 0)
		return;
	listbox_select(&self->list,
		calls_filter_all(self->filter) ? (size_t)call - 1 : row_of(self, call));
}

uint64_t
view_calls_drawn(const struct view *view, int row)
{
	const struct view_calls *self = (const struct view_calls *)view;
	size_t at = self->list.top + (size_t)row;

	if (!self->session || row < 0 || row >= self->list.height || at >= self->list.count)
		return 0;
	return call_at(self, at)->number;
}
