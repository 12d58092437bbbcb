/*
 * Entries of "tools".  Nothing is started here and no tool's own code is read; what is checked is
 * what a person can mend in the file: names, kinds, paths, accounts, variables.
 */
#include "config.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/run/configuration_parts.h"

#define TIMEOUT_MAX 31536000
#define PYTHON "/usr/bin/python3"
#define NAME_FIRST "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define NAME_REST NAME_FIRST "0123456789"
#define SERVER_CHARS NAME_REST "-"

struct entry {
	const struct layer *layer;
	struct config_tool *tool;
	char *where; /* "tools.payroll" */
};

typedef int (*entry_fn)(struct entry *entry, struct json_value value, struct err *err);

static int
fault(struct entry *entry, struct json_value at, const char *key, const char *wanted,
	struct err *err)
{
	AUTO_FREE char *shown = config_shown(at);

	return config_fault(entry->layer, at, err, "%s.%s: %s is not accepted; write %s",
		entry->where, key, shown, wanted);
}

/* The value as text without NULs, or NULL. */
static const char *
plain_text(struct json_value value)
{
	size_t len;
	const char *text = json_string(value, &len);

	return text && len > 0 && strlen(text) == len ? text : NULL;
}

/* --- keys of an entry --- */

static int
read_python(struct entry *entry, struct json_value value, struct err *err)
{
	const char *text = plain_text(value);
	struct stat st;

	if (!text)
		return fault(entry, value, "python", "the path of a Python file", err);
	entry->tool->kind = TOOL_KIND_PYTHON;
	entry->tool->file = config_absolute(entry->layer, text);
	if (stat(entry->tool->file, &st) < 0)
		return config_fault(entry->layer, value, err, "%s.python: %s: %s", entry->where,
			entry->tool->file, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return config_fault(entry->layer, value, err, "%s.python: %s is not a file",
			entry->where, entry->tool->file);
	return 0;
}

static int
read_interpreter(struct entry *entry, struct json_value value, struct err *err)
{
	const char *text = plain_text(value);

	if (!text || !strchr(text, '/'))
		return fault(entry, value, "interpreter",
			"the path of a Python interpreter, with a slash", err);
	free(entry->tool->python);
	entry->tool->python = config_absolute(entry->layer, text);
	return 0;
}

static int
read_command(struct entry *entry, struct json_value value, struct err *err)
{
	struct config_tool *tool = entry->tool;
	struct json_iter it = json_each(value);

	tool->kind = TOOL_KIND_COMMAND;
	if (json_kind(value) != JSON_ARRAY || json_count(value) == 0)
		return fault(entry, value, "command",
			"a list of texts: [\"./program\", \"argument\"]", err);
	tool->argv = mem_zero(json_count(value) + 1, sizeof(*tool->argv));
	while (json_next(&it)) {
		size_t len;
		const char *text = json_string(it.value, &len);

		if (!text || strlen(text) != len || (it.index == 0 && len == 0))
			return fault(entry, it.value, "command", "text", err);
		tool->argv[it.index] = it.index == 0 && strchr(text, '/')
					       ? config_absolute(entry->layer, text)
					       : mem_str(text);
	}
	if (strchr(tool->argv[0], '/') && access(tool->argv[0], X_OK) < 0)
		return config_fault(entry->layer, json_at(value, 0), err, "%s.command: %s: %s",
			entry->where, tool->argv[0], strerror(errno));
	return 0;
}

static int
read_user(struct entry *entry, struct json_value value, struct err *err)
{
	const char *text = plain_text(value);

	if (!text || !getpwnam(text))
		return fault(entry, value, "user", "the name of an account of this machine", err);
	entry->tool->user = mem_str(text);
	return 0;
}

static int
read_flag(struct entry *entry, struct json_value value, const char *key, bool *out, struct err *err)
{
	if (json_kind(value) != JSON_TRUE && json_kind(value) != JSON_FALSE)
		return fault(entry, value, key, "true or false", err);
	*out = json_bool(value, false);
	return 0;
}

static int
read_isolate(struct entry *entry, struct json_value value, struct err *err)
{
	return read_flag(entry, value, "isolate", &entry->tool->isolate, err);
}

static int
read_parallel(struct entry *entry, struct json_value value, struct err *err)
{
	return read_flag(entry, value, "parallel", &entry->tool->parallel, err);
}

static int
read_timeout(struct entry *entry, struct json_value value, struct err *err)
{
	if (json_kind(value) == JSON_NULL ||
		json_int(value, 1, TIMEOUT_MAX, &entry->tool->timeout_s))
		return 0;
	return fault(entry, value, "timeout_s",
		"a whole number of seconds from 1 to 31536000, or null for no limit", err);
}

static int
read_text(struct entry *entry, struct json_value value, struct err *err)
{
	if (json_string(value, NULL))
		return 0;
	return fault(entry, value, "description", "text", err);
}

static int
read_object(struct entry *entry, struct json_value value, struct err *err)
{
	if (json_kind(value) == JSON_OBJECT)
		return 0;
	return fault(
		entry, value, "input_schema", "a JSON Schema: {\"type\": \"object\", ...}", err);
}

static int
read_annotations(struct entry *entry, struct json_value value, struct err *err)
{
	static const char *const known[] = { "readOnlyHint", "destructiveHint", "idempotentHint",
		"openWorldHint", "title" };
	struct json_iter it = json_each(value);
	AUTO_FREE char *where = mem_printf("%s.annotations", entry->where);

	if (json_kind(value) != JSON_OBJECT)
		return fault(
			entry, value, "annotations", "an object: {\"readOnlyHint\": true}", err);
	while (json_next(&it)) {
		size_t at = 0;
		bool flag;

		while (at < ARRAY_SIZE(known) && !json_is(it.key, known[at]))
			at++;
		if (at == ARRAY_SIZE(known))
			return config_unknown_key(
				entry->layer, it.key, where, known, ARRAY_SIZE(known), err);
		if (strcmp(known[at], "title") == 0
				? read_text(entry, it.value, err)
				: read_flag(entry, it.value, known[at], &flag, err))
			return -1;
	}
	return 0;
}

/* --- variables --- */

static bool
is_name(const char *text, size_t len)
{
	return len > 0 && strspn(text, NAME_REST) >= len && strspn(text, NAME_FIRST) > 0;
}

/* One "${...}" at text, len bytes between the braces. */
static int
expand_one(struct entry *entry, struct json_value at, const char *inner, size_t len,
	struct buf *out, struct err *err)
{
	AUTO_FREE char *name = NULL;
	const char *otherwise = NULL;
	const char *value;
	size_t name_len;

	if (len > 4 && strncmp(inner, "env:", 4) == 0) {
		inner += 4;
		len -= 4;
	}
	name_len = strspn(inner, NAME_REST);
	name_len = name_len < len ? name_len : len;
	if (name_len + 2 <= len && strncmp(inner + name_len, ":-", 2) == 0)
		otherwise = inner + name_len + 2;
	if (!is_name(inner, name_len) || (!otherwise && name_len != len))
		return config_fault(entry->layer, at, err,
			"%s.env: write ${NAME}, ${NAME:-otherwise} or ${env:NAME}", entry->where);
	name = mem_strn(inner, name_len);
	value = getenv(name);
	if (!value && !otherwise)
		return config_fault(entry->layer, at, err,
			"%s.env: the variable %s is not set; set it, or write ${%s:-otherwise}",
			entry->where, name, name);
	if (value && (value[0] || !otherwise))
		buf_str(out, value);
	else
		buf_put(out, otherwise, len - (size_t)(otherwise - inner));
	return 0;
}

static int
expand(struct entry *entry, struct json_value at, const char *text, struct buf *out,
	struct err *err)
{
	const char *open;

	while ((open = strstr(text, "${"))) {
		const char *close = strchr(open, '}');

		buf_put(out, text, (size_t)(open - text));
		if (!close)
			return config_fault(entry->layer, at, err,
				"%s.env: \"${\" has no \"}\" after it", entry->where);
		if (expand_one(entry, at, open + 2, (size_t)(close - open) - 2, out, err) < 0)
			return -1;
		text = close + 1;
	}
	buf_str(out, text);
	return 0;
}

static int
read_env(struct entry *entry, struct json_value value, struct err *err)
{
	struct config_tool *tool = entry->tool;
	struct json_iter it = json_each(value);

	if (json_kind(value) != JSON_OBJECT)
		return fault(entry, value, "env", "an object: {\"NAME\": \"${NAME}\"}", err);
	tool->env = mem_zero(json_count(value) + 1, sizeof(*tool->env));
	while (json_next(&it)) {
		size_t key_len, len;
		const char *name = json_string(it.key, &key_len);
		const char *text = json_string(it.value, &len);
		AUTO_BUF struct buf out;

		buf_init(&out, BUF_UNBOUNDED);
		if (strlen(name) != key_len || !is_name(name, key_len))
			return fault(entry, it.key, "env", "a variable's name, like HOME", err);
		if (!text || strlen(text) != len)
			return fault(entry, it.value, "env", "text", err);
		buf_printf(&out, "%s=", name);
		if (expand(entry, it.value, text, &out, err) < 0)
			return -1;
		tool->env[it.index] = buf_give(&out);
	}
	return 0;
}

/* --- an entry --- */

enum { ANY = 3, IN_PYTHON = 1, IN_COMMAND = 2 };

static const struct {
	const char *name;
	unsigned kinds;
	entry_fn read; /* NULL: not available in this version */
} keys[] = {
	{ "python", IN_PYTHON, read_python },
	{ "command", IN_COMMAND, read_command },
	{ "interpreter", IN_PYTHON, read_interpreter },
	{ "description", IN_COMMAND, read_text },
	{ "input_schema", IN_COMMAND, read_object },
	{ "annotations", IN_COMMAND, read_annotations },
	{ "timeout_s", ANY, read_timeout },
	{ "env", ANY, read_env },
	{ "user", ANY, read_user },
	{ "isolate", ANY, read_isolate },
	{ "parallel", ANY, read_parallel },
	{ "title", ANY, NULL },
	{ "output_schema", ANY, NULL },
	{ "inverse", ANY, NULL },
	{ "url", ANY, NULL },
	{ "limits", ANY, NULL },
	{ "trust_annotations", ANY, NULL },
};

static int
unknown_key(struct entry *entry, struct json_value key, struct err *err)
{
	const char *known[ARRAY_SIZE(keys)];
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].read)
			known[count++] = keys[i].name;
	return config_unknown_key(entry->layer, key, entry->where, known, count, err);
}

/* Its place in the list; -1: unknown, or not available in this version. */
static int
find_key(struct entry *entry, struct json_value key, struct err *err)
{
	size_t at = 0;

	while (at < ARRAY_SIZE(keys) && !json_is(key, keys[at].name))
		at++;
	if (at == ARRAY_SIZE(keys))
		return unknown_key(entry, key, err);
	if (!keys[at].read)
		return config_fault(entry->layer, key, err,
			"%s.%s is not available in this version", entry->where, keys[at].name);
	return (int)at;
}

static int
read_keys(struct entry *entry, struct json_value value, unsigned kind, struct err *err)
{
	struct json_iter it = json_each(value);

	while (json_next(&it)) {
		int at = find_key(entry, it.key, err);

		if (at < 0)
			return -1;
		if (!(keys[at].kinds & kind))
			return config_fault(entry->layer, it.key, err,
				"%s.%s does not go with \"%s\"", entry->where, keys[at].name,
				kind == IN_PYTHON ? "python" : "command");
		if (keys[at].read(entry, it.value, err) < 0)
			return -1;
	}
	return 0;
}

int
config_check_user(const struct config_tool *tool, struct err *err)
{
	if (geteuid() != 0 || tool->user)
		return 0;
	return err_set(err, ERR_USAGE,
		"tools.%s: as root each tool needs an account to run as: add \"user\": \"nobody\" "
		"(\"root\" may be written)",
		tool->server);
}

static int
check_entry(struct entry *entry, struct json_value value, struct err *err)
{
	struct config_tool *tool = entry->tool;

	if (geteuid() == 0 && !tool->user)
		return config_fault(entry->layer, value, err,
			"%s: as root each tool needs an account to run as: add \"user\": "
			"\"nobody\" (\"root\" may be written)",
			entry->where);
	if (tool->kind == TOOL_KIND_COMMAND && !json_there(json_get(value, "description")))
		return config_fault(entry->layer, value, err,
			"%s: a command needs a \"description\"", entry->where);
	/* Only root can become somebody else. */
	if (geteuid() != 0) {
		free(tool->user);
		tool->user = NULL;
	}
	return 0;
}

static int
read_entry(struct entry *entry, struct json_value value, struct err *err)
{
	bool python = json_there(json_get(value, "python"));
	bool command = json_there(json_get(value, "command"));
	struct json_iter it = json_each(value);

	if (json_kind(value) != JSON_OBJECT)
		return config_fault(entry->layer, value, err,
			"%s: write an object: {\"python\": \"file.py\"}", entry->where);
	/* A misspelt "python" is better named than missed. */
	while (json_next(&it))
		if (find_key(entry, it.key, err) < 0)
			return -1;
	if (python == command)
		return config_fault(entry->layer, value, err,
			"%s: write one of \"python\": \"file.py\" and \"command\": [\"./program\"]",
			entry->where);
	if (read_keys(entry, value, python ? IN_PYTHON : IN_COMMAND, err) < 0)
		return -1;
	return check_entry(entry, value, err);
}

static struct config_tool *
new_tool(struct config *config, const struct layer *layer, const char *server,
	struct json_value value)
{
	struct config_tool *tool;
	unsigned line, column;

	json_position(value, &line, &column);
	config->tools = mem_grow(config->tools, config->tool_count + 1, sizeof(*config->tools));
	tool = &config->tools[config->tool_count++];
	*tool = (struct config_tool){
		.server = mem_str(server),
		.python = mem_str(PYTHON),
		.folder = mem_str(layer->folder),
		.isolate = true,
		.timeout_s = -1,
		.source = value,
		.at = mem_printf("%s:%u", layer->label, line),
	};
	return tool;
}

static int
check_server(const struct config *config, const struct layer *layer, struct json_value key,
	struct err *err)
{
	AUTO_FREE char *shown = config_shown(key);
	size_t len;
	const char *server = json_string(key, &len);

	if (len == 0 || len > 64 || strspn(server, SERVER_CHARS) != len)
		return config_fault(layer, key, err,
			"tools: %s is not accepted as a name; write letters, digits, \"_\" and "
			"\"-\", at most 64",
			shown);
	for (size_t i = 0; i < config->tool_count; i++)
		if (strcmp(config->tools[i].server, server) == 0)
			return config_fault(layer, key, err,
				"tools.%s stands at %s already; give one of them another name",
				server, config->tools[i].at);
	return 0;
}

int
config_read_tools(
	struct config *config, const struct layer *layer, struct json_value tools, struct err *err)
{
	struct json_iter it = json_each(tools);

	if (json_kind(tools) != JSON_OBJECT)
		return config_fault(layer, tools, err,
			"tools: write an object: {\"payroll\": {\"python\": \"payroll.py\"}}");
	while (json_next(&it)) {
		struct entry entry = { .layer = layer };
		int failed;

		if (check_server(config, layer, it.key, err) < 0)
			return -1;
		entry.where = mem_printf("tools.%s", json_string(it.key, NULL));
		entry.tool = new_tool(config, layer, json_string(it.key, NULL), it.value);
		failed = read_entry(&entry, it.value, err);
		free(entry.where);
		if (failed)
			return -1;
	}
	return 0;
}

static void
free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void
config_tool_release(struct config_tool *tool)
{
	free(tool->server);
	free(tool->file);
	free(tool->python);
	free_list(tool->argv);
	free(tool->folder);
	free(tool->user);
	free_list(tool->env);
	free(tool->at);
}
