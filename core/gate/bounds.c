/*
 * The form is checked key by key here; what fits is the schema evaluator's to say, under the rules
 * of an allow (every named property is there, a keyword that does not apply fails).
 */
#include "config.h"

#include "core/gate/bounds.h"

#include <stdlib.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/schema.h"

struct bounds {
	struct json *document;
	struct schema *schema;
};

static int
only_keys(struct json_value object, const char *const *names, size_t count, const char *of,
	struct err *err)
{
	struct json_iter it = json_each(object);

	while (json_next(&it)) {
		bool known = false;

		for (size_t i = 0; i < count; i++)
			known |= json_is(it.key, names[i]);
		if (!known)
			return err_set(err, ERR_FORMAT, "%.80s: bounds have no \"%.60s\"", of,
				json_string(it.key, NULL));
	}
	return 0;
}

static bool
plain(struct json_value value)
{
	return json_kind(value) != JSON_OBJECT && json_kind(value) != JSON_ARRAY;
}

static int
check_enum(struct json_value list, const char *name, struct err *err)
{
	struct json_iter it = json_each(list);

	if (json_kind(list) != JSON_ARRAY || json_count(list) == 0)
		return err_set(
			err, ERR_FORMAT, "%.80s: \"enum\" must list at least one value", name);
	while (json_next(&it))
		if (!plain(it.value))
			return err_set(err, ERR_FORMAT,
				"%.80s: an object or array is bounded by \"const\" alone", name);
	return 0;
}

static int
check_range(struct json_value bound, const char *name, struct err *err)
{
	struct json_value type = json_get(bound, "type");
	int order;

	if (!json_is(type, "integer") && !json_is(type, "number"))
		return err_set(err, ERR_FORMAT,
			"%.80s is open: \"const\", \"enum\", or \"integer\" or \"number\" with "
			"\"minimum\" and \"maximum\" closes it",
			name);
	if (!json_compare(json_get(bound, "minimum"), json_get(bound, "maximum"), &order))
		return err_set(err, ERR_FORMAT,
			"%.80s is open: it needs \"minimum\" and \"maximum\"", name);
	if (order > 0)
		return err_set(
			err, ERR_FORMAT, "%.80s: \"minimum\" is more than \"maximum\"", name);
	return 0;
}

static int
check_argument(struct json_value bound, const char *name, struct err *err)
{
	static const char *const of_const[] = { "const" };
	static const char *const of_enum[] = { "enum" };
	static const char *const of_range[] = { "type", "minimum", "maximum" };

	if (json_kind(bound) != JSON_OBJECT)
		return err_set(err, ERR_FORMAT, "%.80s: a bound is an object", name);
	if (json_there(json_get(bound, "const")))
		return only_keys(bound, of_const, ARRAY_SIZE(of_const), name, err);
	if (json_there(json_get(bound, "enum")))
		return only_keys(bound, of_enum, ARRAY_SIZE(of_enum), name, err) < 0
			       ? -1
			       : check_enum(json_get(bound, "enum"), name, err);
	if (check_range(bound, name, err) < 0)
		return -1;
	return only_keys(bound, of_range, ARRAY_SIZE(of_range), name, err);
}

static bool
lists(struct json_value required, struct json_value key)
{
	struct json_iter it = json_each(required);

	while (json_next(&it))
		if (json_equal(it.value, key))
			return true;
	return false;
}

/* "required" names every property and nothing else, each once. */
static int
check_required(struct json_value required, struct json_value properties, struct err *err)
{
	struct json_iter it = json_each(properties);

	if (json_kind(required) != JSON_ARRAY)
		return err_set(err, ERR_FORMAT, "bounds need \"required\"");
	while (json_next(&it))
		if (!lists(required, it.key))
			return err_set(err, ERR_FORMAT,
				"%.80s is open: \"required\" must name it, or it could be left out",
				json_string(it.key, NULL));
	if (json_count(required) != json_count(properties))
		return err_set(err, ERR_FORMAT,
			"\"required\" must name the arguments of \"properties\", each once");
	return 0;
}

static int
check_form(struct json_value root, struct err *err)
{
	static const char *const known[] = { "type", "properties", "required",
		"additionalProperties" };
	struct json_value properties = json_get(root, "properties");
	struct json_iter it = json_each(properties);

	if (json_kind(root) != JSON_OBJECT || !json_is(json_get(root, "type"), "object"))
		return err_set(err, ERR_FORMAT, "bounds are a schema of type \"object\"");
	if (only_keys(root, known, ARRAY_SIZE(known), "bounds", err) < 0)
		return -1;
	if (json_kind(properties) != JSON_OBJECT)
		return err_set(err, ERR_FORMAT, "bounds need \"properties\"");
	if (json_kind(json_get(root, "additionalProperties")) != JSON_FALSE)
		return err_set(
			err, ERR_FORMAT, "bounds are open: \"additionalProperties\" must be false");
	while (json_next(&it))
		if (check_argument(it.value, json_string(it.key, NULL), err) < 0)
			return -1;
	return check_required(json_get(root, "required"), properties, err);
}

struct bounds *
bounds_read(const char *text, size_t len, struct err *err)
{
	AUTO_BOUNDS struct bounds *bounds = mem_zero(1, sizeof(*bounds));

	if (len > BOUNDS_MAX) {
		(void)err_set(err, ERR_FORMAT, "bounds of more than %d bytes", BOUNDS_MAX);
		return NULL;
	}
	bounds->document = json_read(text, len, err);
	if (!bounds->document || check_form(json_root(bounds->document), err) < 0)
		return NULL;
	bounds->schema = schema_new(json_root(bounds->document), SCHEMA_ALLOW, err);
	if (!bounds->schema)
		return NULL;
	return MEM_GIVE(bounds);
}

void
bounds_free(struct bounds *bounds)
{
	if (!bounds)
		return;
	schema_free(bounds->schema);
	json_free(bounds->document);
	free(bounds);
}

bool
bounds_fit(const struct bounds *bounds, struct json_value arguments, char *why, size_t why_size)
{
	return schema_check(bounds->schema, arguments, why, why_size) == SCHEMA_YES;
}
