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
#include "tui/guard.h"
#include "tui/layout.h"
#include "tui/lineedit.h"
#include "tui/rows.h"
#include "tui/view_approval_inside.h"

static void
approval_free(struct view *view)
{
	struct view_approval *self = (struct view_approval *)view;

	for (size_t i = 0; i < self->count; i++)
		document_release(&self->parts[i].document);
	free(self->parts);
	lineedit_free(self->edit);
	free(self->comment);
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

size_t
view_approval_present(struct view *view, const struct view_scene *scene, struct rect pane, int rows)
{
	struct view_approval *self = (struct view_approval *)view;
	const struct session *session = scene->session;
	size_t bytes = 0;

	if (self->field == FIELD_CODE)
		approval_field_leave(self);
	self->cols = text_cols(pane);
	self->screen_rows = rows;
	self->seen_seq = session->seq;
	self->found.cols = 0;
	for (size_t i = 0; i < self->count; i++) {
		approval_part_present(self, &self->parts[i], session);
		bytes += self->parts[i].document.total;
	}
	event_code(&self->parts[0].bind, self->code);
	return bytes;
}

int
view_approval_rows(const struct view *view)
{
	return (int)approval_rows((const struct view_approval *)view) + APPROVAL_FRAME_ROWS;
}

bool
view_approval_fits(const struct view *view, const struct view_scene *scene, struct rect pane)
{
	const struct view_approval *self = (const struct view_approval *)view;

	(void)scene;
	return self->parts[0].document.rows && self->cols == text_cols(pane);
}

const char *
approval_blocked(const struct view_approval *self)
{
	if (self->blocked)
		return self->blocked;
	for (size_t i = 0; i < self->count; i++) {
		const struct approval_part *part = &self->parts[i];

		if (part->document.missing)
			return "the arguments are not here: no approval";
		if (part->document.too_long)
			return "too long to be approved";
		if (part->over_budget)
			return "over a limit: no approval before it is raised";
	}
	return NULL;
}

struct approval_shown
view_approval_shown(const struct view *view, size_t i)
{
	const struct view_approval *self = (const struct view_approval *)view;
	const struct approval_part *part = &self->parts[i];

	return (struct approval_shown){ .call = part->call,
		.bind = part->bind,
		.frame = part->document.frame,
		.seen_seq = self->seen_seq,
		.cols = (unsigned)self->cols,
		.rows = (unsigned)self->screen_rows,
		.strict = self->mode == TEXT_STRICT,
		.bytes_at = part->bytes_at,
		.total = part->document.total,
		.wants_code = part->wants_code,
		.blocked = approval_blocked(self) };
}

void
view_approval_seen(const struct view *view, struct coverage *seen)
{
	const struct view_approval *self = (const struct view_approval *)view;

	if (self->height > 0)
		approval_parts_seen(self, seen);
}

void
view_approval_ask_code(struct view *view)
{
	approval_field_open((struct view_approval *)view, FIELD_CODE);
}

bool
view_approval_in_words(const struct view *view)
{
	enum approval_field field = ((const struct view_approval *)view)->field;

	return field == FIELD_REASON || field == FIELD_COMMENT;
}

const char *
view_approval_comment(const struct view *view)
{
	return ((const struct view_approval *)view)->comment;
}

void
view_approval_set_comment(struct view *view, const char *comment)
{
	struct view_approval *self = (struct view_approval *)view;

	free(self->comment);
	self->comment = mem_str(comment);
}

void
view_approval_say(struct view *view, const char *words)
{
	struct view_approval *self = (struct view_approval *)view;

	free(self->said);
	self->said = mem_str(words);
}

void
view_approval_block(struct view *view, const char *words, bool read_only)
{
	struct view_approval *self = (struct view_approval *)view;

	self->blocked = words;
	self->read_only = read_only;
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
move(struct view_approval *self, enum command command)
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
	default:
		return VIEW_IGNORED;
	}
}

/* What a command asks of app about the first call. */
static enum intent_kind
intent_of(enum command command)
{
	switch (command) {
	case COMMAND_APPROVE:
		return INTENT_APPROVE;
	case COMMAND_REUSE:
		return INTENT_REUSE;
	case COMMAND_DENY:
		return INTENT_DENY;
	case COMMAND_EXPLAIN:
		return INTENT_EXPLAIN;
	case COMMAND_DIFF:
		return INTENT_DIFF;
	case COMMAND_EDIT:
		return INTENT_EDIT;
	case COMMAND_EDIT_HERE:
		return INTENT_EDIT_HERE;
	case COMMAND_UNEDIT:
		return INTENT_UNEDIT;
	case COMMAND_EXTEND:
		return INTENT_EXTEND;
	case COMMAND_RAISE:
		return INTENT_RAISE_ASK;
	case COMMAND_GRANT:
		return INTENT_GRANT_ASK;
	case COMMAND_RULE:
		return INTENT_RULE_ASK;
	case COMMAND_FULL:
		return INTENT_FULL;
	default:
		return INTENT_NONE;
	}
}

static enum view_reply
look(struct view_approval *self, enum command command, struct intent *out)
{
	switch (command) {
	case COMMAND_COMMENT:
		approval_field_open(self, FIELD_COMMENT);
		return VIEW_DIRTY;
	case COMMAND_STRICT:
		self->mode = self->mode == TEXT_STRICT ? TEXT_TEXT : TEXT_STRICT;
		out->kind = INTENT_AGAIN;
		return VIEW_DIRTY;
	case COMMAND_BACK:
		return VIEW_CLOSE;
	default:
		return move(self, command);
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
	out->kind = intent_of(command);
	if (out->kind != INTENT_NONE) {
		out->call = self->parts[0].call;
		if (!view->ops->offers(view, command))
			out->kind = INTENT_NONE;
		return VIEW_DIRTY;
	}
	switch (command) {
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
offers_decision(const struct view_approval *self, enum command command)
{
	if (self->sent || self->read_only || command == COMMAND_STOP_CONFIRM)
		return false;
	if (command == COMMAND_REUSE && !(self->count == 1 && self->parts[0].repeat))
		return false;
	return !(command_flags(command) & COMMAND_APPROVES) || !approval_blocked(self);
}

/* What is about one call alone. */
static bool
offers_about_one(const struct view_approval *self, enum command command)
{
	const struct approval_part *part = &self->parts[0];

	switch (command) {
	case COMMAND_EXPLAIN:
		return true;
	case COMMAND_DIFF:
		return part->compares;
	case COMMAND_EDIT:
	case COMMAND_EDIT_HERE:
		return !self->sent && !self->read_only && !part->document.missing;
	case COMMAND_UNEDIT:
		return !self->sent && !self->read_only && part->edited;
	case COMMAND_EXTEND:
		return !self->sent && !self->read_only && part->has_limit;
	case COMMAND_GRANT:
		return !self->sent && !self->read_only && !part->no_grant &&
		       !part->document.missing;
	case COMMAND_RULE:
		return !self->sent && !self->read_only && !part->document.missing;
	case COMMAND_RAISE:
		return !self->sent && !self->read_only && part->over_budget;
	default:
		return false;
	}
}

static bool
approval_offers(const struct view *view, enum command command)
{
	const struct view_approval *self = (const struct view_approval *)view;

	if (command_flags(command) & COMMAND_DECIDES)
		return offers_decision(self, command);
	switch (command) {
	case COMMAND_UP:
	case COMMAND_PAGE_UP:
		return self->top > 0;
	case COMMAND_DOWN:
	case COMMAND_PAGE_DOWN:
		return self->top + (size_t)self->height < approval_rows(self);
	case COMMAND_COMMENT:
		return !self->sent && !self->read_only;
	case COMMAND_STRICT:
	case COMMAND_FULL:
	case COMMAND_HELP:
	case COMMAND_BACK:
		return true;
	default:
		return self->count == 1 && offers_about_one(self, command);
	}
}

static bool
approval_search(struct view *view, struct find *find)
{
	return approval_parts_find((struct view_approval *)view, find);
}

static const char *
guard_blocked(const struct view *view)
{
	return approval_blocked((const struct view_approval *)view);
}

static void
guard_yes(struct view *view, enum command command, struct intent *out)
{
	out->kind = command == COMMAND_REUSE ? INTENT_REUSE : INTENT_APPROVE;
	out->call = view_approval_call(view, 0);
}

static bool
guard_strict(const struct view *view)
{
	return ((const struct view_approval *)view)->mode == TEXT_STRICT;
}

struct view *
view_approval_new(const struct session *session, const uint64_t *calls, size_t count,
	const struct arming *arming)
{
	static const struct guard_ops guard = {
		.present = view_approval_present,
		.fits = view_approval_fits,
		.seen = view_approval_seen,
		.block = view_approval_block,
		.blocked = guard_blocked,
		.yes = guard_yes,
		.strict = guard_strict,
		.wording = view_approval_in_words,
		.sent = view_approval_sent,
	};
	static const struct view_ops ops = {
		.free = approval_free,
		.title = approval_title,
		.map = approval_map,
		.run = approval_run,
		.key = approval_key,
		.typing = approval_typing,
		.offers = approval_offers,
		.search = approval_search,
		.paint = approval_paint,
		.guard = &guard,
	};
	struct view_approval *self = mem_zero(1, sizeof(*self));
	size_t bytes = 0;

	self->view.ops = &ops;
	self->arming = arming;
	self->parts = mem_zero(count, sizeof(*self->parts));
	self->count = count;
	for (size_t i = 0; i < count; i++) {
		const struct session_call *call = session_call(session, calls[i]);

		self->parts[i].call = call->number;
		self->parts[i].bind = call->bind;
		self->parts[i].wants_code = call->confirm_code;
		self->parts[i].bytes_at = bytes;
		bytes += call->args.len;
	}
	event_code(&self->parts[0].bind, self->code);
	return &self->view;
}

size_t
view_approval_count(const struct view *view)
{
	return ((const struct view_approval *)view)->count;
}

uint64_t
view_approval_call(const struct view *view, size_t i)
{
	return ((const struct view_approval *)view)->parts[i].call;
}
