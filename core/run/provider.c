#include "config.h"

#include "core/run/provider.h"

#include <string.h>

#include "core/base/err.h"
#include "core/model/model.h"
#include "core/model/model_script.h"
#include "core/run/configuration.h"

struct model *
provider_new(struct loop *loop, struct http *http, const struct config *config, const char *key,
	struct err *err)
{
	struct config_model about;

	config_model(config, &about);
	(void)http;
	(void)key;
	if (about.scripted)
		return model_script_new(
			loop, about.name, config_int(config, SETTING_MODEL_SCRIPT_MS), err);
	err_set(err, ERR_USAGE, "the provider %s is not available in this version", about.provider);
	return NULL;
}
