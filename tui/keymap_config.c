#include "config.h"

#include "tui/keymap_config.h"

#include <stddef.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/configuration.h"
#include "core/run/near.h"
#include "tui/keymap.h"

static int
refuse_name(const struct config_binding *binding, const char *what, const char *word,
	const char *near, struct err *err)
{
	AUTO_FREE char *shown = text_escape(untrusted_str(word), TEXT_STRICT);

	if (near)
		return err_set(err, ERR_USAGE,
			"%s: keys: there is no %s \"%s\"; did you mean \"%s\"?", binding->at, what,
			shown, near);
	return err_set(err, ERR_USAGE, "%s: keys: there is no %s \"%s\"", binding->at, what, shown);
}

static int
refuse_map(const struct config_binding *binding, struct err *err)
{
	const char *names[MAP_COUNT];
	AUTO_FREE char *shown = text_escape(untrusted_str(binding->map), TEXT_STRICT);
	AUTO_BUF struct buf list;
	const char *near;

	buf_init(&list, BUF_UNBOUNDED);
	for (int map = 0; map < MAP_COUNT; map++) {
		names[map] = map_name((enum map)map);
		buf_printf(&list, "%s%s", map ? ", " : "", names[map]);
	}
	near = near_name(binding->map, names, MAP_COUNT);
	if (near)
		return refuse_name(binding, "map", binding->map, near, err);
	return err_set(err, ERR_USAGE, "%s: keys: there is no map \"%s\"; there are %s",
		binding->at, shown, list.data);
}

static int
refuse_command(const struct config_binding *binding, struct err *err)
{
	const char *names[COMMAND_COUNT];
	size_t count = 0;

	for (int command = COMMAND_NONE + 1; command < COMMAND_COUNT; command++)
		names[count++] = command_name((enum command)command);
	return refuse_name(binding, "command", binding->command,
		near_name(binding->command, names, count), err);
}

static int
bind(struct keymap *keymap, const struct config_binding *binding, struct err *err)
{
	enum map map = map_by_name(binding->map);
	enum command command = binding->command ? command_by_name(binding->command) : COMMAND_NONE;
	AUTO_FREE char *shown = text_escape(untrusted_str(binding->key), TEXT_STRICT);
	struct err why = { 0 };
	struct key key;

	if (map == MAP_COUNT)
		return refuse_map(binding, err);
	if (!key_parse(binding->key, &key))
		return err_set(err, ERR_USAGE,
			"%s: keys.%s: \"%s\" is no key; keys are written as y, F2, Ctrl-L, Alt-x, "
			"Shift-Tab, Space, PgUp",
			binding->at, binding->map, shown);
	if (binding->command && command == COMMAND_NONE)
		return refuse_command(binding, err);
	if (keymap_bind(keymap, map, key, command, &why) < 0)
		return err_set(
			err, ERR_USAGE, "%s: keys.%s: %s", binding->at, binding->map, why.text);
	return 0;
}

int
keymap_configure(struct keymap *keymap, const struct config *config, struct err *err)
{
	size_t count = config ? config_binding_count(config) : 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count; i++) {
			const struct config_binding *binding = config_binding(config, i);

			if ((binding->command == NULL) == (pass == 0) &&
				bind(keymap, binding, err) < 0)
				return -1;
		}
	return 0;
}

int
keymap_check(const struct config *config, struct err *err)
{
	struct keymap *keymap = keymap_new();
	int done = keymap_configure(keymap, config, err);

	keymap_free(keymap);
	return done;
}
