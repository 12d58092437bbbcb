/*
 * plain_fold.h - a session folded event by event from the record's start, and what a view can tell
 * between two sessions.
 *
 * Knows:      session, reader.
 * Unaware of: replays.
 */
#ifndef TESTS_SESSION_PLAIN_FOLD_H
#define TESTS_SESSION_PLAIN_FOLD_H

#include <stddef.h>
#include <stdint.h>

struct session;
struct session_call;

/* The first `position` events of the file; the caller's to release. */
void plain_fold(int fd, uint64_t position, struct session *out);

/* The first difference in words, or NULL.  Of calls that are not loaded in `film`, what their entry
 * holds; of output, what is there.  Gives memory. */
char *plain_call_difference(const struct session_call *plain, const struct session_call *film);
char *plain_difference(const struct session *plain, const struct session *film);

#endif
