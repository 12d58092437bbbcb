/*
 * What a person edits.  A text that does not get through, for whatever reason, is kept: the next
 * `e` on a call of that tool goes on from it.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/gate/schema.h"
#include "tui/client.h"
#include "tui/editor.h"
#include "tui/keys.h"
#include "tui/pretty.h"
#include "tui/term.h"
#include "tui/view_edit.h"

/* --- any text --- */

/* They name the person's editor and folders, which the environment says. */
static void
say_foreign(struct app *app, enum style style, const char *words, const char *after)
{
	AUTO_FREE char *escaped = text_escape(untrusted_str(words), TEXT_STRICT);

	app_say(app, style, "%s%s", escaped, after);
}

static void
on_editor_end(const struct editor_end *end, void *arg)
{
	struct app *app = arg;
	struct err err = { 0 };

	if (term_resume(app->term, &err) < 0) {
		app_leave(app, APP_SIGNAL);
		return;
	}
	keys_reset(app->keys);
	app->whole = true;
	app_dirty(app);
	app_present_again(app);
	if (end->text)
		app->edited(app, untrusted(end->text, end->len), end->changed, app->edited_about);
	else
		say_foreign(app, STYLE_WARNING, end->words, ": nothing was changed");
	if (end->left)
		say_foreign(app, STYLE_ERROR, end->left, "");
}

void
app_edit_text(struct app *app, const char *name, struct untrusted text, app_edited_fn done,
	uint64_t about)
{
	struct editor_request request = { .name = name,
		.text = text.bytes,
		.len = text.len,
		.on_end = on_editor_end,
		.arg = app };
	struct err err = { 0 };

	if (!app->term || editor_runs(app->editor))
		return;
	app->edited = done;
	app->edited_about = about;
	term_suspend(app->term);
	if (editor_open(app->editor, &request, &err) == 0)
		return;
	if (term_resume(app->term, NULL) < 0) {
		app_leave(app, APP_SIGNAL);
		return;
	}
	app->whole = true;
	app_present_again(app);
	say_foreign(app, STYLE_ERROR, err.text, "");
}

/* --- the arguments of a call --- */

static void
drop_kept(struct app *app)
{
	free(app->kept.text);
	free(app->kept.tool);
	app->kept.text = app->kept.tool = NULL;
}

/* text may be the one that is kept already. */
static void
keep(struct app *app, const struct session_call *call, const char *text)
{
	char *copy = mem_str(text);

	drop_kept(app);
	app->kept.text = copy;
	app->kept.tool = mem_str(call->tool);
}

static void
on_edit_reply(struct app *app, bool ok, const char *error, uint64_t about)
{
	(void)about;
	if (ok) {
		drop_kept(app);
		return;
	}
	app_say(app, STYLE_ERROR, "not edited: %s (e goes on from your text)", error);
	app_present_again(app);
}

/* "3:5: amount: ...": what the schema says, with the place of the argument it is about. */
static int
refused_by_schema(struct json_value args, const char *why, struct err *err)
{
	struct json_value at = json_getn(args, why, strcspn(why, ":.["));
	unsigned line, column;

	json_position(json_there(at) ? at : args, &line, &column);
	return err_set(err, ERR_REFUSED, "%u:%u: %s", line, column, why);
}

static int
check_schema(const struct session_tool *tool, struct json_value args, struct err *err)
{
	AUTO_JSON struct json *definition =
		tool && tool->definition.bytes
			? json_read(tool->definition.bytes, tool->definition.len, NULL)
			: NULL;
	struct json_value source = json_get(json_root(definition), "inputSchema");
	struct schema *schema;
	char why[256];
	enum schema_result fits = SCHEMA_UNKNOWN;

	if (!json_there(source))
		source = json_get(json_root(definition), "input_schema");
	schema = json_there(source) ? schema_new(source, SCHEMA_TOOL, NULL) : NULL;
	if (schema)
		fits = schema_check(schema, args, why, sizeof(why));
	schema_free(schema);
	return fits == SCHEMA_NO ? refused_by_schema(args, why, err) : 0;
}

/* The supervisor judges; what it would refuse is said here with its place in the text. */
static int
check_args(struct app *app, const struct session_call *call, struct untrusted text, struct err *err)
{
	AUTO_JSON struct json *args = json_read(text.bytes, text.len, err);

	if (!args)
		return -1;
	if (json_kind(json_root(args)) != JSON_OBJECT)
		return err_set(
			err, ERR_FORMAT, "1:1: arguments are an object: {\"name\": value, ...}");
	return check_schema(session_tool(&app->session, call->tool), json_root(args), err);
}

/* What `e` begins with when nothing was kept. */
static char *
laid_out(const struct session_call *call)
{
	AUTO_JSON struct json *args = json_read(call->args.bytes, call->args.len, NULL);
	struct buf text;

	buf_init(&text, BUF_UNBOUNDED);
	if (args)
		pretty_json(json_root(args), &text);
	else
		buf_put(&text, call->args.bytes, call->args.len);
	return buf_give(&text);
}

/* The end of an edit, in the editor or in place. */
void
app_send_edit(struct app *app, uint64_t number, const char *text)
{
	const struct session_call *call = session_call(&app->session, number);
	struct err err = { 0 };

	keep(app, call, text);
	if (call->state != CALL_HELD || app->lost) {
		app_say(app, STYLE_WARNING,
			"call %llu does not wait any more; your text is kept: e on the next call "
			"of "
			"this tool goes on from it",
			(unsigned long long)number);
		return;
	}
	if (check_args(app, call, untrusted_str(app->kept.text), &err) < 0) {
		AUTO_FREE char *words = text_escape(untrusted_str(err.text), TEXT_STRICT);

		app_say(app, STYLE_ERROR, "not sent, %s (e goes on from your text)", words);
		return;
	}
	app_await(app, client_edit(app->client, number, &app->kept.bind, app->kept.text),
		on_edit_reply, number);
}

static void
on_args_edited(struct app *app, struct untrusted text, bool changed, uint64_t number)
{
	const struct session_call *call = session_call(&app->session, number);
	AUTO_FREE char *before = laid_out(call);
	AUTO_FREE char *now = mem_strn(text.bytes, text.len);

	(void)changed; /* from what it began with, which may be a text that was kept */
	if (strcmp(now, before) == 0 && strlen(now) == text.len) {
		drop_kept(app);
		app_say(app, STYLE_TEXT, "the same as before: nothing was changed");
		return;
	}
	if (strlen(now) != text.len) {
		app_say(app, STYLE_ERROR, "the text holds a NUL: nothing was changed");
		return;
	}
	app_send_edit(app, number, now);
}

void
app_edit_call(struct app *app, uint64_t number)
{
	const struct session_call *call = session_call(&app->session, number);
	AUTO_FREE char *name = mem_printf("call-%llu.json", (unsigned long long)number);
	AUTO_FREE char *text = NULL;

	if (!call || call->state != CALL_HELD || !call->args.bytes)
		return;
	app->kept.bind = call->bind;
	text = app->kept.text && strcmp(app->kept.tool, call->tool) == 0 ? mem_str(app->kept.text)
									 : laid_out(call);
	app_edit_text(app, name, untrusted_str(text), on_args_edited, number);
}

void
app_edit_here(struct app *app, uint64_t number)
{
	const struct session_call *call = session_call(&app->session, number);
	struct view *view =
		call && call->state == CALL_HELD ? view_edit_new(&app->session, call) : NULL;

	if (!view)
		return;
	app->kept.bind = call->bind;
	app_push(app, view);
	if (app_top(app) == view)
		app->edit_here = view;
}

void
app_edited_here(struct app *app, uint64_t call, const char *text)
{
	AUTO_FREE char *copy = mem_str(text); /* the view's own goes with it */

	if (app_terminal_blocks(app)) {
		app_say(app, STYLE_WARNING, "not sent, %s", app_terminal_blocks(app));
		return;
	}
	if (app->edit_here && app_top(app) == app->edit_here)
		app_pop(app);
	app_send_edit(app, call, copy);
}

void
app_keep_edit_here(struct app *app)
{
	AUTO_FREE char *text = app->edit_here ? view_edit_text(app->edit_here) : NULL;
	const struct session_call *call =
		text ? session_call(&app->session, view_edit_call(app->edit_here)) : NULL;

	if (!call)
		return;
	keep(app, call, text);
	app_say(app, STYLE_WARNING,
		"call %llu is not edited; your text is kept: e on a call of this tool goes on from "
		"it",
		(unsigned long long)call->number);
}

static void
on_unedit_reply(struct app *app, bool ok, const char *error, uint64_t about)
{
	(void)about;
	if (ok)
		return;
	app_say(app, STYLE_ERROR, "the edit stays: %s", error);
	app_present_again(app);
}

void
app_unedit_call(struct app *app, uint64_t number)
{
	const struct session_call *call = session_call(&app->session, number);

	if (call && call->state == CALL_HELD && call->edit > 0)
		app_await(app, client_unedit(app->client, number, &call->bind), on_unedit_reply,
			number);
}
