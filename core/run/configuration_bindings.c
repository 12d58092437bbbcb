/*
 * "keys": {"MAP": {"KEY": "COMMAND" or null}}.  Only its shape is held here: which maps, keys and
 * commands there are is the console's, and it names what it refuses by the place kept with each.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/configuration_parts.h"

#define WANTED "{\"approval\": {\"d\": \"deny\", \"F2\": null}}"

static struct config_binding *
add_binding(struct config *config)
{
	config->bindings =
		mem_grow(config->bindings, config->binding_count + 1, sizeof(*config->bindings));
	return &config->bindings[config->binding_count++];
}

/* "tollbridge.json:5:12", or the option. */
static char *
place(const struct layer *layer, struct json_value value)
{
	unsigned line, column;

	if (layer->from == FROM_COMMAND)
		return mem_str(layer->label);
	json_position(value, &line, &column);
	return mem_printf("%s:%u:%u", layer->label, line, column);
}

static bool
has_nul(struct json_value text)
{
	size_t len;
	const char *bytes = json_string(text, &len);

	return strlen(bytes) != len;
}

static int
read_map(struct config *config, const struct layer *layer, const struct json_iter *map,
	struct err *err)
{
	struct json_iter it = json_each(map->value);
	AUTO_FREE char *name = config_shown(map->key);

	if (json_kind(map->value) != JSON_OBJECT || has_nul(map->key))
		return config_fault(layer, map->value, err,
			"keys.%s: write an object of keys and commands, as in " WANTED, name);
	while (json_next(&it)) {
		const char *command = json_string(it.value, NULL);

		if ((!command && json_kind(it.value) != JSON_NULL) || has_nul(it.key) ||
			(command && has_nul(it.value)))
			return config_fault(layer, it.value, err,
				"keys.%s: write the name of a command, or null to unbind the key, "
				"as in " WANTED,
				name);
		*add_binding(config) = (struct config_binding){
			.map = mem_str(json_string(map->key, NULL)),
			.key = mem_str(json_string(it.key, NULL)),
			.command = mem_str(command),
			.at = place(layer, it.key),
		};
	}
	return 0;
}

int
config_read_bindings(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err)
{
	struct json_iter it = json_each(value);

	if (json_kind(value) != JSON_OBJECT)
		return config_fault(layer, value, err, "keys: write an object: " WANTED);
	while (json_next(&it))
		if (read_map(config, layer, &it, err) < 0)
			return -1;
	return 0;
}

void
config_write_bindings(struct jsonout *out, const struct config *config)
{
	jsonout_key(out, "bindings");
	jsonout_array(out);
	for (size_t i = 0; i < config->binding_count; i++) {
		jsonout_object(out);
		jsonout_key_str(out, "map", config->bindings[i].map);
		jsonout_key_str(out, "key", config->bindings[i].key);
		jsonout_key_str(out, "command", config->bindings[i].command);
		jsonout_key_str(out, "at", config->bindings[i].at);
		jsonout_object_end(out);
	}
	jsonout_array_end(out);
}

int
config_read_written_bindings(struct config *config, struct json_value list, struct err *err)
{
	struct json_iter it = json_each(list);

	while (json_next(&it)) {
		const char *map = json_text(it.value, "map"), *key = json_text(it.value, "key");
		const char *at = json_text(it.value, "at");

		if (!map || !key || !at)
			return err_set(err, ERR_FORMAT, "not an effective configuration: bindings");
		*add_binding(config) = (struct config_binding){
			.map = mem_str(map),
			.key = mem_str(key),
			.command = mem_str(json_text(it.value, "command")),
			.at = mem_str(at),
		};
	}
	return 0;
}

void
config_drop_bindings(struct config *config)
{
	for (size_t i = 0; i < config->binding_count; i++) {
		free(config->bindings[i].map);
		free(config->bindings[i].key);
		free(config->bindings[i].command);
		free(config->bindings[i].at);
	}
	free(config->bindings);
}

size_t
config_ask_bindings(struct buf *out, const struct config *config, const struct layer *layer)
{
	size_t len = strlen(layer->label);
	size_t count = 0;

	for (size_t i = 0; i < config->binding_count; i++) {
		const struct config_binding *binding = &config->bindings[i];
		AUTO_FREE char *map = text_escape(untrusted_str(binding->map), TEXT_STRICT);
		AUTO_FREE char *key = text_escape(untrusted_str(binding->key), TEXT_STRICT);
		AUTO_FREE char *command = text_escape(untrusted_str(binding->command), TEXT_STRICT);

		if (strncmp(binding->at, layer->label, len) != 0 || binding->at[len] != ':')
			continue;
		count++;
		buf_printf(out, "  keys.%s: %s does %s\n", map, key,
			binding->command ? command : "nothing");
	}
	return count;
}

size_t
config_binding_count(const struct config *config)
{
	return config->binding_count;
}

const struct config_binding *
config_binding(const struct config *config, size_t index)
{
	assert(index < config->binding_count);
	return &config->bindings[index];
}
