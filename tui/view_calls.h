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
/* The calls that the last painting showed; none: last is less than first. */
void view_calls_drawn(const struct view *view, uint64_t *first, uint64_t *last);

#endif
