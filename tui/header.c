/*
 * Each part has a brief form and a whole one.  In order of importance the parts get room for their
 * brief form, then for the whole one; the task gets what is left.  On the screen the name and the
 * task stand left, the rest right.
 */
#include "config.h"

#include "tui/header.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/session/session.h"
#include "tui/bar.h"
#include "tui/view.h"

#define NAME_COLS 24
#define NAME_COLS_BRIEF 10
#define METER_COLS 9 /* with the blank before it */
#define METER_COLS_WIDE 21
#define METER_WIDE_FROM 160
#define TASK_COLS_MIN 8
#define PROGRAM_FROM 100 /* columns from which the program's own name is said */
#define GAP 2

/* In order of importance. */
enum part_place { WAITS, ELSEWHERE, STATE, CALLS, BADGE, NAME, AWAY, ALERTS, MODEL, PARTS };

/* As they stand from left to right, after name and task. */
static const enum part_place placed[] = { WAITS, ELSEWHERE, AWAY, STATE, MODEL, BADGE, ALERTS,
	CALLS };

enum form { FORM_NONE, FORM_BRIEF, FORM_WHOLE };

struct part {
	char brief[32], words[64]; /* "": there is nothing to say */
	enum style style;
	int meter; /* whole form: columns of a meter after the words, and more words after it */
	char after[32];
	enum form form;
	int widths[3]; /* of each form, with the gap behind it */
};

static void
say(struct part *part, enum style style, const char *brief, const char *words)
{
	part->style = style;
	snprintf(part->brief, sizeof(part->brief), "%s", brief);
	snprintf(part->words, sizeof(part->words), "%s", words);
}

static void
say_count(struct part *part, enum style style, size_t count, const char *word, const char *plural)
{
	part->style = style;
	if (count == 0)
		return;
	snprintf(part->words, sizeof(part->words), "%zu %s%s", count, word,
		count == 1 ? "" : plural);
	memcpy(part->brief, part->words, sizeof(part->brief) - 1);
}

static void
waits_part(struct part *part, const struct session *session)
{
	part->style = STYLE_ACCENT_WAIT;
	if (session->waiting == 0)
		return;
	snprintf(part->words, sizeof(part->words), "%zu wait%s", session->waiting,
		session->waiting == 1 ? "s" : "");
	memcpy(part->brief, part->words, sizeof(part->brief) - 1);
}

static void
state_part(struct part *part, const struct view_scene *scene, bool lost)
{
	const struct session *session = scene->session;
	const struct session_turn *turn = session_turn(session);
	bool writes = session->state == RUN_WRITING && turn;
	bool over = session->state == RUN_ENDED || session->state == RUN_RESTING;
	int64_t since = writes ? turn->began_mono : session->begun_mono;
	int64_t until = over || lost ? session->mono : scene->mono;
	int64_t seconds = since > 0 && until > since ? (until - since) / NS_PER_S : 0;
	const char *word = lost                          ? "LOST"
			   : writes && turn->retry_cause ? "retries"
							 : run_state_name(session->state);

	part->style = over || session->state == RUN_WAITING ? STYLE_HEADER : STYLE_RUNNING;
	if (lost)
		part->style = STYLE_ERROR;
	if (since <= 0 && session->state == RUN_ASKING)
		snprintf(part->words, sizeof(part->words), "%s", word);
	else
		snprintf(part->words, sizeof(part->words), "%s %lld:%02lld", word,
			(long long)(seconds / 60), (long long)(seconds % 60));
	snprintf(part->brief, sizeof(part->brief), "%s", word);
}

/* Fewer layers than there are is said with a sign too. */
static void
badge_part(struct part *part, const struct session *session)
{
	const char *backend = session->backend ? session->backend : "sandbox";
	size_t proved = 0;
	bool whole;

	for (size_t i = 0; i < session->layer_count; i++)
		proved += session->layers[i].proved;
	whole = proved == session->layer_count;
	part->style = whole ? STYLE_HEADER : STYLE_WARNING;
	if (session->layer_count == 0)
		return;
	snprintf(part->brief, sizeof(part->brief), "%s%zu/%zu", whole ? "" : "!", proved,
		session->layer_count);
	snprintf(part->words, sizeof(part->words), "%.12s %s", backend, part->brief);
}

static void
calls_part(struct part *part, const struct session *session, int cols)
{
	const struct session_counter *calls = session_counter(session, "max_tool_calls");
	bool full = calls && calls->limit >= 0 && calls->used >= calls->limit;

	if (!calls)
		return;
	say(part, full ? STYLE_WARNING : STYLE_HEADER, "", "calls");
	if (calls->limit > 0)
		part->meter = cols >= METER_WIDE_FROM ? METER_COLS_WIDE : METER_COLS;
	if (calls->limit >= 0)
		snprintf(part->after, sizeof(part->after), " %lld/%lld", (long long)calls->used,
			(long long)calls->limit);
	else
		snprintf(part->after, sizeof(part->after), " %lld", (long long)calls->used);
	memcpy(part->brief, part->after + 1, sizeof(part->after) - 1);
}

/* "12.3k tok $0.04": what the model took so far, as far as it is known. */
static void
say_usage(char *out, size_t size, const struct session *session)
{
	int64_t tokens = 0, cost = 0;
	size_t len;

	for (size_t i = 0; i < session->turn_count; i++) {
		const struct session_turn *turn = &session->turns[i];

		tokens +=
			(turn->input > 0 ? turn->input : 0) + (turn->output > 0 ? turn->output : 0);
		cost += turn->cost_micro > 0 ? turn->cost_micro : 0;
	}
	out[0] = '\0';
	if (tokens >= 1000)
		snprintf(out, size, " %.1fk tok", (double)tokens / 1000);
	else if (tokens > 0)
		snprintf(out, size, " %lld tok", (long long)tokens);
	len = strlen(out);
	if (cost > 0)
		snprintf(out + len, size - len, " $%.2f", (double)cost / 1e6);
}

static void
model_part(struct part *part, const struct session *session)
{
	const char *name = session->model ? strrchr(session->model, '/') : NULL;

	if (session->scripted) {
		say(part, STYLE_WARNING, "scripted", "a script plays the model");
		return;
	}
	if (!session->model)
		return;
	say(part, STYLE_DIM, "", name ? name + 1 : session->model);
	snprintf(part->brief, sizeof(part->brief), "%.20s", part->words);
	say_usage(part->after, sizeof(part->after), session);
}

/* Columns that a foreign text takes, up to most. */
static int
columns_of(const char *text, int most)
{
	struct text_iter iter;
	struct text_cell cell;
	int cols = 0;

	text_begin(&iter, untrusted_str(text), TEXT_TEXT);
	while (cols < most && text_next(&iter, &cell))
		cols += cell.width;
	return cols < most ? cols : most;
}

static void
make_parts(struct part parts[PARTS], const struct view_scene *scene, int cols, bool lost)
{
	const struct session *session = scene->session;

	waits_part(&parts[WAITS], session);
	if (scene->elsewhere)
		say(&parts[ELSEWHERE], STYLE_ACCENT_WAIT, scene->elsewhere_short, scene->elsewhere);
	state_part(&parts[STATE], scene, lost);
	calls_part(&parts[CALLS], session, cols);
	badge_part(&parts[BADGE], session);
	if (session->away)
		say(&parts[AWAY], STYLE_AWAY, "AWAY", "AWAY: everything holds");
	say_count(&parts[ALERTS], STYLE_WARNING, session->alert_count, "alert", "s");
	model_part(&parts[MODEL], session);
	parts[NAME].style = STYLE_HEADER_NAME;
}

/* --- room --- */

static void
measure(const struct canvas *canvas, struct part parts[PARTS], const struct session *session)
{
	for (int i = 0; i < PARTS; i++) {
		struct part *part = &parts[i];

		if (!part->words[0])
			continue;
		part->widths[FORM_BRIEF] = GAP + canvas_text_width(canvas, part->brief);
		part->widths[FORM_WHOLE] = GAP + part->meter +
					   canvas_text_width(canvas, part->words) +
					   canvas_text_width(canvas, part->after);
	}
	parts[NAME].widths[FORM_BRIEF] = GAP + columns_of(session->name, NAME_COLS_BRIEF);
	parts[NAME].widths[FORM_WHOLE] = GAP + columns_of(session->name, NAME_COLS);
}

/* Give the parts this form as long as there is room; strict: the first without ends it. */
static int
fit_form(struct part parts[PARTS], enum form form, int room, bool strict)
{
	for (int i = 0; i < PARTS; i++) {
		int more = parts[i].widths[form] - parts[i].widths[form - 1];

		if (parts[i].widths[form] == 0 || parts[i].form != form - 1)
			continue;
		if (more <= room) {
			parts[i].form = form;
			room -= more;
		} else if (strict) {
			break;
		}
	}
	return room;
}

/* Nothing stands there in place of something that matters more.  Gives the room that is left. */
static int
fit(struct part parts[PARTS], int room)
{
	room = fit_form(parts, FORM_BRIEF, room, true);
	return fit_form(parts, FORM_WHOLE, room, false);
}

/* --- drawing --- */

static void
draw_part(
	struct canvas *canvas, int x, int y, const struct part *part, const struct session *session)
{
	const struct session_counter *calls = session_counter(session, "max_tool_calls");

	if (part->form == FORM_BRIEF) {
		canvas_text(canvas, x, y, part->style, part->brief);
		return;
	}
	x = canvas_text(canvas, x, y, part->style, part->words);
	if (part->meter > 0 && calls)
		x = bar_meter(
			canvas, rect_make(x + 1, y, part->meter - 1, 1), calls->used, calls->limit);
	canvas_text(canvas, x, y, part->style, part->after);
}

static int
draw_name(struct canvas *canvas, int x, int y, const struct part *name, const char *text)
{
	struct canvas_run run = { x, y, name->widths[name->form] - GAP, name->style, TEXT_TEXT };

	if (name->form == FORM_NONE)
		return x;
	(void)canvas_foreign(canvas, &run, untrusted_str(text));
	return x + name->widths[name->form];
}

static void
draw_task(struct canvas *canvas, struct rect rect, const struct session *session)
{
	struct canvas_run run = { rect.x, rect.y, rect.w, STYLE_HEADER, TEXT_TEXT };

	if (session->task.bytes && rect.w >= TASK_COLS_MIN)
		(void)canvas_foreign(
			canvas, &run, untrusted(session->task.bytes, session->task.len));
}

void
header_draw(struct canvas *canvas, struct rect rect, const struct view_scene *scene, bool lost)
{
	const struct session *session = scene->session;
	struct part parts[PARTS] = { 0 };
	int x = rect.x + 1, right = rect.x + rect.w - 1;
	int room;

	canvas_fill(canvas, rect, STYLE_HEADER);
	make_parts(parts, scene, rect.w, lost);
	measure(canvas, parts, session);
	room = fit(parts, rect.w - 1);
	if (rect.w >= PROGRAM_FROM && room >= 13 + TASK_COLS_MIN)
		x = canvas_text(canvas, x, rect.y, STYLE_HEADER, "tollbridge   ");
	x = draw_name(canvas, x, rect.y, &parts[NAME], session->name);
	for (size_t i = ARRAY_SIZE(placed); i-- > 0;) {
		const struct part *part = &parts[placed[i]];

		if (part->form == FORM_NONE)
			continue;
		right -= part->widths[part->form];
		draw_part(canvas, right + GAP, rect.y, part, session);
	}
	draw_task(canvas, rect_make(x, rect.y, right - x, 1), session);
}

void
header_runs(struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	int x;

	canvas_fill(canvas, rect, STYLE_HEADER);
	x = canvas_text(canvas, rect.x + 1, rect.y, STYLE_HEADER_NAME, "tollbridge");
	if (scene->elsewhere)
		canvas_text(canvas, x + 3, rect.y, STYLE_ACCENT_WAIT, scene->elsewhere);
}

void
header_tabs(struct canvas *canvas, struct rect rect, const struct view_scene *scene,
	enum layout_pane focus)
{
	static const enum layout_pane usual[] = { LAYOUT_PROGRAM, LAYOUT_CALLS, LAYOUT_OUTPUT };
	static const enum layout_pane calls_first[] = { LAYOUT_CALLS, LAYOUT_PROGRAM,
		LAYOUT_OUTPUT };
	static const char *const names[LAYOUT_PANES] = { "program", "calls", "output" };
	size_t waiting = scene->session->waiting;
	const enum layout_pane *order = waiting > 0 ? calls_first : usual;
	int x = rect.x + 1;

	canvas_fill(canvas, rect, STYLE_TEXT);
	for (int i = 0; i < LAYOUT_PANES; i++) {
		bool chosen = order[i] == focus;
		enum style style = chosen ? STYLE_TAB_CHOSEN : STYLE_TAB;

		x = canvas_text(canvas, x, rect.y, style, chosen ? "[" : " ");
		x = canvas_text(canvas, x, rect.y, style, names[order[i]]);
		if (order[i] == LAYOUT_CALLS && waiting > 0)
			x = canvas_printf(canvas, x, rect.y, STYLE_ACCENT_WAIT, " %zu wait%s",
				waiting, waiting == 1 ? "s" : "");
		x = canvas_text(canvas, x, rect.y, style, chosen ? "] " : "  ");
	}
}

/* Of the run that ended: a session may have had others before. */
static size_t
calls_of_run(const struct session *session)
{
	size_t calls = 0;

	for (size_t i = session->call_count; i-- > 0 && session->calls[i].run == session->run;)
		calls++;
	return calls;
}

int
header_outcome(struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	const struct session *session = scene->session;
	const char *outcome = session->run_outcome ? session->run_outcome : session->outcome;
	bool ok = outcome && strcmp(outcome, "ok") == 0;
	struct canvas_run run = { 0, rect.y, 16, ok ? STYLE_APPROVED : STYLE_FAILED, TEXT_TEXT };
	size_t calls;

	run.x = canvas_text(canvas, rect.x + 1, rect.y, run.style, ok ? "+ ended: " : "! ended: ");
	run.x += canvas_foreign(canvas, &run, untrusted_str(outcome ? outcome : "?"));
	if (session->ended)
		run.x = canvas_printf(
			canvas, run.x, rect.y, STYLE_TEXT, " · exit %d", session->exit_code);
	calls = calls_of_run(session);
	return canvas_printf(canvas, run.x, rect.y, STYLE_TEXT, " · %zu call%s, %llu denied", calls,
		calls == 1 ? "" : "s", (unsigned long long)session->denied);
}
