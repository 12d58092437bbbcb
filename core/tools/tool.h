/*
 * tool.h - one tool, and the only way to run it: tool_call() spends a permit.
 *
 * Knows:      gate (permit), facts, schema, json, err.
 * Unaware of: the bridge, the record.
 * Calls back: the done function exactly once a call, from the loop.
 */
#ifndef CORE_TOOLS_TOOL_H
#define CORE_TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/json.h"
#include "core/gate/facts.h"

struct err;
struct permit;
struct schema;
struct tool;
struct tool_source;

enum tool_outcome {
	TOOL_OK,
	TOOL_FAILED,    /* it ran and reported an error: -32005 */
	TOOL_TIMED_OUT, /* killed at its timeout_s: -32006 */
	TOOL_UNKNOWN,   /* its process was lost while it ran: -32007, outcome unknown */
	TOOL_CANCELLED, /* the run ended first */
};

struct tool_result {
	enum tool_outcome outcome;
	const char *json; /* TOOL_OK: the value, strict JSON in ASCII; borrowed for the call back */
	size_t json_len;
	const char *message; /* anything else: for the program and the person; foreign text */
	int64_t ms;          /* the tool's own time */
};

typedef void (*tool_done_fn)(const struct tool_result *result, void *arg);

struct tool {
	struct tool_facts facts; /* full, server, name, effect, sha256 */
	char *wire;              /* its name towards the server */
	char *python;            /* a valid, reversible Python identifier */
	char *effect_from;       /* "mark", "annotation", "default" */
	char *definition;        /* JSON as received: name, title, description, schemas, annotations */
	size_t definition_len;
	struct json *document;   /* the definition, parsed */
	struct schema *input;    /* of inputSchema */
	struct digest code_sha256; /* of the code it runs, where that is known; else zeros */
	bool isolated;
	struct tool_source *source; /* borrowed: who runs it */
};

/* One source of tools: a Python file or a command (later: an MCP server).  Kept by the registry. */
struct tool_source_ops {
	const char *kind; /* "python", "command" */
	/* Run one call.  Takes the permit.  done is called later, never from inside. */
	void (*call)(struct tool_source *source, struct tool *tool, struct permit *permit,
		tool_done_fn done, void *arg);
	/* Cancel what runs or waits here: done follows with TOOL_CANCELLED (not started) or
	 * TOOL_UNKNOWN (started). */
	void (*cancel)(struct tool_source *source);
	void (*free)(struct tool_source *source);
};
struct tool_source {
	const struct tool_source_ops *ops;
};

/* Takes the permit, whatever the outcome. */
void tool_call(struct tool *tool, struct permit *permit, tool_done_fn done, void *arg);

#endif
