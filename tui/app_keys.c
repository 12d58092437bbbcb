/*
 * What a key does.  Keys of one read are gathered first, because arming judges the read as a whole;
 * then each goes to the text field that has the focus, or by the keymap of what lies on top.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "tui/arming.h"
#include "tui/client.h"
#include "tui/guard.h"
#include "tui/term.h"
#include "tui/view_dialog.h"
#include "tui/view_help.h"
#include "tui/view_program.h"

#define BURST_KEYS 3
#define CTRL_C 3
#define PASTE_STALL (1 * NS_PER_S)

/* --- intents --- */

static void
open_call(struct app *app, uint64_t call)
{
	if (app->session.waiting == 0 && app_program_asks(app))
		app_open_program(app);
	else if (app->session.waiting == 0)
		app_say(app, STYLE_DIM, "no call waits");
	else
		app_open(app, call);
}

static void
stop_and_leave(struct app *app)
{
	app->leaving = true;
	app_say(app, STYLE_TEXT, "%s",
		app->session.state == RUN_RESTING ? "leaving" : "stopping the run, then leaving");
	app->stop_id = client_request(app->client, "stop", "", 0);
}

void
app_intent(struct app *app, const struct intent *intent)
{
	if (app->film && app_replay_intent(app, intent))
		return;
	switch (intent->kind) {
	case INTENT_OPEN:
		open_call(app, intent->call);
		break;
	case INTENT_DETAIL:
		app_page_detail(app, intent->call);
		break;
	case INTENT_EXPLAIN:
		app_page_explain(app, intent->call);
		break;
	case INTENT_DIFF:
		app_page_difference(app, intent->call);
		break;
	case INTENT_EDIT:
		app_edit_call(app, intent->call);
		break;
	case INTENT_EDIT_HERE:
		app_edit_here(app, intent->call);
		break;
	case INTENT_EDITED:
		app_edited_here(app, intent->call, intent->text);
		break;
	case INTENT_UNEDIT:
		app_unedit_call(app, intent->call);
		break;
	case INTENT_EXTEND:
		app_extend(app, intent->call);
		break;
	case INTENT_APPROVE:
	case INTENT_DENY:
	case INTENT_REUSE:
		app_decide(app, intent);
		break;
	case INTENT_GRANT_ASK:
		app_ask_grant(app, intent->call);
		break;
	case INTENT_RULE_ASK:
		app_ask_rule(app, intent->call);
		break;
	case INTENT_RAISE_ASK:
		app_ask_raise(app, intent->call);
		break;
	case INTENT_GRANT:
		app_send_grant(app, intent);
		break;
	case INTENT_RULE:
		app_send_rule(app, intent);
		break;
	case INTENT_RAISE:
		app_send_raise(app, intent);
		break;
	case INTENT_REVOKE:
		app_revoke(app, intent->call);
		break;
	case INTENT_PROGRAM:
		app_send_program(app, intent);
		break;
	case INTENT_PROGRAM_EDIT:
		app_edit_program(app);
		break;
	case INTENT_AGAIN:
		app_present_again(app);
		break;
	case INTENT_FULL:
		app->full = !app->full;
		app_present_again(app);
		break;
	case INTENT_DETACH:
		app_leave(app, APP_DETACHED);
		break;
	case INTENT_STOP_LEAVE:
		stop_and_leave(app);
		break;
	case INTENT_OPEN_MANY:
		app_open_many(app, intent->calls, intent->call_count);
		break;
	case INTENT_RUN:
		app_open_run(app, intent->text, intent->call);
		break;
	case INTENT_RUN_STOP:
		app_ask_stop_run(app, intent->text);
		break;
	case INTENT_STOP:
		if (app->place == APP_AT_RUNS) {
			app_stop_run(app);
			break;
		}
		app_say(app, STYLE_TEXT, "stopping the run");
		app->stop_id = client_request(app->client, "stop", "", 0);
		break;
	case INTENT_NONE:
		break;
	}
}

/* --- commands --- */

static void
ask_to_leave(struct app *app)
{
	if (app->film)
		app_leave(app, APP_ENDED);
	else if (app->lost)
		app_leave(app, APP_LOST);
	else if (app->session.ended)
		app_leave(app, APP_ENDED);
	else if (app->session.state == RUN_RESTING) /* nothing goes on: there is nothing to ask */
		app_intent(app, &(struct intent){ .kind = INTENT_STOP_LEAVE });
	else
		app_push(app, view_dialog_leave());
}

static void
move_focus(struct app *app, int by)
{
	app->focus = (enum layout_pane)(((int)app->focus + by + LAYOUT_PANES) % LAYOUT_PANES);
	if (app->focus == LAYOUT_PROGRAM)
		view_program_follow(app->pane[LAYOUT_PROGRAM]);
	app_dirty(app);
}

/* The commands that app itself performs, whatever lies on top. */
static bool
offers_anywhere(const struct app *app, enum command command)
{
	bool panes = app_top(app) == app->pane[app->focus];
	bool running = !app->session.ended && !app->lost && !app->film;

	if (command == COMMAND_HELP || command == COMMAND_REDRAW || command == COMMAND_SUSPEND)
		return true;
	if (app_places_offer(app, command))
		return true;
	if (app->place == APP_AT_RUNS)
		return app_prompt_offers(app, command);
	switch (command) {
	case COMMAND_LEAVE:
		return true;
	case COMMAND_FULL:
	case COMMAND_NEXT_PANE:
	case COMMAND_PREVIOUS_PANE:
		return panes;
	case COMMAND_STOP:
		return panes && running && app->session.state != RUN_RESTING;
	case COMMAND_AWAY:
		return running && !view_typing(app_top(app));
	case COMMAND_OPEN:
		return panes && app_program_asks(app);
	case COMMAND_BACK:
		return panes && !running;
	case COMMAND_NARROWER:
	case COMMAND_WIDER:
	case COMMAND_LOWER:
	case COMMAND_TALLER:
		return panes && app_resizes(app, command);
	case COMMAND_CANCEL:
		return panes && app_may_cancel(app);
	case COMMAND_ANSWER:
		return panes && app->session.answer.bytes;
	case COMMAND_REASONING:
		return panes && app_has_reasoning(app);
	case COMMAND_NEXT_TASK:
		return panes && app_may_task(app);
	case COMMAND_DETAILS:
	case COMMAND_GRANTS:
	case COMMAND_COMMAND_LINE:
		return !view_typing(app_top(app));
	default:
		return app_prompt_offers(app, command);
	}
}

bool
app_offers(const struct app *app, enum command command)
{
	const struct view *top = app_top(app);

	if (app->film && app_replay_refuses(command))
		return false;
	return top->ops->offers(top, command) || offers_anywhere(app, command) ||
	       (app->film && app_replay_offers(app, command));
}

static void
show_help(struct app *app)
{
	struct view *top = app_top(app);
	bool works[COMMAND_COUNT];

	for (int command = 0; command < COMMAND_COUNT; command++)
		works[command] = command != COMMAND_NONE && app_offers(app, (enum command)command);
	app_push(app, view_help_new(top->ops->map(top), app->film ? MAP_REPLAY : MAP_COUNT, works));
}

static void
say_how_to_leave(struct app *app)
{
	char name[KEY_NAME_MAX];
	struct key key;

	if (keymap_key(app->keymap, app_top(app)->ops->map(app_top(app)), COMMAND_LEAVE, &key))
		app_say(app, STYLE_DIM, "%s leaves", key_name(key, name));
}

/* What works wherever the focus is, when what lies on top has no use for it. */
static void
run_anywhere(struct app *app, enum command command)
{
	bool panes = app_top(app) == app->pane[app->focus];

	if (app_places_run(app, command))
		return;
	switch (command) {
	case COMMAND_HELP:
		show_help(app);
		break;
	case COMMAND_REDRAW:
		app->whole = true;
		app_dirty(app);
		break;
	case COMMAND_SUSPEND:
		term_stop(app->term);
		break;
	case COMMAND_LEAVE:
		ask_to_leave(app);
		break;
	case COMMAND_BACK:
		if (panes && (app->session.ended || app->lost || app->film))
			ask_to_leave(app);
		else if (panes)
			say_how_to_leave(app);
		break;
	case COMMAND_STOP:
		if (panes && offers_anywhere(app, command))
			app_push(app, view_dialog_stop());
		break;
	case COMMAND_AWAY:
		if (offers_anywhere(app, command))
			app_away(app);
		break;
	case COMMAND_OPEN:
		if (panes)
			app_open_program(app);
		break;
	case COMMAND_FULL:
		if (panes)
			app->zoom = !app->zoom;
		app_dirty(app);
		break;
	case COMMAND_NEXT_PANE:
		if (panes)
			move_focus(app, 1);
		break;
	case COMMAND_PREVIOUS_PANE:
		if (panes)
			move_focus(app, -1);
		break;
	case COMMAND_NARROWER:
	case COMMAND_WIDER:
	case COMMAND_LOWER:
	case COMMAND_TALLER:
		if (panes)
			app_resize_panes(app, command);
		break;
	case COMMAND_GRANTS:
		app_show_grants(app);
		break;
	case COMMAND_DETAILS:
		app_page_session(app);
		break;
	case COMMAND_CANCEL:
		if (panes)
			app_cancel(app);
		break;
	case COMMAND_ANSWER:
		if (panes && app->session.answer.bytes)
			app_page_answer(app);
		break;
	case COMMAND_REASONING:
		if (panes)
			app_show_reasoning(app);
		break;
	default:
		app_prompt_command(app, command);
		break;
	}
}

static void
close_top(struct app *app)
{
	if (app->overlays > 0) {
		app_pop(app);
		return;
	}
	/* Left, not decided: what waits now opens no pane by itself any more. */
	app->left_below = app->session.call_count;
	if (app->film)
		app_replay_left_pane(app);
	app_close_pane(app, false);
}

/* May this command pass now?  Says "too early" when it may not. */
static bool
may_run(struct app *app, struct view *top, enum command command)
{
	unsigned flags = command_flags(command);

	if (!app_is_guarded(app, top) || !(flags & COMMAND_NEEDS_REST))
		return true;
	app_dirty(app);
	if (app_terminal_blocks(app))
		return false;
	return arming_deny(app->arming);
}

void
app_run_command(struct app *app, enum command command)
{
	struct view *top = app_top(app);
	struct intent intent = { .kind = INTENT_NONE };
	enum view_reply reply;

	if (app->film && (app_replay_refuses(command) || app_replay_run(app, command)))
		return;
	if (!top->ops->offers(top, command) && command_flags(command) & COMMAND_DECIDES &&
		app_is_guarded(app, top) && !view_typing(top))
		return;
	if (command_flags(command) & COMMAND_NEEDS_ARMED) {
		if (app_is_guarded(app, top) && app->deciding == 0 && !app->asking)
			app_guard_yes(app, command);
		return;
	}
	if (!may_run(app, top, command))
		return;
	reply = top->ops->run(top, command, &intent);
	if (reply == VIEW_DIRTY)
		app_dirty(app);
	app_intent(app, &intent);
	/* The intent may have closed the view itself. */
	if (reply == VIEW_CLOSE && top == app_top(app))
		close_top(app);
	else if (reply == VIEW_IGNORED)
		run_anywhere(app, command);
}

static void
take_key(struct app *app, struct key key)
{
	struct view *top = app_top(app);
	enum command command;

	if (app->message) {
		free(app->message);
		app->message = NULL;
		app_dirty(app);
	}
	if (app->prompt) {
		app_prompt_key(app, key);
		return;
	}
	command = app->film && !view_typing(top) ? keymap_find(app->keymap, MAP_REPLAY, key)
						 : COMMAND_NONE;
	if (command == COMMAND_NONE)
		command = keymap_find(app->keymap, top->ops->map(top), key);
	if (command != COMMAND_NONE)
		app_run_command(app, command);
	else if (top->ops->key && top->ops->key(top, key))
		app_dirty(app);
}

/* --- one read --- */

void
app_on_key(struct key key, void *arg)
{
	struct app *app = arg;

	if (app->pressed_count < APP_KEYS)
		app->pressed[app->pressed_count++] = key;
}

/* Goes to a text field outside the approval pane; there it is dropped. */
void
app_on_paste(const char *bytes, size_t len, bool last, void *arg)
{
	struct app *app = arg;

	(void)last;
	if (!app->guarded)
		app_prompt_paste(app, bytes, len);
}

/* Several at once where a yes is asked for are a paste without brackets, or typed ahead: dropped,
 * but for the letters of a reason, which a slow line may bring together. */
static void
take_burst(struct app *app, size_t count)
{
	struct view *view = app->guarded;

	for (size_t i = 0; i < count && view->ops->guard->wording(view); i++)
		if (app->pressed[i].code == KEY_CHAR && app->pressed[i].mods == 0)
			(void)view->ops->key(view, app->pressed[i]);
	app_dirty(app);
}

/* A key is alone only when it is all that came, and a letter only when its byte is: a paste or half
 * a sequence is no company for a yes. */
static size_t
keys_for_arming(const struct app *app, size_t len)
{
	struct key first = app->pressed[0];
	bool letter = first.code == KEY_CHAR && first.ch < 0x80 && first.mods == 0;
	bool strayed = len > 0 && (!keys_alone(app->keys) || (letter && len > 1));

	return app->pressed_count == 1 && strayed ? 2 : app->pressed_count;
}

/* Text typed into the last row may come together on a slow line; when that opened a place where a
 * key decides, what is left of the read is dropped. */
static void
take_typed(struct app *app, size_t count)
{
	for (size_t i = 0; i < count && (app->prompt || !app_is_guarded(app, app_top(app))); i++)
		take_key(app, app->pressed[i]);
}

static void
take_keys(struct app *app, size_t len)
{
	size_t count = app->pressed_count;

	arming_input(app->arming, keys_for_arming(app, len), loop_now(app->loop));
	app->pressed_count = 0;
	if (count > 0 && app_tells_meanwhile(app)) {
		app_pop(app);
		return;
	}
	if (app->prompt) {
		take_typed(app, count);
		return;
	}
	if (app_is_guarded(app, app_top(app)) && count >= BURST_KEYS) {
		take_burst(app, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		take_key(app, app->pressed[i]);
}

/* A paste whose end was lost takes every key: Ctrl-C pressed after a while leads out of it. */
static void
leave_paste(struct app *app, const char *bytes, size_t len)
{
	int64_t now = loop_now(app->loop);

	if (keys_in_paste(app->keys) && len == 1 && bytes[0] == CTRL_C &&
		now - app->input_at >= PASTE_STALL)
		keys_reset(app->keys);
	app->input_at = now;
}

void
app_input(struct app *app, const char *bytes, size_t len)
{
	loop_timer_stop(app->escape);
	leave_paste(app, bytes, len);
	keys_feed(app->keys, bytes, len);
	take_keys(app, len);
	if (keys_waiting(app->keys))
		loop_timer_in(app->escape, KEYS_ESC_MS * INT64_C(1000000));
	if (app->guarded)
		app_dirty(app);
}

void
app_escape_over(struct app *app)
{
	keys_expire(app->keys);
	take_keys(app, 0);
}
