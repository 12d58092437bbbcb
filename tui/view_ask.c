/*
 * One document: what is asked, what happened before, what hides in the program, what it will call
 * and what is left for that, then every line of it.  A yes waits until all of it was on the screen.
 */
#include "config.h"

#include "tui/view_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/difference.h"
#include "tui/document.h"
#include "tui/lineedit.h"
#include "tui/rows.h"
#include "tui/sheet.h"

#define BYTES_MAX (256 * 1024) /* a longer program is not shown whole, so not approved here */
#define EFFECTS_MAX 40
#define ARGS_BYTES 200

struct view_ask {
	struct sheet sheet;
	char *text; /* of the program as it was laid out */
	size_t len;
	unsigned attempt;
	bool failed; /* it has ended: how to go on is asked */
	uint64_t seen_seq;
	char *edit; /* another text; NULL: none */
	size_t edit_len;
	bool stopping; /* asked whether to stop the run */
};

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

/* --- the document --- */

static struct untrusted
blob_text(const struct blob *blob)
{
	return untrusted(blob->bytes ? blob->bytes : "", blob->bytes ? blob->len : 0);
}

static void
foreign(struct view_ask *self, enum style style, const char *text)
{
	rows_prose(self->sheet.rows, style, untrusted_str(text), TEXT_STRICT);
}

static void
part_run(struct view_ask *self, const struct session *session,
	const struct session_program *program)
{
	struct rows *rows = self->sheet.rows;

	rows_field(rows, "run");
	foreign(self, STYLE_TEXT, session->name);
	rows_words(rows, STYLE_DIM, " · ");
	if (session->task.bytes)
		rows_prose(rows, STYLE_VALUE, blob_text(&session->task), TEXT_STRICT);
	else
		rows_words(rows, STYLE_DIM, "no task given");
	rows_field(rows, "program");
	rows_printf(rows, STYLE_TEXT, "attempt %u, by ", self->attempt);
	foreign(self, STYLE_VALUE, self->edit ? "you" : program->by);
	rows_words(rows, STYLE_DIM,
		self->failed ? " · it has ended; nothing runs now" : " · nothing of it has run");
}

static bool
is_verdict(const struct session_call *call, const char *verdict)
{
	return call->verdict && strcmp(call->verdict, verdict) == 0;
}

static void
show_call(struct view_ask *self, const struct session_call *call)
{
	struct rows *rows = self->sheet.rows;
	struct untrusted args = blob_text(&call->args);
	bool cut = args.len > ARGS_BYTES;

	if (cut)
		args.len = ARGS_BYTES;
	rows_printf(rows, STYLE_TEXT, "call %llu ", (unsigned long long)call->number);
	foreign(self, STYLE_VALUE, call->tool);
	rows_words(rows, STYLE_TEXT, " ");
	rows_foreign(rows, STYLE_TEXT, args, TEXT_STRICT);
	if (cut)
		rows_words(rows, STYLE_DIM, "…");
}

static void
part_effects(struct view_ask *self, const struct session *session)
{
	size_t shown = 0, left = 0;

	for (size_t i = 0; i < session->call_count; i++) {
		const struct session_call *call = &session->calls[i];

		if (call->started_mono <= 0)
			continue;
		if (shown == EFFECTS_MAX) {
			left++;
			continue;
		}
		rows_field(self->sheet.rows, shown++ == 0 ? "took effect" : NULL);
		show_call(self, call);
		rows_words(self->sheet.rows, STYLE_DIM, ": ");
		foreign(self, STYLE_TEXT, call->outcome ? call->outcome : "outcome unknown");
	}
	if (shown == 0) {
		rows_field(self->sheet.rows, "took effect");
		rows_words(self->sheet.rows, STYLE_DIM, "no call has run");
	}
	if (left > 0) {
		rows_field(self->sheet.rows, NULL);
		rows_printf(self->sheet.rows, STYLE_DIM, "and %zu more: see the calls", left);
	}
}

static void
part_denied(struct view_ask *self, const struct session *session)
{
	size_t shown = 0;

	for (size_t i = 0; i < session->call_count && shown < EFFECTS_MAX; i++) {
		const struct session_call *call = &session->calls[i];

		if (!is_verdict(call, "deny"))
			continue;
		rows_field(self->sheet.rows, shown++ == 0 ? "denied" : NULL);
		show_call(self, call);
		rows_words(self->sheet.rows, STYLE_DIM, " by ");
		foreign(self, STYLE_TEXT, call->by);
		if (call->more->reason.len == 0)
			continue;
		rows_words(self->sheet.rows, STYLE_DIM, ": ");
		rows_prose(self->sheet.rows, STYLE_VALUE, blob_text(&call->more->reason),
			TEXT_STRICT);
	}
}

static void
part_failure(struct view_ask *self, const struct session *session,
	const struct session_program *program)
{
	struct rows *rows = self->sheet.rows;

	rows_field(rows, "ended");
	foreign(self, STYLE_FAILED, program->outcome);
	if (program->end_line > 0)
		rows_printf(rows, STYLE_TEXT, " at line %d", program->end_line);
	if (program->error.len > 0) {
		rows_field(rows, "error");
		rows_prose(rows, STYLE_FAILED, blob_text(&program->error), TEXT_LINES);
	}
	part_effects(self, session);
	part_denied(self, session);
}

static struct untrusted
text_now(const struct view_ask *self)
{
	return self->edit ? untrusted(self->edit, self->edit_len)
			  : untrusted(self->text, self->len);
}

static void
warn(struct view_ask *self, const char *words, size_t count)
{
	rows_field(self->sheet.rows, "beware");
	rows_printf(self->sheet.rows, STYLE_WARNING, "! %zu %s", count, words);
}

static void
part_warnings(struct view_ask *self)
{
	struct text_counts counts;

	text_count(text_now(self), TEXT_LINES, &counts);
	if (counts.hidden > 0)
		warn(self, "hidden or direction-changing characters in the program", counts.hidden);
	if (counts.non_ascii > 0)
		warn(self, "characters that are not ASCII in the program", counts.non_ascii);
	if (counts.mixed_scripts) {
		rows_field(self->sheet.rows, "beware");
		rows_words(self->sheet.rows, STYLE_WARNING,
			"! letters of several scripts within one word");
	}
	rows_field(self->sheet.rows, "size");
	rows_printf(self->sheet.rows, STYLE_DIM, "%zu bytes · %zu lines", counts.bytes,
		counts.lines);
}

/* --- what it will call --- */

static const char *
what_rules_say(const struct session_site *site)
{
	static const char *const words[][2] = { { "allow", "allowed" }, { "ask", "asks" },
		{ "deny", "denied" }, { "depends", "depends on the arguments" } };

	for (size_t i = 0; site->action && i < ARRAY_SIZE(words); i++)
		if (strcmp(site->action, words[i][0]) == 0)
			return words[i][1];
	return "depends on the arguments";
}

static void
show_site(struct view_ask *self, const struct session *session, const struct session_site *site)
{
	struct rows *rows = self->sheet.rows;
	const struct session_tool *tool = session_tool(session, site->tool);
	bool free_of_asking = site->action && strcmp(site->action, "allow") == 0;

	rows_printf(rows, STYLE_TEXT, "line %d  ", site->line);
	foreign(self, STYLE_VALUE, site->tool);
	rows_words(rows, STYLE_DIM, "  ");
	rows_words(rows, STYLE_TEXT,
		document_effect(site->effect, tool ? tool->effect_from : NULL));
	rows_words(rows, STYLE_DIM, "  ");
	rows_words(rows, free_of_asking ? STYLE_APPROVED : STYLE_GATED, what_rules_say(site));
	if (site->loop)
		rows_words(rows, STYLE_WARNING, "  in a loop");
}

static void
part_forecast(struct view_ask *self, const struct session *session,
	const struct session_program *program)
{
	struct rows *rows = self->sheet.rows;

	for (size_t i = 0; i < program->site_count; i++) {
		rows_field(rows, i == 0 ? "will call" : NULL);
		show_site(self, session, &program->sites[i]);
	}
	if (program->site_count == 0) {
		rows_field(rows, "will call");
		rows_words(rows, STYLE_DIM, "no tool, as far as its text tells");
	}
	rows_field(rows, NULL);
	rows_words(rows, STYLE_DIM,
		"read from its text; a call made in another way stops at the gate all the same");
}

static void
part_budget(struct view_ask *self, const struct session *session,
	const struct session_program *program)
{
	struct rows *rows = self->sheet.rows;
	const struct session_counter *calls = session_counter(session, "max_tool_calls");
	size_t loops = 0;

	for (size_t i = 0; i < program->site_count; i++)
		loops += program->sites[i].loop;
	rows_field(rows, "budget");
	rows_printf(rows, STYLE_TEXT, "%zu place%s that call%s, %zu in a loop",
		program->site_count, program->site_count == 1 ? "" : "s",
		program->site_count == 1 ? "s" : "", loops);
	if (calls && calls->limit >= 0)
		rows_printf(rows, STYLE_TEXT, " · %lld of %lld calls left",
			(long long)(calls->limit > calls->used ? calls->limit - calls->used : 0),
			(long long)calls->limit);
	if (calls && calls->limit >= 0 &&
		(int64_t)program->site_count > calls->limit - calls->used)
		rows_words(rows, STYLE_WARNING, "  ! more places than calls are left");
}

/* --- its lines --- */

static void
show_difference(enum difference what, struct untrusted line, void *arg)
{
	struct view_ask *self = arg;
	static const char *const marks[] = { [DIFFERENCE_SAME] = "      ",
		[DIFFERENCE_REMOVED] = "-     ",
		[DIFFERENCE_ADDED] = "+     " };
	static const enum style styles[] = { [DIFFERENCE_SAME] = STYLE_DIM,
		[DIFFERENCE_REMOVED] = STYLE_REMOVED,
		[DIFFERENCE_ADDED] = STYLE_ADDED };

	rows_field_marked(self->sheet.rows, marks[what], styles[what]);
	rows_foreign(self->sheet.rows, styles[what], line, self->sheet.mode);
}

static void
part_lines(struct view_ask *self)
{
	struct untrusted text = text_now(self);
	const char *at = text.bytes, *end = text.bytes + text.len;

	for (int number = 1; at < end; number++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		char label[16];

		stop = stop ? stop : end;
		snprintf(label, sizeof(label), "%6d", number);
		rows_field_marked(self->sheet.rows, label, STYLE_GUTTER);
		rows_foreign(self->sheet.rows, STYLE_TEXT, untrusted(at, (size_t)(stop - at)),
			self->sheet.mode);
		at = stop < end ? stop + 1 : end;
	}
}

static void
take_program(struct view_ask *self, const struct session *session,
	const struct session_program *program)
{
	free(self->text);
	self->text = mem_copy(program->text.bytes ? program->text.bytes : "", program->text.len);
	self->len = program->text.len;
	self->attempt = program->attempt;
	self->failed = program->outcome != NULL;
	self->seen_seq = session->seq;
}

static struct rows *
ask_make(struct sheet *sheet, const struct view_scene *scene, int cols)
{
	struct view_ask *self = (struct view_ask *)sheet;
	const struct session_program *program = session_program(scene->session);

	sheet->rows = rows_new(cols);
	if (!program) {
		rows_finish(sheet->rows);
		return sheet->rows;
	}
	take_program(self, scene->session, program);
	part_run(self, scene->session, program);
	if (self->failed)
		part_failure(self, scene->session, program);
	part_warnings(self);
	if (!self->edit && !self->failed) {
		part_forecast(self, scene->session, program);
		part_budget(self, scene->session, program);
	}
	if (self->edit) {
		rows_divide(sheet->rows, "what you changed");
		difference_lines(
			untrusted(self->text, self->len), text_now(self), show_difference, self);
	}
	rows_divide(sheet->rows, self->edit ? "the program you send" : "the program");
	if (text_now(self).len <= BYTES_MAX)
		part_lines(self);
	rows_finish(sheet->rows);
	return sheet->rows;
}

static bool
ask_stands(const struct sheet *sheet, const struct view_scene *scene)
{
	const struct view_ask *self = (const struct view_ask *)sheet;
	const struct session_program *program = session_program(scene->session);

	return program && program->attempt == self->attempt &&
	       self->failed == (program->outcome != NULL) && program->text.len == self->len &&
	       (self->len == 0 || memcmp(program->text.bytes, self->text, self->len) == 0);
}

static const char *
ask_blocked(const struct sheet *sheet)
{
	const struct view_ask *self = (const struct view_ask *)sheet;

	if (text_now(self).len > BYTES_MAX)
		return "too long to be shown whole: it cannot be run from here";
	if (self->failed && !self->edit)
		return "to try again, edit it first";
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
	if (command == COMMAND_ACCEPT)
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
	case COMMAND_DENY_REASON:
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

	return self->edit ? text_now(self) : blob_text(&session_program(session)->text);
}

void
view_ask_edited(struct view *view, const struct session *session, struct untrusted text)
{
	struct view_ask *self = (struct view_ask *)view;
	const struct blob *now = &session_program(session)->text;
	bool same = now->bytes && text.len == now->len &&
		    memcmp(text.bytes, now->bytes, text.len) == 0;
	char *copy = same ? NULL : mem_copy(text.bytes, text.len);

	drop_edit(self);
	self->edit = copy;
	self->edit_len = copy ? text.len : 0;
}

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

struct view *
view_ask_new(const struct arming *arming)
{
	static const struct sheet_ops ops = { .make = ask_make,
		.stands = ask_stands,
		.blocked = ask_blocked,
		.yes = ask_yes,
		.hints = hints,
		.hint_count = ARRAY_SIZE(hints) };
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
