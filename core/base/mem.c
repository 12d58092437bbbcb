/*
 * Every allocation of the project goes through mem_grow() or mem_zero(), so that the one reaction
 * to exhausted memory stands in one place.
 */
#include "config.h"

#include "core/base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_BYTES ((size_t)4 << 20) /* two large pages: one lies whole within */

static void (*on_exhausted)(void);

static ATTR_NORETURN void
exhausted(void)
{
	if (on_exhausted)
		on_exhausted();
	abort();
}

void
mem_on_exhausted(void (*hook)(void))
{
	on_exhausted = hook;
}

void *
mem_zero(size_t count, size_t size)
{
	void *made = calloc(count ? count : 1, size ? size : 1);

	if (!made)
		exhausted();
	return made;
}

void *
mem_grow(void *old, size_t count, size_t size)
{
	void *grown;
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		exhausted();
	grown = realloc(old, total ? total : 1);
	if (!grown)
		exhausted();
	return grown;
}

void *
mem_grow_large(void *old, size_t count, size_t size)
{
	char *grown = mem_grow(old, count, size);
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = ((uintptr_t)grown + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)grown + count * size) & ~(page - 1);

	/* A wish: without it all works, only slower. */
	if (count * size >= LARGE_BYTES)
		(void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
	return grown;
}

void *
mem_copy(const void *bytes, size_t len)
{
	char *copy;
	size_t total;

	if (__builtin_add_overflow(len, 1, &total))
		exhausted();
	copy = mem_grow(NULL, total, 1);
	if (len)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

char *
mem_str(const char *str)
{
	return str ? mem_copy(str, strlen(str)) : NULL;
}

char *
mem_strn(const char *bytes, size_t len)
{
	return mem_copy(bytes, len);
}

char *
mem_printf(const char *fmt, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		exhausted();
	return text;
}

void
mem_leave_free(void *slot)
{
	void **var = slot;

	free(*var);
}
