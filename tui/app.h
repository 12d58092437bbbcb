/*
 * app.h - the console: views over one session, one paint a turn, and the only performer of intents.
 *
 * Knows:      client, session, views, term, keys, theme, arming.
 * Unaware of: tools, sandboxes, the record file.
 */
#ifndef TUI_APP_H
#define TUI_APP_H

#include <stdbool.h>

#include "core/base/attr.h"

struct config;
struct err;
struct theme;

struct app_request {
	int socket;                  /* connected to the supervisor; taken; without replay */
	const char *replay;          /* path of a record: played, nothing is connected; or NULL */
	bool still_written;          /* the record's run goes on */
	const struct config *config; /* ui.*, approval.quiet_ms, approval.rest_ms; borrowed */
	const char *notice; /* our words, shown all the time ("a prepared program"), or NULL */
};

enum app_end {
	APP_DETACHED,   /* the person left; the run goes on */
	APP_ENDED,      /* the session ended and the person left */
	APP_LOST,       /* the supervisor is gone without session.end */
	APP_UNRECORDED, /* the same, because the record could not be written */
	APP_SIGNAL,     /* this console was ended by a signal (HUP, TERM) */
	APP_LEFT,       /* the person left from the list of runs */
};

struct app_result {
	enum app_end end;
	int exit_code; /* of the session, when it ended; 128 + signal for APP_SIGNAL */
	char *answer;  /* of the session, foreign text; NULL: none.  The caller's. */
	char *rules;   /* made in it, JSON, a line each; NULL: none.  The caller's. */
	char *name;    /* of the session that was left, foreign text; NULL: none.  The caller's. */
};

/* The theme that the configuration names (NULL: the default one).  Gives *theme. */
int app_theme(const struct config *config, struct theme **theme, struct err *err) ATTR_CHECKED;

/* The same by name; the user's themes come first.  Colours are dropped where NO_COLOR asks. */
int app_theme_named(struct theme **theme, const char *name, struct err *err) ATTR_CHECKED;

/* Takes the terminal, runs until the person leaves, restores the terminal.  Fails (ERR_USAGE) when
 * standard input and output are no terminal. */
int app_run(
	const struct app_request *request, struct app_result *result, struct err *err) ATTR_CHECKED;

/* The same for the list of all runs, from which each may be opened and which each comes back to.
 * config: the person's own; borrowed. */
int app_runs(const struct config *config, struct app_result *result, struct err *err) ATTR_CHECKED;

#endif
