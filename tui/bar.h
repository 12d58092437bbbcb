/*
 * bar.h - the hint bar of keys that work now, and meters.
 *
 * Knows:      canvas, keymap.
 * Unaware of: which commands work now: its caller says.
 */
#ifndef TUI_BAR_H
#define TUI_BAR_H

#include <stddef.h>
#include <stdint.h>

#include "tui/canvas.h"
#include "tui/keymap.h"

struct bar_hints {
	const struct keymap *keymap;
	enum map map;
	const enum command *commands; /* in order of importance; those without a key are left out */
	size_t count;
	enum command reworded; /* this one is shown with other words; COMMAND_NONE: none */
	const char *words;
};

/* "y approve once   n deny" on rect's first row; what does not fit whole is left out.  Gives the
 * column after the last one. */
int bar_hints(struct canvas *canvas, struct rect rect, const struct bar_hints *hints);

/* "▰▰▱▱▱" of width cells ("##---" in ASCII): used of limit.  Anything used shows at least one;
 * full only when used >= limit.  Gives the column after it. */
int bar_meter(struct canvas *canvas, struct rect rect, int64_t used, int64_t limit);

#endif
