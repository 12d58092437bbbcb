/* Grants are numbered from 1 in the order they were added; what is void stays in its place. */
#include "config.h"

#include "core/record/order_grants.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/record/event.h"
#include "core/record/reader.h"

struct order_grant {
	char *tool;
	struct digest sha256;
	int64_t attempt, line, left;
	bool ended;
};

void
order_grants_release(struct order_grants *grants)
{
	for (size_t i = 0; i < grants->count; i++)
		free(grants->list[i].tool);
	free(grants->list);
}

static int64_t
number(const struct event_view *event, const char *key)
{
	int64_t value = 0;

	(void)json_int(json_get(event->data, key), 0, INT64_MAX, &value);
	return value;
}

static const char *
on_add(struct order_grants *grants, const struct event_view *event)
{
	const char *tool = json_text(event->data, "tool");
	const char *sha256 = json_text(event->data, "tool_sha256");
	struct order_grant grant = {
		.attempt = number(event, "attempt"),
		.line = number(event, "line"),
		.left = number(event, "n"),
	};

	if (number(event, "grant") != (int64_t)grants->count + 1)
		return "grants are numbered from 1 without gaps";
	if (!tool || !sha256 || !digest_parse(sha256, strlen(sha256), &grant.sha256) ||
		grant.line == 0 || grant.left == 0)
		return "a grant without a tool, a line or a number of calls";
	grant.tool = mem_str(tool);
	grants->list = mem_grow(grants->list, grants->count + 1, sizeof(*grants->list));
	grants->list[grants->count++] = grant;
	return NULL;
}

static struct order_grant *
grant_of(struct order_grants *grants, const struct event_view *event)
{
	int64_t which = number(event, "grant");

	return which > 0 && which <= (int64_t)grants->count ? &grants->list[which - 1] : NULL;
}

const char *
order_grants_event(struct order_grants *grants, const struct event_view *event)
{
	struct order_grant *grant;

	switch (event->type) {
	case EVENT_GRANT_ADD:
		return on_add(grants, event);
	case EVENT_GRANT_REVOKE:
		grant = grant_of(grants, event);
		if (!grant)
			return "no such grant was added";
		grant->ended = true;
		return NULL;
	case EVENT_PROGRAM_END:
		for (size_t i = 0; i < grants->count; i++)
			grants->list[i].ended |=
				grants->list[i].attempt == number(event, "attempt");
		return NULL;
	default:
		return NULL;
	}
}

const char *
order_grants_decided(struct order_grants *grants, const struct event_view *decided,
	const struct order_origin *origin)
{
	struct order_grant *grant = grant_of(grants, decided);

	if (!json_is(json_get(decided->data, "by"), "grant"))
		return NULL;
	if (!grant)
		return "decided by a grant that was not added before";
	if (grant->ended)
		return "decided by a grant that counts no more";
	if (grant->left-- <= 0)
		return "decided by a grant that was used up";
	if (strcmp(grant->tool, origin->tool) != 0 || grant->attempt != origin->attempt ||
		grant->line != origin->line || !origin->sha256 ||
		!digest_equal(&grant->sha256, origin->sha256))
		return "decided by a grant for another tool, program or line";
	return NULL;
}
