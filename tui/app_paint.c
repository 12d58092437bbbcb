/*
 * One frame: header, panes, the approval pane over them, overlays over all, the last row.  Only a
 * frame in which the pane lies on top counts for arming.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "tui/arming.h"
#include "tui/bar.h"
#include "tui/canvas.h"
#include "tui/header.h"
#include "tui/term.h"
#include "tui/view_approval.h"

#define TITLE_BYTES 256
#define SHEET_COLS 120 /* of what a yes is asked on */
#define OVERLAY_COLS 84
#define DIALOG_ROWS 5
#define SPLIT_STEP 5 /* percent */

/* What lies over the panes: the approval pane, or that of a record. */
static struct view *
pane_over(const struct app *app)
{
	return app->approval ? app->approval : app_replay_pane(app);
}

struct view *
app_top(const struct app *app)
{
	if (app->overlays > 0)
		return app->overlay[app->overlays - 1];
	if (app->place == APP_AT_RUNS)
		return app->runs;
	return pane_over(app) ? pane_over(app) : app->pane[app->focus];
}

void
app_scene(const struct app *app, struct view_scene *scene)
{
	*scene = (struct view_scene){ .session = &app->session,
		.keymap = app->keymap,
		.mono = app_mono(app),
		.now = loop_now(app->loop),
		.utc = clock_utc_now(),
		.elsewhere = app->elsewhere,
		.elsewhere_short = app->elsewhere_short };
}

/* A title is our words: nothing foreign comes in here. */
static void
draw_title(struct app *app, struct view *view, struct rect rect, struct view_scene *scene,
	enum style style)
{
	struct rect old = canvas_clip(app->canvas, rect_make(rect.x + 1, rect.y, rect.w - 2, 1));
	char title[TITLE_BYTES];

	view->ops->title(view, scene, title, sizeof(title));
	canvas_printf(app->canvas, rect.x + 2, rect.y, style, " %s ", title);
	(void)canvas_clip(app->canvas, old);
}

static void
draw_in(struct app *app, struct view *view, struct rect rect, struct view_scene *scene)
{
	struct rect old;

	if (rect_empty(rect))
		return;
	old = canvas_clip(app->canvas, rect);
	view->ops->paint(view, app->canvas, rect, scene);
	(void)canvas_clip(app->canvas, old);
}

/* The part of a pane that the approval pane leaves in sight. */
static struct rect
uncovered(const struct app *app, struct rect rect)
{
	struct rect cover = app->layout.approval;

	if (!rect_empty(cover) && rect.y + rect.h > cover.y)
		rect.h = cover.y > rect.y ? cover.y + 1 - rect.y : 0;
	return rect;
}

static void
draw_panes(struct app *app, struct view_scene *scene)
{
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < LAYOUT_PANES; i++) {
			struct rect rect = uncovered(app, app->layout.pane[i]);
			bool focused = i == (int)app->focus && !pane_over(app);

			/* The focused one last: its border is the one that shows. */
			if (rect_empty(rect) || focused != (pass == 1))
				continue;
			scene->focused = focused;
			canvas_box(app->canvas, rect, focused ? STYLE_BORDER_FOCUS : STYLE_BORDER);
			draw_in(app, app->pane[i], rect_inside(rect), scene);
		}
	for (int i = 0; i < LAYOUT_PANES; i++) {
		struct rect rect = uncovered(app, app->layout.pane[i]);

		if (!rect_empty(rect))
			draw_title(app, app->pane[i], rect, scene,
				i == LAYOUT_CALLS && app->session.waiting > 0 ? STYLE_ACCENT_WAIT
									      : STYLE_TITLE);
	}
}

static struct rect
rect_padded(struct rect rect)
{
	return rect_make(rect.x + 1, rect.y, rect.w - 2, rect.h);
}

static struct rect
overlay_rect(const struct app *app, const struct view *view)
{
	struct rect all = canvas_all(app->canvas);
	enum map map = view->ops->map(view);
	bool asks = view->ops->guard != NULL; /* its map changes while it is open */
	bool dialog = !asks && (map == MAP_LEAVE || map == MAP_STOP);
	int most = asks ? SHEET_COLS : OVERLAY_COLS;
	bool wide = map == MAP_WAITING || map == MAP_SEEN; /* rows as wide as the screen */
	struct rect rect = rect_make(
		0, 1, wide || all.w < most ? all.w : most, dialog ? DIALOG_ROWS : all.h - 2);

	if (dialog && rect.w > 64)
		rect.w = 64;
	rect.x = (all.w - rect.w) / 2;
	if (dialog)
		rect.y = (all.h - rect.h) / 2;
	return rect;
}

static struct rect
overlay_inside(const struct app *app, const struct view *view)
{
	return rect_inside(rect_padded(overlay_rect(app, view)));
}

static void
draw_overlay(struct app *app, struct view *view, struct view_scene *scene)
{
	struct rect rect = overlay_rect(app, view);

	canvas_fill(app->canvas, rect, STYLE_TEXT);
	canvas_box(app->canvas, rect, STYLE_BORDER_FOCUS);
	draw_in(app, view, rect_inside(rect_padded(rect)), scene);
	draw_title(app, view, rect, scene, STYLE_TITLE);
}

/* --- the last row --- */

static int
draw_keys(struct app *app, struct rect rect, struct view *top)
{
	static const enum command all[] = { COMMAND_OPEN, COMMAND_NEXT_TASK, COMMAND_CANCEL,
		COMMAND_BACK, COMMAND_NEXT_PANE, COMMAND_HELP, COMMAND_LEAVE, COMMAND_RUNS,
		COMMAND_ANSWER, COMMAND_MARK, COMMAND_FULL, COMMAND_SEARCH, COMMAND_WAITING,
		COMMAND_STOP, COMMAND_FOLLOW, COMMAND_DIFF, COMMAND_SEARCH_NEXT, COMMAND_FILTER,
		COMMAND_AWAY, COMMAND_COMMAND_LINE, COMMAND_DETAILS };
	enum command now[ARRAY_SIZE(all)];
	struct bar_hints hints = { app->keymap, top->ops->map(top), now, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		/* Where a yes is asked for the view's own last row says which keys work. */
		if (app_is_guarded(app, top) && top->ops->offers(top, all[i]) &&
			all[i] != COMMAND_BACK && all[i] != COMMAND_HELP)
			continue;
		if (app_offers(app, all[i]))
			now[hints.count++] = all[i];
	}
	return bar_hints(app->canvas, rect, &hints);
}

/* What is longer than the row ends in a mark, so that nobody takes it for the whole. */
static int
draw_message(struct app *app, struct rect rect)
{
	int whole = rect.x + rect.w - 1;
	int end = app_may_cancel(app) ? rect.x + rect.w * 2 / 3 : whole; /* the key stays seen */
	struct rect old;
	int x;

	if (rect.x + 1 + canvas_text_width(app->canvas, app->message) <= whole)
		return canvas_text(
			app->canvas, rect.x + 1, rect.y, app->message_style, app->message);
	old = canvas_clip(app->canvas, rect_make(rect.x, rect.y, end - 1 - rect.x, 1));
	canvas_text(app->canvas, rect.x + 1, rect.y, app->message_style, app->message);
	(void)canvas_clip(app->canvas, old);
	x = canvas_text(app->canvas, end - 1, rect.y, app->message_style, "…");
	return x;
}

static void
draw_hint(struct app *app, struct view_scene *scene)
{
	struct rect rect = app->layout.hint;
	struct view *top = app_top(app);
	int x = rect.x + 1;

	canvas_fill(app->canvas, rect, STYLE_HINT);
	if (app->prompt) {
		app_prompt_draw(app, rect);
		return;
	}
	if (app->film) {
		app_replay_last_row(app, rect, scene);
		return;
	}
	if (app->message)
		x = draw_message(app, rect) + 3;
	else if ((app->session.state == RUN_ENDED || app->session.state == RUN_RESTING) &&
		 !app->approval && app->overlays == 0)
		x = header_outcome(app->canvas, rect, scene) + 3;
	if (view_typing(top))
		return;
	(void)draw_keys(app, rect_make(x, rect.y, rect.x + rect.w - x, 1), top);
}

static void
make_layout(struct app *app)
{
	struct layout_request request = { .cols = canvas_cols(app->canvas),
		.rows = canvas_rows(app->canvas),
		.focus = app->focus,
		.zoom = app->zoom,
		.approval = app->approval || app_replay_wants_pane(app),
		.full = app->full,
		.approval_h = app->approval_rows,
		.split_cols = app->split_cols,
		.split_rows = app->split_rows };

	layout_make(&app->layout, &request);
}

/* --- sizes of panes --- */

/* Where a split goes by this command, in percent; 0: nowhere. */
static int
split_after(const struct app *app, enum command command)
{
	bool rows = command == COMMAND_LOWER || command == COMMAND_TALLER;
	int now = rows ? app->split_rows : app->split_cols;
	int by = command == COMMAND_NARROWER || command == COMMAND_LOWER ? -SPLIT_STEP : SPLIT_STEP;

	if (now == 0)
		now = rows ? LAYOUT_SPLIT_ROWS : LAYOUT_SPLIT_COLS;
	now += by;
	return now < LAYOUT_SPLIT_LEAST || now > LAYOUT_SPLIT_MOST ? 0 : now;
}

bool
app_resizes(const struct app *app, enum command command)
{
	return app->layout.wide && !app->zoom && split_after(app, command) != 0;
}

void
app_resize_panes(struct app *app, enum command command)
{
	if (!app_resizes(app, command))
		return;
	if (command == COMMAND_LOWER || command == COMMAND_TALLER)
		app->split_rows = split_after(app, command);
	else
		app->split_cols = split_after(app, command);
	app_dirty(app);
}

/* --- the whole --- */

/* The document is made for the width the pane gets; its height then settles the pane's.  Under
 * something else that asks for a yes the pane is laid out to be seen only. */
static void
lay_out_approval(struct app *app, const struct view_scene *scene)
{
	struct rect rect = app->layout.approval;

	if (app_is_guarded(app, app->approval))
		app_guard_lay_out(app, scene, rect);
	else if (!view_approval_fits(app->approval, scene, rect))
		(void)view_approval_present(app->approval, scene, rect, canvas_rows(app->canvas));
	app->approval_rows = view_approval_rows(app->approval);
	make_layout(app);
}

static void
lay_out(struct app *app, const struct view_scene *scene)
{
	if (app->approval) {
		lay_out_approval(app, scene);
	} else if (app->film && !rect_empty(app->layout.approval)) {
		app_replay_lay_out(app);
		make_layout(app);
	}
	if (app->guarded && app->guarded != app->approval)
		app_guard_lay_out(app, scene, overlay_inside(app, app->guarded));
	if (app->guarded)
		app_guard_block(app);
}

/* The list of runs takes what the panes would. */
static void
draw_runs(struct app *app, struct view_scene *scene)
{
	struct rect body = canvas_all(app->canvas);

	(void)rect_cut_top(&body, 1);
	(void)rect_cut_bottom(&body, 1);
	header_runs(app->canvas, app->layout.header, scene);
	canvas_box(app->canvas, body, STYLE_BORDER_FOCUS);
	draw_in(app, app->runs, rect_inside(body), scene);
	draw_title(app, app->runs, body, scene, STYLE_TITLE);
}

static void
draw_session(struct app *app, struct view_scene *scene)
{
	struct view *over = pane_over(app);

	header_draw(app->canvas, app->layout.header, scene, app->lost);
	if (!rect_empty(app->layout.tabs))
		header_tabs(app->canvas, app->layout.tabs, scene, app->focus);
	draw_panes(app, scene);
	if (over) {
		draw_in(app, over, app->layout.approval, scene);
		draw_title(app, over, app->layout.approval, scene, STYLE_ACCENT_WAIT);
	}
}

static void
compose(struct app *app)
{
	struct view_scene scene;

	canvas_clear(app->canvas);
	make_layout(app);
	app_scene(app, &scene);
	lay_out(app, &scene);
	if (app->place == APP_AT_RUNS)
		draw_runs(app, &scene);
	else
		draw_session(app, &scene);
	for (size_t i = 0; i < app->overlays; i++)
		draw_overlay(app, app->overlay[i], &scene);
	draw_hint(app, &scene);
}

/* "tollbridge: 1 waits" */
static void
set_title(struct app *app)
{
	size_t waiting = (app->film ? 0 : app->session.waiting) + app->waits_elsewhere;
	AUTO_FREE char *title = NULL;

	if (waiting == app->titled && app->painted_at != 0)
		return;
	app->titled = waiting;
	if (waiting > 0)
		title = mem_printf("tollbridge: %zu wait%s", waiting, waiting == 1 ? "s" : "");
	term_title(app->term, title ? title : "tollbridge");
}

/* What a replay has not loaded yet is known to be wanted once it was drawn. */
void
app_compose(struct app *app)
{
	compose(app);
	if (app->film && app_replay_load_shown(app))
		compose(app);
}

void
app_paint(struct app *app)
{
	uint64_t frame;

	if (canvas_cols(app->canvas) != term_cols(app->term) ||
		canvas_rows(app->canvas) != term_rows(app->term)) {
		canvas_resize(app->canvas, term_cols(app->term), term_rows(app->term));
		app->whole = true;
	}
	app_compose(app);
	set_title(app);
	frame = term_paint(app->term, app->canvas, app->whole);
	if (frame == 0)
		return;
	app->frame = frame;
	app->dirty = app->whole = false;
	app->painted_at = loop_now(app->loop);
	app_guard_painted(app);
}
