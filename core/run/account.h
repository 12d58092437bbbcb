/*
 * account.h - what happened to the calls of one run, for telling a model: a small fold over what
 * the journal appended.
 *
 * Knows:      mem, text.
 * Unaware of: why it is wanted.
 */
#ifndef CORE_RUN_ACCOUNT_H
#define CORE_RUN_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"

struct account;

struct account_call {
	uint64_t number;
	unsigned attempt;
	char *tool;
	char *args; /* as it ran, or as it was asked; the beginning of it */
	size_t args_len;
	size_t args_more; /* bytes of it that are not here */
	char *asked;      /* as the program asked, once a person changed it; else NULL */
	char *reason;     /* of a denial; NULL: none */
	char *outcome;    /* NULL: not yet ended */
	bool started;
	int line;
};

struct account *account_new(void);
void account_free(struct account *account); /* NULL is fine */
void account_next_run(struct account *account);

void account_request(struct account *account, uint64_t number, unsigned attempt, const char *tool,
	struct untrusted args, int line);
void account_edited(struct account *account, uint64_t number, struct untrusted args);
void account_unedited(struct account *account, uint64_t number);
void account_decided(struct account *account, uint64_t number, const char *reason); /* NULL: none */
void account_start(struct account *account, uint64_t number);
void account_end(struct account *account, uint64_t number, const char *outcome);

/* The calls of this run, in order.  Borrowed until the next change. */
const struct account_call *account_calls(const struct account *account, size_t *count);

#endif
