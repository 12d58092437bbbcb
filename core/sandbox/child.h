/*
 * child.h - the processes of one start: a keeper, and the program it keeps.
 *
 * The reaper makes the keeper (in namespaces of its own, where the plan has them, as their process
 * 1).  The keeper builds what the plan says, forks the program, tells the reaper when its exec has
 * succeeded, reaps orphans, and when the program ends it reports the status and ends, and with it
 * everything else.
 *
 * Knows:      plan, filter, confine, guest, tool, tree, err.
 * Unaware of: the socket to the supervisor, other children.
 */
#ifndef CORE_SANDBOX_CHILD_H
#define CORE_SANDBOX_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/attr.h"

struct filter;

/* What a keeper writes to its reaper, whole each time (shorter than PIPE_BUF). */
enum child_report_kind {
	CHILD_STARTED = 1,
	CHILD_FAILED, /* text */
	CHILD_ENDED,  /* status as of waitpid */
};
struct child_report {
	uint32_t kind;
	int32_t status;
	char text[512];
};

struct child_job {
	uint32_t kind; /* enum plan_kind */
	bool isolate;
	int plan_fd;
	int fds[4]; /* for 0 to 3; -1: /dev/null, or nothing for 3 */
	int report_fd;
	const struct filter *filter;
};

/* Flags of clone(2) for the job's keeper. */
uint64_t child_flags(const struct child_job *job);

/* In the process just cloned: the keeper's whole life.  uid and gid are the reaper's. */
void child_run(const struct child_job *job, uid_t uid, gid_t gid) ATTR_NORETURN;

#endif
