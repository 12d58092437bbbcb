/*
 * grants.h - what a person granted: the next n calls of one tool from one line of one program,
 * within closed bounds.
 *
 * A grant covers a call when the call is of the same tool (by its definition's digest too), from
 * the same line of the same attempt, its arguments are certainly within the bounds, and fewer than
 * n calls used it.  It is void for good once it is revoked or its program has ended.  Whether a
 * call that is covered may go is the gate's to say: rules that deny, ask for a code or a person,
 * denials, repeats, absence and the budget come first.
 *
 * Knows:      facts, bounds, json, err.
 * Unaware of: rules, time, who is asked.
 */
#ifndef CORE_GATE_GRANTS_H
#define CORE_GATE_GRANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/json.h"
#include "core/gate/facts.h"

struct err;
struct grants;

#define GRANT_N_MAX 1000000 /* calls that one grant may cover */

struct grants *grants_new(void);
void grants_free(struct grants *grants); /* NULL is fine */

/* A program begins: what was granted to another one is void, and no site is known. */
void grants_program(struct grants *grants, unsigned attempt);
/* The forecast of that program: this line holds a call of this tool. */
void grants_site(struct grants *grants, const char *full, int line);
/* The program has ended. */
void grants_end_program(struct grants *grants);

struct grant_call { /* a call as grants see it */
	const struct tool_facts *tool;
	unsigned attempt;
	int line; /* the program's word; 0: not given */
	struct json_value arguments;
};

struct grant_offer { /* what a person grants on the occasion of a call */
	struct grant_call call;
	int64_t n;
	const char *bounds; /* JSON text (bounds.h) */
	size_t bounds_len;
};

/*
 * May this be granted?  ERR_REFUSED when the line holds no call of the tool, the program is another
 * one, the bounds do not hold the call's own arguments or n is out of range; ERR_FORMAT when the
 * bounds are not closed.  Words for the person.
 */
int grants_check(
	const struct grants *grants, const struct grant_offer *offer, struct err *err) ATTR_CHECKED;
/* Add what grants_check() passed.  Gives its number, from 1. */
uint64_t grants_add(struct grants *grants, const struct grant_offer *offer);

/* The first grant that covers the call; 0: none. */
uint64_t grants_cover(const struct grants *grants, const struct grant_call *call);
/* One call went on the word of this grant, which covered it. */
void grants_use(struct grants *grants, uint64_t number);
/* ERR_MISSING when there is no such grant, ERR_STATE when it is void. */
int grants_revoke(struct grants *grants, uint64_t number, struct err *err) ATTR_CHECKED;

struct grant_state {
	const char *tool; /* borrowed */
	struct digest tool_sha256;
	unsigned attempt;
	int line;
	int64_t n, used;
	bool ended; /* revoked, or void with its program */
};
size_t grants_count(const struct grants *grants);
void grants_at(const struct grants *grants, size_t index, struct grant_state *out); /* number - 1 */

#endif
