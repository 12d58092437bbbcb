/*
 * requests_fields.h - the fields that requests of a console have in common, each checked.
 *
 * Every function fails with ERR_USAGE and words that name the field.  Texts are borrowed from the
 * request.
 *
 * Knows:      json, hash, calls.
 * Unaware of: what is asked.
 */
#ifndef CORE_RUN_REQUESTS_FIELDS_H
#define CORE_RUN_REQUESTS_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/json.h"

struct calls_decision;
struct console;
struct digest;
struct err;
struct run;

/* From min to 2^53. */
int request_number(struct json_value request, const char *key, int64_t min, int64_t *out,
	struct err *err) ATTR_CHECKED;
int request_digest(struct json_value request, const char *key, struct digest *out,
	struct err *err) ATTR_CHECKED;
/* Optional words of the person: text, null or not there; bounded, for they reach the program. */
int request_words(
	struct json_value request, const char *key, const char **out, struct err *err) ATTR_CHECKED;
/* true or false; false when it is not there. */
int request_flag(
	struct json_value request, const char *key, bool *out, struct err *err) ATTR_CHECKED;
/* What a console says was seen: presentation, frame, covered, total, dwell_ms. */
int request_seen(
	struct json_value request, struct calls_decision *decision, struct err *err) ATTR_CHECKED;

#endif
