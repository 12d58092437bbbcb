/*
 * The one arming machine, and whose it is: the guarded view on top has it, and what lies over that
 * without asking for a yes (help, an explanation) leaves it there, at rest.  A view that comes back
 * is shown anew from nothing.
 *
 * The order that protects: a presentation number is drawn up, the view laid out, a whole frame
 * painted; when that frame has left, what the keyboard brought before is thrown away, and only then
 * arming runs.
 */
#include "config.h"

#include "tui/app_inside.h"

#include "core/base/loop.h"
#include "tui/arming.h"
#include "tui/canvas.h"
#include "tui/guard.h"
#include "tui/keys.h"
#include "tui/term.h"

const char *
app_terminal_blocks(const struct app *app)
{
	if (!layout_can_decide(canvas_cols(app->canvas), canvas_rows(app->canvas)))
		return "read only below 60x15";
	if (app->term && !term_is_same(app->term))
		return "read only: another terminal";
	return NULL;
}

bool
app_is_guarded(const struct app *app, const struct view *view)
{
	return view && view == app->guarded;
}

void
app_present_again(struct app *app)
{
	if (!app->guarded)
		return;
	arming_again(app->arming);
	app->presented = false;
	app->laid_out = false; /* done while the next frame is painted */
	loop_timer_stop(app->settle);
	app->whole = true;
	app_dirty(app);
}

/* Before a view that has the machine is freed. */
void
app_guard_leave(struct app *app, const struct view *view, bool decided)
{
	if (!app_is_guarded(app, view))
		return;
	arming_close(app->arming, decided, loop_now(app->loop));
	loop_timer_stop(app->settle);
	app->guarded = NULL;
	app->asking = false;
}

void
app_guard_top(struct app *app)
{
	struct view *top = app_top(app);

	if (!top->ops->guard)
		return;
	if (top != app->guarded) {
		if (app->guarded && app->guarded == app->approval)
			app_note_seen(app);
		app->guarded = top;
		app->asking = false;
		app->guard_new = true;
	}
	app_present_again(app);
}

/* Within a frame being composed: the view that has the machine gets this area. */
void
app_guard_lay_out(struct app *app, const struct view_scene *scene, struct rect rect)
{
	struct view *view = app->guarded;
	const struct guard_ops *guard = view->ops->guard;
	bool anew = !app->laid_out || !guard->fits(view, scene, rect);
	size_t total;

	if (!anew)
		return;
	if (app->laid_out)
		app_present_again(app);
	total = guard->present(view, scene, rect, canvas_rows(app->canvas));
	/* Bytes that were seen stay seen as long as they are the same thing; rows do not. */
	if (app->guard_new || view != app->approval)
		arming_open(app->arming, total);
	app->guard_new = false;
	app->laid_out = true;
}

/* May this view say yes, as far as the terminal and the view's own matter go? */
void
app_guard_block(struct app *app)
{
	const struct guard_ops *guard = app->guarded->ops->guard;
	const char *terminal = app_terminal_blocks(app);
	const char *blocked = terminal;

	if (!blocked && canvas_is_ascii(app->canvas) && !guard->strict(app->guarded))
		blocked = "text mode needs UTF-8: u";
	guard->block(app->guarded, blocked, terminal != NULL);
	arming_block(app->arming, guard->blocked(app->guarded) != NULL);
}

/* The frame on its way counts when it shows what is guarded, with nothing over it. */
void
app_guard_painted(struct app *app)
{
	app->frame_shows_pane = app->guarded && app_top(app) == app->guarded;
	if (!app->frame_shows_pane)
		return;
	arming_paint(app->arming, app->frame);
	coverage_clear(&app->seen);
	app->guarded->ops->guard->seen(app->guarded, &app->seen);
	for (size_t i = 0; i < app->seen.count; i++)
		arming_painted(app->arming, app->seen.ranges[i].from,
			app->seen.ranges[i].to - app->seen.ranges[i].from);
}

void
app_frame_left(struct app *app, uint64_t frame)
{
	bool first =
		app->guarded && !app->presented && app->frame_shows_pane && frame == app->frame;

	if (first) {
		if (app->term)
			term_flush_input(app->term);
		keys_reset(app->keys);
	}
	arming_frame_left(app->arming, frame, loop_now(app->loop));
	if (first) {
		app->presented = true;
		if (app->guarded == app->approval)
			app_tell_presented(app);
	}
	if (app->guarded)
		app_dirty(app);
}

/* --- a yes --- */

/* It stands when nothing follows it; the timer asks. */
void
app_guard_yes(struct app *app, enum command command)
{
	int64_t now = loop_now(app->loop);

	app->yes = command;
	if (arming_approve(app->arming, now))
		loop_timer_in(app->settle, arming_settle_ns(app->arming, now));
	app_dirty(app);
}

void
app_settle(struct app *app)
{
	struct intent intent = { .kind = INTENT_NONE };
	struct view *view = app->guarded;

	if (!view || view != app_top(app) || app->asking ||
		!arming_settled(app->arming, loop_now(app->loop)))
		return;
	/* The terminal may have become another one since the last frame. */
	if (!app->presented || view->ops->guard->blocked(view) || app_terminal_blocks(app))
		return;
	view->ops->guard->yes(view, app->yes, &intent);
	app_intent(app, &intent);
	app_dirty(app);
}
