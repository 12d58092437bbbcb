/*
 * verify_order.h - the order that a record's events keep, call by call (formats.md 1, "Order").
 *
 * Events go in one after the other; what breaks the order is an error.  Memory: the open calls and
 * the known tools.
 *
 * Knows:      reader, event.
 * Unaware of: chains, contents, files.
 */
#ifndef CORE_RECORD_VERIFY_ORDER_H
#define CORE_RECORD_VERIFY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/attr.h"

struct err;
struct event_view;
struct order;

struct order *order_new(void);
void order_free(struct order *order); /* NULL is fine */

/* Hold the next event against the order; fails with ERR_STATE and goes on with the next. */
int order_event(struct order *order, const struct event_view *event, struct err *err) ATTR_CHECKED;

struct order_summary {
	bool ended;         /* session.end was seen */
	bool recovered;     /* and it was written by recovery */
	uint64_t undecided; /* requested, not decided */
	uint64_t waiting;   /* decided, not started, not ended: did not run */
	uint64_t unknown;   /* started, not ended */
	uint64_t presented; /* frames, which are not computed anew */
	uint64_t withheld;  /* arguments whose bind could not be computed anew */
};
void order_summary(const struct order *order, struct order_summary *out);

#endif
