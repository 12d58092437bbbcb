/*
 * policy.h - which rule decides a call, and why.
 *
 * All rules that match count and the strictest wins.  No rule: `read` is allowed, everything else
 * is asked.  An unknown `when` denies in a deny, asks in an ask, does not match in an allow.  Of
 * several asks each one's wish counts: code, person only, and the shortest time that one names.
 *
 * Knows:      facts, glob, schema, json, err.
 * Unaware of: budget, time, people, earlier calls (the gate tightens on top of this).
 */
#ifndef CORE_GATE_POLICY_H
#define CORE_GATE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/json.h"
#include "core/gate/facts.h"

struct err;
struct policy;

/* One rule as configuration gives it.  The value's document must outlive the policy. */
struct policy_source {
	struct json_value rule;
	const char *file; /* for "tollbridge.json:14" and error texts */
	unsigned line;    /* of the rule within file; 0: take it from the value */
};

enum ruled_why {
	RULED_RULE,
	RULED_DEFAULT,
	RULED_UNKNOWN, /* a rule decided because its `when` could not be evaluated */
};

/* One rule that was tried: for `x explain`, explain and the record. */
struct policy_tried {
	const char *rule; /* name, or "" */
	const char *at;
	enum action action;
	bool matched;
	char why[160]; /* why it did not match, or "unknown: ..." */
};

#define RULING_REASON_MAX 255 /* bytes; a rule with a longer one is refused */

struct ruling {
	enum action action;
	enum ruled_why why;
	const char *rule; /* borrowed from the policy; NULL: the default decided */
	const char *at;   /* "tollbridge.json:14"; NULL as above */
	char reason[RULING_REASON_MAX + 1]; /* for people: the rule's, or what came near */
	bool confirm_code;                  /* the rule says "confirm": "code" */
	bool person_only;                   /* the rule says "by": "person" */
	int64_t timeout_ms;         /* the rule's own; 0: the default counts; -1: waits for ever */
	struct policy_tried *tried; /* rules whose tools match; owned by the ruling */
	size_t tried_count;
};

/*
 * Compile rules and check their `examples`.  Errors name file:line:column and what would be
 * accepted.  Rules with keys that are not built yet are refused with words that say so.
 */
struct policy *policy_new(
	const struct policy_source *rules, size_t count, struct err *err) ATTR_CHECKED;
void policy_free(struct policy *policy); /* NULL is fine */

/*
 * Take one more rule in, from its JSON text; at ("made from call 4") stands where a configuration's
 * rule has file:line.  Checked as those are; an error changes nothing.  Rulings made before keep
 * their words.
 */
int policy_add(struct policy *policy, const char *text, size_t len, const char *at,
	struct err *err) ATTR_CHECKED;
/* Does a rule decide about this call, alone or with others?  For "which calls would it touch". */
bool policy_touches(
	const struct policy *policy, const struct tool_facts *tool, struct json_value arguments);

/* Hold the rules against the known tools: an allow whose bare pattern matches tools of two servers.
 */
int policy_check_tools(const struct policy *policy, const struct tool_facts *const *tools,
	size_t count, struct err *err) ATTR_CHECKED;

/* Calls tell for each pattern that matches no tool and is nearly the name of one, in words for
 * people.  One that is like no name may be meant for the tools of another run. */
void policy_misspelt(const struct policy *policy, const struct tool_facts *const *tools,
	size_t count, void (*tell)(const char *text, void *arg), void *arg);

void policy_rule(const struct policy *policy, const struct tool_facts *tool,
	struct json_value arguments, struct ruling *out);
void ruling_release(struct ruling *ruling);

/* What can be said of a tool without arguments (forecast): allow, ask, deny, or -1 "depends". */
int policy_forecast(const struct policy *policy, const struct tool_facts *tool);

#endif
