/*
 * keymap.c - bindings in a list; the later one of the same key and map wins by replacing the
 * former.
 *
 * Invariant: for each key bound to a command that approves, no map binds it to one that moves or
 * closes.
 */
#include "config.h"

#include "tui/keymap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"

struct keymap {
	struct keymap_entry *entries;
	size_t count, room;
};

static const struct {
	const char *name, *help;
	enum map parent;
} maps[] = {
#define MAP(id, name, parent, help) { name, help, MAP_##parent },
#include "tui/maps.def"
#undef MAP
};

static const struct {
	enum map map;
	const char *key;
	enum command command;
} defaults[] = {
#define BIND(map, key, command) { MAP_##map, key, COMMAND_##command },
#include "tui/bindings.def"
#undef BIND
};

const char *
map_name(enum map map)
{
	assert(map < MAP_COUNT);
	return maps[map].name;
}

const char *
map_help(enum map map)
{
	assert(map < MAP_COUNT);
	return maps[map].help;
}

enum map
map_by_name(const char *name)
{
	unsigned map = 0;

	while (map < MAP_COUNT && strcmp(maps[map].name, name) != 0)
		map++;
	return map;
}

struct keymap *
keymap_new(void)
{
	struct keymap *keymap = mem_zero(1, sizeof(*keymap));

	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++) {
		struct key key;
		int bound = -1;

		if (key_parse(defaults[i].key, &key))
			bound = keymap_bind(
				keymap, defaults[i].map, key, defaults[i].command, NULL);
		assert(bound == 0);
	}
	return keymap;
}

void
keymap_free(struct keymap *keymap)
{
	if (keymap)
		free(keymap->entries);
	free(keymap);
}

static struct keymap_entry *
entry_of(const struct keymap *keymap, enum map map, struct key key)
{
	for (size_t i = 0; i < keymap->count; i++) {
		struct keymap_entry *entry = &keymap->entries[i];

		if (entry->map == map && key_equal(entry->key, key))
			return entry;
	}
	return NULL;
}

enum command
keymap_find(const struct keymap *keymap, enum map map, struct key key)
{
	for (;;) {
		const struct keymap_entry *entry = entry_of(keymap, map, key);

		if (entry)
			return entry->command;
		if (maps[map].parent == map)
			return COMMAND_NONE;
		map = maps[map].parent;
	}
}

/* A printable key by itself: nothing that a hand rests on, nothing that is more than one byte. */
static bool
may_approve(struct key key)
{
	return key.code == KEY_CHAR && key.ch > ' ' && key.ch < 0x7F && key.mods == 0;
}

/* Is the key bound in any other map to a command with one of these flags? */
static const struct keymap_entry *
bound_with(const struct keymap *keymap, enum map map, struct key key, unsigned flags)
{
	for (size_t i = 0; i < keymap->count; i++) {
		const struct keymap_entry *entry = &keymap->entries[i];

		if (entry->map != map && key_equal(entry->key, key) &&
			command_flags(entry->command) & flags)
			return entry;
	}
	return NULL;
}

/* What a hand rests on, moves with or leaves with: it decides nothing. */
static bool
may_decide(struct key key)
{
	bool leaves = key.code == KEY_CHAR && (key.ch == ' ' || key.ch == 'q') && key.mods == 0;

	return !leaves && (key.code == KEY_CHAR || key.code >= KEY_INSERT);
}

static bool
types(struct key key)
{
	return key.code == KEY_CHAR && key.mods == 0;
}

static int
check_safe(const struct keymap *keymap, enum map map, struct key key, enum command command,
	struct err *err)
{
	const unsigned leaves = COMMAND_MOVES | COMMAND_CLOSES;
	unsigned flags = command_flags(command);
	const struct keymap_entry *other = NULL;
	char name[KEY_NAME_MAX];

	key_name(key, name);
	if (flags & COMMAND_DECIDES && !may_decide(key))
		return err_set(err, ERR_REFUSED,
			"%s cannot be bound to %s: Enter, Space, Esc, Tab, q and the keys that "
			"move decide nothing",
			name, command_name(command));
	if (flags & COMMAND_APPROVES && !may_approve(key))
		return err_set(err, ERR_REFUSED,
			"%s cannot approve: only one printable character can, without Ctrl or Alt",
			name);
	if (flags & COMMAND_APPROVES)
		other = bound_with(keymap, map, key, leaves);
	else if (flags & leaves)
		other = bound_with(keymap, map, key, COMMAND_APPROVES);
	if (other)
		return err_set(err, ERR_REFUSED,
			"%s cannot be bound to %s: it is bound to %s %s, and a key that approves "
			"must not move or close anywhere",
			name, command_name(command), command_name(other->command),
			map_help(other->map));
	return 0;
}

int
keymap_bind(
	struct keymap *keymap, enum map map, struct key key, enum command command, struct err *err)
{
	struct keymap_entry *entry;

	if (map >= MAP_COUNT || command >= COMMAND_COUNT || key.code == KEY_NONE)
		return err_set(err, ERR_USAGE, "no such key, command or place");
	if (map == MAP_FIELD && types(key))
		return err_set(err, ERR_REFUSED,
			"a key that types a character cannot be bound in the map field");
	if (check_safe(keymap, map, key, command, err) < 0)
		return -1;
	entry = entry_of(keymap, map, key);
	if (!entry) {
		if (keymap->count == keymap->room) {
			keymap->room = keymap->room ? keymap->room * 2 : 64;
			keymap->entries =
				mem_grow(keymap->entries, keymap->room, sizeof(*keymap->entries));
		}
		entry = &keymap->entries[keymap->count++];
	}
	*entry = (struct keymap_entry){ map, key, command };
	return 0;
}

bool
keymap_entry(const struct keymap *keymap, enum map map, size_t i, struct keymap_entry *found)
{
	enum map from = map;

	for (;;) {
		for (size_t at = 0; at < keymap->count; at++) {
			const struct keymap_entry *entry = &keymap->entries[at];

			/* A binding hidden by a nearer map is not in effect. */
			if (entry->map != from || entry->command == COMMAND_NONE ||
				keymap_find(keymap, map, entry->key) != entry->command)
				continue;
			if (i-- == 0) {
				*found = *entry;
				return true;
			}
		}
		if (maps[from].parent == from)
			return false;
		from = maps[from].parent;
	}
}

bool
keymap_key(const struct keymap *keymap, enum map map, enum command command, struct key *key)
{
	struct keymap_entry entry;

	for (size_t i = 0; keymap_entry(keymap, map, i, &entry); i++)
		if (entry.command == command) {
			*key = entry.key;
			return true;
		}
	return false;
}
