/*
 * child.c - the keeper, and its steps up to the program's exec.
 *
 * The keeper learns of the exec by a pipe that closes on exec: a byte says that all steps are done,
 * and end of file after it that the image was replaced; text in its place says which step failed.
 * It keeps no descriptor of the program, is not dumpable, and holds no right that the program does
 * not hold, but for the keeper of a tool that is not isolated, which must be able to kill.
 */
#include "config.h"

#include "core/sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/sandbox/confine.h"
#include "core/sandbox/filter.h"
#include "core/sandbox/guest.h"
#include "core/sandbox/plan.h"
#include "core/sandbox/tool.h"
#include "core/sandbox/tree.h"

#define READY 'R'
#define KEEPER_REPORT 3 /* where the keeper holds its two pipes once the program is forked */
#define KEEPER_EXEC 4

uint64_t
child_flags(const struct child_job *job)
{
	uint64_t flags = 0;

	if (job->kind == PLAN_SANDBOX)
		flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
			CLONE_NEWCGROUP;
	else if (job->isolate)
		flags = CLONE_NEWNS | CLONE_NEWPID;
	if (flags != 0 && !confine_privileged())
		flags |= CLONE_NEWUSER;
	return flags;
}

static void
report(int fd, enum child_report_kind kind, int status, const char *text)
{
	struct child_report message = { .kind = kind, .status = status };

	if (text)
		snprintf(message.text, sizeof(message.text), "%s", text);
	(void)!write(fd, &message, sizeof(message));
}

static void fail(int report_fd, const struct err *err) ATTR_NORETURN;
static void
fail(int report_fd, const struct err *err)
{
	report(report_fd, CHILD_FAILED, 0, err->text);
	_exit(1);
}

/* The plan's bytes, which its sender can no longer change. */
static const char *
map_plan(int fd, size_t *len, struct err *err)
{
	const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;
	struct stat st;
	void *bytes;

	if (fstat(fd, &st) < 0 || st.st_size <= 0 || (size_t)st.st_size > PLAN_MAX ||
		(fcntl(fd, F_GET_SEALS) & seals) != seals) {
		err_set(err, ERR_FORMAT, "malformed plan: no sealed file of up to 4 MiB");
		return NULL;
	}
	*len = (size_t)st.st_size;
	bytes = mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED) {
		err_sys(err, errno, "map the plan");
		return NULL;
	}
	return bytes;
}

/* Put the job's descriptors to their numbers; everything else closes at exec. */
static int
place_descriptors(const struct child_job *job, struct err *err)
{
	for (int i = 0; i < 4; i++) {
		int from = job->fds[i];

		if (from < 0 && i == 3)
			continue;
		if (from < 0)
			from = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);
		if (from < 0 || dup2(from, i) < 0)
			return err_sys(err, errno, "descriptor %d", i);
	}
	if (close_range(job->fds[3] < 0 ? 3 : 4, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
		return err_sys(err, errno, "close_range");
	return 0;
}

/* ---- the program's side ---- */

struct start {
	const struct child_job *job;
	struct guest *guest; /* of PLAN_SANDBOX */
	struct tool *tool;   /* of PLAN_TOOL */
	int exec_fd;
};

static int
program_steps(const struct start *start, struct err *err)
{
	confine_fresh_signals();
	if (setsid() < 0)
		return err_sys(err, errno, "setsid");
	if (place_descriptors(start->job, err) < 0)
		return -1;
	if (start->guest)
		return guest_confine(start->guest, start->exec_fd, start->job->filter, err);
	return tool_confine(start->tool, start->exec_fd, err);
}

static void program(const struct start *start) ATTR_NORETURN;
static void
program(const struct start *start)
{
	const char ready = READY;
	struct err err = { 0 };

	if (program_steps(start, &err) == 0) {
		(void)!write(start->exec_fd, &ready, 1);
		if (start->guest)
			guest_exec(start->guest, &err);
		else
			tool_exec(start->tool, &err);
	}
	(void)!write(start->exec_fd, err.text, strlen(err.text));
	_exit(127);
}

/* ---- the keeper's side ---- */

/* Nothing but the two pipes, at fixed numbers. */
static void
keep_pipes_only(int report_fd, int exec_fd)
{
	int high_report = fcntl(report_fd, F_DUPFD_CLOEXEC, KEEPER_EXEC + 1);
	int high_exec = fcntl(exec_fd, F_DUPFD_CLOEXEC, KEEPER_EXEC + 1);

	dup3(high_report, KEEPER_REPORT, O_CLOEXEC);
	dup3(high_exec, KEEPER_EXEC, O_CLOEXEC);
	close_range(0, 2, 0);
	close_range(KEEPER_EXEC + 1, ~0u, 0);
}

/* Wait until the program is executed, or say why it is not. */
static void
await_exec(void)
{
	char text[ERR_TEXT_MAX];
	size_t len = 0;
	ssize_t got;

	while (len < sizeof(text) - 1 &&
		(got = read(KEEPER_EXEC, text + len, sizeof(text) - 1 - len)) != 0) {
		if (got < 0 && errno != EINTR)
			break;
		len += got > 0 ? (size_t)got : 0;
	}
	close(KEEPER_EXEC);
	text[len] = '\0';
	if (len == 1 && text[0] == READY) {
		report(KEEPER_REPORT, CHILD_STARTED, 0, NULL);
		return;
	}
	report(KEEPER_REPORT, CHILD_FAILED, 0,
		len == 0           ? "it ended before it could start"
		: text[0] == READY ? text + 1
				   : text);
	_exit(1);
}

static int
await_program(pid_t program_pid)
{
	int status = 0;
	pid_t pid;

	for (;;) {
		pid = waitpid(-1, &status, 0);
		if (pid == program_pid)
			return status;
		if (pid < 0 && errno != EINTR)
			return SIGKILL;
	}
}

/* Without a pid namespace the kernel ends nobody for us. */
static void
kill_remaining(void)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 && errno == ECHILD)
			return;
		if (pid > 0)
			continue;
		tree_kill(getpid());
		nanosleep(&pause, NULL);
	}
}

static void keep(pid_t program_pid, bool isolated) ATTR_NORETURN;
static void
keep(pid_t program_pid, bool isolated)
{
	int status;

	await_exec();
	status = await_program(program_pid);
	if (!isolated)
		kill_remaining();
	report(KEEPER_REPORT, CHILD_ENDED, status, NULL);
	_exit(0);
}

static int
keeper_drop(const struct start *start, struct err *err)
{
	if (!start->job->isolate)
		return 0;
	if (confine_bounds(err) < 0 || confine_no_capabilities(err) < 0 ||
		confine_no_new_privs(err) < 0)
		return -1;
	return start->guest ? filter_load(start->job->filter, err) : 0;
}

static void start_program(struct start *start) ATTR_NORETURN;
static void
start_program(struct start *start)
{
	int report_fd = start->job->report_fd;
	struct err err = { 0 };
	int pipe_fds[2];
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		err_sys(&err, errno, "fork");
		fail(report_fd, &err);
	}
	if (pid == 0) {
		start->exec_fd = pipe_fds[1];
		program(start);
	}
	keep_pipes_only(report_fd, pipe_fds[0]);
	if (keeper_drop(start, &err) < 0)
		fail(KEEPER_REPORT, &err);
	keep(pid, start->job->isolate);
}

static int
look_outside(struct confine_outside *outside, uid_t uid, gid_t gid, struct err *err)
{
	char text[32] = "";

	outside->uid = uid;
	outside->gid = gid;
	outside->self = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (outside->self < 0 || readlink("/proc/self", text, sizeof(text) - 1) < 0)
		return err_sys(err, errno, "/proc/self");
	outside->pid = (pid_t)atoi(text);
	return 0;
}

static int
prepare(struct start *start, uid_t uid, gid_t gid, struct err *err)
{
	const struct child_job *job = start->job;
	struct confine_outside outside;
	const char *bytes;
	size_t len;

	if (!job->isolate && prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return err_sys(err, errno, "subreaper");
	if (confine_die_with_parent(job->report_fd, err) < 0 ||
		look_outside(&outside, uid, gid, err) < 0 ||
		!(bytes = map_plan(job->plan_fd, &len, err)))
		return -1;
	if (job->kind == PLAN_SANDBOX)
		start->guest = guest_enter(bytes, len, &outside, err);
	else
		start->tool = tool_enter(bytes, len, job->isolate, &outside, err);
	close(outside.self);
	if (!start->guest && !start->tool)
		return -1;
	/* Ids may have changed, which clears it. */
	return confine_die_with_parent(job->report_fd, err);
}

void
child_run(const struct child_job *job, uid_t uid, gid_t gid)
{
	struct start start = { .job = job };
	struct err err = { 0 };

	/* Nothing else may take that number: it can be one of the program's. */
	dup3(STDIN_FILENO, REAP_FD, O_CLOEXEC);
	if (prepare(&start, uid, gid, &err) < 0)
		fail(job->report_fd, &err);
	start_program(&start);
}
