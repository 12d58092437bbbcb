/*
 * What is arranged on the occasion of a held call: a grant, a rule, a higher limit.  Each is asked
 * on a sheet of its own over the pane, and closes with the answer; what the supervisor refuses is
 * said and stays on the screen to be changed.
 */
#include "config.h"

#include "tui/app_inside.h"

#include "tui/client.h"
#include "tui/view_approval.h"
#include "tui/view_bounds.h"
#include "tui/view_grants.h"
#include "tui/view_raise.h"

/* The call of the open pane, while it waits; NULL: none. */
static const struct session_call *
call_asked_about(const struct app *app, uint64_t number)
{
	const struct session_call *call = session_call(&app->session, number);

	return call && call->state == CALL_HELD && app->approval && !app->lost ? call : NULL;
}

void
app_ask_grant(struct app *app, uint64_t number)
{
	const struct session_call *call = call_asked_about(app, number);

	if (call)
		app_push(app, view_grant_new(&app->session, call, app->arming));
}

void
app_ask_rule(struct app *app, uint64_t number)
{
	const struct session_call *call = session_call(&app->session, number);

	if (call && !app->lost)
		app_push(app, view_rule_new(&app->session, call, app->arming));
}

void
app_ask_raise(struct app *app, uint64_t number)
{
	const struct session_call *call = call_asked_about(app, number);
	struct view *view = call ? view_raise_new(&app->session, call, app->arming) : NULL;

	if (view)
		app_push(app, view);
}

void
app_show_grants(struct app *app)
{
	app_push(app, view_grants_new());
}

/* --- answers --- */

/* What lies over the sheet (help) goes with it. */
static void
answered(struct app *app, bool ok, const char *error, const char *done)
{
	struct view *sheet = app_asked(app);

	if (ok) {
		while (app->overlays > 0 && app_is_guarded(app, sheet))
			app_pop(app);
		app_say(app, STYLE_TEXT, "%s", done);
		return;
	}
	app_say(app, STYLE_ERROR, "refused: %s", error);
	app_present_again(app);
}

static void
on_grant_reply(struct app *app, bool ok, const char *error, uint64_t call)
{
	(void)call;
	answered(app, ok, error, "approved, and granted for the next ones like it");
}

static void
on_rule_reply(struct app *app, bool ok, const char *error, uint64_t call)
{
	(void)call;
	answered(app, ok, error, "the rule is made: L lists it");
}

static void
on_raise_reply(struct app *app, bool ok, const char *error, uint64_t call)
{
	(void)call;
	answered(app, ok, error, "the limit was raised");
}

static void
on_revoke_reply(struct app *app, bool ok, const char *error, uint64_t grant)
{
	if (ok)
		app_say(app, STYLE_TEXT, "grant %llu is revoked", (unsigned long long)grant);
	else
		app_say(app, STYLE_ERROR, "not revoked: %s", error);
}

/* --- requests --- */

/* What is asked is about the call as it was seen in the pane below. */
static bool
was_seen(struct app *app, const struct intent *intent)
{
	return app->approval && app->seen_call.call == intent->call &&
	       app->seen_call.presentation != 0;
}

void
app_send_grant(struct app *app, const struct intent *intent)
{
	if (!was_seen(app, intent))
		app_say(app, STYLE_WARNING, "the call itself was not shown: Esc, read it, g");
	else if (app_asks(app))
		app_await(app,
			client_grant(app->client, &app->seen_call, intent->number, intent->text,
				view_approval_comment(app->approval)),
			on_grant_reply, intent->call);
}

void
app_send_rule(struct app *app, const struct intent *intent)
{
	if (app_asks(app))
		app_await(app, client_rule(app->client, intent->call, intent->word, intent->text),
			on_rule_reply, intent->call);
}

void
app_send_raise(struct app *app, const struct intent *intent)
{
	struct client_raise raise = { .call = intent->call,
		.presentation = app->seen_call.presentation,
		.counter = intent->text,
		.from = intent->before,
		.to = intent->number };

	if (!was_seen(app, intent))
		app_say(app, STYLE_WARNING, "the call itself was not shown: Esc, read it, b");
	else if (app_asks(app))
		app_await(app, client_raise(app->client, &raise), on_raise_reply, intent->call);
}

void
app_revoke(struct app *app, uint64_t grant)
{
	app_await(app, client_revoke(app->client, grant), on_revoke_reply, grant);
}
