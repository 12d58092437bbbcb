/* run: a program that is already written, supervised. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/configuration.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/start.h"

#define PROGRAM_MAX (1u << 20)

static int
read_program(const char *path, struct buf *text, struct err *err)
{
	int failed = strcmp(path, "-") == 0 ? io_read_all(STDIN_FILENO, text, err)
					    : io_read_file(path, text, err);

	if (failed && err->kind == ERR_LIMIT)
		return err_set(
			err, ERR_USAGE, "%s: a program of more than %u bytes", path, PROGRAM_MAX);
	if (failed) {
		err->kind = ERR_USAGE;
		return err_within(err, "--program");
	}
	if (!text_is_utf8(text->data ? text->data : "", text->len))
		return err_set(err, ERR_USAGE, "%s is no UTF-8 text", path);
	return 0;
}

/* "raise-9000" of "dir/raise-9000.py". */
static char *
stem(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strcspn(name, ".");

	return len > 0 && strcmp(path, "-") != 0 ? mem_strn(name, len) : mem_str("run");
}

static int
check_words(const struct cmd_line *line, struct err *err)
{
	if (!cmd_has(line, OPTION_PROGRAM))
		return err_set(err, ERR_USAGE,
			"%s is not available in this version; write "
			"tollbridge run --program FILE",
			line->word_count > 0 ? "a model that writes the program"
					     : "a run without a program");
	if (line->word_count > 0)
		return err_set(err, ERR_USAGE,
			"\"%s\": a task beside --program is not available in this version",
			line->words[0]);
	return 0;
}

int
cmd_run(const struct cmd_line *line)
{
	const char *path = cmd_value(line, OPTION_PROGRAM);
	struct start start = { .line = line };
	AUTO_FREE char *base = NULL;
	AUTO_BUF struct buf text;
	struct config *config;
	struct err err = { 0 };
	int code;

	buf_init(&text, PROGRAM_MAX);
	if (check_words(line, &err) < 0 || start_console(line, &start.console, &err) < 0 ||
		read_program(path, &text, &err) < 0)
		return cmd_fail(&err);
	config = start_config(line, NULL, &err);
	if (!config)
		return cmd_fail(&err);
	base = stem(path);
	start.config = config;
	start.base = base;
	start.program_name = strcmp(path, "-") == 0 ? "standard input" : path;
	start.program = untrusted(text.data ? text.data : "", text.len);
	code = start_run(&start);
	config_free(config);
	return code;
}
