/*
 * app_inside.h - inside of app: the one struct its files share.
 *
 * app_run.c is its life and its hooks, app_paint.c what a frame shows, app_keys.c what a key does,
 * app_prompt.c what is typed into the last row, app_command.c commands by name, app_pages.c pages
 * to read, app_places.c the list of runs and the way from one session to another, app_guard.c the
 * way from shown to armed to yes, app_decide.c the approval pane from opening to decision,
 * app_edit.c what goes through the person's editor, app_ask.c which answers are still to come.
 *
 * Knows:      everything app.h names.
 * Unaware of: commands.
 */
#ifndef TUI_APP_INSIDE_H
#define TUI_APP_INSIDE_H

#include "core/record/event.h"
#include "core/record/store.h"
#include "core/session/session.h"
#include "tui/app.h"
#include "tui/client.h"
#include "tui/coverage.h"
#include "tui/keymap.h"
#include "tui/keys.h"
#include "tui/layout.h"
#include "tui/meanwhile.h"
#include "tui/style.h"
#include "tui/view.h"

enum app_prompt { APP_PROMPT_SEARCH, APP_PROMPT_FILTER, APP_PROMPT_COMMAND, APP_PROMPT_TASK };

#define APP_OVERLAYS 8
#define APP_TOGETHER 16 /* calls decided with one key, at most */
#define APP_KEYS 64

struct app;
struct app_replay;
struct editor;

/* The supervisor's answer to a request.  about: what the request was about, the asker's number;
 * error: why not, escaped for a screen. */
typedef void (*app_reply_fn)(struct app *app, bool ok, const char *error, uint64_t about);
/* A text came back from the person's editor, which ended well.  changed: it is another one. */
typedef void (*app_edited_fn)(struct app *app, struct untrusted text, bool changed, uint64_t about);

struct app_awaited {
	uint64_t id;
	app_reply_fn on_reply;
	uint64_t about;
};

/* An edit that did not get through: the next `e` goes on from it. */
struct app_kept {
	char *text; /* NULL: none */
	char *tool;
	struct digest bind; /* of the call when the edit began */
};

/* What has the screen. */
enum app_place {
	APP_AT_SESSION, /* one that goes on */
	APP_AT_RUNS,    /* the list of all runs; no session is open */
	APP_AT_RECORD,  /* one that has ended, as a film */
};

struct app {
	const struct config *config;       /* what this console was started with; NULL: none */
	const struct app_request *request; /* of the open session */
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
	bool poisoned; /* the supervisor said that the record cannot be written */

	/* Where we are, and where the next turn takes us. */
	enum app_place place, next_place;
	bool going;
	char next_id[SESSION_ID_SIZE];
	uint64_t next_call;        /* whose pane is opened there; 0: none */
	uint64_t open_first;       /* the same, once the session is there */
	bool from_runs;            /* the session was opened from the list: q goes back to it */
	struct app_request opened; /* the request of a session that was opened from here */
	struct config *own_config; /* and its configuration */
	struct fleet *fleet;       /* NULL: the state folder cannot be used */
	struct view *runs;         /* the list; NULL: it was not shown yet */
	struct notifier *notifier; /* NULL: none is wanted */
	struct loop_timer *doubt;
	struct client *errand;           /* a request to another run; NULL: none */
	char errand_id[SESSION_ID_SIZE]; /* the run that is stopped once S confirms it */
	char *elsewhere; /* what waits in other runs, our words; NULL: nothing does */
	char *elsewhere_short;
	size_t waits_elsewhere;

	struct view *pane[LAYOUT_PANES];
	enum layout_pane focus;
	bool zoom;
	struct view *approval;              /* NULL: no pane is open */
	bool full;                          /* the pane has the whole screen */
	int approval_rows;                  /* it would like */
	struct view *overlay[APP_OVERLAYS]; /* over everything, last on top */
	size_t overlays;
	struct layout layout;

	/* What is typed into the last row. */
	enum app_prompt prompt_kind;
	struct lineedit *prompt; /* NULL: nothing */
	char *needle;            /* of the latest search; NULL: none */
	char *filter_before;     /* what Esc puts back while a filter is typed */
	int split_cols;          /* percent of the columns for the program; 0: as it comes */
	int split_rows;          /* percent of the rows for the calls; 0: as it comes */

	/* What a yes is asked for: the machine, and the view that has it (app_guard.c). */
	struct arming *arming;
	struct view *guarded; /* NULL: none */
	bool guard_new;       /* it got the machine and was not laid out since */
	bool laid_out;        /* for the presentation under way */
	bool presented;       /* a frame of it has left; of a call: the supervisor was told */
	enum command yes;     /* what was pressed and has not settled */
	bool asking;          /* the request of a guarded overlay is on its way */
	struct client_seen seen_call; /* the pane's call as it was seen, under an overlay */

	/* The approval pane. */
	uint64_t left_below; /* calls up to this one do not open the pane by themselves */
	uint64_t told;       /* highest held call that has rung */
	int64_t rang_at;     /* 0: never */
	size_t deciding;     /* decisions on their way */

	/* The program as a whole. */
	bool asked_program; /* a person decides on it at this moment */
	bool ask_pending;   /* and the question has not opened by itself yet */

	uint64_t stop_id; /* the latest request to stop; 0: none */

	struct app_awaited *awaited; /* answers to come */
	size_t awaited_count;

	/* Editing. */
	struct editor *editor;
	app_edited_fn edited;
	uint64_t edited_about;
	struct app_kept kept;
	struct view *edit_here; /* an overlay that edits in place; NULL: none is open */

	/* When nobody looked. */
	struct meanwhile meanwhile; /* filled when absent */
	struct meanwhile alone;     /* since when no console was there that stayed */
	int64_t looked_from;        /* when the first of those that are there came */
	bool absent;                /* it has just ended */
	uint64_t away_seq;          /* of the event that began the absence that was said */

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
/* All parts but terminal and connection; request and loop are set.  Also for tests of frames. */
void app_make(struct app *app);
void app_make_panes(struct app *app);    /* of the session that app->request is about */
void app_drop(struct app *app);          /* theme too; not the loop */
int64_t app_mono(const struct app *app); /* the session's clock now */
void app_dirty(struct app *app);
void app_say(struct app *app, enum style style, const char *fmt, ...) ATTR_PRINTF(3, 4);
void app_leave(struct app *app, enum app_end end);
void app_push(struct app *app, struct view *view /* takes */);
void app_pop(struct app *app);

/* One session's part of the console: its connection, its panes.  Closing leaves the terminal. */
void app_session_open(struct app *app, const struct app_request *request);
void app_session_close(struct app *app);

/* --- app_places.c --- */
/* Have something else on the screen from the next turn on: the list, or a session by its id, with
 * the pane of this call open (0: as it comes). */
void app_show(struct app *app, enum app_place place, const char *id, uint64_t call);
void app_show_list(struct app *app); /* at once: nothing is open yet */
void app_arrive(struct app *app);    /* the turn's end: go where app_show() said */
void app_places_open(struct app *app);
void app_places_close(struct app *app);
void app_attend(struct app *app);     /* the session's id is known now */
void app_doubt_loss(struct app *app); /* the connection is gone: is the run? */
bool app_places_offer(const struct app *app, enum command command);
/* True when it was for it. */
bool app_places_run(struct app *app, enum command command);
void app_open_run(struct app *app, const char *id, uint64_t call);
void app_ask_stop_run(struct app *app, const char *id);
void app_stop_run(struct app *app);
void app_look_elsewhere(struct app *app); /* what waits in other runs, for header and title */
int64_t app_places_change(const struct app *app); /* ns until the list changes by itself; -1 */

/* --- app_meanwhile.c --- */
void app_before_event(struct app *app, const struct event_view *event); /* not folded yet */
void app_after_event(struct app *app);
/* What happened meanwhile lies on top: any key closes it and does nothing else. */
bool app_tells_meanwhile(const struct app *app);

/* --- app_paint.c --- */
struct view *app_top(const struct app *app); /* takes the keys */
void app_scene(const struct app *app, struct view_scene *scene);
void app_compose(struct app *app); /* a frame on the canvas, of the canvas' size */
void app_paint(struct app *app);
/* Panes made narrower, wider, lower, taller. */
bool app_resizes(const struct app *app, enum command command);
void app_resize_panes(struct app *app, enum command command);

/* --- app_keys.c --- */
void app_input(struct app *app, const char *bytes, size_t len);
void app_on_key(struct key key, void *arg);
void app_on_paste(const char *bytes, size_t len, bool last, void *arg);
void app_escape_over(struct app *app);
/* Does this command do something now?  The one answer for hints and help. */
bool app_offers(const struct app *app, enum command command);
void app_intent(struct app *app, const struct intent *intent);
/* As its key would, with all that guards it. */
void app_run_command(struct app *app, enum command command);

/* --- app_prompt.c --- */
bool app_prompt_offers(const struct app *app, enum command command);
void app_prompt_command(struct app *app, enum command command); /* search, filter, command line */
void app_prompt_key(struct app *app, struct key key);
void app_prompt_paste(struct app *app, const char *bytes, size_t len);
void app_prompt_draw(struct app *app, struct rect rect);
void app_prompt_release(struct app *app);
void app_search(struct app *app, bool back);

/* --- app_command.c --- */
void app_command_line(struct app *app, const char *line);
/* The line with its last word completed as far as it is clear.  Gives memory; NULL: no more. */
char *app_command_complete(const struct app *app, const char *line);
/* "call  close  command": what the last word may become, our words.  Gives memory. */
char *app_command_candidates(const struct app *app, const char *line);

/* --- app_model.c --- */
bool app_may_task(const struct app *app); /* the session waits for a next task */
void app_send_task(struct app *app, const char *text);
bool app_may_cancel(const struct app *app); /* a reply is being written */
void app_cancel(struct app *app);
/* Of the reply in the program pane, whichever pane has the keys. */
bool app_has_reasoning(const struct app *app);
void app_show_reasoning(struct app *app);
/* An event was folded: what a person is to be told of a model's run. */
void app_model_event(struct app *app, enum event_type type);

/* --- app_pages.c --- */
void app_page_answer(struct app *app);
void app_page_explain(struct app *app, uint64_t call);
void app_page_difference(struct app *app, uint64_t call); /* from the last approved one */
void app_page_detail(struct app *app, uint64_t call);
void app_page_session(struct app *app); /* budget, sandbox, tools, alerts */

/* --- app_guard.c --- */
void app_guard_top(struct app *app); /* what lies on top gets the machine, if it asks for a yes */
/* The view is about to be freed.  decided: a yes or no was given, the next one rests for longer. */
void app_guard_leave(struct app *app, const struct view *view, bool decided);
bool app_is_guarded(const struct app *app, const struct view *view);
void app_guard_lay_out(struct app *app, const struct view_scene *scene, struct rect rect);
void app_guard_block(struct app *app);
void app_guard_painted(struct app *app);
void app_guard_yes(struct app *app, enum command command); /* its key was pressed */
void app_present_again(struct app *app);
void app_frame_left(struct app *app, uint64_t frame);
void app_settle(struct app *app);
/* Why the terminal allows no approval now; NULL: it does. */
const char *app_terminal_blocks(const struct app *app);

/* --- app_decide.c --- */
void app_look_for_waiting(struct app *app); /* open, close and go on as the session says */
void app_open(struct app *app, uint64_t call);
/* Several calls, decided together: those that wait.  Says which one must be decided alone. */
void app_open_many(struct app *app, const uint64_t *calls, size_t count);
void app_extend(struct app *app, uint64_t call); /* five more minutes */
void app_away(struct app *app);                  /* away, or back */
void app_close_pane(struct app *app, bool decided);
void app_tell_presented(struct app *app);
void app_note_seen(struct app *app);
void app_decide(struct app *app, const struct intent *intent);
/* This call of this run has begun to wait: bell and notice, each at most once in 10 s. */
void app_ring(struct app *app, const char *name, const char *id, uint64_t call);

/* --- app_ask.c --- */
/* on_reply comes once, unless the connection ends first. */
void app_await(struct app *app, uint64_t id, app_reply_fn on_reply, uint64_t about);
void app_answered(struct app *app, uint64_t id, bool ok, const char *error);
void app_await_nothing(struct app *app); /* the connection whose numbers they are is gone */
/* The guarded sheet on top has said yes: it takes nothing else before the answer.  False: there is
 * none, or it waits for one already; then nothing may be sent. */
bool app_asks(struct app *app);
/* The answer is here: the sheet that asked takes keys again.  NULL: it is gone. */
struct view *app_asked(struct app *app);

/* --- app_ask_grant.c --- */
void app_ask_grant(struct app *app, uint64_t call);
void app_ask_rule(struct app *app, uint64_t call);
void app_ask_raise(struct app *app, uint64_t call);
void app_show_grants(struct app *app);
void app_send_grant(struct app *app, const struct intent *intent);
void app_send_rule(struct app *app, const struct intent *intent);
void app_send_raise(struct app *app, const struct intent *intent);
void app_revoke(struct app *app, uint64_t grant);

/* --- app_ask_program.c --- */
bool app_program_asks(const struct app *app); /* a person decides on the program now */
void app_look_for_program(struct app *app);   /* open and close the question as the session says */
void app_open_program(struct app *app);
void app_send_program(struct app *app, const struct intent *intent);
void app_edit_program(struct app *app);

/* --- app_edit.c --- */
/*
 * The person's own editor on a text; name is that of the file, our words.  The terminal is the
 * editor's meanwhile, and the run is served on.  When it ended well, done is called; whatever else
 * happens is said.
 */
void app_edit_text(struct app *app, const char *name, struct untrusted text, app_edited_fn done,
	uint64_t about);
void app_edit_call(struct app *app, uint64_t call); /* its arguments */
/* Send other arguments; the text is kept until they are taken. */
void app_send_edit(struct app *app, uint64_t call, const char *text);
void app_edit_here(struct app *app, uint64_t call); /* its arguments, in place */
void app_edited_here(struct app *app, uint64_t call, const char *text);
void app_keep_edit_here(struct app *app); /* what is edited in place, before its view goes */
void app_unedit_call(struct app *app, uint64_t call);

/*
 * A record in place of a run: the session that the views see is the replay's, shown anew after each
 * move.  There is no connection, and what would need one is not among the commands that a replay
 * takes.
 */
/* --- app_replay.c: life and movement; app->film is NULL without --- */
/* In place of what is open; when it fails, that stays.  request->replay is read here alone. */
int app_replay_open(
	struct app *app, const struct app_request *request, struct err *err) ATTR_CHECKED;
void app_replay_close(struct app *app); /* for app_session_close() */
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
/* True when a replay does it in its own way, or does not do it at all. */
bool app_replay_intent(struct app *app, const struct intent *intent);
/* A search goes through the record, not through what lies on top. */
bool app_replay_searches(const struct app *app);
void app_replay_search(struct app *app, bool back); /* for app->needle */
/* Go to a time ("1:23", "1:02:03") or a call ("12", "call 12"), or say why not.  False: it is
 * neither, and nothing was done. */
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
