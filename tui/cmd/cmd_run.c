/* run: a program that is already written, or one that a model writes, supervised. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/configuration.h"
#include "core/run/key.h"
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

/* --- a model's program --- */

#define NAME_WORDS 3
#define NAME_BYTES 24

/* "raise-everyone-by" of a task: what people will type. */
static char *
slug(const char *task)
{
	AUTO_BUF struct buf out;
	unsigned words = 0;

	buf_init(&out, BUF_UNBOUNDED);
	for (; *task && words < NAME_WORDS && out.len < NAME_BYTES; task++) {
		bool letter = (*task >= 'a' && *task <= 'z') || (*task >= 'A' && *task <= 'Z') ||
			      (*task >= '0' && *task <= '9');

		if (letter)
			buf_byte(&out, (char)(*task | (*task >= 'A' && *task <= 'Z' ? 0x20 : 0)));
		else if (out.len > 0 && out.data[out.len - 1] != '-' && ++words < NAME_WORDS)
			buf_byte(&out, '-');
	}
	while (out.len > 0 && out.data[out.len - 1] == '-')
		out.data[--out.len] = '\0';
	return out.len > 0 ? buf_give(&out) : mem_str("task");
}

static char *
joined(const struct cmd_line *line)
{
	AUTO_BUF struct buf out;

	buf_init(&out, BUF_UNBOUNDED);
	for (size_t i = 0; i < line->word_count; i++) {
		buf_str(&out, i > 0 ? " " : "");
		buf_str(&out, line->words[i]);
	}
	return buf_give(&out);
}

static int
check_model(const struct config *config, struct err *err)
{
	struct config_model model;

	config_model(config, &model);
	if (!model.name[0])
		return err_set(err, ERR_USAGE,
			"no model is configured: add -m PROVIDER/NAME, or \"model\": "
			"{\"provider\": "
			"\"openai\", \"name\": \"...\"} to the configuration; a program that is "
			"already written runs with --program FILE");
	if (config_int(config, SETTING_BUDGET_MAX_COST_USD) >= 0 &&
		(config_int(config, SETTING_MODEL_PRICE_INPUT) < 0 ||
			config_int(config, SETTING_MODEL_PRICE_OUTPUT) < 0))
		return err_set(err, ERR_USAGE,
			"budget.max_cost_usd needs model.prices.input and model.prices.output "
			"(US dollars a million tokens)");
	return key_check(config, err);
}

/* What leaves the machine, and where to; gives memory. */
static char *
what_leaves(const struct config *config)
{
	struct config_model model;
	bool words = strcmp(config_str(config, SETTING_ANSWER), "model") == 0;

	config_model(config, &model);
	if (model.scripted)
		return mem_printf("nothing leaves this machine: %s plays the model", model.name);
	return mem_printf(
		"%s/%s at %s is sent the task, what the tools are, and of failed programs "
		"the error, the output and the calls%s",
		model.provider, model.name, model.base_url,
		words ? "; and what the program prints, for the answer" : "");
}

static int
run_task(const struct cmd_line *line)
{
	struct start start = { .line = line };
	AUTO_FREE char *task = joined(line);
	AUTO_FREE char *base = slug(task);
	AUTO_FREE char *notice = NULL;
	struct config *config = NULL;
	struct err err = { 0 };
	int code;

	if (!text_is_utf8(task, strlen(task)))
		err_set(&err, ERR_USAGE, "the task is no UTF-8 text");
	else if (start_console(line, &start.console, &err) == 0)
		config = start_config(line, NULL, &err);
	if (!config || check_model(config, &err) < 0) {
		config_free(config);
		return cmd_fail(&err);
	}
	notice = what_leaves(config);
	if (!start.console)
		cmd_say("%s", notice);
	start.config = config;
	start.base = base;
	start.task = task;
	start.notice = notice;
	code = start_run(&start);
	config_free(config);
	return code;
}

static int
check_words(const struct cmd_line *line, struct err *err)
{
	if (!cmd_has(line, OPTION_PROGRAM))
		return err_set(err, ERR_USAGE,
			"a run needs a task for a model, or --program FILE: tollbridge run "
			"\"TASK\"");
	if (line->word_count > 0)
		return err_set(err, ERR_USAGE,
			"\"%s\": a task beside --program is not available in this version",
			line->words[0]);
	return 0;
}

static int
run_program(const struct cmd_line *line)
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

int
cmd_run(const struct cmd_line *line)
{
	if (!cmd_has(line, OPTION_PROGRAM) && line->word_count > 0)
		return run_task(line);
	return run_program(line);
}
