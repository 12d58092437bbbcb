/*
 * view_waiting.h - every call that waits, of every run, the one that has waited longest first.
 *
 * Knows:      view, listbox, fleet (its structs), session.
 * Unaware of: app; how a call is opened.
 * Calls back: look.runs, from painting and from each key.
 */
#ifndef TUI_VIEW_WAITING_H
#define TUI_VIEW_WAITING_H

#include "tui/view_runs.h"

/*
 * open: the id of the run whose console this is, whose calls alone can be marked; "": none.
 * Intents: INTENT_OPEN a call of that run, INTENT_RUN a call of another, INTENT_OPEN_MANY those
 * that were marked.
 */
struct view *view_waiting_new(const struct view_runs_look *look, const char *open);

#endif
