/*
 * layout.h - where things are on a screen of a given size.
 *
 * Knows:      canvas (struct rect).
 * Unaware of: what is drawn there.
 */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

#include <stdbool.h>

#include "tui/canvas.h"

#define LAYOUT_WIDE_COLS 100
#define LAYOUT_DECIDE_COLS 60 /* below this, or */
#define LAYOUT_DECIDE_ROWS 15 /* this, nothing can be approved */

enum layout_pane { LAYOUT_PROGRAM, LAYOUT_CALLS, LAYOUT_OUTPUT, LAYOUT_PANES };

struct layout_request {
	int cols, rows;
	enum layout_pane focus;
	bool zoom;      /* the focused pane alone */
	bool approval;  /* the approval pane is open */
	bool full;      /* and wants the whole screen; it gets it below 100 columns in any case */
	int approval_h; /* rows it would like, borders included */
	int split_cols; /* percent of the columns for the program; 0: as it comes */
	int split_rows; /* percent of the rows for the calls; 0: as it comes */
};

/* Rects of what is not shown are empty.  Panes and the approval pane include their borders, which
 * overlap by one cell where they meet (canvas_box joins them). */
struct layout {
	bool wide;
	struct rect header; /* one row */
	struct rect tabs;   /* one row, narrow screens only */
	struct rect pane[LAYOUT_PANES];
	struct rect approval;
	struct rect hint; /* one row, the last */
};
void layout_make(struct layout *layout, const struct layout_request *request);

#define LAYOUT_SPLIT_COLS 53
#define LAYOUT_SPLIT_ROWS 55
#define LAYOUT_SPLIT_LEAST 20
#define LAYOUT_SPLIT_MOST 80

bool layout_can_decide(int cols, int rows);

/* Cut rows or columns off a rect (clipped to its size); gives the part cut off. */
struct rect rect_cut_top(struct rect *rect, int rows);
struct rect rect_cut_bottom(struct rect *rect, int rows);

#endif
