/*
 * reap.c - one poll loop over the socket, SIGCHLD and the reports of the keepers.
 *
 * All state is one table of children, fixed in size; what is still to be said of a child stands in
 * its entry until the socket takes it.  A request that is not exactly as it should be ends the
 * reaper, and with it everything: its sender is the supervisor alone, so something is broken.
 */
#include "config.h"

#include "core/sandbox/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/sandbox/child.h"
#include "core/sandbox/confine.h"
#include "core/sandbox/filter.h"
#include "core/sandbox/plan.h"
#include "core/sandbox/tree.h"

#define CHILDREN_MAX 256
#define END_MS 1000 /* for the end: then we leave, and parent-death signals do the rest */

struct child {
	uint64_t id; /* 0: free */
	pid_t pid;   /* of the keeper; 0 once it is reaped */
	int report_fd;
	bool isolated;
	bool started;
	bool ended;       /* the keeper reported the program's status */
	bool swept;       /* false: its keeper was killed, and what it kept may be left */
	bool say_started; /* to be sent */
	bool say_end;     /* to be sent once swept: end, then the entry is free */
	struct reap_event end;
};

struct reaper {
	int sock;
	int signals;
	uid_t uid;
	gid_t gid;
	struct filter filter;
	struct err filter_err; /* why there is none */
	struct child children[CHILDREN_MAX];
};

static struct child *
child_find(struct reaper *reaper, uint64_t id)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (reaper->children[i].id == id)
			return &reaper->children[i];
	return NULL;
}

/* ---- to the supervisor ---- */

/* False when the socket takes no more now. */
static bool
send_event(const struct reaper *reaper, const struct reap_event *event)
{
	return send(reaper->sock, event, sizeof(*event), MSG_DONTWAIT | MSG_NOSIGNAL) ==
	       (ssize_t)sizeof(*event);
}

static void
say(struct reaper *reaper, struct child *child)
{
	if (child->say_started) {
		struct reap_event event = {
			.kind = REAP_STARTED, .id = child->id, .pid = child->end.pid
		};

		if (!send_event(reaper, &event))
			return;
		child->say_started = false;
	}
	if (child->say_end && child->swept && send_event(reaper, &child->end))
		*child = (struct child){ .report_fd = -1 };
}

static bool
anything_to_say(const struct reaper *reaper)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (reaper->children[i].say_started || reaper->children[i].say_end)
			return true;
	return false;
}

static void
end_failed(struct child *child, const char *text)
{
	child->end.kind = REAP_FAILED;
	snprintf(child->end.text, sizeof(child->end.text), "%s", text);
}

/* ---- start ---- */

static int
open_reports(int *read_end, int *write_end, struct err *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_sys(err, errno, "pipe");
	*read_end = fds[0];
	*write_end = fds[1];
	return 0;
}

static int
clone_keeper(struct reaper *reaper, struct child *child, struct child_job *job, struct err *err)
{
	struct clone_args args = { .flags = child_flags(job), .exit_signal = SIGCHLD };
	long pid;

	if (job->kind == PLAN_SANDBOX && reaper->filter.len == 0)
		return err_set(err, ERR_SANDBOX, "%s", reaper->filter_err.text);
	if (open_reports(&child->report_fd, &job->report_fd, err) < 0)
		return -1;
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		child_run(job, reaper->uid, reaper->gid);
	close(job->report_fd);
	if (pid < 0) {
		close(child->report_fd);
		child->report_fd = -1;
		return args.flags ? confine_refused("namespaces", "clone", errno, err)
				  : err_sys(err, errno, "fork");
	}
	child->pid = child->end.pid = (pid_t)pid;
	return 0;
}

static void
start(struct reaper *reaper, const struct reap_request *request, const int *fds)
{
	struct child *child = child_find(reaper, 0);
	struct child_job job = { .kind = request->kind,
		.plan_fd = fds[0],
		.filter = &reaper->filter,
		.fds = { -1, -1, -1, -1 } };
	struct err err = { 0 };
	int next = 1;

	if (!child) {
		struct reap_event full = {
			.kind = REAP_FAILED, .id = request->id, .text = "too many processes at once"
		};

		(void)send_event(reaper, &full);
		return;
	}
	for (int i = 0; i < 4; i++)
		if (request->fd_mask & (1u << i))
			job.fds[i] = fds[next++];
	job.isolate = request->kind == PLAN_SANDBOX || request->isolate;
	*child = (struct child){ .id = request->id, .report_fd = -1, .isolated = job.isolate };
	child->swept = true;
	child->end.id = request->id;
	if (clone_keeper(reaper, child, &job, &err) < 0) {
		end_failed(child, err.text);
		child->say_end = true;
		say(reaper, child);
	}
}

/* With the keeper goes its pid namespace; without one, what it kept becomes a stray of ours. */
static void
kill_child(struct child *child)
{
	if (!child->pid)
		return;
	if (!child->isolated)
		tree_kill(child->pid);
	kill(child->pid, SIGKILL);
}

/* ---- requests ---- */

static size_t
take_fds(struct msghdr *header, int fds[REAP_FDS])
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(header);
	size_t count;

	if (!cmsg || cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
		return 0;
	count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(cmsg), count * sizeof(int));
	return count;
}

static bool
well_formed(struct reaper *reaper, const struct reap_request *request, ssize_t len, size_t fds)
{
	if (len != (ssize_t)sizeof(*request) || request->magic != REAP_MAGIC || request->id == 0 ||
		request->zero != 0)
		return false;
	if (request->verb == REAP_KILL)
		return fds == 0;
	return request->verb == REAP_START && request->isolate <= 1 && request->fd_mask < 16 &&
	       (request->kind == PLAN_TOOL || request->kind == PLAN_SANDBOX) &&
	       fds == 1 + (size_t)__builtin_popcount(request->fd_mask) &&
	       !child_find(reaper, request->id);
}

/* -1: the supervisor is gone, or does not make sense. */
static int
serve_request(struct reaper *reaper)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(REAP_FDS * sizeof(int))];
	} control;
	struct reap_request request = { 0 };
	struct iovec piece = { .iov_base = &request, .iov_len = sizeof(request) };
	struct msghdr header = { .msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	int fds[REAP_FDS];
	struct child *child;
	size_t count;
	ssize_t len = recvmsg(reaper->sock, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	count = take_fds(&header, fds);
	if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ||
		!well_formed(reaper, &request, len, count))
		return -1;
	if (request.verb == REAP_START)
		start(reaper, &request, fds);
	else if ((child = child_find(reaper, request.id)))
		kill_child(child);
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	return 0;
}

/* ---- reports and ends ---- */

static void
take_report(struct child *child, const struct child_report *report)
{
	switch (report->kind) {
	case CHILD_STARTED:
		child->started = child->say_started = true;
		break;
	case CHILD_FAILED:
		end_failed(child, report->text);
		child->end.text[sizeof(child->end.text) - 1] = '\0';
		break;
	case CHILD_ENDED:
		child->ended = true;
		child->end.status = report->status;
		break;
	}
}

static void
read_reports(struct child *child)
{
	struct child_report report;
	ssize_t got;

	while (child->report_fd >= 0) {
		got = read(child->report_fd, &report, sizeof(report));
		if (got == (ssize_t)sizeof(report)) {
			report.text[sizeof(report.text) - 1] = '\0';
			take_report(child, &report);
		} else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
			return;
		} else {
			close(child->report_fd);
			child->report_fd = -1;
		}
	}
}

static bool
is_keeper(const struct reaper *reaper, pid_t pid)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (reaper->children[i].pid == pid)
			return true;
	return false;
}

/* Children that nobody here made: left behind by a keeper that was killed.  Gives how many. */
static size_t
kill_strays(const struct reaper *reaper)
{
	pid_t pids[CHILDREN_MAX * 4];
	size_t count = tree_children(getpid(), pids, ARRAY_SIZE(pids)), strays = 0;

	for (size_t i = 0; i < count; i++) {
		if (is_keeper(reaper, pids[i]))
			continue;
		kill(pids[i], SIGSTOP);
		tree_kill(pids[i]);
		kill(pids[i], SIGKILL);
		strays++;
	}
	return strays;
}

static void
child_ended(struct child *child, int status, const struct rusage *usage)
{
	read_reports(child);
	if (child->report_fd >= 0)
		close(child->report_fd);
	child->report_fd = -1;
	if (!child->started && child->end.kind != REAP_FAILED)
		end_failed(child, "it was killed before it could start");
	if (child->end.kind != REAP_FAILED)
		child->end.kind = REAP_EXIT;
	if (!child->ended)
		child->end.status = WIFSIGNALED(status) ? status : SIGKILL;
	child->end.cpu_ms = (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000 +
			    (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1000;
	child->end.max_rss_kb = usage->ru_maxrss;
	child->swept = child->isolated || child->ended;
	child->say_end = true;
	child->pid = 0;
}

/* False when there is no child at all. */
static bool
reap_ended(struct reaper *reaper)
{
	struct rusage usage;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0)
		for (size_t i = 0; i < CHILDREN_MAX; i++)
			if (reaper->children[i].pid == pid)
				child_ended(&reaper->children[i], status, &usage);
	return pid == 0 || errno != ECHILD;
}

/* Gives whether there is more to sweep. */
static bool
sweep(struct reaper *reaper)
{
	bool any = false;

	for (size_t i = 0; i < CHILDREN_MAX; i++)
		any = any || (reaper->children[i].id != 0 && !reaper->children[i].swept);
	if (!any || kill_strays(reaper) > 0)
		return any;
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		reaper->children[i].swept = true;
	return false;
}

/* ---- the loop ---- */

/* One poll: the socket, SIGCHLD, and the reports of keepers.  Gives false at the end. */
static bool
turn(struct reaper *reaper, bool sweeping)
{
	struct pollfd fds[2 + CHILDREN_MAX] = {
		{ .fd = reaper->sock, .events = POLLIN },
		{ .fd = reaper->signals, .events = POLLIN },
	};
	struct signalfd_siginfo info;

	if (anything_to_say(reaper) && !sweeping)
		fds[0].events |= POLLOUT;
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		fds[2 + i] =
			(struct pollfd){ .fd = reaper->children[i].report_fd, .events = POLLIN };
	if (poll(fds, ARRAY_SIZE(fds), sweeping ? 2 : -1) < 0)
		return errno == EINTR;
	/* Ended children before new requests: they may be what the socket waits to hear of. */
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (fds[2 + i].revents)
			read_reports(&reaper->children[i]);
	if (fds[1].revents)
		(void)!read(reaper->signals, &info, sizeof(info));
	(void)reap_ended(reaper);
	if (fds[0].revents & (POLLERR | POLLHUP))
		return false;
	return !(fds[0].revents & POLLIN) || serve_request(reaper) == 0;
}

/* Again and again, as what is killed late may have started something before. */
static void
end_everything(struct reaper *reaper)
{
	const struct timespec pause = { .tv_nsec = 2 * NS_PER_MS };
	int64_t deadline = clock_mono() + END_MS * NS_PER_MS;

	do {
		for (size_t i = 0; i < CHILDREN_MAX; i++)
			kill_child(&reaper->children[i]);
		kill_strays(reaper);
		nanosleep(&pause, NULL);
	} while (reap_ended(reaper) && clock_mono() < deadline);
}

static int
set_up(struct reaper *reaper, int sock, struct err *err)
{
	sigset_t every;

	reaper->sock = sock;
	reaper->uid = getuid();
	reaper->gid = getgid();
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		reaper->children[i].report_fd = -1;
	/* Without a filter tools can still be served; a sandbox cannot be started. */
	if (filter_make(&reaper->filter, &reaper->filter_err) < 0)
		reaper->filter.len = 0;
	sigfillset(&every);
	if (sigprocmask(SIG_SETMASK, &every, NULL) < 0 ||
		(reaper->signals = signalfd(-1, &every, SFD_CLOEXEC | SFD_NONBLOCK)) < 0)
		return err_sys(err, errno, "signals");
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return err_sys(err, errno, "prctl");
	return 0;
}

int
reap_serve(int sock)
{
	static struct reaper reaper;
	struct err err;
	bool sweeping = false;

	if (set_up(&reaper, sock, &err) < 0)
		return 1;
	while (turn(&reaper, sweeping)) {
		sweeping = sweep(&reaper);
		for (size_t i = 0; i < CHILDREN_MAX; i++)
			if (reaper.children[i].id != 0)
				say(&reaper, &reaper.children[i]);
	}
	end_everything(&reaper);
	filter_release(&reaper.filter);
	return 0;
}
