/*
 * filter.c - the allow-list.
 *
 * CPython needs 24 calls to start and 54 for a tour of its library; the rest of the list is what
 * ordinary programs use on files, descriptors, time and threads.  Nothing on it opens a way out:
 * no socket but a pair, no descriptor passing, no namespaces, no executable memory from data, no
 * call that works on other processes but signals.  int arguments are compared in 32 bits, as the
 * kernel reads them.
 *
 * The rules are compiled once, by the reaper, and loaded by each sandbox as plain bytes: building
 * them anew costs more than a whole namespace.
 */
#include "config.h"

#include "core/sandbox/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"

#define INT_BITS 0xffffffffu
#define SETID_BITS (S_ISUID | S_ISGID)
#define WX (PROT_WRITE | PROT_EXEC)
#define SEND_FLAGS (MSG_NOSIGNAL | MSG_DONTWAIT)
/* No call has these numbers in the kernels libseccomp knows; newer libcs try them first. */
#define NR_FCHMODAT2 452
#define CLONE_REFUSED                                                                        \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |       \
		CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE | CLONE_UNTRACED | CLONE_PARENT | \
		CLONE_PIDFD)
#define ARCH_SET_FS 0x1002

/* Allowed whatever their arguments. */
static const int plain[] = {
	/* descriptors and files */
	SCMP_SYS(read),
	SCMP_SYS(write),
	SCMP_SYS(readv),
	SCMP_SYS(writev),
	SCMP_SYS(pread64),
	SCMP_SYS(pwrite64),
	SCMP_SYS(preadv),
	SCMP_SYS(pwritev),
	SCMP_SYS(lseek),
	SCMP_SYS(close),
	SCMP_SYS(close_range),
	SCMP_SYS(dup),
	SCMP_SYS(dup2),
	SCMP_SYS(dup3),
	SCMP_SYS(pipe),
	SCMP_SYS(pipe2),
	SCMP_SYS(sendfile),
	SCMP_SYS(copy_file_range),
	SCMP_SYS(stat),
	SCMP_SYS(fstat),
	SCMP_SYS(lstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(statx),
	SCMP_SYS(access),
	SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(getdents64),
	SCMP_SYS(getdents),
	SCMP_SYS(getcwd),
	SCMP_SYS(chdir),
	SCMP_SYS(fchdir),
	SCMP_SYS(mkdir),
	SCMP_SYS(mkdirat),
	SCMP_SYS(rmdir),
	SCMP_SYS(unlink),
	SCMP_SYS(unlinkat),
	SCMP_SYS(rename),
	SCMP_SYS(renameat),
	SCMP_SYS(renameat2),
	SCMP_SYS(truncate),
	SCMP_SYS(ftruncate),
	SCMP_SYS(fallocate),
	SCMP_SYS(fadvise64),
	SCMP_SYS(fsync),
	SCMP_SYS(fdatasync),
	SCMP_SYS(utimensat),
	SCMP_SYS(utime),
	SCMP_SYS(utimes),
	SCMP_SYS(statfs),
	SCMP_SYS(fstatfs),
	SCMP_SYS(umask),
	SCMP_SYS(getxattr),
	SCMP_SYS(lgetxattr),
	SCMP_SYS(fgetxattr),
	SCMP_SYS(listxattr),
	SCMP_SYS(llistxattr),
	SCMP_SYS(flistxattr),
	/* waiting */
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(select),
	SCMP_SYS(pselect6),
	SCMP_SYS(epoll_create),
	SCMP_SYS(epoll_create1),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(eventfd2),
	SCMP_SYS(timerfd_create),
	SCMP_SYS(timerfd_settime),
	SCMP_SYS(timerfd_gettime),
	/* the pair of sockets that asyncio wakes itself with, and the bridge */
	SCMP_SYS(recvfrom),
	SCMP_SYS(shutdown),
	SCMP_SYS(getsockname),
	SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt),
	/* memory */
	SCMP_SYS(brk),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(msync),
	SCMP_SYS(mincore),
	SCMP_SYS(membarrier),
	/* processes, threads, signals */
	SCMP_SYS(fork),
	SCMP_SYS(vfork),
	SCMP_SYS(execve),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	SCMP_SYS(wait4),
	SCMP_SYS(waitid),
	SCMP_SYS(kill),
	SCMP_SYS(tkill),
	SCMP_SYS(tgkill),
	SCMP_SYS(futex),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(get_robust_list),
	SCMP_SYS(set_tid_address),
	SCMP_SYS(rseq),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigpending),
	SCMP_SYS(rt_sigsuspend),
	SCMP_SYS(rt_sigtimedwait),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(pause),
	SCMP_SYS(getpid),
	SCMP_SYS(getppid),
	SCMP_SYS(gettid),
	SCMP_SYS(getuid),
	SCMP_SYS(geteuid),
	SCMP_SYS(getgid),
	SCMP_SYS(getegid),
	SCMP_SYS(getresuid),
	SCMP_SYS(getresgid),
	SCMP_SYS(getgroups),
	SCMP_SYS(getpgrp),
	SCMP_SYS(getpgid),
	SCMP_SYS(setpgid),
	SCMP_SYS(getsid),
	SCMP_SYS(setsid),
	SCMP_SYS(getrlimit),
	SCMP_SYS(getrusage),
	SCMP_SYS(getpriority),
	SCMP_SYS(times),
	SCMP_SYS(uname),
	SCMP_SYS(sysinfo),
	SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sched_getparam),
	SCMP_SYS(sched_getscheduler),
	SCMP_SYS(sched_get_priority_max),
	SCMP_SYS(sched_get_priority_min),
	SCMP_SYS(getcpu),
	SCMP_SYS(getrandom),
	/* time */
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_getres),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(getitimer),
	SCMP_SYS(setitimer),
	SCMP_SYS(alarm),
};

/* A call that passes when argument arg, masked, equals want.  Several lines for one call: any. */
struct condition {
	int call;
	unsigned arg;
	scmp_datum_t mask;
	scmp_datum_t want;
};

static const struct condition conditions[] = {
	/* never writable and executable together, and nothing becomes executable later */
	{ SCMP_SYS(mmap), 2, WX, 0 },
	{ SCMP_SYS(mmap), 2, WX, PROT_WRITE },
	{ SCMP_SYS(mmap), 2, WX, PROT_EXEC },
	{ SCMP_SYS(mprotect), 2, PROT_EXEC, 0 },
	{ SCMP_SYS(clone), 0, CLONE_REFUSED, 0 },
	/* no file is made set-user-ID */
	{ SCMP_SYS(open), 2, SETID_BITS, 0 },
	{ SCMP_SYS(openat), 3, SETID_BITS, 0 },
	{ SCMP_SYS(creat), 1, SETID_BITS, 0 },
	{ SCMP_SYS(chmod), 1, SETID_BITS, 0 },
	{ SCMP_SYS(fchmod), 1, SETID_BITS, 0 },
	{ SCMP_SYS(fchmodat), 2, SETID_BITS, 0 },
	{ SCMP_SYS(ioctl), 1, INT_BITS, TCGETS },
	{ SCMP_SYS(ioctl), 1, INT_BITS, FIONREAD },
	{ SCMP_SYS(ioctl), 1, INT_BITS, FIONBIO },
	{ SCMP_SYS(ioctl), 1, INT_BITS, FIOCLEX },
	{ SCMP_SYS(ioctl), 1, INT_BITS, FIONCLEX },
	{ SCMP_SYS(ioctl), 1, INT_BITS, TIOCGWINSZ },
	/* flags, copies, locks; no lease, owner, notification, seal or pipe size */
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_DUPFD },
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_DUPFD_CLOEXEC },
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_GETFD },
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_SETFD },
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_GETFL },
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_SETFL },
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_GETLK },
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_SETLK },
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_SETLKW },
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_OFD_GETLK },
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_OFD_SETLK },
	{ SCMP_SYS(fcntl), 1, INT_BITS, F_OFD_SETLKW },
	{ SCMP_SYS(socketpair), 0, INT_BITS, AF_UNIX },
	{ SCMP_SYS(prlimit64), 0, INT_BITS, 0 },
	{ SCMP_SYS(prctl), 0, INT_BITS, PR_SET_NAME },
	{ SCMP_SYS(prctl), 0, INT_BITS, PR_GET_NAME },
	{ SCMP_SYS(arch_prctl), 0, INT_BITS, ARCH_SET_FS },
};

/* What libc falls back from when the kernel seems not to have it: their arguments lie in memory. */
static const int absent[] = {
	SCMP_SYS(clone3),
	SCMP_SYS(openat2),
	NR_FCHMODAT2,
};

static int
add_rules(scmp_filter_ctx ctx)
{
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(plain) && rc == 0; i++)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, plain[i], 0);
	for (size_t i = 0; i < ARRAY_SIZE(conditions) && rc == 0; i++) {
		const struct condition *rule = &conditions[i];

		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, rule->call, 1,
			SCMP_CMP(rule->arg, SCMP_CMP_MASKED_EQ, rule->mask, rule->want));
	}
	for (size_t i = 0; i < ARRAY_SIZE(absent) && rc == 0; i++)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), absent[i], 0);
	/* To an address one could reach a socket by name: only to the peer, and nothing urgent. */
	if (rc == 0)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(sendto), 2,
			SCMP_CMP(3, SCMP_CMP_MASKED_EQ, INT_BITS & ~(unsigned)SEND_FLAGS, 0),
			SCMP_CMP(4, SCMP_CMP_MASKED_EQ, ~(scmp_datum_t)0, 0));
	return rc;
}

/* libseccomp writes its program to a descriptor only. */
static int
read_back(scmp_filter_ctx ctx, int file, struct filter *filter)
{
	off_t len;

	if (seccomp_export_bpf(ctx, file) < 0 || (len = lseek(file, 0, SEEK_END)) <= 0)
		return -1;
	filter->code = mem_zero(1, (size_t)len);
	filter->len = (unsigned short)((size_t)len / sizeof(*filter->code));
	return pread(file, filter->code, (size_t)len, 0) == len ? 0 : -1;
}

int
filter_make(struct filter *filter, struct err *err)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int file = memfd_create("filter", MFD_CLOEXEC);
	int rc = -1;

	*filter = (struct filter){ 0 };
	if (ctx && file >= 0 &&
		seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
		seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 && add_rules(ctx) == 0)
		rc = read_back(ctx, file, filter);
	if (ctx)
		seccomp_release(ctx);
	if (file >= 0)
		close(file);
	if (rc < 0) {
		filter_release(filter);
		return err_set(err, ERR_SANDBOX, "seccomp: the filter cannot be built here");
	}
	return 0;
}

void
filter_release(struct filter *filter)
{
	free(filter->code);
	*filter = (struct filter){ 0 };
}

int
filter_load(const struct filter *filter, struct err *err)
{
	struct sock_fprog program = { .len = filter->len, .filter = filter->code };

	if (filter->len == 0)
		return err_set(err, ERR_SANDBOX, "seccomp: there is no filter");
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		return err_sys(err, errno, "seccomp");
	return 0;
}
