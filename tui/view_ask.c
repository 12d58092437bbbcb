/* A yes waits until all of the document was on the screen; it sends the text that was shown. */
#include "config.h"

#include "tui/view_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/lineedit.h"
#include "tui/view_ask_inside.h"

static void
ask_free(struct view *view)
{
	struct view_ask *self = (struct view_ask *)view;

	sheet_release(&self->sheet);
	free(self->text);
	free(self->edit);
	free(self);
}

static void
ask_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	const struct view_ask *self = (const struct view_ask *)view;

	(void)scene;
	if (self->edit)
		snprintf(out, size, "the program as you edited it: attempt %u", self->attempt);
	else if (self->none)
		snprintf(out, size, "there is no program: how to go on?");
	else if (self->failed)
		snprintf(out, size, "the program failed: attempt %u", self->attempt);
	else
		snprintf(out, size, "may this program run?  attempt %u", self->attempt);
}

static enum map
ask_map(const struct view *view)
{
	const struct view_ask *self = (const struct view_ask *)view;

	if (self->stopping)
		return MAP_STOP;
	return self->sheet.field ? MAP_FIELD : MAP_PROGRAM_ASK;
}

static bool
ask_stands(const struct sheet *sheet, const struct view_scene *scene)
{
	const struct view_ask *self = (const struct view_ask *)sheet;
	const struct session_program *program = ask_program(scene->session);

	if (!program || self->none)
		return !program && self->none && self->seen_turns == scene->session->turn_count;
	return program->attempt == self->attempt && self->failed == (program->outcome != NULL) &&
	       program->text.len == self->len &&
	       (self->len == 0 || memcmp(program->text.bytes, self->text, self->len) == 0);
}

static const char *
ask_blocked(const struct sheet *sheet)
{
	const struct view_ask *self = (const struct view_ask *)sheet;

	if (ask_text_now(self).len > ASK_BYTES_MAX)
		return "too long to be shown whole: it cannot be run from here";
	if (self->failed && !self->edit)
		return !self->model ? "to try again, edit it first"
		       : self->none ? "nothing to run"
				    : "it has failed";
	return NULL;
}

/* --- verdicts --- */

static void
say(struct view_ask *self, const char *verdict, const char *text, struct intent *out)
{
	out->kind = INTENT_PROGRAM;
	out->word = verdict;
	out->text = text;
	out->call = self->attempt;
	out->number = (int64_t)self->seen_seq;
}

static void
ask_yes(struct sheet *sheet, struct intent *out)
{
	struct view_ask *self = (struct view_ask *)sheet;

	if (!self->edit)
		say(self, "run", NULL, out);
	else
		say(self, self->failed ? "try_again" : "edit", self->edit, out);
}

static void
say_no(struct view_ask *self, const char *reason, struct intent *out)
{
	say(self, self->failed ? "stop" : "refuse", reason, out);
}

/* --- keys --- */

static enum view_reply
run_stopping(struct view_ask *self, enum command command, struct intent *out)
{
	if (command == COMMAND_STOP_CONFIRM)
		out->kind = INTENT_STOP;
	else if (command != COMMAND_BACK)
		return VIEW_DONE;
	self->stopping = false;
	sheet_say(&self->sheet, NULL);
	return VIEW_DIRTY;
}

static enum view_reply
run_field(struct view_ask *self, enum command command, struct intent *out)
{
	if (command == COMMAND_ACCEPT && self->wording)
		say(self, "rewrite", lineedit_text(self->sheet.field), out);
	else if (command == COMMAND_ACCEPT)
		say_no(self, lineedit_text(self->sheet.field), out);
	else if (command == COMMAND_BACK)
		sheet_field_close(&self->sheet);
	else
		return VIEW_DONE;
	return VIEW_DIRTY;
}

static void
drop_edit(struct view_ask *self)
{
	free(self->edit);
	self->edit = NULL;
	self->edit_len = 0;
}

static enum view_reply
ask_run(struct view *view, enum command command, struct intent *out)
{
	struct view_ask *self = (struct view_ask *)view;

	if (self->stopping)
		return run_stopping(self, command, out);
	if (self->sheet.field)
		return run_field(self, command, out);
	if (command == COMMAND_BACK)
		return VIEW_CLOSE;
	if (command == COMMAND_TOP || command == COMMAND_BOTTOM)
		return VIEW_DONE; /* a jump shows nothing of what it skips */
	if (!view->ops->offers(view, command))
		return VIEW_IGNORED;
	switch (command) {
	case COMMAND_DENY:
		say_no(self, NULL, out);
		return VIEW_DIRTY;
	case COMMAND_TRY_AGAIN:
		self->wording = true;
		sheet_field_open(&self->sheet, "to the model: ", "", true);
		return VIEW_DIRTY;
	case COMMAND_DENY_REASON:
		self->wording = false;
		sheet_field_open(&self->sheet,
			self->failed ? "stop, because: " : "refuse, because: ", "", true);
		return VIEW_DIRTY;
	case COMMAND_STOP:
		self->stopping = true;
		sheet_say(&self->sheet, "stop the run?  S yes, stop   Esc no");
		return VIEW_DIRTY;
	case COMMAND_EDIT:
		out->kind = INTENT_PROGRAM_EDIT;
		return VIEW_DIRTY;
	case COMMAND_UNEDIT:
		drop_edit(self);
		sheet_ask_anew(&self->sheet, out);
		return VIEW_DIRTY;
	default:
		return sheet_look(&self->sheet, command, out);
	}
}

static bool
ask_offers(const struct view *view, enum command command)
{
	const struct view_ask *self = (const struct view_ask *)view;
	bool decides = !self->sheet.sent && !self->sheet.read_only && !self->sheet.field;

	if (self->stopping)
		return command == COMMAND_STOP_CONFIRM || command == COMMAND_BACK;
	switch (command) {
	case COMMAND_APPROVE:
		return decides && !view->ops->guard->blocked(view);
	case COMMAND_DENY:
	case COMMAND_DENY_REASON:
	case COMMAND_STOP:
	case COMMAND_EDIT:
		return decides;
	case COMMAND_UNEDIT:
		return decides && self->edit;
	case COMMAND_TRY_AGAIN:
		return decides && self->failed && self->model && !self->edit;
	case COMMAND_STRICT:
	case COMMAND_BACK:
		return true;
	default:
		return sheet_offers_look(&self->sheet, command);
	}
}

/* --- the editor --- */

struct untrusted
view_ask_text(const struct view *view, const struct session *session)
{
	const struct view_ask *self = (const struct view_ask *)view;

	const struct session_program *program = ask_program(session);

	if (self->edit)
		return ask_text_now(self);
	return program ? blob_text(&program->text) : untrusted("", 0);
}

void
view_ask_edited(struct view *view, const struct session *session, struct untrusted text)
{
	struct view_ask *self = (struct view_ask *)view;
	const struct session_program *program = ask_program(session);
	const struct blob *now = program ? &program->text : NULL;
	bool same = now && now->bytes && text.len == now->len &&
		    memcmp(text.bytes, now->bytes, text.len) == 0;
	char *copy = same ? NULL : mem_copy(text.bytes, text.len);

	drop_edit(self);
	self->edit = copy;
	self->edit_len = copy ? text.len : 0;
}

static const struct sheet_hint hints_failed[] = {
	{ COMMAND_PAGE_DOWN, "read on" },
	{ COMMAND_APPROVE, "yes, run it" },
	{ COMMAND_TRY_AGAIN, "try another way" },
	{ COMMAND_DENY, "stop" },
	{ COMMAND_EDIT, "edit" },
	{ COMMAND_UNEDIT, "take the edit back" },
	{ COMMAND_DENY_REASON, "stop, say why" },
	{ COMMAND_STRICT, "strict/text" },
};

static const struct sheet_hint hints[] = {
	{ COMMAND_PAGE_DOWN, "read on" },
	{ COMMAND_APPROVE, "yes, run it" },
	{ COMMAND_DENY, "no" },
	{ COMMAND_DENY_REASON, "no, say why" },
	{ COMMAND_EDIT, "edit" },
	{ COMMAND_UNEDIT, "take the edit back" },
	{ COMMAND_STOP, "stop the run" },
	{ COMMAND_STRICT, "strict/text" },
};

static const struct view_ops view_ops = {
	.free = ask_free,
	.title = ask_title,
	.map = ask_map,
	.run = ask_run,
	.key = sheet_key,
	.typing = sheet_typing,
	.offers = ask_offers,
	.paint = sheet_paint,
	.guard = &sheet_guard,
};

static struct rows *ask_lay_out(struct sheet *sheet, const struct view_scene *scene, int cols);

static const struct sheet_ops ops = { .make = ask_lay_out,
	.stands = ask_stands,
	.blocked = ask_blocked,
	.yes = ask_yes,
	.hints = hints,
	.hint_count = ARRAY_SIZE(hints) };

static const struct sheet_ops ops_failed = { .make = ask_lay_out,
	.stands = ask_stands,
	.blocked = ask_blocked,
	.yes = ask_yes,
	.hints = hints_failed,
	.hint_count = ARRAY_SIZE(hints_failed) };

static struct rows *
ask_lay_out(struct sheet *sheet, const struct view_scene *scene, int cols)
{
	struct rows *rows = ask_make(sheet, scene, cols);

	sheet->ops = ((struct view_ask *)sheet)->failed ? &ops_failed : &ops;
	return rows;
}

struct view *
view_ask_new(const struct arming *arming)
{
	struct view_ask *self = mem_zero(1, sizeof(*self));

	sheet_init(&self->sheet, &view_ops, &ops, arming);
	self->sheet.mode = TEXT_LINES;
	self->sheet.other = TEXT_STRICT;
	return &self->sheet.view;
}

bool
view_is_ask(const struct view *view)
{
	return view->ops == &view_ops;
}
