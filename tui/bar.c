/* bar.c - one row of keys, one row of blocks. */
#include "config.h"

#include "tui/bar.h"

#define GAP 3

static int
hint(struct canvas *canvas, int x, int y, const char *name, const char *words)
{
	x = canvas_text(canvas, x, y, STYLE_HINT_KEY, name);
	return canvas_text(canvas, x + 1, y, STYLE_HINT, words);
}

int
bar_hints(struct canvas *canvas, struct rect rect, const struct bar_hints *hints)
{
	int x = rect.x;

	for (size_t i = 0; i < hints->count && rect.h > 0; i++) {
		enum command command = hints->commands[i];
		const char *words =
			command == hints->reworded ? hints->words : command_words(command);
		char name[KEY_NAME_MAX];
		struct key key;
		int gap = x > rect.x ? GAP : 0;
		int width;

		if (!keymap_key(hints->keymap, hints->map, command, &key))
			continue;
		key_name(key, name);
		width = gap + canvas_text_width(canvas, name) + 1 +
			canvas_text_width(canvas, words);
		if (x + width > rect.x + rect.w)
			continue;
		x = hint(canvas, x + gap, rect.y, name, words);
	}
	return x;
}

/* Of width cells; never all of them before the limit, never none when there is something. */
static int
filled_cells(int width, int64_t used, int64_t limit)
{
	int64_t filled;

	if (used <= 0)
		return 0;
	if (limit <= 0 || used >= limit)
		return width;
	filled = (int64_t)((double)used / (double)limit * width);
	if (filled < 1)
		filled = 1;
	return (int)(filled < width ? filled : width - 1);
}

int
bar_meter(struct canvas *canvas, struct rect rect, int64_t used, int64_t limit)
{
	int filled = filled_cells(rect.w, used, limit);
	int x = rect.x;

	for (int i = 0; i < rect.w; i++)
		x = canvas_text(canvas, x, rect.y, i < filled ? STYLE_METER_ON : STYLE_METER_OFF,
			i < filled ? "▰" : "▱");
	return x;
}
