/*
 * What works in the view below does not change while the help lies over it, so the list is taken
 * once.
 */
#include "config.h"

#include "tui/view_help.h"

#include <stdint.h>
#include <string.h>

#include "core/base/buf.h"
#include "tui/rows.h"
#include "tui/view.h"
#include "tui/view_page.h"

struct subject {
	enum map map;
	bool works[COMMAND_COUNT];
};

static bool
same(const struct keymap_entry *a, const struct keymap_entry *b)
{
	return a->map == b->map && a->command == b->command;
}

/* All keys of one command: "PgDn, Space". */
static void
keys_of(const struct keymap *keymap, enum map map, size_t first, struct buf *out)
{
	struct keymap_entry entry, other;
	char name[KEY_NAME_MAX];

	if (!keymap_entry(keymap, map, first, &entry))
		return;
	for (size_t i = first; keymap_entry(keymap, map, i, &other); i++) {
		if (!same(&entry, &other))
			continue;
		if (out->len > 0)
			buf_str(out, " ");
		buf_str(out, key_name(other.key, name));
	}
}

static bool
said_before(const struct keymap *keymap, enum map map, size_t at, const struct keymap_entry *entry)
{
	struct keymap_entry other;

	for (size_t i = 0; i < at && keymap_entry(keymap, map, i, &other); i++)
		if (same(entry, &other))
			return true;
	return false;
}

static struct rows *
make_help(const struct view_scene *scene, int cols, enum text_mode mode, const void *about)
{
	const struct subject *subject = about;
	enum map map = subject->map;
	struct rows *rows = rows_new(cols);
	enum map section = MAP_COUNT;
	struct keymap_entry entry;

	(void)mode;
	for (size_t i = 0; keymap_entry(scene->keymap, map, i, &entry); i++) {
		AUTO_BUF struct buf keys;

		buf_init(&keys, BUF_UNBOUNDED);
		if (said_before(scene->keymap, map, i, &entry) || !subject->works[entry.command])
			continue;
		if (entry.map != section)
			rows_divide(rows, map_help(entry.map));
		section = entry.map;
		keys_of(scene->keymap, map, i, &keys);
		rows_field(rows, keys.data);
		rows_words(rows, STYLE_TEXT, command_help(entry.command));
	}
	rows_finish(rows);
	return rows;
}

struct view *
view_help_new(enum map map, const bool works[COMMAND_COUNT])
{
	struct subject subject = { .map = map };
	struct view_page_look look = { .title = "keys that work now",
		.map = MAP_HELP,
		.make = make_help,
		.about = &subject,
		.about_size = sizeof(subject) };

	memcpy(subject.works, works, sizeof(subject.works));
	return view_page_new(&look);
}
