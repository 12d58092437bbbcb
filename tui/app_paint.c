/*
 * One frame: header, panes, the approval pane over them, overlays over all, the last row.  Only a
 * frame in which the pane lies on top counts for arming.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <string.h>

#include "core/base/loop.h"
#include "core/base/mem.h"
#include "tui/arming.h"
#include "tui/bar.h"
#include "tui/canvas.h"
#include "tui/header.h"
#include "tui/lineedit.h"
#include "tui/term.h"
#include "tui/view_approval.h"

#define TITLE_BYTES 256
#define OVERLAY_COLS 84
#define DIALOG_ROWS 5
#define READ_ONLY_ROWS 4 /* below these nothing but the header fits */

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
	return pane_over(app) ? pane_over(app) : app->pane[app->focus];
}

void
app_scene(const struct app *app, struct view_scene *scene)
{
	*scene = (struct view_scene){ .session = &app->session,
		.keymap = app->keymap,
		.mono = app_mono(app),
		.now = loop_now(app->loop) };
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

static void
draw_overlay(struct app *app, struct view *view, struct view_scene *scene)
{
	struct rect all = canvas_all(app->canvas);
	enum map map = view->ops->map(view);
	bool dialog = map == MAP_LEAVE || map == MAP_STOP;
	bool wide = map == MAP_SEEN || all.w < OVERLAY_COLS; /* it has a width of its own */
	struct rect rect =
		rect_make(0, 1, wide ? all.w : OVERLAY_COLS, dialog ? DIALOG_ROWS : all.h - 2);

	if (dialog && rect.w > 64)
		rect.w = 64;
	rect.x = (all.w - rect.w) / 2;
	if (dialog)
		rect.y = (all.h - rect.h) / 2;
	canvas_fill(app->canvas, rect, STYLE_TEXT);
	canvas_box(app->canvas, rect, STYLE_BORDER_FOCUS);
	draw_in(app, view, rect_inside(rect_padded(rect)), scene);
	draw_title(app, view, rect, scene, STYLE_TITLE);
}

/* --- the last row --- */

static int
draw_keys(struct app *app, struct rect rect, struct view *top)
{
	static const enum command all[] = { COMMAND_OPEN, COMMAND_BACK, COMMAND_NEXT_PANE,
		COMMAND_HELP, COMMAND_LEAVE, COMMAND_FULL, COMMAND_SEARCH, COMMAND_STOP };
	enum command now[ARRAY_SIZE(all)];
	struct bar_hints hints = { app->keymap, top->ops->map(top), now, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (app_offers(app, all[i]))
			now[hints.count++] = all[i];
	return bar_hints(app->canvas, rect, &hints);
}

static void
draw_hint(struct app *app, struct view_scene *scene)
{
	struct rect rect = app->layout.hint;
	struct view *top = app_top(app);
	int x = rect.x + 1;

	canvas_fill(app->canvas, rect, STYLE_HINT);
	if (app->search) {
		x = canvas_text(app->canvas, x, rect.y, STYLE_LABEL, "search: ");
		lineedit_draw(app->search, app->canvas,
			rect_make(x, rect.y, rect.x + rect.w - x, 1), STYLE_INPUT);
		return;
	}
	if (app->film) {
		app_replay_last_row(app, rect, scene);
		return;
	}
	if (app->message)
		x = canvas_text(app->canvas, x, rect.y, app->message_style, app->message) + 3;
	else if (app->session.state == RUN_ENDED && !app->approval && app->overlays == 0)
		x = header_outcome(app->canvas, rect, scene) + 3;
	if (view_typing(top))
		return;
	(void)draw_keys(app, rect_make(x, rect.y, rect.x + rect.w - x, 1), top);
}

/* --- the whole --- */

static void
make_layout(struct app *app)
{
	struct layout_request request = { .cols = canvas_cols(app->canvas),
		.rows = canvas_rows(app->canvas),
		.focus = app->focus,
		.zoom = app->zoom,
		.approval = app->approval || app_replay_wants_pane(app),
		.full = app->full,
		.approval_h = app->approval_rows };

	layout_make(&app->layout, &request);
}

/* The document is made for the width the pane gets; its height then settles the pane's. */
static void
present(struct app *app)
{
	const char *blocked = app_terminal_blocks(app);

	if (app->approval_rows > 0 && !view_approval_fits(app->approval, app->layout.approval))
		app_present_again(app);
	if (app->approval_rows == 0) {
		app->approval_rows = view_approval_present(app->approval, &app->session,
			app->layout.approval, canvas_rows(app->canvas));
		make_layout(app);
	}
	if (!blocked && canvas_is_ascii(app->canvas) && !view_approval_shown(app->approval).strict)
		blocked = "text mode needs UTF-8: u";
	view_approval_block(app->approval, blocked);
	arming_block(app->arming, view_approval_shown(app->approval).blocked != NULL);
}

static void
present_recorded(struct app *app)
{
	app_replay_lay_out(app);
	make_layout(app);
}

static void
compose(struct app *app)
{
	struct view_scene scene;

	canvas_clear(app->canvas);
	make_layout(app);
	app_scene(app, &scene);
	if (app->approval)
		present(app);
	else if (!rect_empty(app->layout.approval))
		present_recorded(app);
	header_draw(app->canvas, app->layout.header, &scene, app->lost);
	if (!rect_empty(app->layout.tabs))
		header_tabs(app->canvas, app->layout.tabs, &scene, app->focus);
	draw_panes(app, &scene);
	if (pane_over(app)) {
		draw_in(app, pane_over(app), app->layout.approval, &scene);
		draw_title(app, pane_over(app), app->layout.approval, &scene, STYLE_ACCENT_WAIT);
	}
	for (size_t i = 0; i < app->overlays; i++)
		draw_overlay(app, app->overlay[i], &scene);
	draw_hint(app, &scene);
}

/* The bytes of the arguments that this frame shows, when it has left. */
static void
count_shown(struct app *app)
{
	arming_paint(app->arming, app->frame);
	coverage_clear(&app->seen);
	view_approval_seen(app->approval, &app->seen);
	for (size_t i = 0; i < app->seen.count; i++)
		arming_painted(app->arming, app->seen.ranges[i].from,
			app->seen.ranges[i].to - app->seen.ranges[i].from);
}

/* "tollbridge: 1 waits" */
static void
set_title(struct app *app)
{
	size_t waiting = app->session.waiting;
	AUTO_FREE char *title = NULL;

	if (waiting == app->titled && app->painted_at != 0)
		return;
	app->titled = waiting;
	if (waiting > 0)
		title = mem_printf("tollbridge: %zu wait%s", waiting, waiting == 1 ? "s" : "");
	term_title(app->term, title ? title : "tollbridge");
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
	compose(app);
	if (app->film && app_replay_load_shown(app))
		compose(app);
	set_title(app);
	frame = term_paint(app->term, app->canvas, app->whole);
	if (frame == 0)
		return;
	app->frame = frame;
	app->dirty = app->whole = false;
	app->painted_at = loop_now(app->loop);
	app->frame_shows_pane = app->approval && app->overlays == 0;
	if (app->frame_shows_pane)
		count_shown(app);
}
