/*
 * guest.c - the order of steps that nothing may be taken out of.
 *
 * With an ordinary user's rights the user namespace comes first, as it alone gives the right to
 * mount.  Root builds everything as root and enters a user namespace afterwards, as an id nobody
 * has: then even the namespaces themselves belong to a user namespace that the program is not in.
 * The filter is last; what follows it is on its list.
 */
#include "config.h"

#include "core/sandbox/guest.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/sandbox/confine.h"
#include "core/sandbox/filter.h"
#include "core/sandbox/landlock.h"
#include "core/sandbox/plan.h"
#include "core/sandbox/root.h"

struct guest {
	struct sandbox_plan plan;
};

static int
enter(struct guest *guest, const struct confine_outside *outside, struct err *err)
{
	confine_die_first(outside);
	if (outside->uid != 0) {
		if (confine_map(outside, ROOT_IDS, ROOT_IDS, err) < 0)
			return err_within(err, "user namespace");
		return root_enter(&guest->plan, err);
	}
	if (!confine_privileged())
		return err_set(err, ERR_SANDBOX,
			"user namespace: root without CAP_SYS_ADMIN cannot change to an unused id; "
			"mend: run as an ordinary user, or with that capability");
	if (root_enter(&guest->plan, err) < 0)
		return -1;
	return confine_strange_id(outside, ROOT_IDS, err);
}

struct guest *
guest_enter(const char *plan, size_t len, const struct confine_outside *outside, struct err *err)
{
	struct guest *guest = mem_zero(1, sizeof(*guest));

	if (plan_get_sandbox(plan, len, &guest->plan, err) < 0 || enter(guest, outside, err) < 0)
		return NULL;
	return guest;
}

int
guest_confine(struct guest *guest, int watch_fd, const struct filter *filter, struct err *err)
{
	if (geteuid() == 0 || getuid() != ROOT_IDS)
		return err_set(err, ERR_SANDBOX, "user namespace: not the id it should be");
	if (chdir("/tmp") < 0)
		return err_sys(err, errno, "working folder");
	if (confine_die_with_parent(watch_fd, err) < 0 ||
		confine_limits(&guest->plan.limits, err) < 0 || confine_bounds(err) < 0 ||
		confine_no_capabilities(err) < 0 || confine_no_new_privs(err) < 0 ||
		landlock_enter(guest->plan.python, err) < 0)
		return -1;
	return filter_load(filter, err);
}

void
guest_exec(const struct guest *guest, struct err *err)
{
	const char *const argv[] = { guest->plan.python, "-I", "-S", "-X", "utf8", ROOT_RUNNER,
		NULL };
	/* glibc reserves 64 MiB of address space for each arena, which a limit of that would count.
	 */
	const char *const env[] = { "LANG=C.UTF-8", "HOME=/tmp", "PATH=/usr/bin",
		"MALLOC_ARENA_MAX=2", NULL };

	execve(argv[0], (char *const *)argv, (char *const *)env);
	err_sys(err, errno, "start %s in the sandbox", argv[0]);
}
