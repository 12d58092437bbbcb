/* call: one call of one tool, by a person, through the same gate as a program's. */
#include "config.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/configuration.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/start.h"

/* NAME=VALUE: the value as it stands when it is JSON, else as text. */
static int
add_argument(struct jsonout *out, const char *word, struct err *err)
{
	const char *equals = strchr(word, '=');
	AUTO_FREE char *name = equals ? mem_strn(word, (size_t)(equals - word)) : NULL;
	AUTO_JSON struct json *json = NULL;
	AUTO_BUF struct buf compact;

	buf_init(&compact, BUF_UNBOUNDED);
	if (!equals || equals == word)
		return err_set(err, ERR_USAGE, "\"%s\": write NAME=VALUE", word);
	if (!text_is_utf8(word, strlen(word)))
		return err_set(err, ERR_USAGE, "\"%s\" is no UTF-8 text", word);
	jsonout_key(out, name);
	json = json_read(equals + 1, strlen(equals + 1), NULL);
	if (!json) {
		jsonout_str(out, equals + 1);
		return 0;
	}
	strict_compact(equals + 1, strlen(equals + 1), &compact);
	jsonout_raw(out, compact.data, compact.len);
	return 0;
}

static int
arguments_of_words(const struct cmd_line *line, struct buf *arguments, struct err *err)
{
	struct jsonout out;

	jsonout_init(&out, arguments);
	jsonout_object(&out);
	for (size_t i = 1; i < line->word_count; i++)
		if (add_argument(&out, line->words[i], err) < 0)
			return -1;
	jsonout_object_end(&out);
	return 0;
}

static int
arguments_of_json(const char *text, struct buf *arguments, struct err *err)
{
	AUTO_JSON struct json *json = json_read(text, strlen(text), err);

	if (!json)
		return err_within(err, "--json-args");
	if (json_kind(json_root(json)) != JSON_OBJECT)
		return err_set(err, ERR_USAGE, "--json-args: write an object: {\"name\": \"Ada\"}");
	strict_compact(text, strlen(text), arguments);
	return 0;
}

static int
read_arguments(const struct cmd_line *line, struct buf *arguments, struct err *err)
{
	const char *json = cmd_value(line, OPTION_JSON_ARGS);
	AUTO_JSON struct json *check = NULL;

	if (cmd_expect_words(line, 1, 0, err) < 0)
		return -1;
	if (json && line->word_count > 1)
		return err_set(err, ERR_USAGE, "write NAME=VALUE or --json-args, not both");
	if (json ? arguments_of_json(json, arguments, err)
		 : arguments_of_words(line, arguments, err))
		return -1;
	/* One name given twice is found here. */
	check = json_read(arguments->data, arguments->len, err);
	return check ? 0 : err_within(err, "the arguments");
}

int
cmd_call(const struct cmd_line *line)
{
	struct start start = { .line = line };
	AUTO_BUF struct buf arguments;
	struct config *config;
	struct err err = { 0 };
	int code;

	buf_init(&arguments, BUF_UNBOUNDED);
	if (read_arguments(line, &arguments, &err) < 0 ||
		start_console(line, &start.console, &err) < 0)
		return cmd_fail(&err);
	config = start_config(line, NULL, &err);
	if (!config)
		return cmd_fail(&err);
	start.config = config;
	start.base = line->words[0];
	start.tool = line->words[0];
	start.arguments = arguments.data;
	code = start_run(&start);
	config_free(config);
	return code;
}
