/*
 * Fields keep their values as JSON source on one line, as pretty.h writes it, so that what was not
 * touched is sent as it was.  A line is read before it becomes a value; one that is no JSON stays
 * in the line, with what is wrong about it.
 */
#include "config.h"

#include "tui/view_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/bar.h"
#include "tui/lineedit.h"
#include "tui/pretty.h"
#include "tui/rows.h"
#include "tui/view.h"

#define VALUE_BYTES (64 * 1024)
#define BOTTOM_ROWS 2

struct edit_field {
	char *key;  /* JSON source, with its quotes */
	char *name; /* the same, read */
	size_t name_len;
	char *was;       /* JSON source; NULL: not given */
	char *now;       /* the same */
	char *otherwise; /* the default that is declared, JSON source; NULL: none */
};

struct view_edit {
	struct view view;
	uint64_t call;
	struct edit_field *fields;
	size_t count, selected;
	size_t top; /* row */
	struct lineedit *line;
	char *said;
	char *sent; /* what an intent points to */
};

static char *
source_of(struct json_value value)
{
	struct buf text;

	buf_init(&text, BUF_UNBOUNDED);
	pretty_line(value, &text);
	return buf_give(&text);
}

static void
edit_free(struct view *view)
{
	struct view_edit *self = (struct view_edit *)view;

	for (size_t i = 0; i < self->count; i++) {
		free(self->fields[i].key);
		free(self->fields[i].name);
		free(self->fields[i].was);
		free(self->fields[i].now);
		free(self->fields[i].otherwise);
	}
	free(self->fields);
	lineedit_free(self->line);
	free(self->said);
	free(self->sent);
	free(self);
}

/* --- fields --- */

static void
add_field(struct view_edit *self, struct json_value key, struct json_value value,
	struct json_value otherwise)
{
	struct edit_field *field;
	const char *name;

	self->fields = mem_grow(self->fields, self->count + 1, sizeof(*self->fields));
	field = &self->fields[self->count++];
	memset(field, 0, sizeof(*field));
	name = json_string(key, &field->name_len);
	field->key = source_of(key);
	field->name = mem_strn(name, field->name_len);
	field->was = json_there(value) ? source_of(value) : NULL;
	field->now = mem_str(field->was);
	field->otherwise = json_there(otherwise) ? source_of(otherwise) : NULL;
}

static struct json_value
member(struct json_value object, struct json_value key)
{
	size_t len;
	const char *name = json_string(key, &len);

	return json_getn(object, name, len);
}

static void
add_fields(struct view_edit *self, struct json_value args, struct json_value declared)
{
	struct json_value none = { 0 };
	struct json_iter it;

	for (it = json_each(args); json_next(&it);)
		add_field(self, it.key, it.value, none);
	for (it = json_each(declared); json_next(&it);)
		if (!json_there(member(args, it.key)))
			add_field(self, it.key, none, json_get(it.value, "default"));
}

static bool
differ(const char *a, const char *b)
{
	return (a == NULL) != (b == NULL) || (a && strcmp(a, b) != 0);
}

static bool
is_changed(const struct edit_field *field)
{
	return differ(field->was, field->now);
}

static bool
any_changed(const struct view_edit *self)
{
	for (size_t i = 0; i < self->count; i++)
		if (is_changed(&self->fields[i]))
			return true;
	return false;
}

char *
view_edit_text(const struct view *view)
{
	const struct view_edit *self = (const struct view_edit *)view;
	struct buf text;
	bool first = true;

	if (!any_changed(self))
		return NULL;
	buf_init(&text, BUF_UNBOUNDED);
	buf_byte(&text, '{');
	for (size_t i = 0; i < self->count; i++) {
		if (!self->fields[i].now)
			continue;
		buf_printf(&text, "%s\n  ", first ? "" : ",");
		buf_str(&text, self->fields[i].key);
		buf_str(&text, ": ");
		buf_str(&text, self->fields[i].now);
		first = false;
	}
	buf_str(&text, first ? "}\n" : "\n}\n");
	return buf_give(&text);
}

/* --- the line --- */

static void
say(struct view_edit *self, const char *words)
{
	free(self->said);
	self->said = mem_str(words);
}

static void
close_line(struct view_edit *self)
{
	lineedit_free(self->line);
	self->line = NULL;
	say(self, NULL);
}

static void
open_line(struct view_edit *self)
{
	const struct edit_field *field = &self->fields[self->selected];
	const char *text = field->now ? field->now : field->otherwise ? field->otherwise : "";

	close_line(self);
	self->line = lineedit_new(VALUE_BYTES, NULL);
	lineedit_set(self->line, text);
	if (strcmp(lineedit_text(self->line), text) == 0)
		return;
	close_line(self);
	say(self, "this value does not fit into a line here: leave, then e edits it");
}

static void
take_line(struct view_edit *self)
{
	struct edit_field *field = &self->fields[self->selected];
	const char *text = lineedit_text(self->line);
	bool empty = text[strspn(text, " ")] == '\0';
	struct err err = { 0 };
	AUTO_JSON struct json *value = empty ? NULL : json_read(text, strlen(text), &err);

	if (!value && !empty) {
		AUTO_FREE char *words = mem_printf("no JSON, %s", err.text);

		say(self, words);
		return;
	}
	free(field->now);
	field->now = value ? source_of(json_root(value)) : NULL;
	close_line(self);
}

/* --- commands --- */

static enum map
edit_map(const struct view *view)
{
	return ((const struct view_edit *)view)->line ? MAP_FIELD : MAP_EDIT;
}

static bool
edit_typing(const struct view *view)
{
	return ((const struct view_edit *)view)->line != NULL;
}

static bool
edit_key(struct view *view, struct key key)
{
	struct view_edit *self = (struct view_edit *)view;

	return self->line && lineedit_key(self->line, key);
}

static enum view_reply
run_line(struct view_edit *self, enum command command)
{
	if (command == COMMAND_ACCEPT)
		take_line(self);
	else if (command == COMMAND_BACK)
		close_line(self);
	return VIEW_DIRTY;
}

static enum view_reply
edit_run(struct view *view, enum command command, struct intent *out)
{
	struct view_edit *self = (struct view_edit *)view;

	if (self->line)
		return run_line(self, command);
	say(self, NULL);
	switch (command) {
	case COMMAND_UP:
		self->selected -= self->selected > 0;
		return VIEW_DIRTY;
	case COMMAND_DOWN:
		self->selected += self->selected + 1 < self->count;
		return VIEW_DIRTY;
	case COMMAND_TOP:
		self->selected = 0;
		return VIEW_DIRTY;
	case COMMAND_BOTTOM:
		self->selected = self->count > 0 ? self->count - 1 : 0;
		return VIEW_DIRTY;
	case COMMAND_OPEN:
		if (self->count > 0)
			open_line(self);
		return VIEW_DIRTY;
	case COMMAND_ACCEPT:
		free(self->sent);
		self->sent = view_edit_text(view);
		if (!self->sent) {
			say(self, "nothing was changed");
			return VIEW_DIRTY;
		}
		*out = (struct intent){ INTENT_EDITED, self->call, self->sent, false };
		return VIEW_DIRTY;
	case COMMAND_BACK:
		return VIEW_CLOSE;
	default:
		return VIEW_IGNORED;
	}
}

static bool
edit_offers(const struct view *view, enum command command)
{
	const struct view_edit *self = (const struct view_edit *)view;

	switch (command) {
	case COMMAND_UP:
	case COMMAND_TOP:
		return !self->line && self->selected > 0;
	case COMMAND_DOWN:
	case COMMAND_BOTTOM:
		return !self->line && self->selected + 1 < self->count;
	case COMMAND_OPEN:
		return !self->line && self->count > 0;
	case COMMAND_ACCEPT:
		return self->line || any_changed(self);
	case COMMAND_BACK:
		return true;
	default:
		return false;
	}
}

/* --- painting --- */

static void
edit_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	struct view_edit *self = (struct view_edit *)view;
	const struct session_call *call = session_call(scene->session, self->call);
	int64_t left = session_time_left(scene->session, call, scene->mono) / 1000000000;

	if (session_time_left(scene->session, call, scene->mono) < 0)
		snprintf(out, size, "edit call %llu", (unsigned long long)self->call);
	else
		snprintf(out, size, "edit call %llu · %lld:%02lld left",
			(unsigned long long)self->call, (long long)(left / 60),
			(long long)(left % 60));
}

static void
add_value(const struct edit_field *field, struct rows *rows)
{
	if (field->now)
		rows_foreign(rows, is_changed(field) ? STYLE_ADDED : STYLE_VALUE,
			untrusted_str(field->now), TEXT_TEXT);
	else
		rows_words(rows, STYLE_DIM, "not given");
	if (!field->now && field->otherwise) {
		rows_words(rows, STYLE_DIM, ": default ");
		rows_foreign(rows, STYLE_DIM, untrusted_str(field->otherwise), TEXT_TEXT);
	}
	if (!is_changed(field))
		return;
	rows_words(rows, STYLE_DIM, field->was ? "  was " : "  was not given");
	if (field->was)
		rows_foreign(rows, STYLE_REMOVED, untrusted_str(field->was), TEXT_TEXT);
}

/* first, last: the rows of the selected field. */
static struct rows *
make_rows(const struct view_edit *self, int cols, size_t *first, size_t *last)
{
	struct rows *rows = rows_new(cols);

	*first = *last = 0;
	for (size_t i = 0; i < self->count; i++) {
		const struct edit_field *field = &self->fields[i];
		bool selected = i == self->selected;

		if (selected)
			*first = rows_count(rows);
		rows_field_sign(rows, selected ? ">" : " ", STYLE_HINT_KEY,
			untrusted(field->name, field->name_len), TEXT_TEXT);
		add_value(field, rows);
		if (selected)
			*last = rows_count(rows) - 1;
	}
	if (self->count == 0) {
		rows_field(rows, NULL);
		rows_words(rows, STYLE_DIM, "this tool takes no arguments");
	}
	rows_finish(rows);
	return rows;
}

static void
draw_bottom(struct view_edit *self, struct canvas *canvas, struct rect rect,
	const struct view_scene *scene)
{
	static const enum command all[] = { COMMAND_OPEN, COMMAND_ACCEPT, COMMAND_BACK, COMMAND_UP,
		COMMAND_DOWN, COMMAND_HELP };
	enum command now[ARRAY_SIZE(all)];
	struct bar_hints hints = { scene->keymap, MAP_EDIT, now, 0, COMMAND_OPEN, "edit this one" };
	int x = rect.x;

	if (self->said)
		(void)canvas_foreign(canvas,
			&(struct canvas_run){ rect.x, rect.y, rect.w, STYLE_WARNING, TEXT_TEXT },
			untrusted_str(self->said));
	rect.y++;
	if (self->line) {
		x = canvas_text(canvas, x, rect.y, STYLE_LABEL, "as JSON, empty: not given: ");
		lineedit_draw(self->line, canvas, rect_make(x, rect.y, rect.x + rect.w - x, 1),
			STYLE_INPUT);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (self->view.ops->offers(&self->view, all[i]))
			now[hints.count++] = all[i];
	(void)bar_hints(canvas, rect, &hints);
}

static void
edit_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_edit *self = (struct view_edit *)view;
	int height = rect.h > BOTTOM_ROWS ? rect.h - BOTTOM_ROWS : 0;
	size_t first, last;
	struct rows *rows = make_rows(self, rect.w, &first, &last);

	if (last >= self->top + (size_t)height)
		self->top = last + 1 - (size_t)height;
	if (first < self->top)
		self->top = first;
	(void)rows_draw(rows, canvas, rect_make(rect.x, rect.y, rect.w, height), self->top);
	rows_free(rows);
	if (rect.h >= BOTTOM_ROWS)
		draw_bottom(self, canvas, rect_make(rect.x, rect.y + height, rect.w, BOTTOM_ROWS),
			scene);
}

struct view *
view_edit_new(const struct session *session, const struct session_call *call)
{
	static const struct view_ops ops = {
		.free = edit_free,
		.title = edit_title,
		.map = edit_map,
		.run = edit_run,
		.key = edit_key,
		.typing = edit_typing,
		.offers = edit_offers,
		.paint = edit_paint,
	};
	const struct session_tool *tool = session_tool(session, call->tool);
	AUTO_JSON struct json *args =
		call->args.bytes ? json_read(call->args.bytes, call->args.len, NULL) : NULL;
	AUTO_JSON struct json *definition =
		tool && tool->definition.bytes
			? json_read(tool->definition.bytes, tool->definition.len, NULL)
			: NULL;
	struct json_value schema = json_get(json_root(definition), "inputSchema");
	struct view_edit *self;

	if (json_kind(json_root(args)) != JSON_OBJECT)
		return NULL;
	if (!json_there(schema))
		schema = json_get(json_root(definition), "input_schema");
	self = mem_zero(1, sizeof(*self));
	self->view.ops = &ops;
	self->call = call->number;
	add_fields(self, json_root(args), json_get(schema, "properties"));
	return &self->view;
}

uint64_t
view_edit_call(const struct view *view)
{
	return ((const struct view_edit *)view)->call;
}
