/*
 * mem.h - memory that cannot fail, and scopes that clean up.
 *
 * Out of memory ends the process: mem_on_exhausted() lets the console restore its terminal first,
 * and a supervisor that dies is a denial.
 *
 * Knows:      attr.
 * Unaware of: everything else.
 * Calls back: the exhausted hook, once, before abort().
 */
#ifndef CORE_BASE_MEM_H
#define CORE_BASE_MEM_H

#include <stddef.h>

#include "core/base/attr.h"

/* All give memory that free() takes.  count * size is checked for overflow. */
void *mem_zero(size_t count, size_t size);
void *mem_grow(void *old, size_t count, size_t size); /* takes old; may move it */
/* The same for an array of many megabytes that is about to be filled: in large pages, where the
 * system has them, since a fault for each small one takes longer than the filling. */
void *mem_grow_large(void *old, size_t count, size_t size);
void *mem_copy(const void *bytes, size_t len); /* one NUL more than len */
char *mem_str(const char *str);                /* NULL gives NULL */
char *mem_strn(const char *bytes, size_t len);
char *mem_printf(const char *fmt, ...) ATTR_PRINTF(1, 2);

void mem_on_exhausted(void (*hook)(void));

/* Takes *slot (any pointer variable's address): for ON_LEAVE. */
void mem_leave_free(void *slot);

#define AUTO_FREE ON_LEAVE(mem_leave_free)

/* Hand a pointer over: yields its value and leaves NULL behind. */
#define MEM_GIVE(var)                           \
	__extension__({                         \
		__typeof__(var) given_ = (var); \
		(var) = NULL;                   \
		given_;                         \
	})

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
