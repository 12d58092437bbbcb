/*
 * keymap.h - which key does what, where.
 *
 * Maps come from maps.def, each with a parent; the keys from bindings.def, and users may bind
 * others.  No key that approves in one map moves or closes in any other, and none of Enter, Space,
 * Esc, Tab, the arrows or a key with Ctrl or Alt approves; none of Enter, Space, Esc, Tab, the
 * arrows and q decides anything; keys that type a character do nothing else while one types.
 * keymap_bind() refuses all of that.
 *
 * Knows:      command, keys, mem.
 * Unaware of: what is on the screen.
 */
#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/attr.h"
#include "tui/command.h"
#include "tui/keys.h"

enum map {
#define MAP(id, name, parent, help) MAP_##id,
#include "tui/maps.def"
#undef MAP
	MAP_COUNT
};

struct err;
struct keymap;

struct keymap *keymap_new(void);         /* with the default keys */
void keymap_free(struct keymap *keymap); /* NULL is fine */

const char *map_name(enum map map);
const char *map_help(enum map map);
enum map map_by_name(const char *name); /* MAP_COUNT when there is none */

/* What the key does in this map or the nearest parent that binds it; else COMMAND_NONE. */
enum command keymap_find(const struct keymap *keymap, enum map map, struct key key);

/* Bind a key in a map (command COMMAND_NONE unbinds, parents too).  Fails with ERR_USAGE or
 * ERR_REFUSED (see above) and changes nothing. */
int keymap_bind(struct keymap *keymap, enum map map, struct key key, enum command command,
	struct err *err) ATTR_CHECKED;

/* The first key that does it in this map (or by its parents); false when none does. */
bool keymap_key(const struct keymap *keymap, enum map map, enum command command, struct key *key);

/* All bindings in effect in this map, parents' too, in order, for the help: i counts from 0. */
struct keymap_entry {
	enum map map; /* where it is bound */
	struct key key;
	enum command command;
};
bool keymap_entry(const struct keymap *keymap, enum map map, size_t i, struct keymap_entry *entry);

#endif
