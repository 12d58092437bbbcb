/*
 * theme.h - how each style looks, read from a theme file.
 *
 * A theme file has a line "style = foreground background attribute..." for every style of
 * styles.def, "#" comments and blank lines.  Colours: "-" (the terminal's own), the eight names,
 * "bright-" and a name, 0 to 255, or #rrggbb.  Attributes: bold dim italic underline reverse
 * standout.  An unknown or missing or doubled style is an error, with file:line.
 *
 * Knows:      style, where, io, mem.
 * Unaware of: curses: a look is plain data.
 */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/attr.h"
#include "tui/style.h"

struct err;
struct theme;

enum theme_attr {
	THEME_BOLD = 1,
	THEME_DIM = 2,
	THEME_ITALIC = 4,
	THEME_UNDERLINE = 8,
	THEME_REVERSE = 16,
	THEME_STANDOUT = 32,
};

#define THEME_DIRECT 0x1000000 /* so many colours: 24 bits each, but for the first eight */

/* The themes that come with tollbridge, ended by NULL. */
extern const char *const theme_names[];

struct theme_look {
	int fg, bg; /* -1: the terminal's own; else below the number of colours asked for */
	unsigned attrs;
};

/*
 * name: of a theme that comes with tollbridge (theme_names), of a file NAME.theme in
 * folder (the user's; may be NULL), which comes first, or a path when it holds a "/".  Gives
 * *theme. Fails with ERR_MISSING or ERR_FORMAT, naming the file and line.
 */
int theme_load(
	struct theme **theme, const char *name, const char *folder, struct err *err) ATTR_CHECKED;
int theme_parse(struct theme **theme, const char *text, size_t len, const char *file,
	struct err *err) ATTR_CHECKED;
void theme_free(struct theme *theme); /* NULL is fine */

/* Attributes only: NO_COLOR, or a terminal without colours. */
void theme_drop_colours(struct theme *theme);
bool theme_no_colour_wanted(void); /* NO_COLOR is set and not empty */

/* The look with at most colours (0, 8, 16, 88, 256, THEME_DIRECT) colours: the nearest one.
 * 0: no colours. */
struct theme_look theme_look(const struct theme *theme, enum style style, int colours);

#endif
