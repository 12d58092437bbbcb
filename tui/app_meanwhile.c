/*
 * When nobody looked: until our console attached, when no other was there, and while the person had
 * said to be away.  Both ends are events, so the fold before the second one still holds the first.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/record/reader.h"
#include "tui/client.h"
#include "tui/meanwhile.h"

#define ABSENCE_LEAST (2 * NS_PER_S)
#define GLANCE (NS_PER_S / 2)
#define START_LEAST (5 * NS_PER_S) /* until a console comes to a run that has just begun */

static bool
ours(const struct app *app, const struct event_view *event)
{
	const char *console = json_text(event->data, "console");

	return console && strcmp(console, client_console(app->client)) == 0;
}

static void
nobody_looked(struct app *app, const struct event_view *event, int64_t from, uint64_t from_seq)
{
	app->meanwhile = (struct meanwhile){ .from = from,
		.until = event->mono,
		.from_seq = from_seq,
		.until_seq = event->seq,
		.away = event->type == EVENT_AWAY };
	app->absent = true;
}

/* A connection that comes and goes at once is a command such as decide: nobody looks through it. */
static void
take_console(struct app *app, const struct event_view *event)
{
	const struct session *session = &app->session;
	int64_t least = app->alone.from_seq > 0 ? ABSENCE_LEAST : START_LEAST;

	if (event->type == EVENT_CONSOLE_DETACH && session->consoles == 1 &&
		event->mono - app->looked_from >= GLANCE) {
		app->alone.from = event->mono;
		app->alone.from_seq = event->seq;
	}
	if (event->type != EVENT_CONSOLE_ATTACH || session->consoles > 0)
		return;
	app->looked_from = event->mono;
	if (ours(app, event) && event->mono - app->alone.from >= least)
		nobody_looked(app, event, app->alone.from, app->alone.from_seq);
}

void
app_before_event(struct app *app, const struct event_view *event)
{
	const struct session *session = &app->session;

	take_console(app, event);
	if (event->type != EVENT_AWAY)
		return;
	if (session->away && !json_bool(json_get(event->data, "away"), true) && app->live)
		nobody_looked(app, event, session->away_mono, app->away_seq);
	else
		app->away_seq = event->seq;
}

void
app_after_event(struct app *app)
{
	if (!app->absent)
		return;
	app->absent = false;
	if (meanwhile_happened(&app->session, &app->meanwhile))
		app_push(app, meanwhile_view(&app->meanwhile));
}

bool
app_tells_meanwhile(const struct app *app)
{
	const struct view *top = app->overlays > 0 ? app->overlay[app->overlays - 1] : NULL;

	return top && top->ops->map(top) == MAP_MEANWHILE;
}
