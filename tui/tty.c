/*
 * tty.c - what a signal handler needs lies in plain memory (`rescue`), complete before it is armed.
 */
#include "config.h"

#include "tui/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"

#define RESTORE_WAIT_MS 500

static struct {
	volatile sig_atomic_t armed;
	struct tty tty;
	struct termios termios;
	char bytes[256];
	size_t len;
} rescue;

static void (*last_act)(void); /* before the process ends in any way that is noticed */

static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGSYS };
static struct sigaction before_fatal[ARRAY_SIZE(fatal_signals)];

static void
set_nonblocking(int fd, bool nonblocking)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		fcntl(fd, F_SETFL, nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

static void
set_shared(const struct tty *tty, bool nonblocking)
{
	if (tty->in_shared)
		set_nonblocking(tty->in, nonblocking);
	if (tty->out_shared)
		set_nonblocking(tty->out, nonblocking);
}

/* Safe in a signal handler.  A terminal that takes nothing is waited for only so long. */
static void
write_farewell(void)
{
	size_t at = 0;

	while (at < rescue.len) {
		struct pollfd room = { rescue.tty.out, POLLOUT, 0 };
		ssize_t n = write(rescue.tty.out, rescue.bytes + at, rescue.len - at);

		if (n > 0)
			at += (size_t)n;
		else if (n < 0 && errno == EINTR)
			continue;
		else if (n == 0 || errno != EAGAIN || poll(&room, 1, RESTORE_WAIT_MS) <= 0)
			break;
	}
}

void
tty_give_back(void)
{
	int saved = errno;

	if (!rescue.armed)
		return;
	rescue.armed = 0;
	/* What is still queued for a stalled terminal would stand before our own. */
	tcflush(rescue.tty.out, TCOFLUSH);
	write_farewell();
	tcsetattr(rescue.tty.in, TCSANOW, &rescue.termios);
	set_shared(&rescue.tty, false);
	errno = saved;
}

static void
end_of_process(void)
{
	tty_give_back();
	if (last_act)
		last_act();
}

static void
on_fatal(int signo)
{
	end_of_process();
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		if (fatal_signals[i] == signo)
			sigaction(signo, &before_fatal[i], NULL);
	raise(signo);
}

static void
catch_fatal(void)
{
	static bool caught;
	struct sigaction action = { 0 };

	if (caught)
		return;
	caught = true;
	action.sa_handler = on_fatal;
	action.sa_flags = SA_NODEFER;
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++) {
		sigaction(fatal_signals[i], &action, &before_fatal[i]);
		/* Ignored by whoever started us in the background: once the terminal was given back
		 * there is no going on. */
		if (before_fatal[i].sa_handler == SIG_IGN)
			before_fatal[i].sa_handler = SIG_DFL;
	}
	atexit(end_of_process);
	mem_on_exhausted(end_of_process);
}

/* A description of our own, so that O_NONBLOCK does not reach whoever shares the terminal. */
static int
open_anew(int fd, bool *shared)
{
	char path[32];
	int opened;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opened = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	*shared = opened < 0;
	return opened >= 0 ? opened : fd;
}

int
tty_open(struct tty *tty, struct err *err)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE,
			"standard input and output are no terminal: the console needs one "
			"(--headless does without)");
	if (fstat(STDIN_FILENO, &tty->input) < 0 || tcgetattr(STDIN_FILENO, &rescue.termios) < 0)
		return err_sys(err, errno, "look at the terminal");
	tty->in = open_anew(STDIN_FILENO, &tty->in_shared);
	tty->out = open_anew(STDOUT_FILENO, &tty->out_shared);
	rescue.len = 0;
	return 0;
}

void
tty_close(struct tty *tty)
{
	if (!tty->in_shared)
		close(tty->in);
	if (!tty->out_shared)
		close(tty->out);
}

void
tty_set_farewell(const char *bytes, size_t len)
{
	rescue.len = len < sizeof(rescue.bytes) ? len : 0;
	memcpy(rescue.bytes, bytes, rescue.len);
}

int
tty_take(struct tty *tty, struct err *err)
{
	struct termios raw = rescue.termios;

	raw.c_iflag &= ~(
		tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON | IXOFF);
	raw.c_oflag &= ~(tcflag_t)OPOST;
	raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	rescue.tty = *tty;
	catch_fatal();
	rescue.armed = 1;
	if (tcsetattr(tty->in, TCSANOW, &raw) < 0) {
		rescue.armed = 0;
		return err_sys(err, errno, "set the terminal to raw mode");
	}
	set_shared(tty, true);
	return 0;
}

bool
tty_is_same(const struct tty *tty)
{
	struct stat now;
	pid_t front;

	if (!isatty(STDIN_FILENO) || fstat(STDIN_FILENO, &now) < 0 ||
		now.st_dev != tty->input.st_dev || now.st_ino != tty->input.st_ino ||
		now.st_rdev != tty->input.st_rdev)
		return false;
	/* A terminal that controls no session has nobody in front. */
	front = tcgetpgrp(STDIN_FILENO);
	return front < 0 ? errno == ENOTTY : front == getpgrp();
}

void
tty_size(const struct tty *tty, int *cols, int *rows)
{
	struct winsize size = { 0 };

	if (ioctl(tty->out, TIOCGWINSZ, &size) < 0)
		size.ws_col = size.ws_row = 0;
	*cols = size.ws_col;
	*rows = size.ws_row;
}

bool
tty_is_drained(const struct tty *tty)
{
	int queued = 0;

	return ioctl(tty->out, TIOCOUTQ, &queued) < 0 || queued <= 0;
}

void
tty_flush_input(const struct tty *tty)
{
	tcflush(tty->in, TCIFLUSH);
}

void
tty_set_last_act(void (*act)(void))
{
	last_act = act;
}

/* Who is not in front may not change who is, and would be stopped for trying. */
void
tty_hand_to(pid_t group)
{
	sigset_t stop, before;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTTOU);
	sigprocmask(SIG_BLOCK, &stop, &before);
	(void)tcsetpgrp(STDIN_FILENO, group);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void
tty_hand_back(void)
{
	tty_hand_to(getpgrp());
}

/* Others could show a title's bytes as text; the database does not say. */
bool
tty_knows_titles(void)
{
	static const char *const names[] = { "xterm", "tmux", "screen", "rxvt", "alacritty", "foot",
		"kitty", "vte", "st-" };
	const char *term = getenv("TERM");

	for (size_t i = 0; term && i < ARRAY_SIZE(names); i++)
		if (strncmp(term, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}
