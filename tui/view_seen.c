/*
 * The rows are made once, from sessions that are gone afterwards.  Facts stand above the document
 * in one scroll; the divider between them is a row of the facts.
 */
#include "config.h"

#include "tui/view_seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/bar.h"
#include "tui/document.h"
#include "tui/rows.h"
#include "tui/seen.h"
#include "tui/view.h"

#define FRAME_ROWS 4 /* two borders, the divider and the last row */
#define PAD 1

struct view_seen {
	struct view view;
	bool whole;
	uint64_t call, presentation;
	int cols;
	struct rows *facts; /* NULL in place */
	struct document document;
	char *decided; /* "approved by person root after 3.2 s", escaped */
	enum style decided_style;
	size_t top;
	int height;
};

static void
seen_free(struct view *view)
{
	struct view_seen *self = (struct view_seen *)view;

	rows_free(self->facts);
	document_release(&self->document);
	free(self->decided);
	free(self);
}

/* --- what became of it --- */

static const char *
verdict_words(const char *verdict)
{
	static const char *const words[][2] = {
		{ "approve", "approved" },
		{ "deny", "denied" },
		{ "reuse", "answered with an earlier result" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i][0], verdict) == 0)
			return words[i][1];
	return "decided";
}

/* "approved by person root after 3.2 s" */
static void
take_decision(struct view_seen *self, const struct session_call *call)
{
	AUTO_FREE char *by = text_escape(untrusted_str(call->by), TEXT_STRICT);
	AUTO_FREE char *who = text_escape(untrusted_str(call->who), TEXT_STRICT);
	int64_t held = call->held_mono > 0 ? call->held_mono : call->requested_mono;

	self->decided_style = STYLE_WARNING;
	if (!call->verdict) {
		self->decided = mem_str("never decided: it did not run");
		return;
	}
	self->decided_style = strcmp(call->verdict, "deny") == 0 ? STYLE_DENIED : STYLE_APPROVED;
	self->decided = mem_printf("%s by %s%s%s after %.1f s%s", verdict_words(call->verdict), by,
		who[0] ? " " : "", who, (double)(call->decided_mono - held) / (double)NS_PER_S,
		call->stop ? ", and the run stopped" : "");
}

/* --- the facts --- */

static void
say_verdict(struct rows *rows, const struct seen *seen)
{
	const char *version = seen->session->version;

	rows_field(rows, "frame");
	switch (seen->verdict) {
	case SEEN_NEVER:
		rows_words(rows, STYLE_WARNING,
			"! no console said that it showed this call: below is what one would have");
		break;
	case SEEN_SAME:
		rows_words(rows, STYLE_APPROVED, "this is what was shown (frame matches)");
		break;
	case SEEN_WITHHELD:
		rows_words(rows, STYLE_WARNING,
			"! cannot be made again: content withheld or redacted");
		break;
	case SEEN_DIFFERENT:
		rows_words(rows, STYLE_WARNING, "! DIFFERS from what was recorded as shown");
		if (version && strcmp(version, PACKAGE_VERSION) != 0) {
			rows_words(rows, STYLE_WARNING, ": recorded by version ");
			rows_prose(rows, STYLE_WARNING, untrusted_str(version), TEXT_STRICT);
			rows_words(rows, STYLE_WARNING, ", this is " PACKAGE_VERSION);
		}
		break;
	}
}

static void
say_presentation(struct rows *rows, const struct seen *seen, int cols)
{
	const struct session_shown *shown = &seen->shown;

	if (!shown->console)
		return;
	rows_field(rows, "shown");
	rows_printf(rows, STYLE_TEXT, "%d columns of text, a screen of %d rows, %s mode",
		shown->cols, shown->rows, shown->strict ? "strict" : "text");
	rows_field(rows, NULL);
	rows_printf(rows, STYLE_TEXT, "presentation %llu at %.1f s on console ",
		(unsigned long long)shown->presentation, (double)shown->mono / (double)NS_PER_S);
	rows_prose(rows, STYLE_TEXT, untrusted_str(shown->console), TEXT_STRICT);
	if (cols == shown->cols)
		return;
	rows_field(rows, NULL);
	rows_printf(rows, STYLE_DIM, "this screen is narrower: below it is laid out for %d columns",
		cols);
}

/* Only through a console: what it said of how it was read. */
static void
say_reading(struct rows *rows, const struct session_call *call)
{
	if (call->more->covered < 0 && call->more->dwell_ms < 0)
		return;
	rows_field(rows, "read");
	if (call->more->covered >= 0)
		rows_printf(rows,
			call->more->covered < call->more->total ? STYLE_WARNING : STYLE_TEXT,
			"%lld of %lld bytes were on the screen", (long long)call->more->covered,
			(long long)call->more->total);
	if (call->more->dwell_ms >= 0)
		rows_printf(rows, STYLE_TEXT, "%sthe pane stood for %.1f s",
			call->more->covered >= 0 ? " · " : "",
			(double)call->more->dwell_ms / 1000.0);
}

static void
say_decision(struct rows *rows, const struct view_seen *self, const struct session_call *call)
{
	rows_field(rows, "decided");
	rows_words(rows, self->decided_style, self->decided);
	if (call->verdict)
		rows_printf(rows, STYLE_DIM, " · at %.1f s",
			(double)call->decided_mono / (double)NS_PER_S);
	if (call->more->reason.bytes) {
		rows_words(rows, STYLE_DIM, " · ");
		rows_prose(rows, STYLE_VALUE,
			untrusted(call->more->reason.bytes, call->more->reason.len), TEXT_STRICT);
	}
}

static void
make_facts(struct view_seen *self, const struct seen *seen, int cols)
{
	const struct session_call *call = seen->after;

	self->facts = rows_new(cols);
	say_verdict(self->facts, seen);
	say_presentation(self->facts, seen, self->cols);
	say_reading(self->facts, call);
	say_decision(self->facts, self, call);
	rows_divide(self->facts, "");
	rows_finish(self->facts);
}

/* --- painting --- */

static size_t
all_rows(const struct view_seen *self)
{
	return (self->facts ? rows_count(self->facts) : 0) + rows_count(self->document.rows);
}

static size_t
last_top(const struct view_seen *self)
{
	size_t count = all_rows(self);

	return count > (size_t)self->height ? count - (size_t)self->height : 0;
}

static void
draw_rows(struct view_seen *self, struct canvas *canvas, struct rect rect)
{
	size_t facts = self->facts ? rows_count(self->facts) : 0;
	size_t top = self->top;

	self->height = rect.h;
	if (top > last_top(self))
		top = self->top = last_top(self);
	if (top < facts) {
		int drawn = rows_draw(self->facts, canvas, rect, top);

		rect.y += drawn;
		rect.h -= drawn;
		top = facts;
	}
	if (rect.h > 0)
		(void)rows_draw(self->document.rows, canvas, rect, top - facts);
}

static void
draw_last_row(struct view_seen *self, struct canvas *canvas, struct rect rect,
	const struct keymap *keymap)
{
	static const enum command commands[] = { COMMAND_SEEN };
	struct bar_hints hints = { keymap, MAP_REPLAY, commands, 1 };
	int x = canvas_text(canvas, rect.x, rect.y, STYLE_DIM, "recorded: ");

	x = canvas_text(canvas, x, rect.y, self->decided_style, self->decided) + 3;
	bar_hints(canvas, rect_make(x, rect.y, rect.x + rect.w - x, 1), &hints);
}

static void
draw_divider(struct view_seen *self, struct canvas *canvas, struct rect rect)
{
	size_t bottom = self->top + (size_t)self->height;
	int x = rect.x + 2;

	canvas_hline(canvas, rect.x, rect.y, rect.w, STYLE_BORDER_FOCUS);
	if (self->top > 0)
		x = canvas_printf(canvas, x, rect.y, STYLE_DIM, " ↑ %zu more ", self->top) + 1;
	if (bottom < all_rows(self))
		canvas_printf(
			canvas, x, rect.y, STYLE_DIM, " ↓ %zu more ", all_rows(self) - bottom);
}

static void
seen_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_seen *self = (struct view_seen *)view;
	struct rect inside = rect_inside(rect);

	if (self->whole) {
		draw_rows(self, canvas, rect);
		return;
	}
	canvas_fill(canvas, inside, STYLE_TEXT);
	canvas_box(canvas, rect, STYLE_BORDER_FOCUS);
	draw_rows(self, canvas, rect_make(inside.x + PAD, inside.y, self->cols, inside.h - 2));
	draw_divider(self, canvas, rect_make(rect.x, rect.y + rect.h - 3, rect.w, 1));
	draw_last_row(self, canvas,
		rect_make(inside.x + PAD, rect.y + rect.h - 2, inside.w - 2 * PAD, 1),
		scene->keymap);
}

static void
seen_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	const struct view_seen *self = (const struct view_seen *)view;

	(void)scene;
	snprintf(out, size, self->whole ? "what was seen of call %llu" : "call %llu waited",
		(unsigned long long)self->call);
}

/* --- keys --- */

static enum map
seen_map(const struct view *view)
{
	(void)view;
	return MAP_SEEN;
}

static enum view_reply
scroll(struct view_seen *self, int64_t by)
{
	int64_t top = (int64_t)self->top + by;

	self->top = top < 0 ? 0 : (size_t)top;
	if (self->top > last_top(self))
		self->top = last_top(self);
	return VIEW_DIRTY;
}

static enum view_reply
seen_run(struct view *view, enum command command, struct intent *out)
{
	struct view_seen *self = (struct view_seen *)view;
	int page = self->height > 1 ? self->height - 1 : 1;

	switch (command) {
	case COMMAND_UP:
		return scroll(self, -1);
	case COMMAND_DOWN:
		return scroll(self, 1);
	case COMMAND_PAGE_UP:
		return scroll(self, -page);
	case COMMAND_PAGE_DOWN:
		return scroll(self, page);
	case COMMAND_TOP:
		return scroll(self, -(int64_t)self->top);
	case COMMAND_BOTTOM:
		return scroll(self, (int64_t)all_rows(self));
	case COMMAND_FULL:
		if (self->whole)
			return VIEW_IGNORED;
		out->kind = INTENT_FULL;
		return VIEW_DIRTY;
	case COMMAND_BACK:
		return VIEW_CLOSE;
	default:
		return VIEW_IGNORED;
	}
}

static bool
seen_offers(const struct view *view, enum command command)
{
	const struct view_seen *self = (const struct view_seen *)view;

	switch (command) {
	case COMMAND_UP:
	case COMMAND_PAGE_UP:
	case COMMAND_TOP:
		return self->top > 0;
	case COMMAND_DOWN:
	case COMMAND_PAGE_DOWN:
	case COMMAND_BOTTOM:
		return self->top < last_top(self);
	case COMMAND_FULL:
		return !self->whole;
	case COMMAND_BACK:
		return true;
	default:
		return false;
	}
}

/* --- life --- */

/* The recorded width where it fits; else this one, and the facts say so. */
static int
document_cols(const struct seen *seen, int cols, bool whole)
{
	int recorded = seen->shown.console ? seen->shown.cols : 0;

	return whole && recorded >= ROWS_MIN_COLS && recorded <= cols ? recorded : cols;
}

struct view *
view_seen_new(const struct seen *seen, int cols, bool whole)
{
	static const struct view_ops ops = {
		.free = seen_free,
		.title = seen_title,
		.map = seen_map,
		.run = seen_run,
		.offers = seen_offers,
		.paint = seen_paint,
	};
	struct view_seen *self = mem_zero(1, sizeof(*self));

	self->view.ops = &ops;
	self->whole = whole;
	self->call = seen->call;
	self->presentation = seen->shown.console ? seen->shown.presentation : 0;
	self->cols = document_cols(seen, cols, whole);
	seen_document(seen, (unsigned)self->cols, &self->document);
	take_decision(self, seen->after);
	if (whole)
		make_facts(self, seen, cols);
	return &self->view;
}

uint64_t
view_seen_call(const struct view *view)
{
	return ((const struct view_seen *)view)->call;
}

uint64_t
view_seen_presentation(const struct view *view)
{
	return ((const struct view_seen *)view)->presentation;
}

int
view_seen_cols(const struct view *view)
{
	return ((const struct view_seen *)view)->cols;
}

int
view_seen_rows(const struct view *view)
{
	return (int)rows_count(((const struct view_seen *)view)->document.rows) + FRAME_ROWS;
}

int
view_seen_text_cols(struct rect pane)
{
	int cols = pane.w - 2 - 2 * PAD;

	return cols < ROWS_MIN_COLS ? ROWS_MIN_COLS : cols;
}
