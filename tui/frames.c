/*
 * frames.c - `shown` is what the last frame made of the screen; what did not change is not sent.
 *
 * A file in memory and not a pipe: a frame of any size fits, so curses can never wait for a reader
 * that is itself.
 */
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include "config.h"

#include "tui/frames.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "tui/canvas.h"
#include "tui/theme.h"

struct frames {
	FILE *file, *null_file;
	SCREEN *screen;
	struct canvas *shown;
	bool shown_any, cursor_shown;
	int cols, rows;
};

/* Of curses' term.h, which has a struct term and a thousand macros besides. */
int setupterm(const char *name, int fd, int *problem);
char *tigetstr(const char *name);
extern void *cur_term;
int del_curterm(void *terminal);

/* Padding looks like "$<5>". */
void
frames_capability(const char *name, struct buf *out)
{
	const char *bytes = tigetstr(name);

	if (bytes && bytes != (const char *)-1)
		buf_put(out, bytes, strcspn(bytes, "$"));
}

/* --- styles --- */

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

/* --- life --- */

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

/* curses for the frames' file; what it writes by itself at the start is dropped. */
static int
start_curses(struct frames *frames, struct err *err)
{
	int fd = memfd_create("frames", MFD_CLOEXEC);
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	frames->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	frames->null_file = null_fd >= 0 ? fdopen(null_fd, "r") : NULL;
	if (!frames->file || !frames->null_file)
		return err_sys(err, errno, "open a file for frames");
	/* An entry may name no size, without which curses does not start; it is soon replaced. */
	setenv("LINES", "24", 1);
	setenv("COLUMNS", "80", 1);
	frames->screen = newterm(NULL, frames->file, frames->null_file);
	unsetenv("LINES");
	unsetenv("COLUMNS");
	if (!frames->screen)
		return err_set(err, ERR_USAGE, "curses cannot use this terminal");
	typeahead(-1);
	leaveok(stdscr, FALSE);
	return 0;
}

struct frames *
frames_open(const struct theme *theme, struct err *err)
{
	struct frames *frames;

	if (check_terminal(err) < 0)
		return NULL;
	frames = mem_zero(1, sizeof(*frames));
	frames->shown = canvas_new(0, 0);
	if (start_curses(frames, err) < 0) {
		frames_close(frames);
		return NULL;
	}
	prepare_pens(theme);
	return frames;
}

void
frames_close(struct frames *frames)
{
	if (!frames)
		return;
	if (frames->screen)
		delscreen(frames->screen);
	if (frames->file)
		fclose(frames->file);
	if (frames->null_file)
		fclose(frames->null_file);
	canvas_free(frames->shown);
	free(frames);
}

void
frames_theme(struct frames *frames, const struct theme *theme)
{
	prepare_pens(theme);
	frames->shown_any = false;
}

void
frames_size(struct frames *frames, int cols, int rows)
{
	frames->cols = cols;
	frames->rows = rows;
	/* curses knows no screen without a cell. */
	resize_term(rows > 0 ? rows : 1, cols > 0 ? cols : 1);
	frames->shown_any = false;
}

/* --- painting --- */

/* What curses has written since the last time. */
static void
collect(struct frames *frames, struct buf *out)
{
	int fd = fileno(frames->file);
	off_t len;

	fflush(frames->file);
	len = lseek(fd, 0, SEEK_END);
	if (len > 0) {
		char *room = buf_space(out, (size_t)len);
		ssize_t n = pread(fd, room, (size_t)len, 0);

		buf_added(out, n > 0 ? (size_t)n : 0);
	}
	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		buf_clear(out);
}

/* curses believes what it was told last; only then is what it wrote dropped. */
void
frames_forget(struct frames *frames)
{
	AUTO_BUF struct buf dropped;

	buf_init(&dropped, BUF_UNBOUNDED);
	curs_set(0);
	frames->cursor_shown = false;
	frames->shown_any = false;
	collect(frames, &dropped);
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
paint_row(struct frames *frames, const struct canvas *canvas, int y)
{
	int from, to;

	if (!canvas_row_changed(canvas, frames->shown_any ? frames->shown : NULL, y, &from, &to))
		return;
	if (from > 0 && canvas_at(canvas, from, y).width == 0)
		from--;
	for (int x = from; x < to && x < frames->cols; x++) {
		struct canvas_view cell = canvas_at(canvas, x, y);

		if (cell.width > 0 && x + cell.width <= frames->cols)
			paint_cell(x, y, cell);
	}
}

static void
place_cursor(struct frames *frames, const struct canvas *canvas)
{
	int x, y;
	bool wanted = canvas_cursor(canvas, &x, &y) && x < frames->cols && y < frames->rows;

	if (wanted != frames->cursor_shown)
		curs_set(wanted ? 1 : 0);
	frames->cursor_shown = wanted;
	wmove(stdscr, wanted ? y : 0, wanted ? x : 0);
}

void
frames_paint(struct frames *frames, const struct canvas *canvas, bool whole, struct buf *out)
{
	if (whole || !frames->shown_any) {
		frames->shown_any = false;
		werase(stdscr);
		clearok(curscr, TRUE);
	}
	for (int y = 0; y < canvas_rows(canvas) && y < frames->rows; y++)
		paint_row(frames, canvas, y);
	place_cursor(frames, canvas);
	wrefresh(stdscr);
	collect(frames, out);
	canvas_copy(frames->shown, canvas);
	frames->shown_any = true;
}
