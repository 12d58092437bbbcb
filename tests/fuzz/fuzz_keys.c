/*
 * Any bytes, whole and one at a time: the same keys and the same paste, all of them sound; nothing
 * between the brackets of a paste is a key.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "tui/keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
must(bool held)
{
	if (!held)
		abort();
}

struct story {
	struct keys *keys;
	struct buf told;
};

static void
on_key(struct key key, void *arg)
{
	struct story *story = arg;
	char name[KEY_NAME_MAX];
	struct key back;

	must(!keys_in_paste(story->keys));
	must(key.code != KEY_NONE && (key.code == KEY_CHAR || key.ch == 0));
	must(key.code != KEY_CHAR || key.ch >= ' ');
	key_name(key, name);
	must(*name && strlen(name) < KEY_NAME_MAX);
	if (key.mods == 0)
		must(key_parse(name, &back) && key_equal(back, key));
	buf_printf(&story->told, "[%s]", name);
}

static void
on_paste(const char *bytes, size_t len, bool last, void *arg)
{
	struct story *story = arg;

	buf_put(&story->told, bytes, len);
	if (last)
		buf_byte(&story->told, '\0');
}

static void
tell(struct story *story, const uint8_t *bytes, size_t len, size_t step)
{
	struct keys_hooks hooks = { on_key, on_paste, story };

	buf_init(&story->told, BUF_UNBOUNDED);
	story->keys = keys_new(&hooks);
	for (size_t at = 0; at < len; at += step)
		keys_feed(story->keys, (const char *)bytes + at, at + step < len ? step : len - at);
	keys_expire(story->keys);
	must(!keys_waiting(story->keys));
	keys_free(story->keys);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct story whole, single, odd;

	tell(&whole, bytes, len, len ? len : 1);
	tell(&single, bytes, len, 1);
	tell(&odd, bytes, len, 3);
	must(whole.told.len == single.told.len && whole.told.len == odd.told.len);
	must(whole.told.len == 0 ||
		(memcmp(whole.told.data, single.told.data, whole.told.len) == 0 &&
			memcmp(whole.told.data, odd.told.data, whole.told.len) == 0));
	buf_release(&whole.told);
	buf_release(&single.told);
	buf_release(&odd.told);
	return 0;
}
