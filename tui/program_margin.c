#include "config.h"

#include "tui/program_margin.h"

#include <stdio.h>

#include "tui/program_lines.h"

/* What does not fit is left out: the calls pane has it all. */
static int
add_count(char *out, int at, int room, unsigned count, const char *word)
{
	int len = snprintf(NULL, 0, "%s%u %s", at ? " " : "", count, word);

	if (count == 0 || at + len > room)
		return at;
	return at + snprintf(out + at, (size_t)len + 1, "%s%u %s", at ? " " : "", count, word);
}

void
program_margin(struct canvas *canvas, struct rect rect, const struct line_calls *line)
{
	enum style style = STYLE_MARGIN;
	char words[PROGRAM_MARGIN_MAX + 1] = "";
	int room = rect.w - 1;
	int at = 0;

	if (room <= 0 || room > PROGRAM_MARGIN_MAX)
		return;
	at = add_count(words, at, room, line->waiting, line->waiting == 1 ? "waits" : "wait");
	at = add_count(words, at, room, line->failed, "failed");
	at = add_count(words, at, room, line->denied, "denied");
	at = add_count(words, at, room, line->running, "runs");
	at = add_count(words, at, room, line->ok, "ok");
	if (line->waiting > 0)
		style = STYLE_ACCENT_WAIT;
	else if (line->failed > 0)
		style = STYLE_FAILED;
	else if (line->denied > 0)
		style = STYLE_DENIED;
	canvas_text(canvas, rect.x + rect.w - at, rect.y, style, words);
}
