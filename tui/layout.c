/* layout.c - cutting one screen into rects; borders of neighbours lie on one another. */
#include "config.h"

#include "tui/layout.h"

#include <string.h>

#define TWO_PANES_ROWS 5 /* two boxes that share an edge, with a row in each */

static int
within(int value, int least, int most)
{
	if (value > most)
		value = most;
	return value < least ? least : value;
}

struct rect
rect_cut_top(struct rect *rect, int rows)
{
	struct rect cut = *rect;

	cut.h = within(rows, 0, rect->h);
	rect->y += cut.h;
	rect->h -= cut.h;
	return cut;
}

struct rect
rect_cut_bottom(struct rect *rect, int rows)
{
	struct rect cut = *rect;

	cut.h = within(rows, 0, rect->h);
	rect->h -= cut.h;
	cut.y = rect->y + rect->h;
	return cut;
}

bool
layout_can_decide(int cols, int rows)
{
	return cols >= LAYOUT_DECIDE_COLS && rows >= LAYOUT_DECIDE_ROWS;
}

/* Program left over the whole height, calls right, output below the calls. */
static void
place_wide(struct layout *layout, const struct layout_request *request, struct rect body)
{
	struct rect left = body, right = body, below;
	int cols = request->split_cols ? request->split_cols : LAYOUT_SPLIT_COLS;
	int rows = request->split_rows ? request->split_rows : LAYOUT_SPLIT_ROWS;
	int split = body.w * within(cols, LAYOUT_SPLIT_LEAST, LAYOUT_SPLIT_MOST) / 100;

	left.w = split + 1;
	right.x += split;
	right.w -= split;
	below = right;
	layout->pane[LAYOUT_PROGRAM] = left;
	if (body.h >= TWO_PANES_ROWS) {
		right.h = right.h * within(rows, LAYOUT_SPLIT_LEAST, LAYOUT_SPLIT_MOST) / 100 + 1;
		right.h = within(right.h, 3, body.h - 2);
		below.y += right.h - 1;
		below.h -= right.h - 1;
		layout->pane[LAYOUT_OUTPUT] = below;
	}
	layout->pane[LAYOUT_CALLS] = right;
}

/* The approval pane covers the lower part; at least the program's line stays in sight above it. */
static void
place_approval(struct layout *layout, const struct layout_request *request, struct rect body)
{
	int least = within(10, 0, body.h);
	int most = within(body.h - 5, least, body.h);

	layout->approval = body;
	if (!layout->wide || request->full)
		return;
	layout->approval.h = within(request->approval_h, least, most);
	layout->approval.y += body.h - layout->approval.h;
}

void
layout_make(struct layout *layout, const struct layout_request *request)
{
	struct rect body = rect_make(0, 0, request->cols, request->rows);

	memset(layout, 0, sizeof(*layout));
	layout->wide = request->cols >= LAYOUT_WIDE_COLS;
	layout->header = rect_cut_top(&body, 1);
	layout->hint = rect_cut_bottom(&body, 1);
	if (!layout->wide && !request->approval)
		layout->tabs = rect_cut_top(&body, 1);
	if (request->zoom || !layout->wide)
		layout->pane[request->focus] = body;
	else
		place_wide(layout, request, body);
	if (request->approval)
		place_approval(layout, request, body);
}
