/*
 * author_prompt.h - the prompt's parts from what a run knows: its budget, tools and calls.
 *
 * Knows:      prompt, budget, registry, account, configuration.
 * Unaware of: models.
 */
#ifndef CORE_RUN_AUTHOR_PROMPT_H
#define CORE_RUN_AUTHOR_PROMPT_H

#include "core/base/text.h"
#include "core/model/prompt.h"

struct account;
struct budget;
struct buf;
struct config;
struct policy;
struct registry;

/* How the latest program ended. */
struct author_failure {
	unsigned attempt;
	const char *outcome;
	struct untrusted error, printed;
	struct untrusted program; /* where a person wrote it; empty: it is the model's own */
	const char *word;         /* of a person who wants another way; NULL: none */
};
/* Each appends. */
void author_instructions(const struct config *config, const struct registry *registry,
	const struct policy *policy, struct buf *out);
void author_tell_task(const struct budget *budget, struct untrusted task, struct buf *out);
void author_tell_failure(const struct budget *budget, const struct registry *registry,
	const struct account *account, const struct author_failure *failure, struct buf *out);

#endif
