/*
 * replay_lines.h - the how-many-eth call of a tool from a line this is, without a look at all
 * calls.
 *
 * Knows:      mem.
 * Unaware of: events.
 */
#ifndef CORE_SESSION_REPLAY_LINES_H
#define CORE_SESSION_REPLAY_LINES_H

#include <stddef.h>
#include <stdint.h>

struct replay_lines_slot {
	uint32_t tool; /* 0: free */
	int32_t line;
	uint32_t count;
};

/* A zeroed one is empty. */
struct replay_lines {
	struct replay_lines_slot *slots;
	size_t room, count;
	uint32_t attempt; /* of the latest call: counting begins anew when it changes */
};

/* From 1.  tool is a word's number, not 0. */
uint32_t replay_lines_nth(
	struct replay_lines *lines, uint32_t attempt, int32_t line, uint32_t tool);
void replay_lines_release(struct replay_lines *lines);

#endif
