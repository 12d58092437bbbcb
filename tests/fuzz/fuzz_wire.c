/*
 * Any bytes to the reader of each wire format, split by what they say themselves: it neither
 * crashes nor gives text that is no UTF-8 or passes the bounds, a reply that is not whole is none,
 * and how the bytes are split changes nothing.
 */
#include "config.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "core/base/text.h"
#include "core/model/wire.h"

#define TEXT_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct got {
	enum model_stop stop;
	enum wire_fault fault;
	size_t total;
	uint64_t text[2]; /* a sum over the bytes of each part */
};

static void
on_delta(enum model_part part, const char *bytes, size_t len, void *arg)
{
	struct got *got = arg;

	assert(len > 0 && text_is_utf8(bytes, len));
	got->total += len;
	assert(got->total <= TEXT_MAX);
	for (size_t i = 0; i < len; i++)
		got->text[part] = got->text[part] * 31 + (unsigned char)bytes[i] + 1;
}

static struct got
read_as(const char *name, const char *bytes, size_t len, size_t step)
{
	struct got got = { .total = 0 };
	struct wire_hooks hooks = { on_delta, &got };
	struct wire_limits limits = { 2048, TEXT_MAX };
	struct wire_reader *reader = wire_reader_new(wire_find(name), &limits, &hooks);
	struct model_end end;

	for (size_t at = 0; at < len; at += step)
		if (!wire_feed(reader, bytes + at, len - at < step ? len - at : step))
			break;
	wire_end(reader, 200, true, &end);
	assert((end.stop == MODEL_ERROR || end.stop == MODEL_CUT) == (end.error != NULL));
	assert(!end.error || text_is_utf8(end.error, strlen(end.error)));
	assert(end.stop != MODEL_COMPLETE || wire_reader_finished(reader));
	got.stop = end.stop;
	got.fault = wire_reader_fault(reader);
	wire_reader_free(reader);
	return got;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "openai", "openai-chat", "anthropic", "ollama" };
	size_t step = size > 0 ? (size_t)data[0] % 64 + 1 : 1;

	for (size_t i = 0; size > 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		struct got pieces = read_as(names[i], (const char *)data + 1, size - 1, step);
		struct got whole = read_as(names[i], (const char *)data + 1, size - 1, size);

		assert(pieces.stop == whole.stop && pieces.fault == whole.fault);
		assert(pieces.text[0] == whole.text[0] && pieces.text[1] == whole.text[1]);
	}
	return 0;
}
