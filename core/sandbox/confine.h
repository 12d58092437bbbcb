/*
 * confine.h - give up rights: identity, capabilities, limits.  Each step is for good.
 *
 * Knows:      err, plan (the limits).
 * Unaware of: mounts, the filter, the order of the steps (child).
 */
#ifndef CORE_SANDBOX_CONFINE_H
#define CORE_SANDBOX_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/attr.h"

struct err;
struct sandbox_limits;

/* CAP_SYS_ADMIN is in effect: namespaces can be made without a user namespace. */
bool confine_privileged(void);

/* Who a process is outside: asked for before it enters namespaces of its own. */
struct confine_outside {
	int self; /* /proc/self of the outer proc, O_PATH; its owner closes it */
	pid_t pid;
	uid_t uid;
	gid_t gid;
};

/*
 * In a user namespace just made and still without ids: map the one user and group of outside to
 * uid and gid inside.
 */
int confine_map(
	const struct confine_outside *outside, uid_t uid, gid_t gid, struct err *err) ATTR_CHECKED;

/* As privileged root: become an id above all that are given out, alone in a new user namespace in
 * which it is inside. */
int confine_strange_id(
	const struct confine_outside *outside, uid_t inside, struct err *err) ATTR_CHECKED;

/* Empty the bounding set and lock the secure bits, as far as this process may. */
int confine_bounds(struct err *err) ATTR_CHECKED;
/* Then: no capability in any set. */
int confine_no_capabilities(struct err *err) ATTR_CHECKED;
int confine_no_new_privs(struct err *err) ATTR_CHECKED;

/* The limits of a sandbox's program, and its processors. */
int confine_limits(const struct sandbox_limits *limits, struct err *err) ATTR_CHECKED;

/* When memory runs out on the machine, this one goes first.  Best effort. */
void confine_die_first(const struct confine_outside *outside);

/* Be killed when the parent dies; watch_fd is the writing end of a pipe that the parent reads, by
 * which a parent that is dead already is noticed.  Must come after every change of ids. */
int confine_die_with_parent(int watch_fd, struct err *err) ATTR_CHECKED;

/* Every signal as a new process has them. */
void confine_fresh_signals(void);

/* ERR_SANDBOX: layer and what was refused with errnum, and what to change on this machine. */
int confine_refused(const char *layer, const char *what, int errnum, struct err *err);

#endif
