/*
 * tool.h - the steps of a tool process: covers, identity, environment.
 *
 * Knows:      plan, confine, err, mem.
 * Unaware of: the keeper, the sandbox's own steps (guest).
 */
#ifndef CORE_SANDBOX_TOOL_H
#define CORE_SANDBOX_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/attr.h"

struct confine_outside;
struct err;
struct tool;

/* In the keeper: read the plan, and if isolated (in namespaces just made), hide what is to be
 * hidden. NULL: failed. */
struct tool *tool_enter(const char *plan, size_t len, bool isolated,
	const struct confine_outside *outside, struct err *err);

/* In the program's process: become the plan's user and give up rights.  watch_fd as in confine. */
int tool_confine(struct tool *tool, int watch_fd, struct err *err) ATTR_CHECKED;

/* Comes back only when it failed. */
void tool_exec(const struct tool *tool, struct err *err);

#endif
