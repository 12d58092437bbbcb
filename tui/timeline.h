/*
 * timeline.h - one row that says where a film is: its clock, a line with what stands out, its
 * length, whether it plays and how fast, which decision it is at.
 *
 *   0:12 ──●──◆─────◇──────✕── 0:48   ▮▮ 1.0x   decision 2 of 5
 *
 * A mark stands in the cell of its time; where several fall into one, a failure goes before a
 * denial and that before an approval.  The place of the film goes before all, and nothing that has
 * happened stands right of it.
 *
 * Knows:      canvas, film, session/replay (the kinds of mark).
 * Unaware of: the record.
 * Calls back: timeline.mark, while drawing.
 */
#ifndef TUI_TIMELINE_H
#define TUI_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "core/session/replay.h"
#include "tui/canvas.h"

struct film;

struct timeline {
	const struct film *film;
	int64_t length; /* ns */
	size_t marks;
	struct replay_mark (*mark)(size_t i, const void *arg);
	const void *arg;
	uint64_t decision, decisions; /* the one that it is at, 0: before the first; and all */
	const char *beware;           /* one of our words behind the end: "torn"; NULL: none */
};

/* On the first row of rect; gives the column behind it, where keys may stand. */
int timeline_draw(struct canvas *canvas, struct rect rect, const struct timeline *timeline);

/* The cell of a line of that many for a time. */
int timeline_cell(int64_t mono, int64_t length, int cells);

#define TIMELINE_CLOCK 32
/* "0:48", "1:02:03". */
void timeline_clock(int64_t mono, char out[TIMELINE_CLOCK]);

#endif
