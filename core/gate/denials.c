/* A plain list: a person denies a handful of calls in a run. */
#include "config.h"

#include "core/gate/denials.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"

struct denial {
	const struct tool_facts *tool;
	struct json *args;
	struct json *asked; /* NULL: args are what was asked */
	char *reason;
};

struct denials {
	struct denial *list;
	size_t count, room;
};

struct denials *
denials_new(void)
{
	return mem_zero(1, sizeof(struct denials));
}

void
denials_forget(struct denials *denials)
{
	for (size_t i = 0; i < denials->count; i++) {
		json_free(denials->list[i].args);
		json_free(denials->list[i].asked);
		free(denials->list[i].reason);
	}
	denials->count = 0;
}

void
denials_free(struct denials *denials)
{
	if (!denials)
		return;
	denials_forget(denials);
	free(denials->list);
	free(denials);
}

void
denials_add(struct denials *denials, const struct denied_call *call, const char *reason)
{
	struct denial *denial;

	if (denials->count == denials->room) {
		denials->room = denials->room ? denials->room * 2 : 8;
		denials->list = mem_grow(denials->list, denials->room, sizeof(*denials->list));
	}
	denial = &denials->list[denials->count++];
	*denial = (struct denial){
		.tool = call->tool,
		.args = json_read(call->args, call->args_len, NULL),
		.asked = call->asked ? json_read(call->asked, call->asked_len, NULL) : NULL,
		.reason = mem_str(reason ? reason : ""),
	};
}

static bool
same_tool(const struct tool_facts *a, const struct tool_facts *b)
{
	return strcmp(a->full, b->full) == 0;
}

const char *
denials_equal(const struct denials *denials, const struct tool_facts *tool, const char *args,
	size_t args_len)
{
	AUTO_JSON struct json *read = NULL;

	for (size_t i = 0; i < denials->count; i++) {
		const struct denial *denial = &denials->list[i];

		if (!same_tool(denial->tool, tool))
			continue;
		if (!read)
			read = json_read(args, args_len, NULL);
		if (json_equal(json_root(denial->args), json_root(read)))
			return denial->reason;
		if (denial->asked && json_equal(json_root(denial->asked), json_root(read)))
			return denial->reason;
	}
	return NULL;
}

unsigned
denials_of(const struct denials *denials, const struct tool_facts *tool)
{
	unsigned count = 0;

	for (size_t i = 0; i < denials->count; i++)
		count += same_tool(denials->list[i].tool, tool);
	return count;
}

bool
denials_reach(const struct denials *denials, unsigned max)
{
	for (size_t i = 0; i < denials->count; i++)
		if (denials_of(denials, denials->list[i].tool) >= max)
			return true;
	return false;
}
