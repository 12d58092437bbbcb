/*
 * bound_list.h - the arguments of a call as bounds that a person changes one by one.
 *
 * Every argument begins with what stands in the call: as a constant for a grant, unbound for a
 * rule.  A bound is changed in kind or typed over as JSON; what is wrong is said and changes
 * nothing.
 *
 * Knows:      session, json, jsonout.
 * Unaware of: the screen; what the bounds are for.
 */
#ifndef TUI_BOUND_LIST_H
#define TUI_BOUND_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"

struct buf;
struct err;
struct session;
struct session_call;

enum bound_kind { BOUND_NONE, BOUND_CONST, BOUND_RANGE, BOUND_ENUM };

struct bound {
	char *name;  /* of the argument, foreign text */
	char *value; /* its JSON source in the call */
	enum bound_kind kind;
	bool number, plain; /* plain: no object, no array */
	char *typed;        /* the bound as text: a value, "A..B", a JSON array; NULL when none */
};

struct bound_list {
	struct bound *bounds;
	size_t count;
	bool open; /* a bound may be none */
	const struct session *session;
	uint64_t call;
};

/* False when the call's arguments cannot be read or have a name with a NUL: an empty list.  Borrows
 * the session. */
bool bound_list_make(struct bound_list *list, const struct session *session,
	const struct session_call *call, bool open);
void bound_list_release(struct bound_list *list); /* a zeroed one is fine */

/* The next kind that this argument can have, or the one before. */
void bound_switch(struct bound_list *list, size_t i, bool back);
/* Take a text for the bound as it is; ERR_FORMAT with words for the person. */
int bound_type(struct bound_list *list, size_t i, const char *text, struct err *err) ATTR_CHECKED;
/* "is", "between", "one of", "any": our words, before what was typed. */
const char *bound_words(const struct bound *bound);

/* Why no grant can be made from this held call, our words; NULL: one can. */
const char *bound_refused(const struct session *session, const struct session_call *call);

/* The schema of the bounds: closed (formats of a grant), or only those that there are (a rule's
 * `when`).  False when there is none to write. */
bool bound_list_write(const struct bound_list *list, struct buf *out);

#endif
