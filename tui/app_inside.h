/*
 * app_inside.h - inside of app: the one struct its files share.
 *
 * app_run.c is its life and its hooks, app_paint.c what a frame shows, app_keys.c what a key does,
 * app_decide.c the approval pane from opening to decision.
 *
 * Knows:      everything app.h names.
 * Unaware of: commands.
 */
#ifndef TUI_APP_INSIDE_H
#define TUI_APP_INSIDE_H

#include "core/session/session.h"
#include "tui/app.h"
#include "tui/coverage.h"
#include "tui/keymap.h"
#include "tui/keys.h"
#include "tui/layout.h"
#include "tui/style.h"
#include "tui/view.h"

#define APP_OVERLAYS 8
#define APP_KEYS 64

struct app_replay;

struct app {
	const struct app_request *request;
	struct app_result *result;
	struct loop *loop;
	struct term *term;
	struct theme *theme;
	struct client *client;   /* NULL in a replay: nothing can be asked for */
	struct app_replay *film; /* NULL: a run is followed */
	struct keys *keys;
	struct keymap *keymap;
	struct canvas *canvas;
	struct session session; /* in a replay its arrays are borrowed */
	int64_t clock_ahead;    /* the session's clock less ours, ns */
	bool connected, live, lost, leaving;

	struct view *pane[LAYOUT_PANES];
	enum layout_pane focus;
	bool zoom;
	struct view *approval;              /* NULL: no pane is open */
	bool full;                          /* the pane has the whole screen */
	int approval_rows;                  /* it would like */
	struct view *overlay[APP_OVERLAYS]; /* over everything, last on top */
	size_t overlays;
	struct layout layout;

	/* Search. */
	struct lineedit *search;
	char *needle;

	/* The approval pane. */
	struct arming *arming;
	bool presented;      /* the supervisor was told of this presentation */
	uint64_t left_below; /* calls up to this one do not open the pane by themselves */
	uint64_t told;       /* highest held call that has rung */
	int64_t rang_at;     /* 0: never */
	uint64_t decide_id;  /* request on its way; 0: none */
	uint64_t stop_id;    /* the latest request to stop; 0: none */

	/* Frames. */
	bool dirty, whole; /* paint; send everything */
	uint64_t frame;    /* on its way */
	bool frame_shows_pane;
	int64_t painted_at; /* 0: nothing yet */
	size_t titled;      /* calls that wait, by the terminal's title */
	struct loop_timer *tick, *escape, *settle;
	struct coverage seen; /* scratch */

	/* Words in the last row until a key comes. */
	char *message;
	enum style message_style;

	/* Keys of one read. */
	struct key pressed[APP_KEYS];
	size_t pressed_count;
	int64_t input_at;
	bool feeding;
};

/* --- app_run.c --- */
int64_t app_mono(const struct app *app); /* the session's clock now */
void app_dirty(struct app *app);
void app_say(struct app *app, enum style style, const char *fmt, ...) ATTR_PRINTF(3, 4);
void app_leave(struct app *app, enum app_end end);
void app_push(struct app *app, struct view *view /* takes */);
void app_pop(struct app *app);

/* --- app_paint.c --- */
struct view *app_top(const struct app *app); /* takes the keys */
void app_scene(const struct app *app, struct view_scene *scene);
void app_paint(struct app *app);

/* --- app_keys.c --- */
void app_input(struct app *app, const char *bytes, size_t len);
void app_on_key(struct key key, void *arg);
void app_on_paste(const char *bytes, size_t len, bool last, void *arg);
void app_escape_over(struct app *app);
/* Does this command do something now?  The one answer for hints and help. */
bool app_offers(const struct app *app, enum command command);
void app_intent(struct app *app, const struct intent *intent);

/* --- app_decide.c --- */
void app_look_for_waiting(struct app *app); /* open, close and go on as the session says */
void app_open(struct app *app, uint64_t call);
void app_close_pane(struct app *app, bool decided);
void app_present_again(struct app *app);
void app_frame_left(struct app *app, uint64_t frame);
void app_settle(struct app *app);
void app_decide(struct app *app, const struct intent *intent);
void app_decide_answer(struct app *app, uint64_t id, bool ok, const char *error);
/* Why the terminal allows no approval now; NULL: it does. */
const char *app_terminal_blocks(const struct app *app);

/*
 * A record in place of a run: the session that the views see is the replay's, shown anew after each
 * move.  There is no connection, and what would need one is not among the commands that a replay
 * takes.
 */
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
/* Details of the calls on the screen; true when some came: paint again. */
bool app_replay_load_shown(struct app *app);
void app_replay_last_row(struct app *app, struct rect rect, const struct view_scene *scene);

#endif
