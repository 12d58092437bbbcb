/*
 * prompt.h - what a model is told: the instructions before everything, and what follows a program.
 *
 * The same tools, policy and limits make the same bytes, so that prompt caches hold; what changes
 * (budget, errors, calls) stands in messages.  Text of servers is cleaned, capped and marked as
 * data. Over a size, the catalogue is names and one-liners; the program asks tools.describe() for
 * the rest.
 *
 * Knows:      registry (tools), gate/policy (what is gated), buf.
 * Unaware of: providers, the loop, configuration.
 */
#ifndef CORE_MODEL_PROMPT_H
#define CORE_MODEL_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"

struct buf;
struct policy;
struct registry;

struct prompt_parts {         /* borrowed */
	struct untrusted own; /* model.instructions, which stands first; empty: none */
	const struct registry *registry;
	const struct policy *policy; /* says which tools may stop at the gate */
	size_t catalogue;            /* bytes of stubs that are sent whole */
	int64_t wall_s;              /* of a program; -1: no limit */
	int64_t memory;              /* bytes */
	int64_t output;              /* bytes it may print */
	bool answer_from_model;      /* what is printed goes back for an answer in words */
};
void prompt_instructions(const struct prompt_parts *parts, struct buf *out);

struct prompt_limit {
	const char *name;    /* "max_tool_calls" */
	int64_t used, limit; /* limit -1: none */
};
/* The first message of a run: the task as it is, and the budget. */
void prompt_task(
	struct untrusted task, const struct prompt_limit *limits, size_t count, struct buf *out);

/* A call that took effect, or was denied, before the program ended. */
struct prompt_call {
	uint64_t number;
	const char *tool;
	struct untrusted args;   /* the beginning, where it is long */
	const char *outcome;     /* "ok", "error", "denied", "unknown", ... */
	struct untrusted reason; /* of a denial, of an edit; empty: none */
	bool started;
	bool read; /* its effect is read: nothing was changed */
	int line;  /* 0: unknown */
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
