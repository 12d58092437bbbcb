/*
 * random_record.h - records of long sessions, the same for the same seed: many calls at once,
 * edits, grants, absences, attempts, output, and events that fit no call's state.
 *
 * Knows:      make_record.
 * Unaware of: who reads them.
 */
#ifndef TESTS_SESSION_RANDOM_RECORD_H
#define TESTS_SESSION_RANDOM_RECORD_H

#include <stdint.h>

/* About so many events into the file; takes fd. */
void random_record(int fd, unsigned seed, unsigned events);

/* From 0 to below `limit`. */
unsigned random_below(uint64_t *state, unsigned limit);

#endif
