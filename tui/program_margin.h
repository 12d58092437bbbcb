/*
 * program_margin.h - what became of a line's calls, in few columns at its right end.
 *
 * Knows:      canvas, program_lines.
 * Unaware of: the program's text.
 */
#ifndef TUI_PROGRAM_MARGIN_H
#define TUI_PROGRAM_MARGIN_H

#include "tui/canvas.h"

struct line_calls;

#define PROGRAM_MARGIN_MAX 20 /* columns it ever uses */

/* rect: the margin of the line's first row. */
void program_margin(struct canvas *canvas, struct rect rect, const struct line_calls *line);

#endif
