/* find.c - plain scans: what is searched is a program, an output of a megabyte, a row's words. */
#include "config.h"

#include "tui/find.h"

#include <string.h>

static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static char
lower(char c)
{
	return is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

static bool
heeds_case(const struct find *find)
{
	for (size_t i = 0; i < find->len; i++)
		if (is_upper(find->needle[i]))
			return true;
	return false;
}

static bool
is_at(const struct find *find, const char *bytes)
{
	for (size_t i = 0; i < find->len; i++)
		if (lower(bytes[i]) != find->needle[i])
			return false;
	return true;
}

size_t
find_from(const struct find *find, const char *bytes, size_t len, size_t from)
{
	const char *found;

	if (find->len == 0 || len < find->len || from > len - find->len)
		return FIND_NONE;
	if (heeds_case(find)) {
		found = memmem(bytes + from, len - from, find->needle, find->len);
		return found ? (size_t)(found - bytes) : FIND_NONE;
	}
	for (; from <= len - find->len; from++)
		if (lower(bytes[from]) == find->needle[0] && is_at(find, bytes + from))
			return from;
	return FIND_NONE;
}

size_t
find_before(const struct find *find, const char *bytes, size_t len, size_t before)
{
	bool cased = heeds_case(find);

	if (find->len == 0 || len < find->len)
		return FIND_NONE;
	if (before > len - find->len + 1)
		before = len - find->len + 1;
	while (before-- > 0)
		if (cased ? memcmp(bytes + before, find->needle, find->len) == 0
			  : is_at(find, bytes + before))
			return before;
	return FIND_NONE;
}

size_t
find_count(const struct find *find, const char *bytes, size_t len, size_t before)
{
	size_t count = 0;
	size_t at = find_from(find, bytes, len, 0);

	for (; at != FIND_NONE && at < before; at = find_from(find, bytes, len, at + 1))
		count++;
	return count;
}

bool
find_holds(const struct find *find, const char *bytes, size_t len)
{
	return bytes && find_from(find, bytes, len, 0) != FIND_NONE;
}
