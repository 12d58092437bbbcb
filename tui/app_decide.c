/*
 * From a held call to a decision: which calls the pane shows, what the supervisor is told of them,
 * and what it answers.  When a key may decide is app_guard.c's.
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
#include "tui/notify.h"
#include "tui/term.h"
#include "tui/view_approval.h"
#include "tui/view_calls.h"
#include "tui/view_program.h"

#define BELL_PAUSE (10 * NS_PER_S)
#define EXTEND_MS (5 * 60 * 1000)

/* --- opening and closing --- */

/* A pane for these calls, which all wait. */
static void
open_pane(struct app *app, const uint64_t *calls, size_t count)
{
	app->approval = view_approval_new(&app->session, calls, count, app->arming);
	view_program_follow(app->pane[LAYOUT_PROGRAM]);
	view_calls_select(app->pane[LAYOUT_CALLS], calls[0]);
	app_guard_top(app);
	app_dirty(app);
}

void
app_open(struct app *app, uint64_t number)
{
	const struct session_call *call =
		number ? session_call(&app->session, number) : session_first_held(&app->session);

	if (!call || call->state != CALL_HELD || app->lost)
		return;
	if (app->approval && view_approval_count(app->approval) == 1 &&
		view_approval_call(app->approval, 0) == call->number)
		return;
	app_close_pane(app, false);
	open_pane(app, &call->number, 1);
}

/* Why a call is never one of several; NULL: it may be. */
static const char *
stands_alone(const struct session_call *call)
{
	const char *why = call->held_why ? call->held_why : "";

	if (call->confirm_code)
		return "wants its code";
	if (call->person_only)
		return "is for a person alone";
	if (strcmp(why, "repeat") == 0)
		return "is a repeat";
	return strcmp(why, "budget") == 0 ? "is over a limit" : NULL;
}

void
app_open_many(struct app *app, const uint64_t *calls, size_t count)
{
	uint64_t held[APP_TOGETHER];
	size_t held_count = 0;

	for (size_t i = 0; i < count; i++) {
		const struct session_call *call = session_call(&app->session, calls[i]);
		const char *alone = call && call->state == CALL_HELD ? stands_alone(call) : NULL;

		if (!call || call->state != CALL_HELD)
			continue;
		if (alone) {
			app_say(app, STYLE_WARNING, "call %llu %s: it is decided by itself",
				(unsigned long long)call->number, alone);
			return;
		}
		if (held_count == APP_TOGETHER) {
			app_say(app, STYLE_WARNING, "at most %d calls are decided together",
				APP_TOGETHER);
			return;
		}
		held[held_count++] = call->number;
	}
	if (held_count == 0 || app->lost)
		return;
	app_close_pane(app, false);
	open_pane(app, held, held_count);
}

void
app_close_pane(struct app *app, bool decided)
{
	if (!app->approval)
		return;
	app_guard_leave(app, app->approval, decided);
	view_free(app->approval);
	app->approval = NULL;
	app->deciding = 0;
	app_dirty(app);
}

/* --- what the session says --- */

void
app_ring(struct app *app, const char *name, const char *id, uint64_t call)
{
	int64_t now = loop_now(app->loop);

	if (app->notifier)
		notify(app->notifier, name, id, call);
	if (app->rang_at != 0 && now - app->rang_at < BELL_PAUSE)
		return;
	if (app->config && !config_bool(app->config, SETTING_UI_BELL))
		return;
	app->rang_at = now;
	if (app->term)
		term_bell(app->term);
}

static void
ring_for(struct app *app, const struct session_call *newest)
{
	if (!newest || newest->number <= app->told)
		return;
	app->told = newest->number;
	app_ring(app, app->session.name, app->session.id, newest->number);
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

	if (app_tells_meanwhile(app))
		return false;
	if (app->prompt || keys_waiting(app->keys) || keys_in_paste(app->keys))
		return false;
	return !top || (!view_typing(top) && top->ops->map(top) != MAP_LEAVE &&
			       top->ops->map(top) != MAP_STOP);
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

/* Does it wait still, with the arguments that were shown? */
static bool
is_as_shown(const struct app *app, size_t i)
{
	struct approval_shown shown = view_approval_shown(app->approval, i);
	const struct session_call *call = session_call(&app->session, shown.call);

	return call->state == CALL_HELD && digest_equal(&call->bind, &shown.bind);
}

/* What explains a call goes with it; what a person made of its arguments is kept. */
static void
close_overlays(struct app *app)
{
	app_keep_edit_here(app);
	while (app->overlays > 0)
		app_pop(app);
}

/* The calls of the pane that wait still, as they are now, are presented anew. */
static void
present_rest(struct app *app)
{
	size_t count = view_approval_count(app->approval);
	uint64_t rest[APP_TOGETHER];
	size_t rest_count = 0;
	AUTO_FREE char *comment = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct session_call *call =
			session_call(&app->session, view_approval_call(app->approval, i));

		if (call->state == CALL_HELD && !app->lost)
			rest[rest_count++] = call->number;
		else if (!app->lost)
			say_decided(app, call);
	}
	close_overlays(app);
	comment = mem_str(view_approval_comment(app->approval));
	app_close_pane(app, rest_count < count);
	if (rest_count == 0)
		return;
	open_pane(app, rest, rest_count);
	view_approval_set_comment(app->approval, comment);
}

/* The pane shows calls that wait, as they are, or closes.  While the answers to one key for several
 * calls come in, the pane stays as it was. */
static void
close_if_decided(struct app *app)
{
	size_t count = app->approval ? view_approval_count(app->approval) : 0;
	bool as_shown = !app->lost;

	if (count == 0 || (count > 1 && app->deciding > 0 && !app->lost))
		return;
	for (size_t i = 0; i < count; i++)
		as_shown = as_shown && is_as_shown(app, i);
	if (!as_shown)
		present_rest(app);
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
	close_overlays(app);
	app_open(app, next->number);
}

/* --- frames --- */

void
app_tell_presented(struct app *app)
{
	for (size_t i = 0; i < view_approval_count(app->approval); i++) {
		struct approval_shown shown = view_approval_shown(app->approval, i);
		struct client_presented presented = { .call = shown.call,
			.bind = shown.bind,
			.presentation = arming_presentation(app->arming),
			.seen_seq = shown.seen_seq,
			.cols = shown.cols,
			.rows = shown.rows,
			.strict = shown.strict,
			.frame = shown.frame };

		client_presented(app->client, &presented);
	}
}

/* Before something else that asks for a yes lies over the pane: its own request is about what was
 * seen here. */
void
app_note_seen(struct app *app)
{
	struct approval_shown shown = view_approval_shown(app->approval, 0);

	app->seen_call = (struct client_seen){
		.call = shown.call,
		.bind = shown.bind,
		.presentation = arming_presentation(app->arming),
		.frame = shown.frame,
		.covered = arming_covered_in(app->arming, shown.bytes_at, shown.total),
		.total = shown.total,
		.dwell_ms = arming_dwell_ns(app->arming, loop_now(app->loop)) / NS_PER_MS,
	};
	if (!app->presented)
		app->seen_call.presentation = 0;
}

/* --- deciding --- */

/* An answer may come when the pane has gone on to other calls. */
static bool
is_shown(const struct app *app, uint64_t call)
{
	for (size_t i = 0; i < view_approval_count(app->approval); i++)
		if (view_approval_call(app->approval, i) == call)
			return true;
	return false;
}

static void
on_decide_reply(struct app *app, bool ok, const char *error, uint64_t call)
{
	bool ours = app->approval && app->deciding > 0 && is_shown(app, call);

	if (ours && --app->deciding == 0)
		view_approval_sent(app->approval, false);
	if (ok || !ours)
		return;
	if (view_approval_count(app->approval) > 1)
		app_say(app, STYLE_ERROR, "call %llu, refused: %s", (unsigned long long)call,
			error);
	else
		app_say(app, STYLE_ERROR, "refused: %s", error);
	app_present_again(app);
}

static void
send_one(
	struct app *app, const struct intent *intent, const struct approval_shown *shown, bool stop)
{
	bool approve = intent->kind == INTENT_APPROVE;
	struct client_decision decision = { .call = shown->call,
		.bind = shown->bind,
		.approve = approve,
		.reuse = intent->kind == INTENT_REUSE,
		.presentation = arming_presentation(app->arming),
		.frame = shown->frame,
		.covered = arming_covered_in(app->arming, shown->bytes_at, shown->total),
		.total = shown->total,
		.dwell_ms = arming_dwell_ns(app->arming, loop_now(app->loop)) / NS_PER_MS,
		.reason = intent->kind == INTENT_DENY ? intent->text : NULL,
		.comment = view_approval_comment(app->approval),
		.code = approve ? intent->text : NULL,
		.stop = stop,
		.via = "console" };

	app->deciding++;
	app_await(app, client_decide(app->client, &decision), on_decide_reply, shown->call);
}

/* Each call by itself, with its own bind and frame; the run is stopped with the last. */
static void
send_decision(struct app *app, const struct intent *intent)
{
	size_t count = view_approval_count(app->approval);

	for (size_t i = 0; i < count; i++) {
		struct approval_shown shown = view_approval_shown(app->approval, i);

		send_one(app, intent, &shown, intent->stop && i + 1 == count);
	}
	view_approval_sent(app->approval, true);
	app_dirty(app);
}

/* A yes comes here when its key stands, or with its code; a denial at once. */
void
app_decide(struct app *app, const struct intent *intent)
{
	if (!app->approval || app->deciding > 0 ||
		intent->call != view_approval_call(app->approval, 0))
		return;
	/* A field stays open on a terminal that became too small, or another one. */
	if (app_terminal_blocks(app)) {
		app_say(app, STYLE_WARNING, "not sent, %s", app_terminal_blocks(app));
		return;
	}
	if (intent->kind == INTENT_DENY) {
		send_decision(app, intent);
		return;
	}
	if (intent->kind == INTENT_APPROVE && !intent->text &&
		view_approval_shown(app->approval, 0).wants_code) {
		view_approval_ask_code(app->approval);
		app_dirty(app);
		return;
	}
	if (intent->text && !arming_confirm(app->arming)) {
		view_approval_say(app->approval, "too early: press Enter again");
		app_dirty(app);
		return;
	}
	if (app->presented && !view_approval_shown(app->approval, 0).blocked)
		send_decision(app, intent);
}

/* --- more time --- */

static void
on_extend_reply(struct app *app, bool ok, const char *error, uint64_t call)
{
	if (ok)
		app_say(app, STYLE_TEXT, "call %llu has five more minutes",
			(unsigned long long)call);
	else
		app_say(app, STYLE_ERROR, "no more time: %s", error);
}

void
app_extend(struct app *app, uint64_t call)
{
	app_await(app, client_extend(app->client, call, EXTEND_MS), on_extend_reply, call);
}

/* --- away --- */

static void
on_away_reply(struct app *app, bool ok, const char *error, uint64_t away)
{
	if (!ok)
		app_say(app, STYLE_ERROR, "not %s: %s", away ? "away" : "back", error);
	else if (away)
		app_say(app, STYLE_AWAY, "away: every clock stands, every new call is held");
	else
		app_say(app, STYLE_TEXT, "back: the clocks go on");
}

void
app_away(struct app *app)
{
	bool away = !app->session.away;

	app_await(app, client_away(app->client, away), on_away_reply, away);
}
