/*
 * denials.h - the denials that tighten the rest of a run, and what they say of a further call.
 *
 * Knows:      facts, json, mem.
 * Unaware of: who denied, what waits.
 */
#ifndef CORE_GATE_DENIALS_H
#define CORE_GATE_DENIALS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/gate/facts.h"

struct denials;

struct denials *denials_new(void);
void denials_free(struct denials *denials); /* NULL is fine */
void denials_forget(struct denials *denials);

/* What was denied; args are JSON.  asked: what the program itself asked for, where a person had
 * changed that, else NULL; both are denied from now on. */
struct denied_call {
	const struct tool_facts *tool; /* outlives the denials */
	const char *args, *asked;
	size_t args_len, asked_len;
};
void denials_add(struct denials *denials, const struct denied_call *call, const char *reason);

/* The reason of the denial of an equal call (the same tool, arguments equal as JSON), or NULL. */
const char *denials_equal(const struct denials *denials, const struct tool_facts *tool,
	const char *args, size_t args_len);
unsigned denials_of(const struct denials *denials, const struct tool_facts *tool);
/* True when one tool has had that many. */
bool denials_reach(const struct denials *denials, unsigned max);

#endif
