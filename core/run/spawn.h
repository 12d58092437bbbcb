/*
 * spawn.h - the one way to start a process: short environment, no inherited descriptors, no shell.
 *
 * The spawner starts `tollbridge-init --reap` once and holds one end of a socket pair to it; the
 * reaper is parent and subreaper of everything started.  When that socket closes (the supervisor
 * ended in any way) the reaper kills until no child is left.  When the reaper dies, every process
 * dies with it and on_lost is called: the run must end.
 *
 * Knows:      loop, io, buf, where, covers, sandbox/plan.
 * Unaware of: what the processes are for.
 * Calls back: on_exit once a process (and everything in its pid namespace) is gone, from the loop.
 *             on_lost is the last thing a lost spawner does, after on_exit of each process; it
 *             alone may free the spawner, no other hook may.
 */
#ifndef CORE_RUN_SPAWN_H
#define CORE_RUN_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/attr.h"

struct err;
struct loop;
struct proc;
struct sandbox_plan;
struct spawner;

struct proc_exit {
	bool started;    /* false: it never came to exec; error says why */
	char error[512]; /* of the layer that failed, with the mend: "user namespace: ..." */
	bool signaled;
	int code;       /* exit status or signal number */
	int64_t cpu_ms; /* user + system, of it and all it waited for */
	int64_t max_rss_kb;
};

struct proc_hooks {
	void (*on_started)(struct proc *proc, void *arg); /* exec succeeded; may be NULL */
	void (*on_exit)(struct proc *proc, const struct proc_exit *exit, void *arg);
	void *arg; /* borrowed; outlives the process */
};

/* A tool process (worker, command): sandbox.md "Tool processes". */
struct spawn_tool {
	const char *const *argv;   /* argv[0]: absolute path, or looked up in a fixed PATH */
	const char *const *env;    /* "NAME=value", added to the short environment; NULL: none */
	const char *cwd;           /* absolute; NULL: "/" */
	const char *user;          /* under root: whose it runs as; NULL otherwise */
	bool isolate;              /* own mount and pid namespace with the covers below */
	const char *const *covers; /* folders and sockets hidden by empty ones; NULL-terminated */
	int fds[3];                /* 0 1 2 of the process; -1: /dev/null.  Taken (closed here). */
	int extra_fd;              /* becomes descriptor 3; -1: none.  Taken. */
};

struct spawner *spawner_new(
	struct loop *loop, void (*on_lost)(void *arg), void *arg, struct err *err) ATTR_CHECKED;
/* The reaper: every process started here descends from it. */
pid_t spawner_pid(const struct spawner *spawner);
/* Kills everything, waits for the reaper (at most a second, then kills it). */
void spawner_free(struct spawner *spawner);

/* What every tool process must not see: state, configuration, key and socket folders, and those of
 * terminal multiplexers, for this user and environment.  NULL-terminated; owned by the spawner. */
const char *const *spawner_covers(const struct spawner *spawner);

/* One more path (made absolute, links resolved; it must exist) for the processes started from now
 * on. */
int spawner_cover(struct spawner *spawner, const char *path, struct err *err) ATTR_CHECKED;

/* Both give a process, or NULL when the request could not even be handed to the reaper. */
struct proc *spawn_tool(struct spawner *spawner, const struct spawn_tool *request,
	const struct proc_hooks *hooks, struct err *err) ATTR_CHECKED;
/* fds as in spawn_tool, taken. */
struct proc *spawn_sandbox(struct spawner *spawner, const struct sandbox_plan *plan,
	const int fds[3], const struct proc_hooks *hooks, struct err *err) ATTR_CHECKED;

pid_t proc_pid(const struct proc *proc); /* of the outermost process; 0 before it started */
/* SIGKILL to all of it; on_exit follows.  Idempotent. */
void proc_kill(struct proc *proc);
/* Forget the hooks and kill; the proc is gone for the caller. */
void proc_drop(struct proc *proc);

#endif
