/*
 * header.h - the first row: which session, what it works at, its state and clock, what waits, the
 * sandbox, the budget; and the tabs of a narrow screen.
 *
 * Knows:      view, bar, session, layout.
 * Unaware of: app.
 */
#ifndef TUI_HEADER_H
#define TUI_HEADER_H

#include <stdbool.h>

#include "tui/canvas.h"
#include "tui/layout.h"

struct view_scene;

/* lost: the supervisor is gone.  Drops what does not fit, the least important first. */
void header_draw(
	struct canvas *canvas, struct rect rect, const struct view_scene *scene, bool lost);
/* The row over the list of runs. */
void header_runs(struct canvas *canvas, struct rect rect, const struct view_scene *scene);
void header_tabs(struct canvas *canvas, struct rect rect, const struct view_scene *scene,
	enum layout_pane focus);

/* "ended: ok · exit 0 · 5 calls, 1 denied": one row for a session that ended.  Gives the column
 * after it. */
int header_outcome(struct canvas *canvas, struct rect rect, const struct view_scene *scene);

#endif
