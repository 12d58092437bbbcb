/*
 * cmd.h - the command line: commands.def and options.def make parsing, help and refusals.
 *
 * Knows:      mem, text, err, run/near.
 * Unaware of: what the commands do.
 */
#ifndef TUI_CMD_CMD_H
#define TUI_CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/attr.h"
#include "core/base/text.h"

struct err;

enum exit_code { /* product.md; the manual has them too */
	EXIT_DONE = 0,
	EXIT_FAILED = 1,  /* the program failed, or the supervisor was lost */
	EXIT_USAGE = 2,   /* usage or configuration */
	EXIT_REFUSED = 3, /* a denial ended it, or a person stopped it */
	EXIT_BUDGET = 4,
	EXIT_SANDBOX = 5,
	EXIT_MODEL = 6,
	EXIT_RECORD = 7,
	EXIT_TIME = 8,
};

enum cmd_option {
#define OPTION(id, name, letter, value, help) OPTION_##id,
#define OPTION_LATER(name, letter)
#include "tui/cmd/options.def"
#undef OPTION
#undef OPTION_LATER
	OPTION_COUNT
};

enum cmd_id {
#define COMMAND(id, name, words, options, help, example) COMMAND_##id,
#define COMMAND_LATER(name, help)
#include "tui/cmd/commands.def"
#undef COMMAND
#undef COMMAND_LATER
	COMMAND_COUNT
};

/* A command line that passed: known options, each with its value, and the other words in order. */
struct cmd_given {
	enum cmd_option option;
	const char *value; /* NULL for a switch; borrowed from argv, as words are */
};
struct cmd_line {
	enum cmd_id command;
	struct cmd_given *given;
	size_t given_count;
	const char **words;
	size_t word_count;
};

/* argv[1] names the command.  Fails with ERR_USAGE naming the nearest known word. */
int cmd_parse(int argc, char *const *argv, struct cmd_line *line, struct err *err) ATTR_CHECKED;
void cmd_line_release(struct cmd_line *line);

bool cmd_has(const struct cmd_line *line, enum cmd_option option);
const char *cmd_value(const struct cmd_line *line, enum cmd_option option); /* the last; NULL */
/* All values of an option that may be given again, in order, NULL-terminated.  Gives the array. */
const char **cmd_values(const struct cmd_line *line, enum cmd_option option);
/* Exactly min to max words (max 0: any number), or ERR_USAGE with the command's own synopsis. */
int cmd_expect_words(
	const struct cmd_line *line, size_t min, size_t max, struct err *err) ATTR_CHECKED;

const char *cmd_name(enum cmd_id command);
void cmd_help_all(FILE *out);
void cmd_help_one(FILE *out, enum cmd_id command);
enum cmd_id cmd_find(const char *name); /* COMMAND_COUNT: unknown */
/* An error for a word that is no command of this version. */
int cmd_unknown(const char *word, struct err *err);

/* --- output of commands: every foreign byte escaped --- */

/* One line on standard error: "tollbridge: ...". */
void cmd_say(const char *fmt, ...) ATTR_PRINTF(1, 2);
/* The same for an error; gives its exit code. */
int cmd_fail(const struct err *err);
/* Foreign text to a stream, escaped (text.h). */
void cmd_text(FILE *out, struct untrusted text, enum text_mode mode);

/* One function a command; gives the exit code. */
#define COMMAND(id, name, words, options, help, example) int cmd_##id(const struct cmd_line *line);
#define COMMAND_LATER(name, help)
#include "tui/cmd/commands.def"
#undef COMMAND
#undef COMMAND_LATER

#endif
