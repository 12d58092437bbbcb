/*
 * The reader of plans, as both kinds, on any bytes.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/sandbox/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Every string must be readable to its end. */
static size_t
total(const char *const *list)
{
	size_t sum = 0;

	for (; list && *list; list++)
		sum += strlen(*list);
	return sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct sandbox_plan sandbox;
	struct tool_plan tool;
	struct err err;

	if (plan_get_tool((const char *)bytes, len, &tool, &err) == 0 &&
		total(tool.argv) + total(tool.env) + total(tool.covers) > len)
		abort();
	plan_tool_release(&tool);
	if (plan_get_sandbox((const char *)bytes, len, &sandbox, &err) == 0 &&
		strlen(sandbox.python) + strlen(sandbox.runner) > len)
		abort();
	plan_sandbox_release(&sandbox);
	return 0;
}
