/*
 * names.h - whether any two of a list of texts are the same name.
 *
 * They are when they are canonically equivalent: when they have one NFC (Unicode 15, UAX 15).
 *
 * Knows:      buf, mem, utf8, utf8proc.
 * Unaware of: where the names come from.
 */
#ifndef CORE_BASE_NAMES_H
#define CORE_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name {
	const char *bytes; /* borrowed; UTF-8 */
	size_t len;
	uint32_t place; /* grows along the list, never 0 */
	bool ascii;
};

/* The place of a name that repeats an earlier one, or 0.  Reorders and changes the list. */
uint32_t names_repeated(struct name *names, uint32_t count);

#endif
