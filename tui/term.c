/*
 * term.c - curses paints into a file in memory; its bytes go to the terminal as it takes them.
 *
 * Invariants: nothing here waits for the terminal but the restoring, and that for a bounded time.
 * curses is handed single cells, never a string, and never touches the terminal: not its modes, not
 * its signals (ours stand before it starts), not its input.  `shown` is what the last frame made of
 * the screen.  One terminal is open at a time (`active`), for signals know no arguments.
 *
 * A file in memory and not a pipe: a frame of any size fits, so curses can never wait for a reader
 * that is itself.
 */
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include "config.h"

#include "tui/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "tui/canvas.h"
#include "tui/theme.h"
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
	FILE *frame_file, *null_file;
	SCREEN *screen;
	struct canvas *shown;
	bool shown_any, cursor_shown;
	int cols, rows;
	struct buf sending;
	uint64_t frame, going; /* going 0: none */
	bool bell;
	char *title;
	bool has_title;
	bool taken, lost;
};

static struct term *active;

/* Of curses' term.h, which has a struct term and a thousand macros besides. */
int setupterm(const char *name, int fd, int *problem);
char *tigetstr(const char *name);
extern void *cur_term;
int del_curterm(void *terminal);

/* Add what a capability says, without its padding ("$<5>"). */
static void
add_capability(struct buf *out, const char *name)
{
	const char *bytes = tigetstr(name);

	if (bytes && bytes != (const char *)-1)
		buf_put(out, bytes, strcspn(bytes, "$"));
}

static void
prepare_farewell(void)
{
	AUTO_BUF struct buf bytes;

	buf_init(&bytes, BUF_UNBOUNDED);
	buf_str(&bytes, CANCEL PASTE_OFF);
	add_capability(&bytes, "sgr0");
	add_capability(&bytes, "cnorm");
	add_capability(&bytes, "rmcup");
	tty_set_farewell(bytes.data, bytes.len);
}

/* What curses has written since the last time. */
static void
collect(struct term *term)
{
	int fd = fileno(term->frame_file);
	off_t len;

	fflush(term->frame_file);
	len = lseek(fd, 0, SEEK_END);
	if (len > 0) {
		char *room = buf_space(&term->sending, (size_t)len);
		ssize_t n = pread(fd, room, (size_t)len, 0);

		buf_added(&term->sending, n > 0 ? (size_t)n : 0);
	}
	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		buf_clear(&term->sending);
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
	/* curses knows no screen without a cell. */
	resize_term(term->rows > 0 ? term->rows : 1, term->cols > 0 ? term->cols : 1);
	term->shown_any = false;
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
on_stop(int signo, void *arg)
{
	if (active && !active->lost)
		term_leave(active);
	raise(SIGSTOP);
}

static void
on_continue(int signo, void *arg)
{
	struct err err = { 0 };

	if (!active || active->lost)
		return;
	/* Whoever had the terminal meanwhile may have set it as he liked. */
	active->taken = false;
	if (term_take(active, &err) < 0)
		lose(active, 0);
	else if (active->hooks.on_continue)
		active->hooks.on_continue(active->hooks.arg);
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

/* What theme_look() is to bring colours down to. */
static int
colours_here(void)
{
	if (!has_colors() || start_color() != OK || use_default_colors() != OK)
		return 0;
	/* Numbers above 256 are shades: all of them, or only the first eight are what they say. */
	return COLORS <= 256 || COLORS == THEME_DIRECT ? COLORS : 8;
}

struct pen {
	attr_t attrs;
	short pair;
};

static struct pen pens[STYLE_COUNT];

static void
prepare_pens(const struct theme *theme)
{
	static const struct {
		unsigned ours;
		attr_t theirs;
	} map[] = {
		{ THEME_BOLD, A_BOLD },
		{ THEME_DIM, A_DIM },
		{ THEME_ITALIC, A_ITALIC },
		{ THEME_UNDERLINE, A_UNDERLINE },
		{ THEME_REVERSE, A_REVERSE },
		{ THEME_STANDOUT, A_STANDOUT },
	};
	int colours = colours_here();

	/* Every style is a pair of its own, so that nothing is computed while painting. */
	for (int style = 0; style < STYLE_COUNT; style++) {
		struct theme_look look = theme_look(theme, style, colours);

		if (colours > 0 && style + 1 < COLOR_PAIRS)
			init_extended_pair(style + 1, look.fg, look.bg);
		pens[style].attrs = A_NORMAL;
		pens[style].pair = look.fg < 0 && look.bg < 0 ? 0 : (short)(style + 1);
		for (size_t i = 0; i < ARRAY_SIZE(map); i++)
			if (look.attrs & map[i].ours)
				pens[style].attrs |= map[i].theirs;
	}
}

void
term_set_theme(struct term *term, const struct theme *theme)
{
	(void)term;
	prepare_pens(theme);
}

/* Is this a terminal with a screen? */
static int
check_terminal(struct err *err)
{
	const char *name = getenv("TERM");
	AUTO_FREE char *shown = text_escape(untrusted_str(name), TEXT_STRICT);
	const char *move;
	int problem;
	bool screen;

	if (!name || !*name)
		return err_set(err, ERR_USAGE,
			"TERM is not set: the console needs a terminal with a screen, and its "
			"name");
	if (setupterm(name, STDOUT_FILENO, &problem) != OK)
		return err_set(err, ERR_USAGE,
			"TERM is \"%s\", which is unknown here: the console needs a terminal with "
			"a "
			"screen (a usual name is xterm-256color)",
			shown);
	move = tigetstr("cup");
	screen = move && move != (const char *)-1;
	(void)del_curterm(cur_term); /* newterm() reads its own */
	if (!screen)
		return err_set(err, ERR_USAGE,
			"TERM is \"%s\", a terminal without a screen: the console needs one",
			shown);
	return 0;
}

static int
start_curses(struct term *term, const struct theme *theme, struct err *err)
{
	int fd = memfd_create("frames", MFD_CLOEXEC);
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	term->frame_file = fd >= 0 ? fdopen(fd, "w") : NULL;
	term->null_file = null_fd >= 0 ? fdopen(null_fd, "r") : NULL;
	if (!term->frame_file || !term->null_file)
		return err_sys(err, errno, "open a file for frames");
	/* An entry may name no size, without which curses does not start; it is soon replaced. */
	setenv("LINES", "24", 1);
	setenv("COLUMNS", "80", 1);
	term->screen = newterm(NULL, term->frame_file, term->null_file);
	unsetenv("LINES");
	unsetenv("COLUMNS");
	if (!term->screen)
		return err_set(err, ERR_USAGE, "curses cannot use this terminal");
	typeahead(-1);
	leaveok(stdscr, FALSE);
	prepare_pens(theme);
	prepare_farewell();
	term->has_title = tty_knows_titles();
	return 0;
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
	term->shown = canvas_new(0, 0);
	buf_init(&term->sending, BUF_UNBOUNDED);
	register_signals(loop);
	term->in_watch = loop_watch(loop, term->tty.in, 0, LOOP_KEYS, on_readable, term);
	term->out_watch = loop_watch(loop, term->tty.out, 0, LOOP_STREAMS, on_writable, term);
	term->drain_timer = loop_timer_new(loop, check_drained, term);
	active = term;
	if (check_terminal(err) < 0 || start_curses(term, theme, err) < 0 ||
		term_take(term, err) < 0) {
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
	if (term->screen)
		delscreen(term->screen);
	if (term->frame_file)
		fclose(term->frame_file);
	if (term->null_file)
		fclose(term->null_file);
	loop_unwatch(term->in_watch);
	loop_unwatch(term->out_watch);
	loop_timer_free(term->drain_timer);
	tty_close(&term->tty);
	canvas_free(term->shown);
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
	/* curses believes what it was told last; only then is what it wrote dropped. */
	curs_set(0);
	term->cursor_shown = false;
	collect(term);
	buf_clear(&term->sending);
	term->going = 0;
	add_capability(&term->sending, "smcup");
	add_capability(&term->sending, "civis");
	buf_str(&term->sending, PASTE_ON);
	term->taken = true;
	read_size(term);
	loop_watch_set(term->in_watch, LOOP_READ);
	loop_watch_set(term->out_watch, LOOP_WRITE);
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

static void
paint_cell(int x, int y, struct canvas_view cell)
{
	wchar_t wide[CCHARW_MAX + 1] = { 0 };
	size_t count = 0, len = strlen(cell.utf8);
	cchar_t made;

	for (size_t at = 0; at < len && count < CCHARW_MAX;) {
		uint32_t code = ' ';
		unsigned step = utf8_decode(cell.utf8 + at, len - at, &code);

		wide[count++] = (wchar_t)code;
		at += step ? step : 1;
	}
	setcchar(&made, wide, pens[cell.style].attrs, pens[cell.style].pair, NULL);
	mvwadd_wch(stdscr, y, x, &made);
}

static void
paint_row(struct term *term, const struct canvas *canvas, int y)
{
	int from, to;

	if (!canvas_row_changed(canvas, term->shown_any ? term->shown : NULL, y, &from, &to))
		return;
	if (from > 0 && canvas_at(canvas, from, y).width == 0)
		from--;
	for (int x = from; x < to && x < term->cols; x++) {
		struct canvas_view cell = canvas_at(canvas, x, y);

		if (cell.width > 0 && x + cell.width <= term->cols)
			paint_cell(x, y, cell);
	}
}

static void
place_cursor(struct term *term, const struct canvas *canvas)
{
	int x, y;
	bool wanted = canvas_cursor(canvas, &x, &y) && x < term->cols && y < term->rows;

	if (wanted != term->cursor_shown)
		curs_set(wanted ? 1 : 0);
	term->cursor_shown = wanted;
	wmove(stdscr, wanted ? y : 0, wanted ? x : 0);
}

uint64_t
term_paint(struct term *term, const struct canvas *canvas, bool full)
{
	if (!term_ready(term))
		return 0;
	if (full || !term->shown_any) {
		term->shown_any = false;
		werase(stdscr);
		clearok(curscr, TRUE);
	}
	for (int y = 0; y < canvas_rows(canvas) && y < term->rows; y++)
		paint_row(term, canvas, y);
	place_cursor(term, canvas);
	wrefresh(stdscr);
	collect(term);
	canvas_copy(term->shown, canvas);
	term->shown_any = true;
	term->going = ++term->frame;
	loop_watch_set(term->out_watch, LOOP_WRITE);
	return term->frame;
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
