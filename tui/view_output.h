/*
 * view_output.h - what the program printed, standard error in a style of its own.
 *
 * Knows:      view, pager, session.
 * Unaware of: app.
 */
#ifndef TUI_VIEW_OUTPUT_H
#define TUI_VIEW_OUTPUT_H

struct view;

struct view *view_output_new(void);

#endif
