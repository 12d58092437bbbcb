/*
 * The text that is sent is made here, checked as the supervisor will check it, and shown; whatever
 * is wrong with it keeps the yes away and says so.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/gate/bounds.h"
#include "core/gate/policy.h"
#include "core/session/session.h"
#include "tui/rows.h"
#include "tui/view_bounds_inside.h"

#define NUMBERS_MAX 30 /* call numbers named in one row */

/* Does what would be sent meet the call? */
typedef bool (*meets_fn)(
	const void *what, const struct session_tool *tool, const struct session_call *call);

/* --- the text --- */

static void
set_wrong(struct view_bounds *self, const char *words)
{
	free(self->wrong);
	self->wrong = text_escape(untrusted_str(words), TEXT_STRICT);
}

static void
write_rule(const struct view_bounds *self, const struct session_call *call, struct buf *buf)
{
	AUTO_BUF struct buf when;
	struct jsonout out;

	buf_init(&when, BUF_UNBOUNDED);
	jsonout_init(&out, buf);
	jsonout_object(&out);
	jsonout_key(&out, "tools");
	jsonout_array(&out);
	jsonout_str(&out, call->tool);
	jsonout_array_end(&out);
	jsonout_key_str(&out, "action", rule_action_word(self->action));
	if (bound_list_write(&self->list, &when)) {
		jsonout_key(&out, "when");
		jsonout_raw(&out, when.data, when.len);
	}
	jsonout_object_end(&out);
}

static void
make_text(struct view_bounds *self, const struct session_call *call)
{
	AUTO_BUF struct buf buf;

	buf_init(&buf, BUF_UNBOUNDED);
	free(self->text);
	free(self->wrong);
	self->text = self->wrong = NULL;
	if (self->rule)
		write_rule(self, call, &buf);
	else
		(void)bound_list_write(&self->list, &buf);
	self->text = mem_strn(buf.data, buf.len);
}

static struct bounds *
read_bounds(struct view_bounds *self, const struct session_call *call)
{
	AUTO_JSON struct json *args =
		call->args.bytes ? json_read(call->args.bytes, call->args.len, NULL) : NULL;
	struct err err = { 0 };
	struct bounds *bounds = bounds_read(self->text, strlen(self->text), &err);
	char why[160];

	if (!bounds)
		set_wrong(self, err.text);
	else if (!bounds_fit(bounds, json_root(args), why, sizeof(why)))
		set_wrong(self, "this call itself is not within these bounds");
	return bounds;
}

static struct policy *
read_rule(struct view_bounds *self)
{
	struct err err = { 0 };
	struct policy *policy = policy_new(NULL, 0, &err);

	if (policy && policy_add(policy, self->text, strlen(self->text), "rule", &err) < 0) {
		policy_free(policy);
		policy = NULL;
	}
	if (!policy)
		set_wrong(self, err.text);
	return policy;
}

/* --- which calls it would meet --- */

static bool
bounds_meet(const void *what, const struct session_tool *tool, const struct session_call *call)
{
	AUTO_JSON struct json *args = json_read(call->args.bytes, call->args.len, NULL);

	(void)tool;
	return bounds_fit(what, json_root(args), NULL, 0);
}

static bool
policy_meets(const void *what, const struct session_tool *tool, const struct session_call *call)
{
	AUTO_JSON struct json *args = json_read(call->args.bytes, call->args.len, NULL);
	int effect = effect_of(tool && tool->effect ? tool->effect : "");
	struct tool_facts facts = { .full = call->tool,
		.server = tool ? tool->server : "",
		.name = tool ? tool->name : call->tool,
		.effect = effect < 0 ? EFFECT_MUTATE : (enum effect)effect };

	return policy_touches(what, &facts, json_root(args));
}

static void
tell_meets(
	struct view_bounds *self, const struct session *session, meets_fn meets, const void *what)
{
	const struct session_call *about = session_call(session, self->call);
	struct rows *rows = self->sheet.rows;
	size_t met = 0, of = 0;

	rows_field(rows, "would meet");
	for (size_t i = 0; i < session->call_count; i++) {
		const struct session_call *call = &session->calls[i];

		if (strcmp(call->tool, about->tool) != 0 || !call->args.bytes)
			continue;
		of++;
		if (!meets(what, session_tool(session, call->tool), call))
			continue;
		if (met++ < NUMBERS_MAX)
			rows_printf(rows, STYLE_VALUE, "%s%llu%s", met == 1 ? "" : ", ",
				(unsigned long long)call->number,
				call->state == CALL_HELD ? " (waits)" : "");
	}
	rows_printf(rows, STYLE_DIM, "%s%zu of %zu call%s of this tool in this run",
		met ? " · " : "", met, of, of == 1 ? "" : "s");
}

/* --- rows --- */

static const char *
sign(const struct view_bounds *self, size_t row)
{
	return self->selected == row ? ">" : " ";
}

static void
part_bounds(struct view_bounds *self)
{
	struct rows *rows = self->sheet.rows;

	for (size_t i = 0; i < self->list.count; i++) {
		const struct bound *bound = &self->list.bounds[i];

		rows_field_sign(rows, sign(self, i + 1), STYLE_LABEL, untrusted_str(bound->name),
			TEXT_STRICT);
		rows_printf(rows, STYLE_DIM, "%s ", bound_words(bound));
		if (bound->typed)
			rows_foreign(rows, STYLE_VALUE, untrusted_str(bound->typed), TEXT_STRICT);
	}
}

static void
part_call(struct view_bounds *self, const struct session_call *call)
{
	struct rows *rows = self->sheet.rows;

	rows_field(rows, "from");
	rows_printf(rows, STYLE_TEXT, "call %llu ", (unsigned long long)call->number);
	rows_foreign(rows, STYLE_VALUE, untrusted_str(call->tool), TEXT_STRICT);
	if (call->line > 0)
		rows_printf(rows, STYLE_DIM, " at line %d", call->line);
	rows_field(rows, "values");
	rows_foreign(rows, STYLE_TEXT, untrusted(call->args.bytes, call->args.len), TEXT_STRICT);
}

static void
part_sent(struct view_bounds *self)
{
	rows_divide(self->sheet.rows, "what is sent");
	rows_field(self->sheet.rows, self->rule ? "rule" : "within");
	rows_foreign(self->sheet.rows, STYLE_VALUE, untrusted_str(self->text), TEXT_STRICT);
}

static void
make_grant(struct view_bounds *self, const struct session *session, const struct session_call *call)
{
	struct rows *rows = self->sheet.rows;
	const struct session_counter *calls = session_counter(session, "max_tool_calls");
	struct bounds *bounds = read_bounds(self, call);

	part_call(self, call);
	rows_divide(rows, "approve it, and the next ones like it from this line");
	rows_field_sign(rows, sign(self, 0), STYLE_LABEL, untrusted_str("more"), TEXT_STRICT);
	rows_printf(rows, STYLE_VALUE, "%lld", (long long)self->n);
	rows_words(
		rows, STYLE_DIM, self->n == 1 ? " call after this one" : " calls after this one");
	part_bounds(self);
	part_sent(self);
	rows_field(rows, "lasts");
	rows_words(rows, STYLE_DIM,
		"for this run and this program only; what rules deny stays denied");
	if (calls && calls->limit >= 0)
		rows_printf(rows, STYLE_DIM, " · %lld of %lld calls left in the budget",
			(long long)(calls->limit > calls->used ? calls->limit - calls->used : 0),
			(long long)calls->limit);
	if (bounds)
		tell_meets(self, session, bounds_meet, bounds);
	bounds_free(bounds);
}

static void
make_rule(struct view_bounds *self, const struct session *session, const struct session_call *call)
{
	static const char *const counts[] = {
		[RULE_ASK] = "from now on in this run: such calls are asked about",
		[RULE_DENY] =
			"from now on in this run: such calls are denied, also those that wait",
		[RULE_ALLOW] = "not in this run: it is printed at the end, for approval.rules",
	};
	struct rows *rows = self->sheet.rows;
	struct policy *policy = read_rule(self);

	part_call(self, call);
	rows_divide(rows, "a rule for calls of this tool");
	rows_field_sign(rows, sign(self, 0), STYLE_LABEL, untrusted_str("action"), TEXT_STRICT);
	rows_words(rows, STYLE_VALUE, rule_action_word(self->action));
	part_bounds(self);
	part_sent(self);
	rows_field(rows, "counts");
	rows_words(rows, STYLE_DIM, counts[self->action]);
	if (policy)
		tell_meets(self, session, policy_meets, policy);
	policy_free(policy);
}

struct rows *
bounds_make(struct sheet *sheet, const struct view_scene *scene, int cols)
{
	struct view_bounds *self = (struct view_bounds *)sheet;
	const struct session_call *call = session_call(scene->session, self->call);

	sheet->rows = rows_new(cols);
	if (call) {
		make_text(self, call);
		if (self->rule)
			make_rule(self, scene->session, call);
		else
			make_grant(self, scene->session, call);
	}
	rows_finish(sheet->rows);
	return sheet->rows;
}
