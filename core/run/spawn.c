/*
 * spawn.c - the supervisor's side of the reaper's socket.
 *
 * A request carries its descriptors, so it is kept whole until the socket takes it; requests that
 * wait keep their order.  Processes live in a list from the request to the event that ends them,
 * also when their caller has dropped them.
 */
#include "config.h"

#include "core/run/spawn.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/where.h"
#include "core/run/covers.h"
#include "core/sandbox/plan.h"

#define INIT "tollbridge-init"
#define FAREWELL_MS 1000
#define EVENTS_A_TURN 32

struct outgoing {
	struct outgoing *next;
	struct reap_request request;
	int fds[REAP_FDS];
	size_t fd_count;
};

struct proc {
	struct proc *next;
	struct spawner *spawner;
	uint64_t id;
	pid_t pid;
	struct proc_hooks hooks;
	bool kill_sent;
};

struct spawner {
	struct loop *loop;
	struct loop_watch *watch;
	int sock; /* -1: the reaper is gone */
	pid_t reaper;
	void (*on_lost)(void *arg);
	void *arg;
	char **covers;
	uint64_t last_id;
	struct proc *procs;
	struct outgoing *queue;
};

/* ---- requests ---- */

static void
outgoing_free(struct outgoing *out)
{
	for (size_t i = 0; i < out->fd_count; i++)
		close(out->fds[i]);
	free(out);
}

/* 0: sent; -1: errno. */
static int
outgoing_send(int sock, const struct outgoing *out)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(REAP_FDS * sizeof(int))];
	} control = { 0 };
	struct iovec piece = { .iov_base = (void *)&out->request, .iov_len = sizeof(out->request) };
	struct msghdr header = { .msg_iov = &piece, .msg_iovlen = 1 };
	struct cmsghdr *cmsg;

	if (out->fd_count > 0) {
		header.msg_control = &control;
		header.msg_controllen = CMSG_SPACE(out->fd_count * sizeof(int));
		cmsg = &control.align;
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(out->fd_count * sizeof(int));
		memcpy(CMSG_DATA(cmsg), out->fds, out->fd_count * sizeof(int));
	}
	return sendmsg(sock, &header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

/* What does not go now waits; a broken socket shows as its end of file. */
static void
flush(struct spawner *spawner)
{
	struct outgoing *out;

	while ((out = spawner->queue)) {
		if (outgoing_send(spawner->sock, out) < 0 && errno != EPIPE && errno != ECONNRESET)
			break;
		spawner->queue = out->next;
		outgoing_free(out);
	}
	loop_watch_set(spawner->watch, spawner->queue ? LOOP_READ | LOOP_WRITE : LOOP_READ);
}

/* Takes out. */
static void
post(struct spawner *spawner, struct outgoing *out)
{
	struct outgoing **end = &spawner->queue;

	while (*end)
		end = &(*end)->next;
	*end = out;
	flush(spawner);
}

static int
seal_plan(const struct buf *plan, struct err *err)
{
	AUTO_CLOSE int fd = memfd_create("plan", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (plan->len > PLAN_MAX)
		return err_set(err, ERR_LIMIT, "arguments and environment of more than %zu bytes",
			PLAN_MAX);
	if (fd < 0)
		return err_sys(err, errno, "memory for the plan");
	if (io_write_all(fd, plan->data, plan->len, err) < 0)
		return -1;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return err_sys(err, errno, "seal the plan");
	return io_give(&fd);
}

static struct proc *
proc_new(struct spawner *spawner, const struct proc_hooks *hooks)
{
	struct proc *proc = mem_zero(1, sizeof(*proc));

	proc->spawner = spawner;
	proc->id = ++spawner->last_id;
	proc->hooks = *hooks;
	proc->next = spawner->procs;
	spawner->procs = proc;
	return proc;
}

static void
close_fds(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Takes fds: those of descriptors 0 to 3. */
static struct proc *
start(struct spawner *spawner, struct reap_request *request, const struct buf *plan,
	const int fds[4], const struct proc_hooks *hooks, struct err *err)
{
	struct outgoing *out;
	struct proc *proc;
	int plan_fd = -1;

	if (spawner->sock < 0)
		err_set(err, ERR_STATE, "%s is gone", INIT);
	else
		plan_fd = seal_plan(plan, err);
	if (plan_fd < 0) {
		close_fds(fds, 4);
		return NULL;
	}
	out = mem_zero(1, sizeof(*out));
	out->fds[out->fd_count++] = plan_fd;
	for (int i = 0; i < 4; i++)
		if (fds[i] >= 0) {
			request->fd_mask |= 1u << i;
			out->fds[out->fd_count++] = fds[i];
		}
	proc = proc_new(spawner, hooks);
	request->magic = REAP_MAGIC;
	request->verb = REAP_START;
	request->id = proc->id;
	out->request = *request;
	post(spawner, out);
	return proc;
}

/* ---- a tool's environment ---- */

static bool
names_variable(const char *const *env, const char *name)
{
	size_t len = strlen(name);

	for (; env && *env; env++)
		if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
			return true;
	return false;
}

/* The short environment, then what the request adds; a name is never there twice.  Gives an array
 * whose first *own strings are the caller's to free. */
static const char **
short_env(const struct spawn_tool *request, size_t *own)
{
	/* Of a user that root changes to, the account says the rest. */
	static const char *const inherited[] = { "LANG", "TZ", "HOME", "LOGNAME", "PATH", "SHELL",
		"USER" };
	size_t names = request->user ? 2 : ARRAY_SIZE(inherited), extra = 0;
	const char **env;

	while (request->env && request->env[extra])
		extra++;
	env = mem_zero(names + extra + 1, sizeof(*env));
	*own = 0;
	for (size_t i = 0; i < names; i++) {
		const char *value = getenv(inherited[i]);

		if (value && !names_variable(request->env, inherited[i]))
			env[(*own)++] = mem_printf("%s=%s", inherited[i], value);
	}
	for (size_t i = 0; i < extra; i++)
		env[*own + i] = request->env[i];
	return env;
}

struct proc *
spawn_tool(struct spawner *spawner, const struct spawn_tool *request,
	const struct proc_hooks *hooks, struct err *err)
{
	const int fds[4] = { request->fds[0], request->fds[1], request->fds[2], request->extra_fd };
	struct reap_request message = { .kind = PLAN_TOOL, .isolate = request->isolate };
	AUTO_BUF struct buf bytes;
	const char **env;
	size_t own;

	assert(request->argv && request->argv[0]);
	buf_init(&bytes, BUF_UNBOUNDED);
	if (geteuid() == 0 && !request->user) {
		close_fds(fds, 4);
		err_set(err, ERR_USAGE, "%s: under root it needs a \"user\" to run as",
			request->argv[0]);
		return NULL;
	}
	env = short_env(request, &own);
	plan_put_tool(&bytes, &(struct tool_plan){
				      .argv = request->argv,
				      .env = env,
				      .covers = request->covers,
				      .cwd = request->cwd ? request->cwd : "/",
				      .user = request->user,
				      .isolate = request->isolate,
			      });
	for (size_t i = 0; i < own; i++)
		free((void *)env[i]);
	free(env);
	return start(spawner, &message, &bytes, fds, hooks, err);
}

struct proc *
spawn_sandbox(struct spawner *spawner, const struct sandbox_plan *plan, const int fds[3],
	const struct proc_hooks *hooks, struct err *err)
{
	const int four[4] = { fds[0], fds[1], fds[2], -1 };
	struct reap_request message = { .kind = PLAN_SANDBOX, .isolate = 1 };
	AUTO_BUF struct buf bytes;

	buf_init(&bytes, BUF_UNBOUNDED);
	plan_put_sandbox(&bytes, plan);
	return start(spawner, &message, &bytes, four, hooks, err);
}

pid_t
proc_pid(const struct proc *proc)
{
	return proc->pid;
}

void
proc_kill(struct proc *proc)
{
	struct spawner *spawner = proc->spawner;
	struct outgoing *out;

	if (proc->kill_sent || spawner->sock < 0)
		return;
	proc->kill_sent = true;
	out = mem_zero(1, sizeof(*out));
	out->request =
		(struct reap_request){ .magic = REAP_MAGIC, .verb = REAP_KILL, .id = proc->id };
	post(spawner, out);
}

void
proc_drop(struct proc *proc)
{
	proc->hooks = (struct proc_hooks){ 0 };
	proc_kill(proc);
}

/* ---- events ---- */

static struct proc *
proc_find(const struct spawner *spawner, uint64_t id)
{
	struct proc *proc = spawner->procs;

	while (proc && proc->id != id)
		proc = proc->next;
	return proc;
}

static void
proc_unlink(struct proc *proc)
{
	struct proc **at = &proc->spawner->procs;

	while (*at != proc)
		at = &(*at)->next;
	*at = proc->next;
}

/* The proc is out of the list, so that the hook may drop others and start new ones. */
static void
proc_end(struct proc *proc, const struct proc_exit *end)
{
	proc_unlink(proc);
	proc->kill_sent = true;
	if (proc->hooks.on_exit)
		proc->hooks.on_exit(proc, end, proc->hooks.arg);
	free(proc);
}

static void
take_end(struct proc *proc, struct reap_event *event)
{
	struct proc_exit end = { .started = event->kind == REAP_EXIT,
		.cpu_ms = event->cpu_ms,
		.max_rss_kb = event->max_rss_kb };

	event->text[sizeof(event->text) - 1] = '\0';
	snprintf(end.error, sizeof(end.error), "%s", event->text);
	end.signaled = WIFSIGNALED(event->status);
	end.code = end.signaled ? WTERMSIG(event->status) : WEXITSTATUS(event->status);
	proc_end(proc, &end);
}

static void
take_event(struct spawner *spawner, struct reap_event *event)
{
	struct proc *proc = proc_find(spawner, event->id);

	if (!proc)
		return;
	if (event->kind != REAP_STARTED) {
		take_end(proc, event);
		return;
	}
	proc->pid = event->pid;
	if (proc->hooks.on_started)
		proc->hooks.on_started(proc, proc->hooks.arg);
}

static void
forget_reaper(struct spawner *spawner)
{
	struct outgoing *out;

	loop_unwatch(spawner->watch);
	spawner->watch = NULL;
	close(spawner->sock);
	spawner->sock = -1;
	kill(spawner->reaper, SIGKILL);
	while (waitpid(spawner->reaper, NULL, 0) < 0 && errno == EINTR)
		;
	while ((out = spawner->queue)) {
		spawner->queue = out->next;
		outgoing_free(out);
	}
}

/* Everything died with it. */
static void
lost(struct spawner *spawner)
{
	struct proc_exit end = { .signaled = true, .code = SIGKILL };

	snprintf(end.error, sizeof(end.error), "%s was killed", INIT);
	forget_reaper(spawner);
	while (spawner->procs) {
		end.started = spawner->procs->pid != 0;
		proc_end(spawner->procs, &end);
	}
	if (spawner->on_lost)
		spawner->on_lost(spawner->arg);
}

static void
on_socket(int fd, unsigned events, void *arg)
{
	struct spawner *spawner = arg;
	struct reap_event event;

	if (events & LOOP_WRITE)
		flush(spawner);
	for (int i = 0; i < EVENTS_A_TURN; i++) {
		ssize_t got = recv(fd, &event, sizeof(event), MSG_DONTWAIT);

		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (got != (ssize_t)sizeof(event)) {
			lost(spawner);
			return;
		}
		take_event(spawner, &event);
	}
}

/* ---- the reaper itself ---- */

static int
run_init(int sock, pid_t *pid, struct err *err)
{
	AUTO_FREE char *path = where_helper(INIT);
	char *const argv[] = { (char *)INIT, (char *)"--reap", NULL };
	char *const env[] = { (char *)"LANG=C.UTF-8", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, every;
	int rc;

	sigemptyset(&none);
	sigfillset(&every);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(
		&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &every);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, sock, REAP_FD);
	rc = posix_spawn(pid, path, &actions, &attr, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return rc == 0 ? 0 : err_sys(err, rc, "start %s", path);
}

struct spawner *
spawner_new(struct loop *loop, void (*on_lost)(void *arg), void *arg, struct err *err)
{
	struct spawner *spawner;
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0) {
		err_sys(err, errno, "socketpair");
		return NULL;
	}
	if (run_init(fds[1], &pid, err) < 0) {
		close_fds(fds, 2);
		return NULL;
	}
	close(fds[1]);
	spawner = mem_zero(1, sizeof(*spawner));
	spawner->loop = loop;
	spawner->sock = fds[0];
	spawner->reaper = pid;
	spawner->on_lost = on_lost;
	spawner->arg = arg;
	spawner->covers = covers_list();
	spawner->watch = loop_watch(loop, fds[0], LOOP_READ, LOOP_STREAMS, on_socket, spawner);
	return spawner;
}

/* Until the reaper has closed its end, having nothing left to kill. */
static void
await_farewell(int sock)
{
	int64_t deadline = clock_mono() + FAREWELL_MS * NS_PER_MS;
	struct pollfd watch = { .fd = sock, .events = POLLIN };
	struct reap_event event;
	int64_t left;

	shutdown(sock, SHUT_WR);
	while ((left = deadline - clock_mono()) > 0) {
		if (poll(&watch, 1, (int)(left / NS_PER_MS) + 1) > 0 &&
			recv(sock, &event, sizeof(event), MSG_DONTWAIT) <= 0)
			return;
	}
}

void
spawner_free(struct spawner *spawner)
{
	struct proc *proc;

	if (!spawner)
		return;
	if (spawner->sock >= 0) {
		await_farewell(spawner->sock);
		forget_reaper(spawner);
	}
	while ((proc = spawner->procs)) {
		spawner->procs = proc->next;
		free(proc);
	}
	for (size_t i = 0; spawner->covers[i]; i++)
		free(spawner->covers[i]);
	free(spawner->covers);
	free(spawner);
}

pid_t
spawner_pid(const struct spawner *spawner)
{
	return spawner->reaper;
}

int
spawner_cover(struct spawner *spawner, const char *path, struct err *err)
{
	char *whole = realpath(path, NULL);
	size_t count = 0;

	if (!whole)
		return err_sys(err, errno, "cover %s", path);
	while (spawner->covers[count])
		count++;
	spawner->covers = mem_grow(spawner->covers, count + 2, sizeof(*spawner->covers));
	spawner->covers[count] = whole;
	spawner->covers[count + 1] = NULL;
	return 0;
}

const char *const *
spawner_covers(const struct spawner *spawner)
{
	return (const char *const *)spawner->covers;
}
