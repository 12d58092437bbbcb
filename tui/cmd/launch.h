/*
 * launch.h - start a supervisor for one session, and connect to it.
 *
 * The supervisor gets a session of its own, /dev/null as 0 1 2, one end of a socket pair as 3 and
 * nothing else; the environment and the working folder as they are.  One JSON line goes each way:
 *   {"start":1,"mode":"program","base":"payroll","config":{...},"task":null,
 *    "program":{"name":"raise.py","text":"..."},"call":null,"record":null,
 *    "no_ask":false,"person":true,"fail_on_denied":false}
 *   {"ready":1,"id":"...","name":"payroll-1","record":"/path"} or {"error":"...","exit":2}
 *
 * Knows:      where, io, json, run/configuration.
 * Unaware of: what the session does.
 */
#ifndef TUI_CMD_LAUNCH_H
#define TUI_CMD_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/attr.h"
#include "core/base/text.h"
#include "core/record/store.h"

struct config;
struct err;

struct launch_request {
	const char *base;            /* "payroll": names the session */
	const struct config *config; /* borrowed, as all of these */
	const char *task;            /* mode "model"; else NULL */
	const char *program_name;    /* mode "program"; else NULL */
	struct untrusted program;
	const char *tool;      /* mode "call" */
	const char *arguments; /* a JSON object; mode "call" */
	const char *record;    /* absolute, or NULL */
	bool no_ask;
	bool person; /* one looks on, or will */
	bool fail_on_denied;
};

struct launch_session {
	char id[SESSION_ID_SIZE];
	char *name;
	char *record;
};
void launch_release(struct launch_session *session);

/* exit_code is filled when it fails: what the supervisor says, or 1. */
int launch_start(const struct launch_request *request, struct launch_session *session,
	int *exit_code, struct err *err) ATTR_CHECKED;

/* The request's line, without its LF.  For launch_start() and its test. */
struct buf;
void launch_line(const struct launch_request *request, struct buf *out);
/* Read the answer: 0, or -1 with exit_code. */
int launch_answer(const char *line, size_t len, struct launch_session *session, int *exit_code,
	struct err *err) ATTR_CHECKED;

#endif
