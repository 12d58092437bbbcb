/*
 * A list over the detail of its selected row.  Both are read from the session at each painting, so
 * that what was used up or revoked meanwhile shows as that.
 */
#include "config.h"

#include "tui/view_grants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/listbox.h"
#include "tui/rows.h"
#include "tui/view.h"

#define STATE_WIDTH 12
#define KIND_WIDTH 9
#define TOOL_WIDTH 28
#define DETAIL_LEAST 4 /* rows: below that there is the list alone */

struct view_grants {
	struct view view;
	struct listbox list;
	const struct session *session; /* of the last painting */
};

static void
grants_free(struct view *view)
{
	free(view);
}

/* --- what there is: grants, then rules --- */

static size_t
count_of(const struct session *session)
{
	return session->grant_count + session->rule_count;
}

static const struct session_grant *
grant_at(const struct session *session, size_t i)
{
	return i < session->grant_count ? &session->grants[i] : NULL;
}

static const struct session_rule *
rule_at(const struct session *session, size_t i)
{
	size_t at = i - session->grant_count;

	return i >= session->grant_count && at < session->rule_count ? &session->rules[at] : NULL;
}

static bool
is_in_force(const struct session *session, const struct session_grant *grant)
{
	return !grant->revoked && grant->used < grant->n && session->state != RUN_ENDED;
}

static const char *
state_of(const struct session *session, size_t i)
{
	const struct session_grant *grant = grant_at(session, i);
	const struct session_rule *rule = rule_at(session, i);

	if (rule)
		return rule->from_now ? "in force" : "kept";
	if (!grant)
		return "";
	if (grant->used >= grant->n)
		return "used up";
	if (grant->revoked)
		return "void";
	return is_in_force(session, grant) ? "in force" : "ended";
}

/* --- painting --- */

static void
draw_foreign(struct canvas *canvas, struct rect rect, enum style style, struct untrusted text)
{
	struct canvas_run run = { rect.x, rect.y, rect.w, style, TEXT_STRICT };

	if (rect.w > 0)
		(void)canvas_foreign(canvas, &run, text);
}

static void
draw_grant(struct canvas *canvas, struct rect rect, const struct session_grant *grant)
{
	struct rect tool = rect_make(rect.x, rect.y, rect.w < TOOL_WIDTH ? rect.w : TOOL_WIDTH, 1);
	int x = tool.x + tool.w + 1;
	struct rect rest;

	draw_foreign(canvas, tool, STYLE_TEXT, untrusted_str(grant->tool));
	if (x >= rect.x + rect.w)
		return;
	x = canvas_printf(canvas, x, rect.y, STYLE_DIM, "line %d  ", grant->line);
	x = canvas_printf(canvas, x, rect.y, STYLE_VALUE, "%lld of %lld used  ",
		(long long)grant->used, (long long)grant->n);
	rest = rect_make(x, rect.y, rect.x + rect.w - x, 1);
	draw_foreign(canvas, rest, STYLE_DIM, blob_text(&grant->bounds));
}

static void
draw_row(struct canvas *canvas, struct rect rect, size_t i, bool selected, void *arg)
{
	const struct view_grants *self = arg;
	const struct session_grant *grant = grant_at(self->session, i);
	const struct session_rule *rule = rule_at(self->session, i);
	const char *state = state_of(self->session, i);
	bool holds = strcmp(state, "in force") == 0;
	int x = rect.x + 1;
	struct rect rest;

	(void)selected;
	canvas_text(canvas, x, rect.y, holds ? STYLE_APPROVED : STYLE_DIM, state);
	x += STATE_WIDTH;
	if (grant)
		canvas_printf(canvas, x, rect.y, STYLE_LABEL, "grant %llu",
			(unsigned long long)grant->number);
	else
		canvas_text(canvas, x, rect.y, STYLE_LABEL, "rule");
	x += KIND_WIDTH + 1;
	rest = rect_make(x, rect.y, rect.x + rect.w - x, 1);
	if (grant)
		draw_grant(canvas, rest, grant);
	else if (rule)
		draw_foreign(canvas, rest, STYLE_TEXT, blob_text(&rule->rule));
}

static void
tell_origin(struct rows *rows, uint64_t call, const char *who)
{
	rows_field(rows, "made by");
	rows_foreign(rows, STYLE_TEXT, untrusted_str(who), TEXT_STRICT);
	rows_printf(rows, STYLE_DIM, " from call %llu", (unsigned long long)call);
}

static void
tell_grant(struct rows *rows, const struct session_grant *grant)
{
	rows_field(rows, "grant");
	rows_printf(rows, STYLE_TEXT, "%llu, for ", (unsigned long long)grant->number);
	rows_foreign(rows, STYLE_VALUE, untrusted_str(grant->tool), TEXT_STRICT);
	rows_printf(rows, STYLE_TEXT, " from line %d of attempt %u", grant->line, grant->attempt);
	rows_field(rows, "used");
	rows_printf(rows, STYLE_TEXT, "%lld of %lld calls", (long long)grant->used,
		(long long)grant->n);
	rows_field(rows, "within");
	rows_foreign(rows, STYLE_TEXT, blob_text(&grant->bounds), TEXT_STRICT);
	tell_origin(rows, grant->from_call, grant->who);
}

static void
tell_rule(struct rows *rows, const struct session_rule *rule)
{
	rows_field(rows, "rule");
	rows_foreign(rows, STYLE_TEXT, blob_text(&rule->rule), TEXT_STRICT);
	rows_field(rows, "counts");
	rows_words(rows, STYLE_TEXT,
		rule->from_now ? "from the moment it was made, for this run"
			       : "not in this run: it is printed at the end, for approval.rules");
	tell_origin(rows, rule->from_call, rule->who);
}

static void
draw_detail(const struct view_grants *self, struct canvas *canvas, struct rect rect)
{
	const struct session_grant *grant = grant_at(self->session, self->list.selected);
	const struct session_rule *rule = rule_at(self->session, self->list.selected);
	struct rows *rows = rows_new(rect.w);

	if (grant)
		tell_grant(rows, grant);
	else if (rule)
		tell_rule(rows, rule);
	rows_finish(rows);
	(void)rows_draw(rows, canvas, rect, 0);
	rows_free(rows);
}

static void
grants_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_grants *self = (struct view_grants *)view;
	struct rect list = rect, detail = rect;

	self->session = scene->session;
	listbox_set_count(&self->list, count_of(scene->session));
	if (self->list.count == 0) {
		canvas_text(canvas, rect.x + 1, rect.y, STYLE_DIM,
			"none in this run: g and R make them while a call waits");
		return;
	}
	list.h = rect.h / 2 < DETAIL_LEAST ? rect.h : rect.h / 2;
	if ((int)self->list.count < list.h && list.h < rect.h)
		list.h = (int)self->list.count;
	listbox_draw(&self->list, canvas, list, draw_row, self);
	detail.y += list.h + 1;
	detail.h -= list.h + 1;
	if (detail.h < 1)
		return;
	canvas_hline(canvas, rect.x, detail.y - 1, rect.w, STYLE_BORDER);
	draw_detail(self, canvas, detail);
}

static void
grants_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	(void)view;
	snprintf(out, size, "grants and rules of this run · %zu grant%s, %zu rule%s",
		scene->session->grant_count, scene->session->grant_count == 1 ? "" : "s",
		scene->session->rule_count, scene->session->rule_count == 1 ? "" : "s");
}

/* --- keys --- */

static enum map
grants_map(const struct view *view)
{
	(void)view;
	return MAP_GRANTS;
}

static const struct session_grant *
revocable(const struct view_grants *self)
{
	const struct session_grant *grant =
		self->session ? grant_at(self->session, self->list.selected) : NULL;

	return grant && is_in_force(self->session, grant) ? grant : NULL;
}

static enum view_reply
grants_run(struct view *view, enum command command, struct intent *out)
{
	struct view_grants *self = (struct view_grants *)view;
	const struct session_grant *grant = revocable(self);

	if (command == COMMAND_BACK || command == COMMAND_GRANTS)
		return VIEW_CLOSE;
	if (command == COMMAND_REVOKE) {
		if (grant)
			*out = (struct intent){ .kind = INTENT_REVOKE, .call = grant->number };
		return VIEW_DIRTY;
	}
	return listbox_command(&self->list, command) ? VIEW_DIRTY : VIEW_IGNORED;
}

static bool
grants_offers(const struct view *view, enum command command)
{
	const struct view_grants *self = (const struct view_grants *)view;

	if (command == COMMAND_BACK)
		return true;
	if (command == COMMAND_REVOKE)
		return revocable(self) != NULL;
	return listbox_offers(&self->list, command);
}

struct view *
view_grants_new(void)
{
	static const struct view_ops ops = {
		.free = grants_free,
		.title = grants_title,
		.map = grants_map,
		.run = grants_run,
		.offers = grants_offers,
		.paint = grants_paint,
	};
	struct view_grants *self = mem_zero(1, sizeof(*self));

	self->view.ops = &ops;
	listbox_init(&self->list);
	self->list.following = false;
	return &self->view;
}
