/*
 * clock.h - the two clocks of the project.
 *
 * Measured time is CLOCK_BOOTTIME (it goes on in suspend and never jumps); wall time is for people.
 *
 * Knows:      nothing.
 * Unaware of: the loop, which has its own view of now that tests can move.
 */
#ifndef CORE_BASE_CLOCK_H
#define CORE_BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

/* Nanoseconds of CLOCK_BOOTTIME. */
int64_t clock_mono(void);

/* UTC now as "2026-11-30T22:58:07.123456789Z": 30 bytes and a NUL. */
#define CLOCK_UTC_SIZE 31
void clock_utc(char out[CLOCK_UTC_SIZE]);
/* The other way: nanoseconds of UTC since 1970; 0 when it is not so written. */
int64_t clock_utc_read(const char *t);
/* Nanoseconds of UTC since 1970 now. */
int64_t clock_utc_now(void);

#endif
