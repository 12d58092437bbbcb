/*
 * view_calls.h - the calls, one a row: number, time, tool, arguments in short, how it was decided,
 * how long it took.  What waits stands in the accent.
 *
 * Knows:      view, listbox, session, json.
 * Unaware of: app.
 */
#ifndef TUI_VIEW_CALLS_H
#define TUI_VIEW_CALLS_H

#include <stdint.h>

struct view;

struct view *view_calls_new(void);
void view_calls_select(struct view *view, uint64_t call);
/* The call in a row of the last painting, from 0; 0: behind the last one. */
uint64_t view_calls_drawn(const struct view *view, int row);

#endif
