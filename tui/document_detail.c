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

	page_every_rule(&page);
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
		rows_foreign(page->rows, STYLE_VALUE, blob_text(blob), page->mode);
	}
}

/* "0:07.250": since the session began. */
static void
time_field(struct page *page, const char *label, int64_t mono)
{
	long long ms = (long long)(mono / NS_PER_MS);

	if (mono <= 0)
		return;
	rows_field(page->rows, label);
	rows_printf(
		page->rows, STYLE_DIM, "%lld:%02lld.%03lld", ms / 60000, ms / 1000 % 60, ms % 1000);
}

static void
show_times(struct page *page)
{
	const struct session_call *call = page->call;

	time_field(page, "asked at", call->requested_mono);
	time_field(page, "held at", call->held_mono);
	time_field(page, "decided at", call->decided_mono);
	time_field(page, "started at", call->started_mono);
	time_field(page, "ended at", call->ended_mono);
}

static void
words_after(struct page *page, const char *before, const char *text)
{
	if (!text || !text[0])
		return;
	rows_words(page->rows, STYLE_DIM, before);
	page_foreign(page, STYLE_TEXT, text);
}

static void
show_decision(struct page *page)
{
	const struct session_call *call = page->call;

	if (!call->verdict)
		return;
	rows_field(page->rows, "decided");
	page_foreign(page, STYLE_TEXT, call->verdict);
	words_after(page, " by ", call->by);
	words_after(page, " · ", call->who);
	words_after(page, " via ", call->more->via);
	if (call->grant > 0)
		rows_printf(
			page->rows, STYLE_TEXT, " · grant %llu", (unsigned long long)call->grant);
	if (call->result_of > 0)
		rows_printf(page->rows, STYLE_TEXT, " · as call %llu",
			(unsigned long long)call->result_of);
	if (call->stop)
		rows_words(page->rows, STYLE_DENIED, " · and the run was stopped");
	if (call->held_mono > 0)
		rows_printf(page->rows, STYLE_DIM, " · held %.1f s",
			(double)(call->decided_mono - call->held_mono) / (double)NS_PER_S);
}

/* What the person had before them. */
static void
show_presentation(struct page *page)
{
	const struct session_call *call = page->call;
	const struct session_shown *shown = &call->more->shown;

	if (!shown->console)
		return;
	rows_field(page->rows, "presented");
	rows_printf(page->rows, STYLE_TEXT, "%u time%s", call->presentations,
		call->presentations == 1 ? "" : "s");
	rows_printf(page->rows, STYLE_DIM, " · last %d x %d in %s mode on console ", shown->cols,
		shown->rows, shown->strict ? "strict" : "text");
	page_foreign(page, STYLE_DIM, shown->console);
	if (call->more->dwell_ms < 0 && call->more->covered < 0)
		return;
	rows_field(page->rows, "seen");
	if (call->more->dwell_ms >= 0)
		rows_printf(page->rows, STYLE_TEXT, "for %.1f s",
			(double)call->more->dwell_ms / 1000.0);
	if (call->more->covered >= 0 && call->more->total >= 0)
		rows_printf(page->rows,
			call->more->covered < call->more->total ? STYLE_WARNING : STYLE_TEXT,
			" · %lld of %lld bytes of the arguments", (long long)call->more->covered,
			(long long)call->more->total);
}

static void
show_held(struct page *page)
{
	const struct session_call *call = page->call;

	if (!call->held_why)
		return;
	rows_field(page->rows, "held");
	rows_words(page->rows, STYLE_TEXT, document_held(call->held_why));
	if (call->repeat_of > 0)
		rows_printf(page->rows, STYLE_TEXT, " · call %llu",
			(unsigned long long)call->repeat_of);
	if (call->confirm_code)
		rows_words(page->rows, STYLE_DIM, " · a code confirms it");
	if (call->person_only)
		rows_words(page->rows, STYLE_DIM, " · for a person only");
	if (call->extended_ms > 0)
		rows_printf(page->rows, STYLE_DIM, " · given %lld more seconds",
			(long long)(call->extended_ms / 1000));
}

static void
show_edit(struct page *page)
{
	const struct session_call *call = page->call;

	if (!call->more->edited_who)
		return;
	rows_field(page->rows, "edited");
	rows_words(page->rows, STYLE_WARNING,
		call->edit > 0 ? "what is sent is not what was asked" : "and taken back");
	words_after(page, " · by ", call->more->edited_who);
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
	field(&page, "origin",
		call->origin && strcmp(call->origin, "program") != 0 ? call->origin : NULL);
	field_blob(&page, call->more->asked.bytes ? "sent" : "arguments", &call->args);
	field_blob(&page, "asked", &call->more->asked);
	show_edit(&page);
	if (call->held_mono > 0 || call->rule)
		page_every_rule(&page);
	show_held(&page);
	show_presentation(&page);
	show_decision(&page);
	field_blob(&page, "reason", &call->more->reason);
	field_blob(&page, "comment", &call->more->comment);
	show_end(&page);
	field_blob(&page, "result", &call->result);
	show_times(&page);
	page_place(&page);
	rows_finish(page.rows);
	return page.rows;
}
