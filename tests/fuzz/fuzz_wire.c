/*
 * Any bytes to the reader of each wire format, split by what they say themselves: it neither
 * crashes nor gives text that is no UTF-8 or passes the bounds, and a reply that is not whole is
 * none.
 */
#include "config.h"

#include <assert.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/model/wire.h"

#define TEXT_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
on_delta(enum model_part part, const char *bytes, size_t len, void *arg)
{
	size_t *total = arg;

	(void)part;
	assert(len > 0 && text_is_utf8(bytes, len));
	*total += len;
	assert(*total <= TEXT_MAX);
}

static void
read_as(const char *name, const char *bytes, size_t len, size_t step)
{
	size_t total = 0;
	struct wire_hooks hooks = { on_delta, &total };
	struct wire_limits limits = { 2048, TEXT_MAX };
	struct wire_reader *reader = wire_reader_new(wire_find(name), &limits, &hooks);
	struct model_end end;

	for (size_t at = 0; at < len; at += step)
		if (!wire_feed(reader, bytes + at, len - at < step ? len - at : step))
			break;
	wire_end(reader, 200, true, &end);
	assert((end.stop == MODEL_ERROR || end.stop == MODEL_CUT) == (end.error != NULL));
	wire_reader_free(reader);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "openai", "openai-chat", "anthropic", "ollama" };
	size_t step = size > 0 ? (size_t)data[0] % 64 + 1 : 1;

	for (size_t i = 0; size > 0 && i < sizeof(names) / sizeof(names[0]); i++)
		read_as(names[i], (const char *)data + 1, size - 1, step);
	return 0;
}
