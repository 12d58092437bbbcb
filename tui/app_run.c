/*
 * Callbacks change state and mark the screen dirty; the turn's end looks for what waits and paints
 * at most one frame, at most 30 a second.  A timer runs only while something on the screen moves by
 * itself: a clock, the meter of the quiet time.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/run/configuration.h"
#include "tui/arming.h"
#include "tui/canvas.h"
#include "tui/client.h"
#include "tui/editor.h"
#include "tui/fleet.h"
#include "tui/keymap_config.h"
#include "tui/term.h"
#include "tui/theme.h"
#include "tui/view_approval.h"
#include "tui/view_calls.h"
#include "tui/view_output.h"
#include "tui/view_program.h"

#define FRAME_NS (NS_PER_S / 30)
#define METER_NS (100 * NS_PER_MS)
#define SIGNAL_BASE 128
#define HANGUP 1
#define RECORD_CODE 7 /* exit code of a run whose record could not be written */

/* --- small services --- */

int64_t
app_mono(const struct app *app)
{
	int64_t now = loop_now(app->loop) + app->clock_ahead;

	if (app->film)
		return app_replay_mono(app);
	return now > app->session.mono ? now : app->session.mono;
}

void
app_dirty(struct app *app)
{
	app->dirty = true;
}

void
app_say(struct app *app, enum style style, const char *fmt, ...)
{
	char words[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(words, sizeof(words), fmt, args);
	va_end(args);
	free(app->message);
	app->message = mem_str(words);
	app->message_style = style;
	app_dirty(app);
}

void
app_leave(struct app *app, enum app_end end)
{
	app->result->end = end == APP_LOST && app->poisoned ? APP_UNRECORDED : end;
	if (end == APP_ENDED)
		app->result->exit_code = app->session.exit_code;
	loop_stop(app->loop, 0);
}

void
app_push(struct app *app, struct view *view)
{
	if (app->overlays == APP_OVERLAYS) {
		view_free(view);
		return;
	}
	app->overlay[app->overlays++] = view;
	app_guard_top(app);
	app_dirty(app);
}

/* What lies below comes back: if it asks for a yes, it is presented anew. */
void
app_pop(struct app *app)
{
	struct view *view = app->overlay[--app->overlays];

	if (view == app->edit_here)
		app->edit_here = NULL;
	app_guard_leave(app, view, false);
	view_free(view);
	app_guard_top(app);
	app_dirty(app);
}

/* --- the connection --- */

static void
on_hello(struct client *client, void *arg)
{
	struct app *app = arg;

	app->clock_ahead = client_mono(client) - loop_now(app->loop);
}

static void
on_event(const struct event_view *event, void *arg)
{
	struct app *app = arg;
	size_t alerts = app->session.alert_count;

	app_before_event(app, event);
	session_apply(&app->session, event);
	app_after_event(app);
	app_model_event(app, event->type);
	app_dirty(app);
	if (event->type == EVENT_SESSION_START)
		app_attend(app);
	if (event->type == EVENT_SESSION_END ||
		event->type == EVENT_RUN_END) { /* how it ended is what the last row says now */
		free(app->message);
		app->message = NULL;
	}
	if (app->live && app->session.alert_count > alerts) {
		const char *text = app->session.alerts[alerts].text;
		AUTO_FREE char *words = text_escape(untrusted_str(text), TEXT_STRICT);

		app_say(app, STYLE_WARNING, "alert: %s", words);
	}
	if (app->session.ended && app->leaving)
		app_leave(app, APP_ENDED);
}

static void
on_live(void *arg)
{
	struct app *app = arg;

	app->live = true;
	app_dirty(app);
}

static void
on_reply(uint64_t id, struct json_value reply, void *arg)
{
	struct app *app = arg;
	bool ok = json_bool(json_get(reply, "ok"), false);
	const char *error = json_text(reply, "error");
	AUTO_FREE char *words = text_escape(untrusted_str(error), TEXT_STRICT);

	app_answered(app, id, ok, words);
	if (id == app->stop_id && !ok)
		app_say(app, STYLE_ERROR, "not stopped: %s", words);
}

static void
on_notice(struct json_value notice, void *arg)
{
	struct app *app = arg;

	if (!json_is(json_get(notice, "notice"), "poisoned"))
		return;
	app->poisoned = true;
	app_say(app, STYLE_ERROR,
		"the record cannot be written: the run ends, what waits is denied");
}

static void
on_closed(const char *why, void *arg)
{
	struct app *app = arg;
	AUTO_FREE char *name = text_escape(untrusted_str(app->session.name), TEXT_STRICT);
	AUTO_FREE char *words = text_escape(untrusted_str(why ? why : "in order"), TEXT_STRICT);

	app_dirty(app);
	if (app->session.ended)
		return;
	app->lost = true;
	app_doubt_loss(app);
	if (!app->session.id)
		app_say(app, STYLE_ERROR, "the supervisor closed the connection: %s", words);
	else if (app->poisoned)
		app_say(app, STYLE_ERROR,
			"the record could not be written: the run is over, exit code %d",
			RECORD_CODE);
	else
		app_say(app, STYLE_ERROR,
			"the supervisor is gone: no call runs; `tollbridge show %s` tells more",
			name);
	if (app->leaving)
		app_leave(app, APP_LOST);
}

/* --- the terminal --- */

static void
on_input(const char *bytes, size_t len, void *arg)
{
	app_input(arg, bytes, len);
}

static void
on_frame_left(uint64_t frame, void *arg)
{
	app_frame_left(arg, frame);
}

static void
on_look_lost(void *arg)
{
	struct app *app = arg;

	app->whole = true;
	app_dirty(app);
	app_present_again(app);
}

static void
on_terminal_lost(int signo, void *arg)
{
	struct app *app = arg;

	app->result->exit_code = SIGNAL_BASE + (signo ? signo : HANGUP);
	app_leave(app, APP_SIGNAL);
}

/* --- turns --- */

static int64_t
sooner(int64_t a, int64_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

/* Does a clock on the screen run? */
static bool
ticks(const struct app *app)
{
	const struct session *session = &app->session;

	if (app->waits_elsewhere > 0 && app_top(app)->ops->map(app_top(app)) == MAP_WAITING)
		return true;
	if (app->lost || session->ended || app->film)
		return false;
	if (session->state == RUN_ENDED || session->state == RUN_RESTING)
		return false;
	return session->waiting > 0 || session->begun_mono > 0 || session->state == RUN_WRITING;
}

/* ns until the screen changes by itself; -1: never. */
static int64_t
next_change(const struct app *app)
{
	int64_t now = loop_now(app->loop);
	int64_t next = -1;
	int64_t quiet = app->guarded ? arming_next_ns(app->arming, now) : -1;

	if (app->place == APP_AT_RUNS)
		return app_places_change(app);
	if (app->film)
		next = app_replay_next(app);
	if (ticks(app))
		next = NS_PER_S - app_mono(app) % NS_PER_S;
	if (quiet >= 0)
		next = sooner(next, quiet < METER_NS ? quiet : METER_NS);
	return next;
}

static void
on_tick(void *arg)
{
	app_dirty(arg);
}

static void
on_turn(void *arg)
{
	struct app *app = arg;
	int64_t now = loop_now(app->loop);
	int64_t next;

	app_arrive(app);
	if (app->film)
		app_replay_turn(app);
	app_look_for_waiting(app);
	app_look_for_program(app);
	app_look_elsewhere(app);
	if (app->dirty && term_ready(app->term)) {
		if (app->painted_at != 0 && now - app->painted_at < FRAME_NS) {
			loop_timer_in(app->tick, app->painted_at + FRAME_NS - now);
			return;
		}
		app_paint(app);
	}
	next = next_change(app);
	if (next >= 0)
		loop_timer_in(app->tick, next > 0 ? next : 1);
	else
		loop_timer_stop(app->tick);
}

static void
on_escape(void *arg)
{
	app_escape_over(arg);
}

static void
on_settle(void *arg)
{
	app_settle(arg);
}

/* --- life --- */

int
app_theme_named(struct theme **theme, const char *name, struct err *err)
{
	const char *home = getenv("XDG_CONFIG_HOME");
	AUTO_FREE char *folder = NULL;

	if (home && home[0] == '/')
		folder = mem_printf("%s/tollbridge/themes", home);
	else if (getenv("HOME"))
		folder = mem_printf("%s/.config/tollbridge/themes", getenv("HOME"));
	if (theme_load(theme, name, folder, err) < 0)
		return -1;
	if (theme_no_colour_wanted())
		theme_drop_colours(*theme);
	return 0;
}

int
app_theme(const struct config *config, struct theme **theme, struct err *err)
{
	const char *name = config ? config_str(config, SETTING_UI_THEME) : NULL;

	return app_theme_named(theme, name ? name : "default", err);
}

void
app_make_panes(struct app *app)
{
	app->pane[LAYOUT_PROGRAM] = view_program_new(app->request->notice);
	app->pane[LAYOUT_CALLS] = view_calls_new();
	app->pane[LAYOUT_OUTPUT] = view_output_new();
	app->focus = LAYOUT_CALLS;
}

void
app_make(struct app *app)
{
	struct keys_hooks keys = { app_on_key, app_on_paste, app };

	app->keys = keys_new(&keys);
	app->keymap = keymap_new();
	app->canvas = canvas_new(0, 0);
	app->arming = arming_new(0, 0);
	app->tick = loop_timer_new(app->loop, on_tick, app);
	app->escape = loop_timer_new(app->loop, on_escape, app);
	app->settle = loop_timer_new(app->loop, on_settle, app);
	coverage_init(&app->seen);
	session_init(&app->session);
}

void
app_drop(struct app *app)
{
	app_session_close(app);
	while (app->overlays > 0)
		view_free(app->overlay[--app->overlays]);
	loop_timer_free(app->tick);
	loop_timer_free(app->escape);
	loop_timer_free(app->settle);
	view_free(app->approval);
	for (int i = 0; i < LAYOUT_PANES; i++)
		view_free(app->pane[i]);
	app_prompt_release(app);
	app_await_nothing(app);
	free(app->message);
	free(app->kept.text);
	free(app->kept.tool);
	coverage_release(&app->seen);
	session_release(&app->session);
	arming_free(app->arming);
	canvas_free(app->canvas);
	keymap_free(app->keymap);
	keys_free(app->keys);
	theme_free(app->theme);
}

/* An editor that still runs goes first: then the terminal is put back as it was found. */
static void
end_editor(struct app *app)
{
	bool ran = editor_runs(app->editor);

	editor_free(app->editor);
	app->editor = NULL;
	if (ran)
		(void)!term_resume(app->term, NULL);
}

void
app_session_open(struct app *app, const struct app_request *request)
{
	const struct config *config = request->config;
	struct client_hooks hooks = { .on_hello = on_hello,
		.on_event = on_event,
		.on_live = on_live,
		.on_reply = on_reply,
		.on_notice = on_notice,
		.on_closed = on_closed,
		.arg = app };

	app->request = request;
	app->place = APP_AT_SESSION;
	/* The machine stays: a key or a decision a moment ago makes the first pane rest longer. */
	arming_set_times(app->arming, config ? config_int(config, SETTING_APPROVAL_QUIET_MS) : 0,
		config ? config_int(config, SETTING_APPROVAL_REST_MS) : 0);
	app_make_panes(app);
	app->connected = true;
	app->client = client_new(app->loop, request->socket, 0, &hooks);
	if (request->notice)
		app_say(app, STYLE_TEXT, "%s", request->notice);
	app_dirty(app);
}

static void
forget_session(struct app *app)
{
	session_release(&app->session);
	session_init(&app->session);
	app->clock_ahead = 0;
	app->live = app->lost = app->leaving = app->poisoned = false;
	app->absent = false;
	app->alone = (struct meanwhile){ .from = 0 };
	app->looked_from = 0;
	app->away_seq = 0;
	app->zoom = app->full = app->presented = app->frame_shows_pane = false;
	app->guard_new = app->laid_out = app->asking = false;
	app->asked_program = app->ask_pending = false;
	app->yes = COMMAND_NONE;
	app->left_below = app->told = app->open_first = app->deciding = app->stop_id = 0;
	free(app->kept.text);
	free(app->kept.tool);
	app->kept = (struct app_kept){ .text = NULL };
	app->seen_call = (struct client_seen){ .call = 0 };
	app_await_nothing(app);
	app->edit_here = NULL;
	app->request = NULL;
}

void
app_session_close(struct app *app)
{
	if (!app->client && !app->film)
		return;
	while (app->overlays > 0) {
		app_guard_leave(app, app->overlay[app->overlays - 1], false);
		view_free(app->overlay[--app->overlays]);
	}
	app_replay_close(app);
	app_close_pane(app, false);
	app_prompt_release(app);
	for (int i = 0; i < LAYOUT_PANES; i++) {
		view_free(app->pane[i]);
		app->pane[i] = NULL;
	}
	if (app->fleet)
		fleet_attend(app->fleet, NULL, NULL);
	client_free(app->client);
	app->client = NULL;
	forget_session(app);
	app->whole = true;
	app_dirty(app);
}

/* A line each.  Gives memory; NULL: none was made. */
static char *
rules_made(const struct session *session)
{
	AUTO_BUF struct buf lines;

	buf_init(&lines, BUF_UNBOUNDED);
	for (size_t i = 0; i < session->rule_count; i++) {
		const struct blob *rule = &session->rules[i].rule;

		if (!rule->bytes)
			continue;
		buf_put(&lines, rule->bytes, rule->len);
		buf_byte(&lines, '\n');
	}
	return lines.len > 0 ? mem_strn(lines.data, lines.len) : NULL;
}

/* What is known of the session that the person leaves, or NULL as it comes. */
static void
take_result(struct app *app)
{
	const struct blob *answer = &app->session.answer;

	app->result->name = mem_str(app->session.name);
	if (answer->bytes)
		app->result->answer = mem_strn(answer->bytes, answer->len);
	app->result->rules = rules_made(&app->session);
}

static void
converse(struct app *app, const struct app_request *request)
{
	app->editor = editor_new(app->loop);
	canvas_set_ascii(app->canvas, term_ascii(app->term));
	/* A replay by itself connects to nothing, also to no other run. */
	if (!app->film)
		app_places_open(app);
	if (app->film)
		app->connected = true;
	else if (request)
		app_session_open(app, request);
	else
		app_show_list(app);
	loop_on_turn(app->loop, on_turn, app);
	app_dirty(app);
	(void)loop_run(app->loop);
	end_editor(app);
	take_result(app);
	app_session_close(app);
	app_places_close(app);
}

static int
show(const struct app_request *request, const struct config *config, struct app_result *result,
	struct err *err)
{
	struct app app = { .config = config, .result = result };
	struct term_hooks hooks = { .on_input = on_input,
		.on_frame_left = on_frame_left,
		.on_resize = on_look_lost,
		.on_continue = on_look_lost,
		.on_lost = on_terminal_lost,
		.arg = &app };
	int done;

	memset(result, 0, sizeof(*result));
	app.loop = loop_new();
	done = app_theme(config, &app.theme, err);
	if (done == 0) {
		app_make(&app);
		done = keymap_configure(app.keymap, config, err);
		if (done == 0 && request && request->replay)
			done = app_replay_open(&app, request, err);
		if (done == 0)
			done = term_open(&app.term, app.loop, app.theme, &hooks, err);
		if (done == 0)
			converse(&app, request);
		term_close(app.term);
		app_drop(&app);
	}
	if (!app.connected && request && !request->replay)
		close(request->socket);
	loop_free(app.loop);
	return done;
}

int
app_run(const struct app_request *request, struct app_result *result, struct err *err)
{
	return show(request, request->config, result, err);
}

int
app_runs(const struct config *config, struct app_result *result, struct err *err)
{
	return show(NULL, config, result, err);
}
