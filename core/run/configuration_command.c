/*
 * Commands that are no tools: ui.notify, which the console starts, and model.key_command, whose
 * output is a key.  Both are programs of the configuration's own, so they are kept and asked about
 * as the command of a tool is.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/run/configuration_parts.h"

static int
not_accepted(const struct layer *layer, const char *path, struct json_value value, struct err *err)
{
	AUTO_FREE char *shown = config_shown(value);

	return config_fault(layer, value, err,
		"%s: %s is not accepted; write a list of texts: [\"./program\", \"argument\"], or "
		"[] for none",
		path, shown);
}

static char **
read_words(const struct layer *layer, const char *path, struct json_value value, struct err *err)
{
	char **argv = mem_zero(json_count(value) + 1, sizeof(*argv));
	struct json_iter it = json_each(value);
	struct config_tool partial = { .argv = argv };

	while (json_next(&it)) {
		size_t len;
		const char *text = json_string(it.value, &len);

		if (!text || strlen(text) != len || (it.index == 0 && len == 0)) {
			config_tool_release(&partial);
			not_accepted(layer, path, it.value, err);
			return NULL;
		}
		argv[it.index] = it.index == 0 && strchr(text, '/') ? config_absolute(layer, text)
								    : mem_str(text);
	}
	return argv;
}

/* The later layer wins; an empty list turns off what a weaker one said. */
static int
read_command(const struct layer *layer, const char *path, struct json_value value,
	struct config_tool *slot, struct err *err)
{
	unsigned line = 0, column;
	char **argv;

	if (json_kind(value) != JSON_ARRAY)
		return not_accepted(layer, path, value, err);
	argv = read_words(layer, path, value, err);
	if (!argv)
		return -1;
	if (layer->from != FROM_COMMAND)
		json_position(value, &line, &column);
	config_tool_release(slot);
	*slot = (struct config_tool){ .server = mem_str(path),
		.kind = TOOL_KIND_COMMAND,
		.argv = argv,
		.folder = mem_str(layer->folder),
		.at = mem_printf("%s:%u", layer->label, line) };
	return 0;
}

int
config_read_notify(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err)
{
	return read_command(layer, "ui.notify", value, &config->notify, err);
}

int
config_read_key_command(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err)
{
	return read_command(layer, "model.key_command", value, &config->key_command, err);
}

static const struct config_tool *
unless_empty(const struct config_tool *command)
{
	return command->argv && command->argv[0] ? command : NULL;
}

const struct config_tool *
config_notify(const struct config *config)
{
	return unless_empty(&config->notify);
}

const struct config_tool *
config_key_command(const struct config *config)
{
	return unless_empty(&config->key_command);
}

/* --- there and back --- */

static void
write_command(struct jsonout *out, const char *key, const struct config_tool *command)
{
	AUTO_FREE char *folder = mem_printf("%s_folder", key);

	jsonout_key(out, key);
	jsonout_array(out);
	for (size_t i = 0; command && command->argv[i]; i++)
		jsonout_str(out, command->argv[i]);
	jsonout_array_end(out);
	jsonout_key_str(out, folder, command ? command->folder : NULL);
}

void
config_write_commands(struct jsonout *out, const struct config *config)
{
	write_command(out, "notify", config_notify(config));
	write_command(out, "key_command", config_key_command(config));
}

/* A record of before there was any has none. */
static int
read_back(const struct layer *layer, const char *key, struct config_tool *slot, struct err *err)
{
	AUTO_FREE char *folder_key = mem_printf("%s_folder", key);
	struct json_value list = json_get(json_root(layer->doc), key);
	const char *folder = json_text(json_root(layer->doc), folder_key);

	if (!json_there(list) || json_count(list) == 0)
		return 0;
	if (read_command(layer, key, list, slot, err) < 0)
		return -1;
	free(slot->folder);
	slot->folder = mem_str(folder && folder[0] == '/' ? folder : "/");
	return 0;
}

int
config_read_commands_back(struct config *config, const struct layer *layer, struct err *err)
{
	if (read_back(layer, "notify", &config->notify, err) < 0)
		return -1;
	return read_back(layer, "key_command", &config->key_command, err);
}
