#include "config.h"

#include "core/base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
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

int64_t
clock_utc_read(const char *t)
{
	struct tm tm = { 0 };
	long ns;

	if (sscanf(t, "%4d-%2d-%2dT%2d:%2d:%2d.%9ldZ", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		    &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ns) != 7)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return (int64_t)timegm(&tm) * NS_PER_S + ns;
}

int64_t
clock_utc_now(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now) < 0)
		abort();
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}
