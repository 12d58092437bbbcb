/*
 * order_grants.h - what a record's order says of grants: a call that one lets go is of its tool,
 * attempt and line, the grant was added before, counts still, and has calls left.
 *
 * Knows:      reader, event, hash.
 * Unaware of: the order within a call.
 */
#ifndef CORE_RECORD_ORDER_GRANTS_H
#define CORE_RECORD_ORDER_GRANTS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/hash.h"

struct event_view;
struct order_grant;

struct order_grants { /* zeroed: none */
	struct order_grant *list;
	size_t count;
};
void order_grants_release(struct order_grants *grants);

struct order_origin { /* of a call, as requested */
	const char *tool;
	const struct digest *sha256; /* of the tool now; NULL: unknown */
	int64_t attempt, line;
};
/* Each gives NULL, or what breaks the order. */
const char *order_grants_event(struct order_grants *grants, const struct event_view *event);
const char *order_grants_decided(struct order_grants *grants, const struct event_view *decided,
	const struct order_origin *origin);

#endif
