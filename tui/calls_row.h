/*
 * calls_row.h - one call in one row: columns that go by their importance when there is no room.
 *
 * Number, tool and decision are always there; then come, as there is room, duration or time left,
 * arguments, the time of the call, the rule.
 *
 * Knows:      canvas, call_words, json, session.
 * Unaware of: the list; what is selected.
 */
#ifndef TUI_CALLS_ROW_H
#define TUI_CALLS_ROW_H

#include <stdint.h>

#include "tui/canvas.h"

struct session;
struct session_call;

struct calls_columns { /* widths with the blank behind them; 0: left out */
	int number, time, tool, args, rule, word, taken;
};
/* For rows of this width, of a session with this many calls. */
struct calls_columns calls_columns(int width, uint64_t calls);

struct calls_row {
	const struct session *session;
	int64_t mono; /* now */
	struct calls_columns columns;
};
void calls_row_draw(const struct calls_row *row, struct canvas *canvas, struct rect rect,
	const struct session_call *call);

#endif
