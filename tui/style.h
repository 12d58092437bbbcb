/*
 * style.h - the names of everything that can look different; how it looks is a theme's business.
 *
 * Knows:      styles.def.
 * Unaware of: colours.
 */
#ifndef TUI_STYLE_H
#define TUI_STYLE_H

enum style {
#define STYLE(id, name, help) STYLE_##id,
#include "tui/styles.def"
#undef STYLE
	STYLE_COUNT
};

const char *style_name(enum style style);
const char *style_help(enum style style);

/* Gives STYLE_COUNT when there is none of this name. */
enum style style_by_name(const char *name);

#endif
