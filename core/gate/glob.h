/*
 * glob.h - shell patterns over tool names: `*`, `?`, `[ab]`, `[a-z]`, `[!ab]` (or `[^ab]`).
 *
 * A pattern without a dot matches the tool's part in every server; one with a dot matches the full
 * name.  A tool's part that has dots of its own is matched by its full name or by wildcards.
 * Characters are bytes: `?` and a class match one byte of a name that is not ASCII.  Matching takes
 * time linear in pattern times name, whatever the pattern.
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
