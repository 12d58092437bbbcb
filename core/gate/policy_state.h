/*
 * policy_state.h - the inside of policy.h, shared by its own files only.
 *
 * Knows:      policy, schema.
 * Unaware of: everything policy.h is unaware of.
 */
#ifndef CORE_GATE_POLICY_STATE_H
#define CORE_GATE_POLICY_STATE_H

#include "core/gate/policy.h"
#include "core/gate/schema.h"

struct rule {
	const char *file;
	char *name; /* "" when it has none */
	char *at;
	char *reason;
	enum action action;
	char **patterns;
	size_t pattern_count;
	struct schema *when; /* NULL: always */
	bool confirm_code, person_only;
	int64_t timeout_ms;
};

struct policy {
	struct rule *rules;
	size_t count;
	struct json **documents; /* of rules that were added */
	size_t document_count;
};

/* Do these arguments match: SCHEMA_YES when there is no `when`. */
enum schema_result rule_holds(
	const struct rule *rule, struct json_value arguments, char *why, size_t why_size);
/* Unknown counts as a match where it would decide: in a deny and an ask. */
bool rule_decides(const struct rule *rule, enum schema_result result);

#endif
