/* Documents to read, not to decide on: the rules of a call, and everything known of a past one. */
#include "config.h"

#include <string.h>

#include "core/base/clock.h"
#include "tui/document.h"
#include "tui/document_page.h"

struct rows *
document_explain(const struct session_call *call, int cols, enum text_mode mode)
{
	struct page page = { .rows = rows_new(cols), .mode = mode, .call = call };

	page_rules(&page, true);
	if (call->more->tried_count == 0) {
		rows_field(page.rows, NULL);
		rows_words(page.rows, STYLE_DIM, "no rule names this tool");
	}
	rows_field(page.rows, NULL);
	rows_field(page.rows, "how");
	rows_words(page.rows, STYLE_DIM,
		"All rules that match a call count and the strictest wins: deny, then ask, then "
		"allow. What no rule decides is allowed when it only reads, and asked otherwise. "
		"A rule that cannot be evaluated exactly denies or asks, and never allows.");
	rows_finish(page.rows);
	return page.rows;
}

static void
field(struct page *page, const char *label, const char *text)
{
	if (!text || !text[0])
		return;
	rows_field(page->rows, label);
	page_foreign(page, STYLE_VALUE, text);
}

static void
field_blob(struct page *page, const char *label, const struct blob *blob)
{
	if (blob->missing) {
		rows_field(page->rows, label);
		rows_words(page->rows, STYLE_WARNING, "! not in the record");
	} else if (blob->bytes) {
		rows_field(page->rows, label);
		rows_foreign(page->rows, STYLE_VALUE, page_blob(blob), page->mode);
	}
}

static void
show_decision(struct page *page)
{
	const struct session_call *call = page->call;

	if (!call->verdict)
		return;
	rows_field(page->rows, "decided");
	page_foreign(page, STYLE_TEXT, call->verdict);
	rows_words(page->rows, STYLE_DIM, " by ");
	page_foreign(page, STYLE_TEXT, call->by);
	if (call->who) {
		rows_words(page->rows, STYLE_DIM, " · ");
		page_foreign(page, STYLE_DIM, call->who);
	}
	if (call->more->via) {
		rows_words(page->rows, STYLE_DIM, " via ");
		page_foreign(page, STYLE_DIM, call->more->via);
	}
	if (call->held_mono > 0)
		rows_printf(page->rows, STYLE_DIM, " · held %.1f s",
			(double)(call->decided_mono - call->held_mono) / (double)NS_PER_S);
}

static void
show_end(struct page *page)
{
	const struct session_call *call = page->call;

	if (!call->outcome)
		return;
	rows_field(page->rows, "ended");
	page_foreign(page, STYLE_TEXT, call->outcome);
	rows_printf(page->rows, STYLE_DIM, " after %lld ms", (long long)call->ms);
}

struct rows *
document_detail(const struct session *session, const struct session_call *call, int cols,
	enum text_mode mode)
{
	struct page page = { .rows = rows_new(cols),
		.mode = mode,
		.session = session,
		.call = call,
		.tool = session_tool(session, call->tool) };

	field(&page, "tool", call->tool);
	if (page.tool) {
		rows_field(page.rows, "effect");
		rows_words(page.rows, STYLE_TEXT,
			document_effect(page.tool->effect, page.tool->effect_from));
	}
	field_blob(&page, "arguments", &call->args);
	field_blob(&page, "as asked", &call->more->asked);
	if (call->held_mono > 0 || call->rule)
		page_rules(&page, true);
	show_decision(&page);
	field_blob(&page, "reason", &call->more->reason);
	field_blob(&page, "comment", &call->more->comment);
	show_end(&page);
	field_blob(&page, "result", &call->result);
	page_place(&page);
	rows_finish(page.rows);
	return page.rows;
}
