/*
 * Compiled rules stand in the order of configuration, but order decides nothing: the strictest rule
 * that matches wins, and what several asks want (code, person, the shorter time) adds up.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/glob.h"
#include "core/gate/policy_state.h"

enum schema_result
rule_holds(const struct rule *rule, struct json_value arguments, char *why, size_t why_size)
{
	if (why_size > 0)
		why[0] = '\0';
	return rule->when ? schema_check(rule->when, arguments, why, why_size) : SCHEMA_YES;
}

bool
rule_decides(const struct rule *rule, enum schema_result result)
{
	return rule->action == ACTION_ALLOW ? result == SCHEMA_YES : result != SCHEMA_NO;
}

/* What tightens looks at names generously, what loosens does not. */
static const char *
pattern_for(const struct rule *rule, const struct tool_facts *tool)
{
	bool fold = rule->action != ACTION_ALLOW;

	for (size_t i = 0; i < rule->pattern_count; i++)
		if (glob_match_tool(rule->patterns[i], tool->full, tool->name, fold))
			return rule->patterns[i];
	return NULL;
}

/* What does not fit is cut at a whole character, and the cut is marked. */
static void
put_why(char *out, size_t size, const char *prefix, const char *why)
{
	size_t room = size - 1 - strlen(prefix);
	size_t len = strlen(why);
	bool cut = len > room;

	if (cut)
		for (len = room - 3; len > 0 && ((unsigned char)why[len] & 0xC0) == 0x80;)
			len--;
	snprintf(out, size, "%s%.*s%s", prefix, (int)len, why, cut ? "..." : "");
}

static void
add_tried(struct ruling *out, const struct rule *rule, enum schema_result result, const char *why)
{
	struct policy_tried *tried;

	out->tried = mem_grow(out->tried, out->tried_count + 1, sizeof(*out->tried));
	tried = &out->tried[out->tried_count++];
	tried->rule = rule->name;
	tried->at = rule->at;
	tried->action = rule->action;
	tried->matched = rule_decides(rule, result);
	put_why(tried->why, sizeof(tried->why), result == SCHEMA_UNKNOWN ? "unknown: " : "", why);
}

/* Asks add up: each one's wish counts, and the shortest time of those that name one. */
static void
add_wishes(struct ruling *out, const struct rule *rule)
{
	out->confirm_code |= rule->confirm_code;
	out->person_only |= rule->person_only;
	if (rule->timeout_ms == 0)
		return;
	if (out->timeout_ms == 0 || out->timeout_ms == -1 ||
		(rule->timeout_ms > 0 && rule->timeout_ms < out->timeout_ms))
		out->timeout_ms = rule->timeout_ms;
}

/* A rule that matches for certain speaks before one of the same action that may match. */
static bool
speaks(const struct ruling *out, const struct rule *rule, enum schema_result result)
{
	if (!out->rule || rule->action > out->action)
		return true;
	return rule->action == out->action && out->why == RULED_UNKNOWN && result == SCHEMA_YES;
}

static void
give_reason(struct ruling *out, const struct rule *rule, enum schema_result result, const char *why)
{
	const char *quote = rule->name[0] ? "\"" : "";
	const char *name = rule->name[0] ? rule->name : rule->at;
	char brief[141];

	put_why(brief, sizeof(brief), "", why);
	out->reason[0] = '\0';
	if (rule->reason)
		snprintf(out->reason, sizeof(out->reason), "%s", rule->reason);
	else if (result == SCHEMA_UNKNOWN)
		snprintf(out->reason, sizeof(out->reason),
			"the rule %s%.60s%s could not be evaluated: %s", quote, name, quote, brief);
	else if (rule->action == ACTION_DENY)
		snprintf(out->reason, sizeof(out->reason), "denied by the rule %s%.180s%s", quote,
			name, quote);
}

static void
adopt(struct ruling *out, const struct rule *rule, enum schema_result result, const char *why)
{
	if (!speaks(out, rule, result))
		return;
	out->action = rule->action;
	out->why = result == SCHEMA_UNKNOWN ? RULED_UNKNOWN : RULED_RULE;
	out->rule = rule->name;
	out->at = rule->at;
	give_reason(out, rule, result, why);
}

/* Nothing matched: reads pass, all else is asked, and the allow that came near says what it wants.
 */
static void
by_default(struct ruling *out, const struct tool_facts *tool)
{
	out->why = RULED_DEFAULT;
	out->action = tool->effect == EFFECT_READ ? ACTION_ALLOW : ACTION_ASK;
	if (out->action == ACTION_ALLOW)
		return;
	snprintf(out->reason, sizeof(out->reason), "no rule allows it");
	for (size_t i = 0; i < out->tried_count; i++) {
		const struct policy_tried *tried = &out->tried[i];
		char brief[141];

		if (tried->action != ACTION_ALLOW)
			continue;
		put_why(brief, sizeof(brief), "", tried->why);
		snprintf(out->reason, sizeof(out->reason),
			"no rule allows it: \"%.60s\" does not, since %s",
			tried->rule[0] ? tried->rule : tried->at, brief);
		return;
	}
}

void
policy_rule(const struct policy *policy, const struct tool_facts *tool, struct json_value arguments,
	struct ruling *out)
{
	char why[320];

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < policy->count; i++) {
		const struct rule *rule = &policy->rules[i];
		enum schema_result result;

		if (!pattern_for(rule, tool))
			continue;
		result = rule_holds(rule, arguments, why, sizeof(why));
		add_tried(out, rule, result, why);
		if (!rule_decides(rule, result))
			continue;
		adopt(out, rule, result, why);
		if (rule->action == ACTION_ASK)
			add_wishes(out, rule);
	}
	if (!out->rule)
		by_default(out, tool);
}

bool
policy_touches(
	const struct policy *policy, const struct tool_facts *tool, struct json_value arguments)
{
	struct ruling ruling;
	bool touches;

	policy_rule(policy, tool, arguments, &ruling);
	touches = ruling.rule != NULL;
	ruling_release(&ruling);
	return touches;
}

void
ruling_release(struct ruling *ruling)
{
	free(ruling->tried);
	ruling->tried = NULL;
	ruling->tried_count = 0;
}

/* --- what can be said without arguments --- */

static enum action
stricter(enum action a, enum action b)
{
	return a > b ? a : b;
}

int
policy_forecast(const struct policy *policy, const struct tool_facts *tool)
{
	enum action base = tool->effect == EFFECT_READ ? ACTION_ALLOW : ACTION_ASK;
	bool certain = false;

	for (size_t i = 0; i < policy->count; i++) {
		const struct rule *rule = &policy->rules[i];

		if (rule->when || !pattern_for(rule, tool))
			continue;
		base = certain ? stricter(base, rule->action) : rule->action;
		certain = true;
	}
	for (size_t i = 0; i < policy->count; i++) {
		const struct rule *rule = &policy->rules[i];
		enum action other;

		if (!rule->when || !pattern_for(rule, tool))
			continue;
		other = certain ? stricter(base, rule->action) : rule->action;
		if (other != base)
			return -1;
	}
	return (int)base;
}
