/*
 * Compiled rules stand in the order of configuration, but order decides nothing: the strictest rule
 * that matches wins, and what several asks want (code, person, the shorter time) adds up.
 */
#include "config.h"

#include "core/gate/policy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/glob.h"
#include "core/gate/schema.h"
#include "core/run/near.h"

#define TIMEOUT_S_MAX 31536000

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
};

/* --- compiling --- */

static ATTR_PRINTF(4, 5) int wrong(
	const struct rule *rule, struct json_value at, struct err *err, const char *fmt, ...)
{
	char text[256];
	unsigned line, column;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	json_position(at, &line, &column);
	return err_set(err, ERR_FORMAT, "%s:%u:%u: %s", rule->file, line, column, text);
}

static int
key_name(struct rule *rule, struct json_value value, struct err *err)
{
	if (json_kind(value) != JSON_STRING)
		return wrong(rule, value, err, "\"name\" must be text");
	free(rule->name);
	rule->name = mem_str(json_string(value, NULL));
	return 0;
}

static int
add_pattern(struct rule *rule, struct json_value value, struct err *err)
{
	const char *pattern = json_string(value, NULL);
	struct err inner = { 0 };

	if (!pattern)
		return wrong(rule, value, err, "\"tools\" must be a pattern or a list of patterns");
	if (glob_check(pattern, &inner) < 0)
		return wrong(rule, value, err, "%s", inner.text);
	rule->patterns[rule->pattern_count++] = mem_str(pattern);
	return 0;
}

static int
key_tools(struct rule *rule, struct json_value value, struct err *err)
{
	struct json_iter it = json_each(value);
	size_t count = json_kind(value) == JSON_ARRAY ? json_count(value) : 1;

	if (count == 0)
		return wrong(rule, value, err, "\"tools\" names no tool");
	rule->patterns = mem_zero(count, sizeof(*rule->patterns));
	if (json_kind(value) != JSON_ARRAY)
		return add_pattern(rule, value, err);
	while (json_next(&it))
		if (add_pattern(rule, it.value, err) < 0)
			return -1;
	return 0;
}

static int
key_action(struct rule *rule, struct json_value value, struct err *err)
{
	int action = action_of(json_string(value, NULL));

	if (action < 0)
		return wrong(rule, value, err, "\"action\" must be \"allow\", \"ask\" or \"deny\"");
	rule->action = (enum action)action;
	return 0;
}

/* `when` is compiled once the action is known; see compile_when(). */
static int
key_later(struct rule *rule, struct json_value value, struct err *err)
{
	if (json_kind(value) != JSON_OBJECT)
		return wrong(rule, value, err, "\"when\" and \"examples\" must be objects");
	return 0;
}

static int
key_reason(struct rule *rule, struct json_value value, struct err *err)
{
	if (json_kind(value) != JSON_STRING)
		return wrong(rule, value, err, "\"reason\" must be text");
	if (strlen(json_string(value, NULL)) > RULING_REASON_MAX)
		return wrong(
			rule, value, err, "\"reason\" is longer than %d bytes", RULING_REASON_MAX);
	free(rule->reason);
	rule->reason = mem_str(json_string(value, NULL));
	return 0;
}

static int
key_confirm(struct rule *rule, struct json_value value, struct err *err)
{
	if (!json_is(value, "code") && !json_is(value, "key"))
		return wrong(rule, value, err, "\"confirm\" must be \"key\" or \"code\"");
	rule->confirm_code = json_is(value, "code");
	return 0;
}

static int
key_by(struct rule *rule, struct json_value value, struct err *err)
{
	if (!json_is(value, "person"))
		return wrong(rule, value, err, "\"by\" must be \"person\"");
	rule->person_only = true;
	return 0;
}

static int
key_timeout(struct rule *rule, struct json_value value, struct err *err)
{
	int64_t seconds;

	if (json_kind(value) == JSON_NULL) {
		rule->timeout_ms = -1;
		return 0;
	}
	if (!json_int(value, 1, TIMEOUT_S_MAX, &seconds))
		return wrong(rule, value, err,
			"\"timeout_s\" must be whole seconds from 1 to %d, or null", TIMEOUT_S_MAX);
	rule->timeout_ms = seconds * 1000;
	return 0;
}

static int
key_escalate(struct rule *rule, struct json_value value, struct err *err)
{
	return wrong(rule, value, err, "\"escalate\" is not available in this version");
}

static const struct {
	const char *name;
	int (*compile)(struct rule *rule, struct json_value value, struct err *err);
} keys[] = {
	{ "name", key_name },
	{ "tools", key_tools },
	{ "action", key_action },
	{ "when", key_later },
	{ "examples", key_later },
	{ "reason", key_reason },
	{ "confirm", key_confirm },
	{ "by", key_by },
	{ "timeout_s", key_timeout },
	{ "escalate", key_escalate },
};

static int
one_key(struct rule *rule, struct json_value key, struct json_value value, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (json_is(key, keys[i].name))
			return keys[i].compile(rule, value, err);
	return wrong(rule, key, err,
		"a rule has no key \"%s\"; name, tools, action, when, examples, reason, confirm, "
		"by and "
		"timeout_s are accepted",
		json_string(key, NULL));
}

static int
compile_when(struct rule *rule, struct json_value source, struct err *err)
{
	struct json_value when = json_get(source, "when");
	enum schema_use use = rule->action == ACTION_ALLOW ? SCHEMA_ALLOW : SCHEMA_RULE;
	struct err inner = { 0 };

	if (!json_there(when))
		return 0;
	rule->when = schema_new(when, use, &inner);
	if (rule->when)
		return 0;
	return err_set(err, inner.kind, "%s:%.400s", rule->file, inner.text);
}

/* Do these arguments match: SCHEMA_YES when there is no `when`. */
static enum schema_result
rule_holds(const struct rule *rule, struct json_value arguments, char *why, size_t why_size)
{
	if (why_size > 0)
		why[0] = '\0';
	return rule->when ? schema_check(rule->when, arguments, why, why_size) : SCHEMA_YES;
}

/* Unknown counts as a match where it would decide: in a deny and an ask. */
static bool
rule_decides(const struct rule *rule, enum schema_result result)
{
	return rule->action == ACTION_ALLOW ? result == SCHEMA_YES : result != SCHEMA_NO;
}

static int
check_examples(
	const struct rule *rule, struct json_value examples, const char *list, struct err *err)
{
	struct json_iter it = json_each(json_get(examples, list));
	bool wanted = strcmp(list, "match") == 0;
	char why[160];

	if (json_there(json_get(examples, list)) &&
		json_kind(json_get(examples, list)) != JSON_ARRAY)
		return wrong(rule, json_get(examples, list), err,
			"\"%s\" must be an array of example arguments", list);
	while (json_next(&it)) {
		if (json_kind(it.value) != JSON_OBJECT)
			return wrong(rule, it.value, err, "an example is an object of arguments");
		if (rule_decides(rule, rule_holds(rule, it.value, why, sizeof(why))) == wanted)
			continue;
		return wrong(rule, it.value, err, "the rule does %sthe example under \"%s\"%s%s",
			wanted ? "not match " : "match ", list, wanted ? ": " : "",
			wanted ? why : "");
	}
	return 0;
}

static int
check_example_keys(const struct rule *rule, struct json_value examples, struct err *err)
{
	struct json_iter it = json_each(examples);

	while (json_next(&it))
		if (!json_is(it.key, "match") && !json_is(it.key, "no_match"))
			return wrong(rule, it.key, err,
				"\"examples\" has no key \"%s\"; match and no_match are accepted",
				json_string(it.key, NULL));
	return 0;
}

/* What only a rule that asks can mean: an allow that says "by a person" would let calls pass. */
static int
check_wishes(const struct rule *rule, struct json_value source, struct err *err)
{
	static const char *const wishes[] = { "confirm", "by", "timeout_s" };

	for (size_t i = 0; rule->action != ACTION_ASK && i < ARRAY_SIZE(wishes); i++)
		if (json_there(json_get(source, wishes[i])))
			return wrong(rule, json_get(source, wishes[i]), err,
				"\"%s\" is for rules whose action is \"ask\"; this one's is \"%s\"",
				wishes[i], action_name(rule->action));
	return 0;
}

static int
compile_rule(struct rule *rule, const struct policy_source *source, struct err *err)
{
	struct json_iter it = json_each(source->rule);
	struct json_value examples = json_get(source->rule, "examples");
	unsigned line, column;

	json_position(source->rule, &line, &column);
	rule->file = source->file;
	rule->name = mem_str("");
	rule->at = mem_printf("%s:%u", source->file, source->line ? source->line : line);
	if (json_kind(source->rule) != JSON_OBJECT)
		return wrong(rule, source->rule, err, "a rule is an object");
	while (json_next(&it))
		if (one_key(rule, it.key, it.value, err) < 0)
			return -1;
	if (rule->pattern_count == 0 || !json_there(json_get(source->rule, "action")))
		return wrong(rule, source->rule, err, "a rule needs \"tools\" and \"action\"");
	if (check_wishes(rule, source->rule, err) < 0 ||
		compile_when(rule, source->rule, err) < 0 ||
		check_example_keys(rule, examples, err) < 0 ||
		check_examples(rule, examples, "match", err) < 0 ||
		check_examples(rule, examples, "no_match", err) < 0)
		return -1;
	return 0;
}

struct policy *
policy_new(const struct policy_source *rules, size_t count, struct err *err)
{
	struct policy *policy = mem_zero(1, sizeof(*policy));

	policy->rules = mem_zero(count, sizeof(*policy->rules));
	for (size_t i = 0; i < count; i++) {
		policy->count++;
		if (compile_rule(&policy->rules[i], &rules[i], err) == 0)
			continue;
		policy_free(policy);
		return NULL;
	}
	return policy;
}

static void
rule_release(struct rule *rule)
{
	for (size_t i = 0; i < rule->pattern_count; i++)
		free(rule->patterns[i]);
	free(rule->patterns);
	free(rule->name);
	free(rule->at);
	free(rule->reason);
	schema_free(rule->when);
}

void
policy_free(struct policy *policy)
{
	if (!policy)
		return;
	for (size_t i = 0; i < policy->count; i++)
		rule_release(&policy->rules[i]);
	free(policy->rules);
	free(policy);
}

/* --- ruling --- */

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
	snprintf(tried->why, sizeof(tried->why), "%s%.140s",
		result == SCHEMA_UNKNOWN ? "unknown: " : "", why);
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

	out->reason[0] = '\0';
	if (rule->reason)
		snprintf(out->reason, sizeof(out->reason), "%s", rule->reason);
	else if (result == SCHEMA_UNKNOWN)
		snprintf(out->reason, sizeof(out->reason),
			"the rule %s%.60s%s could not be evaluated: %.140s", quote, name, quote,
			why);
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

		if (tried->action != ACTION_ALLOW)
			continue;
		snprintf(out->reason, sizeof(out->reason),
			"no rule allows it: \"%.60s\" does not, since %.140s",
			tried->rule[0] ? tried->rule : tried->at, tried->why);
		return;
	}
}

void
policy_rule(const struct policy *policy, const struct tool_facts *tool, struct json_value arguments,
	struct ruling *out)
{
	char why[160];

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

/* A bare pattern of an allow names one server's tools, or it would hand out more than was meant. */
static int
check_bare(const struct rule *rule, const char *pattern, const struct tool_facts *const *tools,
	size_t count, struct err *err)
{
	const struct tool_facts *first = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!glob_match_tool(pattern, tools[i]->full, tools[i]->name, false))
			continue;
		if (first && strcmp(first->server, tools[i]->server) != 0)
			return err_set(err, ERR_FORMAT,
				"%s: the pattern \"%s\" of an allow matches %s and %s; name the "
				"server: \"%s.%s\"",
				rule->at, pattern, first->full, tools[i]->full, first->server,
				pattern);
		first = first ? first : tools[i];
	}
	return 0;
}

int
policy_check_tools(const struct policy *policy, const struct tool_facts *const *tools, size_t count,
	struct err *err)
{
	for (size_t i = 0; i < policy->count; i++) {
		const struct rule *rule = &policy->rules[i];

		for (size_t k = 0; rule->action == ACTION_ALLOW && k < rule->pattern_count; k++)
			if (glob_is_bare(rule->patterns[k]) &&
				check_bare(rule, rule->patterns[k], tools, count, err) < 0)
				return -1;
	}
	return 0;
}

static bool
matches_some(const char *pattern, const struct tool_facts *const *tools, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (glob_match_tool(pattern, tools[i]->full, tools[i]->name, true))
			return true;
	return false;
}

void
policy_misspelt(const struct policy *policy, const struct tool_facts *const *tools, size_t count,
	void (*tell)(const char *text, void *arg), void *arg)
{
	AUTO_FREE const char **names = mem_zero(2 * count, sizeof(*names));

	for (size_t i = 0; i < count; i++) {
		names[i] = tools[i]->name;
		names[count + i] = tools[i]->full;
	}
	for (size_t i = 0; i < policy->count; i++) {
		const struct rule *rule = &policy->rules[i];

		for (size_t k = 0; k < rule->pattern_count; k++) {
			const char *pattern = rule->patterns[k];
			const char *near = matches_some(pattern, tools, count)
						   ? NULL
						   : near_name(pattern, names, 2 * count);
			AUTO_FREE char *text = NULL;

			if (!near)
				continue;
			text = mem_printf("%s: no tool is called \"%s\"; did you mean \"%s\"?",
				rule->at, pattern, near);
			tell(text, arg);
		}
	}
}
