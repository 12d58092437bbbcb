/* command.c - the tables that commands.def makes. */
#include "config.h"

#include "tui/command.h"

#include <assert.h>
#include <string.h>

static const struct {
	const char *name, *words, *help;
	unsigned flags;
} commands[] = {
	{ "none", "", "nothing", 0 },
#define COMMAND(id, name, words, help, flags) { name, words, help, flags },
#include "tui/commands.def"
#undef COMMAND
};

const char *
command_name(enum command command)
{
	assert(command < COMMAND_COUNT);
	return commands[command].name;
}

const char *
command_words(enum command command)
{
	assert(command < COMMAND_COUNT);
	return commands[command].words;
}

const char *
command_help(enum command command)
{
	assert(command < COMMAND_COUNT);
	return commands[command].help;
}

unsigned
command_flags(enum command command)
{
	assert(command < COMMAND_COUNT);
	return commands[command].flags;
}

enum command
command_by_name(const char *name)
{
	for (unsigned command = 1; command < COMMAND_COUNT; command++)
		if (strcmp(commands[command].name, name) == 0)
			return command;
	return COMMAND_NONE;
}
