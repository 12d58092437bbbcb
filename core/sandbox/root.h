/*
 * root.h - the file system a sandboxed program sees: made by us, empty but for what is listed here.
 *
 * A small tmpfs, read-only in the end, with binds of the host's /usr and of the plan's mounts
 * (read-only, no set-user-ID, no devices), the runner's source, null and urandom, a proc of its own
 * processes, and /tmp and /dev/shm to write to (nothing there can be executed).
 *
 * Knows:      plan, confine, err, mem.
 * Unaware of: who the program is.
 */
#ifndef CORE_SANDBOX_ROOT_H
#define CORE_SANDBOX_ROOT_H

#include "core/base/attr.h"

struct err;
struct sandbox_plan;

#define ROOT_RUNNER "/run/tollbridge/runner.py"
#define ROOT_IDS 1000 /* user and group inside */

/* In new mount, pid and uts namespaces, with the right to mount: build it, enter it, leave the old
 * one.  The working folder is "/" after it. */
int root_enter(const struct sandbox_plan *plan, struct err *err) ATTR_CHECKED;

#endif
