#include "config.h"

#include "core/base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int64_t
clock_mono(void)
{
	struct timespec now;
	int got = clock_gettime(CLOCK_BOOTTIME, &now);

	assert(got == 0);
	(void)got;
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* The second's text is kept: a burst of events asks for it thousands of times a second. */
void
clock_utc(char out[CLOCK_UTC_SIZE])
{
	static time_t kept_second = -1;
	static char kept[24];
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	if (now.tv_sec != kept_second) {
		gmtime_r(&now.tv_sec, &tm);
		strftime(kept, sizeof(kept), "%Y-%m-%dT%H:%M:%S", &tm);
		kept_second = now.tv_sec;
	}
	snprintf(out, CLOCK_UTC_SIZE, "%.19s.%09uZ", kept, (unsigned)now.tv_nsec % 1000000000U);
}
