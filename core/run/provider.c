#include "config.h"

#include "core/run/provider.h"

#include "core/base/err.h"
#include "core/model/model.h"
#include "core/model/model_http.h"
#include "core/model/model_script.h"
#include "core/run/configuration.h"

static int64_t
ms_of(const struct config *config, enum setting setting)
{
	int64_t seconds = config_int(config, setting);

	return seconds < 0 ? -1 : seconds * 1000;
}

struct model *
provider_new(struct loop *loop, struct http *http, const struct config *config, const char *key,
	struct err *err)
{
	const char *effort = config_str(config, SETTING_MODEL_EFFORT);
	struct config_model about;
	struct model_http_options options = {
		.options.max_output = config_int(config, SETTING_MODEL_MAX_OUTPUT_TOKENS),
		.options.context = config_int(config, SETTING_MODEL_CONTEXT_TOKENS),
		.connect_ms = config_int(config, SETTING_MODEL_CONNECT_S) * 1000,
		.idle_ms = ms_of(config, SETTING_MODEL_IDLE_S),
		.total_ms = ms_of(config, SETTING_MODEL_TOTAL_S),
		.max_reply = (size_t)config_int(config, SETTING_MODEL_MAX_REPLY),
		.retries = (unsigned)config_int(config, SETTING_MODEL_MAX_RETRIES),
	};

	config_model(config, &about);
	if (about.scripted)
		return model_script_new(
			loop, about.name, config_int(config, SETTING_MODEL_SCRIPT_MS), err);
	options.wire = wire_find(about.wire);
	options.provider = about.provider;
	options.base_url = about.base_url;
	options.key = key;
	options.key_source = config_key_command(config) ? "model.key_command" : about.key_env;
	options.options.name = about.name;
	options.options.effort = effort[0] ? effort : NULL;
	return model_http_new(loop, http, &options, err);
}
