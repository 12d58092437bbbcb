/*
 * The parts at the right are laid out from the right edge; each one that would leave the session's
 * name no room is left out, and the task gets what remains.
 */
#include "config.h"

#include "tui/header.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/session/session.h"
#include "tui/bar.h"
#include "tui/view.h"

#define NAME_COLS 16
#define METER_COLS 9 /* with the blank before it */
#define TASK_COLS_MIN 8

struct part {
	char words[96];
	enum style style;
	int meter; /* columns of a meter after the words, and more words after it */
	char after[32];
};

static void
state_part(struct part *part, const struct view_scene *scene, bool lost)
{
	const struct session *session = scene->session;
	int64_t since = session->begun_mono;
	int64_t until = session->state == RUN_ENDED || lost ? session->mono : scene->mono;
	int64_t seconds = since > 0 && until > since ? (until - since) / NS_PER_S : 0;
	const char *word = lost ? "LOST" : run_state_name(session->state);

	part->style = lost || session->state == RUN_ENDED ? STYLE_HEADER : STYLE_RUNNING;
	if (session->state == RUN_WAITING)
		part->style = STYLE_HEADER;
	if (lost)
		part->style = STYLE_ERROR;
	snprintf(part->words, sizeof(part->words), "%s %lld:%02lld", word,
		(long long)(seconds / 60), (long long)(seconds % 60));
}

static void
waits_part(struct part *part, const struct session *session)
{
	part->style = STYLE_ACCENT_WAIT;
	if (session->waiting > 0)
		snprintf(part->words, sizeof(part->words), "%zu wait%s", session->waiting,
			session->waiting == 1 ? "s" : "");
}

static void
elsewhere_part(struct part *part, const struct view_scene *scene)
{
	part->style = STYLE_ACCENT_WAIT;
	if (scene->elsewhere)
		snprintf(part->words, sizeof(part->words), "%s", scene->elsewhere);
}

static void
alerts_part(struct part *part, const struct session *session)
{
	part->style = STYLE_WARNING;
	if (session->alert_count > 0)
		snprintf(part->words, sizeof(part->words), "%zu alert%s", session->alert_count,
			session->alert_count == 1 ? "" : "s");
}

static void
badge_part(struct part *part, const struct session *session)
{
	size_t proved = 0;

	part->style = STYLE_HEADER;
	for (size_t i = 0; i < session->layer_count; i++)
		proved += session->layers[i].proved;
	if (session->layer_count > 0)
		snprintf(part->words, sizeof(part->words), "%s %zu/%zu", "sandbox", proved,
			session->layer_count);
}

static void
calls_part(struct part *part, const struct session *session)
{
	const struct session_counter *calls = session_counter(session, "max_tool_calls");

	part->style = STYLE_HEADER;
	if (!calls)
		return;
	snprintf(part->words, sizeof(part->words), "calls");
	part->meter = calls->limit > 0 ? METER_COLS : 0;
	if (calls->limit >= 0)
		snprintf(part->after, sizeof(part->after), " %lld/%lld", (long long)calls->used,
			(long long)calls->limit);
	else
		snprintf(part->after, sizeof(part->after), " %lld", (long long)calls->used);
}

static int
part_width(const struct canvas *canvas, const struct part *part)
{
	if (!part->words[0])
		return 0;
	return canvas_text_width(canvas, part->words) + part->meter +
	       canvas_text_width(canvas, part->after) + 2;
}

static void
draw_part(
	struct canvas *canvas, int x, int y, const struct part *part, const struct session *session)
{
	const struct session_counter *calls = session_counter(session, "max_tool_calls");

	x = canvas_text(canvas, x, y, part->style, part->words);
	if (part->meter > 0 && calls)
		x = bar_meter(
			canvas, rect_make(x + 1, y, part->meter - 1, 1), calls->used, calls->limit);
	canvas_text(canvas, x, y, part->style, part->after);
}

static int
draw_name(struct canvas *canvas, struct rect rect, const struct session *session)
{
	struct canvas_run run = { rect.x + 1, rect.y, NAME_COLS, STYLE_HEADER_NAME, TEXT_TEXT };

	if (rect.w >= 100)
		run.x = canvas_text(canvas, run.x, rect.y, STYLE_HEADER, "tollbridge   ");
	run.x += canvas_foreign(canvas, &run, untrusted_str(session->name));
	return run.x;
}

static void
draw_task(struct canvas *canvas, struct rect rect, const struct session *session)
{
	struct canvas_run run = { rect.x, rect.y, rect.w, STYLE_HEADER, TEXT_TEXT };

	if (session->task.bytes && rect.w >= TASK_COLS_MIN)
		(void)canvas_foreign(
			canvas, &run, untrusted(session->task.bytes, session->task.len));
}

/* In order of importance, as from left to right. */
enum part_place { STATE, WAITS, ELSEWHERE, ALERTS, BADGE, CALLS, PARTS };

void
header_draw(struct canvas *canvas, struct rect rect, const struct view_scene *scene, bool lost)
{
	const struct session *session = scene->session;
	struct part parts[PARTS] = { 0 };
	int right = rect.x + rect.w;
	int x, wanted = 0;

	canvas_fill(canvas, rect, STYLE_HEADER);
	state_part(&parts[STATE], scene, lost);
	waits_part(&parts[WAITS], session);
	elsewhere_part(&parts[ELSEWHERE], scene);
	alerts_part(&parts[ALERTS], session);
	badge_part(&parts[BADGE], session);
	calls_part(&parts[CALLS], session);
	x = draw_name(canvas, rect, session) + 2;
	for (int i = 0; i < PARTS; i++)
		wanted += part_width(canvas, &parts[i]);
	if (wanted > right - x) {
		wanted -= part_width(canvas, &parts[BADGE]);
		parts[BADGE].words[0] = '\0';
	}
	if (wanted > right - x) {
		wanted -= parts[CALLS].meter;
		parts[CALLS].meter = 0;
	}
	if (wanted > right - x)
		parts[CALLS].words[0] = '\0';
	for (int i = PARTS - 1; i >= 0; i--) {
		int width = part_width(canvas, &parts[i]);

		if (width == 0 || right - width < x)
			continue;
		right -= width;
		draw_part(canvas, right + 1, rect.y, &parts[i], session);
	}
	draw_task(canvas, rect_make(x, rect.y, right - x - 1, 1), session);
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
	static const char *const names[LAYOUT_PANES] = { "program", "calls", "output" };
	size_t waiting = scene->session->waiting;
	int x = rect.x + 1;

	canvas_fill(canvas, rect, STYLE_TEXT);
	for (int i = 0; i < LAYOUT_PANES; i++) {
		enum style style = i == (int)focus ? STYLE_TITLE : STYLE_DIM;

		x = canvas_text(canvas, x, rect.y, style, i == (int)focus ? "[" : " ");
		x = canvas_text(canvas, x, rect.y, style, names[i]);
		if (i == LAYOUT_CALLS && waiting > 0)
			x = canvas_printf(canvas, x, rect.y, STYLE_ACCENT_WAIT, " %zu wait%s",
				waiting, waiting == 1 ? "s" : "");
		x = canvas_text(canvas, x, rect.y, style, i == (int)focus ? "] " : "  ");
	}
}

int
header_outcome(struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	const struct session *session = scene->session;
	const char *outcome = session->run_outcome ? session->run_outcome : session->outcome;
	bool ok = outcome && strcmp(outcome, "ok") == 0;
	struct canvas_run run = { 0, rect.y, 16, ok ? STYLE_APPROVED : STYLE_FAILED, TEXT_TEXT };

	run.x = canvas_text(canvas, rect.x + 1, rect.y, run.style, ok ? "+ ended: " : "! ended: ");
	run.x += canvas_foreign(canvas, &run, untrusted_str(outcome ? outcome : "?"));
	if (session->ended)
		run.x = canvas_printf(
			canvas, run.x, rect.y, STYLE_TEXT, " · exit %d", session->exit_code);
	return canvas_printf(canvas, run.x, rect.y, STYLE_TEXT, " · %zu call%s, %llu denied",
		session->call_count, session->call_count == 1 ? "" : "s",
		(unsigned long long)session->denied);
}
