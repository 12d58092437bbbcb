/* The selection belongs to a run and not to a row: runs move as they begin to wait or end. */
#include "config.h"

#include "tui/view_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/find.h"
#include "tui/fleet.h"
#include "tui/listbox.h"
#include "tui/view.h"

#define NAME_WIDTH 18
#define STATE_WIDTH 12
#define WAITS_WIDTH 5
#define CALLS_WIDTH 9
#define AGE_WIDTH 7
#define ENDED_WIDTH 18
#define TASK_LEAST 10

struct view_runs {
	struct view view;
	struct view_runs_look look;
	struct listbox list;
	const struct fleet_run **runs; /* those that are shown, in order */
	size_t count, all;
	size_t live_count, unread;
	char *filter;                   /* "": all are shown */
	char selected[SESSION_ID_SIZE]; /* "": the first row */
	bool live;                      /* the selected one */
	int64_t utc;
};

static void
runs_free(struct view *view)
{
	struct view_runs *self = (struct view_runs *)view;

	free(self->runs);
	free(self->filter);
	free(self);
}

/* --- what is in a row --- */

static const char *
task_of(const struct fleet_run *run)
{
	if (run->fault)
		return run->fault;
	if (run->session)
		return run->session->task.bytes;
	return run->summary.fault ? run->summary.fault : run->summary.task;
}

struct state_words {
	const char *glyph;
	const char *word; /* foreign */
	enum style style;
};

static struct state_words
live_words(const struct fleet_run *run)
{
	const struct session *session = run->session;

	if (!session || !run->known)
		return (struct state_words){ " ", "...", STYLE_DIM };
	if (session->waiting > 0)
		return (struct state_words){ ">", "WAITS", STYLE_ACCENT_WAIT };
	if (session->state == RUN_ASKING)
		return (struct state_words){ ">", run_state_name(session->state),
			STYLE_ACCENT_WAIT };
	return (struct state_words){ "●", run_state_name(session->state), STYLE_RUNNING };
}

static struct state_words
words_of(const struct fleet_run *run)
{
	const struct summary *summary = &run->summary;
	const char *word = summary_state(summary);

	if (run->live)
		return live_words(run);
	if (!run->known)
		return (struct state_words){ " ", "...", STYLE_DIM };
	if (summary->ended && strcmp(word, "ok") == 0)
		return (struct state_words){ "+", word, STYLE_APPROVED };
	if (summary->ended && (strcmp(word, "denied") == 0 || strcmp(word, "stopped") == 0))
		return (struct state_words){ "-", word, STYLE_DENIED };
	return (struct state_words){ "!", word, STYLE_FAILED };
}

/* "41 s", "12 min", "3 h", "5 d". */
static void
age_of(int64_t ns, char out[16])
{
	static const struct {
		int64_t seconds;
		const char *unit;
	} units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
	int64_t seconds = ns > 0 ? ns / NS_PER_S : 0;
	size_t unit = 0;

	while (unit + 1 < ARRAY_SIZE(units) && seconds < 2 * units[unit].seconds)
		unit++;
	snprintf(out, 16, "%lld %s", (long long)(seconds / units[unit].seconds), units[unit].unit);
}

static void
calls_of(const struct fleet_run *run, char out[48])
{
	int64_t calls = run->session ? (int64_t)run->session->call_count : run->summary.calls;
	int64_t denied = run->session ? (int64_t)run->session->denied : run->summary.denied;

	out[0] = '\0';
	if (run->known && calls >= 0)
		snprintf(out, 48, "%lld/%lld", (long long)calls,
			(long long)(denied > 0 ? denied : 0));
}

static void
ended_of(const struct fleet_run *run, char out[48])
{
	const struct summary *summary = &run->summary;

	out[0] = '\0';
	if (run->live || !run->known)
		return;
	if (!summary->ended)
		snprintf(out, 48, "%s", summary->fault ? "" : "no end recorded");
	else
		snprintf(out, 48, "exit %d%s", summary->exit_code,
			summary->closed_by && strcmp(summary->closed_by, "recovery") == 0
				? ", recovered"
				: "");
}

/* --- rows --- */

static void
draw_foreign(struct canvas *canvas, struct rect rect, enum style style, const char *text)
{
	struct canvas_run run = { rect.x, rect.y, rect.w, style, TEXT_TEXT };

	if (rect.w > 0 && text)
		(void)canvas_foreign(canvas, &run, untrusted_str(text));
}

static void
draw_right(struct canvas *canvas, struct rect rect, enum style style, const char *words)
{
	int width = canvas_text_width(canvas, words);

	canvas_text(canvas, rect.x + (width < rect.w ? rect.w - width : 0), rect.y, style, words);
}

struct columns {
	struct rect name, task, state, waits, calls, age, ended;
};

/* Cut `width` columns and a gap off the right side, when there is room. */
static struct rect
cut_right(struct rect *rect, int width, int least)
{
	struct rect cut = *rect;

	cut.w = rect->w - width - 2 >= least ? width : 0;
	rect->w -= cut.w ? cut.w + 2 : 0;
	cut.x = rect->x + rect->w + 2;
	return cut;
}

static struct columns
columns_of(struct rect rect)
{
	struct columns columns = { .name = rect };
	int name = NAME_WIDTH;
	int least = name + 2 + TASK_LEAST;

	if (rect.w >= 100)
		columns.ended = cut_right(&rect, ENDED_WIDTH, least);
	columns.age = cut_right(&rect, AGE_WIDTH, 12 + STATE_WIDTH);
	columns.calls = cut_right(&rect, CALLS_WIDTH, least + STATE_WIDTH + 2);
	columns.waits = cut_right(&rect, WAITS_WIDTH, name + STATE_WIDTH + 2);
	columns.state = cut_right(&rect, STATE_WIDTH, 12);
	columns.task = rect_make(rect.x + name + 2, rect.y, rect.w - name - 2, 1);
	columns.name.w = name;
	if (columns.task.w < TASK_LEAST) { /* too little to tell anything: the name gets it */
		columns.task.w = 0;
		columns.name.w = rect.w;
	}
	return columns;
}

static void
draw_row(struct canvas *canvas, struct rect rect, size_t i, bool selected, void *arg)
{
	const struct view_runs *self = arg;
	const struct fleet_run *run = self->runs[i];
	struct columns columns = columns_of(rect);
	struct state_words words = words_of(run);
	enum style past = run->live ? STYLE_TEXT : STYLE_DIM;
	char text[48];
	size_t waiting = fleet_run_waiting(run);

	(void)selected;
	draw_foreign(canvas, columns.name, run->live ? STYLE_HEADER_NAME : STYLE_TEXT, run->name);
	draw_foreign(canvas, columns.task, past, task_of(run));
	canvas_text(canvas, columns.state.x, rect.y, words.style, words.glyph);
	columns.state.x += 2;
	columns.state.w -= 2;
	draw_foreign(canvas, columns.state, words.style, words.word);
	snprintf(text, sizeof(text), "%zu", waiting);
	if (columns.waits.w > 0 && waiting > 0)
		draw_right(canvas, columns.waits, STYLE_ACCENT_WAIT, text);
	calls_of(run, text);
	if (columns.calls.w > 0)
		draw_right(canvas, columns.calls, past, text);
	age_of(self->utc - run->began, text);
	if (columns.age.w > 0 && run->began > 0)
		draw_right(canvas, columns.age, STYLE_DIM, text);
	ended_of(run, text);
	if (columns.ended.w > 0)
		canvas_text(canvas, columns.ended.x, rect.y, past, text);
}

static void
draw_heads(struct canvas *canvas, struct rect rect)
{
	struct columns columns = columns_of(rect);

	canvas_text(canvas, columns.name.x, rect.y, STYLE_LABEL, "name");
	if (columns.task.w >= TASK_LEAST)
		canvas_text(canvas, columns.task.x, rect.y, STYLE_LABEL, "task");
	canvas_text(canvas, columns.state.x, rect.y, STYLE_LABEL, "state");
	if (columns.waits.w > 0)
		draw_right(canvas, columns.waits, STYLE_LABEL, "waits");
	if (columns.calls.w > 0)
		draw_right(canvas, columns.calls, STYLE_LABEL, "calls/den");
	if (columns.age.w > 0)
		draw_right(canvas, columns.age, STYLE_LABEL, "age");
	if (columns.ended.w > 0)
		canvas_text(canvas, columns.ended.x, rect.y, STYLE_LABEL, "how it ended");
}

static void
draw_nothing(struct canvas *canvas, struct rect rect)
{
	static const char *const rows[][2] = {
		{ "tollbridge demo", "the payroll example, offline: a first look" },
		{ "tollbridge run --program FILE", "supervise a program of yours" },
		{ "tollbridge help", "everything else" },
	};
	int x = rect.x + 1;

	canvas_text(canvas, x, rect.y++, STYLE_TEXT, "No run yet.  Begin with one of these:");
	rect.y++;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		canvas_text(canvas, x, rect.y++, STYLE_HINT_KEY, rows[i][0]);
		if (rect.w >= 76)
			canvas_text(canvas, x + 32, rect.y - 1, STYLE_TEXT, rows[i][1]);
		else
			canvas_text(canvas, x + 2, rect.y++, STYLE_TEXT, rows[i][1]);
	}
}

/* --- the view --- */

static void
remember(struct view_runs *self)
{
	if (self->list.selected < self->count)
		memcpy(self->selected, self->runs[self->list.selected]->id, SESSION_ID_SIZE);
}

static bool
holds(const struct fleet_run *run, const struct find *find)
{
	const char *const texts[] = { run->name, task_of(run), words_of(run).word, run->id };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i] && find_holds(find, texts[i], strlen(texts[i])))
			return true;
	return false;
}

/* The rows as they are now. */
static void
take_rows(struct view_runs *self)
{
	struct find find = { .needle = self->filter, .len = strlen(self->filter) };
	const struct fleet_run *const *all = self->look.runs(&self->all, self->look.arg);

	self->runs = mem_grow(self->runs, self->all + 1, sizeof(const struct fleet_run *));
	self->count = self->live_count = self->unread = 0;
	for (size_t i = 0; i < self->all; i++) {
		self->live_count += all[i]->live;
		self->unread += !all[i]->known;
		if (find.len == 0 || holds(all[i], &find))
			self->runs[self->count++] = all[i];
	}
}

/* The selection stays on its run. */
static void
fetch(struct view_runs *self)
{
	take_rows(self);
	self->list.following = false;
	listbox_set_count(&self->list, self->count);
	for (size_t i = 0; i < self->count && self->selected[0]; i++)
		if (strcmp(self->runs[i]->id, self->selected) == 0)
			self->list.selected = i;
	self->list.following = false;
	self->live = self->count > 0 && self->runs[self->list.selected]->live;
}

static void
runs_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_runs *self = (struct view_runs *)view;
	struct rect rows = rect_make(rect.x + 1, rect.y + 1, rect.w - 2, rect.h - 1);

	self->utc = scene->utc;
	fetch(self);
	if (self->all == 0) {
		draw_nothing(canvas, rect);
		return;
	}
	draw_heads(canvas, rect_make(rows.x, rect.y, rows.w, 1));
	listbox_draw(&self->list, canvas, rows, draw_row, self);
}

static void
runs_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	struct view_runs *self = (struct view_runs *)view;

	(void)scene;
	fetch(self);
	if (self->unread > 0)
		snprintf(out, size, "runs · reading %zu of %zu", self->all - self->unread + 1,
			self->all);
	else if (self->filter[0])
		snprintf(out, size, "runs · %zu of %zu shown", self->count, self->all);
	else
		snprintf(out, size, "runs · %zu going on · %zu recorded", self->live_count,
			self->all - self->live_count);
}

static enum map
runs_map(const struct view *view)
{
	(void)view;
	return MAP_RUNS;
}

static const struct fleet_run *
selected(const struct view_runs *self)
{
	return self->list.selected < self->count ? self->runs[self->list.selected] : NULL;
}

static enum view_reply
runs_run(struct view *view, enum command command, struct intent *out)
{
	struct view_runs *self = (struct view_runs *)view;
	const struct fleet_run *run;

	fetch(self);
	run = selected(self);
	if (command == COMMAND_OPEN || command == COMMAND_STOP) {
		if (run) {
			remember(self);
			out->kind = command == COMMAND_OPEN ? INTENT_RUN : INTENT_RUN_STOP;
			out->text = self->selected;
		}
		return VIEW_DONE;
	}
	if (!listbox_command(&self->list, command))
		return VIEW_IGNORED;
	remember(self);
	return VIEW_DIRTY;
}

static bool
runs_offers(const struct view *view, enum command command)
{
	const struct view_runs *self = (const struct view_runs *)view;

	switch (command) {
	case COMMAND_OPEN:
		return self->count > 0;
	case COMMAND_STOP:
		return self->live;
	case COMMAND_UP:
	case COMMAND_DOWN:
	case COMMAND_PAGE_UP:
	case COMMAND_PAGE_DOWN:
	case COMMAND_TOP:
	case COMMAND_BOTTOM:
		return self->count > 1;
	default:
		return false;
	}
}

/* The next run whose name, task, state or id holds it, around the end. */
static bool
runs_search(struct view *view, struct find *find)
{
	struct view_runs *self = (struct view_runs *)view;

	fetch(self);
	for (size_t i = 1; i <= self->count; i++) {
		size_t step = find->back ? self->count - i : i;
		size_t at = (self->list.selected + step) % self->count;

		if (!holds(self->runs[at], find))
			continue;
		listbox_select(&self->list, at);
		remember(self);
		return true;
	}
	return false;
}

static const char *
runs_filter(struct view *view, const char *words)
{
	struct view_runs *self = (struct view_runs *)view;

	if (words) {
		free(self->filter);
		self->filter = mem_str(words);
		fetch(self);
	}
	return self->filter;
}

struct view *
view_runs_new(const struct view_runs_look *look)
{
	static const struct view_ops ops = {
		.free = runs_free,
		.title = runs_title,
		.map = runs_map,
		.run = runs_run,
		.offers = runs_offers,
		.search = runs_search,
		.filter = runs_filter,
		.paint = runs_paint,
	};
	struct view_runs *self = mem_zero(1, sizeof(*self));

	self->view.ops = &ops;
	self->look = *look;
	self->filter = mem_str("");
	listbox_init(&self->list);
	return &self->view;
}

void
view_runs_select(struct view *view, const char *id)
{
	struct view_runs *self = (struct view_runs *)view;

	snprintf(self->selected, sizeof(self->selected), "%s", id);
}
