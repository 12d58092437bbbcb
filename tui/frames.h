/*
 * frames.h - curses behind one module: a canvas becomes the bytes that change the terminal.
 *
 * curses paints into a file in memory and never touches the terminal: not its modes, not its
 * signals, not its input.  It is handed single cells, never a string.
 *
 * Knows:      canvas, theme, buf.
 * Unaware of: when bytes are written, and whether they arrive.
 */
#ifndef TUI_FRAMES_H
#define TUI_FRAMES_H

#include <stdbool.h>

#include "core/base/attr.h"

struct buf;
struct canvas;
struct err;
struct frames;
struct theme;

/*
 * For the terminal that TERM names, one at a time; signals that curses would take must not stand at
 * their default any more.  Fails with ERR_USAGE when TERM has no screen (unset, dumb, unknown): the
 * text says so.  The terminal was sent nothing.
 */
struct frames *frames_open(const struct theme *theme, struct err *err) ATTR_CHECKED;
void frames_close(struct frames *frames); /* NULL is fine */

/* From the next whole frame on. */
void frames_theme(struct frames *frames, const struct theme *theme);

/* The screen has this size now (0 is taken for 1); the next frame is a whole one. */
void frames_size(struct frames *frames, int cols, int rows);

/* Add the bytes that turn what the last frame showed into this canvas; whole: clear first, send
 * everything. */
void frames_paint(struct frames *frames, const struct canvas *canvas, bool whole, struct buf *out);

/* Somebody else had the screen: the cursor is hidden, nothing is known of what it shows. */
void frames_forget(struct frames *frames);

/* Add what a capability of terminfo says ("smcup"), without its padding; nothing when there is
 * none. */
void frames_capability(const char *name, struct buf *out);

#endif
