/*
 * replay_search.h - bytes in a record, by event.
 *
 * Knows:      replay_inside.
 * Unaware of: sessions.
 */
#ifndef CORE_SESSION_REPLAY_SEARCH_H
#define CORE_SESSION_REPLAY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay_index;

/* As replay_search() in replay.h. */
bool replay_search_bytes(int fd, const struct replay_index *index, const char *needle, size_t len,
	uint64_t from, bool back, uint64_t *found);

#endif
