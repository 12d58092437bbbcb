/* Each change asks anew: another bound is another question. */
#include "config.h"

#include "tui/view_bounds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/grants.h"
#include "core/session/session.h"
#include "tui/lineedit.h"
#include "tui/view_bounds_inside.h"

#define FIRST_N 5

const char *
rule_action_word(enum rule_action action)
{
	static const char *const words[RULE_ACTIONS] = {
		[RULE_ASK] = "ask", [RULE_DENY] = "deny", [RULE_ALLOW] = "allow"
	};

	return words[action];
}

static void
bounds_view_free(struct view *view)
{
	struct view_bounds *self = (struct view_bounds *)view;

	sheet_release(&self->sheet);
	bound_list_release(&self->list);
	free(self->text);
	free(self->wrong);
	free(self);
}

static void
bounds_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	const struct view_bounds *self = (const struct view_bounds *)view;

	(void)scene;
	snprintf(out, size, self->rule ? "a rule from call %llu" : "a grant from call %llu",
		(unsigned long long)self->call);
}

static enum map
bounds_map(const struct view *view)
{
	return ((const struct view_bounds *)view)->sheet.field ? MAP_FIELD : MAP_GUARD;
}

/* A grant is for a call that waits; a rule may be made from any. */
static bool
bounds_stand(const struct sheet *sheet, const struct view_scene *scene)
{
	const struct view_bounds *self = (const struct view_bounds *)sheet;
	const struct session_call *call = session_call(scene->session, self->call);

	return call && (self->rule || call->state == CALL_HELD);
}

static const char *
bounds_blocked(const struct sheet *sheet)
{
	return ((const struct view_bounds *)sheet)->wrong;
}

static void
bounds_yes(struct sheet *sheet, struct intent *out)
{
	struct view_bounds *self = (struct view_bounds *)sheet;

	if (!self->text || self->wrong)
		return;
	out->kind = self->rule ? INTENT_RULE : INTENT_GRANT;
	out->call = self->call;
	out->text = self->text;
	out->word = self->rule ? rule_action_word(self->action) : NULL;
	out->number = self->n;
}

/* --- changing --- */

static void
move(struct view_bounds *self, int by)
{
	size_t rows = self->list.count + 1;

	self->selected = (self->selected + rows + (size_t)(by + (int)rows)) % rows;
}

static void
change(struct view_bounds *self, bool back)
{
	if (self->selected > 0)
		bound_switch(&self->list, self->selected - 1, back);
	else if (self->rule)
		self->action = (self->action + (back ? RULE_ACTIONS - 1 : 1)) % RULE_ACTIONS;
	else if (back && self->n > 1)
		self->n--;
	else if (!back && self->n < GRANT_N_MAX)
		self->n++;
}

static const struct bound *
selected_bound(const struct view_bounds *self)
{
	return self->selected > 0 ? &self->list.bounds[self->selected - 1] : NULL;
}

static bool
can_type(const struct view_bounds *self)
{
	const struct bound *bound = selected_bound(self);

	return bound ? bound->kind != BOUND_NONE : !self->rule;
}

static void
open_field(struct view_bounds *self)
{
	const struct bound *bound = selected_bound(self);
	char n[32];

	snprintf(n, sizeof(n), "%lld", (long long)self->n);
	if (!bound)
		sheet_field_open(&self->sheet, "how many more calls: ", n, false);
	else if (bound->kind == BOUND_RANGE)
		sheet_field_open(&self->sheet, "from..to: ", bound->typed, false);
	else if (bound->kind == BOUND_ENUM)
		sheet_field_open(&self->sheet, "one of, as JSON: ", bound->typed, false);
	else
		sheet_field_open(&self->sheet, "the value, as JSON: ", bound->typed, false);
}

static int
take_n(struct view_bounds *self, const char *text, struct err *err)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(text, &end, 10);
	if (!*text || *end || errno || n < 1 || n > GRANT_N_MAX)
		return err_set(err, ERR_FORMAT, "a whole number from 1 to %d", GRANT_N_MAX);
	self->n = n;
	return 0;
}

static enum view_reply
run_field(struct view_bounds *self, enum command command, struct intent *out)
{
	const char *text = lineedit_text(self->sheet.field);
	struct err err = { 0 };
	int taken;

	if (command == COMMAND_BACK) {
		sheet_field_close(&self->sheet);
		return VIEW_DIRTY;
	}
	if (command != COMMAND_ACCEPT)
		return VIEW_DONE;
	taken = self->selected == 0 ? take_n(self, text, &err)
				    : bound_type(&self->list, self->selected - 1, text, &err);
	if (taken < 0) {
		AUTO_FREE char *words = text_escape(untrusted_str(err.text), TEXT_STRICT);

		sheet_say(&self->sheet, words);
		return VIEW_DIRTY;
	}
	sheet_field_close(&self->sheet);
	sheet_ask_anew(&self->sheet, out);
	return VIEW_DIRTY;
}

static enum view_reply
bounds_run(struct view *view, enum command command, struct intent *out)
{
	struct view_bounds *self = (struct view_bounds *)view;

	if (self->sheet.field)
		return run_field(self, command, out);
	if (command == COMMAND_BACK || command == COMMAND_DENY)
		return VIEW_CLOSE;
	if (!view->ops->offers(view, command))
		return VIEW_IGNORED;
	switch (command) {
	case COMMAND_UP:
	case COMMAND_DOWN:
		move(self, command == COMMAND_UP ? -1 : 1);
		break;
	case COMMAND_LEFT:
	case COMMAND_RIGHT:
		change(self, command == COMMAND_LEFT);
		break;
	case COMMAND_OPEN:
		open_field(self);
		return VIEW_DIRTY;
	default:
		return sheet_look(&self->sheet, command, out);
	}
	sheet_ask_anew(&self->sheet, out);
	return VIEW_DIRTY;
}

static bool
bounds_offers(const struct view *view, enum command command)
{
	const struct view_bounds *self = (const struct view_bounds *)view;
	bool takes = !self->sheet.sent && !self->sheet.read_only && !self->sheet.field;

	switch (command) {
	case COMMAND_APPROVE:
		return takes && !view->ops->guard->blocked(view);
	case COMMAND_OPEN:
		return takes && can_type(self);
	case COMMAND_UP:
	case COMMAND_DOWN:
	case COMMAND_LEFT:
	case COMMAND_RIGHT:
		return takes;
	case COMMAND_DENY:
	case COMMAND_BACK:
	case COMMAND_STRICT:
		return !self->sheet.field;
	default:
		return sheet_offers_look(&self->sheet, command);
	}
}

/* --- making --- */

static const struct view_ops view_ops = {
	.free = bounds_view_free,
	.title = bounds_title,
	.map = bounds_map,
	.run = bounds_run,
	.key = sheet_key,
	.typing = sheet_typing,
	.offers = bounds_offers,
	.paint = sheet_paint,
	.guard = &sheet_guard,
};

static struct view *
make(const struct session *session, const struct session_call *call, const struct arming *arming,
	bool rule)
{
	static const struct sheet_hint grant_hints[] = {
		{ COMMAND_PAGE_DOWN, "read on" },
		{ COMMAND_APPROVE, "yes, approve and grant" },
		{ COMMAND_DOWN, "next row" },
		{ COMMAND_RIGHT, "another bound" },
		{ COMMAND_OPEN, "type it" },
		{ COMMAND_DENY, "no grant" },
	};
	static const struct sheet_hint rule_hints[] = {
		{ COMMAND_PAGE_DOWN, "read on" },
		{ COMMAND_APPROVE, "yes, make the rule" },
		{ COMMAND_DOWN, "next row" },
		{ COMMAND_RIGHT, "change it" },
		{ COMMAND_OPEN, "type it" },
		{ COMMAND_DENY, "no rule" },
	};
	static const struct sheet_ops grant_ops = { .make = bounds_make,
		.stands = bounds_stand,
		.blocked = bounds_blocked,
		.yes = bounds_yes,
		.hints = grant_hints,
		.hint_count = ARRAY_SIZE(grant_hints) };
	static const struct sheet_ops rule_ops = { .make = bounds_make,
		.stands = bounds_stand,
		.blocked = bounds_blocked,
		.yes = bounds_yes,
		.hints = rule_hints,
		.hint_count = ARRAY_SIZE(rule_hints) };
	struct view_bounds *self = mem_zero(1, sizeof(*self));

	sheet_init(&self->sheet, &view_ops, rule ? &rule_ops : &grant_ops, arming);
	self->rule = rule;
	self->call = call->number;
	self->n = FIRST_N;
	if (!bound_list_make(&self->list, session, call, rule) && !rule)
		self->wrong = mem_str("the arguments of this call cannot be bound");
	return &self->sheet.view;
}

struct view *
view_grant_new(
	const struct session *session, const struct session_call *call, const struct arming *arming)
{
	return make(session, call, arming, false);
}

struct view *
view_rule_new(
	const struct session *session, const struct session_call *call, const struct arming *arming)
{
	return make(session, call, arming, true);
}
