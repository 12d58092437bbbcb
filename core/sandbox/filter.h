/*
 * filter.h - the system calls a sandboxed program may make, as a classic BPF program.
 *
 * An allow-list: what is not on it answers EPERM, a foreign architecture is killed, and the few
 * calls that libc must be able to do without answer ENOSYS (filter.c holds the list).
 *
 * Knows:      err, libseccomp (its one user).
 * Unaware of: when and in which process it is loaded.
 */
#ifndef CORE_SANDBOX_FILTER_H
#define CORE_SANDBOX_FILTER_H

#include <stddef.h>

#include "core/base/attr.h"

struct err;
struct sock_filter;

struct filter {
	struct sock_filter *code; /* the filter's own; filter_release() frees it */
	unsigned short len;       /* instructions */
};

/* Fails with ERR_SANDBOX where libseccomp does not know this machine. */
int filter_make(struct filter *filter, struct err *err) ATTR_CHECKED;
void filter_release(struct filter *filter);

/* For this thread and all it will start; needs no_new_privs.  Fails with ERR_SANDBOX. */
int filter_load(const struct filter *filter, struct err *err) ATTR_CHECKED;

#endif
