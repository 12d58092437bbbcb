/* The two tables are read here and nowhere else; a test holds the manual against them. */
#include "config.h"

#include "tui/cmd/cmd.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/run/near.h"

struct option_info {
	const char *name;
	char letter;
	const char *value;
	const char *help;
};

static const struct option_info options[] = {
#define OPTION(id, name, letter, value, help) { name, letter, value, help },
#define OPTION_LATER(name, letter)
#include "tui/cmd/options.def"
#undef OPTION
#undef OPTION_LATER
};

static const struct {
	const char *name;
	char letter;
} later_options[] = {
#define OPTION(id, name, letter, value, help)
#define OPTION_LATER(name, letter) { name, letter },
#include "tui/cmd/options.def"
#undef OPTION
#undef OPTION_LATER
};

#define TAKES(id) (UINT64_C(1) << OPTION_##id)
static const struct {
	const char *name;
	const char *words;
	uint64_t options;
	const char *help;
	const char *example;
} commands[] = {
#define COMMAND(id, name, words, options, help, example) { name, words, options, help, example },
#define COMMAND_LATER(name, help)
#include "tui/cmd/commands.def"
#undef COMMAND
#undef COMMAND_LATER
};

static const char *const later_commands[] = {
#define COMMAND(id, name, words, options, help, example)
#define COMMAND_LATER(name, help) name,
#include "tui/cmd/commands.def"
#undef COMMAND
#undef COMMAND_LATER
};

_Static_assert(OPTION_COUNT <= 64, "one bit an option");

const char *
cmd_name(enum cmd_id command)
{
	return commands[command].name;
}

enum cmd_id
cmd_find(const char *name)
{
	enum cmd_id command = 0;

	while (command < COMMAND_COUNT && strcmp(commands[command].name, name) != 0)
		command++;
	return command;
}

static bool
takes(enum cmd_id command, enum cmd_option option)
{
	return option == OPTION_HELP || (commands[command].options & (UINT64_C(1) << option));
}

static bool
listed(const char *word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	return false;
}

int
cmd_unknown(const char *word, struct err *err)
{
	const char *names[ARRAY_SIZE(commands) + ARRAY_SIZE(later_commands)];
	size_t count = 0;
	const char *near;

	if (listed(word, later_commands, ARRAY_SIZE(later_commands)))
		return err_set(err, ERR_USAGE, "%s is not available in this version", word);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[count++] = commands[i].name;
	for (size_t i = 0; i < ARRAY_SIZE(later_commands); i++)
		names[count++] = later_commands[i];
	near = near_name(word, names, count);
	if (near)
		return err_set(
			err, ERR_USAGE, "no command \"%s\"; did you mean \"%s\"?", word, near);
	return err_set(err, ERR_USAGE, "no command \"%s\"; `tollbridge help` lists them", word);
}

/* --- parsing --- */

struct parsing {
	struct cmd_line *line;
	int argc;
	char *const *argv;
	int at;
	bool words_only; /* after "--" */
};

static bool
is_later_option(const char *name, char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(later_options); i++)
		if (strcmp(later_options[i].name, name) == 0 ||
			(letter && later_options[i].letter == letter))
			return true;
	return false;
}

static int
unknown_option(const struct parsing *parsing, const char *name, size_t len, struct err *err)
{
	AUTO_FREE char *word = mem_strn(name, len);
	const char *command = cmd_name(parsing->line->command);
	const char *known[OPTION_COUNT];
	size_t count = 0;
	const char *near;

	if (is_later_option(word, 0))
		return err_set(err, ERR_USAGE, "--%s is not available in this version", word);
	for (enum cmd_option option = 0; option < OPTION_COUNT; option++)
		if (takes(parsing->line->command, option))
			known[count++] = options[option].name;
	near = near_name(word, known, count);
	if (near)
		return err_set(err, ERR_USAGE, "%s has no option --%s; did you mean --%s?", command,
			word, near);
	return err_set(err, ERR_USAGE, "%s has no option --%s; `tollbridge help %s` lists them",
		command, word, command);
}

static void
give(struct cmd_line *line, enum cmd_option option, const char *value)
{
	line->given = mem_grow(line->given, line->given_count + 1, sizeof(*line->given));
	line->given[line->given_count++] = (struct cmd_given){ option, value };
}

/* value: what stood in the same word, or NULL. */
static int
take_option(struct parsing *parsing, enum cmd_option option, const char *value, struct err *err)
{
	const struct option_info *info = &options[option];

	if (!info->value && value)
		return err_set(err, ERR_USAGE, "--%s takes no value", info->name);
	if (info->value && !value) {
		if (parsing->at >= parsing->argc)
			return err_set(err, ERR_USAGE, "--%s needs a value: --%s %s", info->name,
				info->name, info->value);
		value = parsing->argv[parsing->at++];
	}
	give(parsing->line, option, value);
	return 0;
}

static int
take_long(struct parsing *parsing, const char *word, struct err *err)
{
	size_t len = strcspn(word, "=");
	const char *value = word[len] ? word + len + 1 : NULL;

	for (enum cmd_option option = 0; option < OPTION_COUNT; option++)
		if (strlen(options[option].name) == len &&
			strncmp(options[option].name, word, len) == 0 &&
			takes(parsing->line->command, option))
			return take_option(parsing, option, value, err);
	return unknown_option(parsing, word, len, err);
}

static int
take_letter(struct parsing *parsing, const char *word, struct err *err)
{
	for (enum cmd_option option = 0; option < OPTION_COUNT; option++)
		if (options[option].letter && options[option].letter == word[0] &&
			takes(parsing->line->command, option))
			return take_option(parsing, option, word[1] ? word + 1 : NULL, err);
	if (is_later_option("", word[0]))
		return err_set(err, ERR_USAGE, "-%c is not available in this version", word[0]);
	return err_set(err, ERR_USAGE, "%s has no option -%c; `tollbridge help %s` lists them",
		cmd_name(parsing->line->command), word[0], cmd_name(parsing->line->command));
}

static int
take_word(struct parsing *parsing, struct err *err)
{
	const char *word = parsing->argv[parsing->at++];
	struct cmd_line *line = parsing->line;

	if (!parsing->words_only && strcmp(word, "--") == 0) {
		parsing->words_only = true;
		return 0;
	}
	if (!parsing->words_only && strncmp(word, "--", 2) == 0)
		return take_long(parsing, word + 2, err);
	if (!parsing->words_only && word[0] == '-' && word[1])
		return take_letter(parsing, word + 1, err);
	line->words[line->word_count++] = word;
	return 0;
}

int
cmd_parse(int argc, char *const *argv, struct cmd_line *line, struct err *err)
{
	struct parsing parsing = { .line = line, .argc = argc, .argv = argv, .at = 2 };

	*line = (struct cmd_line){ 0 };
	line->command = cmd_find(argv[1]);
	if (line->command == COMMAND_COUNT)
		return cmd_unknown(argv[1], err);
	line->words = mem_zero((size_t)argc, sizeof(*line->words));
	while (parsing.at < argc)
		if (take_word(&parsing, err) < 0)
			return -1;
	return 0;
}

void
cmd_line_release(struct cmd_line *line)
{
	free(line->given);
	free(line->words);
	*line = (struct cmd_line){ 0 };
}

bool
cmd_has(const struct cmd_line *line, enum cmd_option option)
{
	for (size_t i = 0; i < line->given_count; i++)
		if (line->given[i].option == option)
			return true;
	return false;
}

const char *
cmd_value(const struct cmd_line *line, enum cmd_option option)
{
	const char *value = NULL;

	for (size_t i = 0; i < line->given_count; i++)
		if (line->given[i].option == option)
			value = line->given[i].value;
	return value;
}

const char **
cmd_values(const struct cmd_line *line, enum cmd_option option)
{
	const char **values = mem_zero(line->given_count + 1, sizeof(*values));
	size_t count = 0;

	for (size_t i = 0; i < line->given_count; i++)
		if (line->given[i].option == option)
			values[count++] = line->given[i].value;
	return values;
}

int
cmd_expect_words(const struct cmd_line *line, size_t min, size_t max, struct err *err)
{
	const char *name = cmd_name(line->command);
	const char *words = commands[line->command].words;

	if (line->word_count >= min && (max == 0 || line->word_count <= max))
		return 0;
	return err_set(err, ERR_USAGE, "write: tollbridge %s%s%s  (`tollbridge help %s`)", name,
		words[0] ? " " : "", words, name);
}

/* --- help --- */

void
cmd_help_all(FILE *out)
{
	fputs("tollbridge: a terminal console for supervising code-interpreter agents\n\n", out);
	fprintf(out, "  %-44s %s\n", "tollbridge", "all runs, those that wait first");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		AUTO_FREE char *synopsis = mem_printf("%s %s", commands[i].name, commands[i].words);

		fprintf(out, "  tollbridge %-33s %s\n", synopsis, commands[i].help);
	}
	fputs("\n`tollbridge help COMMAND` prints a command's options and an example.\n", out);
}

void
cmd_help_one(FILE *out, enum cmd_id command)
{
	fprintf(out, "tollbridge %s%s%s\n  %s\n\n", commands[command].name,
		commands[command].words[0] ? " " : "", commands[command].words,
		commands[command].help);
	for (enum cmd_option option = 0; option < OPTION_COUNT; option++) {
		const struct option_info *info = &options[option];
		AUTO_FREE char *letter =
			info->letter ? mem_printf("-%c, ", info->letter) : mem_str("");
		AUTO_FREE char *text = mem_printf("%s--%s%s%s", letter, info->name,
			info->value ? " " : "", info->value ? info->value : "");

		if (takes(command, option))
			fprintf(out, "  %-24s %s\n", text, info->help);
	}
	fprintf(out, "\nExample:\n  %s\n", commands[command].example);
}

/* --- output --- */

void
cmd_text(FILE *out, struct untrusted text, enum text_mode mode)
{
	AUTO_FREE char *escaped = text_escape(text, mode);

	fputs(escaped ? escaped : "", out);
}

void
cmd_say(const char *fmt, ...)
{
	static const char cut[] = " ... (cut)";
	char text[4096];
	AUTO_FREE char *escaped = NULL;
	va_list args;

	va_start(args, fmt);
	if (vsnprintf(text, sizeof(text), fmt, args) >= (int)sizeof(text))
		memcpy(text + sizeof(text) - sizeof(cut), cut, sizeof(cut));
	va_end(args);
	escaped = text_escape(untrusted_str(text), TEXT_TEXT);
	fputs("tollbridge: ", stderr);
	/* A line break of foreign text must not begin a line that looks like ours. */
	for (const char *at = escaped; *at; at++)
		fputs(*at == '\n' ? "\n  | " : (char[]){ *at, '\0' }, stderr);
	fputc('\n', stderr);
}

int
cmd_fail(const struct err *err)
{
	cmd_say("%s", err->text);
	switch (err->kind) {
	case ERR_SANDBOX:
		return EXIT_SANDBOX;
	case ERR_RECORD:
		return EXIT_RECORD;
	case ERR_REFUSED:
		return EXIT_REFUSED;
	case ERR_SYSTEM:
	case ERR_STATE:
	case ERR_MISMATCH:
		return EXIT_FAILED;
	default:
		return EXIT_USAGE;
	}
}
