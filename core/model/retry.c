#include "config.h"

#include "core/model/retry.h"

#include <curl/curl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define FIRST_MS 500
#define MOST_MS 8000
#define JITTER 0.25         /* of the time, taken off */
#define HINT_MOST_MS 120000 /* a longer one is for a person to wait */

bool
retry_may(const struct retry_signs *signs)
{
	if (signs->should && strcmp(signs->should, "true") == 0)
		return true;
	if (signs->should && strcmp(signs->should, "false") == 0)
		return false;
	if (signs->final)
		return false;
	return signs->unreached || signs->overloaded || signs->status == 408 ||
	       signs->status == 409 || signs->status == 429 || signs->status >= 500;
}

/* A number of seconds or milliseconds, fractions too; -1: it is none. */
static double
number_of(const char *text)
{
	char *end;
	double number;

	if (!text || text[0] < '0' || text[0] > '9')
		return -1;
	number = strtod(text, &end);
	return *end == '\0' ? number : -1;
}

static double
until(const char *date)
{
	time_t then = curl_getdate(date, NULL);
	double left;

	if (then == (time_t)-1)
		return -1;
	left = difftime(then, time(NULL));
	return left > 0 ? left : 0;
}

static double
hinted_ms(const struct retry_hints *hints)
{
	double ms = number_of(hints->after_ms);
	double seconds = number_of(hints->after);

	if (ms >= 0)
		return ms;
	if (seconds < 0 && hints->after)
		seconds = until(hints->after);
	return seconds < 0 ? -1 : seconds * 1000;
}

int64_t
retry_wait_ms(const struct retry_hints *hints, unsigned tried, double jitter)
{
	double hint = hinted_ms(hints);
	double ms = FIRST_MS;

	if (hint > HINT_MOST_MS)
		return -1;
	if (hint >= 0)
		return (int64_t)(hint + 0.5);
	while (tried-- > 0 && ms < MOST_MS)
		ms *= 2;
	ms = ms > MOST_MS ? MOST_MS : ms;
	return (int64_t)(ms * (1 - JITTER * jitter));
}

double
retry_jitter(void)
{
	unsigned char byte = 0;

	(void)!getrandom(&byte, sizeof(byte), 0);
	return byte / 255.0;
}
