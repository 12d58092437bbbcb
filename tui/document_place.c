/* Where the call comes from.  The line is the program's own word, so it is held against the text.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tui/document_page.h"

#define CONTEXT_LINES 2 /* above and below the calling line */

static bool
line_at(struct untrusted text, int number, struct untrusted *line)
{
	const char *at = text.bytes;
	const char *end = text.bytes + text.len;

	for (int n = 1; at < end; n++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		if (n == number) {
			*line = untrusted(at, (size_t)(stop - at));
			return true;
		}
		at = stop < end ? stop + 1 : end;
	}
	return false;
}

static bool
is_name_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

/* Does the line call something of that name? */
static bool
calls_name(struct untrusted line, const char *name)
{
	size_t len = name ? strlen(name) : 0;

	for (size_t i = 0; len > 0 && i + len < line.len; i++) {
		size_t after = i + len;

		if (memcmp(line.bytes + i, name, len) != 0 ||
			(i > 0 && is_name_byte(line.bytes[i - 1])))
			continue;
		while (after < line.len && line.bytes[after] == ' ')
			after++;
		if (after < line.len && line.bytes[after] == '(')
			return true;
	}
	return false;
}

static const struct session_program *
program_of(const struct page *page)
{
	const struct session *session = page->session;

	for (size_t i = session->program_count; i-- > 0;)
		if (session->programs[i].attempt == page->call->attempt)
			return &session->programs[i];
	return NULL;
}

static bool
in_loop(const struct session_program *program, int line)
{
	for (size_t i = 0; i < program->site_count; i++)
		if (program->sites[i].line == line && program->sites[i].loop)
			return true;
	return false;
}

/* "> 12 │ ..."; source lines keep their spaces in every mode, for they are not what is approved. */
static void
show_around(struct page *page, struct untrusted text, int around)
{
	for (int n = around - CONTEXT_LINES; n <= around + CONTEXT_LINES; n++) {
		struct untrusted line;
		char label[16];

		if (n < 1 || !line_at(text, n, &line))
			continue;
		snprintf(label, sizeof(label), "%c%5d", n == around ? '>' : ' ', n);
		rows_field_marked(page->rows, label, n == around ? STYLE_RUNNING : STYLE_DIM);
		rows_foreign(
			page->rows, n == around ? STYLE_LIVE_LINE : STYLE_DIM, line, TEXT_LINES);
	}
}

static const char *
nth(unsigned number)
{
	if (number % 100 >= 11 && number % 100 <= 13)
		return "th";
	return number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : number % 10 == 3 ? "rd" : "th";
}

static bool
line_calls_tool(const struct page *page, struct untrusted line)
{
	return page->tool &&
	       (calls_name(line, page->tool->name) || calls_name(line, page->tool->python));
}

void
page_place(struct page *page)
{
	const struct session_program *program = program_of(page);
	const struct session_call *call = page->call;
	struct untrusted line;

	if (!program)
		return;
	rows_field(page->rows, "called");
	if (call->line <= 0) {
		rows_words(page->rows, STYLE_WARNING, "! the program names no line");
		return;
	}
	rows_printf(page->rows, STYLE_TEXT, "at line %d · %u%s time here%s", call->line,
		call->nth_here, nth(call->nth_here),
		in_loop(program, call->line) ? " · in a loop" : "");
	if (!line_at(blob_text(&program->text), call->line, &line)) {
		page_warning(page, "the program has no line %d", call->line);
		return;
	}
	if (!line_calls_tool(page, line))
		page_warning(page, "line %d holds no call of this tool", call->line);
	show_around(page, blob_text(&program->text), call->line);
}
