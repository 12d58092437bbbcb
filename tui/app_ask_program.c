/*
 * The question about the program as a whole.  It opens once by itself when it arises, like a call
 * that begins to wait; who leaves it decides nothing and finds it again from the program pane.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <string.h>

#include "core/base/mem.h"
#include "tui/arming.h"
#include "tui/client.h"
#include "tui/keys.h"
#include "tui/view_ask.h"

static struct view *
ask_view(const struct app *app)
{
	for (size_t i = 0; i < app->overlays; i++)
		if (view_is_ask(app->overlay[i]))
			return app->overlay[i];
	return NULL;
}

bool
app_program_asks(const struct app *app)
{
	return app->place == APP_AT_SESSION && app->live && !app->lost && !app->session.ended &&
	       app->session.state == RUN_ASKING;
}

void
app_open_program(struct app *app)
{
	if (!app_program_asks(app) || ask_view(app))
		return;
	app->ask_pending = false;
	app_push(app, view_ask_new(app->arming));
}

static void
close_program(struct app *app)
{
	while (ask_view(app)) /* what lies over it goes with it */
		app_pop(app);
}

void
app_look_for_program(struct app *app)
{
	bool asks = app_program_asks(app);

	if (asks && !app->asked_program) {
		app->ask_pending = true;
		app_ring(app, app->session.name, app->session.id, 0);
	}
	app->asked_program = asks;
	if (!asks) {
		app->ask_pending = false;
		close_program(app);
		return;
	}
	if (app->ask_pending && app->overlays == 0 && !app->approval && !app->prompt &&
		!keys_waiting(app->keys) && !keys_in_paste(app->keys))
		app_open_program(app);
}

/* --- verdicts --- */

static void
on_program_reply(struct app *app, bool ok, const char *error, uint64_t attempt)
{
	(void)attempt;
	(void)app_asked(app);
	if (ok)
		return; /* the events that follow close it */
	app_say(app, STYLE_ERROR, "refused: %s", error);
	app_present_again(app);
}

void
app_send_program(struct app *app, const struct intent *intent)
{
	/* "rewrite": the model is to write another, with a word of the person's. */
	bool rewrite = strcmp(intent->word, "rewrite") == 0;
	bool text = strcmp(intent->word, "edit") == 0 || strcmp(intent->word, "try_again") == 0;
	struct client_program program = { .attempt = intent->call,
		.presentation = arming_presentation(app->arming),
		.seen_seq = (uint64_t)intent->number,
		.verdict = rewrite ? "try_again" : intent->word,
		.reason = text ? NULL : intent->text,
		.text = text ? intent->text : NULL,
		.text_len = text ? strlen(intent->text) : 0 };
	struct view *view = ask_view(app);

	if (view && app_top(app) == view && app_asks(app))
		app_await(
			app, client_program(app->client, &program), on_program_reply, intent->call);
}

/* --- another text --- */

static void
on_program_edited(struct app *app, struct untrusted text, bool changed, uint64_t attempt)
{
	struct view *view = ask_view(app);

	(void)changed;
	if (!view || !app_program_asks(app) || app->session.attempt != attempt) {
		app_say(app, STYLE_WARNING, "the program is not asked about any more");
		return;
	}
	if (memchr(text.bytes, '\0', text.len)) {
		app_say(app, STYLE_ERROR, "the text holds a NUL: nothing was changed");
		return;
	}
	view_ask_edited(view, &app->session, text);
	app_present_again(app);
}

void
app_edit_program(struct app *app)
{
	struct view *view = ask_view(app);

	if (view && app_program_asks(app))
		app_edit_text(app, "program.py", view_ask_text(view, &app->session),
			on_program_edited, app->session.attempt);
}
