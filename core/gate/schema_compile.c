/*
 * Compiling: one table from keyword to function.  What the table does not have is an error in a
 * rule; in a tool's schema a keyword that asserts makes its node "unknown at best", any other is
 * passed over.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/schema_node.h"
#include "core/run/near.h"

struct compiler {
	enum schema_use use;
	struct err *err;
};

static struct schema_node *compile(struct compiler *c, struct json_value source);

static void list_free(struct schema_list *list);

static void
node_free(struct schema_node *node)
{
	if (!node)
		return;
	pattern_free(node->pattern);
	free(node->path_under);
	for (size_t i = 0; i < node->property_count; i++)
		node_free(node->properties[i].node);
	free(node->properties);
	node_free(node->additional);
	node_free(node->items);
	node_free(node->negated);
	list_free(&node->any_of);
	list_free(&node->all_of);
	free(node);
}

static void
list_free(struct schema_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		node_free(list->nodes[i]);
	free(list->nodes);
}

static int
bad(struct compiler *c, struct json_value at, const char *keyword, const char *wanted)
{
	unsigned line, column;

	json_position(at, &line, &column);
	return err_set(
		c->err, ERR_FORMAT, "%u:%u: \"%s\" must be %s", line, column, keyword, wanted);
}

/* --- keywords --- */

static int
add_type(struct compiler *c, struct schema_node *node, struct json_value name)
{
	static const struct {
		const char *name;
		unsigned kinds;
	} types[] = {
		{ "null", 1u << JSON_NULL },
		{ "boolean", 1u << JSON_FALSE | 1u << JSON_TRUE },
		{ "number", 1u << JSON_NUMBER },
		{ "string", 1u << JSON_STRING },
		{ "array", 1u << JSON_ARRAY },
		{ "object", 1u << JSON_OBJECT },
	};

	if (json_is(name, "integer")) {
		node->integer = true;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!json_is(name, types[i].name))
			continue;
		node->types |= types[i].kinds;
		return 0;
	}
	return bad(c, name, "type",
		"null, boolean, number, integer, string, array, object, or a list of these");
}

static int
key_type(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	struct json_iter it = json_each(value);

	if (json_kind(value) != JSON_ARRAY)
		return add_type(c, node, value);
	while (json_next(&it))
		if (add_type(c, node, it.value) < 0)
			return -1;
	return json_count(value) > 0 ? 0 : bad(c, value, "type", "a type or a list of types");
}

static int
key_enum(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	node->values = value;
	return json_kind(value) == JSON_ARRAY ? 0 : bad(c, value, "enum", "an array");
}

static int
key_const(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	node->constant = value;
	return 0;
}

static int
key_bound(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	static const char *const names[BOUND_COUNT] = { "minimum", "maximum", "exclusiveMinimum",
		"exclusiveMaximum", "multipleOf" };
	struct decimal bound;
	size_t len;
	const char *text = json_source(value, &len);

	node->bounds[which] = value;
	if (json_kind(value) != JSON_NUMBER)
		return bad(c, value, names[which], "a number");
	decimal_read(text, len, &bound);
	if (which == BOUND_MULTIPLE_OF && (bound.negative || decimal_is_zero(&bound)))
		return bad(c, value, names[which], "a number above 0");
	return 0;
}

static int
key_size(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	static const char *const names[SIZE_COUNT] = { "minLength", "maxLength", "minItems",
		"maxItems", "minProperties", "maxProperties" };
	double written;

	/* The draft takes 2.0 for 2. */
	if (json_int(value, 0, INT64_MAX, &node->sizes[which]))
		return 0;
	if (json_double(value, &written) && written >= 0 && written < 1e15 &&
		written == (double)(int64_t)written) {
		node->sizes[which] = (int64_t)written;
		return 0;
	}
	return bad(c, value, names[which], "a whole number from 0");
}

static int
key_pattern(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	unsigned line, column;
	size_t len;
	const char *text = json_string(value, &len);

	if (!text)
		return bad(c, value, "pattern", "a string");
	node->pattern = pattern_new(text, len, c->use == SCHEMA_ALLOW, c->err);
	if (node->pattern)
		return 0;
	if (c->use == SCHEMA_TOOL) {
		node->not_evaluated = true;
		return 0;
	}
	json_position(value, &line, &column);
	return err_within(c->err, "%u:%u", line, column);
}

static bool
is_plain_folder(const char *text, size_t len)
{
	AUTO_FREE char *closed = mem_printf("%.*s/", (int)len, text);

	if (text[0] != '/' || memchr(text, '\0', len))
		return false;
	return len == 1 ||
	       !(strstr(closed, "/./") || strstr(closed, "/../") || strstr(closed, "//"));
}

static int
key_path_under(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	size_t len;
	const char *text = json_string(value, &len);

	if (c->use == SCHEMA_TOOL)
		return 0;
	while (text && len > 1 && text[len - 1] == '/')
		len--;
	if (!text || !is_plain_folder(text, len))
		return bad(c, value, "path_under",
			"an absolute folder without \".\", \"..\" and \"//\"");
	node->path_under = mem_strn(text, len);
	return 0;
}

static int
one_schema(struct compiler *c, struct schema_node **slot, struct json_value value)
{
	node_free(*slot);
	*slot = compile(c, value);
	return *slot ? 0 : -1;
}

static int
key_items(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	if (json_kind(value) == JSON_ARRAY && c->use == SCHEMA_TOOL) {
		node->not_evaluated = true;
		return 0;
	}
	return one_schema(c, &node->items, value);
}

static int
key_additional(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	return one_schema(c, &node->additional, value);
}

static int
key_not(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	enum schema_use use = c->use;
	int made;

	/* Under `not` the plain meaning is the strict one: what makes an allow rule's own tests
	 * harder would make the negation easier. */
	if (use == SCHEMA_ALLOW)
		c->use = SCHEMA_RULE;
	made = one_schema(c, &node->negated, value);
	c->use = use;
	return made;
}

static int
key_properties(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	struct json_iter it = json_each(value);

	if (json_kind(value) != JSON_OBJECT)
		return bad(c, value, "properties", "an object of schemas");
	node->properties = mem_zero(json_count(value), sizeof(*node->properties));
	while (json_next(&it)) {
		struct schema_property *property = &node->properties[node->property_count++];

		property->name = json_string(it.key, &property->name_len);
		if (one_schema(c, &property->node, it.value) < 0)
			return -1;
	}
	return 0;
}

static int
key_required(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	struct json_iter it = json_each(value);

	if (json_kind(value) != JSON_ARRAY)
		return bad(c, value, "required", "an array of names");
	while (json_next(&it))
		if (json_kind(it.value) != JSON_STRING)
			return bad(c, it.value, "required", "an array of names");
	node->required = value;
	return 0;
}

static int
key_list(struct compiler *c, struct schema_node *node, struct json_value value, int which)
{
	struct schema_list *list = which ? &node->all_of : &node->any_of;
	struct json_iter it = json_each(value);

	if (json_kind(value) != JSON_ARRAY || json_count(value) == 0)
		return bad(c, value, which ? "allOf" : "anyOf", "an array of at least one schema");
	list->nodes = mem_zero(json_count(value), sizeof(*list->nodes));
	while (json_next(&it))
		if (one_schema(c, &list->nodes[list->count++], it.value) < 0)
			return -1;
	return 0;
}

static const struct {
	const char *name;
	int (*compile)(
		struct compiler *c, struct schema_node *node, struct json_value value, int which);
	int which;
} keywords[] = {
	{ "type", key_type, 0 },
	{ "enum", key_enum, 0 },
	{ "const", key_const, 0 },
	{ "minimum", key_bound, BOUND_MINIMUM },
	{ "maximum", key_bound, BOUND_MAXIMUM },
	{ "exclusiveMinimum", key_bound, BOUND_EXCLUSIVE_MINIMUM },
	{ "exclusiveMaximum", key_bound, BOUND_EXCLUSIVE_MAXIMUM },
	{ "multipleOf", key_bound, BOUND_MULTIPLE_OF },
	{ "minLength", key_size, SIZE_MIN_LENGTH },
	{ "maxLength", key_size, SIZE_MAX_LENGTH },
	{ "minItems", key_size, SIZE_MIN_ITEMS },
	{ "maxItems", key_size, SIZE_MAX_ITEMS },
	{ "minProperties", key_size, SIZE_MIN_PROPERTIES },
	{ "maxProperties", key_size, SIZE_MAX_PROPERTIES },
	{ "pattern", key_pattern, 0 },
	{ "path_under", key_path_under, 0 },
	{ "properties", key_properties, 0 },
	{ "required", key_required, 0 },
	{ "additionalProperties", key_additional, 0 },
	{ "items", key_items, 0 },
	{ "anyOf", key_list, 0 },
	{ "allOf", key_list, 1 },
	{ "not", key_not, 0 },
};

static const char *const annotations[] = { "title", "description", "default", "examples", "$schema",
	"$comment", "deprecated", "readOnly", "writeOnly" };

/* Keywords that assert and are not built: a tool's schema with one is never fully evaluated. */
static const char *const not_built[] = { "$ref", "$dynamicRef", "$recursiveRef", "oneOf", "if",
	"then", "else", "patternProperties", "dependentRequired", "dependentSchemas",
	"dependencies", "prefixItems", "additionalItems", "contains", "minContains", "maxContains",
	"unevaluatedProperties", "unevaluatedItems", "uniqueItems", "propertyNames" };

/* Keywords that assert nothing of themselves, where a rule's author may think they do. */
static const char *const only_in_tools[] = { "format", "$id", "$anchor", "$defs", "definitions",
	"contentEncoding", "contentMediaType", "contentSchema" };

static bool
is_among(struct json_value key, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (json_is(key, names[i]))
			return true;
	return false;
}

static int
unknown_keyword(struct compiler *c, struct schema_node *node, struct json_value key)
{
	bool asserts = is_among(key, not_built, ARRAY_SIZE(not_built));
	bool known = asserts || is_among(key, only_in_tools, ARRAY_SIZE(only_in_tools));
	const char *names[ARRAY_SIZE(keywords)];
	unsigned line, column;
	const char *near;

	if (is_among(key, annotations, ARRAY_SIZE(annotations)))
		return 0;
	if (c->use != SCHEMA_TOOL) {
		for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
			names[i] = keywords[i].name;
		near = known ? NULL : near_name(json_string(key, NULL), names, ARRAY_SIZE(names));
		json_position(key, &line, &column);
		return err_set(c->err, ERR_FORMAT,
			"%u:%u: the keyword \"%s\" is not %s in a rule%s%s%s", line, column,
			json_string(key, NULL), known ? "available" : "known",
			near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	}
	node->not_evaluated |= asserts;
	node->skip_additional |= json_is(key, "patternProperties");
	node->skip_items |= json_is(key, "prefixItems");
	return 0;
}

static int
one_keyword(struct compiler *c, struct schema_node *node, struct json_value key,
	struct json_value value)
{
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (json_is(key, keywords[i].name))
			return keywords[i].compile(c, node, value, keywords[i].which);
	return unknown_keyword(c, node, key);
}

static struct schema_node *
compile(struct compiler *c, struct json_value source)
{
	struct schema_node *node = mem_zero(1, sizeof(*node));
	struct json_iter it = json_each(source);
	enum json_kind kind = json_kind(source);

	for (int i = 0; i < SIZE_COUNT; i++)
		node->sizes[i] = -1;
	node->always = kind == JSON_TRUE || kind == JSON_FALSE;
	node->verdict = kind == JSON_TRUE;
	if (!node->always && kind != JSON_OBJECT) {
		bad(c, source, "schema", "an object, true or false");
		node_free(node);
		return NULL;
	}
	while (json_next(&it)) {
		if (one_keyword(c, node, it.key, it.value) == 0)
			continue;
		node_free(node);
		return NULL;
	}
	return node;
}

struct schema *
schema_new(struct json_value source, enum schema_use use, struct err *err)
{
	struct compiler c = { use, err };
	struct schema_node *root = compile(&c, source);
	struct schema *schema;

	if (!root)
		return NULL;
	schema = mem_zero(1, sizeof(*schema));
	schema->root = root;
	schema->use = use;
	return schema;
}

void
schema_free(struct schema *schema)
{
	if (!schema)
		return;
	node_free(schema->root);
	free(schema);
}
