/*
 * The reaper's side of its socket: what is malformed is never half done.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/where.h"
#include "core/sandbox/plan.h"

#define DEADLINE_MS 10000

static struct {
	int sock;
	pid_t pid;
} reaper;

static int
start_reaper(void **state)
{
	AUTO_FREE char *path = where_helper("tollbridge-init");
	char *const argv[] = { path, (char *)"--reap", NULL };
	char *const env[] = { NULL };
	posix_spawn_file_actions_t actions;
	int fds[2], rc;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], REAP_FD);
	rc = posix_spawn(&reaper.pid, path, &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	reaper.sock = fds[0];
	return rc;
}

static int
stop_reaper(void **state)
{
	int status = -1;

	close(reaper.sock);
	return waitpid(reaper.pid, &status, 0) == reaper.pid && status == 0 ? 0 : -1;
}

static void
request(const struct reap_request *message, size_t len, const int *fds, size_t count)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control = { 0 };
	struct iovec piece = { .iov_base = (void *)message, .iov_len = len };
	struct msghdr header = { .msg_iov = &piece, .msg_iovlen = 1 };

	if (count > 0) {
		header.msg_control = &control;
		header.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.head), fds, count * sizeof(int));
	}
	assert_int_equal(sendmsg(reaper.sock, &header, MSG_NOSIGNAL), len);
}

/* False at end of file. */
static bool
next_event(struct reap_event *event)
{
	struct pollfd watch = { .fd = reaper.sock, .events = POLLIN };
	ssize_t got;

	assert_int_equal(poll(&watch, 1, DEADLINE_MS), 1);
	got = recv(reaper.sock, event, sizeof(*event), 0);
	assert_true(got <= 0 || got == (ssize_t)sizeof(*event));
	return got > 0;
}

static int
plan_file(const struct buf *bytes, int seals)
{
	int fd = memfd_create("plan", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes->data, bytes->len), bytes->len);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

#define SEALED (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW)

static void
put_tool(struct buf *bytes, const char *const *argv)
{
	static const char *const none[] = { NULL };
	const struct tool_plan plan = { argv, none, none, "/", getuid() ? NULL : "nobody", false };

	buf_init(bytes, 65536);
	plan_put_tool(bytes, &plan);
}

static const struct reap_request start_tool = {
	.magic = REAP_MAGIC, .verb = REAP_START, .id = 7, .kind = PLAN_TOOL
};

static void
a_program_is_started_and_its_end_told(void **state)
{
	static const char *const argv[] = { "/bin/sh", "-c", "exit 5", NULL };
	AUTO_BUF struct buf bytes;
	struct reap_event event;
	int fd;

	put_tool(&bytes, argv);
	fd = plan_file(&bytes, SEALED);
	request(&start_tool, sizeof(start_tool), &fd, 1);
	close(fd);

	assert_true(next_event(&event));
	assert_int_equal(event.kind, REAP_STARTED);
	assert_int_equal(event.id, 7);
	assert_true(event.pid > 0);
	assert_true(next_event(&event));
	assert_int_equal(event.kind, REAP_EXIT);
	assert_int_equal(WEXITSTATUS(event.status), 5);
}

static void
refused_start(const struct buf *bytes, int seals, const char *says)
{
	int fd = plan_file(bytes, seals);
	struct reap_event event;

	request(&start_tool, sizeof(start_tool), &fd, 1);
	close(fd);
	assert_true(next_event(&event));
	assert_int_equal(event.kind, REAP_FAILED);
	assert_non_null(strstr(event.text, says));
}

static void
a_plan_that_can_still_change_is_refused(void **state)
{
	static const char *const argv[] = { "/bin/true", NULL };
	AUTO_BUF struct buf bytes;

	put_tool(&bytes, argv);
	refused_start(&bytes, 0, "malformed plan");
	refused_start(&bytes, F_SEAL_SHRINK | F_SEAL_GROW, "malformed plan");
}

static void
a_cut_plan_is_a_failed_start(void **state)
{
	static const char *const argv[] = { "/bin/true", NULL };
	AUTO_BUF struct buf bytes;

	put_tool(&bytes, argv);
	bytes.len--;
	refused_start(&bytes, SEALED, "malformed plan");
}

static void
a_plan_that_isolates_needs_a_request_that_does(void **state)
{
	static const char *const argv[] = { "/bin/true", NULL };
	static const char *const none[] = { NULL };
	const struct tool_plan plan = { argv, none, none, "/", NULL, true };
	AUTO_BUF struct buf bytes;

	buf_init(&bytes, 65536);
	plan_put_tool(&bytes, &plan);
	refused_start(&bytes, SEALED, "malformed plan");
}

static void
ends_the_reaper(struct reap_request message, size_t len, size_t fds)
{
	const int nothing[] = { STDERR_FILENO, STDERR_FILENO, STDERR_FILENO };
	struct reap_event event;

	assert_int_equal(stop_reaper(NULL), 0);
	assert_int_equal(start_reaper(NULL), 0);
	request(&message, len, nothing, fds);
	assert_false(next_event(&event));
}

static void
a_malformed_request_ends_the_reaper(void **state)
{
	struct reap_request good = start_tool, bad;

	ends_the_reaper(good, sizeof(good) - 1, 1);
	ends_the_reaper(good, sizeof(good), 0);
	ends_the_reaper(good, sizeof(good), 2);
	bad = good, bad.magic++;
	ends_the_reaper(bad, sizeof(bad), 1);
	bad = good, bad.verb = 3;
	ends_the_reaper(bad, sizeof(bad), 1);
	bad = good, bad.kind = 3;
	ends_the_reaper(bad, sizeof(bad), 1);
	bad = good, bad.id = 0;
	ends_the_reaper(bad, sizeof(bad), 1);
	bad = good, bad.fd_mask = 16;
	ends_the_reaper(bad, sizeof(bad), 2);
	bad = good, bad.isolate = 2;
	ends_the_reaper(bad, sizeof(bad), 1);
	bad = good, bad.zero = 1;
	ends_the_reaper(bad, sizeof(bad), 1);
}

static void
a_kill_of_nobody_is_nothing(void **state)
{
	const struct reap_request kill_it = { .magic = REAP_MAGIC, .verb = REAP_KILL, .id = 99 };

	request(&kill_it, sizeof(kill_it), NULL, 0);
	a_program_is_started_and_its_end_told(state);
}

static void
a_killed_program_is_told_as_killed(void **state)
{
	static const char *const argv[] = { "/bin/sleep", "600", NULL };
	struct reap_request kill_it = { .magic = REAP_MAGIC, .verb = REAP_KILL, .id = 7 };
	AUTO_BUF struct buf bytes;
	struct reap_event event;
	int fd;

	put_tool(&bytes, argv);
	fd = plan_file(&bytes, SEALED);
	request(&start_tool, sizeof(start_tool), &fd, 1);
	close(fd);
	assert_true(next_event(&event));
	request(&kill_it, sizeof(kill_it), NULL, 0);
	assert_true(next_event(&event));
	assert_int_equal(event.kind, REAP_EXIT);
	assert_true(WIFSIGNALED(event.status));
}

#define REAPER_TEST(name) cmocka_unit_test_setup_teardown(name, start_reaper, stop_reaper)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		REAPER_TEST(a_program_is_started_and_its_end_told),
		REAPER_TEST(a_plan_that_can_still_change_is_refused),
		REAPER_TEST(a_cut_plan_is_a_failed_start),
		REAPER_TEST(a_plan_that_isolates_needs_a_request_that_does),
		REAPER_TEST(a_malformed_request_ends_the_reaper),
		REAPER_TEST(a_kill_of_nobody_is_nothing),
		REAPER_TEST(a_killed_program_is_told_as_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
