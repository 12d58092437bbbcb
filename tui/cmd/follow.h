/*
 * follow.h - a run without a console: what it prints on standard output, what happens to it on
 * standard error, a signal becomes a request to stop it.
 *
 * Knows:      client, session, outlet, loop.
 * Unaware of: how the run was started.
 */
#ifndef TUI_CMD_FOLLOW_H
#define TUI_CMD_FOLLOW_H

#include <stdbool.h>

#include "core/base/attr.h"

enum follow_mode {
	FOLLOW_TEXT,  /* output and answer; the rest as lines on standard error */
	FOLLOW_LINES, /* the record's lines, nothing else, on standard output */
	FOLLOW_CALL,  /* the answer alone; returns at once when a call is held */
};

struct follow_result {
	bool held;     /* FOLLOW_CALL: a call waits; nothing was decided */
	int exit_code; /* else: the session's, or 1 when its supervisor was lost */
};

/* Takes the socket.  name: of the session, for texts. */
void follow_run(int socket, const char *name, enum follow_mode mode, struct follow_result *result);

#endif
