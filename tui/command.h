/*
 * command.h - everything a key can do, by name: one list for keymaps, help, hint bar and manual.
 *
 * Knows:      commands.def.
 * Unaware of: keys; who performs a command.
 */
#ifndef TUI_COMMAND_H
#define TUI_COMMAND_H

enum command_flag {
	COMMAND_DECIDES = 1,
	COMMAND_APPROVES = 2,
	COMMAND_NEEDS_ARMED = 4,
	COMMAND_NEEDS_REST = 8,
	COMMAND_MOVES = 16,
	COMMAND_CLOSES = 32,
	COMMAND_VIEW = 64,
};

enum command {
	COMMAND_NONE,
#define COMMAND(id, name, words, help, flags) COMMAND_##id,
#include "tui/commands.def"
#undef COMMAND
	COMMAND_COUNT
};

const char *command_name(enum command command);
const char *command_words(enum command command); /* short, for the hint bar */
const char *command_help(enum command command);
unsigned command_flags(enum command command);
enum command command_by_name(const char *name); /* COMMAND_NONE when there is none */

#endif
