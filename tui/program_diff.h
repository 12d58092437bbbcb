/*
 * program_diff.h - what changed between two programs, as a text to scroll and search: each row with
 * the line's numbers in both and "-" or "+".
 *
 * Knows:      diff, pager, canvas, text.
 * Unaware of: where the programs come from.
 */
#ifndef TUI_PROGRAM_DIFF_H
#define TUI_PROGRAM_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"

struct pager;
struct program_diff;

struct program_diff *program_diff_new(struct untrusted before, struct untrusted after);
void program_diff_free(struct program_diff *diff); /* NULL is fine */
struct pager *program_diff_pager(struct program_diff *diff);
/* "3 removed, 4 added", at most size bytes with the NUL. */
void program_diff_words(const struct program_diff *diff, char *out, size_t size);
/* The row of the first change, from 0. */
size_t program_diff_first(const struct program_diff *diff);

#endif
