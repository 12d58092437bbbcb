/*
 * prompt.h - what a model is told: the instructions before everything, and what follows a program.
 *
 * The same tools, policy and limits make the same bytes, so that prompt caches hold.  Text of
 * servers is cleaned, capped and marked as data.  Over a size, the catalogue is names and
 * one-liners; the program asks tools.describe() for the rest.
 *
 * Knows:      registry (tools), gate/policy (what is gated), configuration, buf.
 * Unaware of: providers, the loop.
 */
#ifndef CORE_MODEL_PROMPT_H
#define CORE_MODEL_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"

struct buf;
struct config;
struct policy;
struct registry;

struct prompt_parts { /* borrowed */
	const struct config *config;
	const struct registry *registry;
	const struct policy *policy; /* says which tools may stop at the gate; NULL: not said */
};
/* model.instructions first, then our own. */
void prompt_instructions(const struct prompt_parts *parts, struct buf *out);

/* The first message of a run: the task as it is, and the budget. */
struct prompt_limit {
	const char *name;    /* "max_tool_calls" */
	int64_t used, limit; /* limit -1: none */
};
void prompt_task(
	struct untrusted task, const struct prompt_limit *limits, size_t count, struct buf *out);

/* A call that took effect, or was denied, before the program ended. */
struct prompt_call {
	uint64_t number;
	const char *tool;
	struct untrusted args;
	const char *outcome;     /* "ok", "error", "denied", "unknown", ... */
	struct untrusted reason; /* of a denial; empty: none */
	bool started;
	bool read; /* its effect is read: it need not be told as a change */
	int line;
};
struct prompt_failure {
	const char *outcome;      /* "error", "syntax", "denied", ... */
	struct untrusted error;   /* with its traceback */
	struct untrusted printed; /* bounded here */
	const struct prompt_call *calls;
	size_t call_count;
	struct untrusted word; /* of a person who wants another way; empty: none */
	const struct prompt_limit *limits;
	size_t limit_count;
};
/* The message that asks for a repaired program. */
void prompt_repair(const struct prompt_failure *failure, struct buf *out);
/* The reply held no program: the rule, and what is wanted. */
void prompt_no_program(const char *why, struct buf *out);
/* The program ended well: its output, bounded to `most` bytes, for an answer in words. */
void prompt_answer(struct untrusted printed, size_t most, struct buf *out);

#endif
