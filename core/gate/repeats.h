/*
 * repeats.h - the calls of a run that started, so that a later attempt's repeat of one is known.
 *
 * Knows:      json, mem.
 * Unaware of: effects, people.
 */
#ifndef CORE_GATE_REPEATS_H
#define CORE_GATE_REPEATS_H

#include <stddef.h>

#include "core/base/json.h"
#include "core/gate/facts.h"

struct repeats;

#define REPEATS_RESULTS_MAX ((size_t)64 << 20) /* bytes of results kept in one run */

struct repeats *repeats_new(void);
void repeats_free(struct repeats *repeats);   /* NULL is fine */
void repeats_forget(struct repeats *repeats); /* a new run */

/* A call of that tool (its full name) started with these arguments (JSON).  Copied. */
struct repeats_call {
	call_id call;
	unsigned attempt;
	const char *tool;
	const char *args;
	size_t args_len;
};
void repeats_started(struct repeats *repeats, const struct repeats_call *call);
/* It gave this result (JSON), copied; results past REPEATS_RESULTS_MAX are not kept. */
void repeats_result_is(struct repeats *repeats, call_id call, const char *json, size_t len);

/* The newest call of an earlier attempt with the same tool and arguments equal as JSON; 0: none. */
call_id repeats_find(const struct repeats *repeats, unsigned attempt, const char *tool,
	struct json_value arguments);
/* The result of a call that started, borrowed; NULL: it gave none, or none was kept. */
const char *repeats_result(const struct repeats *repeats, call_id call, size_t *len);

#endif
