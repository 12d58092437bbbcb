/*
 * The new limit is part of what is shown: another number is another question, and is shown and
 * rested on anew.
 */
#include "config.h"

#include "tui/view_raise.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/document.h"
#include "tui/lineedit.h"
#include "tui/rows.h"
#include "tui/sheet.h"

#define LIMIT_MAX 1000000000 /* as budget.max_tool_calls has it */
#define STEP_SHARE 5         /* a first proposal: a fifth more, at least this many */

struct view_raise {
	struct sheet sheet;
	uint64_t call;
	char *counter;
	int64_t used, limit; /* as laid out */
	int64_t to;
};

static void
raise_free(struct view *view)
{
	struct view_raise *self = (struct view_raise *)view;

	sheet_release(&self->sheet);
	free(self->counter);
	free(self);
}

static void
raise_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	const struct view_raise *self = (const struct view_raise *)view;

	(void)scene;
	snprintf(out, size, "raise the limit that call %llu met?", (unsigned long long)self->call);
}

static enum map
raise_map(const struct view *view)
{
	return ((const struct view_raise *)view)->sheet.field ? MAP_FIELD : MAP_GUARD;
}

/* --- the document --- */

static void
part_limit(struct view_raise *self)
{
	struct rows *rows = self->sheet.rows;

	rows_field(rows, "limit");
	rows_prose(rows, STYLE_VALUE, untrusted_str(self->counter), TEXT_STRICT);
	rows_field(rows, "used");
	rows_printf(
		rows, STYLE_TEXT, "%lld of %lld", (long long)self->used, (long long)self->limit);
	rows_field(rows, "raise it to");
	rows_printf(rows, STYLE_VALUE, "%lld", (long long)self->to);
	rows_printf(rows, STYLE_DIM, "  (%lld more; Enter types another)",
		(long long)(self->to - self->limit));
}

static void
part_call(struct view_raise *self, const struct session_call *call)
{
	struct rows *rows = self->sheet.rows;

	rows_field(rows, "met by");
	rows_printf(rows, STYLE_TEXT, "call %llu ", (unsigned long long)call->number);
	rows_prose(rows, STYLE_VALUE, untrusted_str(call->tool), TEXT_STRICT);
	if (call->line > 0)
		rows_printf(rows, STYLE_DIM, " at line %d", call->line);
	rows_field(rows, "as sent");
	rows_foreign(rows, STYLE_TEXT, blob_text(&call->args), TEXT_STRICT);
	rows_field(rows, "then");
	rows_words(rows, STYLE_DIM,
		"the call goes on as the rules say: one that asks waits for your y still");
	rows_field(rows, "for");
	rows_words(rows, STYLE_DIM, "this run only");
}

static struct rows *
raise_make(struct sheet *sheet, const struct view_scene *scene, int cols)
{
	struct view_raise *self = (struct view_raise *)sheet;
	const struct session_call *call = session_call(scene->session, self->call);
	const struct session_counter *counter = session_counter(scene->session, self->counter);

	sheet->rows = rows_new(cols);
	if (counter && call) {
		self->used = counter->used;
		self->limit = counter->limit;
		if (self->to <= self->limit)
			self->to = self->limit + 1;
		part_limit(self);
		part_call(self, call);
	}
	rows_finish(sheet->rows);
	return sheet->rows;
}

static bool
raise_stands(const struct sheet *sheet, const struct view_scene *scene)
{
	const struct view_raise *self = (const struct view_raise *)sheet;
	const struct session_counter *counter = session_counter(scene->session, self->counter);

	return counter && counter->limit == self->limit && counter->used == self->used;
}

static void
raise_yes(struct sheet *sheet, struct intent *out)
{
	struct view_raise *self = (struct view_raise *)sheet;

	out->kind = INTENT_RAISE;
	out->call = self->call;
	out->text = self->counter;
	out->before = self->limit;
	out->number = self->to;
}

/* --- keys --- */

/* Takes what was typed; our words when it is no limit. */
static const char *
take_typed(struct view_raise *self)
{
	const char *text = lineedit_text(self->sheet.field);
	char *end;
	long long to;

	errno = 0;
	to = strtoll(text, &end, 10);
	if (!*text || *end || errno || to > LIMIT_MAX)
		return "a whole number, at most 1000000000";
	if (to <= self->limit)
		return "larger than the limit is now";
	self->to = to;
	return NULL;
}

static enum view_reply
run_field(struct view_raise *self, enum command command, struct intent *out)
{
	const char *wrong;

	if (command == COMMAND_BACK) {
		sheet_field_close(&self->sheet);
		return VIEW_DIRTY;
	}
	if (command != COMMAND_ACCEPT)
		return VIEW_DONE;
	wrong = take_typed(self);
	if (wrong) {
		sheet_say(&self->sheet, wrong);
		return VIEW_DIRTY;
	}
	sheet_field_close(&self->sheet);
	sheet_ask_anew(&self->sheet, out);
	return VIEW_DIRTY;
}

static enum view_reply
raise_run(struct view *view, enum command command, struct intent *out)
{
	struct view_raise *self = (struct view_raise *)view;
	char now[32];

	if (self->sheet.field)
		return run_field(self, command, out);
	if (command == COMMAND_BACK || command == COMMAND_DENY)
		return VIEW_CLOSE;
	if (command == COMMAND_OPEN && view->ops->offers(view, command)) {
		snprintf(now, sizeof(now), "%lld", (long long)self->to);
		sheet_field_open(&self->sheet, "the new limit: ", now, false);
		return VIEW_DIRTY;
	}
	return sheet_look(&self->sheet, command, out);
}

static bool
raise_offers(const struct view *view, enum command command)
{
	const struct view_raise *self = (const struct view_raise *)view;
	bool takes = !self->sheet.sent && !self->sheet.read_only && !self->sheet.field;

	switch (command) {
	case COMMAND_APPROVE:
		return takes && !view->ops->guard->blocked(view);
	case COMMAND_OPEN:
		return takes;
	case COMMAND_DENY:
	case COMMAND_BACK:
	case COMMAND_STRICT:
		return !self->sheet.field;
	default:
		return sheet_offers_look(&self->sheet, command);
	}
}

struct view *
view_raise_new(
	const struct session *session, const struct session_call *call, const struct arming *arming)
{
	static const struct sheet_hint hints[] = {
		{ COMMAND_PAGE_DOWN, "read on" },
		{ COMMAND_APPROVE, "yes, raise it" },
		{ COMMAND_OPEN, "another number" },
		{ COMMAND_DENY, "no, leave it" },
	};
	static const struct sheet_ops ops = { .make = raise_make,
		.stands = raise_stands,
		.yes = raise_yes,
		.hints = hints,
		.hint_count = ARRAY_SIZE(hints) };
	static const struct view_ops view_ops = {
		.free = raise_free,
		.title = raise_title,
		.map = raise_map,
		.run = raise_run,
		.key = sheet_key,
		.typing = sheet_typing,
		.offers = raise_offers,
		.paint = sheet_paint,
		.guard = &sheet_guard,
	};
	const struct session_counter *over = document_over(session, call);
	struct view_raise *self;
	int64_t more;

	if (!over)
		return NULL;
	self = mem_zero(1, sizeof(*self));
	sheet_init(&self->sheet, &view_ops, &ops, arming);
	self->call = call->number;
	self->counter = mem_str(over->name);
	more = over->limit / STEP_SHARE;
	self->to = over->limit + (more > STEP_SHARE ? more : STEP_SHARE);
	return &self->sheet.view;
}
