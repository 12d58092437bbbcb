/*
 * What a table of single values does not say of a model: its instructions, whose file is read with
 * the configuration so that the record has what was sent, and a script's file.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/configuration_parts.h"

#define INSTRUCTIONS_MAX (1u << 20)

static int
not_accepted(const struct layer *layer, struct json_value value, struct err *err)
{
	AUTO_FREE char *shown = config_shown(value);

	return config_fault(layer, value, err,
		"model.instructions: %s is not accepted; write text, or {\"file\": \"path\"}",
		shown);
}

static int
read_instructions_file(
	const struct layer *layer, struct json_value value, struct buf *text, struct err *err)
{
	const char *file = json_text(value, "file");
	AUTO_FREE char *path = NULL;
	struct err inner = { 0 };

	if (!file || !file[0] || json_count(value) != 1)
		return not_accepted(layer, value, err);
	path = config_absolute(layer, file);
	if (io_read_file(path, text, &inner) < 0)
		return config_fault(layer, value, err, "model.instructions: %s", inner.text);
	if (!text_is_utf8(text->data ? text->data : "", text->len) ||
		memchr(text->data ? text->data : "", '\0', text->len))
		return config_fault(
			layer, value, err, "model.instructions: %s is no UTF-8 text", path);
	return 0;
}

int
config_read_instructions(
	struct config *config, const struct layer *layer, struct json_value value, struct err *err)
{
	size_t len;
	const char *given = json_string(value, &len);
	AUTO_BUF struct buf text;

	buf_init(&text, INSTRUCTIONS_MAX);
	if (given && strlen(given) != len)
		return not_accepted(layer, value, err);
	if (given && buf_add(&text, given, len, NULL) < 0)
		return config_fault(layer, value, err, "model.instructions: more than %u bytes",
			INSTRUCTIONS_MAX);
	if (!given && json_kind(value) != JSON_OBJECT)
		return not_accepted(layer, value, err);
	if (!given && read_instructions_file(layer, value, &text, err) < 0)
		return -1;
	free(config->instructions);
	config->instructions = mem_strn(text.data ? text.data : "", text.len);
	return 0;
}

const char *
config_instructions(const struct config *config)
{
	return config->instructions ? config->instructions : "";
}

void
config_write_model(struct jsonout *out, const struct config *config)
{
	jsonout_key_str(out, "instructions", config_instructions(config));
}

/* A record of before there was any has none. */
int
config_read_model_back(struct config *config, const struct layer *layer, struct err *err)
{
	struct json_value text = json_get(json_root(layer->doc), "instructions");

	return json_there(text) ? config_read_instructions(config, layer, text, err) : 0;
}

/* The file that plays the model is found from where it was named. */
void
config_place_script(struct config *config)
{
	struct setting_value *name = &config->values[SETTING_MODEL_NAME];
	char *path;

	if (strcmp(config_str(config, SETTING_MODEL_PROVIDER), "script") != 0 || !name->text[0] ||
		name->text[0] == '/' || !config->model_folder)
		return;
	path = mem_printf("%s/%s", config->model_folder, name->text);
	free(name->text);
	name->text = path;
}

/* --- what follows from the settings --- */

static const struct {
	const char *provider, *base_url, *key_env;
} places[] = {
	{ "openai", "https://api.openai.com", "OPENAI_API_KEY" },
	{ "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY" },
	{ "ollama", "http://127.0.0.1:11434", NULL },
};

void
config_model(const struct config *config, struct config_model *out)
{
	const char *provider = config_str(config, SETTING_MODEL_PROVIDER);
	const char *base = config_str(config, SETTING_MODEL_BASE_URL);
	const char *key = config_str(config, SETTING_MODEL_KEY_ENV);
	bool chat = strcmp(config_str(config, SETTING_MODEL_API), "chat") == 0;

	*out = (struct config_model){
		.provider = provider,
		.name = config_str(config, SETTING_MODEL_NAME),
		.wire = strcmp(provider, "openai") == 0 && chat ? "openai-chat" : provider,
		.scripted = strcmp(provider, "script") == 0,
		.base_url = base[0] ? base : NULL,
		.key_env = key[0] ? key : NULL,
		/* A server of one's own may want none. */
		.key_needed = key[0] || (!base[0] && strcmp(provider, "ollama") != 0),
	};
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (strcmp(places[i].provider, provider) != 0)
			continue;
		out->base_url = out->base_url ? out->base_url : places[i].base_url;
		out->key_env = out->key_env ? out->key_env : places[i].key_env;
	}
	out->key_needed = out->key_needed && !out->scripted;
}
