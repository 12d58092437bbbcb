/*
 * guest.h - the steps of the sandboxed program: its root, its identity, its limits, its filter.
 *
 * Knows:      plan, confine, filter, landlock, root, err, mem.
 * Unaware of: the keeper, tools (tool).
 */
#ifndef CORE_SANDBOX_GUEST_H
#define CORE_SANDBOX_GUEST_H

#include <stddef.h>

#include "core/base/attr.h"

struct confine_outside;
struct err;
struct filter;
struct guest;

/* In the keeper, process 1 of its namespaces: build the root and become the guest's id.  NULL:
 * failed. */
struct guest *guest_enter(
	const char *plan, size_t len, const struct confine_outside *outside, struct err *err);

/* In the program's process: limits, rights, filter.  watch_fd as in confine. */
int guest_confine(struct guest *guest, int watch_fd, const struct filter *filter,
	struct err *err) ATTR_CHECKED;

/* Comes back only when it failed. */
void guest_exec(const struct guest *guest, struct err *err);

#endif
