/* What is read into a decision stays borrowed from the request. */
#include "config.h"

#include "core/run/requests_fields.h"

#include <string.h>

#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/run/calls.h"

#define NUMBER_MAX ((int64_t)1 << 53)
#define TEXT_MAX 65536

int
request_number(
	struct json_value request, const char *key, int64_t min, int64_t *out, struct err *err)
{
	if (json_int(json_get(request, key), min, NUMBER_MAX, out))
		return 0;
	return err_set(err, ERR_USAGE, "\"%s\" must be a whole number", key);
}

int
request_digest(struct json_value request, const char *key, struct digest *out, struct err *err)
{
	const char *hex = json_text(request, key);

	if (hex && digest_parse(hex, strlen(hex), out))
		return 0;
	return err_set(err, ERR_USAGE, "\"%s\" must be 64 hex digits", key);
}

/* Optional words of the person: text, null or not there; bounded, for they reach the program. */
int
request_words(struct json_value request, const char *key, const char **out, struct err *err)
{
	struct json_value value = json_get(request, key);

	*out = json_text(request, key);
	if (json_there(value) && json_kind(value) != JSON_NULL && !*out)
		return err_set(err, ERR_USAGE, "\"%s\" must be text", key);
	if (*out && strlen(*out) > TEXT_MAX)
		return err_set(err, ERR_USAGE, "\"%s\" is longer than %d bytes", key, TEXT_MAX);
	return 0;
}

/* true or false; false when it is not there. */
int
request_flag(struct json_value request, const char *key, bool *out, struct err *err)
{
	struct json_value value = json_get(request, key);

	*out = json_kind(value) == JSON_TRUE;
	if (json_there(value) && !*out && json_kind(value) != JSON_FALSE)
		return err_set(err, ERR_USAGE, "\"%s\" must be true or false", key);
	return 0;
}

int
request_seen(struct json_value request, struct calls_decision *decision, struct err *err)
{
	struct digest frame;

	if (request_number(request, "presentation", 1, &decision->presentation, err) < 0 ||
		request_number(request, "dwell_ms", 0, &decision->dwell_ms, err) < 0 ||
		request_number(request, "covered", 0, &decision->covered, err) < 0 ||
		request_number(request, "total", 0, &decision->total, err) < 0 ||
		request_digest(request, "frame", &frame, err) < 0)
		return -1;
	decision->frame = json_text(request, "frame");
	return 0;
}
