/*
 * term.h - the terminal: sole owner of raw mode, and of every byte that goes out.
 *
 * The loop copies a frame to the terminal without blocking.  A frame
 * has left when all its bytes are written and the terminal's output queue is empty; no other frame
 * is painted until then, so a stalled terminal stops the screen and nothing else.  Input is raw
 * bytes, handed on as they come.  The terminal is put back on term_close(), on a fatal signal and
 * when memory is exhausted.
 *
 * Knows:      frames, tty, loop, io, mem.
 * Unaware of: keys, views.
 * Calls back: from the loop; a hook may close the terminal.
 */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"

struct canvas;
struct err;
struct loop;
struct term;
struct theme;

struct term_hooks {
	void (*on_input)(const char *bytes, size_t len, void *arg);
	void (*on_frame_left)(uint64_t frame, void *arg);
	/* The size is another one (term_cols, term_rows); the next frame must be a full one. */
	void (*on_resize)(void *arg);
	/* Back from a stop (SIGCONT): the screen was redrawn by others; paint a full frame. */
	void (*on_continue)(void *arg);
	/* End of file, hangup, a failed write, SIGTERM.  signo is 0 without a signal.  Once. */
	void (*on_lost)(int signo, void *arg);
	void *arg;
};

/*
 * Takes the terminal: standard input and output.  theme stays the caller's.  Call setlocale()
 * first, and open one at a time.  Fails with ERR_USAGE when they are no terminal or TERM has no
 * screen (unset, dumb, unknown): the text says so, and nothing was changed.
 */
int term_open(struct term **term, struct loop *loop, const struct theme *theme,
	const struct term_hooks *hooks, struct err *err) ATTR_CHECKED;
void term_close(struct term *term); /* restores; NULL is fine */

/* Other looks from the next frame on, which must be a full one.  theme stays the caller's. */
void term_set_theme(struct term *term, const struct theme *theme);

int term_cols(const struct term *term); /* may be 0 */
int term_rows(const struct term *term);
bool term_ascii(const struct term *term); /* the locale is not UTF-8: for canvas_set_ascii() */

/* May a frame be painted now?  When one is going out: no; on_frame_left comes. */
bool term_ready(const struct term *term);

/*
 * Paint.  full: clear and send everything, not the difference.  Gives the frame's number, which
 * on_frame_left will name, or 0 when not ready (nothing happened).
 */
uint64_t term_paint(struct term *term, const struct canvas *canvas, bool full);

/* Throw away what the kernel holds of input that nobody has read. */
void term_flush_input(struct term *term);

/* Is standard input still the terminal that was opened, and in our hands? */
bool term_is_same(const struct term *term);

/* Sent with the next bytes.  Titles are made of our own words and ids: others than printable
 * ASCII are left out. */
void term_bell(struct term *term);
void term_title(struct term *term, const char *ours);

/* Stop as a shell's job does: the process group, from the loop's next turn; on_continue comes
 * after. */
void term_stop(struct term *term);

/* Put the terminal as it was found, for the shell, and take it again. */
void term_leave(struct term *term);
int term_take(struct term *term, struct err *err) ATTR_CHECKED;
/*
 * The same for a child: no signal takes the terminal back until term_resume(), which brings this
 * process to the front again and drops what was typed meanwhile.  The next frame must be a full
 * one.  The caller hands the terminal to the child's process group (tty_hand_to).
 */
void term_suspend(struct term *term);
int term_resume(struct term *term, struct err *err) ATTR_CHECKED;

#endif
