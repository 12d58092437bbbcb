/*
 * Rows are made once a presentation; what comes meanwhile changes the last row, never what is
 * asked.
 */
#include "config.h"

#include "tui/sheet.h"

#include <stdint.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "tui/arming.h"
#include "tui/bar.h"
#include "tui/lineedit.h"
#include "tui/rows.h"

#define FOOT_ROWS 2 /* the divider and the last row */
#define FIELD_BYTES 500
#define METER_COLS 5
#define GAP 3

void
sheet_init(struct sheet *sheet, const struct view_ops *view, const struct sheet_ops *ops,
	const struct arming *arming)
{
	sheet->view.ops = view;
	sheet->ops = ops;
	sheet->arming = arming;
	sheet->mode = TEXT_STRICT;
	sheet->other = TEXT_TEXT;
}

void
sheet_release(struct sheet *sheet)
{
	rows_free(sheet->rows);
	lineedit_free(sheet->field);
	free(sheet->said);
}

void
sheet_say(struct sheet *sheet, const char *words)
{
	free(sheet->said);
	sheet->said = mem_str(words);
}

/* --- what guards it --- */

static size_t
sheet_present(struct view *view, const struct view_scene *scene, struct rect rect, int rows)
{
	struct sheet *sheet = (struct sheet *)view;

	(void)rows;
	rows_free(sheet->rows);
	sheet->cols = rect.w < ROWS_MIN_COLS ? ROWS_MIN_COLS : rect.w;
	sheet->lit_from = sheet->lit_to = 0;
	sheet->height = 0;
	sheet->rows = sheet->ops->make(sheet, scene, sheet->cols);
	return rows_count(sheet->rows);
}

static bool
sheet_fits(const struct view *view, const struct view_scene *scene, struct rect rect)
{
	const struct sheet *sheet = (const struct sheet *)view;
	int cols = rect.w < ROWS_MIN_COLS ? ROWS_MIN_COLS : rect.w;

	return sheet->rows && sheet->cols == cols &&
	       (!sheet->ops->stands || sheet->ops->stands(sheet, scene));
}

static void
sheet_seen(const struct view *view, struct coverage *seen)
{
	const struct sheet *sheet = (const struct sheet *)view;
	size_t count = sheet->rows ? rows_count(sheet->rows) : 0;
	size_t bottom = sheet->top + (size_t)sheet->height;

	if (sheet->height > 0 && sheet->top < count)
		coverage_add(seen, sheet->top, bottom < count ? bottom : count);
}

static void
sheet_block(struct view *view, const char *words, bool read_only)
{
	struct sheet *sheet = (struct sheet *)view;

	sheet->blocked = words;
	sheet->read_only = read_only;
}

static const char *
sheet_blocked(const struct view *view)
{
	const struct sheet *sheet = (const struct sheet *)view;

	if (sheet->blocked)
		return sheet->blocked;
	return sheet->ops->blocked ? sheet->ops->blocked(sheet) : NULL;
}

static void
sheet_yes(struct view *view, enum command command, struct intent *out)
{
	struct sheet *sheet = (struct sheet *)view;

	if (command == COMMAND_APPROVE && !sheet->sent && !sheet->field)
		sheet->ops->yes(sheet, out);
}

static bool
sheet_strict(const struct view *view)
{
	return ((const struct sheet *)view)->mode == TEXT_STRICT;
}

static bool
sheet_wording(const struct view *view)
{
	const struct sheet *sheet = (const struct sheet *)view;

	return sheet->field && sheet->wording;
}

static void
sheet_sent(struct view *view, bool sent)
{
	((struct sheet *)view)->sent = sent;
}

const struct guard_ops sheet_guard = {
	.present = sheet_present,
	.fits = sheet_fits,
	.seen = sheet_seen,
	.block = sheet_block,
	.blocked = sheet_blocked,
	.yes = sheet_yes,
	.strict = sheet_strict,
	.wording = sheet_wording,
	.sent = sheet_sent,
};

void
sheet_ask_anew(struct sheet *sheet, struct intent *out)
{
	(void)sheet;
	out->kind = INTENT_AGAIN;
}

/* --- painting --- */

static size_t
last_top(const struct sheet *sheet)
{
	size_t count = sheet->rows ? rows_count(sheet->rows) : 0;

	return count > (size_t)sheet->height ? count - (size_t)sheet->height : 0;
}

static void
draw_divider(const struct sheet *sheet, struct canvas *canvas, struct rect rect)
{
	size_t covered = arming_covered(sheet->arming);
	size_t total = arming_total(sheet->arming);
	size_t count = sheet->rows ? rows_count(sheet->rows) : 0;
	size_t bottom = sheet->top + (size_t)sheet->height;
	int x;

	canvas_hline(canvas, rect.x - 1, rect.y, rect.w + 2, STYLE_BORDER_FOCUS);
	x = canvas_printf(canvas, rect.x + 1, rect.y, covered < total ? STYLE_WARNING : STYLE_DIM,
		" seen %zu of %zu rows ", covered, total);
	if (sheet->top > 0)
		x = canvas_printf(canvas, x + 1, rect.y, STYLE_DIM, " ↑ %zu more ", sheet->top);
	if (count > bottom)
		x = canvas_printf(canvas, x + 1, rect.y, STYLE_DIM, " ↓ %zu more ", count - bottom);
	if (sheet->mode != TEXT_STRICT)
		(void)canvas_text(canvas, x + 1, rect.y, STYLE_WARNING, " text mode ");
}

/* What keeps a yes from standing at this moment. */
static int
draw_wait(const struct sheet *sheet, struct canvas *canvas, struct rect rect, int64_t now)
{
	const char *blocked = sheet_blocked(&sheet->view);
	int x = rect.x;

	if (sheet->sent)
		return canvas_text(canvas, x, rect.y, STYLE_TEXT, "sent, waiting for the answer") +
		       GAP;
	if (sheet->said)
		x = canvas_text(canvas, x, rect.y, STYLE_WARNING, sheet->said) + GAP;
	if (blocked)
		return canvas_text(canvas, x, rect.y, STYLE_WARNING, blocked) + GAP;
	if (arming_state(sheet->arming, now) == ARMING_ARMED)
		return x;
	if (arming_too_early(sheet->arming) && !sheet->said)
		x = canvas_text(canvas, x, rect.y, STYLE_WARNING, "too early:") + 1;
	if (arming_progress(sheet->arming, now) >= 100 &&
		arming_covered(sheet->arming) < arming_total(sheet->arming))
		return canvas_text(canvas, x, rect.y, STYLE_TEXT, "read on, not all was shown") +
		       GAP;
	x = canvas_text(canvas, x, rect.y, STYLE_TEXT, "the keyboard must rest ");
	return bar_meter(canvas, rect_make(x, rect.y, METER_COLS, 1),
		       arming_progress(sheet->arming, now), 100) +
	       GAP;
}

static bool
works_now(const struct sheet *sheet, enum command command, int64_t now)
{
	unsigned flags = command_flags(command);

	if (flags & COMMAND_NEEDS_ARMED && arming_state(sheet->arming, now) != ARMING_ARMED)
		return false;
	if (flags & COMMAND_NEEDS_REST && !arming_rested(sheet->arming, now))
		return false;
	return sheet->view.ops->offers(&sheet->view, command);
}

static int
draw_hint(struct canvas *canvas, struct rect rect, const struct view_scene *scene, enum map map,
	const struct sheet_hint *hint)
{
	char name[KEY_NAME_MAX];
	struct key key;
	int x;

	if (!keymap_key(scene->keymap, map, hint->command, &key))
		return rect.x;
	key_name(key, name);
	if (canvas_text_width(canvas, name) + 1 + canvas_text_width(canvas, hint->words) > rect.w)
		return rect.x;
	x = canvas_text(canvas, rect.x, rect.y, STYLE_HINT_KEY, name);
	return canvas_text(canvas, x + 1, rect.y, STYLE_HINT, hint->words) + GAP;
}

static void
draw_last_row(const struct sheet *sheet, struct canvas *canvas, struct rect rect,
	const struct view_scene *scene)
{
	int end = rect.x + rect.w;
	int x;

	if (sheet->field) {
		x = canvas_text(canvas, rect.x, rect.y, STYLE_LABEL, sheet->field_label);
		if (sheet->said)
			end -= canvas_text_width(canvas, sheet->said) + 1;
		lineedit_draw(sheet->field, canvas, rect_make(x, rect.y, end - x, 1), STYLE_INPUT);
		if (sheet->said)
			canvas_text(canvas, end + 1, rect.y, STYLE_WARNING, sheet->said);
		return;
	}
	x = draw_wait(sheet, canvas, rect, scene->now);
	for (size_t i = 0; i < sheet->ops->hint_count; i++)
		if (works_now(sheet, sheet->ops->hints[i].command, scene->now))
			x = draw_hint(canvas, rect_make(x, rect.y, end - x, 1), scene,
				sheet->view.ops->map(&sheet->view), &sheet->ops->hints[i]);
}

void
sheet_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct sheet *sheet = (struct sheet *)view;
	struct rect text = rect_make(rect.x, rect.y, sheet->cols, rect.h - FOOT_ROWS);

	if (!sheet->rows)
		return;
	sheet->height = text.h;
	if (sheet->top > last_top(sheet))
		sheet->top = last_top(sheet);
	(void)rows_draw(sheet->rows, canvas, text, sheet->top);
	for (size_t row = sheet->lit_from; row < sheet->lit_to; row++)
		if (row >= sheet->top && row < sheet->top + (size_t)text.h)
			canvas_restyle(canvas,
				rect_make(rect.x, rect.y + (int)(row - sheet->top), rect.w, 1),
				STYLE_SELECTED);
	/* Rows that would be cut at the right were not shown. */
	if (rect.w < sheet->cols)
		sheet->height = 0;
	draw_divider(sheet, canvas, rect_make(rect.x, rect.y + rect.h - 2, rect.w, 1));
	draw_last_row(sheet, canvas, rect_make(rect.x, rect.y + rect.h - 1, rect.w, 1), scene);
}

/* --- looking --- */

static void
scroll(struct sheet *sheet, int64_t by)
{
	int64_t top = (int64_t)sheet->top + by;

	sheet->top = top < 0 ? 0 : (size_t)top;
	if (sheet->top > last_top(sheet))
		sheet->top = last_top(sheet);
}

void
sheet_show_rows(struct sheet *sheet, size_t from, size_t to)
{
	if (from < sheet->top)
		sheet->top = from;
	else if (sheet->height > 0 && to > sheet->top + (size_t)sheet->height)
		sheet->top = to - (size_t)sheet->height;
}

static void
switch_mode(struct sheet *sheet)
{
	enum text_mode mode = sheet->mode;

	sheet->mode = sheet->other;
	sheet->other = mode;
}

enum view_reply
sheet_look(struct sheet *sheet, enum command command, struct intent *out)
{
	int page = sheet->height > 1 ? sheet->height - 1 : 1;

	switch (command) {
	case COMMAND_UP:
		scroll(sheet, -1);
		return VIEW_DIRTY;
	case COMMAND_DOWN:
		scroll(sheet, 1);
		return VIEW_DIRTY;
	case COMMAND_PAGE_UP:
		scroll(sheet, -page);
		return VIEW_DIRTY;
	case COMMAND_PAGE_DOWN:
		scroll(sheet, page);
		return VIEW_DIRTY;
	case COMMAND_STRICT:
		switch_mode(sheet);
		sheet_ask_anew(sheet, out);
		return VIEW_DIRTY;
	default:
		return VIEW_IGNORED;
	}
}

bool
sheet_offers_look(const struct sheet *sheet, enum command command)
{
	size_t count = sheet->rows ? rows_count(sheet->rows) : 0;

	switch (command) {
	case COMMAND_UP:
	case COMMAND_PAGE_UP:
		return sheet->top > 0;
	case COMMAND_DOWN:
	case COMMAND_PAGE_DOWN:
		return sheet->top + (size_t)sheet->height < count;
	default:
		return false;
	}
}

/* --- the field --- */

void
sheet_field_open(struct sheet *sheet, const char *label, const char *text, bool wording)
{
	sheet_field_close(sheet);
	sheet->field = lineedit_new(FIELD_BYTES, NULL);
	lineedit_set(sheet->field, text);
	sheet->field_label = label;
	sheet->wording = wording;
}

void
sheet_field_close(struct sheet *sheet)
{
	lineedit_free(sheet->field);
	sheet->field = NULL;
	sheet_say(sheet, NULL);
}

bool
sheet_key(struct view *view, struct key key)
{
	struct sheet *sheet = (struct sheet *)view;

	sheet_say(sheet, NULL);
	return sheet->field && lineedit_key(sheet->field, key);
}

bool
sheet_typing(const struct view *view)
{
	return ((const struct sheet *)view)->field != NULL;
}
