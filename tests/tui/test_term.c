/*
 * The terminal, from the other side of a pty: a child opens it and obeys single bytes; what it
 * meets it tells through a pipe.
 */
#include "config.h"

#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "tui/canvas.h"
#include "tui/term.h"
#include "tui/theme.h"

#define DEADLINE_NS (10 * NS_PER_S)

/* ---- the child ---- */

struct child {
	struct loop *loop;
	struct term *term;
	struct canvas *canvas;
	int report;
	unsigned rounds;
};

static ATTR_PRINTF(2, 3) void report(struct child *child, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vdprintf(child->report, fmt, args);
	va_end(args);
}

static void
paint(struct child *child, bool full)
{
	canvas_resize(child->canvas, term_cols(child->term), term_rows(child->term));
	canvas_text(child->canvas, 0, 0, STYLE_TITLE, "HELLO");
	report(child, "paint:%d ", (int)term_paint(child->term, child->canvas, full));
}

/* A frame that no terminal takes at once. */
static void
paint_noise(struct child *child)
{
	child->rounds++;
	canvas_resize(child->canvas, term_cols(child->term), term_rows(child->term));
	for (int y = 0; y < canvas_rows(child->canvas); y++)
		for (int x = 0; x < canvas_cols(child->canvas); x++)
			canvas_text(child->canvas, x, y, (x + y) % 2 ? STYLE_WARNING : STYLE_DIM,
				(x + child->rounds) % 2 ? "#" : "+");
	canvas_text(child->canvas, 0, canvas_rows(child->canvas) - 1, STYLE_TEXT, "LAST");
	report(child, "paint:%d ", (int)term_paint(child->term, child->canvas, true));
}

static void
leave_by_exhaustion(void)
{
	/* What mem.h does when nothing is left; the hook was ours. */
	abort();
}

static void
obey(struct child *child, char byte)
{
	switch (byte) {
	case 'p':
		paint(child, false);
		break;
	case 'n':
		paint_noise(child);
		paint_noise(child);
		break;
	case 's':
		report(child, "same:%d ", term_is_same(child->term));
		break;
	case 'o':
		dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
		break;
	case 'w':
		report(child, "flags:%d ", (fcntl(0, F_GETFL) & O_NONBLOCK) != 0);
		break;
	case 't':
		term_bell(child->term);
		term_title(child->term, "call 4\033]0;forged\a waits");
		break;
	case 'f':
		report(child, "stop ");
		raise(SIGSTOP);
		term_flush_input(child->term);
		report(child, "flushed ");
		break;
	case 'a':
		leave_by_exhaustion();
		break;
	case 'q':
		loop_stop(child->loop, 0);
		break;
	default:
		report(child, "in:%c ", byte);
	}
}

static void
on_input(const char *bytes, size_t len, void *arg)
{
	for (size_t i = 0; i < len; i++)
		obey(arg, bytes[i]);
}

static void
on_frame_left(uint64_t frame, void *arg)
{
	report(arg, "left:%d ", (int)frame);
}

static void
on_resize(void *arg)
{
	struct child *child = arg;

	report(child, "size:%dx%d ", term_cols(child->term), term_rows(child->term));
	paint(child, true);
}

static void
on_continue(void *arg)
{
	report(arg, "continued ");
}

static void
on_lost(int signo, void *arg)
{
	struct child *child = arg;

	report(child, "lost:%d ", signo);
	loop_stop(child->loop, 0);
}

static void
run_child(int report_fd, const char *term_name)
{
	struct child child = { loop_new(), NULL, canvas_new(0, 0), report_fd, 0 };
	struct term_hooks hooks = { on_input, on_frame_left, on_resize, on_continue, on_lost,
		&child };
	struct theme *theme = NULL;
	struct err err = { 0 };

	alarm(30);
	setlocale(LC_ALL, "C.UTF-8");
	if (term_name)
		setenv("TERM", term_name, 1);
	else
		unsetenv("TERM");
	if (theme_load(&theme, "default", NULL, &err) < 0 ||
		term_open(&child.term, child.loop, theme, &hooks, &err) < 0) {
		report(&child, "refused: %s", err.text);
		_exit(2);
	}
	report(&child, "open ");
	loop_run(child.loop);
	term_close(child.term);
	theme_free(theme);
	canvas_free(child.canvas);
	loop_free(child.loop);
	report(&child, "closed ");
	_exit(0);
}

/* ---- the test's side ---- */

struct world {
	int master, slave, reports;
	pid_t pid;
	struct termios before;
	struct buf screen, told;
};

static void
set_size(struct world *world, int cols, int rows)
{
	struct winsize size = { (unsigned short)rows, (unsigned short)cols, 0, 0 };

	assert_int_equal(ioctl(world->master, TIOCSWINSZ, &size), 0);
}

static void
become_child(struct world *world, int report_fd, const char *term_name)
{
	setsid();
	ioctl(world->slave, TIOCSCTTY, 0);
	dup2(world->slave, STDIN_FILENO);
	dup2(world->slave, STDOUT_FILENO);
	close(world->master);
	close(world->slave);
	run_child(report_fd, term_name);
}

static struct world *
begin(const char *term_name)
{
	struct world *world = mem_zero(1, sizeof(*world));
	int pipes[2];

	buf_init(&world->screen, BUF_UNBOUNDED);
	buf_init(&world->told, BUF_UNBOUNDED);
	buf_str(&world->told, "");
	world->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(world->master >= 0);
	assert_int_equal(grantpt(world->master), 0);
	assert_int_equal(unlockpt(world->master), 0);
	world->slave = open(ptsname(world->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(world->slave >= 0);
	assert_int_equal(tcgetattr(world->slave, &world->before), 0);
	set_size(world, 80, 24);
	assert_int_equal(pipe(pipes), 0);
	fflush(stdout);
	world->pid = fork();
	if (world->pid == 0) {
		close(pipes[0]);
		become_child(world, pipes[1], term_name);
	}
	close(pipes[1]);
	world->reports = pipes[0];
	return world;
}

static bool
read_some(int fd, struct buf *into)
{
	ssize_t n = read(fd, buf_space(into, 65536), 65536);

	buf_added(into, n > 0 ? (size_t)n : 0);
	return n > 0;
}

/* Until the child has told this, reading the screen meanwhile or not. */
static void
until(struct world *world, const char *word, bool reading)
{
	int64_t deadline = clock_mono() + DEADLINE_NS;

	while (!world->told.data || !strstr(world->told.data, word)) {
		struct pollfd fds[2] = { { world->reports, POLLIN, 0 },
			{ reading ? world->master : -1, POLLIN, 0 } };

		if (clock_mono() > deadline)
			fail_msg("no \"%s\" in \"%s\"", word, world->told.data);
		poll(fds, 2, 1000);
		if (fds[1].revents)
			read_some(world->master, &world->screen);
		if (fds[0].revents && !read_some(world->reports, &world->told) &&
			!strstr(world->told.data ? world->told.data : "", word))
			fail_msg("the child has ended: \"%s\"", world->told.data);
	}
}

static void
say(struct world *world, const char *bytes)
{
	assert_int_equal(write(world->master, bytes, strlen(bytes)), strlen(bytes));
}

/* What is on its way to the screen. */
static void
read_rest(struct world *world)
{
	struct pollfd fd = { world->master, POLLIN, 0 };

	while (poll(&fd, 1, 0) > 0 && fd.revents & POLLIN &&
		read_some(world->master, &world->screen))
		;
}

static bool
screen_has(struct world *world, const char *bytes)
{
	return world->screen.len > 0 &&
	       memmem(world->screen.data, world->screen.len, bytes, strlen(bytes));
}

static void
assert_put_back(struct world *world)
{
	struct termios now;

	assert_int_equal(tcgetattr(world->slave, &now), 0);
	assert_int_equal(now.c_lflag, world->before.c_lflag);
	assert_int_equal(now.c_iflag, world->before.c_iflag);
	assert_int_equal(now.c_oflag, world->before.c_oflag);
	read_rest(world);
	assert_true(screen_has(world, "\033[?2004l"));
	assert_true(screen_has(world, "\033[?1049l"));
}

static int
end(struct world *world)
{
	int status = 0;

	if (world->pid > 0) {
		kill(world->pid, SIGCONT);
		waitpid(world->pid, &status, 0);
	}
	if (world->master >= 0)
		close(world->master);
	close(world->slave);
	close(world->reports);
	buf_release(&world->screen);
	buf_release(&world->told);
	free(world);
	return status;
}

static void
a_frame_is_on_its_way_before_it_has_left(void **state)
{
	struct world *world = begin("xterm-256color");
	struct termios now;

	until(world, "open ", true);
	assert_int_equal(tcgetattr(world->slave, &now), 0);
	assert_int_equal(now.c_lflag & (ICANON | ECHO | ISIG), 0);
	say(world, "p");
	until(world, "left:1 ", true);
	read_rest(world);
	assert_true(screen_has(world, "HELLO"));
	assert_true(screen_has(world, "\033[?2004h"));
	say(world, "q");
	until(world, "closed ", true);
	assert_put_back(world);
	assert_int_equal(end(world), 0);
}

static void
no_frame_is_painted_while_one_is_going_out(void **state)
{
	struct world *world = begin("xterm-256color");

	until(world, "open ", true);
	set_size(world, 200, 100);
	until(world, "left:1 ", true);
	say(world, "n");
	until(world, "paint:2 paint:0 ", false);
	say(world, "v");
	/* The screen stands still, the program does not. */
	until(world, "in:v ", false);
	assert_null(strstr(world->told.data, "left:2 "));
	until(world, "left:2 ", true);
	read_rest(world);
	assert_true(screen_has(world, "LAST"));
	say(world, "q");
	until(world, "closed ", true);
	assert_int_equal(end(world), 0);
}

static void
a_stalled_terminal_is_put_back_in_bounded_time(void **state)
{
	struct world *world = begin("xterm-256color");

	until(world, "open ", true);
	set_size(world, 200, 100);
	until(world, "left:1 ", true);
	say(world, "nq");
	until(world, "closed ", false);
	assert_null(strstr(world->told.data, "left:2 "));
	assert_put_back(world);
	assert_int_equal(end(world), 0);
}

static void
a_fatal_signal_puts_the_terminal_back(void **state)
{
	struct world *world = begin("xterm-256color");
	int status;

	until(world, "open ", true);
	say(world, "a");
	waitpid(world->pid, &status, 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_put_back(world);
	world->pid = 0;
	end(world);
}

static void
what_was_typed_ahead_is_flushed(void **state)
{
	struct world *world = begin("xterm-256color");
	int status;

	until(world, "open ", true);
	say(world, "f");
	until(world, "stop ", true);
	waitpid(world->pid, &status, WUNTRACED);
	say(world, "xyxy");
	kill(world->pid, SIGCONT);
	until(world, "flushed ", true);
	say(world, "v");
	until(world, "in:v ", true);
	assert_null(strstr(world->told.data, "in:x"));
	assert_null(strstr(world->told.data, "in:y"));
	say(world, "q");
	until(world, "closed ", true);
	end(world);
}

static void
every_size_is_painted(void **state)
{
	static const int sizes[][2] = { { 1, 1 }, { 0, 0 }, { 500, 200 }, { 2, 1 }, { 1, 40 },
		{ 80, 24 } };
	struct world *world = begin("xterm-256color");

	until(world, "open ", true);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		AUTO_FREE char *word = mem_printf("size:%dx%d ", sizes[i][0], sizes[i][1]);

		set_size(world, sizes[i][0], sizes[i][1]);
		until(world, word, true);
		buf_clear(&world->told);
		buf_str(&world->told, "");
		say(world, "v");
		until(world, "in:v ", true);
	}
	say(world, "q");
	until(world, "closed ", true);
	assert_int_equal(end(world), 0);
}

static void
another_standard_input_is_noticed(void **state)
{
	struct world *world = begin("xterm-256color");

	until(world, "open ", true);
	say(world, "s");
	until(world, "same:1 ", true);
	say(world, "os");
	until(world, "same:0 ", true);
	say(world, "q");
	until(world, "closed ", true);
	end(world);
}

static void
whoever_shares_the_terminal_keeps_waiting_reads(void **state)
{
	struct world *world = begin("xterm-256color");

	until(world, "open ", true);
	say(world, "w");
	until(world, "flags:0 ", true);
	say(world, "q");
	until(world, "closed ", true);
	end(world);
}

/* Its session has no shell that could continue it; console tests stop it as a shell's job. */
static void
a_stop_that_nobody_could_end_gives_the_terminal_back_and_takes_it_again(void **state)
{
	struct world *world = begin("xterm-256color");
	struct termios now;

	until(world, "open ", true);
	kill(world->pid, SIGTSTP);
	until(world, "continued ", true);
	read_rest(world);
	assert_true(screen_has(world, "\033[?1049l"));
	assert_int_equal(tcgetattr(world->slave, &now), 0);
	assert_int_equal(now.c_lflag & ICANON, 0);
	say(world, "p");
	until(world, "left:1 ", true);
	say(world, "q");
	until(world, "closed ", true);
	assert_int_equal(end(world), 0);
}

static void
a_terminal_that_is_gone_is_lost_once(void **state)
{
	struct world *world = begin("xterm-256color");

	until(world, "open ", true);
	close(world->master);
	world->master = -1;
	until(world, "closed ", false);
	assert_non_null(strstr(world->told.data, "lost:"));
	assert_null(strstr(strstr(world->told.data, "lost:") + 1, "lost:"));
	assert_int_equal(end(world), 0);
}

static void
a_title_holds_nothing_but_its_words(void **state)
{
	struct world *world = begin("xterm-256color");

	until(world, "open ", true);
	say(world, "tp");
	until(world, "left:1 ", true);
	read_rest(world);
	assert_true(screen_has(world, "\033]2;call 4]0;forged waits\033\\"));
	assert_true(screen_has(world, "\a"));
	say(world, "q");
	until(world, "closed ", true);
	end(world);
}

static void
a_terminal_without_a_screen_is_refused_in_words(void **state)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{ NULL, "refused: TERM is not set" },
		{ "", "refused: TERM is not set" },
		{ "dumb", "refused: TERM is \"dumb\", a terminal without a screen" },
		{ "no\033such", "refused: TERM is \"no<U+001B>such\", which is unknown here" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct world *world = begin(cases[i].name);

		until(world, cases[i].expected, true);
		read_rest(world);
		assert_int_equal(world->screen.len, 0);
		end(world);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_on_its_way_before_it_has_left),
		cmocka_unit_test(no_frame_is_painted_while_one_is_going_out),
		cmocka_unit_test(a_stalled_terminal_is_put_back_in_bounded_time),
		cmocka_unit_test(a_fatal_signal_puts_the_terminal_back),
		cmocka_unit_test(what_was_typed_ahead_is_flushed),
		cmocka_unit_test(every_size_is_painted),
		cmocka_unit_test(another_standard_input_is_noticed),
		cmocka_unit_test(whoever_shares_the_terminal_keeps_waiting_reads),
		cmocka_unit_test(
			a_stop_that_nobody_could_end_gives_the_terminal_back_and_takes_it_again),
		cmocka_unit_test(a_terminal_that_is_gone_is_lost_once),
		cmocka_unit_test(a_title_holds_nothing_but_its_words),
		cmocka_unit_test(a_terminal_without_a_screen_is_refused_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
