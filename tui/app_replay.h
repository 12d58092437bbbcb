/*
 * app_replay.h - inside of app: a record in place of a run.
 *
 * The session that the views see is the replay's, shown anew after each move.  There is no
 * connection: what would need a supervisor is not among the commands that a replay takes, so that
 * no key, name or view can ask for it.
 *
 * Knows:      app_inside, film, timeline, seen, session/replay.
 * Unaware of: how a run is followed.
 */
#ifndef TUI_APP_REPLAY_H
#define TUI_APP_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "tui/canvas.h"
#include "tui/command.h"

struct app;
struct err;
struct view;
struct view_scene;

/* --- app_replay.c: life and movement; app->film is NULL without --- */
int app_replay_open(struct app *app, struct err *err) ATTR_CHECKED;
void app_replay_close(struct app *app); /* before the views go */
int64_t app_replay_mono(const struct app *app);
/* The present has come: play on. */
void app_replay_turn(struct app *app);
/* ns until the screen changes by itself; -1: never. */
int64_t app_replay_next(const struct app *app);

/* --- app_replay_keys.c: what a key or a name does --- */
/* Not taken here: it needs a run, or decides. */
bool app_replay_refuses(enum command command);
bool app_replay_offers(const struct app *app, enum command command);
bool app_replay_run(struct app *app, enum command command); /* false: it is not for a replay */
void app_replay_search(struct app *app, bool back);         /* for app->needle */
/* "1:23", "45" and "1:02:03" are times.  False: neither that nor a time; nothing is done. */
bool app_replay_goto(struct app *app, const char *text);

/* --- app_replay_show.c: what is on the screen --- */
/* A call waits at the position, and its pane was not closed. */
bool app_replay_wants_pane(struct app *app);
struct view *app_replay_pane(const struct app *app); /* NULL: none */
void app_replay_left_pane(struct app *app);          /* the person closed it */
void app_replay_lay_out(struct app *app);            /* the pane as wide as the layout has it */
void app_replay_load_shown(struct app *app);         /* details of the calls on the screen */
void app_replay_last_row(struct app *app, struct rect rect, const struct view_scene *scene);

#endif
