/*
 * tool_command.h - a command as one tool: a process for each call.
 *
 * The arguments come as JSON on its standard input, which then ends.  Status 0: its standard output
 * is the result, as JSON when it is strict JSON, else as a string without the last line break.  Any
 * other status is a failure whose words are the last line of standard error.  More than
 * TOOL_RESULT_MAX bytes of output end it.  One call at a time, unless the configuration says
 * `parallel`.  The tool has the server's name: "disk" is disk.disk.
 *
 * Knows:      tool, job, tail, gate (permit), run/configuration, run/spawn, json.
 * Unaware of: the registry, other sources.
 * Calls back: the hooks and each call's done, from the loop.
 */
#ifndef CORE_TOOLS_TOOL_COMMAND_H
#define CORE_TOOLS_TOOL_COMMAND_H

#include "core/base/attr.h"
#include "core/tools/tool.h"

struct config_tool;
struct err;
struct loop;
struct spawner;

/* on_ready follows: nothing is started before a call.  config is borrowed and outlives it. */
struct tool_source *tool_command_new(struct loop *loop, struct spawner *spawner,
	const struct config_tool *config, const struct tool_source_hooks *hooks,
	struct err *err) ATTR_CHECKED;

#endif
