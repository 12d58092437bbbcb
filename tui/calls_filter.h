/*
 * calls_filter.h - which calls a filter's words leave in the list.
 *
 * Words are separated by blanks and all must hold: a state ("waits", "denied", "failed", ...: see
 * call_words), "tool:NAME" (a part of the tool's name), "line:N", "attempt:N", "by:WHO", and any
 * other word stands for itself in tool, arguments or rule.  "-" before a word turns it round.
 *
 * Knows:      call_words, find, session, mem.
 * Unaware of: the list.
 */
#ifndef TUI_CALLS_FILTER_H
#define TUI_CALLS_FILTER_H

#include <stdbool.h>

struct calls_filter;
struct session_call;

struct calls_filter *calls_filter_new(const char *words); /* copied */
void calls_filter_free(struct calls_filter *filter);      /* NULL is fine */
bool calls_filter_all(const struct calls_filter *filter); /* does it leave every call? */
bool calls_filter_holds(const struct calls_filter *filter, const struct session_call *call);

#endif
