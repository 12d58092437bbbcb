/* The gate's words, as they stand in the record. */
#include "config.h"

#include "core/gate/gate.h"

static const char *const by_names[] = {
	[BY_PERSON] = "person",
	[BY_RULE] = "rule",
	[BY_DEFAULT] = "default",
	[BY_GRANT] = "grant",
	[BY_PLAN] = "plan",
	[BY_REVIEWER] = "reviewer",
	[BY_BUDGET] = "budget",
	[BY_LIMIT] = "limit",
	[BY_INVALID] = "invalid",
	[BY_TIMEOUT] = "timeout",
	[BY_EARLIER] = "earlier",
	[BY_SIGNAL] = "signal",
	[BY_ENDED] = "ended",
};

static const char *const why_names[] = {
	[HELD_RULE] = "rule",
	[HELD_DEFAULT] = "default",
	[HELD_UNKNOWN] = "unknown",
	[HELD_REPEAT] = "repeat",
	[HELD_DENIALS] = "denials",
	[HELD_HEALTH] = "health",
	[HELD_CHANGED] = "changed",
	[HELD_BUDGET] = "budget",
	[HELD_AWAY] = "away",
};

const char *
verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_APPROVE] = "approve",
		[VERDICT_DENY] = "deny",
		[VERDICT_REUSE] = "reuse",
	};

	return names[verdict];
}

const char *
decided_by_name(enum decided_by by)
{
	return by_names[by];
}

const char *
held_why_name(enum held_why why)
{
	return why_names[why];
}
