/* key_names.c - keys as people write them, and back. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "tui/keys.h"

bool
key_equal(struct key a, struct key b)
{
	return a.code == b.code && a.ch == b.ch && a.mods == b.mods;
}

static const struct {
	const char *name;
	enum key_code code;
	uint32_t ch;
} key_names[] = {
	{ "Space", KEY_CHAR, ' ' },
	{ "Esc", KEY_ESC, 0 },
	{ "Enter", KEY_ENTER, 0 },
	{ "Tab", KEY_TAB, 0 },
	{ "Backspace", KEY_BACKSPACE, 0 },
	{ "Up", KEY_UP, 0 },
	{ "Down", KEY_DOWN, 0 },
	{ "Left", KEY_LEFT, 0 },
	{ "Right", KEY_RIGHT, 0 },
	{ "Home", KEY_HOME, 0 },
	{ "End", KEY_END, 0 },
	{ "PgUp", KEY_PAGE_UP, 0 },
	{ "PgDn", KEY_PAGE_DOWN, 0 },
	{ "Insert", KEY_INSERT, 0 },
	{ "Delete", KEY_DELETE, 0 },
};

static void
base_name(struct key key, char out[KEY_NAME_MAX])
{
	char utf8[5] = "";

	for (size_t i = 0; i < ARRAY_SIZE(key_names); i++)
		if (key_names[i].code == key.code && key_names[i].ch == key.ch) {
			snprintf(out, KEY_NAME_MAX, "%s", key_names[i].name);
			return;
		}
	if (key.code >= KEY_F1 && key.code <= KEY_F12) {
		snprintf(out, KEY_NAME_MAX, "F%d", (int)(key.code - KEY_F1) + 1);
		return;
	}
	if (key.code == KEY_CHAR)
		utf8_encode(key.ch, utf8);
	if (key.mods & KEY_CTRL && key.ch >= 'a' && key.ch <= 'z')
		utf8[0] = (char)(key.ch - 'a' + 'A');
	snprintf(out, KEY_NAME_MAX, "%s", utf8);
}

const char *
key_name(struct key key, char out[KEY_NAME_MAX])
{
	char base[KEY_NAME_MAX];

	base_name(key, base);
	snprintf(out, KEY_NAME_MAX, "%s%s%s%.16s", key.mods & KEY_CTRL ? "Ctrl-" : "",
		key.mods & KEY_ALT ? "Alt-" : "", key.mods & KEY_SHIFT ? "Shift-" : "", base);
	return out;
}

static bool
parse_base(const char *name, struct key *key)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(key_names); i++)
		if (strcmp(name, key_names[i].name) == 0) {
			key->code = key_names[i].code;
			key->ch = key_names[i].ch;
			return true;
		}
	for (int i = 0; name[0] == 'F' && i < 12; i++) {
		char f[16];

		snprintf(f, sizeof(f), "F%d", i + 1);
		if (strcmp(name, f) == 0) {
			key->code = KEY_F1 + (unsigned)i;
			return true;
		}
	}
	key->code = KEY_CHAR;
	return len > 0 && utf8_decode(name, len, &key->ch) == len && key->ch > ' ' &&
	       key->ch != 0x7F;
}

bool
key_parse(const char *name, struct key *key)
{
	static const struct {
		const char *prefix;
		unsigned mod;
	} prefixes[] = { { "Ctrl-", KEY_CTRL }, { "Alt-", KEY_ALT }, { "Shift-", KEY_SHIFT } };

	memset(key, 0, sizeof(*key));
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (strncmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0) {
			name += strlen(prefixes[i].prefix);
			key->mods |= prefixes[i].mod;
		}
	if (!parse_base(name, key))
		return false;
	if (key->mods & KEY_CTRL && key->ch >= 'A' && key->ch <= 'Z')
		key->ch += 'a' - 'A';
	return true;
}
