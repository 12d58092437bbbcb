/*
 * retry.h - whether a request that failed is worth another try, and when.
 *
 * Knows:      libcurl (dates).
 * Unaware of: HTTP transfers, models.
 */
#ifndef CORE_MODEL_RETRY_H
#define CORE_MODEL_RETRY_H

#include <stdbool.h>
#include <stdint.h>

struct retry_signs {
	int status;         /* of HTTP; 0: none */
	bool unreached;     /* no answer came */
	bool overloaded;    /* the body says so */
	bool final;         /* the body says that it is no use */
	const char *should; /* x-should-retry; NULL: not there */
};
bool retry_may(const struct retry_signs *signs);

struct retry_hints {
	const char *after_ms, *after; /* the headers of these names; NULL: not there */
};
/*
 * ms to wait before try number tried + 1 (tried from 0).  jitter: 0 to 1.  -1: the server wants to
 * be left alone for longer than is worth waiting.
 */
int64_t retry_wait_ms(const struct retry_hints *hints, unsigned tried, double jitter);
double retry_jitter(void); /* 0 to 1, another each time */

#endif
