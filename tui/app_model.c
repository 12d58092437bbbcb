/* What a person does with a model from the panes: cancels its reply, gives it a next task. */
#include "config.h"

#include "tui/app_inside.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "tui/client.h"

static bool
can_ask(const struct app *app)
{
	return app->place == APP_AT_SESSION && app->live && !app->lost && !app->film &&
	       !app->session.ended;
}

bool
app_may_task(const struct app *app)
{
	return can_ask(app) && app->session.state == RUN_RESTING;
}

static void
on_reply(struct app *app, bool ok, const char *error, uint64_t about)
{
	(void)about;
	if (!ok)
		app_say(app, STYLE_ERROR, "refused: %s", error);
}

void
app_send_task(struct app *app, const char *text)
{
	AUTO_BUF struct buf members;
	struct jsonout out;

	buf_init(&members, BUF_UNBOUNDED);
	if (!app_may_task(app)) {
		app_say(app, STYLE_WARNING, "no next task is waited for any more");
		return;
	}
	jsonout_init(&out, &members);
	jsonout_key_str(&out, "text", text);
	app_await(app, client_request(app->client, "task", members.data, members.len), on_reply, 0);
}

bool
app_may_cancel(const struct app *app)
{
	const struct session_turn *turn = session_turn(&app->session);

	return can_ask(app) && turn && turn->ended_mono == 0 && app->session.state == RUN_WRITING;
}

void
app_cancel(struct app *app)
{
	AUTO_FREE char *members = NULL;

	if (!app_may_cancel(app))
		return;
	members = mem_printf("\"turn\":%u", session_turn(&app->session)->turn);
	app_await(
		app, client_request(app->client, "cancel", members, strlen(members)), on_reply, 0);
}

bool
app_has_reasoning(const struct app *app)
{
	const struct view *program = app->pane[LAYOUT_PROGRAM];

	return program && program->ops->offers(program, COMMAND_REASONING);
}

void
app_show_reasoning(struct app *app)
{
	struct view *program = app->pane[LAYOUT_PROGRAM];
	struct intent intent = { .kind = INTENT_NONE };

	if (app_has_reasoning(app) &&
		program->ops->run(program, COMMAND_REASONING, &intent) == VIEW_DIRTY)
		app_dirty(app);
}

/* The forecast against the budget, before the program begins. */
static void
tell_forecast(struct app *app)
{
	char words[SESSION_REACH_BYTES];
	struct session_reach reach;

	if (app->session.program_ask)
		return;
	session_reach(&app->session, &reach);
	session_reach_words(&reach, words);
	app_say(app, reach.too_many ? STYLE_WARNING : STYLE_DIM, "%s", words);
}

void
app_model_event(struct app *app, enum event_type type)
{
	const struct session_turn *turn = session_turn(&app->session);

	if (!app->session.mode || strcmp(app->session.mode, "model") != 0)
		return;
	/* What is written is what there is to see, until the person looks elsewhere. */
	if (type == EVENT_MODEL_REQUEST && turn && turn->turn == 1)
		app->focus = LAYOUT_PROGRAM;
	if (!app->live)
		return;
	if (type == EVENT_PROGRAM_FORECAST)
		tell_forecast(app);
	/* What the program printed stands in its own pane already. */
	if (type == EVENT_ANSWER && app->overlays == 0 && turn && turn->purpose &&
		strcmp(turn->purpose, "answer") == 0)
		app_page_answer(app);
}
