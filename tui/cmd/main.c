/*
 * tollbridge: the console and the commands.  What holds for all of them stands here: standard
 * descriptors exist, nothing we make is readable by others, nobody reads our memory.
 */
#include "config.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/start.h"

static int (*const functions[])(const struct cmd_line *line) = {
#define COMMAND(id, name, words, options, help, example) cmd_##id,
#define COMMAND_LATER(name, help)
#include "tui/cmd/commands.def"
#undef COMMAND
#undef COMMAND_LATER
};

int
cmd_version(const struct cmd_line *line)
{
	(void)line;
	puts("tollbridge " PACKAGE_VERSION);
	return EXIT_DONE;
}

int
cmd_help(const struct cmd_line *line)
{
	struct err err = { 0 };
	enum cmd_id command;

	if (cmd_expect_words(line, 0, 1, &err) < 0)
		return cmd_fail(&err);
	if (line->word_count == 0) {
		cmd_help_all(stdout);
		return EXIT_DONE;
	}
	command = cmd_find(line->words[0]);
	if (command == COMMAND_COUNT) {
		cmd_unknown(line->words[0], &err);
		return cmd_fail(&err);
	}
	cmd_help_one(stdout, command);
	return EXIT_DONE;
}

static int
run_command(int argc, char *const *argv)
{
	struct cmd_line line;
	struct err err = { 0 };
	int code;

	if (cmd_parse(argc, argv, &line, &err) < 0) {
		code = cmd_fail(&err);
	} else if (cmd_has(&line, OPTION_HELP)) {
		cmd_help_one(stdout, line.command);
		code = EXIT_DONE;
	} else {
		code = functions[line.command](&line);
	}
	cmd_line_release(&line);
	return code;
}

/* A closed 0, 1 or 2 would become the next file that is opened. */
static void
hold_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		abort();
	close(fd);
}

static void
prepare(void)
{
	hold_standard_descriptors();
	umask(077);
	signal(SIGPIPE, SIG_IGN);
	setlocale(LC_CTYPE, "");
#ifndef __SANITIZE_ADDRESS__ /* its leak check needs to read this process */
	prctl(PR_SET_DUMPABLE, 0);
#endif
}

/* Without a word: the list of runs, on a terminal as a view. */
static int
all_runs(const char *theme)
{
	struct cmd_line list = { .command = COMMAND_list };

	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return start_runs(theme);
	return cmd_list(&list);
}

int
main(int argc, char **argv)
{
	prepare();
	if (argc < 2)
		return all_runs(NULL);
	if (argc == 3 && strcmp(argv[1], "--theme") == 0)
		return all_runs(argv[2]);
	if (argc == 2 && strncmp(argv[1], "--theme=", 8) == 0)
		return all_runs(argv[1] + 8);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		argv[1] = (char *)"help";
	else if (strcmp(argv[1], "--version") == 0)
		argv[1] = (char *)"version";
	return run_command(argc, argv);
}
