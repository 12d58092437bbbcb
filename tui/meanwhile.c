/*
 * Everything is read off the fold by its times, so that a page that stands tells the same when more
 * has happened since.  Lists are cut: what is left out is counted, and the calls pane has it.
 */
#include "config.h"

#include "tui/meanwhile.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/rows.h"
#include "tui/view.h"
#include "tui/view_page.h"

#define NAMED_MAX 8

struct told {
	const struct session *session;
	const struct meanwhile *meanwhile;
	struct rows *rows;
	enum text_mode mode;
};

static bool
within(const struct meanwhile *meanwhile, int64_t mono)
{
	return mono > meanwhile->from && mono <= meanwhile->until;
}

static bool
is(const char *text, const char *word)
{
	return text && strcmp(text, word) == 0;
}

/* --- which calls --- */

static bool
started(const struct session_call *call, const struct meanwhile *meanwhile)
{
	return within(meanwhile, call->started_mono);
}

static bool
approved(const struct session_call *call, const struct meanwhile *meanwhile)
{
	return within(meanwhile, call->decided_mono) && !is(call->verdict, "deny") &&
	       call->held_mono > 0;
}

static bool
denied(const struct session_call *call, const struct meanwhile *meanwhile)
{
	return within(meanwhile, call->decided_mono) && is(call->verdict, "deny");
}

static bool
timed_out(const struct session_call *call, const struct meanwhile *meanwhile)
{
	return denied(call, meanwhile) && is(call->by, "timeout");
}

static bool
held(const struct session_call *call, const struct meanwhile *meanwhile)
{
	(void)meanwhile;
	return call->state == CALL_HELD;
}

typedef bool (*call_test)(const struct session_call *call, const struct meanwhile *meanwhile);

static size_t
count_calls(const struct session *session, const struct meanwhile *meanwhile, call_test test)
{
	size_t count = 0;

	for (size_t i = 0; i < session->call_count; i++)
		count += test(&session->calls[i], meanwhile);
	return count;
}

/* --- the other facts --- */

static size_t
output_lines(const struct session *session, const struct meanwhile *meanwhile)
{
	size_t lines = 0;

	for (size_t i = 0; i < session->output_count; i++) {
		const struct session_output *output = &session->outputs[i];
		const char *at = output->text.bytes;
		const char *end = at ? at + output->text.len : NULL;

		if (output->seq <= meanwhile->from_seq || output->seq >= meanwhile->until_seq)
			continue;
		while (at && (at = memchr(at, '\n', (size_t)(end - at)))) {
			lines++;
			at++;
		}
	}
	return lines;
}

static size_t
alerts(const struct session *session, const struct meanwhile *meanwhile)
{
	size_t count = 0;

	for (size_t i = 0; i < session->alert_count; i++)
		count += within(meanwhile, session->alerts[i].mono);
	return count;
}

bool
meanwhile_happened(const struct session *session, const struct meanwhile *meanwhile)
{
	const struct session_program *program = session_program(session);

	for (size_t i = 0; i < session->call_count; i++)
		if (within(meanwhile, session->calls[i].requested_mono) ||
			within(meanwhile, session->calls[i].decided_mono) ||
			within(meanwhile, session->calls[i].ended_mono))
			return true;
	return output_lines(session, meanwhile) > 0 || alerts(session, meanwhile) > 0 ||
	       (program && program->outcome);
}

/* --- words --- */

static void
foreign(struct told *told, enum style style, const char *text)
{
	rows_foreign(told->rows, style, untrusted_str(text), told->mode);
}

static void
tell_how_long(struct told *told)
{
	int64_t seconds = (told->meanwhile->until - told->meanwhile->from) / NS_PER_S;

	rows_field(told->rows, told->meanwhile->away ? "away" : "no console");
	if (seconds >= 3600)
		rows_printf(told->rows, STYLE_TEXT, "for %lld h %lld min",
			(long long)seconds / 3600, (long long)seconds / 60 % 60);
	else if (seconds >= 60)
		rows_printf(told->rows, STYLE_TEXT, "for %lld min %lld s", (long long)seconds / 60,
			(long long)seconds % 60);
	else
		rows_printf(told->rows, STYLE_TEXT, "for %lld s", (long long)seconds);
}

/* "12 calls: apply_raise 3, get_employee 9" */
static void
tell_ran(struct told *told)
{
	const struct session *session = told->session;
	size_t count = count_calls(session, told->meanwhile, started);
	size_t named = 0;

	if (count == 0)
		return;
	rows_field(told->rows, "ran");
	rows_printf(told->rows, STYLE_TEXT, "%zu call%s", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < session->tool_count; i++) {
		size_t of_tool = 0;

		for (size_t j = 0; j < session->call_count; j++)
			of_tool += started(&session->calls[j], told->meanwhile) &&
				   strcmp(session->calls[j].tool, session->tools[i].full) == 0;
		if (of_tool == 0 || named++ >= NAMED_MAX)
			continue;
		rows_words(told->rows, STYLE_DIM, " · ");
		foreign(told, STYLE_TEXT, session->tools[i].full);
		rows_printf(told->rows, STYLE_TEXT, " %zu", of_tool);
	}
	if (named > NAMED_MAX)
		rows_words(told->rows, STYLE_DIM, " · and others");
}

/* A row a call: "call 4 apply_raise · by person, uid 1000 pid 42". */
static void
tell_calls(struct told *told, const char *label, enum style style, call_test test)
{
	const struct session *session = told->session;
	size_t count = count_calls(session, told->meanwhile, test);
	size_t named = 0;

	for (size_t i = 0; i < session->call_count && named < NAMED_MAX; i++) {
		const struct session_call *call = &session->calls[i];

		if (!test(call, told->meanwhile))
			continue;
		rows_field(told->rows, named++ == 0 ? label : NULL);
		rows_printf(told->rows, style, "call %llu ", (unsigned long long)call->number);
		foreign(told, STYLE_TEXT, call->tool);
		if (call->state == CALL_HELD || !call->by)
			continue;
		rows_words(told->rows, STYLE_DIM, " · by ");
		foreign(told, STYLE_DIM, call->by);
		if (call->who) {
			rows_words(told->rows, STYLE_DIM, ", ");
			foreign(told, STYLE_DIM, call->who);
		}
	}
	if (count > named) {
		rows_field(told->rows, NULL);
		rows_printf(told->rows, STYLE_DIM, "and %zu more", count - named);
	}
}

static void
tell_alerts(struct told *told)
{
	const struct session *session = told->session;
	size_t named = 0;

	for (size_t i = 0; i < session->alert_count && named < NAMED_MAX; i++) {
		if (!within(told->meanwhile, session->alerts[i].mono))
			continue;
		rows_field(told->rows, named++ == 0 ? "alerts" : NULL);
		foreign(told, STYLE_WARNING, session->alerts[i].text);
	}
}

static void
tell_program(struct told *told)
{
	const struct session_program *program = session_program(told->session);
	size_t lines = output_lines(told->session, told->meanwhile);

	if (lines > 0) {
		rows_field(told->rows, "printed");
		rows_printf(told->rows, STYLE_TEXT, "%zu line%s", lines, lines == 1 ? "" : "s");
	}
	if (program && program->outcome) {
		rows_field(told->rows, "program");
		rows_words(told->rows, STYLE_TEXT, "has ended: ");
		foreign(told, STYLE_TEXT, program->outcome);
	}
}

static struct rows *
make(const struct view_scene *scene, int cols, enum text_mode mode, const void *about)
{
	struct told told = { scene->session, about, rows_new(cols), mode };

	tell_how_long(&told);
	tell_ran(&told);
	tell_calls(&told, "approved", STYLE_APPROVED, approved);
	tell_calls(&told, "denied", STYLE_DENIED, denied);
	if (count_calls(told.session, told.meanwhile, timed_out) > 0) {
		rows_field(told.rows, "timed out");
		rows_printf(told.rows, STYLE_DENIED, "%zu of these",
			count_calls(told.session, told.meanwhile, timed_out));
	}
	tell_alerts(&told);
	tell_program(&told);
	tell_calls(&told, "waits now", STYLE_ACCENT_WAIT, held);
	rows_divide(told.rows, "any key goes on, and decides nothing");
	rows_finish(told.rows);
	return told.rows;
}

struct view *
meanwhile_view(const struct meanwhile *meanwhile)
{
	struct view_page_look look = { .title = "meanwhile",
		.map = MAP_MEANWHILE,
		.make = make,
		.about = meanwhile,
		.about_size = sizeof(*meanwhile) };

	return view_page_new(&look);
}
