/*
 * start.h - what run, call and demo share: a configuration that may be used, a supervisor, and who
 * looks at it.
 *
 * Knows:      cmd, launch, follow, app, run/configuration, gate/policy.
 * Unaware of: where the program or the call comes from.
 */
#ifndef TUI_CMD_START_H
#define TUI_CMD_START_H

#include <stdbool.h>

#include "core/base/attr.h"
#include "core/base/text.h"

struct cmd_line;
struct config;
struct err;
struct policy;

/* Is there to be a console?  Fails when there is neither a terminal nor an option that needs none.
 */
int start_console(const struct cmd_line *line, bool *console, struct err *err) ATTR_CHECKED;

/*
 * Load the configuration of these options (file: in place of -c, may be NULL), hold its rules, and
 * ask for acceptance where that is needed: on the terminal, or ERR_USAGE that says to pass -c.
 * Gives it.
 */
struct config *start_config(
	const struct cmd_line *line, const char *file, struct err *err) ATTR_CHECKED;

/* The rules of a configuration, compiled.  Gives it; NULL as policy_new() does. */
struct policy *start_policy(const struct config *config, struct err *err) ATTR_CHECKED;

struct start {
	const struct cmd_line *line;
	const struct config *config;
	bool console;
	const char *base;
	const char *task;         /* for a model; NULL: a program or a call */
	const char *program_name; /* NULL: a call, or a task */
	struct untrusted program;
	const char *tool;
	const char *arguments;
	const char *notice; /* for the console, or NULL */
};
/* Start it and stay until it ends or the person leaves; gives the exit code. */
int start_run(const struct start *start);

/* The console on a connected socket (taken); gives the exit code.  print_answer: on leaving. */
int start_app(int socket, const char *name, const struct config *config, const char *notice,
	bool print_answer);
/* The console on the list of all runs, with the person's own configuration; theme: NULL, or other
 * colours than it names.  Gives the exit code. */
int start_runs(const char *theme);

#endif
