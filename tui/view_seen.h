/*
 * view_seen.h - the approval pane of a recorded call, to look at: nothing in it decides.
 *
 * In place it stands where the pane stood, laid out for this screen, and its last row says how the
 * call was decided.  Whole, it also says what the record knows of that presentation, whether the
 * frame could be made again, and shows the very rows where this screen is wide enough.
 *
 * Knows:      view, seen, document, rows, bar.
 * Unaware of: the replay's position.
 */
#ifndef TUI_VIEW_SEEN_H
#define TUI_VIEW_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/canvas.h"

struct seen;
struct view;

/* seen is read here and not kept; cols: of the text. */
struct view *view_seen_new(const struct seen *seen, int cols, bool whole);

uint64_t view_seen_call(const struct view *view);
uint64_t view_seen_presentation(const struct view *view); /* 0: none */
int view_seen_cols(const struct view *view);              /* that it was laid out for */
/* Rows that a pane in place would like, borders included; and its text's width in such a rect. */
int view_seen_rows(const struct view *view);
int view_seen_text_cols(struct rect pane);

#endif
