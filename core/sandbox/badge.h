/*
 * badge.h - which layers of a sandbox stand, by what is read from outside and by the guest's word.
 *
 * A layer is proved when what can be seen from outside says so and the guest, where it spoke, does
 * not contradict; where nothing can be seen from outside, the guest's word is needed.
 *
 * Knows:      plan (limits), tree, err, io, buf.
 * Unaware of: how the sandbox was made, the bridge.
 */
#ifndef CORE_SANDBOX_BADGE_H
#define CORE_SANDBOX_BADGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/attr.h"

struct err;
struct sandbox_limits;

/* layers.def: LAYER(id, "name", promised by native). */
enum layer {
#define LAYER(id, name, native) LAYER_##id,
#include "core/sandbox/layers.def"
#undef LAYER
	LAYER_COUNT
};
const char *layer_name(enum layer layer);
int layer_of(const char *name); /* -1: unknown */

#define BADGE_DETAIL 128

struct badge_layer {
	bool promised;
	bool proved; /* by the guest's own probe and by what is read from outside, where both can */
	char kind[16];             /* "rlimit", "cgroup", or "" */
	char detail[BADGE_DETAIL]; /* what was seen, or why it is absent and the mend */
};
struct badge {
	struct badge_layer layers[LAYER_COUNT];
};

enum finding {
	FINDING_NONE, /* nobody looked, or nothing could be seen */
	FINDING_STANDS,
	FINDING_ABSENT,
};
struct badge_word {
	enum finding finding;
	char detail[BADGE_DETAIL];
};

/* Look at the program of a sandbox whose outermost process is keeper. */
void badge_look(
	pid_t keeper, const struct sandbox_limits *limits, struct badge_word seen[LAYER_COUNT]);

/*
 * Put both together.  Fails with ERR_SANDBOX naming each promised layer that is not proved; the
 * badge is filled in all the same.
 */
int badge_make(const struct badge_word seen[LAYER_COUNT], const struct badge_word said[LAYER_COUNT],
	struct badge *badge, struct err *err) ATTR_CHECKED;

#endif
