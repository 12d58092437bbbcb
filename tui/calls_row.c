/* calls_row.c - widths first, then each column within its own. */
#include "config.h"

#include "tui/calls_row.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/call_words.h"

#define MARK_COLS 1
#define TIME_COLS 8  /* "12:34.5" */
#define TIME_FROM 14 /* columns that must be left for the time, */
#define RULE_FROM 36 /* and for the rule */
#define TOOL_COLS_MIN 12
#define TOOL_COLS 15
#define TOOL_COLS_MAX 25
#define ARGS_COLS_MIN 14
#define RULE_COLS_MIN 12
#define RULE_COLS_MAX 24
#define WORD_COLS 11
#define WORD_COLS_MIN 7
#define TAKEN_COLS 8
#define VALUE_COLS 200 /* of one argument, at most */

/* --- columns --- */

static int
digits_of(uint64_t number)
{
	int digits = 1;

	while (number >= 10) {
		number /= 10;
		digits++;
	}
	return digits;
}

static int
take(int *room, int cols)
{
	if (*room < cols)
		return 0;
	*room -= cols;
	return cols;
}

static int
share(int *room, int cols)
{
	int taken = *room < cols ? *room : cols;

	if (taken < 0)
		taken = 0;
	*room -= taken;
	return taken;
}

struct calls_columns
calls_columns(int width, uint64_t calls)
{
	struct calls_columns columns = { 0 };
	int digits = digits_of(calls);
	int room = width - MARK_COLS;

	columns.number = share(&room, (digits > 3 ? digits : 3) + 1);
	columns.word = share(&room, WORD_COLS_MIN);
	columns.tool = share(&room, TOOL_COLS_MIN);
	columns.word += share(&room, WORD_COLS - WORD_COLS_MIN);
	columns.taken = take(&room, TAKEN_COLS);
	columns.args = take(&room, ARGS_COLS_MIN);
	columns.tool += columns.args ? share(&room, TOOL_COLS - TOOL_COLS_MIN) : 0;
	columns.time = columns.args && room >= TIME_FROM ? take(&room, TIME_COLS) : 0;
	columns.rule = columns.time && room >= RULE_FROM ? take(&room, RULE_COLS_MIN) : 0;
	columns.tool += share(&room,
		(TOOL_COLS_MAX - TOOL_COLS) < room / 3 ? TOOL_COLS_MAX - TOOL_COLS : room / 3);
	if (columns.rule)
		columns.rule += share(&room, (RULE_COLS_MAX - RULE_COLS_MIN) < room / 3
						     ? RULE_COLS_MAX - RULE_COLS_MIN
						     : room / 3);
	if (columns.args)
		columns.args += room;
	else
		columns.tool += room;
	return columns;
}

/* --- arguments --- */

/* Foreign text in what is left of a row; gives the column after it. */
static int
draw_foreign(
	struct canvas *canvas, struct rect rect, int x, enum style style, struct untrusted text)
{
	struct canvas_run run = { x, rect.y, rect.x + rect.w - x, style, TEXT_TEXT };

	if (run.width <= 0)
		return x;
	if (run.width > VALUE_COLS)
		run.width = VALUE_COLS;
	return x + canvas_foreign(canvas, &run, text);
}

/* What follows and is not shown. */
static void
draw_cut(struct canvas *canvas, struct rect rect)
{
	canvas_text(canvas, rect.x + rect.w - 1, rect.y, STYLE_DIM, "…");
}

/* name="Ada" amount=9000: members of an object, each as its source. */
static void
draw_members(struct canvas *canvas, struct rect rect, int x, struct json_value args)
{
	struct json_iter it = json_each(args);

	while (json_next(&it)) {
		size_t len;
		const char *text = json_string(it.key, &len);

		if (x + 2 >= rect.x + rect.w) {
			draw_cut(canvas, rect);
			return;
		}
		x = draw_foreign(canvas, rect, x, STYLE_DIM, untrusted(text, len));
		if (x + 1 >= rect.x + rect.w) {
			draw_cut(canvas, rect);
			return;
		}
		x = canvas_text(canvas, x, rect.y, STYLE_DIM, "=");
		text = json_source(it.value, &len);
		x = draw_foreign(canvas, rect, x, STYLE_TEXT, untrusted(text, len)) + 1;
	}
}

static void
draw_arguments(struct canvas *canvas, struct rect rect, const struct session_call *call)
{
	AUTO_JSON struct json *args =
		call->args.bytes ? json_read(call->args.bytes, call->args.len, NULL) : NULL;
	int x = rect.x;

	if (call->edit > 0)
		x = canvas_text(canvas, x, rect.y, STYLE_WARNING, "edited ");
	if (call->args.missing)
		canvas_text(canvas, x, rect.y, STYLE_DIM, "[not in the record]");
	else if (args)
		draw_members(canvas, rect, x, json_root(args));
	else if (call->args.bytes)
		(void)draw_foreign(
			canvas, rect, x, STYLE_TEXT, untrusted(call->args.bytes, call->args.len));
}

/* --- the other columns --- */

static const char *
bare_name(const struct session *session, const struct session_call *call)
{
	const struct session_tool *tool = session_tool(session, call->tool);

	return tool && tool->name ? tool->name : call->tool;
}

static void
format_ms(long long ms, char out[32])
{
	if (ms < 10000)
		snprintf(out, 32, "%lld ms", ms);
	else if (ms < 100000)
		snprintf(out, 32, "%.1f s", (double)ms / 1000.0);
	else
		snprintf(out, 32, "%lld:%02lld m", ms / 60000, ms / 1000 % 60);
}

/* Time left, time taken so far or in all, or who denied. */
static void
taken_of(const struct calls_row *row, const struct session_call *call, char out[32])
{
	int64_t left;

	out[0] = '\0';
	if (call->state == CALL_HELD) {
		left = session_time_left(row->session, call, row->mono);
		if (left >= 0)
			snprintf(out, 32, "%lld:%02lld", (long long)(left / NS_PER_S / 60),
				(long long)(left / NS_PER_S % 60));
	} else if (call->state == CALL_STARTED && row->mono > call->started_mono) {
		format_ms((long long)((row->mono - call->started_mono) / NS_PER_MS), out);
	} else if (call->state == CALL_ENDED && call->started_mono > 0) {
		format_ms((long long)call->ms, out);
	} else if (call->verdict && strcmp(call->verdict, "deny") == 0 && call->by) {
		snprintf(out, 32, "%.7s", call->by);
	}
}

static void
draw_taken(const struct calls_row *row, struct canvas *canvas, struct rect rect,
	const struct session_call *call)
{
	char taken[32];
	int width;

	taken_of(row, call, taken);
	width = canvas_text_width(canvas, taken);
	canvas_text(canvas, rect.x + (width < rect.w ? rect.w - width : 0), rect.y,
		call->state == CALL_HELD ? STYLE_ACCENT_WAIT : STYLE_DIM, taken);
}

/* Since the session began. */
static void
draw_time(struct canvas *canvas, struct rect rect, const struct session_call *call)
{
	int64_t tenths = call->requested_mono / (NS_PER_S / 10);

	canvas_printf(canvas, rect.x, rect.y, STYLE_DIM, "%lld:%02lld.%lld",
		(long long)(tenths / 600), (long long)(tenths / 10 % 60), (long long)(tenths % 10));
}

static void
draw_word(struct canvas *canvas, struct rect rect, const struct session_call *call)
{
	struct call_words words = call_words(call);
	int x = canvas_text(canvas, rect.x, rect.y, words.style, words.glyph);

	/* Without room for all of the column the blank goes, not the word. */
	canvas_text(canvas, rect.w >= WORD_COLS ? x + 1 : x, rect.y, words.style, words.word);
}

static void
draw_rule(struct canvas *canvas, struct rect rect, const struct session_call *call)
{
	if (call->rule && call->rule[0])
		(void)draw_foreign(canvas, rect, rect.x, STYLE_DIM, untrusted_str(call->rule));
	else if (call->action)
		canvas_text(canvas, rect.x, rect.y, STYLE_DIM, "default");
}

/* The next column of a row: cols wide with its blank.  Clips to it. */
static struct rect
next_column(struct canvas *canvas, struct rect *rest, int cols, int blank)
{
	struct rect column = *rest;

	column.w = cols > blank ? cols - blank : 0;
	rest->x += cols;
	rest->w -= cols;
	(void)canvas_clip(canvas, column);
	return column;
}

void
calls_row_draw(const struct calls_row *row, struct canvas *canvas, struct rect rect,
	const struct session_call *call)
{
	const struct calls_columns *columns = &row->columns;
	struct rect rest = rect;
	struct rect old = canvas_clip(canvas, rect);
	bool waits = call->state == CALL_HELD;
	struct rect column;

	if (waits)
		canvas_text(canvas, rect.x, rect.y, STYLE_ACCENT_WAIT, ">");
	rest.x += MARK_COLS;
	rest.w -= MARK_COLS;
	column = next_column(canvas, &rest, columns->number, 1);
	canvas_printf(canvas, column.x, column.y, STYLE_GUTTER, "%*llu", column.w,
		(unsigned long long)call->number);
	if (columns->time)
		draw_time(canvas, next_column(canvas, &rest, columns->time, 1), call);
	column = next_column(canvas, &rest, columns->tool, 1);
	(void)draw_foreign(canvas, column, column.x, waits ? STYLE_ACCENT_WAIT : STYLE_TEXT,
		untrusted_str(bare_name(row->session, call)));
	if (columns->args)
		draw_arguments(canvas, next_column(canvas, &rest, columns->args, 1), call);
	if (columns->rule)
		draw_rule(canvas, next_column(canvas, &rest, columns->rule, 1), call);
	draw_word(canvas, next_column(canvas, &rest, columns->word, 0), call);
	if (columns->taken)
		draw_taken(row, canvas, next_column(canvas, &rest, columns->taken, 0), call);
	(void)canvas_clip(canvas, old);
}
