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
	enum map map, before; /* keys of before go first; MAP_COUNT: there is none */
	bool works[COMMAND_COUNT];
};

static bool
same(const struct keymap_entry *a, const struct keymap_entry *b)
{
	return a->map == b->map && a->command == b->command;
}

/* The next entry from *i on whose key does what the map says. */
static bool
next_entry(const struct keymap *keymap, const struct subject *subject, size_t *i,
	struct keymap_entry *entry)
{
	for (; keymap_entry(keymap, subject->map, *i, entry); (*i)++)
		if (subject->before == MAP_COUNT ||
			keymap_find(keymap, subject->before, entry->key) == COMMAND_NONE)
			return true;
	return false;
}

/* All keys of one command: "PgDn, Space". */
static void
keys_of(const struct keymap *keymap, const struct subject *subject, size_t first, struct buf *out)
{
	struct keymap_entry entry, other;
	char name[KEY_NAME_MAX];

	if (!next_entry(keymap, subject, &first, &entry))
		return;
	for (size_t i = first; next_entry(keymap, subject, &i, &other); i++) {
		if (!same(&entry, &other))
			continue;
		if (out->len > 0)
			buf_str(out, " ");
		buf_str(out, key_name(other.key, name));
	}
}

static bool
said_before(const struct keymap *keymap, const struct subject *subject, size_t at,
	const struct keymap_entry *entry)
{
	struct keymap_entry other;

	for (size_t i = 0; next_entry(keymap, subject, &i, &other) && i < at; i++)
		if (same(entry, &other))
			return true;
	return false;
}

static void
add_map(struct rows *rows, const struct keymap *keymap, const struct subject *subject)
{
	enum map section = MAP_COUNT;
	struct keymap_entry entry;

	for (size_t i = 0; next_entry(keymap, subject, &i, &entry); i++) {
		AUTO_BUF struct buf keys;

		buf_init(&keys, BUF_UNBOUNDED);
		if (said_before(keymap, subject, i, &entry) || !subject->works[entry.command])
			continue;
		if (entry.map != section)
			rows_divide(rows, map_help(entry.map));
		section = entry.map;
		keys_of(keymap, subject, i, &keys);
		rows_field(rows, keys.data);
		rows_words(rows, STYLE_TEXT, command_help(entry.command));
	}
}

static struct rows *
make_help(const struct view_scene *scene, int cols, enum text_mode mode, const void *about)
{
	const struct subject *subject = about;
	struct subject before = *subject;
	struct rows *rows = rows_new(cols);

	(void)mode;
	before.map = subject->before;
	before.before = MAP_COUNT;
	if (subject->before != MAP_COUNT)
		add_map(rows, scene->keymap, &before);
	add_map(rows, scene->keymap, subject);
	rows_finish(rows);
	return rows;
}

struct view *
view_help_new(enum map map, enum map before, const bool works[COMMAND_COUNT])
{
	struct subject subject = { .map = map, .before = before };
	struct view_page_look look = { .title = "keys that work now",
		.map = MAP_HELP,
		.make = make_help,
		.about = &subject,
		.about_size = sizeof(subject) };

	memcpy(subject.works, works, sizeof(subject.works));
	return view_page_new(&look);
}
