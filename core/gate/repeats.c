/* Calls in order of their start; arguments stay parsed, for they are compared as values. */
#include "config.h"

#include "core/gate/repeats.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

struct started {
	call_id call;
	unsigned attempt;
	char *tool;
	struct json *args;
	char *result; /* NULL: none */
	size_t result_len;
};

struct repeats {
	struct started *list;
	size_t count, room;
	size_t kept; /* bytes of results */
};

struct repeats *
repeats_new(void)
{
	return mem_zero(1, sizeof(struct repeats));
}

void
repeats_forget(struct repeats *repeats)
{
	for (size_t i = 0; i < repeats->count; i++) {
		free(repeats->list[i].tool);
		free(repeats->list[i].result);
		json_free(repeats->list[i].args);
	}
	repeats->count = 0;
	repeats->kept = 0;
}

void
repeats_free(struct repeats *repeats)
{
	if (!repeats)
		return;
	repeats_forget(repeats);
	free(repeats->list);
	free(repeats);
}

void
repeats_started(struct repeats *repeats, const struct repeats_call *call)
{
	if (repeats->count == repeats->room) {
		repeats->room = repeats->room ? 2 * repeats->room : 16;
		repeats->list = mem_grow(repeats->list, repeats->room, sizeof(*repeats->list));
	}
	repeats->list[repeats->count++] = (struct started){
		.call = call->call,
		.attempt = call->attempt,
		.tool = mem_str(call->tool),
		.args = json_read(call->args, call->args_len, NULL),
	};
}

static struct started *
find(const struct repeats *repeats, call_id call)
{
	for (size_t i = repeats->count; i-- > 0;)
		if (repeats->list[i].call == call)
			return &repeats->list[i];
	return NULL;
}

void
repeats_result_is(struct repeats *repeats, call_id call, const char *json, size_t len)
{
	struct started *started = find(repeats, call);

	if (!started || started->result || len > REPEATS_RESULTS_MAX - repeats->kept)
		return;
	started->result = mem_strn(json, len);
	started->result_len = len;
	repeats->kept += len;
}

call_id
repeats_find(const struct repeats *repeats, unsigned attempt, const char *tool,
	struct json_value arguments)
{
	for (size_t i = repeats->count; i-- > 0;) {
		const struct started *started = &repeats->list[i];

		if (started->attempt < attempt && strcmp(started->tool, tool) == 0 &&
			json_equal(json_root(started->args), arguments))
			return started->call;
	}
	return 0;
}

const char *
repeats_result(const struct repeats *repeats, call_id call, size_t *len)
{
	const struct started *started = find(repeats, call);

	*len = started ? started->result_len : 0;
	return started ? started->result : NULL;
}
