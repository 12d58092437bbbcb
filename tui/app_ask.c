/* Requests on their way to the supervisor: who wants to know what became of them. */
#include "config.h"

#include "tui/app_inside.h"

#include "core/base/mem.h"

/* Where all are taken the answer is not waited for: what it changes comes as an event too. */
void
app_await(struct app *app, uint64_t id, app_reply_fn on_reply, uint64_t about)
{
	for (size_t i = 0; i < ARRAY_SIZE(app->awaited); i++)
		if (app->awaited[i].id == 0) {
			app->awaited[i] = (struct app_awaited){ id, on_reply, about };
			return;
		}
}

void
app_answered(struct app *app, uint64_t id, bool ok, const char *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(app->awaited); i++) {
		struct app_awaited awaited = app->awaited[i];

		if (awaited.id != id || id == 0)
			continue;
		app->awaited[i].id = 0;
		awaited.on_reply(app, ok, error, awaited.about);
		return;
	}
}
