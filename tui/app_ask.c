/*
 * Requests on their way to the supervisor: who wants to know what became of them, and which sheet
 * rests until its answer comes.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "tui/guard.h"

void
app_await(struct app *app, uint64_t id, app_reply_fn on_reply, uint64_t about)
{
	app->awaited = mem_grow(app->awaited, app->awaited_count + 1, sizeof(*app->awaited));
	app->awaited[app->awaited_count++] = (struct app_awaited){ id, on_reply, about };
}

void
app_answered(struct app *app, uint64_t id, bool ok, const char *error)
{
	for (size_t i = 0; i < app->awaited_count; i++) {
		struct app_awaited awaited = app->awaited[i];

		if (awaited.id != id)
			continue;
		app->awaited[i] = app->awaited[--app->awaited_count];
		awaited.on_reply(app, ok, error, awaited.about);
		return;
	}
}

void
app_await_nothing(struct app *app)
{
	free(app->awaited);
	app->awaited = NULL;
	app->awaited_count = 0;
}

/* --- sheets --- */

bool
app_asks(struct app *app)
{
	struct view *top = app_top(app);

	if (app->asking || app->overlays == 0 || !app_is_guarded(app, top))
		return false;
	app->asking = true;
	top->ops->guard->sent(top, true);
	return true;
}

struct view *
app_asked(struct app *app)
{
	struct view *sheet = app->asking ? app->guarded : NULL;

	app->asking = false;
	if (sheet)
		sheet->ops->guard->sent(sheet, false);
	return sheet;
}
