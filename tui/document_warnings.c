/*
 * What a person must know before anything else: that the call is a repeat, over a limit, of a tool
 * that is new, or that something hides in it; then which other calls wait.
 */
#include "config.h"

#include <string.h>

#include "core/base/clock.h"
#include "tui/document.h"
#include "tui/document_page.h"

#define RESULT_MAX 300 /* bytes of an earlier result that are shown */
#define ALSO_MAX 5

static bool
is_held_for(const struct session_call *call, const char *why)
{
	return call->held_why && strcmp(call->held_why, why) == 0;
}

/* A call of this tool with equal arguments that started before. */
static const struct session_call *
earlier_equal(const struct page *page)
{
	const struct session_call *call = page->call;

	for (size_t i = call->number - 1; i-- > 0;) {
		const struct session_call *before = &page->session->calls[i];

		if (before->started_mono > 0 && strcmp(before->tool, call->tool) == 0 &&
			before->args.bytes && before->args.len == call->args.len &&
			memcmp(before->args.bytes, call->args.bytes, call->args.len) == 0)
			return before;
	}
	return NULL;
}

/* --- a repeat --- */

static void
show_result(struct page *page, const struct session_call *before)
{
	struct untrusted result = blob_text(&before->result);
	bool cut = result.len > RESULT_MAX;

	rows_field(page->rows, "its result");
	if (before->state != CALL_ENDED) {
		rows_words(page->rows, STYLE_WARNING, "! it has not ended: nothing is known yet");
		return;
	}
	if (before->outcome)
		page_foreign(page, STYLE_TEXT, before->outcome);
	rows_printf(page->rows, STYLE_DIM, " after %lld ms", (long long)before->ms);
	if (!before->result.bytes)
		return;
	result.len = cut ? RESULT_MAX : result.len;
	rows_words(page->rows, STYLE_DIM, ": ");
	rows_prose(page->rows, STYLE_VALUE, result, page->mode);
	if (cut)
		rows_printf(page->rows, STYLE_DIM, " (%zu bytes more)",
			before->result.len - RESULT_MAX);
}

static void
warn_repeat(struct page *page)
{
	const struct session_call *call = page->call;
	const struct session_call *before =
		call->repeat_of ? session_call(page->session, call->repeat_of) : NULL;
	int64_t ago;

	if (!before) {
		page_warning(page, "an equal call started before");
		return;
	}
	if (call->edit > 0) {
		page_warning(page, "as it was asked it repeats call %llu, which started before",
			(unsigned long long)before->number);
		return;
	}
	ago = (call->requested_mono - before->started_mono) / NS_PER_S;
	page_warning(page,
		"REPEAT: an equal call, number %llu of attempt %u, started %lld:%02lld before this "
		"one%s",
		(unsigned long long)before->number, before->attempt, (long long)(ago / 60),
		(long long)(ago % 60), before->grant ? ", by a grant" : "");
	show_result(page, before);
	rows_field(page->rows, NULL);
	rows_words(page->rows, STYLE_TEXT,
		before->state == CALL_ENDED
			? "the program can be given that result, or it runs again, or it is denied"
			: "it can run again, or be denied");
}

/* --- a limit --- */

static bool
concerns(const struct session_counter *counter, const struct session_call *call,
	const struct session_tool *tool)
{
	size_t len = strcspn(counter->name, ".");
	const char *dot = strrchr(counter->name, '.');
	size_t name_len = dot ? (size_t)(dot - counter->name) : len;

	if (!dot)
		return true; /* of the run, not of a tool */
	if (strncmp(call->tool, counter->name, name_len) == 0 && !call->tool[name_len])
		return true;
	return tool && tool->name && strncmp(tool->name, counter->name, name_len) == 0 &&
	       !tool->name[name_len];
}

/* What was used up before is not when the limit was raised since and this call has taken the rest.
 */
static bool
is_used_up(const struct session *session, const struct session_counter *counter,
	const struct session_call *call)
{
	bool raised = session->raised_mono > call->requested_mono;

	if (counter->limit < 0)
		return false;
	return raised ? counter->used > counter->limit : counter->used >= counter->limit;
}

const struct session_counter *
document_over(const struct session *session, const struct session_call *call)
{
	const struct session_tool *tool = session_tool(session, call->tool);

	if (!is_held_for(call, "budget") || call->state != CALL_HELD)
		return NULL;
	for (size_t i = 0; i < session->counter_count; i++) {
		const struct session_counter *counter = &session->counters[i];

		if (is_used_up(session, counter, call) && !strstr(counter->name, "refused") &&
			concerns(counter, call, tool))
			return counter;
	}
	return NULL;
}

static void
warn_budget(struct page *page)
{
	const struct session_counter *over = document_over(page->session, page->call);

	if (!over) {
		page_warning(page, "it met a limit, which was raised since");
		return;
	}
	page_warning(page, "OVER A LIMIT: it cannot be approved before this is raised:");
	rows_words(page->rows, STYLE_WARNING, " ");
	page_foreign(page, STYLE_WARNING, over->name);
	rows_printf(page->rows, STYLE_WARNING, " is %lld, all of it used", (long long)over->limit);
}

/* --- all --- */

static void
warn_held(struct page *page)
{
	const struct session_call *call = page->call;

	if (is_held_for(call, "repeat"))
		warn_repeat(page);
	if (is_held_for(call, "budget"))
		warn_budget(page);
	if (is_held_for(call, "changed"))
		page_warning(page, "this tool is new, or another one than it was");
	if (is_held_for(call, "health"))
		page_warning(page, "something is wrong with the session: see its alerts");
	if (page->session->away)
		page_warning(page, "away: every clock stands, every new call is held");
}

static void
warn_equal(struct page *page, const struct document *document)
{
	bool reads = page->tool && page->tool->effect && strcmp(page->tool->effect, "read") == 0;
	const struct session_call *equal;

	if (document->missing || reads || is_held_for(page->call, "repeat"))
		return;
	equal = earlier_equal(page);
	if (equal)
		page_warning(page, "an equal call started before: call %llu",
			(unsigned long long)equal->number);
}

static void
show_also(struct page *page)
{
	const struct session *session = page->session;
	size_t shown = 0;

	for (size_t i = 0; i < session->call_count && shown < ALSO_MAX; i++) {
		const struct session_call *call = &session->calls[i];

		if (call->state != CALL_HELD || call == page->call)
			continue;
		if (shown++ == 0)
			rows_field(page->rows, "also waits");
		else
			rows_words(page->rows, STYLE_DIM, " · ");
		rows_printf(page->rows, STYLE_TEXT, "call %llu ", (unsigned long long)call->number);
		page_foreign(page, STYLE_VALUE, call->tool);
	}
	if (session->waiting > shown + 1)
		rows_printf(page->rows, STYLE_TEXT, " · %zu more", session->waiting - shown - 1);
}

void
page_warnings(struct page *page, const struct document *document)
{
	warn_held(page);
	if (document->missing)
		page_warning(page, "the arguments are not here: this call can only be denied");
	if (document->too_long)
		page_warning(
			page, "too long to be approved: this call can only be denied, or edited");
	if (!page->tool)
		page_warning(page, "this tool is not known");
	else if (!page->tool->isolated)
		page_warning(page, "this tool's process is not isolated from this console");
	warn_equal(page, document);
	page_argument_warnings(page);
	show_also(page);
}
