/*
 * term.c - frames go to the terminal as it takes them.
 *
 * Invariants: nothing here waits for the terminal but the restoring, and that for a bounded time.
 * Our signal handlers stand before curses starts.  One terminal is open at a time (`active`), for
 * signals know no arguments.
 */
#include "config.h"

#include "tui/term.h"

#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "tui/frames.h"
#include "tui/tty.h"

#define READ_MAX 4096
#define DRAIN_POLL_NS (5 * NS_PER_MS)
#define TITLE_MAX 200
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define CANCEL "\030" /* ends a sequence that was cut in the middle */

struct term {
	struct loop *loop;
	struct term_hooks hooks;
	struct tty tty;
	struct loop_watch *in_watch, *out_watch;
	struct loop_timer *drain_timer;
	struct frames *frames;
	int cols, rows;
	struct buf sending;
	uint64_t frame, going; /* going 0: none */
	bool bell;
	char *title;
	bool has_title;
	bool taken, lost;
	bool suspended; /* a child has the terminal */
};

static struct term *active;

static void
prepare_farewell(void)
{
	AUTO_BUF struct buf bytes;

	buf_init(&bytes, BUF_UNBOUNDED);
	buf_str(&bytes, CANCEL PASTE_OFF);
	frames_capability("sgr0", &bytes);
	frames_capability("cnorm", &bytes);
	frames_capability("rmcup", &bytes);
	tty_set_farewell(bytes.data, bytes.len);
}

static void
lose(struct term *term, int signo)
{
	if (term->lost)
		return;
	term->lost = true;
	loop_watch_set(term->in_watch, 0);
	loop_watch_set(term->out_watch, 0);
	loop_timer_stop(term->drain_timer);
	if (term->hooks.on_lost)
		term->hooks.on_lost(signo, term->hooks.arg);
}

/* Bell and title wait for a moment between frames. */
static void
send_extras(struct term *term)
{
	if (term->bell)
		buf_byte(&term->sending, '\a');
	if (term->title && term->has_title)
		buf_printf(&term->sending, "\033]2;%s\033\\", term->title);
	free(term->title);
	term->title = NULL;
	term->bell = false;
	if (term->sending.len > 0)
		loop_watch_set(term->out_watch, LOOP_WRITE);
}

static void
frame_has_left(struct term *term)
{
	uint64_t frame = term->going;

	term->going = 0;
	send_extras(term);
	if (frame && term->hooks.on_frame_left)
		term->hooks.on_frame_left(frame, term->hooks.arg);
}

/* All bytes are written; has the terminal's own queue let them go too? */
static void
check_drained(void *arg)
{
	struct term *term = arg;

	if (term->lost || !term->taken)
		return;
	if (tty_is_drained(&term->tty))
		frame_has_left(term);
	else
		loop_timer_in(term->drain_timer, DRAIN_POLL_NS);
}

static void
on_writable(int fd, unsigned events, void *arg)
{
	struct term *term = arg;
	struct err err = { 0 };

	if (term->sending.len > 0 && io_write_some(fd, &term->sending, &err) < 0) {
		lose(term, 0);
		return;
	}
	if (term->sending.len > 0)
		return;
	loop_watch_set(term->out_watch, 0);
	check_drained(term);
}

static void
on_readable(int fd, unsigned events, void *arg)
{
	struct term *term = arg;
	char bytes[READ_MAX];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n > 0 && term->hooks.on_input)
		term->hooks.on_input(bytes, (size_t)n, term->hooks.arg);
	else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		lose(term, 0);
}

static void
read_size(struct term *term)
{
	tty_size(&term->tty, &term->cols, &term->rows);
	frames_size(term->frames, term->cols, term->rows);
}

static void
on_size(int signo, void *arg)
{
	if (!active || active->lost)
		return;
	read_size(active);
	if (active->hooks.on_resize)
		active->hooks.on_resize(active->hooks.arg);
}

static void
on_end(int signo, void *arg)
{
	if (active) {
		lose(active, signo);
		return;
	}
	signal(signo, SIG_DFL);
	raise(signo);
}

static void
come_back(void)
{
	struct err err = { 0 };

	if (!active || active->lost || active->suspended)
		return;
	/* Whoever had the terminal meanwhile may have set it as he liked. */
	active->taken = false;
	if (term_take(active, &err) < 0)
		lose(active, 0);
	else if (active->hooks.on_continue)
		active->hooks.on_continue(active->hooks.arg);
}

/* The kernel drops the signal where no shell could continue us: then nothing but a repaint comes
 * of it. */
static void
on_stop(int signo, void *arg)
{
	struct sigaction ours, theirs = { .sa_handler = SIG_DFL };

	if (active && !active->lost)
		term_leave(active);
	sigaction(signo, &theirs, &ours);
	raise(signo);
	sigaction(signo, &ours, NULL);
	come_back();
}

static void
on_continue(int signo, void *arg)
{
	come_back();
}

/* curses leaves alone what does not stand at its default. */
static void
register_signals(struct loop *loop)
{
	loop_on_signal(loop, SIGWINCH, on_size, NULL);
	loop_on_signal(loop, SIGTSTP, on_stop, NULL);
	loop_on_signal(loop, SIGCONT, on_continue, NULL);
	loop_on_signal(loop, SIGTERM, on_end, NULL);
	loop_on_signal(loop, SIGHUP, on_end, NULL);
	loop_on_signal(loop, SIGINT, on_end, NULL);
}

int
term_open(struct term **opened, struct loop *loop, const struct theme *theme,
	const struct term_hooks *hooks, struct err *err)
{
	struct term *term;

	if (active)
		return err_set(err, ERR_STATE, "the terminal is open already");
	term = mem_zero(1, sizeof(*term));
	if (tty_open(&term->tty, err) < 0) {
		free(term);
		return -1;
	}
	term->loop = loop;
	term->hooks = *hooks;
	buf_init(&term->sending, BUF_UNBOUNDED);
	register_signals(loop);
	term->in_watch = loop_watch(loop, term->tty.in, 0, LOOP_KEYS, on_readable, term);
	term->out_watch = loop_watch(loop, term->tty.out, 0, LOOP_STREAMS, on_writable, term);
	term->drain_timer = loop_timer_new(loop, check_drained, term);
	active = term;
	term->frames = frames_open(theme, err);
	if (term->frames) {
		prepare_farewell();
		term->has_title = tty_knows_titles();
	}
	if (!term->frames || term_take(term, err) < 0) {
		term_close(term);
		return -1;
	}
	*opened = term;
	return 0;
}

void
term_close(struct term *term)
{
	if (!term)
		return;
	term_leave(term);
	active = NULL;
	frames_close(term->frames);
	loop_unwatch(term->in_watch);
	loop_unwatch(term->out_watch);
	loop_timer_free(term->drain_timer);
	tty_close(&term->tty);
	buf_release(&term->sending);
	free(term->title);
	free(term);
}

void
term_leave(struct term *term)
{
	buf_clear(&term->sending);
	term->going = 0;
	term->taken = false;
	loop_watch_set(term->in_watch, 0);
	loop_watch_set(term->out_watch, 0);
	loop_timer_stop(term->drain_timer);
	tty_give_back();
}

int
term_take(struct term *term, struct err *err)
{
	if (tty_take(&term->tty, err) < 0)
		return -1;
	frames_forget(term->frames);
	buf_clear(&term->sending);
	term->going = 0;
	frames_capability("smcup", &term->sending);
	frames_capability("civis", &term->sending);
	buf_str(&term->sending, PASTE_ON);
	term->taken = true;
	read_size(term);
	loop_watch_set(term->in_watch, LOOP_READ);
	loop_watch_set(term->out_watch, LOOP_WRITE);
	return 0;
}

void
term_suspend(struct term *term)
{
	term->suspended = true;
	term_leave(term);
}

int
term_resume(struct term *term, struct err *err)
{
	term->suspended = false;
	if (term->lost)
		return err_set(err, ERR_STATE, "the terminal is gone");
	tty_hand_back();
	if (term_take(term, err) < 0)
		return -1;
	tty_flush_input(&term->tty);
	return 0;
}

int
term_cols(const struct term *term)
{
	return term->cols;
}

int
term_rows(const struct term *term)
{
	return term->rows;
}

bool
term_ascii(const struct term *term)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

bool
term_ready(const struct term *term)
{
	return term->taken && !term->lost && term->going == 0;
}

void
term_stop(struct term *term)
{
	(void)term;
	kill(0, SIGTSTP);
}

uint64_t
term_paint(struct term *term, const struct canvas *canvas, bool full)
{
	if (!term_ready(term))
		return 0;
	frames_paint(term->frames, canvas, full, &term->sending);
	term->going = ++term->frame;
	loop_watch_set(term->out_watch, LOOP_WRITE);
	return term->frame;
}

void
term_set_theme(struct term *term, const struct theme *theme)
{
	frames_theme(term->frames, theme);
}

void
term_flush_input(struct term *term)
{
	tty_flush_input(&term->tty);
}

bool
term_is_same(const struct term *term)
{
	return term->taken && !term->lost && tty_is_same(&term->tty);
}

void
term_bell(struct term *term)
{
	term->bell = true;
	if (term_ready(term))
		send_extras(term);
}

void
term_title(struct term *term, const char *ours)
{
	char kept[TITLE_MAX + 1];
	size_t len = 0;

	for (; *ours && len < TITLE_MAX; ours++)
		if (*ours >= ' ' && *ours < 0x7F)
			kept[len++] = *ours;
	kept[len] = '\0';
	free(term->title);
	term->title = mem_str(kept);
	if (term_ready(term))
		send_extras(term);
}
