/*
 * A Python worker's line, on any bytes: what is taken apart lies within the line.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/tools/worker_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes;
	struct worker_line line;

	if (!worker_line_read(text, len, &line)) {
		if (line.kind != WORKER_NONE)
			abort();
		return 0;
	}
	if (line.text < text || line.text + line.text_len != text + len)
		abort();
	free(worker_line_words(&line));
	return 0;
}
