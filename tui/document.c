/*
 * The rows of a call's page, in the order in which a person needs them: which run and tool, what to
 * beware of, who asks and why, what exactly, from where, what is left; last what the tool says of
 * itself.
 */
#include "config.h"

#include "tui/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "tui/document_page.h"

void
page_foreign(struct page *page, enum style style, const char *text)
{
	rows_prose(page->rows, style, untrusted_str(text), page->mode);
}

void
page_warning(struct page *page, const char *fmt, ...)
{
	char words[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(words, sizeof(words), fmt, args);
	va_end(args);
	rows_field(page->rows, "beware");
	rows_words(page->rows, STYLE_WARNING, "! ");
	rows_words(page->rows, STYLE_WARNING, words);
}

const char *
document_effect(const char *effect, const char *effect_from)
{
	static const struct {
		const char *effect, *marked, *unmarked;
	} words[] = {
		{ "read", "READS (marked)", "READS (unmarked)" },
		{ "send", "SENDS OUT (marked)", "SENDS OUT (unmarked)" },
		{ "mutate", "CHANGES DATA (marked)", "CHANGES DATA (unmarked)" },
		{ "destroy", "DESTROYS (marked)", "DESTROYS (unmarked)" },
	};
	bool marked = effect_from &&
		      (strcmp(effect_from, "mark") == 0 || strcmp(effect_from, "annotation") == 0);

	for (size_t i = 0; effect && i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i].effect, effect) == 0)
			return marked ? words[i].marked : words[i].unmarked;
	return "UNKNOWN EFFECT";
}

const char *
document_held(const char *why)
{
	static const char *const words[][2] = {
		{ "rule", "a rule asks" },
		{ "default", "no rule decides it" },
		{ "unknown", "a rule could not be evaluated exactly" },
		{ "repeat", "an equal call started before" },
		{ "denials", "calls were denied before in this run" },
		{ "health", "something is wrong with the session" },
		{ "changed", "the tool is new or changed" },
		{ "budget", "a limit was reached" },
		{ "away", "nobody was here when it came" },
	};

	for (size_t i = 0; why && i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i][0], why) == 0)
			return words[i][1];
	return "it is held";
}

/* --- which run, which tool --- */

static void
part_run(struct page *page)
{
	const struct session *session = page->session;

	rows_field(page->rows, "run");
	page_foreign(page, STYLE_TEXT, session->name);
	rows_words(page->rows, STYLE_DIM, " · ");
	if (session->task.bytes)
		rows_prose(page->rows, STYLE_VALUE, blob_text(&session->task), page->mode);
	else
		rows_words(page->rows, STYLE_DIM, "no task given");
	rows_field(page->rows, "tool");
	page_foreign(page, STYLE_VALUE, page->call->tool);
	if (!page->tool)
		return;
	rows_words(page->rows, STYLE_DIM, " · ");
	rows_words(page->rows, STYLE_TEXT,
		document_effect(page->tool->effect, page->tool->effect_from));
	if (page->tool->effect_from && strcmp(page->tool->effect_from, "annotation") == 0)
		rows_words(page->rows, STYLE_DIM, " by the tool's own word");
	if (!page->tool->server ||
		strncmp(page->call->tool, page->tool->server, strlen(page->tool->server)) == 0)
		return; /* the full name begins with it */
	rows_words(page->rows, STYLE_DIM, " · server ");
	page_foreign(page, STYLE_TEXT, page->tool->server);
}

/* --- what exactly --- */

static void
part_source(struct page *page, struct document *document)
{
	const struct text_counts *seen = &document->seen;
	struct untrusted args = blob_text(&page->call->args);

	if (args.len > DOCUMENT_BYTES_MAX)
		args.len = DOCUMENT_BYTES_MAX;
	rows_field(page->rows, "as sent");
	rows_source(page->rows, STYLE_VALUE, args, page->mode);
	rows_field(page->rows, "in it");
	rows_printf(page->rows, STYLE_DIM, "%zu bytes · %zu line%s · %zu escape%s · %zu non-ASCII",
		seen->bytes, seen->lines, seen->lines == 1 ? "" : "s", page->escapes,
		page->escapes == 1 ? "" : "s", page->non_ascii);
	if (page->call->args.len > DOCUMENT_BYTES_MAX)
		rows_printf(page->rows, STYLE_WARNING, "  ! %zu bytes are not shown here",
			page->call->args.len - args.len);
}

static void
part_compared(struct page *page)
{
	rows_field(page->rows, "compared");
	if (!page->last)
		rows_words(page->rows, STYLE_DIM, "no call of this tool was approved before");
	else if (json_there(page->before) && json_equal(page->before, page->args))
		rows_printf(page->rows, STYLE_WARNING, "! the same as call %llu, approved before",
			(unsigned long long)page->last->number);
	else
		rows_printf(page->rows, STYLE_DIM, "with call %llu, the last that was approved",
			(unsigned long long)page->last->number);
}

/* --- what is left --- */

static void
show_counter(struct page *page, const struct session_counter *counter)
{
	int64_t left = counter->limit - counter->used;

	rows_words(page->rows, STYLE_TEXT, " · ");
	page_foreign(page, STYLE_TEXT, counter->name);
	if (counter->limit < 0)
		rows_printf(page->rows, STYLE_TEXT, " %lld used", (long long)counter->used);
	else
		rows_printf(page->rows, left > 0 ? STYLE_TEXT : STYLE_WARNING, " %lld of %lld left",
			(long long)(left > 0 ? left : 0), (long long)counter->limit);
}

static void
part_budget(struct page *page)
{
	const struct session *session = page->session;
	const struct session_counter *calls = session_counter(session, "max_tool_calls");

	rows_field(page->rows, "budget");
	rows_printf(page->rows, STYLE_TEXT, "call %llu", (unsigned long long)page->call->number);
	if (calls && calls->limit >= 0)
		rows_printf(page->rows, STYLE_TEXT, " of at most %lld · %lld left",
			(long long)calls->limit,
			(long long)(calls->limit > calls->used ? calls->limit - calls->used : 0));
	for (size_t i = 0; i < session->counter_count; i++) {
		const struct session_counter *counter = &session->counters[i];
		bool refusals = strstr(counter->name, "refused") != NULL;

		if (counter != calls && (!refusals || counter->used > 0))
			show_counter(page, counter);
	}
}

static void
part_description(struct page *page, struct json_value definition)
{
	size_t len;
	const char *description = json_string(json_get(definition, "description"), &len);

	if (!description)
		return;
	rows_field(page->rows, "tool says");
	rows_prose(page->rows, STYLE_DIM, untrusted(description, len), page->mode);
}

/* --- the whole --- */

static struct json_value
input_schema(struct json_value definition)
{
	struct json_value schema = json_get(definition, "inputSchema");

	return json_there(schema) ? schema : json_get(definition, "input_schema");
}

static struct json *
read_blob(const struct blob *blob)
{
	return blob && blob->bytes ? json_read(blob->bytes, blob->len, NULL) : NULL;
}

static void
fill(struct page *page, struct document *document, struct json_value definition)
{
	part_run(page);
	page_warnings(page, document);
	page_rules(page);
	page_edited(page);
	page_fields(page);
	part_source(page, document);
	part_compared(page);
	page_place(page);
	part_budget(page);
	part_description(page, definition);
	rows_finish(page->rows);
}

/* The height of the source alone decides, before anything else is built. */
static bool
is_too_long(
	const struct session_call *call, unsigned cols, unsigned screen_rows, enum text_mode mode)
{
	struct rows *probe;
	bool too_long;

	if (call->args.len > DOCUMENT_BYTES_MAX)
		return true;
	probe = rows_new((int)cols);
	rows_field(probe, NULL);
	rows_source(probe, STYLE_VALUE, blob_text(&call->args), mode);
	too_long = rows_count(probe) > (size_t)DOCUMENT_SCREENS_MAX * screen_rows;
	rows_free(probe);
	return too_long;
}

void
document_make(struct document *document, const struct session *session,
	const struct session_call *call, unsigned cols, unsigned rows, enum text_mode mode)
{
	const struct session_tool *tool = session_tool(session, call->tool);
	const struct session_call *last = session_last_approved(session, call->tool, call->number);
	AUTO_JSON struct json *args = read_blob(&call->args);
	AUTO_JSON struct json *before = read_blob(last ? &last->args : NULL);
	AUTO_JSON struct json *definition = read_blob(tool ? &tool->definition : NULL);
	AUTO_FREE char *text = NULL;
	struct page page = { .rows = rows_new((int)cols),
		.mode = mode,
		.session = session,
		.call = call,
		.tool = tool,
		.last = last,
		.args = json_root(args),
		.before = json_root(before),
		.schema = input_schema(json_root(definition)) };

	memset(document, 0, sizeof(*document));
	document->rows = page.rows;
	document->total = call->args.len;
	document->missing = !args;
	document->too_long = is_too_long(call, cols, rows, mode);
	text_count(blob_text(&call->args), mode, &document->seen);
	fill(&page, document, json_root(definition));
	text = document_text(document);
	hash_hmac(call->more->args_salt, DIGEST_BYTES, text, strlen(text), &document->frame);
}

void
document_release(struct document *document)
{
	rows_free(document->rows);
	memset(document, 0, sizeof(*document));
}

char *
document_text(const struct document *document)
{
	struct buf text;

	buf_init(&text, BUF_UNBOUNDED);
	if (document->rows)
		rows_text(document->rows, &text);
	return buf_give(&text);
}
