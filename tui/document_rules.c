/*
 * Who asks, and why.  On the page of a call a reason that only repeats what a rule that came near
 * says for itself is left out; the explanation lists every rule, the strictest first.
 */
#include "config.h"

#include <string.h>

#include "core/base/mem.h"
#include "tui/document.h"
#include "tui/document_page.h"

static const struct {
	const char *action, *does, *would;
	enum style style;
} actions[] = {
	{ "deny", "denies", "would deny", STYLE_DENIED },
	{ "ask", "asks", "would ask", STYLE_TEXT },
	{ "allow", "allows", "would allow", STYLE_APPROVED },
};

static void
show_at(struct page *page, const char *at)
{
	if (!at || !at[0])
		return;
	rows_words(page->rows, STYLE_DIM, "  ");
	page_foreign(page, STYLE_DIM, at);
}

static void
show_quoted(struct page *page, const char *name)
{
	rows_words(page->rows, STYLE_DIM, "\"");
	page_foreign(page, STYLE_VALUE, name);
	rows_words(page->rows, STYLE_DIM, "\"");
}

static bool
is_action(const struct session_tried *tried, size_t i)
{
	return tried->action && strcmp(tried->action, actions[i].action) == 0;
}

static void
show_verb(struct page *page, const struct session_tried *tried)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (is_action(tried, i)) {
			rows_words(page->rows, actions[i].style,
				tried->matched ? actions[i].does : actions[i].would);
			return;
		}
	page_foreign(page, STYLE_TEXT, tried->action);
}

static void
show_tried(struct page *page, const struct session_tried *tried)
{
	rows_field(page->rows, tried->matched ? "matches" : "came near");
	show_quoted(page, tried->rule);
	rows_words(page->rows, STYLE_TEXT, " ");
	show_verb(page, tried);
	if (tried->why && tried->why[0]) {
		rows_words(page->rows, STYLE_DIM, tried->matched ? ": " : ", but ");
		page_foreign(page, STYLE_VALUE, tried->why);
	}
	show_at(page, tried->at);
}

/* The reason of a default is made of what the rules that came near say. */
static bool
repeats_what_came_near(const struct session_call *call, const char *reason)
{
	for (size_t i = 0; i < call->more->tried_count; i++) {
		const struct session_tried *tried = &call->more->tried[i];

		if (!tried->matched && tried->why && tried->why[0] && strstr(reason, tried->why))
			return true;
	}
	return false;
}

static bool
is_held_for(const struct session_call *call, const char *why)
{
	return call->held_why && strcmp(call->held_why, why) == 0;
}

/* What holds a call whatever the rules say of it. */
static bool
is_held_anyway(const struct session_call *call)
{
	return !is_held_for(call, "rule") && !is_held_for(call, "default") &&
	       !is_held_for(call, "unknown");
}

static void
show_rule(struct page *page)
{
	const struct session_call *call = page->call;
	bool allowed = call->action && strcmp(call->action, "allow") == 0;

	if (!call->rule || !call->rule[0])
		return;
	rows_words(page->rows, STYLE_TEXT,
		!is_held_anyway(call) ? ": "
		: allowed             ? "; else allowed by "
				      : "; asked by a rule too, ");
	show_quoted(page, call->rule);
}

static void
show_asker(struct page *page)
{
	const struct session_call *call = page->call;
	const char *reason = call->more->ruled_reason;
	bool allowed = call->action && strcmp(call->action, "allow") == 0;
	bool given = reason && reason[0] && !repeats_what_came_near(call, reason);
	bool named = call->rule && call->rule[0];

	rows_field(page->rows, "asked by");
	if (call->edit > 0 && allowed && !is_held_anyway(call))
		rows_words(page->rows, STYLE_TEXT,
			"a person edited it: rules would allow what it is now");
	else if (!is_held_for(call, "default") || !given)
		rows_words(page->rows, STYLE_TEXT, document_held(call->held_why));
	show_rule(page);
	if (given) {
		rows_words(
			page->rows, STYLE_TEXT, is_held_for(call, "default") && !named ? "" : ": ");
		page_foreign(page, STYLE_VALUE, reason);
	}
	show_at(page, call->more->at);
}

void
page_rules(struct page *page)
{
	const struct session_call *call = page->call;

	show_asker(page);
	for (size_t i = 0; i < call->more->tried_count; i++)
		if (!call->more->tried[i].matched)
			show_tried(page, &call->more->tried[i]);
}

static void
list_rules(struct page *page, size_t action, bool matched)
{
	const struct session_call_more *more = page->call->more;

	for (size_t i = 0; i < more->tried_count; i++)
		if (is_action(&more->tried[i], action) && more->tried[i].matched == matched)
			show_tried(page, &more->tried[i]);
}

void
page_every_rule(struct page *page)
{
	show_asker(page);
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		list_rules(page, i, true);
		list_rules(page, i, false);
	}
	if (page->call->more->tried_count > 0)
		return;
	rows_field(page->rows, NULL);
	rows_words(page->rows, STYLE_DIM, "no rule names this tool");
}
