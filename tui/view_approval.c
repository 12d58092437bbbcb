/*
 * One document a presentation: events that come meanwhile change the title and the last row, never
 * what is being approved.  The rows of the document are the source of coverage: what paint showed
 * is a range of rows, and nothing else counts.
 */
#include "config.h"

#include "tui/view_approval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/record/event.h"
#include "core/session/session.h"
#include "tui/arming.h"
#include "tui/bar.h"
#include "tui/document.h"
#include "tui/layout.h"
#include "tui/lineedit.h"
#include "tui/rows.h"
#include "tui/view.h"

#define FRAME_ROWS 4 /* two borders, the divider and the last row */
#define PAD 1
#define REASON_BYTES 500
#define CODE_CHARS "0123456789BCDFGHJKLMNPQRSTVWXZ"
#define METER_COLS 5

enum field { FIELD_NONE, FIELD_CODE, FIELD_REASON, FIELD_STOP };

struct view_approval {
	struct view view;
	const struct arming *arming;
	uint64_t call;
	struct digest bind;
	bool wants_code, sent;
	char code[EVENT_CODE_SIZE];
	struct document document;
	uint64_t seen_seq;
	int cols, screen_rows;
	enum text_mode mode;
	size_t top;
	int height; /* rows of the document in the last painting */
	enum field field;
	struct lineedit *edit;
	const char *blocked; /* by the terminal */
	char *said;
};

static void
approval_free(struct view *view)
{
	struct view_approval *self = (struct view_approval *)view;

	document_release(&self->document);
	lineedit_free(self->edit);
	free(self->said);
	free(self);
}

/* --- presenting --- */

static int
text_cols(struct rect pane)
{
	int cols = pane.w - 2 - 2 * PAD;

	return cols < ROWS_MIN_COLS ? ROWS_MIN_COLS : cols;
}

static void
leave_field(struct view_approval *self)
{
	lineedit_free(self->edit);
	self->edit = NULL;
	self->field = FIELD_NONE;
}

int
view_approval_present(struct view *view, const struct session *session, struct rect pane, int rows)
{
	struct view_approval *self = (struct view_approval *)view;
	const struct session_call *call = session_call(session, self->call);

	if (self->field == FIELD_CODE)
		leave_field(self);
	self->cols = text_cols(pane);
	self->screen_rows = rows;
	self->seen_seq = session->seq;
	self->bind = call->bind;
	document_release(&self->document);
	document_make(
		&self->document, session, call, (unsigned)self->cols, (unsigned)rows, self->mode);
	return (int)rows_count(self->document.rows) + FRAME_ROWS;
}

bool
view_approval_fits(const struct view *view, struct rect pane)
{
	const struct view_approval *self = (const struct view_approval *)view;

	return self->document.rows && self->cols == text_cols(pane);
}

static const char *
why_blocked(const struct view_approval *self)
{
	if (self->blocked)
		return self->blocked;
	if (self->document.missing)
		return "the arguments are not here: only n and X work";
	if (self->document.too_long)
		return "too long to be approved: only n and X work";
	return NULL;
}

struct approval_shown
view_approval_shown(const struct view *view)
{
	const struct view_approval *self = (const struct view_approval *)view;

	return (struct approval_shown){ .bind = self->bind,
		.frame = self->document.frame,
		.seen_seq = self->seen_seq,
		.cols = (unsigned)self->cols,
		.rows = (unsigned)self->screen_rows,
		.strict = self->mode == TEXT_STRICT,
		.total = self->document.total,
		.wants_code = self->wants_code,
		.blocked = why_blocked(self) };
}

void
view_approval_seen(const struct view *view, struct coverage *seen)
{
	const struct view_approval *self = (const struct view_approval *)view;

	if (self->height > 0)
		rows_seen(self->document.rows, self->top, (size_t)self->height, seen);
}

void
view_approval_ask_code(struct view *view)
{
	struct view_approval *self = (struct view_approval *)view;

	leave_field(self);
	self->field = FIELD_CODE;
	self->edit = lineedit_new(EVENT_CODE_SIZE - 1, CODE_CHARS);
}

bool
view_approval_in_reason(const struct view *view)
{
	return ((const struct view_approval *)view)->field == FIELD_REASON;
}

void
view_approval_say(struct view *view, const char *words)
{
	struct view_approval *self = (struct view_approval *)view;

	free(self->said);
	self->said = mem_str(words);
}

void
view_approval_block(struct view *view, const char *words)
{
	((struct view_approval *)view)->blocked = words;
}

void
view_approval_sent(struct view *view, bool sent)
{
	((struct view_approval *)view)->sent = sent;
}

/* --- painting --- */

static size_t
last_top(const struct view_approval *self)
{
	size_t count = rows_count(self->document.rows);

	return count > (size_t)self->height ? count - (size_t)self->height : 0;
}

static void
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

static void
draw_field(struct view_approval *self, struct canvas *canvas, struct rect rect)
{
	int right = rect.x + rect.w;
	int x;

	if (self->field == FIELD_STOP) {
		canvas_text(canvas, rect.x, rect.y, STYLE_WARNING,
			"deny this call and stop the run?  S yes, stop   Esc no");
		return;
	}
	if (self->field == FIELD_CODE)
		x = canvas_printf(canvas, rect.x, rect.y, STYLE_LABEL,
			"to approve type %s, then Enter: ", self->code);
	else
		x = canvas_text(canvas, rect.x, rect.y, STYLE_LABEL, "deny, because: ");
	if (self->said)
		right = canvas_text(canvas, right - canvas_text_width(canvas, self->said), rect.y,
				STYLE_WARNING, self->said) -
			canvas_text_width(canvas, self->said) - 1;
	lineedit_draw(self->edit, canvas, rect_make(x, rect.y, right - x, 1), STYLE_INPUT);
}

/* What keeps it from being approved at this moment, before the keys that work. */
static int
draw_wait(struct view_approval *self, struct canvas *canvas, struct rect rect, int64_t now)
{
	enum arming_state state = arming_state(self->arming, now);
	const char *blocked = why_blocked(self);
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
		draw_field(self, canvas, rect);
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

static void
approval_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_approval *self = (struct view_approval *)view;
	struct rect inside = rect_inside(rect);
	struct rect text = rect_make(inside.x + PAD, inside.y, self->cols, inside.h - 2);

	canvas_fill(canvas, inside, STYLE_TEXT);
	canvas_box(canvas, rect, STYLE_ACCENT_WAIT);
	self->height = text.h;
	if (self->top > last_top(self))
		self->top = last_top(self);
	/* Rows that would be cut at the right were not shown. */
	if (inside.w < self->cols)
		self->height = 0;
	(void)rows_draw(self->document.rows, canvas, text, self->top);
	draw_divider(self, canvas, rect_make(rect.x, rect.y + rect.h - 3, rect.w, 1));
	draw_last_row(self, canvas,
		rect_make(inside.x + PAD, rect.y + rect.h - 2, inside.w - 2 * PAD, 1), scene);
}

/* --- keys --- */

static enum map
approval_map(const struct view *view)
{
	switch (((const struct view_approval *)view)->field) {
	case FIELD_CODE:
	case FIELD_REASON:
		return MAP_FIELD;
	case FIELD_STOP:
		return MAP_STOP;
	case FIELD_NONE:
		break;
	}
	return MAP_APPROVAL;
}

static bool
approval_typing(const struct view *view)
{
	return ((const struct view_approval *)view)->field != FIELD_NONE;
}

static bool
approval_key(struct view *view, struct key key)
{
	struct view_approval *self = (struct view_approval *)view;

	if (!self->edit)
		return false;
	view_approval_say(view, NULL);
	if (self->field == FIELD_CODE && key.code == KEY_CHAR && key.ch >= 'a' && key.ch <= 'z' &&
		key.mods == 0)
		key.ch -= 'a' - 'A';
	return lineedit_key(self->edit, key);
}

static void
scroll(struct view_approval *self, int64_t by)
{
	int64_t top = (int64_t)self->top + by;

	self->top = top < 0 ? 0 : (size_t)top;
	if (self->top > last_top(self))
		self->top = last_top(self);
}

static enum view_reply
send_field(struct view_approval *self, struct intent *out)
{
	const char *text = lineedit_text(self->edit);

	if (self->field == FIELD_CODE && strcmp(text, self->code) != 0) {
		lineedit_set(self->edit, "");
		view_approval_say(&self->view, "that is not the code");
		return VIEW_DIRTY;
	}
	out->kind = self->field == FIELD_CODE ? INTENT_APPROVE : INTENT_DENY;
	out->call = self->call;
	out->text = text;
	return VIEW_DIRTY;
}

static enum view_reply
run_field(struct view_approval *self, enum command command, struct intent *out)
{
	switch (command) {
	case COMMAND_ACCEPT:
		return send_field(self, out);
	case COMMAND_STOP_CONFIRM:
		*out = (struct intent){ INTENT_DENY, self->call, NULL, true };
		leave_field(self);
		return VIEW_DIRTY;
	case COMMAND_BACK:
		leave_field(self);
		return VIEW_DIRTY;
	default:
		return VIEW_DONE;
	}
}

static enum view_reply
look(struct view_approval *self, enum command command, struct intent *out)
{
	int page = self->height > 1 ? self->height - 1 : 1;

	switch (command) {
	case COMMAND_UP:
		scroll(self, -1);
		return VIEW_DIRTY;
	case COMMAND_DOWN:
		scroll(self, 1);
		return VIEW_DIRTY;
	case COMMAND_PAGE_UP:
		scroll(self, -page);
		return VIEW_DIRTY;
	case COMMAND_PAGE_DOWN:
		scroll(self, page);
		return VIEW_DIRTY;
	case COMMAND_STRICT:
		self->mode = self->mode == TEXT_STRICT ? TEXT_TEXT : TEXT_STRICT;
		out->kind = INTENT_AGAIN;
		return VIEW_DIRTY;
	case COMMAND_EXPLAIN:
		*out = (struct intent){ INTENT_EXPLAIN, self->call, NULL, false };
		return VIEW_DONE;
	case COMMAND_FULL:
		out->kind = INTENT_FULL;
		return VIEW_DIRTY;
	case COMMAND_BACK:
		return VIEW_CLOSE;
	default:
		return VIEW_IGNORED;
	}
}

static enum view_reply
approval_run(struct view *view, enum command command, struct intent *out)
{
	struct view_approval *self = (struct view_approval *)view;

	if (self->field != FIELD_NONE)
		return run_field(self, command, out);
	if (self->sent && command_flags(command) & COMMAND_DECIDES)
		return VIEW_DONE;
	switch (command) {
	case COMMAND_APPROVE:
		*out = (struct intent){ INTENT_APPROVE, self->call, NULL, false };
		return VIEW_DONE;
	case COMMAND_DENY:
		*out = (struct intent){ INTENT_DENY, self->call, NULL, false };
		return VIEW_DONE;
	case COMMAND_DENY_REASON:
		self->field = FIELD_REASON;
		self->edit = lineedit_new(REASON_BYTES, NULL);
		return VIEW_DIRTY;
	case COMMAND_STOP:
		self->field = FIELD_STOP;
		return VIEW_DIRTY;
	default:
		return look(self, command, out);
	}
}

static bool
approval_offers(const struct view *view, enum command command)
{
	const struct view_approval *self = (const struct view_approval *)view;
	size_t count = self->document.rows ? rows_count(self->document.rows) : 0;

	if (command_flags(command) & COMMAND_DECIDES)
		return !self->sent && command != COMMAND_STOP_CONFIRM &&
		       (command != COMMAND_APPROVE || !why_blocked(self));
	switch (command) {
	case COMMAND_UP:
	case COMMAND_PAGE_UP:
		return self->top > 0;
	case COMMAND_DOWN:
	case COMMAND_PAGE_DOWN:
		return self->top + (size_t)self->height < count;
	case COMMAND_STRICT:
	case COMMAND_EXPLAIN:
	case COMMAND_FULL:
	case COMMAND_HELP:
	case COMMAND_BACK:
		return true;
	default:
		return false;
	}
}

struct view *
view_approval_new(const struct session_call *call, const struct arming *arming)
{
	static const struct view_ops ops = {
		.free = approval_free,
		.title = approval_title,
		.map = approval_map,
		.run = approval_run,
		.key = approval_key,
		.typing = approval_typing,
		.offers = approval_offers,
		.paint = approval_paint,
	};
	struct view_approval *self = mem_zero(1, sizeof(*self));

	self->view.ops = &ops;
	self->arming = arming;
	self->call = call->number;
	self->bind = call->bind;
	self->wants_code = call->confirm_code;
	event_code(&call->bind, self->code);
	self->mode = TEXT_STRICT;
	return &self->view;
}

uint64_t
view_approval_call(const struct view *view)
{
	return ((const struct view_approval *)view)->call;
}
