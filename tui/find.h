/*
 * find.h - a search in bytes, forward and back, around the ends.
 *
 * A needle without upper-case ASCII letters finds both cases; one with them finds itself.
 *
 * Knows:      nothing.
 * Unaware of: what the bytes are; where matches are shown.
 */
#ifndef TUI_FIND_H
#define TUI_FIND_H

#include <stdbool.h>
#include <stddef.h>

#define FIND_NONE ((size_t)-1)

struct find {
	const char *needle; /* borrowed */
	size_t len;
	bool back;        /* to the match before, not the next */
	size_t at, count; /* filled out: which match it is, from 1, and how many there are */
};

/* The first match that begins at or after from; FIND_NONE: none (always for an empty needle). */
size_t find_from(const struct find *find, const char *bytes, size_t len, size_t from);
/* The last match that begins before `before`; FIND_NONE: none. */
size_t find_before(const struct find *find, const char *bytes, size_t len, size_t before);
/* Matches that begin before `before`, and all when that is at least len. */
size_t find_count(const struct find *find, const char *bytes, size_t len, size_t before);
bool find_holds(const struct find *find, const char *bytes, size_t len);

#endif
