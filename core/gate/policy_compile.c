/*
 * From a rule's document to a rule: one table from key to function, and what is wrong is named with
 * its place.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/glob.h"
#include "core/gate/policy_state.h"

#define TIMEOUT_S_MAX 31536000

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
	for (size_t i = 0; i < policy->document_count; i++)
		json_free(policy->documents[i]);
	free(policy->documents);
	free(policy->rules);
	free(policy);
}

/* The document stays with the policy, whose rule looks into it. */
static void
keep(struct policy *policy, const struct rule *rule, struct json *document)
{
	policy->documents =
		mem_grow(policy->documents, policy->document_count + 1, sizeof(*policy->documents));
	policy->documents[policy->document_count++] = document;
	policy->rules = mem_grow(policy->rules, policy->count + 1, sizeof(*policy->rules));
	policy->rules[policy->count++] = *rule;
}

int
policy_add(struct policy *policy, const char *text, size_t len, const char *at, struct err *err)
{
	AUTO_JSON struct json *document = json_read(text, len, err);
	struct policy_source source = { .rule = json_root(document), .file = "rule" };
	struct rule rule = { 0 };

	if (!document)
		return err_within(err, "rule");
	if (compile_rule(&rule, &source, err) < 0) {
		rule_release(&rule);
		return -1;
	}
	free(rule.at);
	rule.at = mem_str(at);
	keep(policy, &rule, MEM_GIVE(document));
	return 0;
}
