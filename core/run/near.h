/*
 * near.h - which known name was meant by a word that is not known.
 *
 * Knows:      nothing.
 * Unaware of: what the names are for.
 */
#ifndef CORE_RUN_NEAR_H
#define CORE_RUN_NEAR_H

#include <stddef.h>

/*
 * The one of names that takes the fewest edits (insert, delete, change, swap of neighbours; letter
 * case is half an edit).  NULL when none is near enough to be meant.  Borrowed from names.
 */
const char *near_name(const char *word, const char *const *names, size_t count);

#endif
