/*
 * The walk over one layer's document.  A key is known when settings.def, later.def or the list of
 * structures below has its path; every other key is an error, so that a limit that was misspelt
 * cannot be a limit that is missing.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/run/configuration_parts.h"
#include "core/run/near.h"

#define MAX_CALLS_MAX 1000000000
#define LISTED_MAX 12

typedef int (*read_fn)(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err);

static int read_schema(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err);
static int read_rules(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err);
static int read_per_tool(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err);

static const struct {
	const char *path;
	read_fn read;
} structures[] = {
	{ "$schema", read_schema },
	{ "keys", config_read_bindings },
	{ "tools", config_read_tools },
	{ "approval.rules", read_rules },
	{ "budget.per_tool", read_per_tool },
	{ "ui.notify", config_read_notify },
	{ "model.instructions", config_read_instructions },
	{ "model.key_command", config_read_key_command },
};

static const char *const later[] = {
#define LATER(path) path,
#define LATER_VALUE(path, values)
#include "core/run/later.def"
#undef LATER
#undef LATER_VALUE
};

bool
config_is_later(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(later); i++)
		if (strcmp(later[i], path) == 0)
			return true;
	return false;
}

/* --- unknown keys --- */

static void
list_known(struct buf *out, const char *const *known, size_t count)
{
	for (size_t i = 0; i < count && i < LISTED_MAX; i++)
		buf_printf(out, "%s%s", i > 0 ? ", " : "", known[i]);
	if (count > LISTED_MAX)
		buf_str(out, " ...");
}

int
config_unknown_key(const struct layer *layer, struct json_value key, const char *where,
	const char *const *known, size_t count, struct err *err)
{
	AUTO_FREE char *shown = config_shown(key);
	const char *near = near_name(json_string(key, NULL), known, count);
	AUTO_BUF struct buf list;

	buf_init(&list, BUF_UNBOUNDED);
	if (near)
		return config_fault(layer, key, err, "unknown key %s%s%s; did you mean \"%s\"?",
			shown, where[0] ? " in " : "", where, near);
	list_known(&list, known, count);
	return config_fault(layer, key, err, "unknown key %s%s%s; known here: %s", shown,
		where[0] ? " in " : "", where, list.data ? list.data : "none");
}

/* The component after prefix of a path below it, or NULL. */
static char *
component(const char *path, const char *prefix)
{
	size_t len = strlen(prefix);

	if (len > 0) {
		if (strncmp(path, prefix, len) != 0 || path[len] != '.')
			return NULL;
		path += len + 1;
	}
	return mem_strn(path, strcspn(path, "."));
}

struct names {
	char **list;
	size_t count;
};

static void
names_add(struct names *names, char *name /* takes, may be NULL */)
{
	for (size_t i = 0; name && i < names->count; i++)
		if (strcmp(names->list[i], name) == 0) {
			free(name);
			name = NULL;
		}
	if (!name)
		return;
	names->list = mem_grow(names->list, names->count + 1, sizeof(*names->list));
	names->list[names->count++] = name;
}

static int
unknown_below(const struct layer *layer, struct json_value key, const char *prefix, struct err *err)
{
	struct names names = { 0 };
	int failed;

	for (enum setting setting = 0; setting < SETTING_COUNT; setting++)
		names_add(&names, component(config_path(setting), prefix));
	for (size_t i = 0; i < ARRAY_SIZE(structures); i++)
		names_add(&names, component(structures[i].path, prefix));
	failed = config_unknown_key(
		layer, key, prefix, (const char *const *)names.list, names.count, err);
	for (size_t i = 0; i < names.count; i++)
		free(names.list[i]);
	free(names.list);
	return failed;
}

/* --- structures --- */

static int
read_schema(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err)
{
	if (json_string(value, NULL))
		return 0;
	return config_fault(layer, value, err,
		"$schema: write the address of the schema as text, or leave it out");
}

static int
read_rules(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err)
{
	struct json_iter it = json_each(value);

	if (json_kind(value) != JSON_ARRAY)
		return config_fault(layer, value, err,
			"approval.rules: write a list of rules: [{\"tools\": [...], \"action\": "
			"\"ask\"}]");
	while (json_next(&it)) {
		struct config_rule *rule;
		unsigned column;

		if (json_kind(it.value) != JSON_OBJECT)
			return config_fault(layer, it.value, err,
				"approval.rules: a rule is an object: {\"tools\": [...], "
				"\"action\": \"ask\"}");
		config->rules =
			mem_grow(config->rules, config->rule_count + 1, sizeof(*config->rules));
		rule = &config->rules[config->rule_count++];
		*rule = (struct config_rule){ .rule = it.value, .file = mem_str(layer->label) };
		json_position(it.value, &rule->line, &column);
	}
	return 0;
}

static struct per_tool *
per_tool_named(struct config *config, const char *name)
{
	struct per_tool *entry;

	for (size_t i = 0; i < config->per_tool_count; i++)
		if (strcmp(config->per_tool[i].name, name) == 0)
			return &config->per_tool[i];
	config->per_tool =
		mem_grow(config->per_tool, config->per_tool_count + 1, sizeof(*config->per_tool));
	entry = &config->per_tool[config->per_tool_count++];
	*entry = (struct per_tool){ .name = mem_str(name) };
	return entry;
}

static int
read_max_calls(struct config *config, const struct layer *layer, const char *tool,
	struct json_value value, struct err *err)
{
	AUTO_FREE char *name = mem_printf("budget.per_tool.%s.max_calls", tool);
	AUTO_FREE char *shown = config_shown(value);
	struct per_tool *entry = per_tool_named(config, tool);
	int64_t number;

	if (!json_int(value, 0, MAX_CALLS_MAX, &number))
		return config_fault(layer, value, err,
			"%s: %s is not accepted; write a whole number from 0 to %d (calls of this "
			"tool in one run)",
			name, shown, MAX_CALLS_MAX);
	return limit_take(
		config, layer, name, SETTING_COMBINE_SMALLER, &entry->limit, -1, number, err);
}

static int
read_one_per_tool(struct config *config, const struct layer *layer, struct json_value key,
	struct json_value value, struct err *err)
{
	static const char *const known[] = { "max_calls" };
	AUTO_FREE char *where = NULL;
	size_t len;
	const char *tool = json_string(key, &len);
	struct json_iter it = json_each(value);

	if (len == 0 || strlen(tool) != len)
		return config_fault(layer, key, err,
			"budget.per_tool: write a tool's name, \"payroll.apply_raise\" or "
			"\"apply_raise\"");
	where = mem_printf("budget.per_tool.%s", tool);
	if (json_kind(value) != JSON_OBJECT)
		return config_fault(
			layer, value, err, "%s: write an object: {\"max_calls\": 10}", where);
	while (json_next(&it)) {
		if (json_is(it.key, "sum"))
			return config_fault(layer, it.key, err,
				"%s.sum is not available in this version; max_calls is", where);
		if (!json_is(it.key, "max_calls"))
			return config_unknown_key(layer, it.key, where, known, 1, err);
		if (read_max_calls(config, layer, tool, it.value, err) < 0)
			return -1;
	}
	return 0;
}

static int
read_per_tool(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err)
{
	struct json_iter it = json_each(value);

	if (json_kind(value) != JSON_OBJECT)
		return config_fault(layer, value, err,
			"budget.per_tool: write an object: {\"apply_raise\": {\"max_calls\": 10}}");
	while (json_next(&it))
		if (read_one_per_tool(config, layer, it.key, it.value, err) < 0)
			return -1;
	return 0;
}

/* --- the walk --- */

static int walk(struct config *config, const struct layer *layer, const char *prefix,
	struct json_value object, struct err *err);

/* Does any known path lie below this one? */
static bool
is_group(const char *path)
{
	size_t len = strlen(path);

	for (enum setting setting = 0; setting < SETTING_COUNT; setting++)
		if (strncmp(config_path(setting), path, len) == 0 &&
			config_path(setting)[len] == '.')
			return true;
	return false;
}

static int
take_key(struct config *config, const struct layer *layer, const char *prefix,
	const struct json_iter *it, const char *path, struct err *err)
{
	enum setting setting = setting_of(path);

	if (setting != SETTING_COUNT)
		return setting_take(config, layer, setting, it->value, err);
	for (size_t i = 0; i < ARRAY_SIZE(structures); i++)
		if (strcmp(structures[i].path, path) == 0)
			return structures[i].read(config, layer, it->value, err);
	if (config_is_later(path))
		return config_fault(
			layer, it->key, err, "%s is not available in this version", path);
	if (!is_group(path))
		return unknown_below(layer, it->key, prefix, err);
	if (json_kind(it->value) != JSON_OBJECT)
		return config_fault(layer, it->value, err, "%s: write an object: {...}", path);
	return walk(config, layer, path, it->value, err);
}

static int
walk(struct config *config, const struct layer *layer, const char *prefix, struct json_value object,
	struct err *err)
{
	struct json_iter it = json_each(object);

	while (json_next(&it)) {
		size_t len;
		const char *key = json_string(it.key, &len);
		AUTO_FREE char *path = mem_printf("%s%s%s", prefix, prefix[0] ? "." : "", key);

		/* A dot would make a path of one key, and a NUL would hide the rest of it. */
		if (strlen(key) != len || strchr(key, '.'))
			return unknown_below(layer, it.key, prefix, err);
		if (take_key(config, layer, prefix, &it, path, err) < 0)
			return -1;
	}
	return 0;
}

int
config_read_layer(struct config *config, const struct layer *layer, struct err *err)
{
	struct json_value root = json_root(layer->doc);

	if (json_kind(root) != JSON_OBJECT)
		return config_fault(layer, root, err, "a configuration is an object: {...}");
	return walk(config, layer, "", root, err);
}
