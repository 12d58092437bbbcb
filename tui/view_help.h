/*
 * view_help.h - the keys that work now and what they do, made from the command table.
 *
 * Knows:      view_page, keymap, command, rows.
 * Unaware of: which commands work: the view below says.
 */
#ifndef TUI_VIEW_HELP_H
#define TUI_VIEW_HELP_H

struct view;

/* About the view that has the focus below it; borrowed, read only while the help is made. */
struct view *view_help_new(const struct view *about);

#endif
