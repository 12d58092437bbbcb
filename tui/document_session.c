/*
 * Everything around the program: what is left of each budget, what holds the program layer by
 * layer, which limits count, what the tools do and where they run, and what went wrong.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "tui/document.h"
#include "tui/document_page.h"

#define METER_CELLS 20

static void
words(struct page *page, const char *label, const char *text)
{
	if (!text || !text[0])
		return;
	rows_field(page->rows, label);
	page_foreign(page, STYLE_VALUE, text);
}

static void
foreign_label(struct page *page, const char *name)
{
	rows_field_foreign(page->rows, untrusted_str(name), page->mode, 0);
}

/* --- session --- */

/* What leaves the machine, and where to. */
static void
part_model(struct page *page, const struct session *session)
{
	const struct session_turn *turn = session_turn(session);

	if (!turn || !turn->host)
		return;
	words(page, "sent to", turn->host);
	rows_words(page->rows, STYLE_DIM,
		" · the task, what the tools are, and of failed programs the error, the output "
		"and the calls");
}

static void
part_session(struct page *page)
{
	const struct session *session = page->session;

	rows_divide(page->rows, "session");
	words(page, "name", session->name);
	words(page, "id", session->id);
	if (session->task.bytes) {
		rows_field(page->rows, "task");
		rows_prose(page->rows, STYLE_VALUE, blob_text(&session->task), page->mode);
	}
	words(page, "model", session->model);
	if (session->scripted)
		rows_words(page->rows, STYLE_WARNING, " · a script plays the model");
	part_model(page, session);
	words(page, "host", session->host);
	words(page, "user", session->user);
	rows_field(page->rows, "state");
	rows_words(page->rows, STYLE_VALUE, run_state_name(session->state));
	rows_printf(page->rows, STYLE_DIM, " · attempt %u · %zu call%s, %zu waiting, %llu denied",
		session->attempt ? session->attempt : 1, session->call_count,
		session->call_count == 1 ? "" : "s", session->waiting,
		(unsigned long long)session->denied);
}

/* --- alerts --- */

static void
part_alerts(struct page *page)
{
	const struct session *session = page->session;

	if (session->alert_count == 0)
		return;
	rows_divide(page->rows, "alerts");
	for (size_t i = 0; i < session->alert_count; i++) {
		int64_t seconds = session->alerts[i].mono / NS_PER_S;
		char at[32];

		snprintf(at, sizeof(at), "%lld:%02lld", (long long)(seconds / 60),
			(long long)(seconds % 60));
		rows_field(page->rows, at);
		rows_words(page->rows, STYLE_WARNING, "! ");
		page_foreign(page, STYLE_WARNING, session->alerts[i].text);
	}
}

/* --- budget --- */

/* As bar_meter() fills: something is never nothing, and full is only what is used up. */
static int
filled_of(const struct session_counter *counter)
{
	int filled;

	if (counter->used <= 0)
		return 0;
	if (counter->used >= counter->limit)
		return METER_CELLS;
	filled = (int)((double)counter->used / (double)counter->limit * METER_CELLS);
	return filled < 1 ? 1 : filled >= METER_CELLS ? METER_CELLS - 1 : filled;
}

static void
show_counter(struct page *page, const struct session_counter *counter)
{
	int filled = filled_of(counter);

	rows_field(page->rows, NULL);
	for (int i = 0; i < METER_CELLS && counter->limit >= 0; i++)
		rows_words(page->rows, i < filled ? STYLE_METER_ON : STYLE_METER_OFF,
			i < filled ? "▰" : "▱");
	if (counter->limit < 0)
		rows_printf(page->rows, STYLE_DIM, "%-*s", METER_CELLS, "no limit");
	rows_words(page->rows, STYLE_TEXT, " ");
	page_foreign(page, STYLE_LABEL, counter->name);
	rows_printf(page->rows, STYLE_VALUE, " %lld", (long long)counter->used);
	if (counter->limit >= 0)
		rows_printf(page->rows, STYLE_VALUE, " of %lld", (long long)counter->limit);
	if (counter->limit >= 0 && counter->used >= counter->limit)
		rows_words(page->rows, STYLE_WARNING, " · used up");
	else if (counter->limit >= 0)
		rows_printf(page->rows, STYLE_DIM, " · %lld left",
			(long long)(counter->limit - counter->used));
}

static void
part_budget(struct page *page)
{
	const struct session *session = page->session;

	rows_divide(page->rows, "budget");
	for (size_t i = 0; i < session->counter_count; i++)
		show_counter(page, &session->counters[i]);
	if (session->counter_count == 0) {
		rows_field(page->rows, NULL);
		rows_words(page->rows, STYLE_DIM, "nothing is counted yet");
	}
}

/* --- sandbox --- */

static void
part_sandbox(struct page *page)
{
	const struct session *session = page->session;
	size_t proved = 0;

	for (size_t i = 0; i < session->layer_count; i++)
		proved += session->layers[i].proved;
	rows_divide(page->rows, "sandbox");
	words(page, "backend", session->backend);
	rows_field(page->rows, "badge");
	if (session->layer_count == 0)
		rows_words(page->rows, STYLE_DIM, "not started");
	else
		rows_printf(page->rows,
			proved == session->layer_count ? STYLE_VALUE : STYLE_WARNING,
			"%zu of %zu layers proved before the program began", proved,
			session->layer_count);
	for (size_t i = 0; i < session->layer_count; i++) {
		const struct session_layer *layer = &session->layers[i];

		foreign_label(page, layer->name);
		if (layer->proved)
			rows_words(page->rows, STYLE_APPROVED, "+ proved");
		else
			rows_words(page->rows, STYLE_WARNING, "! ABSENT");
		rows_words(page->rows, STYLE_DIM, layer->kind ? " · " : "");
		page_foreign(page, STYLE_TEXT, layer->kind);
		rows_words(page->rows, STYLE_DIM, layer->detail && layer->detail[0] ? " · " : "");
		page_foreign(page, STYLE_DIM, layer->detail);
	}
}

static void
part_limits(struct page *page)
{
	const struct session *session = page->session;

	if (session->limit_count > 0)
		rows_divide(page->rows, "limits");
	for (size_t i = 0; i < session->limit_count; i++) {
		rows_field(page->rows, NULL);
		if (session->limits[i].value < 0)
			rows_printf(page->rows, STYLE_DIM, "%12s ", "none");
		else
			rows_printf(page->rows, STYLE_VALUE, "%12lld ",
				(long long)session->limits[i].value);
		page_foreign(page, STYLE_LABEL, session->limits[i].name);
	}
	if (session->loosened_count > 0)
		rows_divide(page->rows, "loosened by the command line or -c");
	for (size_t i = 0; i < session->loosened_count; i++) {
		rows_field(page->rows, NULL);
		rows_words(page->rows, STYLE_WARNING, "! ");
		page_foreign(page, STYLE_TEXT, session->loosened[i]);
	}
}

/* --- tools --- */

static void
show_tool(struct page *page, const struct session_tool *tool)
{
	rows_field_foreign(
		page->rows, untrusted_str(tool->name ? tool->name : tool->full), page->mode, 2);
	rows_words(page->rows, STYLE_TEXT, document_effect(tool->effect, tool->effect_from));
}

static void
part_server(struct page *page, const struct session_server *server)
{
	const struct session *session = page->session;

	foreign_label(page, server->name);
	page_foreign(page, STYLE_VALUE, server->state);
	if (server->isolated)
		rows_words(page->rows, STYLE_DIM, " · in namespaces of its own");
	else
		rows_words(page->rows, STYLE_WARNING,
			" · ! NOT ISOLATED: it can reach the console, the record and the terminal");
	for (size_t i = 0; i < session->tool_count; i++)
		if (session->tools[i].server && strcmp(session->tools[i].server, server->name) == 0)
			show_tool(page, &session->tools[i]);
}

struct rows *
document_session(const struct session *session, int cols, enum text_mode mode)
{
	struct page page = { .rows = rows_new(cols), .mode = mode, .session = session };

	part_session(&page);
	part_alerts(&page);
	part_budget(&page);
	part_sandbox(&page);
	part_limits(&page);
	rows_divide(page.rows, "tools");
	for (size_t i = 0; i < session->server_count; i++)
		part_server(&page, &session->servers[i]);
	if (session->server_count == 0) {
		rows_field(page.rows, NULL);
		rows_words(page.rows, STYLE_DIM, "none are announced yet");
	}
	rows_finish(page.rows);
	return page.rows;
}
