/*
 * calls_grant.h - what a person arranges on the occasion of a call: grants for calls to come, rules
 * for the rest of the run.
 *
 * Knows:      calls, grants, policy, journal.
 * Unaware of: sockets.
 */
#ifndef CORE_RUN_CALLS_GRANT_H
#define CORE_RUN_CALLS_GRANT_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/gate/facts.h"
#include "core/run/calls.h"

struct journal_site;

/* The sites of the program that begins: grants are for lines that hold a call of their tool. */
void calls_forecast(struct calls *calls, const struct journal_site *sites, size_t count);

struct calls_grant {
	struct calls_decision decision; /* of this call: an approve from a console, without code */
	int64_t n;                      /* further calls */
	const char *bounds;             /* JSON text (bounds.h) */
	size_t bounds_len;
};
/*
 * Approve this call as calls_decide() does, and grant the next n calls of its tool from its line.
 * Fails like it, with ERR_REFUSED for a call that wants a code or a person, that repeats one that
 * started, or whose tool was denied in this run, and as grants_check() does.  All or nothing.
 */
int calls_grant(struct calls *calls, const struct calls_grant *grant, struct err *err) ATTR_CHECKED;
/* ERR_MISSING, ERR_STATE as grants_revoke(). */
int calls_revoke(
	struct calls *calls, uint64_t grant, const char *who, struct err *err) ATTR_CHECKED;

struct calls_rule {
	call_id call; /* that gave the occasion */
	enum action action;
	const char *text; /* JSON of one rule, as in approval.rules */
	size_t len;
	const char *who;
};
/*
 * A rule made from a call.  An ask or a deny counts from now on; what waits and is denied by it is
 * denied.  An allow is recorded and changes nothing in this run.  ERR_MISSING when there was no
 * such call, ERR_FORMAT for a rule that configuration would refuse.
 */
int calls_rule(struct calls *calls, const struct calls_rule *rule, struct err *err) ATTR_CHECKED;

#endif
