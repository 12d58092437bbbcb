/*
 * view_bounds.h - sheets that make bounds from the arguments of a call: a grant for the next calls
 * like it, and a rule.
 *
 * Each argument is a row with its bound; the selected one is switched between kinds and typed over.
 * What a yes sends stands on the sheet as it will be sent, with the calls of this run that it would
 * have met.
 *
 * Knows:      sheet, session, bounds, policy.
 * Unaware of: the connection.
 */
#ifndef TUI_VIEW_BOUNDS_H
#define TUI_VIEW_BOUNDS_H

#include <stdbool.h>

struct arming;
struct session;
struct session_call;
struct view;

/* Say yes with INTENT_GRANT (call, number: how many more, text: the bounds). */
struct view *view_grant_new(const struct session *session, const struct session_call *call,
	const struct arming *arming);
/* Say yes with INTENT_RULE (call, word: the action, text: the rule). */
struct view *view_rule_new(const struct session *session, const struct session_call *call,
	const struct arming *arming);

#endif
