/*
 * configuration_diff.h - which lines of a text changed, for a person.
 *
 * Knows:      buf, text, mem.
 * Unaware of: what the text is.
 */
#ifndef CORE_RUN_CONFIGURATION_DIFF_H
#define CORE_RUN_CONFIGURATION_DIFF_H

#include <stddef.h>

struct buf;

/*
 * Append a line for each line that went ("  - 12: ...") or came ("  + 12: ..."), in order; the
 * lines' own bytes strictly escaped.  Texts of very many lines are shown whole, old before new.
 */
void diff_lines(struct buf *out, const char *before, size_t before_len, const char *after,
	size_t after_len);

#endif
