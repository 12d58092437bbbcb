/*
 * From a held call to a decision.  The order that protects: a presentation number is drawn up, its
 * document made, a whole frame painted; when that frame has left, what the keyboard brought before
 * is thrown away, the supervisor is told what was presented, and only then arming runs.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/run/configuration.h"
#include "tui/arming.h"
#include "tui/canvas.h"
#include "tui/client.h"
#include "tui/keys.h"
#include "tui/term.h"
#include "tui/view_approval.h"
#include "tui/view_calls.h"
#include "tui/view_program.h"

#define BELL_PAUSE (10 * NS_PER_S)

const char *
app_terminal_blocks(const struct app *app)
{
	if (!layout_can_decide(canvas_cols(app->canvas), canvas_rows(app->canvas)))
		return "read only below 60x15";
	if (app->term && !term_is_same(app->term))
		return "read only: another terminal";
	return NULL;
}

/* --- opening and closing --- */

void
app_present_again(struct app *app)
{
	if (!app->approval)
		return;
	arming_again(app->arming);
	app->presented = false;
	app->approval_rows = 0; /* the document is made while the next frame is painted */
	loop_timer_stop(app->settle);
	app->whole = true;
	app_dirty(app);
}

void
app_open(struct app *app, uint64_t number)
{
	const struct session_call *call =
		number ? session_call(&app->session, number) : session_first_held(&app->session);

	if (!call || call->state != CALL_HELD || app->lost)
		return;
	if (app->approval && view_approval_call(app->approval) == call->number)
		return;
	app_close_pane(app, false);
	app->approval = view_approval_new(call, app->arming);
	arming_open(app->arming, call->args.len);
	view_program_follow(app->pane[LAYOUT_PROGRAM]);
	view_calls_select(app->pane[LAYOUT_CALLS], call->number);
	app_present_again(app);
}

void
app_close_pane(struct app *app, bool decided)
{
	if (!app->approval)
		return;
	arming_close(app->arming, decided, loop_now(app->loop));
	loop_timer_stop(app->settle);
	view_free(app->approval);
	app->approval = NULL;
	app->decide_id = 0;
	app_dirty(app);
}

/* --- what the session says --- */

void
app_ring(struct app *app)
{
	int64_t now = loop_now(app->loop);

	if (app->rang_at != 0 && now - app->rang_at < BELL_PAUSE)
		return;
	if (app->config && !config_bool(app->config, SETTING_UI_BELL))
		return;
	app->rang_at = now;
	term_bell(app->term);
}

static void
ring_for(struct app *app, const struct session_call *newest)
{
	if (!newest || newest->number <= app->told)
		return;
	app->told = newest->number;
	app_ring(app);
}

static const struct session_call *
newest_held(const struct session *session)
{
	for (size_t i = session->call_count; i-- > 0;)
		if (session->calls[i].state == CALL_HELD)
			return &session->calls[i];
	return NULL;
}

/* The first held call that may open the pane by itself. */
static const struct session_call *
opens_by_itself(const struct app *app)
{
	for (size_t i = 0; i < app->session.call_count; i++) {
		const struct session_call *call = &app->session.calls[i];

		if (call->state == CALL_HELD && call->number > app->left_below)
			return call;
	}
	return NULL;
}

/* Nobody is in the middle of something: no text field, no question, no half sequence. */
static bool
may_interrupt(const struct app *app)
{
	const struct view *top = app->overlays ? app->overlay[app->overlays - 1] : NULL;

	if (app->prompt || keys_waiting(app->keys) || keys_in_paste(app->keys))
		return false;
	return !top || (top->ops->map(top) != MAP_LEAVE && top->ops->map(top) != MAP_STOP);
}

/* How a call that the pane shows was decided, when this console did not do it. */
static void
say_decided(struct app *app, const struct session_call *call)
{
	AUTO_FREE char *verdict = text_escape(untrusted_str(call->verdict), TEXT_STRICT);
	AUTO_FREE char *by = text_escape(untrusted_str(call->by), TEXT_STRICT);
	AUTO_FREE char *who = text_escape(untrusted_str(call->who), TEXT_STRICT);
	bool ours = call->more->console &&
		    strcmp(call->more->console, client_console(app->client)) == 0;

	if (ours)
		return;
	if (call->by && strcmp(call->by, "timeout") == 0)
		app_say(app, STYLE_WARNING, "call %llu was denied: its time was up",
			(unsigned long long)call->number);
	else if (call->by && strcmp(call->by, "ended") == 0)
		app_say(app, STYLE_WARNING, "call %llu did not run: the program has ended",
			(unsigned long long)call->number);
	else
		app_say(app, STYLE_WARNING, "call %llu was decided elsewhere: %s by %s %s",
			(unsigned long long)call->number, verdict, by, who);
}

/* The pane shows a call that waits as it is now, or closes. */
static void
close_if_decided(struct app *app)
{
	struct approval_shown shown;
	const struct session_call *call;
	bool waits;

	if (!app->approval)
		return;
	call = session_call(&app->session, view_approval_call(app->approval));
	shown = view_approval_shown(app->approval);
	waits = call->state == CALL_HELD && !app->lost;
	if (waits && digest_equal(&call->bind, &shown.bind))
		return;
	if (!waits && !app->lost)
		say_decided(app, call);
	while (app->overlays > 0) /* what explains the call goes with it */
		app_pop(app);
	app_close_pane(app, !waits);
	if (waits) /* its arguments were edited */
		app_open(app, call->number);
}

void
app_look_for_waiting(struct app *app)
{
	const struct session_call *next;
	bool was_open = app->approval != NULL;

	if (app->place != APP_AT_SESSION)
		return;
	close_if_decided(app);
	if (!app->live || app->lost || app->session.ended || app->session.waiting == 0)
		return;
	ring_for(app, newest_held(&app->session));
	if (app->open_first > 0) {
		app_open(app, app->open_first);
		app->open_first = 0;
	}
	if (app->approval || !may_interrupt(app))
		return;
	/* After a decision any call that waits is next; else only one that has not been left. */
	next = was_open ? session_first_held(&app->session) : opens_by_itself(app);
	if (!next)
		return;
	while (app->overlays > 0)
		app_pop(app);
	app_open(app, next->number);
}

/* --- frames --- */

static void
tell_presented(struct app *app)
{
	struct approval_shown shown = view_approval_shown(app->approval);
	struct client_presented presented = { .call = view_approval_call(app->approval),
		.bind = shown.bind,
		.presentation = arming_presentation(app->arming),
		.seen_seq = shown.seen_seq,
		.cols = shown.cols,
		.rows = shown.rows,
		.strict = shown.strict,
		.frame = shown.frame };

	app->presented = true;
	client_presented(app->client, &presented);
}

void
app_frame_left(struct app *app, uint64_t frame)
{
	bool first =
		app->approval && !app->presented && app->frame_shows_pane && frame == app->frame;

	if (first) {
		term_flush_input(app->term);
		keys_reset(app->keys);
	}
	arming_frame_left(app->arming, frame, loop_now(app->loop));
	if (first)
		tell_presented(app);
	if (app->approval)
		app_dirty(app);
}

/* --- deciding --- */

static void
send_decision(struct app *app, const struct intent *intent)
{
	struct approval_shown shown = view_approval_shown(app->approval);
	bool approve = intent->kind == INTENT_APPROVE;
	struct client_decision decision = { .call = intent->call,
		.bind = shown.bind,
		.approve = approve,
		.presentation = arming_presentation(app->arming),
		.frame = shown.frame,
		.covered = arming_covered(app->arming),
		.total = arming_total(app->arming),
		.dwell_ms = arming_dwell_ns(app->arming, loop_now(app->loop)) / NS_PER_MS,
		.reason = approve ? NULL : intent->text,
		.code = approve ? intent->text : NULL,
		.stop = intent->stop,
		.via = "console" };

	app->decide_id = client_decide(app->client, &decision);
	view_approval_sent(app->approval, true);
	app_dirty(app);
}

/* An approval comes here when its key stands, or with its code; a denial at once. */
void
app_decide(struct app *app, const struct intent *intent)
{
	if (!app->approval || app->decide_id != 0 ||
		intent->call != view_approval_call(app->approval))
		return;
	if (intent->kind == INTENT_DENY) {
		send_decision(app, intent);
		return;
	}
	if (view_approval_shown(app->approval).wants_code && !intent->text) {
		view_approval_ask_code(app->approval);
		app_dirty(app);
		return;
	}
	if (intent->text && !arming_confirm(app->arming)) {
		view_approval_say(app->approval, "too early: press Enter again");
		app_dirty(app);
		return;
	}
	if (app->presented && !view_approval_shown(app->approval).blocked)
		send_decision(app, intent);
}

void
app_settle(struct app *app)
{
	struct intent intent = { .kind = INTENT_APPROVE };

	if (!app->approval || !arming_settled(app->arming, loop_now(app->loop)))
		return;
	intent.call = view_approval_call(app->approval);
	app_decide(app, &intent);
}

void
app_decide_answer(struct app *app, uint64_t id, bool ok, const char *error)
{
	AUTO_FREE char *words = text_escape(untrusted_str(error), TEXT_STRICT);

	if (id != app->decide_id || id == 0)
		return;
	app->decide_id = 0;
	if (ok || !app->approval)
		return;
	view_approval_sent(app->approval, false);
	app_say(app, STYLE_ERROR, "refused: %s", words);
	app_present_again(app);
}
