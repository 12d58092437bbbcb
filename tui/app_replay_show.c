/*
 * The pane stands where a call is held, for the call that a console showed last; it is made when
 * the position comes to another call, another presentation, or another width.
 */
#include "config.h"

#include "tui/app_replay_inside.h"

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/bar.h"
#include "tui/canvas.h"
#include "tui/header.h"
#include "tui/seen.h"
#include "tui/timeline.h"
#include "tui/view_calls.h"
#include "tui/view_program.h"
#include "tui/view_seen.h"

#define HINT_GAP 3
#define HELP_COLS 9 /* "   ? help" */
#define SEEN_PAD 4  /* borders and blanks of an overlay */

/* --- the pane in place --- */

/* The held call that was shown last, else the first that is held; NULL: none. */
static const struct session_call *
call_here(const struct session *session)
{
	const struct session_call *first = NULL;
	const struct session_call *shown = NULL;

	if (session->waiting == 0)
		return NULL;
	for (size_t i = session->held_from; i < session->call_count; i++) {
		const struct session_call *call = &session->calls[i];

		if (call->state != CALL_HELD)
			continue;
		if (!first)
			first = call;
		if (call->more->shown.console &&
			(!shown || call->more->shown.mono > shown->more->shown.mono))
			shown = call;
	}
	return shown ? shown : first;
}

struct view *
app_replay_pane(const struct app *app)
{
	return app->film ? app->film->pane : NULL;
}

void
app_replay_left_pane(struct app *app)
{
	struct app_replay *film = app->film;

	film->left = film->pane ? view_seen_call(film->pane) : 0;
	view_free(film->pane);
	film->pane = NULL;
	app_dirty(app);
}

static struct view *
make_seen(struct app *app, uint64_t call, int cols, bool whole)
{
	struct seen seen;
	struct err err = { 0 };
	struct view *view = NULL;

	if (seen_look(app->film->replay, call, &seen, &err) == 0) {
		view = view_seen_new(&seen, cols, whole);
	} else {
		AUTO_FREE char *words = text_escape(untrusted_str(err.text), TEXT_STRICT);

		app_say(app, STYLE_ERROR, "what was seen cannot be read: %s", words);
	}
	return view;
}

static bool
pane_is_of(const struct app_replay *film, const struct session_call *call, int cols)
{
	uint64_t presentation = call->more->shown.console ? call->more->shown.presentation : 0;

	return film->pane && view_seen_call(film->pane) == call->number &&
	       view_seen_presentation(film->pane) == presentation &&
	       view_seen_cols(film->pane) == cols;
}

bool
app_replay_wants_pane(struct app *app)
{
	struct app_replay *film = app->film;
	const struct session_call *call = film ? call_here(&app->session) : NULL;

	if (film && (!call || call->number == film->left)) {
		view_free(film->pane);
		film->pane = NULL;
	}
	return call && call->number != film->left;
}

void
app_replay_lay_out(struct app *app)
{
	struct app_replay *film = app->film;
	const struct session_call *call = call_here(&app->session);
	int cols = view_seen_text_cols(app->layout.approval);
	bool another = !film->pane || view_seen_call(film->pane) != call->number;

	if (pane_is_of(film, call, cols))
		return;
	view_free(film->pane);
	film->pane = make_seen(app, call->number, cols, false);
	if (!film->pane) {
		film->left = call->number;
		return;
	}
	app->approval_rows = view_seen_rows(film->pane);
	if (!another)
		return;
	view_program_follow(app->pane[LAYOUT_PROGRAM]);
	view_calls_select(app->pane[LAYOUT_CALLS], call->number);
}

/* --- what was seen, whole --- */

uint64_t
replay_seen_call(const struct app *app)
{
	const struct session *session = &app->session;
	const struct session_call *here = call_here(session);

	if (here)
		return here->number;
	for (size_t i = session->call_count; i-- > 0;)
		if (session->calls[i].held_mono > 0)
			return session->calls[i].number;
	return 0;
}

void
replay_show_seen(struct app *app)
{
	uint64_t call = replay_seen_call(app);
	struct view *view;

	if (app->overlays > 0 && app_top(app)->ops->map(app_top(app)) == MAP_SEEN)
		app_pop(app);
	if (call == 0) {
		app_say(app, STYLE_DIM, "no call was held until here");
		return;
	}
	view = make_seen(app, call, canvas_cols(app->canvas) - SEEN_PAD, true);
	if (view)
		app_push(app, view);
}

/* --- details --- */

bool
app_replay_load_shown(struct app *app)
{
	struct app_replay *film = app->film;
	uint64_t call;
	bool loaded = false;

	for (int row = 0; (call = view_calls_drawn(app->pane[LAYOUT_CALLS], row)) != 0; row++)
		loaded |= replay_load(film->replay, call);
	if (loaded)
		replay_show(app);
	return loaded;
}

/* --- the last row --- */

static struct replay_mark
mark_at(size_t i, const void *arg)
{
	return replay_mark(arg, i);
}

static void
draw_keys(struct app *app, struct rect rect)
{
	static const enum command all[] = { COMMAND_PLAY, COMMAND_STEP, COMMAND_NEXT_DECISION,
		COMMAND_SEEN, COMMAND_PREVIOUS_DECISION, COMMAND_FASTER, COMMAND_SLOWER,
		COMMAND_IDLE };
	static const enum command help[] = { COMMAND_HELP };
	enum command now[ARRAY_SIZE(all)];
	struct bar_hints hints = { app->keymap, MAP_REPLAY, now, 0 };
	struct bar_hints last = { app->keymap, MAP_ALL, help, 1 };
	int x;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (app_offers(app, all[i]))
			now[hints.count++] = all[i];
	x = bar_hints(app->canvas, rect_make(rect.x, rect.y, rect.w - HELP_COLS, 1), &hints);
	x += x > rect.x ? HINT_GAP : 0;
	bar_hints(app->canvas, rect_make(x, rect.y, rect.x + rect.w - x, 1), &last);
}

void
app_replay_last_row(struct app *app, struct rect rect, const struct view_scene *scene)
{
	struct app_replay *film = app->film;
	struct timeline timeline = { .film = &film->film,
		.length = replay_length(film->replay),
		.marks = replay_marks(film->replay),
		.mark = mark_at,
		.arg = film->replay,
		.decision = replay_decision(film),
		.decisions = film->decision_count,
		.beware = film->beware };
	int x;

	if (app->message) {
		canvas_text(app->canvas, rect.x + 1, rect.y, app->message_style, app->message);
		return;
	}
	x = timeline_draw(
		app->canvas, rect_make(rect.x + 1, rect.y, rect.w - 1, rect.h), &timeline);
	if (film->film.position == film->film.tape.events && app->session.state == RUN_ENDED)
		x = header_outcome(app->canvas,
			    rect_make(x - 1, rect.y, rect.x + rect.w - x + 1, 1), scene) +
		    3;
	draw_keys(app, rect_make(x, rect.y, rect.x + rect.w - x, 1));
}
