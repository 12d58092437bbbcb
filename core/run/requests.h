/*
 * requests.h - what a console may ask of a run, from JSON to calls.h and run.h.
 *
 * Knows:      console, calls, run, json.
 * Unaware of: sockets.
 */
#ifndef CORE_RUN_REQUESTS_H
#define CORE_RUN_REQUESTS_H

#include <stdint.h>

#include "core/base/json.h"

struct console;
struct run;

/* Handle one request and answer it.  Operations that are not built yet are refused in clear words.
 */
void requests_handle(struct run *run, struct console *console, uint64_t id, const char *op,
	struct json_value request);

#endif
