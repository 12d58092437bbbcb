/*
 * tool.h - one tool, and the only way to run it: tool_call() spends a permit.
 *
 * Knows:      gate (permit), facts, schema, json, err, python_name.
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

/* Bytes of one result; a tool that gives more has failed. */
#define TOOL_RESULT_MAX ((size_t)4 << 20)

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
	char *definition; /* JSON as received: name, title, description, schemas, annotations */
	size_t definition_len;
	struct json *document;     /* the definition, parsed */
	struct schema *input;      /* of inputSchema */
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
	/* What runs or waits is dropped without its done.  Not from inside a call back. */
	void (*free)(struct tool_source *source);
};
struct tool_source {
	const struct tool_source_ops *ops;
};

/* What a source tells of itself, from the loop.  error is foreign text. */
struct tool_source_hooks {
	/* It is started again, for a call that came after its process was lost. */
	void (*on_restart)(void *arg);
	/* It serves: its definitions, an array; valid during the call.  After a restart: absent. */
	void (*on_ready)(struct json_value definitions, void *arg);
	/* It offers nothing.  not_isolated: because it could not be isolated here. */
	void (*on_failed)(const char *error, bool not_isolated, void *arg);
	/* Its process was lost; the next call starts it again. */
	void (*on_died)(const char *error, void *arg);
	void *arg; /* borrowed; outlives the source */
};

struct tool_origin {
	const char *server;
	const char *effect_from; /* of annotations: "mark", "annotation" */
	struct digest code_sha256;
	bool isolated;
	struct tool_source *source;
};

/*
 * One tool from its definition, whose bytes are hashed as they stand.  Everything is copied.
 * Gives NULL with ERR_FORMAT for a name or schema that cannot be used.
 */
struct tool *tool_new(const struct tool_origin *origin, struct json_value definition,
	struct err *err) ATTR_CHECKED;
void tool_free(struct tool *tool); /* NULL is fine */

/* Takes the permit, whatever the outcome. */
void tool_call(struct tool *tool, struct permit *permit, tool_done_fn done, void *arg);

#endif
