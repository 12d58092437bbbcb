/*
 * One terminal, many sessions.  A change of place is asked for at any time and made at the end of
 * the turn, when no view and no connection is at work that it would free.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/run/configuration.h"
#include "tui/client.h"
#include "tui/fleet.h"
#include "tui/notify.h"
#include "tui/view_approval.h"
#include "tui/view_dialog.h"
#include "tui/view_runs.h"
#include "tui/view_waiting.h"

#define YOUNG_NS (120 * NS_PER_S) /* ages are shown in seconds until then */
#define DOUBT_NS (NS_PER_S / 2)   /* until a dead supervisor's lock is gone */
#define MINUTE_NS (60 * NS_PER_S)

/* --- going --- */

void
app_show(struct app *app, enum app_place place, const char *id, uint64_t call)
{
	app->going = true;
	app->next_place = place;
	app->next_call = call;
	snprintf(app->next_id, sizeof(app->next_id), "%s", id);
	app_dirty(app);
}

static const struct fleet_run *const *
runs_of(size_t *count, void *arg)
{
	const struct app *app = arg;

	*count = 0;
	return app->fleet ? fleet_runs(app->fleet, count) : NULL;
}

static void
show_runs(struct app *app)
{
	struct view_runs_look look = { runs_of, app };

	if (!app->fleet && app->place != APP_AT_RUNS) {
		app_say(app, STYLE_ERROR, "the state folder cannot be read");
		return;
	}
	if (!app->runs)
		app->runs = view_runs_new(&look);
	if (app->session.id)
		view_runs_select(app->runs, app->session.id);
	app_session_close(app);
	app->place = APP_AT_RUNS;
	if (app->fleet)
		fleet_want_records(app->fleet);
}

void
app_show_list(struct app *app)
{
	show_runs(app);
}

/* The run's own configuration, as its record keeps it; colours stay those of this console. */
static struct config *
config_of(const struct fleet_run *run, struct err *err)
{
	size_t len = 0;
	AUTO_FREE char *text = summary_config(run->record_path, &len, err);

	return text ? config_read(text, len, err) : NULL;
}

static void
show_session(struct app *app, const struct fleet_run *run)
{
	struct err err = { 0 };
	struct config *config = config_of(run, &err);
	int fd = config ? store_connect(fleet_store(app->fleet), run->id, &err) : -1;

	if (fd < 0) {
		config_free(config);
		app_say(app, STYLE_ERROR, "%s", err.text);
		return;
	}
	app->from_runs |= app->place == APP_AT_RUNS;
	app_session_close(app);
	config_free(app->own_config);
	app->own_config = config;
	app->opened = (struct app_request){ .socket = fd, .config = config };
	app_session_open(app, &app->opened);
	app->open_first = app->next_call;
}

static void
show_record(struct app *app, const struct fleet_run *run)
{
	struct app_request request = { .config = app->config, .replay = run->record_path };
	bool from_runs = app->from_runs || app->place == APP_AT_RUNS;
	struct err err = { 0 };

	app->opened = request;
	if (app_replay_open(app, &app->opened, &err) == 0) {
		app->from_runs = from_runs;
	} else {
		AUTO_FREE char *words = text_escape(untrusted_str(err.text), TEXT_STRICT);

		app_say(app, STYLE_ERROR, "it cannot be replayed: %s", words);
	}
	app->opened.replay = NULL; /* the path was the run's */
}

void
app_arrive(struct app *app)
{
	const struct fleet_run *run;

	if (!app->going)
		return;
	app->going = false;
	app->whole = true;
	run = app->fleet ? fleet_find(app->fleet, app->next_id) : NULL;
	if (app->next_place == APP_AT_RUNS) {
		show_runs(app);
	} else if (run && app->next_place == APP_AT_SESSION) {
		show_session(app, run);
	} else if (run) {
		show_record(app, run);
	}
}

void
app_open_run(struct app *app, const char *id, uint64_t call)
{
	const struct fleet_run *run = app->fleet ? fleet_find(app->fleet, id) : NULL;

	if (run)
		app_show(app, run->live ? APP_AT_SESSION : APP_AT_RECORD, id, call);
}

void
app_attend(struct app *app)
{
	if (app->fleet)
		fleet_attend(app->fleet, app->session.id, &app->session);
}

/* --- a lost connection --- */

/* Dead supervisors hold no lock any more; a connection may go without its supervisor. */
static void
on_doubt(void *arg)
{
	struct app *app = arg;
	const struct fleet_run *run =
		app->fleet && app->session.id ? fleet_find(app->fleet, app->session.id) : NULL;

	if (!app->lost || !run || !store_is_live(run->record_path))
		return;
	app_say(app, STYLE_ERROR,
		"the connection was lost, but the run goes on: open it again from the list of "
		"runs");
}

void
app_doubt_loss(struct app *app)
{
	if (app->doubt)
		loop_timer_in(app->doubt, DOUBT_NS);
}

/* --- stopping a run of the list --- */

void
app_ask_stop_run(struct app *app, const char *id)
{
	const struct fleet_run *run = fleet_find(app->fleet, id);

	if (!run || !run->live)
		return;
	snprintf(app->errand_id, sizeof(app->errand_id), "%s", id);
	app_push(app, view_dialog_stop_run(run->name));
}

static void
end_errand(struct app *app)
{
	client_free(app->errand);
	app->errand = NULL;
}

static void
on_errand_hello(struct client *client, void *arg)
{
	(void)arg;
	(void)client_request(client, "stop", "", 0);
}

static void
on_errand_reply(uint64_t id, struct json_value reply, void *arg)
{
	struct app *app = arg;
	AUTO_FREE char *words = text_escape(untrusted_str(json_text(reply, "error")), TEXT_STRICT);

	(void)id;
	if (!json_bool(json_get(reply, "ok"), false))
		app_say(app, STYLE_ERROR, "not stopped: %s", words);
	end_errand(app);
}

static void
on_errand_closed(const char *why, void *arg)
{
	(void)why;
	end_errand(arg);
}

void
app_stop_run(struct app *app)
{
	struct client_hooks hooks = { .on_hello = on_errand_hello,
		.on_reply = on_errand_reply,
		.on_closed = on_errand_closed,
		.arg = app };
	const struct fleet_run *run = fleet_find(app->fleet, app->errand_id);
	struct err err = { 0 };
	int fd;

	if (!run || app->errand)
		return;
	fd = store_connect(fleet_store(app->fleet), run->id, &err);
	if (fd < 0) {
		app_say(app, STYLE_ERROR, "not stopped: %s", err.text);
		return;
	}
	app_say(app, STYLE_TEXT, "stopping the run");
	app->errand = client_new(app->loop, fd, run->session ? run->session->seq + 1 : 0, &hooks);
}

/* --- what waits elsewhere --- */

static bool
is_open(const struct app *app, const struct fleet_run *run)
{
	return app->session.id && strcmp(app->session.id, run->id) == 0;
}

/* The next run after the open one, around the end, in which a call waits; NULL: none. */
static const struct fleet_run *
next_that_waits(const struct app *app)
{
	size_t count = 0;
	const struct fleet_run *const *runs = runs_of(&count, (void *)app);
	size_t from = 0;

	for (size_t i = 0; i < count; i++)
		if (is_open(app, runs[i]))
			from = i + 1;
	for (size_t i = 0; i < count; i++) {
		const struct fleet_run *run = runs[(from + i) % count];

		if (!is_open(app, run) && fleet_run_waiting(run) > 0)
			return run;
	}
	return NULL;
}

static void
describe_elsewhere(struct app *app, size_t runs)
{
	size_t waits = app->waits_elsewhere;
	const struct fleet_run *next = next_that_waits(app);
	AUTO_FREE char *name = next ? text_escape(untrusted_str(next->name), TEXT_STRICT) : NULL;
	AUTO_FREE char *where =
		runs == 1 && name ? mem_printf("in %s", name) : mem_printf("in %zu runs", runs);
	const char *verb = waits == 1 ? "waits" : "wait";
	char key_words[KEY_NAME_MAX];
	struct key key;

	if (app->place != APP_AT_SESSION ||
		!keymap_key(app->keymap, MAP_ALL, COMMAND_NEXT_WAITING, &key)) {
		app->elsewhere_short = mem_printf("+%zu", waits);
		app->elsewhere = mem_printf("%zu %s %s", waits, verb, where);
	} else {
		app->elsewhere_short = mem_printf("+%zu: %s", waits, key_name(key, key_words));
		app->elsewhere = mem_printf("%zu%s %s %s: %s", waits,
			app->session.waiting > 0 ? " more" : "", verb, where,
			key_name(key, key_words));
	}
}

void
app_look_elsewhere(struct app *app)
{
	size_t count = 0, runs = 0;
	const struct fleet_run *const *all = runs_of(&count, app);

	app->waits_elsewhere = 0;
	for (size_t i = 0; i < count && all[i]->live; i++) {
		size_t waiting = is_open(app, all[i]) ? 0 : fleet_run_waiting(all[i]);

		app->waits_elsewhere += waiting;
		runs += waiting > 0;
	}
	free(app->elsewhere);
	free(app->elsewhere_short);
	app->elsewhere = app->elsewhere_short = NULL;
	if (runs > 0)
		describe_elsewhere(app, runs);
}

/* The last call that the open pane shows; 0: none is open. */
static uint64_t
last_open(const struct app *app)
{
	size_t count = app->approval ? view_approval_count(app->approval) : 0;

	return count > 0 ? view_approval_call(app->approval, count - 1) : 0;
}

/* The next call of this run that waits, behind the one that is open; 0: none. */
static uint64_t
next_call(const struct app *app)
{
	const struct session *session = &app->session;
	uint64_t open = last_open(app);

	for (uint64_t i = 0; i < session->call_count; i++) {
		uint64_t number = (open + i) % session->call_count + 1;

		if (number != open && session->calls[number - 1].state == CALL_HELD)
			return number;
	}
	return 0;
}

static void
show_next_waiting(struct app *app)
{
	uint64_t call = app->place == APP_AT_SESSION ? next_call(app) : 0;
	const struct fleet_run *run = next_that_waits(app);

	/* The last one of this run has been looked at: on to the next run. */
	if (call > 0 && (!run || !app->approval || call > last_open(app))) {
		app_keep_edit_here(app);
		while (app->overlays > 0)
			app_pop(app);
		app_open(app, call);
	} else if (run) {
		app_show(app, APP_AT_SESSION, run->id, 0);
	} else {
		app_say(app, STYLE_DIM, app->approval ? "no other call waits" : "no call waits");
	}
}

static void
show_waiting(struct app *app)
{
	struct view_runs_look look = { runs_of, app };

	app_push(app, view_waiting_new(&look, app->session.id ? app->session.id : ""));
}

static bool
another_waits(const struct app *app)
{
	return next_call(app) > 0 || app->waits_elsewhere > 0;
}

/* --- keys --- */

static bool
waiting_shown(const struct app *app)
{
	const struct view *top = app->overlays > 0 ? app->overlay[app->overlays - 1] : NULL;

	return top && top->ops->map(top) == MAP_WAITING;
}

static bool
panes_only(const struct app *app)
{
	return app->place != APP_AT_RUNS && app_top(app) == app->pane[app->focus];
}

bool
app_places_offer(const struct app *app, enum command command)
{
	bool list = app->place == APP_AT_RUNS && app->overlays == 0;

	switch (command) {
	case COMMAND_RUNS:
		return app->place != APP_AT_RUNS && app->fleet;
	case COMMAND_WAITING:
		return app->fleet && !waiting_shown(app);
	case COMMAND_NEXT_WAITING:
		return another_waits(app);
	case COMMAND_BACK:
		return list || (panes_only(app) && app->from_runs);
	case COMMAND_LEAVE:
		return list;
	default:
		return false;
	}
}

bool
app_places_run(struct app *app, enum command command)
{
	bool list = app->place == APP_AT_RUNS;

	switch (command) {
	case COMMAND_RUNS:
		if (!list)
			app_show(app, APP_AT_RUNS, "", 0);
		return true;
	case COMMAND_WAITING:
		if (app->fleet && !waiting_shown(app))
			show_waiting(app);
		return true;
	case COMMAND_NEXT_WAITING:
		show_next_waiting(app);
		return true;
	case COMMAND_BACK:
		if (panes_only(app) && app->from_runs)
			app_show(app, APP_AT_RUNS, "", 0);
		else if (list)
			app_leave(app, APP_LEFT);
		return list || (panes_only(app) && app->from_runs);
	case COMMAND_LEAVE:
		if (list)
			app_leave(app, APP_LEFT);
		return list;
	case COMMAND_HELP:
	case COMMAND_REDRAW:
	case COMMAND_SUSPEND:
	case COMMAND_SEARCH:
	case COMMAND_SEARCH_NEXT:
	case COMMAND_SEARCH_PREVIOUS:
	case COMMAND_FILTER:
	case COMMAND_COMMAND_LINE:
		return false;
	default:
		return list; /* nothing that needs an open session */
	}
}

/* --- clocks --- */

int64_t
app_places_change(const struct app *app)
{
	size_t count = 0;
	const struct fleet_run *const *runs = runs_of(&count, (void *)app);
	int64_t utc = clock_utc_now();

	for (size_t i = 0; i < count; i++)
		if (utc - runs[i]->began < YOUNG_NS || waiting_shown(app))
			return NS_PER_S - (utc - runs[i]->began) % NS_PER_S;
	return count > 0 ? MINUTE_NS : -1;
}

/* --- life --- */

static void
on_fleet_change(void *arg)
{
	app_dirty(arg);
}

static void
on_fleet_held(const struct fleet_run *run, uint64_t call, void *arg)
{
	app_ring(arg, run->name, run->id, call);
}

static void
on_notify_failed(const char *why, void *arg)
{
	AUTO_FREE char *words = text_escape(untrusted_str(why), TEXT_STRICT);

	app_say(arg, STYLE_ERROR, "%s", words);
}

static void
open_notifier(struct app *app)
{
	const struct config_tool *program = app->config ? config_notify(app->config) : NULL;
	struct notifier_request request = { .on_failed = on_notify_failed, .arg = app };

	if (!program)
		return;
	request.argv = (const char *const *)program->argv;
	request.folder = program->folder;
	app->notifier = notifier_new(app->loop, &request);
}

void
app_places_open(struct app *app)
{
	struct fleet_hooks hooks = { on_fleet_change, on_fleet_held, app };

	app->doubt = loop_timer_new(app->loop, on_doubt, app);
	open_notifier(app);
	app->place = APP_AT_RUNS;
	app->fleet = fleet_new(app->loop, &hooks, NULL);
}

void
app_places_close(struct app *app)
{
	client_free(app->errand);
	notifier_free(app->notifier);
	loop_timer_free(app->doubt);
	view_free(app->runs);
	fleet_free(app->fleet);
	config_free(app->own_config);
	free(app->elsewhere);
	free(app->elsewhere_short);
}
