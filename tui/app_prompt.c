/*
 * What is typed into the last row: a search, a filter, a command by its name.  While it is open no
 * key goes anywhere else and no pane opens by itself.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "tui/canvas.h"
#include "tui/lineedit.h"

#define PROMPT_BYTES 200
#define TASK_BYTES 4000
#define CANDIDATES_FROM 24 /* columns the typed text keeps */

static const char *const prompt_words[] = { "search: ", "filter: ", ":", "next task: " };

static void
prompt_close(struct app *app)
{
	lineedit_free(app->prompt);
	free(app->filter_before);
	app->prompt = NULL;
	app->filter_before = NULL;
	app_dirty(app);
}

void
app_prompt_release(struct app *app)
{
	prompt_close(app);
	free(app->needle);
	app->needle = NULL;
}

static void
prompt_open(struct app *app, enum app_prompt kind)
{
	struct view *top = app_top(app);

	app->prompt_kind = kind;
	app->prompt = lineedit_new(kind == APP_PROMPT_TASK ? TASK_BYTES : PROMPT_BYTES, NULL);
	if (kind == APP_PROMPT_FILTER) {
		app->filter_before = mem_str(top->ops->filter(top, NULL));
		lineedit_set(app->prompt, app->filter_before);
	}
	app_dirty(app);
}

void
app_search(struct app *app, bool back)
{
	struct view *top = app_top(app);
	struct find find = { .needle = app->needle, .back = back };

	if (app_replay_searches(app)) {
		app_replay_search(app, back);
		return;
	}
	if (!app->needle || !top->ops->search)
		return;
	find.len = strlen(app->needle);
	if (!top->ops->search(top, &find))
		app_say(app, STYLE_WARNING, "not found");
	else if (find.count > 0)
		app_say(app, STYLE_DIM, "match %zu of %zu", find.at, find.count);
	app_dirty(app);
}

bool
app_prompt_offers(const struct app *app, enum command command)
{
	const struct view *top = app_top(app);
	bool searches = top->ops->search || app_replay_searches(app);

	if (view_typing(top))
		return false;
	switch (command) {
	case COMMAND_SEARCH:
		return searches;
	case COMMAND_SEARCH_NEXT:
	case COMMAND_SEARCH_PREVIOUS:
		return searches && app->needle;
	case COMMAND_FILTER:
		return top->ops->filter != NULL;
	case COMMAND_COMMAND_LINE:
		return true;
	case COMMAND_NEXT_TASK:
		return app_may_task(app);
	default:
		return false;
	}
}

void
app_prompt_command(struct app *app, enum command command)
{
	if (!app_prompt_offers(app, command))
		return;
	if (command == COMMAND_SEARCH_NEXT || command == COMMAND_SEARCH_PREVIOUS)
		app_search(app, command == COMMAND_SEARCH_PREVIOUS);
	else
		prompt_open(app, command == COMMAND_SEARCH      ? APP_PROMPT_SEARCH
				 : command == COMMAND_FILTER    ? APP_PROMPT_FILTER
				 : command == COMMAND_NEXT_TASK ? APP_PROMPT_TASK
								: APP_PROMPT_COMMAND);
}

/* --- keys --- */

static void
prompt_accept(struct app *app)
{
	enum app_prompt kind = app->prompt_kind;
	AUTO_FREE char *text = mem_str(lineedit_text(app->prompt));

	prompt_close(app);
	if (kind == APP_PROMPT_COMMAND)
		app_command_line(app, text);
	if (kind == APP_PROMPT_TASK && *text)
		app_send_task(app, text);
	if (kind != APP_PROMPT_SEARCH || !*text)
		return;
	free(app->needle);
	app->needle = MEM_GIVE(text);
	app_search(app, false);
}

static void
prompt_leave(struct app *app)
{
	struct view *top = app_top(app);

	if (app->prompt_kind == APP_PROMPT_FILTER && top->ops->filter)
		(void)top->ops->filter(top, app->filter_before);
	prompt_close(app);
}

static void
complete(struct app *app)
{
	AUTO_FREE char *longer = app_command_complete(app, lineedit_text(app->prompt));

	if (longer)
		lineedit_set(app->prompt, longer);
}

/* Rows that do not match go while one types. */
static void
filter_now(struct app *app)
{
	struct view *top = app_top(app);

	if (app->prompt_kind == APP_PROMPT_FILTER && top->ops->filter)
		(void)top->ops->filter(top, lineedit_text(app->prompt));
	app_dirty(app);
}

void
app_prompt_key(struct app *app, struct key key)
{
	bool nothing = lineedit_len(app->prompt) == 0;

	app_dirty(app);
	if (key.code == KEY_ENTER)
		prompt_accept(app);
	else if (key.code == KEY_ESC || (key.code == KEY_CHAR && key.mods & KEY_CTRL) ||
		 (key.code == KEY_BACKSPACE && nothing))
		prompt_leave(app);
	else if (key.code == KEY_TAB && app->prompt_kind == APP_PROMPT_COMMAND)
		complete(app);
	else if (lineedit_key(app->prompt, key))
		filter_now(app);
}

void
app_prompt_paste(struct app *app, const char *bytes, size_t len)
{
	if (!app->prompt)
		return;
	lineedit_paste(app->prompt, bytes, len);
	filter_now(app);
}

/* --- drawing --- */

void
app_prompt_draw(struct app *app, struct rect rect)
{
	int x = canvas_text(
		app->canvas, rect.x + 1, rect.y, STYLE_LABEL, prompt_words[app->prompt_kind]);
	int room = rect.x + rect.w - x;
	AUTO_FREE char *candidates = NULL;
	int width = 0;

	if (app->prompt_kind == APP_PROMPT_COMMAND)
		candidates = app_command_candidates(app, lineedit_text(app->prompt));
	if (candidates && room > 2 * CANDIDATES_FROM)
		width = room - CANDIDATES_FROM;
	if (width > 0) {
		struct rect old = canvas_clip(
			app->canvas, rect_make(x + CANDIDATES_FROM + 1, rect.y, width - 1, 1));

		canvas_text(app->canvas, x + CANDIDATES_FROM + 1, rect.y, STYLE_DIM, candidates);
		(void)canvas_clip(app->canvas, old);
	}
	lineedit_draw(app->prompt, app->canvas, rect_make(x, rect.y, room - width, 1), STYLE_INPUT);
}
