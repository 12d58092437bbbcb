/*
 * plan.h - what crosses the socket between a supervisor and its reaper.
 *
 * A request is one fixed struct reap_request with descriptors: first a sealed memory file that
 * holds a plan (what to start), then those of 0, 1, 2 and 3 that the mask names.  The reaper never
 * reads a plan; the child made for it does, and a plan that is malformed anywhere fails there.
 * Events are fixed structs too.  Both ends are of one build and one machine: native byte order.
 *
 * Knows:      buf, err, mem.
 * Unaware of: how processes are made.
 */
#ifndef CORE_SANDBOX_PLAN_H
#define CORE_SANDBOX_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"

struct buf;
struct err;

#define REAP_FD 3 /* the reaper's end of the socket (SOCK_SEQPACKET) */
#define REAP_MAGIC 0x746c6231u
#define REAP_FDS 5 /* the plan, and descriptors 0 to 3 */
#define PLAN_MAX ((size_t)4 << 20)

enum reap_verb {
	REAP_START = 1,
	REAP_KILL,
};

enum plan_kind {
	PLAN_TOOL = 1,
	PLAN_SANDBOX,
};

struct reap_request {
	uint32_t magic;
	uint32_t verb;
	uint64_t id;
	uint32_t kind;    /* START: enum plan_kind */
	uint32_t isolate; /* START of a tool: 1 for namespaces of its own */
	uint32_t fd_mask; /* START: bit n: a descriptor for n follows; n is 0 to 3 */
	uint32_t zero;
};

enum reap_event_kind {
	REAP_STARTED = 1, /* exec succeeded; pid is the outermost process */
	REAP_FAILED,      /* it never came to exec; text says why; the last event of its id */
	REAP_EXIT, /* nothing of it is left; status as of waitpid; the last event of its id */
};

struct reap_event {
	uint32_t kind;
	int32_t pid;
	uint64_t id;
	int32_t status;
	uint32_t zero;
	int64_t cpu_ms;
	int64_t max_rss_kb;
	char text[512];
};

struct sandbox_limits {
	int64_t memory_bytes; /* sandbox.memory */
	int64_t pids;         /* sandbox.pids */
	int64_t cpu_s;        /* sandbox.cpu_s; -1: none */
	int64_t cpus;         /* sandbox.cpus: whole processors by affinity */
	int64_t tmp_bytes;    /* sandbox.tmp, for each of /tmp and /dev/shm */
};

struct sandbox_mount {
	const char *from; /* absolute on the host */
	const char *to;   /* absolute inside; read-only */
};

struct sandbox_plan {
	struct sandbox_limits limits;
	const char *python; /* absolute, the same on the host and inside */
	const char *runner; /* its source file on the host; copied in */
	const struct sandbox_mount *mounts;
	size_t mount_count;
};

struct tool_plan {
	const char *const *argv;   /* NULL-terminated, at least one */
	const char *const *env;    /* "NAME=value"; complete but for what the account gives */
	const char *const *covers; /* folders, sockets and files to hide */
	const char *cwd;           /* absolute */
	const char *user;          /* NULL: whoever runs the reaper */
	bool isolate;
};

/* Append a plan's bytes. */
void plan_put_tool(struct buf *buf, const struct tool_plan *plan);
void plan_put_sandbox(struct buf *buf, const struct sandbox_plan *plan);

/*
 * Read a plan back.  Strings of the result borrow from bytes; its arrays are the caller's to free
 * with plan_tool_release / plan_sandbox_release, also after a failure.
 * Fails with ERR_FORMAT for anything but exactly the bytes that a put wrote.
 */
int plan_get_tool(
	const char *bytes, size_t len, struct tool_plan *plan, struct err *err) ATTR_CHECKED;
int plan_get_sandbox(
	const char *bytes, size_t len, struct sandbox_plan *plan, struct err *err) ATTR_CHECKED;
void plan_tool_release(struct tool_plan *plan);
void plan_sandbox_release(struct sandbox_plan *plan);

#endif
