/* listbox.c - invariant: selected < count (or both 0), and after a drawing it is in view. */
#include "config.h"

#include "tui/listbox.h"

#include <string.h>

void
listbox_init(struct listbox *list)
{
	memset(list, 0, sizeof(*list));
	list->following = true;
}

void
listbox_select(struct listbox *list, size_t i)
{
	if (list->count == 0)
		i = 0;
	else if (i >= list->count)
		i = list->count - 1;
	list->selected = i;
	list->following = i + 1 >= list->count;
}

void
listbox_set_count(struct listbox *list, size_t count)
{
	list->count = count;
	if (list->following)
		list->selected = count ? count - 1 : 0;
	else if (list->selected >= count)
		listbox_select(list, count);
}

static size_t
page(const struct listbox *list)
{
	return list->height > 1 ? (size_t)list->height - 1 : 1;
}

static size_t
minus(size_t a, size_t b)
{
	return a > b ? a - b : 0;
}

bool
listbox_command(struct listbox *list, enum command command)
{
	switch (command) {
	case COMMAND_UP:
		listbox_select(list, minus(list->selected, 1));
		return true;
	case COMMAND_DOWN:
		listbox_select(list, list->selected + 1);
		return true;
	case COMMAND_PAGE_UP:
		listbox_select(list, minus(list->selected, page(list)));
		return true;
	case COMMAND_PAGE_DOWN:
		listbox_select(list, list->selected + page(list));
		return true;
	case COMMAND_TOP:
		listbox_select(list, 0);
		return true;
	case COMMAND_BOTTOM:
	case COMMAND_FOLLOW:
		listbox_select(list, list->count);
		return true;
	default:
		return false;
	}
}

bool
listbox_offers(const struct listbox *list, enum command command)
{
	switch (command) {
	case COMMAND_UP:
	case COMMAND_PAGE_UP:
	case COMMAND_TOP:
		return list->selected > 0;
	case COMMAND_DOWN:
	case COMMAND_PAGE_DOWN:
	case COMMAND_BOTTOM:
	case COMMAND_FOLLOW:
		return list->selected + 1 < list->count;
	default:
		return false;
	}
}

static void
bring_into_view(struct listbox *list)
{
	size_t height = (size_t)list->height;

	if (list->selected < list->top)
		list->top = list->selected;
	if (list->selected >= list->top + height)
		list->top = list->selected - height + 1;
	if (list->top + height > list->count)
		list->top = minus(list->count, height);
}

void
listbox_draw(struct listbox *list, struct canvas *canvas, struct rect rect, listbox_row_fn row,
	void *arg)
{
	struct rect line = rect_make(rect.x, rect.y, rect.w, 1);
	struct rect before;

	list->height = rect.h;
	if (rect_empty(rect))
		return;
	bring_into_view(list);
	before = canvas_clip(canvas, rect);
	for (size_t i = list->top; i < list->count && line.y < rect.y + rect.h; i++, line.y++) {
		row(canvas, line, i, i == list->selected, arg);
		if (i == list->selected)
			canvas_restyle(canvas, line, STYLE_SELECTED);
	}
	canvas_clip(canvas, before);
}
