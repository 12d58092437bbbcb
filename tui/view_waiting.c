/* The selection and the marks belong to calls and not to rows: rows go as calls are decided. */
#include "config.h"

#include "tui/view_waiting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/fleet.h"
#include "tui/listbox.h"
#include "tui/view.h"

#define RUN_WIDTH 14
#define NUMBER_WIDTH 5
#define TOOL_WIDTH 16
#define EFFECT_WIDTH 8
#define WHY_WIDTH 14
#define LEFT_WIDTH 7
#define ARGS_LEAST 8
#define MARKS_MAX 256

struct entry {
	const struct fleet_run *run;
	const struct session_call *call;
};

struct view_waiting {
	struct view view;
	struct view_runs_look look;
	char open[SESSION_ID_SIZE];
	struct listbox list;
	struct entry *entries; /* as of the last look */
	size_t count, room;
	char selected_run[SESSION_ID_SIZE]; /* "": the first row */
	uint64_t selected_call;
	uint64_t marked[MARKS_MAX]; /* of the open run */
	size_t marked_count;
	int64_t utc, mono;
};

static void
waiting_free(struct view *view)
{
	free(((struct view_waiting *)view)->entries);
	free(view);
}

/* --- what there is --- */

static bool
is_open(const struct view_waiting *self, const struct entry *entry)
{
	return strcmp(entry->run->id, self->open) == 0;
}

static size_t
mark_of(const struct view_waiting *self, uint64_t call)
{
	size_t i = 0;

	while (i < self->marked_count && self->marked[i] != call)
		i++;
	return i;
}

static bool
is_marked(const struct view_waiting *self, const struct entry *entry)
{
	return is_open(self, entry) && mark_of(self, entry->call->number) < self->marked_count;
}

static int
longest_first(const void *a, const void *b)
{
	const struct entry *one = a;
	const struct entry *other = b;
	int64_t since = one->run->began + one->call->held_mono;
	int64_t other_since = other->run->began + other->call->held_mono;

	if (one->run == other->run)
		return one->call->number < other->call->number ? -1 : 1;
	if (since != other_since)
		return since < other_since ? -1 : 1;
	return strcmp(one->run->id, other->run->id);
}

static void
add_calls(struct view_waiting *self, const struct fleet_run *run)
{
	const struct session *session = run->session;

	for (size_t i = 0; i < session->call_count; i++) {
		if (session->calls[i].state != CALL_HELD)
			continue;
		if (self->count == self->room) {
			self->room = self->room ? 2 * self->room : 16;
			self->entries = mem_grow(self->entries, self->room, sizeof(*self->entries));
		}
		self->entries[self->count++] = (struct entry){ run, &session->calls[i] };
	}
}

/* A mark goes with its call. */
static void
drop_marks(struct view_waiting *self)
{
	size_t kept = 0;

	for (size_t i = 0; i < self->count; i++)
		if (is_marked(self, &self->entries[i])) {
			size_t at = mark_of(self, self->entries[i].call->number);
			uint64_t call = self->marked[at];

			self->marked[at] = self->marked[kept];
			self->marked[kept++] = call;
		}
	self->marked_count = kept;
}

static void
fetch(struct view_waiting *self)
{
	size_t runs_count = 0;
	const struct fleet_run *const *runs = self->look.runs(&runs_count, self->look.arg);

	self->count = 0;
	for (size_t i = 0; i < runs_count; i++)
		if (fleet_run_waiting(runs[i]) > 0)
			add_calls(self, runs[i]);
	if (self->count > 0)
		qsort(self->entries, self->count, sizeof(*self->entries), longest_first);
	drop_marks(self);
	self->list.following = false;
	listbox_set_count(&self->list, self->count);
	for (size_t i = 0; i < self->count; i++)
		if (self->entries[i].call->number == self->selected_call &&
			strcmp(self->entries[i].run->id, self->selected_run) == 0)
			self->list.selected = i;
	self->list.following = false;
}

static const struct entry *
selected(const struct view_waiting *self)
{
	return self->list.selected < self->count ? &self->entries[self->list.selected] : NULL;
}

static void
remember(struct view_waiting *self)
{
	const struct entry *entry = selected(self);

	if (!entry)
		return;
	memcpy(self->selected_run, entry->run->id, sizeof(self->selected_run));
	self->selected_call = entry->call->number;
}

/* --- rows --- */

struct columns {
	struct rect run, number, tool, args, effect, why, left;
};

static struct rect
cut(struct rect *rect, int width)
{
	struct rect cut = rect_make(rect->x, rect->y, width < rect->w ? width : rect->w, 1);

	rect->x += cut.w + 1;
	rect->w -= cut.w + 1;
	return cut;
}

static struct rect
cut_right(struct rect *rect, int width)
{
	rect->w -= width + 1;
	return rect_make(rect->x + rect->w + 1, rect->y, width, 1);
}

static struct columns
columns_of(struct rect rect)
{
	struct columns columns = { .left = cut_right(&rect, LEFT_WIDTH) };
	bool wide = rect.w >= 60;

	if (rect.w >= 90)
		columns.why = cut_right(&rect, WHY_WIDTH);
	if (wide)
		columns.effect = cut_right(&rect, EFFECT_WIDTH);
	columns.run = cut(&rect, wide ? RUN_WIDTH : 8);
	columns.number = cut(&rect, NUMBER_WIDTH);
	columns.tool = cut(&rect, wide ? TOOL_WIDTH : rect.w);
	columns.args = rect;
	return columns;
}

static void
draw_foreign(struct canvas *canvas, struct rect rect, enum style style, struct untrusted text)
{
	struct canvas_run run = { rect.x, rect.y, rect.w, style, TEXT_STRICT };

	if (rect.w > 0)
		(void)canvas_foreign(canvas, &run, text);
}

/* Without the braces of the object. */
static struct untrusted
inside(const struct blob *args)
{
	if (!args->bytes)
		return untrusted_str("");
	if (args->len >= 2 && args->bytes[0] == '{')
		return untrusted(args->bytes + 1, args->len - 2);
	return untrusted(args->bytes, args->len);
}

static const char *
why_of(const struct session_call *call)
{
	bool rule = call->held_why && strcmp(call->held_why, "rule") == 0;

	if (rule && call->rule)
		return call->rule;
	if (call->held_why && strcmp(call->held_why, "default") == 0)
		return "no rule";
	return call->held_why ? call->held_why : "";
}

static void
draw_left(struct canvas *canvas, struct rect rect, const struct view_waiting *self,
	const struct entry *entry)
{
	int64_t mono = is_open(self, entry) ? self->mono : fleet_run_mono(entry->run, self->utc);
	int64_t left = session_time_left(entry->run->session, entry->call, mono);
	char words[32] = "no limit";
	int width;

	if (entry->run->session->away)
		snprintf(words, sizeof(words), "away");
	else if (left >= 0)
		snprintf(words, sizeof(words), "%lld:%02lld", (long long)(left / NS_PER_S / 60),
			(long long)(left / NS_PER_S % 60));
	width = canvas_text_width(canvas, words);
	canvas_text(canvas, rect.x + (width < rect.w ? rect.w - width : 0), rect.y,
		STYLE_ACCENT_WAIT, words);
}

static void
draw_row(struct canvas *canvas, struct rect rect, size_t i, bool is_selected, void *arg)
{
	const struct view_waiting *self = arg;
	const struct entry *entry = &self->entries[i];
	const struct session_tool *tool = session_tool(entry->run->session, entry->call->tool);
	bool marked = is_marked(self, entry);
	struct columns columns = columns_of(rect_make(rect.x + 2, rect.y, rect.w - 2, 1));

	(void)is_selected;
	canvas_text(canvas, rect.x, rect.y, STYLE_MARKED, marked ? "*" : " ");
	draw_foreign(canvas, columns.run, is_open(self, entry) ? STYLE_HEADER_NAME : STYLE_TEXT,
		untrusted_str(entry->run->name));
	canvas_printf(canvas, columns.number.x, rect.y, STYLE_GUTTER, "%*llu", NUMBER_WIDTH - 1,
		(unsigned long long)entry->call->number);
	draw_foreign(canvas, columns.tool, STYLE_ACCENT_WAIT,
		untrusted_str(tool && tool->name ? tool->name : entry->call->tool));
	if (columns.args.w >= ARGS_LEAST)
		draw_foreign(canvas, columns.args, STYLE_TEXT, inside(&entry->call->args));
	draw_foreign(canvas, columns.effect, STYLE_TEXT,
		untrusted_str(tool && tool->effect ? tool->effect : "unknown"));
	draw_foreign(canvas, columns.why, STYLE_DIM, untrusted_str(why_of(entry->call)));
	draw_left(canvas, columns.left, self, entry);
	if (marked)
		canvas_restyle(canvas, rect, STYLE_MARKED);
}

static void
draw_heads(struct canvas *canvas, struct rect rect)
{
	struct columns columns = columns_of(rect_make(rect.x + 2, rect.y, rect.w - 2, 1));
	const struct {
		struct rect rect;
		const char *words;
	} heads[] = { { columns.run, "run" }, { columns.number, "call" }, { columns.tool, "tool" },
		{ columns.args, columns.args.w >= ARGS_LEAST ? "arguments" : "" },
		{ columns.effect, "effect" }, { columns.why, "asked by" },
		{ columns.left, "   left" } };

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (heads[i].rect.w > 0)
			canvas_text(canvas, heads[i].rect.x, rect.y, STYLE_LABEL, heads[i].words);
}

/* --- the view --- */

static void
waiting_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_waiting *self = (struct view_waiting *)view;

	self->utc = scene->utc;
	self->mono = scene->mono;
	fetch(self);
	if (self->count == 0) {
		canvas_text(canvas, rect.x + 1, rect.y, STYLE_DIM, "no call waits in any run");
		return;
	}
	draw_heads(canvas, rect);
	listbox_draw(&self->list, canvas, rect_make(rect.x, rect.y + 1, rect.w, rect.h - 1),
		draw_row, self);
}

static void
waiting_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	struct view_waiting *self = (struct view_waiting *)view;

	(void)scene;
	fetch(self);
	if (self->marked_count > 0)
		snprintf(out, size, "waiting calls of all runs · %zu marked", self->marked_count);
	else
		snprintf(out, size, "waiting calls of all runs");
}

static enum map
waiting_map(const struct view *view)
{
	(void)view;
	return MAP_WAITING;
}

static enum view_reply
open_selected(struct view_waiting *self, struct intent *out)
{
	const struct entry *entry = selected(self);

	if (!entry)
		return VIEW_DONE;
	remember(self);
	if (self->marked_count > 0) {
		out->kind = INTENT_OPEN_MANY;
		out->calls = self->marked;
		out->call_count = self->marked_count;
		return VIEW_CLOSE;
	}
	out->kind = is_open(self, entry) ? INTENT_OPEN : INTENT_RUN;
	out->call = self->selected_call;
	out->text = self->selected_run;
	return VIEW_CLOSE;
}

/* Marks it or takes the mark back, and goes on to the next row. */
static void
mark(struct view_waiting *self)
{
	const struct entry *entry = selected(self);
	size_t at = entry ? mark_of(self, entry->call->number) : 0;

	if (!entry || !is_open(self, entry))
		return;
	if (at < self->marked_count)
		self->marked[at] = self->marked[--self->marked_count];
	else if (self->marked_count < MARKS_MAX)
		self->marked[self->marked_count++] = entry->call->number;
	listbox_select(&self->list, self->list.selected + 1);
	remember(self);
}

static enum view_reply
waiting_run(struct view *view, enum command command, struct intent *out)
{
	struct view_waiting *self = (struct view_waiting *)view;

	fetch(self);
	switch (command) {
	case COMMAND_OPEN:
		return open_selected(self, out);
	case COMMAND_MARK:
		mark(self);
		return VIEW_DIRTY;
	case COMMAND_BACK:
	case COMMAND_WAITING:
		return VIEW_CLOSE;
	default:
		if (!listbox_command(&self->list, command))
			return VIEW_IGNORED;
		remember(self);
		return VIEW_DIRTY;
	}
}

static bool
waiting_offers(const struct view *view, enum command command)
{
	const struct view_waiting *self = (const struct view_waiting *)view;

	switch (command) {
	case COMMAND_BACK:
		return true;
	case COMMAND_OPEN:
		return self->count > 0;
	case COMMAND_MARK:
		return selected(self) && is_open(self, selected(self));
	default:
		return listbox_offers(&self->list, command);
	}
}

struct view *
view_waiting_new(const struct view_runs_look *look, const char *open)
{
	static const struct view_ops ops = {
		.free = waiting_free,
		.title = waiting_title,
		.map = waiting_map,
		.run = waiting_run,
		.offers = waiting_offers,
		.paint = waiting_paint,
	};
	struct view_waiting *self = mem_zero(1, sizeof(*self));

	self->view.ops = &ops;
	self->look = *look;
	snprintf(self->open, sizeof(self->open), "%s", open);
	listbox_init(&self->list);
	return &self->view;
}
