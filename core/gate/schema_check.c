/*
 * Evaluation in Kleene's logic: "and" is the smallest of NO < UNKNOWN < YES, "or" the greatest,
 * "not" turns the order round.  The first NO on the way to the verdict leaves its reason; what a
 * `not` or an alternative tries leaves none.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/base/mem.h"
#include "core/gate/multiple.h"
#include "core/gate/schema_node.h"

#define STEPS_MAX 1000000
#define PATTERN_STEPS_MAX 5000000 /* all patterns of one evaluation together */
#define PATH_MAX_SHOWN 160

struct check {
	bool strict; /* an allow rule's own tests apply */
	bool rule;   /* reasons go where the arguments' own text may not stand */
	unsigned steps;
	uint64_t pattern_steps; /* left */
	unsigned quiet;         /* > 0: reasons are not wanted */
	char *why;              /* NULL once it is filled, or not wanted */
	size_t why_size;
	char path[PATH_MAX_SHOWN];
};

static const char *const kind_words[] = {
	[JSON_NULL] = "null",
	[JSON_FALSE] = "boolean",
	[JSON_TRUE] = "boolean",
	[JSON_NUMBER] = "number",
	[JSON_STRING] = "string",
	[JSON_ARRAY] = "array",
	[JSON_OBJECT] = "object",
};

static enum schema_result check_node(
	struct check *check, const struct schema_node *node, struct json_value value);

static enum schema_result
both(enum schema_result a, enum schema_result b)
{
	return a < b ? a : b;
}

static enum schema_result
either(enum schema_result a, enum schema_result b)
{
	return a > b ? a : b;
}

static ATTR_PRINTF(3, 4) enum schema_result
	failed(struct check *check, enum schema_result result, const char *fmt, ...)
{
	va_list args;
	int used;

	if (!check->why || check->quiet > 0)
		return result;
	used = snprintf(
		check->why, check->why_size, "%s%s", check->path, check->path[0] ? ": " : "");
	va_start(args, fmt);
	if (used >= 0 && (size_t)used < check->why_size)
		vsnprintf(check->why + used, check->why_size - (size_t)used, fmt, args);
	va_end(args);
	check->why = NULL;
	return result;
}

/* A value for people, short: its source, cut between characters. */
static const char *
shown(struct json_value value, char out[64])
{
	size_t len;
	const char *source = json_source(value, &len);
	size_t cut = len < 48 ? len : 48;

	while (cut < len && cut > 0 && ((unsigned char)source[cut] & 0xc0) == 0x80)
		cut--;
	snprintf(out, 64, "%.*s%s", (int)cut, source, cut == len ? "" : " ...");
	return out;
}

/* The reasons of rules stand in the record, which may have to lose the arguments: none is told. */
static const char *
shown_argument(const struct check *check, struct json_value value, char out[64])
{
	return check->rule ? "the value" : shown(value, out);
}

/* A keyword about another type: nothing to say, but an allow rule wants it to apply. */
static enum schema_result
not_of_type(struct check *check, const char *type)
{
	if (!check->strict)
		return SCHEMA_YES;
	return failed(check, SCHEMA_NO, "is no %s, and the rule's test is about one", type);
}

/* "integer or null": what a node's `type` takes. */
static void
type_words(const struct schema_node *node, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned kind = 0; kind < ARRAY_SIZE(kind_words) && used < size; kind++) {
		bool whole = kind == JSON_NUMBER && node->integer && !(node->types & 1u << kind);
		bool taken = kind != JSON_FALSE && node->types & 1u << kind;

		if (kind_words[kind] && (whole || taken))
			used += (size_t)snprintf(out + used, size - used, "%s%s",
				used > 0 ? " or " : "", whole ? "integer" : kind_words[kind]);
	}
}

static enum schema_result
check_type(struct check *check, const struct schema_node *node, struct json_value value)
{
	struct decimal number;
	size_t len;
	const char *text = json_source(value, &len);
	char wanted[80];

	if (!node->types && !node->integer)
		return SCHEMA_YES;
	if (node->types & 1u << json_kind(value))
		return SCHEMA_YES;
	if (node->integer && json_kind(value) == JSON_NUMBER) {
		decimal_read(text, len, &number);
		if (decimal_is_whole(&number))
			return SCHEMA_YES;
	}
	type_words(node, wanted, sizeof(wanted));
	return failed(check, SCHEMA_NO, "is of type %s, wanted is %s", kind_words[json_kind(value)],
		wanted);
}

static enum schema_result
check_values(struct check *check, const struct schema_node *node, struct json_value value)
{
	struct json_iter it = json_each(node->values);
	char text[64];
	char accepted[64];

	if (json_there(node->constant) && !json_equal(node->constant, value))
		return failed(check, SCHEMA_NO, "%s is not %s", shown_argument(check, value, text),
			shown(node->constant, accepted));
	if (!json_there(node->values))
		return SCHEMA_YES;
	while (json_next(&it))
		if (json_equal(it.value, value))
			return SCHEMA_YES;
	return failed(check, SCHEMA_NO, "%s is none of %s", shown_argument(check, value, text),
		shown(node->values, accepted));
}

static bool
has_bounds(const struct schema_node *node)
{
	for (int i = 0; i < BOUND_COUNT; i++)
		if (json_there(node->bounds[i]))
			return true;
	return false;
}

static struct decimal
decimal_of(struct json_value number)
{
	struct decimal value;
	size_t len;
	const char *text = json_source(number, &len);

	decimal_read(text, len, &value);
	return value;
}

static bool
within(const struct decimal *number, enum bound bound, const struct decimal *limit)
{
	int order = decimal_compare(number, limit);

	switch (bound) {
	case BOUND_MINIMUM:
		return order >= 0;
	case BOUND_MAXIMUM:
		return order <= 0;
	case BOUND_EXCLUSIVE_MINIMUM:
		return order > 0;
	case BOUND_EXCLUSIVE_MAXIMUM:
		return order < 0;
	case BOUND_MULTIPLE_OF:
	case BOUND_COUNT:
		break;
	}
	return true;
}

static enum schema_result
check_bound(struct check *check, enum bound bound, struct json_value limit, struct json_value value)
{
	static const char *const words[BOUND_COUNT] = { "less than", "more than", "not more than",
		"not less than", "not a multiple of" };
	struct decimal number = decimal_of(value);
	struct decimal wanted = decimal_of(limit);
	char text[64];
	char limit_text[64];
	int multiple = bound == BOUND_MULTIPLE_OF ? decimal_multiple(&number, &wanted) : 1;

	if (multiple < 0)
		return failed(check, SCHEMA_UNKNOWN, "a number beyond the exact range");
	if (multiple > 0 && within(&number, bound, &wanted))
		return SCHEMA_YES;
	return failed(check, SCHEMA_NO, "%s is %s %s", shown_argument(check, value, text),
		words[bound], shown(limit, limit_text));
}

static enum schema_result
check_number(struct check *check, const struct schema_node *node, struct json_value value)
{
	enum schema_result result = SCHEMA_YES;

	if (!has_bounds(node))
		return SCHEMA_YES;
	if (json_kind(value) != JSON_NUMBER)
		return not_of_type(check, "number");
	for (int i = 0; i < BOUND_COUNT; i++)
		if (json_there(node->bounds[i]))
			result = both(
				result, check_bound(check, (enum bound)i, node->bounds[i], value));
	return result;
}

static enum schema_result
check_size(struct check *check, const struct schema_node *node, enum size_bound min, int64_t size,
	const char *what)
{
	int64_t low = node->sizes[min];
	int64_t high = node->sizes[min + 1];

	if (low >= 0 && size < low)
		return failed(check, SCHEMA_NO, "has %lld %s, at least %lld are wanted",
			(long long)size, what, (long long)low);
	if (high >= 0 && size > high)
		return failed(check, SCHEMA_NO, "has %lld %s, at most %lld are wanted",
			(long long)size, what, (long long)high);
	return SCHEMA_YES;
}

static bool
has_sizes(const struct schema_node *node, enum size_bound min)
{
	return node->sizes[min] >= 0 || node->sizes[min + 1] >= 0;
}

static int64_t
code_points(const char *text, size_t len)
{
	int64_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

/* Can its text alone say where the path leads?  Links are the tool's business. */
static bool
is_plain_path(const char *path, size_t len)
{
	if (path[0] != '/' || strlen(path) != len)
		return false;
	for (const char *at = path; (at = strstr(at, "/.")); at++)
		if (at[2] == '/' || at[2] == '\0' ||
			(at[2] == '.' && (at[3] == '/' || at[3] == '\0')))
			return false;
	return !strstr(path, "//");
}

/* The folder itself or what is below it. */
static bool
is_under(const char *folder, const char *path)
{
	size_t folder_len = strlen(folder);

	if (strncmp(path, folder, folder_len) != 0)
		return false;
	return folder_len == 1 || path[folder_len] == '/' || path[folder_len] == '\0';
}

/*
 * What is no plain path is no permission; but whether a deny, an ask or a `not` is about it cannot
 * be told.
 */
static enum schema_result
check_path(struct check *check, const struct schema_node *node, struct json_value value)
{
	size_t len;
	const char *text = json_string(value, &len);

	if (!node->path_under)
		return SCHEMA_YES;
	if (!text || !is_plain_path(text, len))
		return failed(check, check->strict ? SCHEMA_NO : SCHEMA_UNKNOWN,
			"is no absolute path without \".\", \"..\" and \"//\"");
	if (is_under(node->path_under, text))
		return SCHEMA_YES;
	return failed(check, SCHEMA_NO, "is no path under %s", node->path_under);
}

static enum schema_result
check_string(struct check *check, const struct schema_node *node, struct json_value value)
{
	bool wanted = node->pattern || has_sizes(node, SIZE_MIN_LENGTH);
	size_t len;
	const char *text = json_string(value, &len);
	enum schema_result result;
	int matched;

	if (!wanted)
		return SCHEMA_YES;
	if (!text)
		return not_of_type(check, "string");
	result = check_size(check, node, SIZE_MIN_LENGTH, code_points(text, len), "characters");
	if (!node->pattern || result == SCHEMA_NO)
		return result;
	matched = pattern_match(node->pattern, text, len, &check->pattern_steps);
	if (matched < 0)
		return both(result, failed(check, SCHEMA_UNKNOWN, "the pattern costs too much"));
	return matched ? result : failed(check, SCHEMA_NO, "does not match the pattern");
}

static enum schema_result
check_items(struct check *check, const struct schema_node *node, struct json_value value)
{
	struct json_iter it = json_each(value);
	enum schema_result result;

	if (!node->items && !has_sizes(node, SIZE_MIN_ITEMS))
		return SCHEMA_YES;
	if (json_kind(value) != JSON_ARRAY)
		return not_of_type(check, "array");
	result = check_size(check, node, SIZE_MIN_ITEMS, (int64_t)json_count(value), "items");
	while (node->items && !node->skip_items && result != SCHEMA_NO && json_next(&it))
		result = both(result, check_node(check, node->items, it.value));
	return result;
}

/* Evaluate a member with its name on the path that reasons show. */
static enum schema_result
check_member(struct check *check, const struct schema_node *node, const char *name,
	struct json_value value)
{
	size_t before = strlen(check->path);
	enum schema_result result;

	snprintf(check->path + before, sizeof(check->path) - before, "%s%s", before ? "." : "",
		name);
	result = check_node(check, node, value);
	check->path[before] = '\0';
	return result;
}

static const struct schema_property *
property_of(const struct schema_node *node, const char *name, size_t len)
{
	for (size_t i = 0; i < node->property_count; i++)
		if (node->properties[i].name_len == len &&
			memcmp(node->properties[i].name, name, len) == 0)
			return &node->properties[i];
	return NULL;
}

static enum schema_result
check_members(struct check *check, const struct schema_node *node, struct json_value object)
{
	struct json_iter it = json_each(object);
	enum schema_result result = SCHEMA_YES;

	while (result != SCHEMA_NO && json_next(&it)) {
		size_t len;
		const char *name = json_string(it.key, &len);
		const struct schema_property *property = property_of(node, name, len);

		if (property)
			result = both(result, check_member(check, property->node, name, it.value));
		else if (node->additional && !node->skip_additional)
			result = both(
				result, check_member(check, node->additional,
						check->rule ? "(a member no property names)" : name,
						it.value));
	}
	return result;
}

static enum schema_result
check_presence(struct check *check, const struct schema_node *node, struct json_value object)
{
	struct json_iter it = json_each(node->required);
	size_t len;

	while (json_next(&it)) {
		const char *name = json_string(it.value, &len);

		if (!json_there(json_getn(object, name, len)))
			return failed(check, SCHEMA_NO, "\"%s\" is not given", name);
	}
	for (size_t i = 0; check->strict && i < node->property_count; i++) {
		const struct schema_property *property = &node->properties[i];

		if (!json_there(json_getn(object, property->name, property->name_len)))
			return failed(check, SCHEMA_NO, "\"%s\" is not given", property->name);
	}
	return SCHEMA_YES;
}

static enum schema_result
check_object(struct check *check, const struct schema_node *node, struct json_value value)
{
	bool wanted = node->properties || node->additional || json_there(node->required) ||
		      has_sizes(node, SIZE_MIN_PROPERTIES);
	enum schema_result result;

	if (!wanted)
		return SCHEMA_YES;
	if (json_kind(value) != JSON_OBJECT)
		return not_of_type(check, "object");
	result =
		check_size(check, node, SIZE_MIN_PROPERTIES, (int64_t)json_count(value), "members");
	result = both(result, check_presence(check, node, value));
	return result == SCHEMA_NO ? result : both(result, check_members(check, node, value));
}

static enum schema_result
check_combined(struct check *check, const struct schema_node *node, struct json_value value)
{
	enum schema_result result = SCHEMA_YES;
	enum schema_result any = SCHEMA_NO;
	bool strict = check->strict;

	for (size_t i = 0; i < node->all_of.count; i++)
		result = both(result, check_node(check, node->all_of.nodes[i], value));
	check->quiet++;
	for (size_t i = 0; i < node->any_of.count && any != SCHEMA_YES; i++)
		any = either(any, check_node(check, node->any_of.nodes[i], value));
	check->quiet--;
	if (node->any_of.count > 0 && any != SCHEMA_YES)
		result = both(result, failed(check, any, "fits none of the alternatives"));
	if (!node->negated)
		return result;
	check->quiet++;
	check->strict = false;
	any = SCHEMA_YES - check_node(check, node->negated, value);
	check->strict = strict;
	check->quiet--;
	return any == SCHEMA_YES ? result
				 : both(result, failed(check, any, "is what the rule leaves out"));
}

static enum schema_result
check_node(struct check *check, const struct schema_node *node, struct json_value value)
{
	static enum schema_result (*const parts[])(struct check * check,
		const struct schema_node *node, struct json_value value) = { check_type,
		check_values, check_number, check_string, check_path, check_items, check_object,
		check_combined };
	enum schema_result result = SCHEMA_YES;

	if (node->always)
		return node->verdict ? SCHEMA_YES : failed(check, SCHEMA_NO, "is not allowed here");
	if (++check->steps > STEPS_MAX)
		return failed(check, SCHEMA_UNKNOWN, "the test takes too many steps");
	for (size_t i = 0; i < ARRAY_SIZE(parts) && result != SCHEMA_NO; i++)
		result = both(result, parts[i](check, node, value));
	if (node->not_evaluated && result == SCHEMA_YES)
		return failed(check, SCHEMA_UNKNOWN, "a keyword of the schema is not evaluated");
	return result;
}

enum schema_result
schema_check(const struct schema *schema, struct json_value value, char *why, size_t why_size)
{
	struct check check = {
		.strict = schema->use == SCHEMA_ALLOW,
		.rule = schema->use != SCHEMA_TOOL,
		.pattern_steps = PATTERN_STEPS_MAX,
	};

	if (why && why_size > 0)
		why[0] = '\0';
	check.why = why_size > 0 ? why : NULL;
	check.why_size = why_size;
	return check_node(&check, schema->root, value);
}
