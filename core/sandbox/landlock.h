/*
 * landlock.h - what a sandboxed program may do with the files it sees, and reach by name.
 *
 * Knows:      err.
 * Unaware of: mounts, the filter.
 */
#ifndef CORE_SANDBOX_LANDLOCK_H
#define CORE_SANDBOX_LANDLOCK_H

#include "core/base/attr.h"

struct err;

/*
 * For this thread and all it will start, at the level that the kernel offers (ABI 1 to 7): read
 * everything, write below /tmp and /dev/shm, execute python and the system's libraries alone; from
 * ABI 4 no TCP, from ABI 6 no abstract socket and no signal outside.  Needs no_new_privs.
 * Fails with ERR_SANDBOX and the mend where the kernel has no Landlock.
 */
int landlock_enter(const char *python, struct err *err) ATTR_CHECKED;

#endif
