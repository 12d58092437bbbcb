/*
 * bridge.h - the guest's end of the sandbox: lines in, requests out, answers back (formats.md 3).
 *
 * Everything from the guest is hostile.  A line that begins with the bytes
 * {"jsonrpc":"2.0","method":"tollbridge/ is a notification with its own rate; every other line is a
 * request line and counts one of the cap before anything else is done with it.  A line that breaks
 * the rules is a violation; the third ends the program.  Ids are used once.
 *
 * Knows:      loop, strict, json, jsonout, gate/budget.
 * Unaware of: tools, policy, the record.
 * Calls back: the hooks, from the loop, one line at a time; a hook may free the bridge.
 */
#ifndef CORE_RUN_BRIDGE_H
#define CORE_RUN_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/json.h"
#include "core/base/text.h"

struct bridge;
struct budget;
struct loop;

struct bridge_limits {
	size_t line;                 /* bytes of one line, its LF not counted */
	int64_t notifications_per_s; /* more is a violation each */
};

/* A request that passed the strict reader and has the shape of tools/call.  Borrowed. */
struct bridge_request {
	uint64_t id;
	const char *name; /* full tool name as the program sent it; foreign text */
	size_t name_len;
	struct json_value arguments; /* an object */
	int line;                    /* the program's word; 0: not given */
	bool within_cap;             /* false: past the cap, to be refused with -32002 */
};

struct bridge_hooks {
	void (*on_request)(const struct bridge_request *request, void *arg);
	void (*on_probe)(const char *layer, bool proved, const char *detail, void *arg);
	void (*on_forecast)(struct json_value sites, void *arg);
	void (*on_output)(bool err, const char *text, size_t len, void *arg);
	void (*on_line)(int line, void *arg);
	/* outcome: "ok", "error", "denied", "budget" or "syntax"; error: foreign text, may be NULL.
	 */
	void (*on_end)(const char *outcome, int exit_code, const char *error, int line, void *arg);
	/* what: for people; last: this was the third and the program must end. */
	void (*on_violation)(const char *what, bool last, void *arg);
	void (*on_closed)(void *arg);
	void *arg;
};

/* fd (non-blocking, the sandbox's) is borrowed and outlives the bridge. */
struct bridge *bridge_new(struct loop *loop, int fd, const struct bridge_limits *limits,
	const struct bridge_hooks *hooks);
void bridge_free(struct bridge *bridge); /* NULL is fine */

/* From now on request lines count in this budget (borrowed).  Before it each one is a violation. */
void bridge_serve(struct bridge *bridge, struct budget *budget);
/* After bridge_serve(); again after on_forecast, as long as the program was not let go.  tools: the
 * JSON array of registry_guest_tools(). */
void bridge_load(struct bridge *bridge, const char *program, size_t len, const char *name,
	const char *tools);
void bridge_go(struct bridge *bridge);

/* Answer a request.  Both are strict JSON; edited: the arguments with which a person let
 * the call run in place of its own, NULL bytes for none. */
void bridge_result(
	struct bridge *bridge, uint64_t id, struct untrusted result, struct untrusted edited);

enum bridge_error { /* codes of formats.md 3 */
	BRIDGE_DENIED = -32001,
	BRIDGE_BUDGET = -32002,
	BRIDGE_INVALID = -32003,
	BRIDGE_UNKNOWN_TOOL = -32004,
	BRIDGE_TOOL_FAILED = -32005,
	BRIDGE_TIMED_OUT = -32006,
	BRIDGE_OUTCOME_UNKNOWN = -32007,
};
/* reason: UTF-8 for the program; by: who decided ("person", ...) or NULL. */
void bridge_error(struct bridge *bridge, uint64_t id, enum bridge_error code, const char *reason,
	const char *by);

/* Stop and go on taking lines: back-pressure while the gate is full.  Answers still go out. */
void bridge_pause(struct bridge *bridge, bool paused);
/* Read what is still in the socket after the guest ended. */
void bridge_drain(struct bridge *bridge);

#endif
