/*
 * The effective configuration as one JSON text.  Everything in it is resolved: sizes are bytes,
 * paths are absolute, variables are expanded.  The public form, which the record keeps, differs in
 * one thing: of each variable only the name stands there.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/run/configuration_parts.h"

#define LINE_MAX_RULE 1000000000
#define NUMBER_MAX ((int64_t)1 << 60)

/* --- out --- */

static void
write_value(struct jsonout *out, struct json_value value)
{
	AUTO_BUF struct buf compact;
	size_t len;
	const char *source = json_source(value, &len);

	buf_init(&compact, BUF_UNBOUNDED);
	strict_compact(source, len, &compact);
	jsonout_raw(out, compact.data, compact.len);
}

static void
write_number(struct jsonout *out, int64_t value)
{
	if (value < 0)
		jsonout_null(out);
	else
		jsonout_int(out, value);
}

static void
write_dollars(struct jsonout *out, enum setting setting, int64_t micro)
{
	AUTO_FREE char *text = setting_number_text(setting, micro);

	jsonout_raw(out, text, strlen(text));
}

static void
write_settings(struct jsonout *out, const struct config *config)
{
	jsonout_key(out, "settings");
	jsonout_object(out);
	for (enum setting setting = 0; setting < SETTING_COUNT; setting++) {
		const struct setting_info *info = setting_info(setting);
		const struct setting_value *value = &config->values[setting];

		jsonout_key(out, info->path);
		if (value->text && !value->text[0])
			jsonout_null(out);
		else if (value->text)
			jsonout_str(out, value->text);
		else if (info->type == SETTING_TYPE_DOLLARS && value->limit.value >= 0)
			write_dollars(out, setting, value->limit.value);
		else if (info->type == SETTING_TYPE_BOOL)
			jsonout_bool(out, value->limit.value != 0);
		else
			write_number(out, value->limit.value);
	}
	jsonout_object_end(out);
}

static void
write_list(struct jsonout *out, const char *key, char *const *list)
{
	jsonout_key(out, key);
	jsonout_array(out);
	for (size_t i = 0; list && list[i]; i++)
		jsonout_str(out, list[i]);
	jsonout_array_end(out);
}

static void
write_env(struct jsonout *out, char *const *env, bool public)
{
	jsonout_key(out, "env");
	jsonout_array(out);
	for (size_t i = 0; env && env[i]; i++)
		jsonout_strn(out, env[i], public ? strcspn(env[i], "=") : strlen(env[i]));
	jsonout_array_end(out);
}

/* The entry as written, less "env": its values are secrets and stand expanded beside it. */
static void
write_source(struct jsonout *out, struct json_value source)
{
	struct json_iter it = json_each(source);

	jsonout_key(out, "source");
	jsonout_object(out);
	while (json_next(&it)) {
		if (json_is(it.key, "env"))
			continue;
		jsonout_key(out, json_string(it.key, NULL));
		write_value(out, it.value);
	}
	jsonout_object_end(out);
}

static void
write_tool(struct jsonout *out, const struct config_tool *tool, bool public)
{
	jsonout_object(out);
	jsonout_key_str(out, "server", tool->server);
	jsonout_key_str(out, "kind", tool->kind == TOOL_KIND_PYTHON ? "python" : "command");
	if (tool->kind == TOOL_KIND_PYTHON) {
		jsonout_key_str(out, "file", tool->file);
		jsonout_key_str(out, "python", tool->python);
	} else {
		write_list(out, "argv", tool->argv);
	}
	jsonout_key_str(out, "folder", tool->folder);
	jsonout_key_str(out, "user", tool->user);
	jsonout_key_bool(out, "isolate", tool->isolate);
	jsonout_key_bool(out, "parallel", tool->parallel);
	write_env(out, tool->env, public);
	jsonout_key(out, "timeout_s");
	write_number(out, tool->timeout_s);
	write_source(out, tool->source);
	jsonout_key_str(out, "at", tool->at);
	jsonout_object_end(out);
}

static void
write_tools(struct jsonout *out, const struct config *config, bool public)
{
	jsonout_key(out, "tools");
	jsonout_array(out);
	for (size_t i = 0; i < config->tool_count; i++)
		write_tool(out, &config->tools[i], public);
	jsonout_array_end(out);
}

static void
write_rules(struct jsonout *out, const struct config *config)
{
	jsonout_key(out, "rules");
	jsonout_array(out);
	for (size_t i = 0; i < config->rule_count; i++) {
		jsonout_object(out);
		jsonout_key(out, "rule");
		write_value(out, config->rules[i].rule);
		jsonout_key_str(out, "file", config->rules[i].file);
		jsonout_key_int(out, "line", config->rules[i].line);
		jsonout_object_end(out);
	}
	jsonout_array_end(out);
}

static void
write_per_tool(struct jsonout *out, const struct config *config)
{
	jsonout_key(out, "per_tool");
	jsonout_array(out);
	for (size_t i = 0; i < config->per_tool_count; i++) {
		int64_t max_calls;
		const char *name = config_per_tool(config, i, &max_calls);

		jsonout_object(out);
		jsonout_key_str(out, "name", name);
		jsonout_key(out, "max_calls");
		write_number(out, max_calls);
		jsonout_object_end(out);
	}
	jsonout_array_end(out);
}

static void
write_mounts(struct jsonout *out, const struct config *config)
{
	jsonout_key(out, "mounts");
	jsonout_array(out);
	for (size_t i = 0; i < config->mount_count; i++) {
		jsonout_object(out);
		jsonout_key_str(out, "from", config->mounts[i].from);
		jsonout_key_str(out, "to", config->mounts[i].to);
		jsonout_object_end(out);
	}
	jsonout_array_end(out);
}

static void
write_all(const struct config *config, struct buf *buf, bool public)
{
	struct jsonout out;

	jsonout_init(&out, buf);
	jsonout_object(&out);
	write_settings(&out, config);
	write_tools(&out, config, public);
	write_rules(&out, config);
	write_per_tool(&out, config);
	write_mounts(&out, config);
	config_write_commands(&out, config);
	config_write_model(&out, config);
	config_write_bindings(&out, config);
	jsonout_key(&out, "loosened");
	jsonout_array(&out);
	for (size_t i = 0; i < config->loosened_count; i++)
		jsonout_str(&out, config->loosened[i]);
	jsonout_array_end(&out);
	jsonout_object_end(&out);
}

void
config_write(const struct config *config, struct buf *out)
{
	write_all(config, out, false);
}

void
config_write_public(const struct config *config, struct buf *out)
{
	write_all(config, out, true);
}

/* --- back --- */

static int
malformed(const char *what, struct err *err)
{
	return err_set(err, ERR_FORMAT, "the effective configuration has no right %s", what);
}

/* A limit of the effective text: the range of the table holds here too. */
static int
read_settings(struct config *config, const struct layer *layer, struct err *err)
{
	struct json_value settings = json_get(json_root(layer->doc), "settings");

	for (enum setting setting = 0; setting < SETTING_COUNT; setting++) {
		struct json_value value = json_get(settings, config_path(setting));

		if (!json_there(value))
			return malformed(config_path(setting), err);
		if (setting_take(config, layer, setting, value, err) < 0)
			return -1;
	}
	return json_count(settings) == SETTING_COUNT ? 0 : malformed("settings", err);
}

/* A list of texts without NULs; NULL when it is anything else. */
static char **
read_list(struct json_value value)
{
	char **list = mem_zero(json_count(value) + 1, sizeof(*list));
	struct json_iter it = json_each(value);
	bool good = json_kind(value) == JSON_ARRAY;

	while (good && json_next(&it)) {
		size_t len;
		const char *text = json_string(it.value, &len);

		good = text && strlen(text) == len;
		list[it.index] = good ? mem_str(text) : NULL;
	}
	if (good)
		return list;
	for (size_t i = 0; list[i]; i++)
		free(list[i]);
	free(list);
	return NULL;
}

static int
read_limit(struct json_value value, int64_t *out)
{
	*out = -1;
	return json_kind(value) == JSON_NULL || json_int(value, 0, NUMBER_MAX, out) ? 0 : -1;
}

static bool
tool_is_whole(const struct config_tool *tool)
{
	bool runs = tool->kind == TOOL_KIND_PYTHON ? tool->file && tool->python
						   : tool->argv && tool->argv[0];

	return runs && tool->server && tool->folder && tool->at && tool->env &&
	       json_kind(tool->source) == JSON_OBJECT;
}

static int
read_tool(struct config *config, struct json_value value, struct err *err)
{
	struct config_tool *tool;

	config->tools = mem_grow(config->tools, config->tool_count + 1, sizeof(*config->tools));
	tool = &config->tools[config->tool_count++];
	*tool = (struct config_tool){
		.server = mem_str(json_text(value, "server")),
		.kind = json_is(json_get(value, "kind"), "command") ? TOOL_KIND_COMMAND
								    : TOOL_KIND_PYTHON,
		.file = mem_str(json_text(value, "file")),
		.python = mem_str(json_text(value, "python")),
		.argv = json_there(json_get(value, "argv")) ? read_list(json_get(value, "argv"))
							    : NULL,
		.folder = mem_str(json_text(value, "folder")),
		.user = mem_str(json_text(value, "user")),
		.isolate = json_bool(json_get(value, "isolate"), true),
		.parallel = json_bool(json_get(value, "parallel"), false),
		.env = read_list(json_get(value, "env")),
		.source = json_get(value, "source"),
		.at = mem_str(json_text(value, "at")),
	};
	if (!tool_is_whole(tool) || read_limit(json_get(value, "timeout_s"), &tool->timeout_s) < 0)
		return malformed("tool", err);
	return config_check_user(tool, err);
}

static int
read_rule(struct config *config, struct json_value value, struct err *err)
{
	struct config_rule *rule;
	const char *file = json_text(value, "file");
	int64_t line;

	if (!file || json_kind(json_get(value, "rule")) != JSON_OBJECT ||
		!json_int(json_get(value, "line"), 0, LINE_MAX_RULE, &line))
		return malformed("rule", err);
	config->rules = mem_grow(config->rules, config->rule_count + 1, sizeof(*config->rules));
	rule = &config->rules[config->rule_count++];
	*rule = (struct config_rule){ json_get(value, "rule"), mem_str(file), (unsigned)line };
	return 0;
}

static int
read_per_tool(struct config *config, struct json_value value, struct err *err)
{
	const char *name = json_text(value, "name");
	struct per_tool *entry;
	int64_t max_calls;

	if (!name || read_limit(json_get(value, "max_calls"), &max_calls) < 0)
		return malformed("per_tool", err);
	config->per_tool =
		mem_grow(config->per_tool, config->per_tool_count + 1, sizeof(*config->per_tool));
	entry = &config->per_tool[config->per_tool_count++];
	*entry = (struct per_tool){ mem_str(name), { .set = true, .value = max_calls } };
	return 0;
}

static int
read_mount(struct config *config, struct json_value value, struct err *err)
{
	const char *from = json_text(value, "from");
	const char *to = json_text(value, "to");

	if (!from || !to || from[0] != '/' || to[0] != '/')
		return malformed("mount", err);
	config->mounts = mem_grow(config->mounts, config->mount_count + 1, sizeof(*config->mounts));
	config->mounts[config->mount_count++] = (struct config_mount){ mem_str(from), mem_str(to) };
	return 0;
}

static int
read_loosened(struct config *config, struct json_value value, struct err *err)
{
	if (!json_string(value, NULL))
		return malformed("loosened", err);
	config_add_loosened(config, json_string(value, NULL));
	return 0;
}

static const struct {
	const char *key;
	int (*read)(struct config *config, struct json_value value, struct err *err);
} lists[] = {
	{ "tools", read_tool },
	{ "rules", read_rule },
	{ "per_tool", read_per_tool },
	{ "mounts", read_mount },
	{ "loosened", read_loosened },
};

static int
read_all(struct config *config, const struct layer *layer, struct err *err)
{
	if (read_settings(config, layer, err) < 0 ||
		config_read_commands_back(config, layer, err) < 0 ||
		config_read_model_back(config, layer, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct json_value list = json_get(json_root(layer->doc), lists[i].key);
		struct json_iter it = json_each(list);

		if (json_kind(list) != JSON_ARRAY)
			return malformed(lists[i].key, err);
		while (json_next(&it))
			if (lists[i].read(config, it.value, err) < 0)
				return -1;
	}
	return config_read_written_bindings(
		config, json_get(json_root(layer->doc), "bindings"), err);
}

struct config *
config_read(const char *text, size_t len, struct err *err)
{
	struct config *config = mem_zero(1, sizeof(*config));
	struct layer *layer = mem_zero(1, sizeof(*layer));

	*layer = (struct layer){
		.from = FROM_FOUND, .label = mem_str("effective"), .folder = mem_str("/")
	};
	config->layers = layer;
	config->layer_count = 1;
	layer->doc = json_read(text, len, err);
	if (!layer->doc || read_all(config, layer, err) < 0) {
		config_free(config);
		return NULL;
	}
	return config;
}
