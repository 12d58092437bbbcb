/*
 * app_replay_inside.h - inside of app: what the files of a record in place of a run share.
 *
 * Knows:      app_inside, film, session/replay.
 * Unaware of: how a run is followed.
 */
#ifndef TUI_APP_REPLAY_INSIDE_H
#define TUI_APP_REPLAY_INSIDE_H

#include "core/session/replay.h"
#include "tui/app_inside.h"
#include "tui/film.h"

struct app_replay {
	struct replay *replay;
	struct film film;
	uint64_t generation; /* of what the views see: never the same twice */
	uint64_t *decisions; /* indices of their events */
	size_t decision_count;
	const char *beware; /* one of our words; NULL: a whole record */
	struct view *pane;  /* of the call that waits here; NULL */
	uint64_t left;      /* call whose pane the person closed; 0: none */
};

/* The views see the position; says what cannot be read. */
void replay_show(struct app *app);
/* How many decisions are at the position or before it. */
uint64_t replay_decision(const struct app_replay *film);
/* Put the view of what was seen over everything, or in place of the one that is there. */
void replay_show_seen(struct app *app);
/* The call that "what was seen" is about; 0: none. */
uint64_t replay_seen_call(const struct app *app);

#endif
