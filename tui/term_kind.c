/* What the terminal database says of $TERM, and what it does not say. */
#include "config.h"

#include "tui/term_kind.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"

#define OK 0 /* as curses says it */

/* Of curses' term.h, which has a struct term and a thousand macros besides. */
int setupterm(const char *name, int fd, int *problem);
char *tigetstr(const char *name);
extern void *cur_term;
int del_curterm(void *terminal);

int
term_kind_check(struct err *err)
{
	const char *name = getenv("TERM");
	AUTO_FREE char *shown = text_escape(untrusted_str(name), TEXT_STRICT);
	const char *move;
	int problem;
	bool screen;

	if (!name || !*name)
		return err_set(err, ERR_USAGE,
			"TERM is not set: the console needs a terminal with a screen, and its "
			"name");
	if (setupterm(name, STDOUT_FILENO, &problem) != OK)
		return err_set(err, ERR_USAGE,
			"TERM is \"%s\", which is unknown here: the console needs a terminal with "
			"a "
			"screen (a usual name is xterm-256color)",
			shown);
	move = tigetstr("cup");
	screen = move && move != (const char *)-1;
	(void)del_curterm(cur_term); /* newterm() reads its own */
	if (!screen)
		return err_set(err, ERR_USAGE,
			"TERM is \"%s\", a terminal without a screen: the console needs one",
			shown);
	return 0;
}

bool
term_kind_has_title(void)
{
	static const char *const names[] = { "xterm", "tmux", "screen", "rxvt", "alacritty", "foot",
		"kitty", "vte", "st-" };
	const char *term = getenv("TERM");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strncmp(term, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}
