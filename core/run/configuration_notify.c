/*
 * ui.notify is a program that the console starts, so it is kept and asked about as the command of a
 * tool is.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/run/configuration_parts.h"

static int
not_accepted(const struct layer *layer, struct json_value value, struct err *err)
{
	AUTO_FREE char *shown = config_shown(value);

	return config_fault(layer, value, err,
		"ui.notify: %s is not accepted; write a list of texts: [\"./program\", "
		"\"argument\"], or [] for none",
		shown);
}

static char **
read_words(const struct layer *layer, struct json_value value, struct err *err)
{
	char **argv = mem_zero(json_count(value) + 1, sizeof(*argv));
	struct json_iter it = json_each(value);
	struct config_tool partial = { .argv = argv };

	while (json_next(&it)) {
		size_t len;
		const char *text = json_string(it.value, &len);

		if (!text || strlen(text) != len || (it.index == 0 && len == 0)) {
			config_tool_release(&partial);
			not_accepted(layer, it.value, err);
			return NULL;
		}
		argv[it.index] = it.index == 0 && strchr(text, '/') ? config_absolute(layer, text)
								    : mem_str(text);
	}
	return argv;
}

/* The later layer wins; an empty list turns off what a weaker one said. */
int
config_read_notify(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err)
{
	struct config_tool *notify = &config->notify;
	unsigned line = 0, column;
	char **argv;

	if (json_kind(value) != JSON_ARRAY)
		return not_accepted(layer, value, err);
	argv = read_words(layer, value, err);
	if (!argv)
		return -1;
	if (layer->from != FROM_COMMAND)
		json_position(value, &line, &column);
	config_tool_release(notify);
	*notify = (struct config_tool){ .server = mem_str("ui.notify"),
		.kind = TOOL_KIND_COMMAND,
		.argv = argv,
		.folder = mem_str(layer->folder),
		.at = mem_printf("%s:%u", layer->label, line) };
	return 0;
}

const struct config_tool *
config_notify(const struct config *config)
{
	return config->notify.argv && config->notify.argv[0] ? &config->notify : NULL;
}

void
config_write_notify(struct jsonout *out, const struct config *config)
{
	const struct config_tool *notify = config_notify(config);

	jsonout_key(out, "notify");
	jsonout_array(out);
	for (size_t i = 0; notify && notify->argv[i]; i++)
		jsonout_str(out, notify->argv[i]);
	jsonout_array_end(out);
	jsonout_key_str(out, "notify_folder", notify ? notify->folder : NULL);
}

/* What config_write_notify() wrote; a record of before there was any has none. */
int
config_read_notify_back(struct config *config, const struct layer *layer, struct err *err)
{
	struct json_value list = json_get(json_root(layer->doc), "notify");
	const char *folder = json_text(json_root(layer->doc), "notify_folder");

	if (!json_there(list) || json_count(list) == 0)
		return 0;
	if (config_read_notify(config, layer, list, err) < 0)
		return -1;
	free(config->notify.folder);
	config->notify.folder = mem_str(folder && folder[0] == '/' ? folder : "/");
	return 0;
}
