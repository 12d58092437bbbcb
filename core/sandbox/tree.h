/*
 * tree.h - the processes below a process, as /proc shows them.
 *
 * Knows:      nothing of ours.
 * Unaware of: what the processes are for.
 */
#ifndef CORE_SANDBOX_TREE_H
#define CORE_SANDBOX_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Up to room children of parent into pids.  Gives how many. */
size_t tree_children(pid_t parent, pid_t *pids, size_t room);

/* Up to room descendants of root (root not among them) into pids, parents before children.  Gives
 * how many; processes that come and go meanwhile may be missed. */
size_t tree_below(pid_t root, pid_t *pids, size_t room);

/* SIGKILL to every descendant of root.  Gives how many were found. */
size_t tree_kill(pid_t root);

struct tree_usage {
	int64_t cpu_ms; /* of all below root, and of those that root and they waited for */
	int tasks;      /* threads of all below root */
};
void tree_measure(pid_t root, struct tree_usage *usage);

#endif
