/* What the pane shows: the document, what of it was seen, and the keys that work now. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/arming.h"
#include "tui/bar.h"
#include "tui/view_approval_inside.h"

#define METER_COLS 5

size_t
approval_last_top(const struct view_approval *self)
{
	size_t count = approval_rows(self);

	return count > (size_t)self->height ? count - (size_t)self->height : 0;
}

/* Words with a separator before them, as long as there is room. */
static void add_words(char *out, size_t size, const char *fmt, ...) ATTR_PRINTF(3, 4);

static void
add_words(char *out, size_t size, const char *fmt, ...)
{
	size_t len = strlen(out);
	va_list args;

	if (len + 1 >= size)
		return;
	va_start(args, fmt);
	vsnprintf(out + len, size - len, fmt, args);
	va_end(args);
}

void
approval_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	struct view_approval *self = (struct view_approval *)view;
	const struct session *session = scene->session;
	const struct session_call *call = session_call(session, self->parts[0].call);
	const struct session_tool *tool = session_tool(session, call->tool);
	int64_t left = session_time_left(session, call, scene->mono);
	size_t more = session->waiting > self->count ? session->waiting - self->count : 0;

	if (self->count > 1)
		snprintf(out, size, "%zu calls wait for one answer", self->count);
	else
		snprintf(out, size, "call %llu waits · %s", (unsigned long long)call->number,
			document_effect(
				tool ? tool->effect : NULL, tool ? tool->effect_from : NULL));
	if (session->away)
		add_words(out, size, " · AWAY, the clock stands");
	if (left >= 0)
		add_words(out, size, " · %lld:%02lld left", (long long)(left / NS_PER_S / 60),
			(long long)(left / NS_PER_S % 60));
	if (more > 0)
		add_words(out, size, " · %zu more wait%s", more, more == 1 ? "s" : "");
}

static int
draw_comment(struct view_approval *self, struct canvas *canvas, int x, int y, int right)
{
	struct canvas_run run = { .y = y, .style = STYLE_VALUE, .mode = TEXT_TEXT };

	x = canvas_text(canvas, x, y, STYLE_LABEL, " comment: ");
	run.x = x;
	run.width = right - x - 2;
	if (run.width > 0)
		x += canvas_foreign(canvas, &run, untrusted_str(self->comment));
	return canvas_text(canvas, x, y, STYLE_TEXT, " ");
}

/* What was seen and what lies below, in the divider. */
static void
draw_divider(struct view_approval *self, struct canvas *canvas, struct rect rect)
{
	size_t covered = arming_covered(self->arming);
	size_t total = arming_total(self->arming);
	size_t count = approval_rows(self);
	size_t bottom = self->top + (size_t)self->height;
	enum style style = covered < total ? STYLE_WARNING : STYLE_DIM;
	int x;

	canvas_hline(canvas, rect.x, rect.y, rect.w, STYLE_ACCENT_WAIT);
	x = canvas_printf(
		canvas, rect.x + 2, rect.y, style, " seen %zu of %zu bytes ", covered, total);
	if (self->top > 0)
		x = canvas_printf(canvas, x + 1, rect.y, STYLE_DIM, " ↑ %zu more ", self->top);
	if (count > bottom)
		x = canvas_printf(canvas, x + 1, rect.y, STYLE_DIM, " ↓ %zu more ", count - bottom);
	if (self->mode != TEXT_STRICT)
		x = canvas_text(canvas, x + 1, rect.y, STYLE_WARNING, " text mode ");
	if (self->comment)
		(void)draw_comment(self, canvas, x + 1, rect.y, rect.x + rect.w);
}

/* What keeps it from being approved at this moment, before the keys that work. */
static int
draw_wait(struct view_approval *self, struct canvas *canvas, struct rect rect, int64_t now)
{
	enum arming_state state = arming_state(self->arming, now);
	const char *blocked = approval_blocked(self);
	int x = rect.x;

	if (self->sent)
		return canvas_text(canvas, x, rect.y, STYLE_TEXT, "sent, waiting for the answer");
	if (self->said)
		x = canvas_text(canvas, x, rect.y, STYLE_WARNING, self->said) + 2;
	if (blocked)
		return canvas_text(canvas, x, rect.y, STYLE_WARNING, blocked) + 2;
	if (state == ARMING_ARMED)
		return x;
	if (arming_too_early(self->arming) && !self->said)
		x = canvas_text(canvas, x, rect.y, STYLE_WARNING, "too early:") + 1;
	if (arming_progress(self->arming, now) >= 100 &&
		arming_covered(self->arming) < arming_total(self->arming))
		return canvas_text(canvas, x, rect.y, STYLE_TEXT, "read on, not all was shown") + 2;
	x = canvas_text(canvas, x, rect.y, STYLE_TEXT, "the keyboard must rest ");
	x = bar_meter(canvas, rect_make(x, rect.y, METER_COLS, 1),
		arming_progress(self->arming, now), 100);
	return x + 2;
}

/* May this key be pressed now?  What is not offered at all, or has to wait, is not listed. */
static bool
works_now(const struct view_approval *self, enum command command, int64_t now)
{
	unsigned flags = command_flags(command);

	if (flags & COMMAND_NEEDS_ARMED && arming_state(self->arming, now) != ARMING_ARMED)
		return false;
	if (flags & COMMAND_NEEDS_REST && !arming_rested(self->arming, now))
		return false;
	return self->view.ops->offers(&self->view, command);
}

static void
draw_keys(struct view_approval *self, struct canvas *canvas, struct rect rect,
	const struct view_scene *scene)
{
	/* To scroll is what is wanted most while bytes have not been shown. */
	bool unseen = arming_covered(self->arming) < arming_total(self->arming);
	const enum command all[] = { unseen ? COMMAND_PAGE_DOWN : COMMAND_REUSE, COMMAND_APPROVE,
		COMMAND_RAISE, COMMAND_DENY, COMMAND_DENY_REASON, COMMAND_EDIT, COMMAND_UNEDIT,
		COMMAND_GRANT, COMMAND_STOP, COMMAND_EXPLAIN, COMMAND_HELP, COMMAND_DIFF,
		COMMAND_EXTEND, COMMAND_COMMENT, COMMAND_STRICT, COMMAND_FULL, COMMAND_EDIT_HERE,
		COMMAND_RULE, unseen ? COMMAND_PAGE_UP : COMMAND_PAGE_DOWN };
	enum command now[ARRAY_SIZE(all)];
	bool repeat = self->count == 1 && self->parts[0].repeat;
	struct bar_hints hints = { scene->keymap, MAP_APPROVAL, now, 0,
		repeat || self->count > 1 ? COMMAND_APPROVE : COMMAND_NONE,
		repeat ? "do it again" : "approve each" };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (works_now(self, all[i], scene->now))
			now[hints.count++] = all[i];
	bar_hints(canvas, rect, &hints);
}

static void
draw_last_row(struct view_approval *self, struct canvas *canvas, struct rect rect,
	const struct view_scene *scene)
{
	int x = rect.x;

	if (self->field != FIELD_NONE) {
		approval_field_draw(self, canvas, rect);
		return;
	}
	if (scene->session->away)
		x = canvas_text(canvas, x, rect.y, STYLE_AWAY, "away") + 2;
	x = draw_wait(self, canvas, rect_make(x, rect.y, rect.x + rect.w - x, 1), scene->now);
	draw_keys(self, canvas, rect_make(x, rect.y, rect.x + rect.w - x, 1), scene);
}

void
approval_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_approval *self = (struct view_approval *)view;
	struct rect inside = rect_inside(rect);
	struct rect text = rect_make(inside.x + APPROVAL_PAD, inside.y, self->cols, inside.h - 2);

	canvas_fill(canvas, inside, STYLE_TEXT);
	canvas_box(canvas, rect, STYLE_ACCENT_WAIT);
	self->height = text.h > 0 ? text.h : 0;
	if (self->top > approval_last_top(self))
		self->top = approval_last_top(self);
	approval_parts_draw(self, canvas, text);
	/* Rows that would be cut at the right were not shown. */
	if (inside.w < self->cols)
		self->height = 0;
	draw_divider(self, canvas, rect_make(rect.x, rect.y + rect.h - 3, rect.w, 1));
	draw_last_row(self, canvas,
		rect_make(inside.x + APPROVAL_PAD, rect.y + rect.h - 2, inside.w - 2 * APPROVAL_PAD,
			1),
		scene);
}
