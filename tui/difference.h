/*
 * difference.h - what differs between two texts, line by line.
 *
 * The longest common subsequence of lines, after common lines at both ends; texts whose middles
 * would cost more than 4,000,000 comparisons are given as wholly removed and wholly added there.
 *
 * Knows:      text (struct untrusted), mem.
 * Unaware of: where it is shown.
 * Calls back: on_line, once for each line, in order; removed ones before added ones.
 */
#ifndef TUI_DIFFERENCE_H
#define TUI_DIFFERENCE_H

#include "core/base/text.h"

enum difference {
	DIFFERENCE_SAME,
	DIFFERENCE_REMOVED,
	DIFFERENCE_ADDED,
};

typedef void (*difference_fn)(enum difference what, struct untrusted line, void *arg);

/* Lines come without their LF.  A last line without LF differs from the same line with one only in
 * that, which is not told. */
void difference_lines(
	struct untrusted before, struct untrusted after, difference_fn on_line, void *arg);

#endif
