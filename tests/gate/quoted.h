/*
 * quoted.h - JSON for tests, written with ' for ".
 *
 * Knows:      json, mem.
 * Unaware of: what is tested.
 */
#ifndef TESTS_GATE_QUOTED_H
#define TESTS_GATE_QUOTED_H

#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"

/* NULL when it is no JSON. */
static inline struct json *
quoted(const char *text)
{
	AUTO_FREE char *copy = mem_str(text);

	for (char *at = copy; (at = strchr(at, '\''));)
		*at = '"';
	return json_read(copy, strlen(copy), NULL);
}

#endif
