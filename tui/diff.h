/*
 * diff.h - what two texts have in common, line by line.
 *
 * The fewest removed and added lines, after E. W. Myers, "An O(ND) Difference Algorithm and Its
 * Variations" (1986); within a change the removed lines come first.  Bounded: texts that differ in
 * more than DIFF_CHANGES_MAX lines are all removed and all added between what they begin and end
 * with alike.
 *
 * Knows:      text, mem.
 * Unaware of: how a difference is shown.
 */
#ifndef TUI_DIFF_H
#define TUI_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"

#define DIFF_CHANGES_MAX 800

enum diff_kind { DIFF_SAME, DIFF_REMOVED, DIFF_ADDED };

struct diff_row {
	enum diff_kind kind;
	size_t before, after;  /* line numbers from 1; 0: not in that text */
	struct untrusted line; /* with its line break, borrowed from the text it is in */
};

struct diff {
	struct diff_row *rows;
	size_t count;
	size_t removed, added;
	bool coarse; /* more than DIFF_CHANGES_MAX changes: not the fewest */
};

void diff_make(struct diff *diff, struct untrusted before, struct untrusted after);
void diff_release(struct diff *diff); /* a zeroed one is fine */

#endif
