/*
 * One document a presentation: events that come meanwhile change the title and the last row, never
 * what is being approved.  The rows of the document are the source of coverage: what paint showed
 * is a range of rows, and nothing else counts.
 */
#include "config.h"

#include "tui/view_approval.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/record/event.h"
#include "core/session/session.h"
#include "tui/arming.h"
#include "tui/document.h"
#include "tui/layout.h"
#include "tui/lineedit.h"
#include "tui/rows.h"
#include "tui/view_approval_inside.h"

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
	int cols = pane.w - 2 - 2 * APPROVAL_PAD;

	return cols < ROWS_MIN_COLS ? ROWS_MIN_COLS : cols;
}

int
view_approval_present(struct view *view, const struct session *session, struct rect pane, int rows)
{
	struct view_approval *self = (struct view_approval *)view;
	const struct session_call *call = session_call(session, self->call);

	if (self->field == FIELD_CODE)
		approval_field_leave(self);
	self->cols = text_cols(pane);
	self->screen_rows = rows;
	self->seen_seq = session->seq;
	self->bind = call->bind;
	document_release(&self->document);
	document_make(
		&self->document, session, call, (unsigned)self->cols, (unsigned)rows, self->mode);
	return (int)rows_count(self->document.rows) + APPROVAL_FRAME_ROWS;
}

bool
view_approval_fits(const struct view *view, struct rect pane)
{
	const struct view_approval *self = (const struct view_approval *)view;

	return self->document.rows && self->cols == text_cols(pane);
}

const char *
approval_blocked(const struct view_approval *self)
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
		.blocked = approval_blocked(self) };
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
	approval_field_open((struct view_approval *)view, FIELD_CODE);
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

/* --- keys --- */

static enum map
approval_map(const struct view *view)
{
	return approval_field_map((const struct view_approval *)view);
}

static bool
approval_key(struct view *view, struct key key)
{
	return approval_field_key((struct view_approval *)view, key);
}

static bool
approval_typing(const struct view *view)
{
	return ((const struct view_approval *)view)->field != FIELD_NONE;
}

static void
scroll(struct view_approval *self, int64_t by)
{
	int64_t top = (int64_t)self->top + by;

	self->top = top < 0 ? 0 : (size_t)top;
	if (self->top > approval_last_top(self))
		self->top = approval_last_top(self);
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
		return approval_field_run(self, command, out);
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
		approval_field_open(self, FIELD_REASON);
		return VIEW_DIRTY;
	case COMMAND_STOP:
		approval_field_open(self, FIELD_STOP);
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
		       (command != COMMAND_APPROVE || !approval_blocked(self));
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
