/*
 * glob.h - shell patterns over tool names: `*`, `?`, `[ab]`, `[a-z]`, `[!ab]`.
 *
 * A pattern without a dot matches the tool's part in every server; one with a dot matches the full
 * name.  Matching takes time linear in pattern times name, whatever the pattern.
 *
 * Knows:      err.
 * Unaware of: rules.
 */
#ifndef CORE_GATE_GLOB_H
#define CORE_GATE_GLOB_H

#include <stdbool.h>

#include "core/base/attr.h"

struct err;

/* Is it a pattern that can match a name?  Errors say what is wrong and what would be accepted. */
int glob_check(const char *pattern, struct err *err) ATTR_CHECKED;

/* Does a checked pattern match this text as a whole?  fold: upper and lower case are equal (ASCII).
 */
bool glob_match(const char *pattern, const char *text, bool fold);

/* The same against a tool: its full name when the pattern has a dot, else its own part. */
bool glob_match_tool(const char *pattern, const char *full, const char *name, bool fold);

/* Without a dot: it can match tools of several servers. */
bool glob_is_bare(const char *pattern);

#endif
