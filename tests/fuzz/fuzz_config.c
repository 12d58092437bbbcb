/*
 * A configuration file of any bytes is read or refused; what is read survives being written and
 * read back; any bytes as an effective text are read or refused.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/run/configuration_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
must(bool held)
{
	if (!held)
		abort();
}

static void
check_round_trip(struct config *config)
{
	AUTO_BUF struct buf first;
	AUTO_BUF struct buf second;
	struct config *back;

	buf_init(&first, BUF_UNBOUNDED);
	buf_init(&second, BUF_UNBOUNDED);
	settings_fill(config);
	config_write(config, &first);
	back = config_read(first.data, first.len, NULL);
	must(back);
	config_write(back, &second);
	must(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	config_free(back);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct config *config = mem_zero(1, sizeof(*config));
	struct layer *layer = mem_zero(1, sizeof(*layer));
	struct err err = { 0 };

	config->layers = layer;
	config->layer_count = 1;
	*layer = (struct layer){
		.from = FROM_FOUND, .label = mem_str("fuzz"), .folder = mem_str("/usr/bin")
	};
	layer->doc = json_read((const char *)bytes, len, NULL);
	if (layer->doc && config_read_layer(config, layer, &err) == 0)
		check_round_trip(config);
	else if (layer->doc)
		must(err.kind == ERR_USAGE && strncmp(err.text, "fuzz:", 5) == 0);
	config_free(config);
	config_free(config_read((const char *)bytes, len, NULL));
	return 0;
}
