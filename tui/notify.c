/* The child is waited for by a descriptor of its own, so that nobody else's child is taken. */
#include "config.h"

#include "tui/notify.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/loop.h"
#include "core/base/mem.h"

#define PAUSE (10 * NS_PER_S)

struct notifier {
	struct loop *loop;
	struct notifier_request request;
	pid_t pid; /* 0: none runs */
	int pidfd;
	struct loop_watch *watch;
	int64_t last; /* 0: never */
	bool failed;
};

static void
fail(struct notifier *notifier, const char *what, const char *why)
{
	AUTO_FREE char *words = mem_printf(
		"ui.notify: %s %s%s%s", notifier->request.argv[0], what, why[0] ? ": " : "", why);

	if (!notifier->failed && notifier->request.on_failed)
		notifier->request.on_failed(words, notifier->request.arg);
	notifier->failed = true;
}

/* --- the child --- */

static void
forget_child(struct notifier *notifier)
{
	loop_unwatch(notifier->watch);
	notifier->watch = NULL;
	if (notifier->pidfd >= 0)
		close(notifier->pidfd);
	notifier->pidfd = -1;
	notifier->pid = 0;
}

static void
on_child(int fd, unsigned events, void *arg)
{
	struct notifier *notifier = arg;
	char code[16];
	int status;

	(void)fd;
	(void)events;
	if (waitpid(notifier->pid, &status, WNOHANG) != notifier->pid)
		return;
	forget_child(notifier);
	if (WIFSIGNALED(status)) {
		snprintf(code, sizeof(code), "%d", WTERMSIG(status));
		fail(notifier, "was ended by signal", code);
	} else if (WEXITSTATUS(status) != 0) {
		snprintf(code, sizeof(code), "%d", WEXITSTATUS(status));
		fail(notifier, "failed with exit code", code);
	}
}

static void
watch_child(struct notifier *notifier)
{
	notifier->pidfd = (int)syscall(SYS_pidfd_open, notifier->pid, 0);
	if (notifier->pidfd < 0)
		return; /* it is taken up before the next one */
	(void)fcntl(notifier->pidfd, F_SETFD, FD_CLOEXEC);
	notifier->watch = loop_watch(
		notifier->loop, notifier->pidfd, LOOP_READ, LOOP_STREAMS, on_child, notifier);
}

/* --- starting it --- */

/* What a program needs to reach a person: where to find programs, the desktop, the multiplexer. */
static char **
short_environment(void)
{
	static const char *const names[] = { "PATH", "HOME", "USER", "LANG", "LC_ALL", "DISPLAY",
		"WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "TMUX", "STY" };
	char **env = mem_zero(ARRAY_SIZE(names) + 1, sizeof(*env));
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (getenv(names[i]))
			env[count++] = mem_printf("%s=%s", names[i], getenv(names[i]));
	return env;
}

static void
free_environment(char **env)
{
	for (size_t i = 0; env[i]; i++)
		free(env[i]);
	free(env);
}

static int
spawn(struct notifier *notifier, char *const *argv)
{
	char **env = short_environment();
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int failed;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	for (int fd = 0; fd <= 2; fd++)
		posix_spawn_file_actions_addopen(
			&files, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
	posix_spawn_file_actions_addchdir_np(&files, notifier->request.folder);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(
		&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	failed = posix_spawnp(&notifier->pid, argv[0], &files, &attributes, argv, env);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	free_environment(env);
	if (failed)
		notifier->pid = 0;
	return failed;
}

/* Names of sessions are made of these; what is not made by us is not handed to a program. */
static bool
is_name(const char *name)
{
	return name && isalnum((unsigned char)name[0]) &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

void
notify(struct notifier *notifier, const char *name, const char *id, uint64_t call)
{
	int64_t now = loop_now(notifier->loop);
	const char *const *words = notifier->request.argv;
	char number[24];
	size_t count = 0;
	char **argv;
	int failed;

	if (notifier->pid && !notifier->watch)
		on_child(-1, 0, notifier);
	if (notifier->pid || (notifier->last != 0 && now - notifier->last < PAUSE))
		return;
	notifier->last = now;
	while (words[count])
		count++;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)call);
	argv = mem_zero(count + 3, sizeof(*argv));
	for (size_t i = 0; i < count; i++)
		argv[i] = (char *)words[i];
	argv[count] = (char *)(is_name(name) ? name : is_name(id) ? id : "session");
	argv[count + 1] = number;
	failed = spawn(notifier, argv);
	free(argv);
	if (failed)
		fail(notifier, "cannot be started", strerror(failed));
	else
		watch_child(notifier);
}

/* --- life --- */

struct notifier *
notifier_new(struct loop *loop, const struct notifier_request *request)
{
	struct notifier *notifier = mem_zero(1, sizeof(*notifier));

	notifier->loop = loop;
	notifier->request = *request;
	notifier->pidfd = -1;
	return notifier;
}

void
notifier_free(struct notifier *notifier)
{
	if (!notifier)
		return;
	forget_child(notifier);
	free(notifier);
}
