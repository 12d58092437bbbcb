/*
 * bounds.h - closed bounds on the arguments of a call: a schema that leaves nothing open.
 *
 * The form is {"type": "object", "properties": {...}, "required": [every one of them],
 * "additionalProperties": false}, and each property is one of {"const": any value}, {"enum":
 * [plain values]}, {"type": "integer" or "number", "minimum": A, "maximum": B}.  Nothing else is
 * accepted, so that what fits has exactly these arguments and each within what was said.
 *
 * Knows:      schema, json, err.
 * Unaware of: tools, people.
 */
#ifndef CORE_GATE_BOUNDS_H
#define CORE_GATE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/attr.h"
#include "core/base/json.h"

struct bounds;
struct err;

#define BOUNDS_MAX (512 * 1024) /* bytes of their text */

/* Gives bounds, or NULL with ERR_FORMAT and words for the person that name what is open. */
struct bounds *bounds_read(const char *text, size_t len, struct err *err) ATTR_CHECKED;
void bounds_free(struct bounds *bounds); /* NULL is fine */

/* Certainly within: what cannot be told is not.  why (may be NULL) gets a line for people. */
bool bounds_fit(
	const struct bounds *bounds, struct json_value arguments, char *why, size_t why_size);

static inline void
bounds_leave_free(struct bounds **slot)
{
	bounds_free(*slot);
}

#define AUTO_BOUNDS ON_LEAVE(bounds_leave_free)

#endif
