/*
 * The documents of the calls, one below the other; with several each has a row of its own words
 * above it.  Rows are counted through all parts, bytes of arguments too.
 */
#include "config.h"

#include <string.h>

#include "core/session/session.h"
#include "tui/arming.h"
#include "tui/bound_list.h"
#include "tui/find.h"
#include "tui/rows.h"
#include "tui/view_approval_inside.h"

static size_t
head_rows(const struct view_approval *self)
{
	return self->count > 1 ? 1 : 0;
}

static bool
is_held_for(const struct session_call *call, const char *why)
{
	return call->held_why && strcmp(call->held_why, why) == 0;
}

/* Is there an earlier result to answer it with?  An edited call repeats nothing. */
static bool
repeats_what_ended(const struct session *session, const struct session_call *call)
{
	const struct session_call *before =
		call->repeat_of ? session_call(session, call->repeat_of) : NULL;

	return is_held_for(call, "repeat") && call->edit == 0 && before &&
	       before->state == CALL_ENDED;
}

void
approval_part_present(
	struct view_approval *self, struct approval_part *part, const struct session *session)
{
	const struct session_call *call = session_call(session, part->call);

	part->bind = call->bind;
	part->wants_code = call->confirm_code;
	part->repeat = repeats_what_ended(session, call);
	part->over_budget = document_over(session, call) != NULL;
	part->no_grant = bound_refused(session, call);
	part->edited = call->edit > 0;
	part->has_limit = call->timeout_ms >= 0;
	part->compares = session_last_approved(session, call->tool, call->number) != NULL;
	document_release(&part->document);
	document_make(&part->document, session, call, (unsigned)self->cols,
		(unsigned)self->screen_rows, self->mode);
}

size_t
approval_rows(const struct view_approval *self)
{
	size_t rows = 0;

	for (size_t i = 0; i < self->count; i++)
		if (self->parts[i].document.rows)
			rows += head_rows(self) + rows_count(self->parts[i].document.rows);
	return rows;
}

size_t
approval_part_covered(const struct view_approval *self, const struct approval_part *part)
{
	return arming_covered_in(self->arming, part->bytes_at, part->document.total);
}

static void
draw_head(const struct view_approval *self, const struct approval_part *part, struct canvas *canvas,
	struct rect rect)
{
	size_t covered = approval_part_covered(self, part);
	bool all = covered == part->document.total;

	canvas_hline(canvas, rect.x, rect.y, rect.w, STYLE_BORDER);
	canvas_printf(canvas, rect.x + 2, rect.y, all ? STYLE_TITLE : STYLE_WARNING,
		" call %llu: seen %zu of %zu bytes ", (unsigned long long)part->call, covered,
		part->document.total);
}

/* The rows of one part that lie in a window of height rows from top on, counted in that part. */
struct window {
	size_t skip; /* rows of the document above */
	int at;      /* row of the window where the document's first shown row stands */
	int head;    /* row of the window where the head stands; -1: it is not in sight */
	int rows;    /* of the document that are in sight */
	bool in_sight;
};

static struct window
window_of(const struct view_approval *self, size_t part_at, const struct approval_part *part)
{
	size_t heads = head_rows(self);
	size_t end = part_at + heads + rows_count(part->document.rows);
	size_t bottom = self->top + (size_t)(self->height > 0 ? self->height : 0);
	size_t first = part_at + heads; /* row of all where the document begins */
	struct window window = { .head = -1 };

	if (end <= self->top || part_at >= bottom)
		return window;
	window.in_sight = true;
	if (heads > 0 && part_at >= self->top)
		window.head = (int)(part_at - self->top);
	if (first < self->top)
		window.skip = self->top - first;
	else
		window.at = (int)(first - self->top);
	window.rows = self->height - window.at;
	return window;
}

void
approval_parts_draw(const struct view_approval *self, struct canvas *canvas, struct rect rect)
{
	size_t at = 0;

	for (size_t i = 0; i < self->count; i++) {
		const struct approval_part *part = &self->parts[i];
		struct window window = window_of(self, at, part);

		at += head_rows(self) + rows_count(part->document.rows);
		if (!window.in_sight)
			continue;
		if (window.head >= 0)
			draw_head(self, part, canvas,
				rect_make(rect.x, rect.y + window.head, rect.w, 1));
		if (window.rows > 0)
			(void)rows_draw(part->document.rows, canvas,
				rect_make(rect.x, rect.y + window.at, rect.w, window.rows),
				window.skip);
	}
	if (self->found.cols > 0 && self->found.row >= self->top &&
		self->found.row < self->top + (size_t)rect.h)
		canvas_restyle(canvas,
			rect_make(rect.x + self->found.col,
				rect.y + (int)(self->found.row - self->top), self->found.cols, 1),
			STYLE_SEARCH);
}

void
approval_parts_seen(const struct view_approval *self, struct coverage *seen)
{
	struct coverage of_part;
	size_t at = 0;

	coverage_init(&of_part);
	for (size_t i = 0; i < self->count; i++) {
		const struct approval_part *part = &self->parts[i];
		struct window window = window_of(self, at, part);

		at += head_rows(self) + rows_count(part->document.rows);
		if (!window.in_sight || window.rows <= 0)
			continue;
		coverage_clear(&of_part);
		rows_seen(part->document.rows, window.skip, (size_t)window.rows, &of_part);
		for (size_t j = 0; j < of_part.count; j++)
			coverage_add(seen, part->bytes_at + of_part.ranges[j].from,
				part->bytes_at + of_part.ranges[j].to);
	}
	coverage_release(&of_part);
}

struct match {
	struct approval_found first, last, before,
		after; /* of where the search stands; cols 0: none */
	size_t count, before_count;
};

static void
note_match(struct match *match, const struct approval_found *here, const struct approval_found *now)
{
	match->count++;
	if (match->first.cols == 0)
		match->first = *here;
	match->last = *here;
	if (now->cols > 0 && here->row < now->row) {
		match->before = *here;
		match->before_count++;
	} else if ((now->cols == 0 || here->row > now->row) && match->after.cols == 0) {
		match->after = *here;
	}
}

static void
find_all(const struct view_approval *self, const struct find *find, struct match *match)
{
	size_t at = 0;

	for (size_t i = 0; i < self->count; i++) {
		const struct rows *rows = self->parts[i].document.rows;

		if (!rows)
			return; /* not presented yet */
		at += head_rows(self);
		for (size_t row = 0; row < rows_count(rows); row++) {
			struct approval_found here = { .row = at + row };

			if (rows_holds(rows, row, find, &here.col, &here.cols))
				note_match(match, &here, &self->found);
		}
		at += rows_count(rows);
	}
}

static size_t
place_of(const struct match *match, const struct approval_found *found)
{
	if (found->row == match->last.row)
		return match->count;
	if (found->row == match->first.row)
		return 1;
	return match->before_count + (found->row == match->before.row ? 0 : 2);
}

bool
approval_parts_find(struct view_approval *self, struct find *find)
{
	size_t third = (size_t)(self->height > 3 ? self->height / 3 : 0);
	struct match match = { .count = 0 };

	find_all(self, find, &match);
	if (match.count == 0)
		return false;
	if (find->back)
		self->found = match.before.cols > 0 ? match.before : match.last;
	else
		self->found = match.after.cols > 0 ? match.after : match.first;
	find->count = match.count;
	find->at = place_of(&match, &self->found);
	if (self->found.row < self->top || self->found.row >= self->top + (size_t)self->height)
		self->top = self->found.row > third ? self->found.row - third : 0;
	if (self->top > approval_last_top(self))
		self->top = approval_last_top(self);
	return true;
}
