/*
 * sandbox.h - what every backend offers: start ahead of need, prove, measure, kill.
 *
 * Knows:      plan (limits and mounts), badge, run/spawn, loop, err.
 * Unaware of: the bridge's words, tools, the record.
 * Calls back: on_started when the guest's interpreter runs (its own handshake comes over the
 *             bridge), on_exit once when nothing of the sandbox is left; both from the loop.
 */
#ifndef CORE_SANDBOX_SANDBOX_H
#define CORE_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/sandbox/badge.h"
#include "core/sandbox/plan.h"

struct err;
struct proc;
struct sandbox;
struct spawner;
struct proc_exit;

struct sandbox_config {
	struct sandbox_limits limits;
	const char *python;                 /* absolute path of the interpreter */
	const struct sandbox_mount *mounts; /* sandbox.mounts and --in */
	size_t mount_count;
	const char *runner; /* the guest runner's source file on the host */
};

struct sandbox_hooks {
	void (*on_started)(struct sandbox *sandbox, void *arg);
	void (*on_exit)(struct sandbox *sandbox, const struct proc_exit *exit, void *arg);
	void *arg; /* borrowed; outlives the sandbox */
};

struct sandbox_ops {
	const char *name; /* "native" */
	struct sandbox *(*start)(struct spawner *spawner, const struct sandbox_config *config,
		const struct sandbox_hooks *hooks, struct err *err);
};
extern const struct sandbox_ops sandbox_native;
const struct sandbox_ops *sandbox_find(const char *name); /* NULL: unknown */

struct sandbox *sandbox_start(const struct sandbox_ops *ops, struct spawner *spawner,
	const struct sandbox_config *config, const struct sandbox_hooks *hooks,
	struct err *err) ATTR_CHECKED;
/* Kills if need be and forgets the hooks. */
void sandbox_free(struct sandbox *sandbox); /* NULL is fine */
void sandbox_kill(struct sandbox *sandbox); /* on_exit follows */

/* Both non-blocking sockets, owned by the sandbox. */
int sandbox_bridge(const struct sandbox *sandbox);
int sandbox_stderr(const struct sandbox *sandbox);

/* The guest's word on one layer (a probe notification of the bridge). */
void sandbox_probed(struct sandbox *sandbox, const char *layer, bool proved, const char *detail);
/* Read the rest from outside (/proc/PID/...), make the badge.  Fails with ERR_SANDBOX naming each
 * promised (or required) layer that is not proved, with the mend. */
int sandbox_prove(struct sandbox *sandbox, struct badge *badge, struct err *err) ATTR_CHECKED;

/* Now, from outside: CPU time used, and tasks (threads of all processes, the tiny init not
 * counted). */
int64_t sandbox_cpu_ms(const struct sandbox *sandbox);
int sandbox_tasks(const struct sandbox *sandbox);

/*
 * For backends.  A new sandbox takes bridge and errors (our ends); its processes tell it of their
 * start and end through the hooks, and sandbox_hold() says which process that is.
 */
struct sandbox *sandbox_new(const struct sandbox_config *config, const struct sandbox_hooks *hooks,
	int bridge, int errors);
struct proc_hooks;
void sandbox_proc_hooks(struct sandbox *sandbox, struct proc_hooks *hooks);
void sandbox_hold(struct sandbox *sandbox, struct proc *proc);

#endif
