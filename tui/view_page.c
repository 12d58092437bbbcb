/* Rows are made anew when the width, the mode or the session changed. */
#include "config.h"

#include "tui/view_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/rows.h"
#include "tui/view.h"

struct view_page {
	struct view view;
	struct view_page_look look;
	char *title;
	void *about;
	struct rows *rows;
	int cols;
	uint64_t generation;
	enum text_mode mode;
	size_t top;
	int height;
	struct page_found { /* of the search */
		bool there;
		size_t row;
		int col, cols;
	} found;
};

static void
page_free(struct view *view)
{
	struct view_page *self = (struct view_page *)view;

	rows_free(self->rows);
	free(self->title);
	free(self->about);
	free(self);
}

static void
refresh(struct view_page *self, const struct view_scene *scene, int cols)
{
	if (self->rows && self->cols == cols && self->generation == scene->session->generation)
		return;
	rows_free(self->rows);
	self->found.there = false;
	self->cols = cols;
	self->generation = scene->session->generation;
	self->rows = self->look.make(scene, cols, self->mode, self->about);
}

static size_t
last_top(const struct view_page *self)
{
	size_t count = self->rows ? rows_count(self->rows) : 0;

	return count > (size_t)self->height ? count - (size_t)self->height : 0;
}

static void
page_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_page *self = (struct view_page *)view;

	refresh(self, scene, rect.w);
	self->height = rect.h;
	if (self->top > last_top(self))
		self->top = last_top(self);
	(void)rows_draw(self->rows, canvas, rect, self->top);
	if (self->found.there && self->found.row >= self->top)
		canvas_restyle(canvas,
			rect_common(rect, rect_make(rect.x + self->found.col,
						  rect.y + (int)(self->found.row - self->top),
						  self->found.cols, 1)),
			STYLE_SELECTED);
}

static void
page_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	struct view_page *self = (struct view_page *)view;
	size_t count = self->rows ? rows_count(self->rows) : 0;
	size_t bottom = self->top + (size_t)self->height;

	(void)scene;
	if (bottom < count || self->top > 0)
		snprintf(out, size, "%s · rows %zu to %zu of %zu", self->title, self->top + 1,
			bottom < count ? bottom : count, count);
	else
		snprintf(out, size, "%s", self->title);
}

static enum map
page_map(const struct view *view)
{
	return ((const struct view_page *)view)->look.map;
}

static void
scroll(struct view_page *self, int64_t by)
{
	int64_t top = (int64_t)self->top + by;

	self->top = top < 0 ? 0 : (size_t)top;
	if (self->top > last_top(self))
		self->top = last_top(self);
}

static enum view_reply
page_run(struct view *view, enum command command, struct intent *out)
{
	struct view_page *self = (struct view_page *)view;
	int page = self->height > 1 ? self->height - 1 : 1;

	(void)out;
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
	case COMMAND_TOP:
		self->top = 0;
		return VIEW_DIRTY;
	case COMMAND_BOTTOM:
		self->top = last_top(self);
		return VIEW_DIRTY;
	case COMMAND_STRICT:
		self->mode = self->mode == TEXT_STRICT ? TEXT_TEXT : TEXT_STRICT;
		rows_free(self->rows);
		self->rows = NULL;
		return VIEW_DIRTY;
	case COMMAND_BACK:
	case COMMAND_HELP:
	case COMMAND_EXPLAIN:
		return VIEW_CLOSE;
	default:
		return VIEW_IGNORED;
	}
}

static bool
page_offers(const struct view *view, enum command command)
{
	const struct view_page *self = (const struct view_page *)view;

	switch (command) {
	case COMMAND_BACK:
		return true;
	case COMMAND_STRICT:
		return self->look.foreign;
	case COMMAND_UP:
	case COMMAND_PAGE_UP:
	case COMMAND_TOP:
		return self->top > 0;
	case COMMAND_DOWN:
	case COMMAND_PAGE_DOWN:
	case COMMAND_BOTTOM:
		return self->top < last_top(self);
	default:
		return false;
	}
}

/* From the row of the last match, or the first in view; rows that match are counted. */
static bool
page_search(struct view *view, struct find *find)
{
	struct view_page *self = (struct view_page *)view;
	size_t count = self->rows ? rows_count(self->rows) : 0;
	size_t from = self->found.there ? self->found.row : self->top + count - 1;
	struct page_found found = { 0 };

	find->count = find->at = 0;
	for (size_t i = 1; i <= count; i++) {
		size_t row = (from + (find->back ? count - i : i)) % count;
		int col, cols;

		if (!rows_holds(self->rows, row, find, &col, &cols))
			continue;
		find->count++;
		if (!found.there)
			found = (struct page_found){ true, row, col, cols };
	}
	self->found = found;
	if (!found.there)
		return false;
	for (size_t row = 0; row <= found.row; row++)
		find->at += rows_holds(self->rows, row, find, &found.col, &found.cols);
	if (found.row < self->top || found.row >= self->top + (size_t)self->height)
		self->top = found.row > (size_t)self->height / 3
				    ? found.row - (size_t)self->height / 3
				    : 0;
	return true;
}

struct view *
view_page_new(const struct view_page_look *look)
{
	static const struct view_ops ops = {
		.free = page_free,
		.title = page_title,
		.map = page_map,
		.run = page_run,
		.offers = page_offers,
		.search = page_search,
		.paint = page_paint,
	};
	struct view_page *self = mem_zero(1, sizeof(*self));

	self->view.ops = &ops;
	self->look = *look;
	self->title = mem_str(look->title);
	self->about = mem_copy(look->about, look->about_size);
	self->mode = look->mode;
	return &self->view;
}
