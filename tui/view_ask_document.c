/*
 * One document: what is asked, what happened before, what hides in the program, what it will call
 * and what is left for that, then every line of it.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/diff.h"
#include "tui/document.h"
#include "tui/rows.h"
#include "tui/view_ask_inside.h"

#define EFFECTS_MAX 40
#define ARGS_BYTES 200
#define REPLY_BYTES 4000 /* of what came in place of a program */

struct untrusted
ask_text_now(const struct view_ask *self)
{
	return self->edit ? untrusted(self->edit, self->edit_len)
			  : untrusted(self->text, self->len);
}

static void
foreign(struct view_ask *self, enum style style, const char *text)
{
	rows_prose(self->sheet.rows, style, untrusted_str(text), TEXT_STRICT);
}

static void
part_run(
	struct view_ask *self, const struct session *session, const struct session_program *program)
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
	if (!program) {
		rows_words(rows, STYLE_DIM, "none came to be; nothing runs now");
		return;
	}
	rows_printf(rows, STYLE_TEXT, "attempt %u, by ", self->attempt);
	foreign(self, STYLE_VALUE, self->edit ? "you" : program->by);
	rows_words(rows, STYLE_DIM,
		self->failed ? " · it has ended; nothing runs now" : " · nothing of it has run");
}

static void
part_asked(struct view_ask *self, const struct session *session)
{
	if (!session->asked_why)
		return;
	rows_field(self->sheet.rows, "asked");
	rows_prose(self->sheet.rows, STYLE_WARNING, untrusted_str(session->asked_why), TEXT_LINES);
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
		rows_prose(
			self->sheet.rows, STYLE_VALUE, blob_text(&call->more->reason), TEXT_STRICT);
	}
}

static void
part_failure(
	struct view_ask *self, const struct session *session, const struct session_program *program)
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

	text_count(ask_text_now(self), TEXT_LINES, &counts);
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
	rows_printf(
		self->sheet.rows, STYLE_DIM, "%zu bytes · %zu lines", counts.bytes, counts.lines);
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
	rows_words(
		rows, STYLE_TEXT, document_effect(site->effect, tool ? tool->effect_from : NULL));
	rows_words(rows, STYLE_DIM, "  ");
	rows_words(rows, free_of_asking ? STYLE_APPROVED : STYLE_GATED, what_rules_say(site));
	if (site->loop)
		rows_words(rows, STYLE_WARNING, "  in a loop");
}

static void
part_forecast(
	struct view_ask *self, const struct session *session, const struct session_program *program)
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
part_budget(struct view_ask *self, const struct session *session)
{
	struct rows *rows = self->sheet.rows;
	const struct session_counter *calls = session_counter(session, "max_tool_calls");
	struct session_reach reach;

	session_reach(session, &reach);
	rows_field(rows, "budget");
	rows_printf(rows, STYLE_TEXT, "%zu place%s that call%s, %zu in a loop", reach.places,
		reach.places == 1 ? "" : "s", reach.places == 1 ? "s" : "", reach.loops);
	if (reach.left >= 0)
		rows_printf(rows, STYLE_TEXT, " · %lld of %lld calls left", (long long)reach.left,
			(long long)calls->limit);
	if (reach.too_many)
		rows_words(rows, STYLE_WARNING, "  ! more places than calls are left");
}

/* --- its lines --- */

static void
part_difference(struct view_ask *self)
{
	static const char *const marks[] = {
		[DIFF_SAME] = "      ", [DIFF_REMOVED] = "-     ", [DIFF_ADDED] = "+     "
	};
	static const enum style styles[] = {
		[DIFF_SAME] = STYLE_DIM, [DIFF_REMOVED] = STYLE_REMOVED, [DIFF_ADDED] = STYLE_ADDED
	};
	struct diff diff = { 0 };

	rows_divide(self->sheet.rows, "what you changed");
	diff_make(&diff, untrusted(self->text, self->len), ask_text_now(self));
	for (size_t i = 0; i < diff.count; i++) {
		enum diff_kind kind = diff.rows[i].kind;
		struct untrusted line = diff.rows[i].line;

		if (kind == DIFF_SAME)
			continue;
		if (line.len > 0 && line.bytes[line.len - 1] == '\n')
			line.len--;
		rows_field_marked(self->sheet.rows, marks[kind], styles[kind]);
		rows_foreign(self->sheet.rows, styles[kind], line, self->sheet.mode);
	}
	diff_release(&diff);
}

static void
part_lines(struct view_ask *self)
{
	struct untrusted text = ask_text_now(self);
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
take_program(
	struct view_ask *self, const struct session *session, const struct session_program *program)
{
	free(self->text);
	self->text = mem_copy(program->text.bytes ? program->text.bytes : "", program->text.len);
	self->len = program->text.len;
	self->attempt = program->attempt;
	self->failed = program->outcome != NULL;
	self->seen_seq = session->seq;
}

/* What came in place of a program. */
static void
part_reply(struct view_ask *self, const struct session *session)
{
	const struct session_turn *turn = session_turn(session);
	struct untrusted text = turn ? blob_text(&turn->text) : untrusted("", 0);

	if (text.len == 0)
		return;
	rows_divide(self->sheet.rows, text.len > REPLY_BYTES ? "the end of what the model wrote"
							     : "what the model wrote");
	if (text.len > REPLY_BYTES)
		text = untrusted(text.bytes + text.len - REPLY_BYTES, REPLY_BYTES);
	rows_field(self->sheet.rows, "");
	rows_prose(self->sheet.rows, STYLE_MODEL, text, self->sheet.mode);
}

/* No program came to be: only how to go on is asked. */
static void
make_without(struct view_ask *self, const struct session *session)
{
	const struct session_program *before = session_program(session);

	free(self->text);
	self->text = mem_str("");
	self->len = 0;
	self->attempt = before ? before->attempt : 0;
	self->failed = true;
	self->seen_seq = session->seq;
	self->seen_turns = session->turn_count;
	part_run(self, session, NULL);
	part_asked(self, session);
	if (!self->edit)
		part_reply(self, session);
}

const struct session_program *
ask_program(const struct session *session)
{
	const struct session_program *program = session_program(session);

	return program && program->run == session->run ? program : NULL;
}

struct rows *
ask_make(struct sheet *sheet, const struct view_scene *scene, int cols)
{
	struct view_ask *self = (struct view_ask *)sheet;
	const struct session_program *program = ask_program(scene->session);

	sheet->rows = rows_new(cols);
	self->none = !program;
	self->model = scene->session->mode && strcmp(scene->session->mode, "model") == 0;
	if (!program) {
		make_without(self, scene->session);
		if (self->edit)
			part_lines(self);
		rows_finish(sheet->rows);
		return sheet->rows;
	}
	take_program(self, scene->session, program);
	part_run(self, scene->session, program);
	if (self->failed)
		part_asked(self, scene->session);
	if (self->failed)
		part_failure(self, scene->session, program);
	part_warnings(self);
	if (!self->edit && !self->failed) {
		part_forecast(self, scene->session, program);
		part_budget(self, scene->session);
	}
	if (self->edit)
		part_difference(self);
	rows_divide(sheet->rows, self->edit ? "the program you send" : "the program");
	if (ask_text_now(self).len <= ASK_BYTES_MAX)
		part_lines(self);
	rows_finish(sheet->rows);
	return sheet->rows;
}
