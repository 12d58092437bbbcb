/*
 * tool_python.h - a file of Python functions, run by a worker process on the host.
 *
 * Our Python sources and the user's file are read here and handed to the process over
 * its descriptor 3, so what runs is what was hashed, also after a restart.  One call at a time,
 * unless the configuration says `parallel`.
 *
 * Knows:      tool, job, tail, gate (permit), run/configuration, run/spawn, where, hash, json.
 * Unaware of: the registry, other sources.
 * Calls back: the hooks and each call's done, from the loop.
 */
#ifndef CORE_TOOLS_TOOL_PYTHON_H
#define CORE_TOOLS_TOOL_PYTHON_H

#include "core/base/attr.h"
#include "core/base/hash.h"
#include "core/tools/tool.h"

struct config_tool;
struct err;
struct loop;
struct spawner;

/*
 * Start it; on_ready or on_failed follows.  config is borrowed and outlives it.  code: of the
 * user's file.  Gives NULL when the files cannot be read or the process cannot be asked for.
 */
struct tool_source *tool_python_new(struct loop *loop, struct spawner *spawner,
	const struct config_tool *config, const struct tool_source_hooks *hooks,
	struct err *err) ATTR_CHECKED;
const struct digest *tool_python_code(const struct tool_source *source);

#endif
