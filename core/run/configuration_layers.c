/*
 * Layers are read weakest first, each combined with what came before; then defaults fill what is
 * left.  The documents stay as long as the configuration, for rules and tools point into them.
 */
#include "config.h"

#include "core/run/configuration.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/run/configuration_parts.h"

#define SYSTEM_FILE "/etc/tollbridge/config.json"
#define FOUND_FILE "tollbridge.json"
#define FILE_MAX (4u << 20)
#define SHOWN_MAX 60

/* --- for the other files --- */

int
config_fault(const struct layer *layer, struct json_value at, struct err *err, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	unsigned line, column;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (layer->from == FROM_COMMAND)
		return err_set(err, ERR_USAGE, "%s: %s", layer->label, text);
	json_position(at, &line, &column);
	return err_set(err, ERR_USAGE, "%s:%u:%u: %s", layer->label, line, column, text);
}

char *
config_shown(struct json_value value)
{
	size_t len;
	const char *source = json_source(value, &len);

	if (!source)
		return mem_str("nothing");
	if (len <= SHOWN_MAX)
		return mem_strn(source, len);
	return mem_printf("%.*s...", SHOWN_MAX, source);
}

char *
config_absolute(const struct layer *layer, const char *path)
{
	if (path[0] == '/')
		return mem_str(path);
	while (strncmp(path, "./", 2) == 0 && path[2])
		path += 2;
	return mem_printf("%s/%s", layer->folder, path);
}

void
config_add_loosened(struct config *config, const char *text)
{
	config->loosened =
		mem_grow(config->loosened, config->loosened_count + 1, sizeof(*config->loosened));
	config->loosened[config->loosened_count++] = mem_str(text);
}

/* --- files --- */

static char *
real_folder_of(const char *file, struct err *err)
{
	AUTO_FREE char *copy = mem_str(file);
	char *slash = strrchr(copy, '/');
	char *real;

	if (slash)
		slash[slash == copy] = '\0';
	real = realpath(slash ? copy : ".", NULL);
	if (!real)
		err_sys(err, errno, "%s", slash ? copy : ".");
	return real;
}

static struct layer *
add_layer(struct config *config, enum layer_from from, const char *label)
{
	struct layer *layer;

	config->layers = mem_grow(config->layers, config->layer_count + 1, sizeof(*config->layers));
	layer = &config->layers[config->layer_count++];
	*layer = (struct layer){ .from = from, .label = mem_str(label) };
	return layer;
}

static int
read_document(struct layer *layer, struct err *err)
{
	struct err inner = { 0 };

	layer->doc = json_read(layer->text, layer->len, &inner);
	return layer->doc ? 0 : err_set(err, ERR_USAGE, "%s:%s", layer->label, inner.text);
}

/* optional: a file that is not there is no layer. */
static int
take_file(struct config *config, enum layer_from from, const char *path, bool optional,
	struct err *err)
{
	struct err inner = { 0 };
	struct layer *layer;
	AUTO_BUF struct buf text;

	buf_init(&text, FILE_MAX);
	if (io_read_file(path, &text, &inner) < 0) {
		if (optional && (inner.errnum == ENOENT || inner.errnum == ENOTDIR))
			return 0;
		return err_set(err, ERR_USAGE, "%s", inner.text);
	}
	layer = add_layer(config, from, path);
	layer->len = text.len;
	layer->text = buf_give(&text);
	if (!layer->text)
		layer->text = mem_str("");
	layer->folder = real_folder_of(path, err);
	if (!layer->folder || read_document(layer, err) < 0)
		return -1;
	return config_read_layer(config, layer, err);
}

static int
take_user_file(struct config *config, struct err *err)
{
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	AUTO_FREE char *path = NULL;

	if (xdg && xdg[0] == '/')
		path = mem_printf("%s/tollbridge/config.json", xdg);
	else if (home && home[0] == '/')
		path = mem_printf("%s/.config/tollbridge/config.json", home);
	return path ? take_file(config, FROM_USER, path, true, err) : 0;
}

/* --- the command line --- */

/* {"a":{"b":JSON}} of "a.b" and JSON, so that an option is read like a file. */
static void
nest(struct buf *out, const char *path, const char *json)
{
	size_t depth = 0;

	for (;; path++, depth++) {
		size_t len = strcspn(path, ".");
		struct jsonout key;

		buf_byte(out, '{');
		jsonout_init(&key, out);
		jsonout_strn(&key, path, len);
		buf_byte(out, ':');
		path += len;
		if (!*path)
			break;
	}
	buf_str(out, json);
	for (size_t i = 0; i <= depth; i++)
		buf_byte(out, '}');
}

static int
take_option(struct config *config, const char *label, const char *path, const char *json,
	struct err *err)
{
	AUTO_BUF struct buf text;
	struct layer *layer = add_layer(config, FROM_COMMAND, label);
	char *folder = realpath(".", NULL);
	struct json *value = json_read(json, strlen(json), NULL);

	buf_init(&text, BUF_UNBOUNDED);
	layer->folder = folder ? folder : mem_str("/");
	if (!value)
		return err_set(err, ERR_USAGE,
			"%s: %s is no JSON value; text needs quotes of its own: '\"%s\"'", label,
			json, json);
	json_free(value);
	nest(&text, path, json);
	layer->doc = json_read(text.data, text.len, err);
	if (!layer->doc)
		return err_within(err, "%s", label);
	return config_read_layer(config, layer, err);
}

static int
take_set(struct config *config, const char *set, struct err *err)
{
	const char *equals = strchr(set, '=');
	AUTO_FREE char *path = NULL;
	AUTO_FREE char *label = NULL;

	if (!equals || equals == set)
		return err_set(err, ERR_USAGE,
			"--set %s: write PATH=JSON, for example --set budget.max_tool_calls=20",
			set);
	path = mem_strn(set, (size_t)(equals - set));
	label = mem_printf("--set %s", path);
	return take_option(config, label, path, equals + 1, err);
}

static int
take_word(struct config *config, const char *option, enum setting setting, const char *word,
	struct err *err)
{
	AUTO_BUF struct buf json;
	struct jsonout out;

	buf_init(&json, BUF_UNBOUNDED);
	if (!word)
		return 0;
	jsonout_init(&out, &json);
	jsonout_str(&out, word);
	return take_option(config, option, config_path(setting), json.data, err);
}

/* "ollama/qwen3:8b": the provider ends at the first slash, names may hold more. */
static int
take_model(struct config *config, const char *model, struct err *err)
{
	const char *slash = model ? strchr(model, '/') : NULL;
	AUTO_FREE char *provider = NULL;

	if (!model)
		return 0;
	if (!slash || slash == model || !slash[1])
		return err_set(err, ERR_USAGE,
			"--model %s: write PROVIDER/NAME, for example openai/gpt-5-mini or "
			"script/reply.md",
			model);
	provider = mem_strn(model, (size_t)(slash - model));
	if (take_word(config, "--model", SETTING_MODEL_PROVIDER, provider, err) < 0)
		return -1;
	return take_word(config, "--model", SETTING_MODEL_NAME, slash + 1, err);
}

static int
take_command_line(struct config *config, const struct config_request *request, struct err *err)
{
	for (size_t i = 0; request->sets && request->sets[i]; i++)
		if (take_set(config, request->sets[i], err) < 0)
			return -1;
	if (request->max_tool_calls >= 0) {
		AUTO_FREE char *number = mem_printf("%lld", (long long)request->max_tool_calls);

		if (take_option(config, "--max-tool-calls", "budget.max_tool_calls", number, err) <
			0)
			return -1;
	}
	if (take_model(config, request->model, err) < 0)
		return -1;
	if (take_word(config, "--theme", SETTING_UI_THEME, request->theme, err) < 0)
		return -1;
	return take_word(config, "--sandbox", SETTING_SANDBOX_BACKEND, request->sandbox, err);
}

static void
take_mounts(struct config *config, const struct config_request *request)
{
	config->mounts = mem_zero(request->in_count + 1, sizeof(*config->mounts));
	config->mount_count = request->in_count;
	for (size_t i = 0; i < request->in_count; i++) {
		config->mounts[i].from = mem_str(request->in[i].from);
		config->mounts[i].to = mem_str(request->in[i].to);
	}
}

static int
take_layers(struct config *config, const struct config_request *request, struct err *err)
{
	if (take_file(config, FROM_SYSTEM, SYSTEM_FILE, true, err) < 0 ||
		take_user_file(config, err) < 0)
		return -1;
	if (request->file ? take_file(config, FROM_NAMED, request->file, false, err)
			  : !request->no_found &&
				    take_file(config, FROM_FOUND, FOUND_FILE, true, err))
		return -1;
	return take_command_line(config, request, err);
}

struct config *
config_load(const struct config_request *request, struct err *err)
{
	struct config *config = mem_zero(1, sizeof(*config));

	if (take_layers(config, request, err) < 0) {
		config_free(config);
		return NULL;
	}
	settings_fill(config);
	config_place_script(config);
	take_mounts(config, request);
	return config;
}

static void
release_layer(struct layer *layer)
{
	free(layer->label);
	free(layer->folder);
	free(layer->text);
	json_free(layer->doc);
}

void
config_free(struct config *config)
{
	if (!config)
		return;
	for (size_t i = 0; i < SETTING_COUNT; i++)
		free(config->values[i].text);
	for (size_t i = 0; i < config->tool_count; i++)
		config_tool_release(&config->tools[i]);
	config_tool_release(&config->notify);
	config_tool_release(&config->key_command);
	free(config->instructions);
	free(config->model_folder);
	for (size_t i = 0; i < config->rule_count; i++)
		free(config->rules[i].file);
	for (size_t i = 0; i < config->per_tool_count; i++)
		free(config->per_tool[i].name);
	for (size_t i = 0; i < config->mount_count; i++) {
		free(config->mounts[i].from);
		free(config->mounts[i].to);
	}
	for (size_t i = 0; i < config->loosened_count; i++)
		free(config->loosened[i]);
	for (size_t i = 0; i < config->layer_count; i++)
		release_layer(&config->layers[i]);
	config_drop_bindings(config);
	free(config->tools);
	free(config->rules);
	free(config->per_tool);
	free(config->mounts);
	free(config->loosened);
	free(config->layers);
	free(config);
}

void
config_set_theme(struct config *config, const char *theme)
{
	free(config->values[SETTING_UI_THEME].text);
	config->values[SETTING_UI_THEME].text = mem_str(theme);
}

/* --- reads --- */

int64_t
config_int(const struct config *config, enum setting setting)
{
	enum setting_type type = setting_info(setting)->type;

	assert(type == SETTING_TYPE_INT || type == SETTING_TYPE_SIZE ||
		type == SETTING_TYPE_DOLLARS);
	return config->values[setting].limit.value;
}

bool
config_bool(const struct config *config, enum setting setting)
{
	assert(setting_info(setting)->type == SETTING_TYPE_BOOL);
	return config->values[setting].limit.value != 0;
}

const char *
config_str(const struct config *config, enum setting setting)
{
	assert(config->values[setting].text);
	return config->values[setting].text;
}

size_t
config_tool_count(const struct config *config)
{
	return config->tool_count;
}

const struct config_tool *
config_tool(const struct config *config, size_t index)
{
	assert(index < config->tool_count);
	return &config->tools[index];
}

size_t
config_rule_count(const struct config *config)
{
	return config->rule_count;
}

const struct config_rule *
config_rule(const struct config *config, size_t index)
{
	assert(index < config->rule_count);
	return &config->rules[index];
}

size_t
config_per_tool_count(const struct config *config)
{
	return config->per_tool_count;
}

const char *
config_per_tool(const struct config *config, size_t index, int64_t *max_calls)
{
	assert(index < config->per_tool_count);
	*max_calls = config->per_tool[index].limit.set ? config->per_tool[index].limit.value : -1;
	return config->per_tool[index].name;
}

size_t
config_mount_count(const struct config *config)
{
	return config->mount_count;
}

const struct config_mount *
config_mount(const struct config *config, size_t index)
{
	assert(index < config->mount_count);
	return &config->mounts[index];
}

bool
config_isolates(const struct config *config, const char *server)
{
	for (size_t i = 0; i < config->tool_count; i++)
		if (strcmp(config->tools[i].server, server) == 0)
			return config->tools[i].isolate;
	return true;
}

size_t
config_loosened_count(const struct config *config)
{
	return config->loosened_count;
}

const char *
config_loosened(const struct config *config, size_t index)
{
	assert(index < config->loosened_count);
	return config->loosened[index];
}
