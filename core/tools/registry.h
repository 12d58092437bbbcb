/*
 * registry.h - all tools of a session, from every source, under their full names.
 *
 * Knows:      tool, tool_python, tool_command, run/configuration, run/spawn, loop, json.
 * Unaware of: the gate's verdicts, the record.
 * Calls back: on_server at each change of a server's state, on_ready once when none is starting.
 */
#ifndef CORE_TOOLS_REGISTRY_H
#define CORE_TOOLS_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/attr.h"
#include "core/tools/tool.h"

struct buf;
struct config;
struct err;
struct loop;
struct registry;
struct spawner;

enum server_state {
	SERVER_STARTING,
	SERVER_READY,
	SERVER_FAILED,
	SERVER_LEFT_OUT,
	SERVER_DIED,
	SERVER_CHANGED
};
const char *server_state_name(enum server_state state);

struct registry_hooks {
	/* error: NULL but for SERVER_FAILED and SERVER_DIED; foreign text. */
	void (*on_server)(
		const char *server, enum server_state state, const char *error, void *arg);
	void (*on_ready)(void *arg);
	void *arg;
};

/* Start every configured source.  on_server (starting) comes at once, the rest from the loop. */
struct registry *registry_new(struct loop *loop, struct spawner *spawner,
	const struct config *config, const struct registry_hooks *hooks,
	struct err *err) ATTR_CHECKED;
void registry_free(struct registry *registry); /* NULL is fine */

struct tool *registry_find(const struct registry *registry, const char *full, size_t len);
size_t registry_count(const struct registry *registry);
struct tool *registry_at(const struct registry *registry, size_t index); /* in a stable order */
void registry_cancel(struct registry *registry);                         /* every source */
/* Did a server fail because it could not be isolated here (exit 5, not 2)? */
bool registry_not_isolated(const struct registry *registry);

/* The tool at this index as Python people read it (stub.h): whole, or in one line. */
void registry_stub(const struct registry *registry, size_t index, bool whole, struct buf *out);

/*
 * The "tools" array of tollbridge/load (formats.md 3), from which the guest builds typed functions:
 * [{"name": full, "server", "space": the server's Python name, "python", "bare": bool (unique, no
 *   builtin, not the name of another server), "description",
 *   "inputSchema": {...}, "outputSchema"?: {...}, "effect", "stub": as registry_stub() has it}].
 */
void registry_guest_tools(const struct registry *registry, struct buf *out);

#endif
