/*
 * facts.h - what the gate knows of a tool, and the words of its verdicts.
 *
 * Knows:      hash.
 * Unaware of: how a tool runs.
 */
#ifndef CORE_GATE_FACTS_H
#define CORE_GATE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hash.h"

typedef uint64_t call_id; /* from 1, through the session */

enum effect {           /* in order of weight */
	EFFECT_READ,    /* changes nothing, stays inside */
	EFFECT_SEND,    /* changes nothing but reaches the outside world */
	EFFECT_MUTATE,  /* changes data; everything unmarked */
	EFFECT_DESTROY, /* explicitly destructive */
};

enum action { /* strictest last */
	ACTION_ALLOW,
	ACTION_ASK,
	ACTION_DENY,
};

/* Names as in the record: "read" ..., "allow" ...  The parsers give -1 for unknown words. */
const char *effect_name(enum effect effect);
int effect_of(const char *name);
const char *action_name(enum action action);
int action_of(const char *name);

/* One tool as the gate sees it.  Strings borrowed from the registry, which outlives the run. */
struct tool_facts {
	const char *full; /* server.tool */
	const char *server;
	const char *name; /* the tool's part */
	enum effect effect;
	bool destructive_marked; /* explicitly: its calls want the code */
	struct digest sha256;    /* of the definition's bytes */
};

#endif
