/*
 * view_runs.h - all runs, those that wait first: name, task, state, calls, age, how it ended.
 *
 * Knows:      view, listbox, fleet (its structs), session.
 * Unaware of: app; how a run is opened.
 * Calls back: look.runs, from painting and from each key.
 */
#ifndef TUI_VIEW_RUNS_H
#define TUI_VIEW_RUNS_H

#include <stdbool.h>
#include <stddef.h>

struct fleet_run;
struct view;

struct view_runs_look {
	/* All of them, in the order they are shown; borrowed until the next call. */
	const struct fleet_run *const *(*runs)(size_t *count, void *arg);
	void *arg;
};

/* Intents: INTENT_RUN with the run's id as text, INTENT_RUN_STOP with it too. */
struct view *view_runs_new(const struct view_runs_look *look);
/* Select this run when it is there. */
void view_runs_select(struct view *view, const char *id);

#endif
