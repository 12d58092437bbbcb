/*
 * confine.c - give up rights, step by step.
 *
 * Capabilities go by the system calls themselves: the bounding set first (it needs one of those
 * capabilities), then the secure bits, then all sets at once.
 */
#include "config.h"

#include "core/sandbox/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/sandbox/plan.h"

/* Far above what systems give out (systemd's containers end below 0x70000000); one for each pid. */
#define STRANGE_ID_BASE 0x71000000u
#define CPU_S_MAX 31536000

static int
capabilities_get(struct __user_cap_data_struct sets[2])
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return (int)syscall(SYS_capget, &header, sets);
}

static int
capabilities_set(const struct __user_cap_data_struct sets[2])
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return (int)syscall(SYS_capset, &header, sets);
}

bool
confine_privileged(void)
{
	struct __user_cap_data_struct sets[2];

	return capabilities_get(sets) == 0 && (sets[0].effective & (1u << CAP_SYS_ADMIN));
}

static int
write_at(int folder, const char *name, const char *text, struct err *err)
{
	int fd = openat(folder, name, O_WRONLY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return err_sys(err, errno, "%s", name);
	if (write(fd, text, strlen(text)) < 0)
		rc = err_sys(err, errno, "%s", name);
	close(fd);
	return rc;
}

int
confine_map(const struct confine_outside *outside, uid_t uid, gid_t gid, struct err *err)
{
	char text[64];

	/* A process that is not dumpable does not own its own files in /proc. */
	prctl(PR_SET_DUMPABLE, 1);
	if (write_at(outside->self, "setgroups", "deny", err) < 0)
		return -1;
	snprintf(text, sizeof(text), "%u %u 1\n", uid, outside->uid);
	if (write_at(outside->self, "uid_map", text, err) < 0)
		return -1;
	snprintf(text, sizeof(text), "%u %u 1\n", gid, outside->gid);
	if (write_at(outside->self, "gid_map", text, err) < 0)
		return -1;
	prctl(PR_SET_DUMPABLE, 0);
	return 0;
}

int
confine_strange_id(const struct confine_outside *outside, uid_t inside, struct err *err)
{
	struct confine_outside strange = *outside;
	struct __user_cap_data_struct sets[2];

	strange.uid = STRANGE_ID_BASE + (uid_t)outside->pid;
	strange.gid = strange.uid;
	/* Rights are kept across the change for one thing: where ordinary users may not make user
	 * namespaces, this one still may. */
	if (setgroups(0, NULL) < 0 || prctl(PR_SET_KEEPCAPS, 1) < 0 ||
		setresgid(strange.gid, strange.gid, strange.gid) < 0 ||
		setresuid(strange.uid, strange.uid, strange.uid) < 0)
		return err_sys(err, errno, "change to an unused id");
	if (capabilities_get(sets) < 0)
		return err_sys(err, errno, "capget");
	for (int i = 0; i < 2; i++)
		sets[i].effective = sets[i].permitted;
	if (capabilities_set(sets) < 0)
		return err_sys(err, errno, "capset");
	if (unshare(CLONE_NEWUSER) < 0)
		return confine_refused("user namespace", "unshare", errno, err);
	return confine_map(&strange, inside, inside, err);
}

int
confine_bounds(struct err *err)
{
	const unsigned long locked = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
				     SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
				     SECBIT_NO_CAP_AMBIENT_RAISE |
				     SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
	struct __user_cap_data_struct sets[2];

	if (capabilities_get(sets) < 0)
		return err_sys(err, errno, "capabilities: capget");
	if (!(sets[0].effective & (1u << CAP_SETPCAP)))
		return 0;
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (prctl(PR_CAPBSET_DROP, cap) < 0)
			return err_sys(err, errno, "capabilities: bounding set");
	if (prctl(PR_SET_SECUREBITS, locked) < 0)
		return err_sys(err, errno, "capabilities: secure bits");
	return 0;
}

int
confine_no_capabilities(struct err *err)
{
	static const struct __user_cap_data_struct none[2];

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
		return err_sys(err, errno, "capabilities: ambient set");
	if (capabilities_set(none) < 0)
		return err_sys(err, errno, "capabilities: capset");
	return 0;
}

int
confine_no_new_privs(struct err *err)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(err, errno, "no_new_privs");
	return 0;
}

static int
limit(int resource, const char *name, rlim_t soft, rlim_t hard, struct err *err)
{
	struct rlimit now, next;

	if (getrlimit(resource, &now) < 0)
		return err_sys(err, errno, "limit %s", name);
	next.rlim_max = hard < now.rlim_max ? hard : now.rlim_max;
	next.rlim_cur = soft < next.rlim_max ? soft : next.rlim_max;
	if (setrlimit(resource, &next) < 0)
		return err_sys(err, errno, "limit %s", name);
	return 0;
}

/* So many processors out of those this process may use, from a different place each time. */
static int
use_processors(int64_t wanted, struct err *err)
{
	cpu_set_t all, some;
	struct timespec now;
	int have, skip;

	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return err_sys(err, errno, "limit processors");
	have = CPU_COUNT(&all);
	if (have <= wanted)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	skip = (int)(now.tv_nsec / 1000 % have);
	CPU_ZERO(&some);
	for (int cpu = 0, seen = 0; CPU_COUNT(&some) < wanted; cpu = (cpu + 1) % CPU_SETSIZE)
		if (CPU_ISSET(cpu, &all) && seen++ >= skip)
			CPU_SET(cpu, &some);
	if (sched_setaffinity(0, sizeof(some), &some) < 0)
		return err_sys(err, errno, "limit processors");
	return 0;
}

int
confine_limits(const struct sandbox_limits *limits, struct err *err)
{
	const rlim_t tmp = (rlim_t)limits->tmp_bytes, memory = (rlim_t)limits->memory_bytes;
	/* Where none was asked for, a year: so a limit that is missing is always a mistake. */
	const rlim_t cpu = limits->cpu_s < 0 ? CPU_S_MAX : (rlim_t)limits->cpu_s;
	/* 1, not 0: a handler behind a pipe ignores 0. */
	const rlim_t core = 1;
	const rlim_t one_init = 1;
	const struct {
		int resource;
		const char *name;
		rlim_t soft, hard;
	} table[] = {
		{ RLIMIT_CORE, "core", core, core },
		{ RLIMIT_FSIZE, "file size", tmp, tmp },
		{ RLIMIT_CPU, "processor time", cpu, cpu + 1 },
		{ RLIMIT_NPROC, "processes", (rlim_t)limits->pids + one_init,
			(rlim_t)limits->pids + one_init },
		{ RLIMIT_NOFILE, "descriptors", 256, 256 },
		{ RLIMIT_MEMLOCK, "locked memory", 65536, 65536 },
		{ RLIMIT_SIGPENDING, "queued signals", 128, 128 },
		{ RLIMIT_MSGQUEUE, "message queues", 0, 0 },
		{ RLIMIT_NICE, "nice", 0, 0 },
		{ RLIMIT_RTPRIO, "real-time priority", 0, 0 },
		{ RLIMIT_STACK, "stack", 8 << 20, 8 << 20 },
		{ RLIMIT_AS, "address space", memory, memory },
	};

	if (use_processors(limits->cpus, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (limit(table[i].resource, table[i].name, table[i].soft, table[i].hard, err) < 0)
			return -1;
	return 0;
}

void
confine_die_first(const struct confine_outside *outside)
{
	prctl(PR_SET_DUMPABLE, 1);
	(void)write_at(outside->self, "oom_score_adj", "1000", NULL);
	prctl(PR_SET_DUMPABLE, 0);
}

int
confine_die_with_parent(int watch_fd, struct err *err)
{
	struct pollfd watch = { .fd = watch_fd };

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_sys(err, errno, "parent-death signal");
	if (poll(&watch, 1, 0) > 0 && (watch.revents & POLLERR))
		return err_set(err, ERR_STATE, "the parent is gone");
	return 0;
}

void
confine_fresh_signals(void)
{
	sigset_t none;

	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static long
read_number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (read(fd, text, sizeof(text) - 1) <= 0)
		text[0] = '\0';
	close(fd);
	return text[0] ? strtol(text, NULL, 10) : -1;
}

static const char *
mend(int errnum)
{
	if (errnum == ENOSPC || read_number("/proc/sys/user/max_user_namespaces") == 0)
		return "; too few user namespaces are allowed here; mend: sysctl -w "
		       "user.max_user_namespaces=10000";
	if (read_number("/proc/sys/kernel/unprivileged_userns_clone") == 0)
		return "; users may not make user namespaces here; mend: sysctl -w "
		       "kernel.unprivileged_userns_clone=1";
	if (read_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
		return "; AppArmor restricts user namespaces here; mend: an AppArmor profile with "
		       "\"userns,\" for tollbridge-init, or sysctl -w "
		       "kernel.apparmor_restrict_unprivileged_userns=0";
	if (errnum == EPERM || errnum == EACCES)
		return "; the kernel or a container around this machine forbids it; mend: allow "
		       "user namespaces and mounts in the container, or run outside it";
	return "";
}

int
confine_refused(const char *layer, const char *what, int errnum, struct err *err)
{
	return err_set(
		err, ERR_SANDBOX, "%s: %s: %s%s", layer, what, strerror(errnum), mend(errnum));
}
