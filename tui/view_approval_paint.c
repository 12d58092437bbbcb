/* What the pane shows: the document, what of it was seen, and the keys that work now. */
#include "config.h"

#include <stdio.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/arming.h"
#include "tui/bar.h"
#include "tui/rows.h"
#include "tui/view_approval_inside.h"

#define METER_COLS 5

size_t
approval_last_top(const struct view_approval *self)
{
	size_t count = rows_count(self->document.rows);

	return count > (size_t)self->height ? count - (size_t)self->height : 0;
}

void
approval_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	struct view_approval *self = (struct view_approval *)view;
	const struct session_call *call = session_call(scene->session, self->call);
	int64_t left = session_time_left(scene->session, call, scene->mono);
	int len = snprintf(out, size, "call %llu waits", (unsigned long long)self->call);

	if (left >= 0)
		len += snprintf(out + len, size - (size_t)len, " · %lld:%02lld left",
			(long long)(left / NS_PER_S / 60), (long long)(left / NS_PER_S % 60));
	if (scene->session->waiting > 1)
		snprintf(out + len, size - (size_t)len, " · %zu more wait%s",
			scene->session->waiting - 1, scene->session->waiting == 2 ? "s" : "");
}

/* What was seen and what lies below, in the divider. */
static void
draw_divider(struct view_approval *self, struct canvas *canvas, struct rect rect)
{
	size_t covered = arming_covered(self->arming);
	size_t total = arming_total(self->arming);
	size_t below = rows_count(self->document.rows) - self->top - (size_t)self->height;
	enum style style = covered < total ? STYLE_WARNING : STYLE_DIM;
	int x;

	if (self->top + (size_t)self->height > rows_count(self->document.rows))
		below = 0;
	canvas_hline(canvas, rect.x, rect.y, rect.w, STYLE_ACCENT_WAIT);
	x = canvas_printf(
		canvas, rect.x + 2, rect.y, style, " seen %zu of %zu bytes ", covered, total);
	if (self->top > 0)
		x = canvas_printf(canvas, x + 1, rect.y, STYLE_DIM, " ↑ %zu more ", self->top);
	if (below > 0)
		x = canvas_printf(canvas, x + 1, rect.y, STYLE_DIM, " ↓ %zu more ", below);
	if (self->mode != TEXT_STRICT)
		canvas_text(canvas, x + 1, rect.y, STYLE_WARNING, " text mode ");
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

static void
draw_last_row(struct view_approval *self, struct canvas *canvas, struct rect rect,
	const struct view_scene *scene)
{
	/* To scroll is what is wanted most while bytes have not been shown. */
	bool unseen = arming_covered(self->arming) < arming_total(self->arming);
	const enum command all[] = { unseen ? COMMAND_PAGE_DOWN : COMMAND_APPROVE, COMMAND_DENY,
		COMMAND_DENY_REASON, COMMAND_STOP, COMMAND_EXPLAIN, COMMAND_HELP, COMMAND_STRICT,
		COMMAND_FULL, unseen ? COMMAND_PAGE_UP : COMMAND_PAGE_DOWN };
	enum command now[ARRAY_SIZE(all)];
	struct bar_hints hints = { scene->keymap, MAP_APPROVAL, now, 0 };
	int x;

	if (self->field != FIELD_NONE) {
		approval_field_draw(self, canvas, rect);
		return;
	}
	x = draw_wait(self, canvas, rect, scene->now);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		bool armed = arming_state(self->arming, scene->now) == ARMING_ARMED;

		if ((command_flags(all[i]) & COMMAND_NEEDS_ARMED && !armed) ||
			((command_flags(all[i]) & COMMAND_NEEDS_REST) &&
				!arming_rested(self->arming, scene->now)) ||
			!self->view.ops->offers(&self->view, all[i]))
			continue;
		now[hints.count++] = all[i];
	}
	bar_hints(canvas, rect_make(x, rect.y, rect.x + rect.w - x, 1), &hints);
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
	self->height = text.h;
	if (self->top > approval_last_top(self))
		self->top = approval_last_top(self);
	/* Rows that would be cut at the right were not shown. */
	if (inside.w < self->cols)
		self->height = 0;
	(void)rows_draw(self->document.rows, canvas, text, self->top);
	draw_divider(self, canvas, rect_make(rect.x, rect.y + rect.h - 3, rect.w, 1));
	draw_last_row(self, canvas,
		rect_make(inside.x + APPROVAL_PAD, rect.y + rect.h - 2, inside.w - 2 * APPROVAL_PAD,
			1),
		scene);
}
