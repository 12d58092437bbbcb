/*
 * view_program.h - the program: highlighted, with the line it is at, the lines whose calls are
 * asked about, and at the right how the calls of each line ended.  Follows the live line until
 * somebody scrolls.
 *
 * Knows:      view, pager, code, session.
 * Unaware of: app.
 */
#ifndef TUI_VIEW_PROGRAM_H
#define TUI_VIEW_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

struct view;

/* note: its first words (up to a comma) stand in the title; copied; NULL: none. */
struct view *view_program_new(const char *note);
/* Bring the live line into sight and follow it again. */
void view_program_follow(struct view *view);
/* Bring a line into sight and stay there; false: there is no such line. */
bool view_program_line(struct view *view, size_t number);

#endif
