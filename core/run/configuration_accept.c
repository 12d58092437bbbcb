/*
 * What is accepted is a folder, the bytes of its tollbridge.json and of the files that it starts or
 * imports.  The state folder keeps, for each folder, the accepted text (so that a change can be
 * shown) and the digests.  What cannot be read there counts as never accepted.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/io.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/record/store.h"
#include "core/run/configuration_diff.h"
#include "core/run/configuration_files.h"
#include "core/run/configuration_parts.h"

#define ACCEPTED_MAX (16u << 20)

static const struct layer *
found_layer(const struct config *config)
{
	for (size_t i = 0; i < config->layer_count; i++)
		if (config->layers[i].from == FROM_FOUND)
			return &config->layers[i];
	return NULL;
}

static bool
is_of(const struct layer *layer, const char *at)
{
	size_t len = strlen(layer->label);

	return strncmp(at, layer->label, len) == 0 && at[len] == ':';
}

static int
add_command(struct started_files *files, const struct layer *layer,
	const struct config_tool *command, struct err *err)
{
	return command && is_of(layer, command->at) ? files_add_tool(files, command, err) : 0;
}

static int
files_of(const struct config *config, const struct layer *layer, struct started_files *files,
	struct err *err)
{
	*files = (struct started_files){ 0 };
	for (size_t i = 0; i < config->tool_count; i++)
		if (is_of(layer, config->tools[i].at) &&
			files_add_tool(files, &config->tools[i], err) < 0) {
			files_release(files);
			return -1;
		}
	if (add_command(files, layer, config_notify(config), err) < 0 ||
		add_command(files, layer, config_key_command(config), err) < 0) {
		files_release(files);
		return -1;
	}
	files_sort(files);
	return 0;
}

/* --- the state folder --- */

/* ".../accepted/<digest of the folder's path>.json"; the folder is made when it is missing. */
static char *
accepted_path(const struct layer *layer, struct err *err)
{
	struct store *store = store_open(err);
	AUTO_FREE char *folder = NULL;
	struct digest digest;
	char hex[DIGEST_HEX];

	if (!store)
		return NULL;
	folder = mem_printf("%s/accepted", store_path(store));
	store_free(store);
	if (mkdir(folder, 0700) < 0 && errno != EEXIST) {
		err_sys(err, errno, "%s", folder);
		return NULL;
	}
	hash_bytes(layer->folder, strlen(layer->folder), &digest);
	digest_hex(&digest, hex);
	return mem_printf("%s/%s.json", folder, hex);
}

/* A regular file of our own that nobody else writes. */
static int
open_own(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		(st.st_mode & 022) == 0)
		return fd;
	close(fd);
	return -1;
}

static struct json *
read_accepted(const char *path)
{
	AUTO_CLOSE int fd = open_own(path);
	AUTO_BUF struct buf text;

	buf_init(&text, ACCEPTED_MAX);
	if (fd < 0 || io_read_all(fd, &text, NULL) < 0 || text.len == 0)
		return NULL;
	return json_read(text.data, text.len, NULL);
}

static void
write_accepted(struct buf *buf, const struct layer *layer, const struct started_files *files)
{
	struct jsonout out;

	jsonout_init(&out, buf);
	jsonout_object(&out);
	jsonout_key_str(&out, "folder", layer->folder);
	jsonout_key(&out, "config");
	jsonout_strn(&out, layer->text, layer->len);
	jsonout_key(&out, "files");
	jsonout_object(&out);
	for (size_t i = 0; i < files->count; i++) {
		char hex[DIGEST_HEX];

		digest_hex(&files->list[i].sha256, hex);
		jsonout_key_str(&out, files->list[i].path, hex);
	}
	jsonout_object_end(&out);
	jsonout_object_end(&out);
	buf_byte(buf, '\n');
}

/* Under another name first, so that no half of a file ever counts. */
static int
replace_file(const char *path, const struct buf *text, struct err *err)
{
	AUTO_FREE char *fresh = mem_printf("%s.new", path);
	AUTO_CLOSE int fd = -1;

	if (unlink(fresh) < 0 && errno != ENOENT)
		return err_sys(err, errno, "%s", fresh);
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(err, errno, "%s", fresh);
	if (io_write_all(fd, text->data, text->len, err) < 0)
		return -1;
	if (fsync(fd) < 0 || rename(fresh, path) < 0)
		return err_sys(err, errno, "%s", path);
	return 0;
}

int
config_accept(const struct config *config, struct err *err)
{
	const struct layer *layer = found_layer(config);
	AUTO_FREE char *path = NULL;
	struct started_files files;
	AUTO_BUF struct buf text;

	buf_init(&text, BUF_UNBOUNDED);
	if (!layer)
		return 0;
	path = accepted_path(layer, err);
	if (!path || files_of(config, layer, &files, err) < 0)
		return -1;
	write_accepted(&text, layer, &files);
	files_release(&files);
	return replace_file(path, &text, err);
}

/* --- the question --- */

static void
quoted(struct buf *out, const char *text)
{
	struct jsonout json;

	jsonout_init(&json, out);
	jsonout_str(&json, text);
}

static size_t
ask_command(struct buf *out, const struct layer *layer, const struct config_tool *command,
	const char *what)
{
	if (!command || !is_of(layer, command->at))
		return 0;
	buf_printf(out, "  %s:", what);
	for (size_t i = 0; command->argv[i]; i++) {
		buf_byte(out, ' ');
		quoted(out, command->argv[i]);
	}
	buf_byte(out, '\n');
	return 1;
}

static void
ask_programs(struct buf *out, const struct config *config, const struct layer *layer)
{
	size_t count = 0;

	buf_str(out, "It starts these programs:\n");
	for (size_t i = 0; i < config->tool_count; i++) {
		const struct config_tool *tool = &config->tools[i];

		if (!is_of(layer, tool->at))
			continue;
		count++;
		buf_printf(out, "  tools.%s:", tool->server);
		if (tool->kind == TOOL_KIND_PYTHON) {
			buf_byte(out, ' ');
			quoted(out, tool->python);
			buf_byte(out, ' ');
			quoted(out, tool->file);
		}
		for (size_t j = 0; tool->argv && tool->argv[j]; j++) {
			buf_byte(out, ' ');
			quoted(out, tool->argv[j]);
		}
		if (tool->user)
			buf_printf(out, " as %s", tool->user);
		buf_byte(out, '\n');
	}
	count += ask_command(out, layer, config_notify(config), "ui.notify, when a call waits");
	count += ask_command(out, layer, config_key_command(config),
		"model.key_command, for the key of the model");
	if (count == 0)
		buf_str(out, "  none\n");
}

/* A model that this file names, or moves, is sent the task, the tools and the key. */
static void
ask_hosts(struct buf *out, const struct config *config, const struct layer *layer)
{
	struct json_value root = json_root(layer->doc);
	struct config_model model;

	config_model(config, &model);
	buf_str(out, "It contacts these hosts:\n");
	if (!json_there(json_get(root, "model")) || !model.name[0] || model.scripted) {
		buf_str(out, "  none\n");
		return;
	}
	buf_str(out, "  ");
	quoted(out, model.base_url);
	buf_str(out, " for the model ");
	quoted(out, model.name);
	buf_str(out, ", which is sent the task and what the tools are\n");
}

static void
ask_variables(struct buf *out, const struct config *config, const struct layer *layer)
{
	size_t count = 0;
	struct config_model model;

	config_model(config, &model);
	buf_str(out, "It hands out these variables:\n");
	if (json_there(json_get(json_root(layer->doc), "model")) && model.name[0] &&
		model.key_env && !config_key_command(config)) {
		count++;
		buf_str(out, "  ");
		quoted(out, model.key_env);
		buf_str(out, " to the host of the model, when it is set\n");
	}
	for (size_t i = 0; i < config->tool_count; i++) {
		const struct config_tool *tool = &config->tools[i];
		struct json_iter it = json_each(json_get(tool->source, "env"));

		while (is_of(layer, tool->at) && json_next(&it)) {
			count++;
			buf_printf(out, "  tools.%s: %s, from ", tool->server,
				json_string(it.key, NULL));
			quoted(out, json_string(it.value, NULL));
			buf_byte(out, '\n');
		}
	}
	if (count == 0)
		buf_str(out, "  none\n");
}

static struct json_value
value_at(const struct layer *layer, const char *path)
{
	struct json_value value = json_root(layer->doc);

	while (*path) {
		size_t len = strcspn(path, ".");

		value = json_getn(value, path, len);
		path += len + (path[len] == '.');
	}
	return value;
}

static size_t
ask_limits(struct buf *out, const struct config *config, const struct layer *layer)
{
	size_t count = 0;

	for (enum setting setting = 0; setting < SETTING_COUNT; setting++) {
		int64_t otherwise, value = config->values[setting].limit.value;
		AUTO_FREE char *before = NULL;
		AUTO_FREE char *after = NULL;

		if (config->values[setting].text ||
			!json_there(value_at(layer, config_path(setting))))
			continue;
		otherwise = setting_otherwise(setting);
		if (!setting_looser(setting, value, otherwise))
			continue;
		count++;
		before = setting_number_text(setting, otherwise);
		after = setting_number_text(setting, value);
		buf_printf(out, "  %s: %s, built in is %s\n", config_path(setting), after, before);
	}
	return count;
}

static size_t
ask_allows(struct buf *out, const struct config *config, const struct layer *layer)
{
	size_t count = 0;

	for (size_t i = 0; i < config->rule_count; i++) {
		const struct config_rule *rule = &config->rules[i];
		struct json_iter it = json_each(json_get(rule->rule, "tools"));

		if (strcmp(rule->file, layer->label) != 0 ||
			!json_is(json_get(rule->rule, "action"), "allow"))
			continue;
		count++;
		buf_printf(out, "  line %u allows calls without asking:", rule->line);
		while (json_next(&it)) {
			const char *tool = json_string(it.value, NULL);

			buf_byte(out, ' ');
			quoted(out, tool ? tool : "?");
		}
		buf_str(out,
			json_there(json_get(rule->rule, "when")) ? ", under a condition\n" : "\n");
	}
	return count;
}

static size_t
ask_isolation(struct buf *out, const struct config *config, const struct layer *layer)
{
	size_t count = 0;

	for (size_t i = 0; i < config->tool_count; i++) {
		const struct config_tool *tool = &config->tools[i];

		if (!is_of(layer, tool->at) || tool->isolate)
			continue;
		count++;
		buf_printf(out, "  tools.%s is not isolated: it can reach this console\n",
			tool->server);
	}
	return count;
}

static void
ask_loosened(struct buf *out, const struct config *config, const struct layer *layer)
{
	buf_str(out, "It loosens:\n");
	if (ask_limits(out, config, layer) + ask_allows(out, config, layer) +
			ask_isolation(out, config, layer) ==
		0)
		buf_str(out, "  nothing\n");
	if (config->binding_count > 0)
		buf_str(out, "Keys of the console that it changes:\n");
	if (config->binding_count > 0 && config_ask_bindings(out, config, layer) == 0)
		buf_str(out, "  none\n");
}

static void
ask_files(struct buf *out, const struct started_files *files)
{
	if (files->count > 0)
		buf_str(out, "Accepted with it, as they are now:\n");
	for (size_t i = 0; i < files->count; i++) {
		buf_str(out, "  ");
		quoted(out, files->list[i].path);
		buf_byte(out, '\n');
	}
}

/* --- what changed --- */

static size_t
changed_files(struct buf *out, struct json_value before, const struct started_files *files)
{
	struct json_iter it = json_each(before);
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct json_value was = json_get(before, files->list[i].path);
		char hex[DIGEST_HEX];

		digest_hex(&files->list[i].sha256, hex);
		kept += json_there(was);
		if (json_is(was, hex))
			continue;
		count++;
		buf_str(out, json_there(was) ? "  changed: " : "  new: ");
		quoted(out, files->list[i].path);
		buf_byte(out, '\n');
	}
	if (kept < json_count(before)) {
		count++;
		buf_str(out, "  no longer used:");
		while (json_next(&it)) {
			const char *path = json_string(it.key, NULL);
			size_t at = 0;

			while (at < files->count && strcmp(files->list[at].path, path) != 0)
				at++;
			if (at < files->count)
				continue;
			buf_byte(out, ' ');
			quoted(out, path);
		}
		buf_byte(out, '\n');
	}
	return count;
}

/* Appends what changed since; 0 when nothing did. */
static size_t
changes(struct buf *out, const struct layer *layer, const struct json *accepted,
	const struct started_files *files)
{
	struct json_value root = json_root(accepted);
	size_t before_len = 0;
	const char *before = json_string(json_get(root, "config"), &before_len);
	size_t count = 0;

	if (!before)
		before = "";
	if (before_len != layer->len || memcmp(before, layer->text, before_len) != 0) {
		count++;
		buf_printf(out, "  %s:\n", layer->label);
		diff_lines(out, before, before_len, layer->text, layer->len);
	}
	return count + changed_files(out, json_get(root, "files"), files);
}

static void
write_question(struct buf *out, const struct config *config, const struct layer *layer,
	const struct started_files *files)
{
	ask_programs(out, config, layer);
	ask_hosts(out, config, layer);
	ask_variables(out, config, layer);
	ask_loosened(out, config, layer);
	ask_files(out, files);
}

static enum acceptance
compare(const struct config *config, const struct layer *layer, const struct json *accepted,
	const struct started_files *files, struct buf *question)
{
	bool known = accepted && json_is(json_get(json_root(accepted), "folder"), layer->folder);
	AUTO_BUF struct buf changed;

	buf_init(&changed, BUF_UNBOUNDED);
	if (known && changes(&changed, layer, accepted, files) == 0)
		return ACCEPTANCE_GIVEN;
	buf_printf(question, "%s was found in ", layer->label);
	quoted(question, layer->folder);
	buf_str(question, known ? " and is not as you accepted it.  What changed:\n"
				: " and was not accepted yet.\n");
	if (known)
		buf_put(question, changed.data, changed.len);
	write_question(question, config, layer, files);
	return known ? ACCEPTANCE_CHANGED : ACCEPTANCE_NEW;
}

enum acceptance
config_acceptance(const struct config *config, struct buf *question, struct err *err)
{
	const struct layer *layer = found_layer(config);
	AUTO_FREE char *path = NULL;
	AUTO_JSON struct json *accepted = NULL;
	struct started_files files;
	enum acceptance answer;

	if (!layer)
		return ACCEPTANCE_NOT_NEEDED;
	path = accepted_path(layer, err);
	if (!path || files_of(config, layer, &files, err) < 0)
		return -1;
	accepted = read_accepted(path);
	answer = compare(config, layer, accepted, &files, question);
	files_release(&files);
	return answer;
}
