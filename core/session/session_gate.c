/*
 * The events of what people arrange around calls: grants, rules, the program as a whole, absence,
 * consoles.  A grant is void once its program has ended or its tool was changed; what is void stays
 * in the list.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/session.h"
#include "core/session/session_inside.h"

static int
small(struct json_value object, const char *key)
{
	int64_t number = session_number(object, key, 0);

	return number > INT_MAX ? INT_MAX : (int)number;
}

/* --- grants and rules --- */

void
session_grant_add(struct session *session, const struct event_view *event)
{
	struct json_value data = event->data;
	const char *sha256 = json_text(data, "tool_sha256");
	struct session_grant *grant;

	if ((uint64_t)session_number(data, "grant", 0) != session->grant_count + 1)
		return;
	session->grants = session_room(session->grants, session->grant_count, sizeof(*grant));
	grant = &session->grants[session->grant_count++];
	grant->number = session->grant_count;
	grant->attempt = (unsigned)small(data, "attempt");
	grant->line = small(data, "line");
	grant->n = session_number(data, "n", 0);
	grant->from_call = (uint64_t)session_number(data, "from_call", 0);
	session_set_text(&grant->tool, data, "tool");
	if (!grant->tool)
		grant->tool = mem_str("");
	session_set_text(&grant->who, data, "who");
	session_set_blob(&grant->bounds, event, "bounds");
	if (sha256)
		(void)digest_parse(sha256, strlen(sha256), &grant->tool_sha256);
}

static struct session_grant *
grant_of(struct session *session, uint64_t number)
{
	if (number == 0 || number > session->grant_count)
		return NULL;
	return &session->grants[number - 1];
}

void
session_grant_revoke(struct session *session, const struct event_view *event)
{
	struct session_grant *grant =
		grant_of(session, (uint64_t)session_number(event->data, "grant", 0));

	if (grant)
		grant->revoked = true;
}

void
session_grant_used(struct session *session, uint64_t number)
{
	struct session_grant *grant = grant_of(session, number);

	if (grant)
		grant->used++;
}

void
session_grants_of_program(struct session *session, unsigned attempt)
{
	for (size_t i = 0; i < session->grant_count; i++)
		if (session->grants[i].attempt == attempt)
			session->grants[i].revoked = true;
}

void
session_grants_of_tool(struct session *session, const char *full)
{
	for (size_t i = 0; i < session->grant_count; i++)
		if (strcmp(session->grants[i].tool, full) == 0)
			session->grants[i].revoked = true;
}

void
session_rule_add(struct session *session, const struct event_view *event)
{
	struct session_rule *rule;

	session->rules = session_room(session->rules, session->rule_count, sizeof(*rule));
	rule = &session->rules[session->rule_count++];
	rule->from_call = (uint64_t)session_number(event->data, "from_call", 0);
	rule->from_now = json_bool(json_get(event->data, "from_now"), false);
	session_set_text(&rule->who, event->data, "who");
	session_set_blob(&rule->rule, event, "rule");
}

/* --- the person --- */

void
session_away(struct session *session, const struct event_view *event)
{
	bool away = json_bool(json_get(event->data, "away"), false);

	if (away == session->away)
		return;
	if (!away && event->mono > session->away_mono)
		session->away_ns += event->mono - session->away_mono;
	session->away = away;
	session_set_text(&session->away_who, event->data, "who");
	if (!away)
		session_queue_stood_still(session, session->away_mono, event->mono);
	session->away_mono = event->mono;
}

void
session_attach(struct session *session, const struct event_view *event)
{
	(void)event;
	session->consoles++;
}

void
session_detach(struct session *session, const struct event_view *event)
{
	if (session->consoles == 0 || --session->consoles > 0)
		return;
	session->alone_seq = event->seq;
	session->alone_mono = event->mono;
}

void
session_gate_release(struct session *session)
{
	for (size_t i = 0; i < session->grant_count; i++) {
		free(session->grants[i].tool);
		free(session->grants[i].who);
		session_drop_blob(&session->grants[i].bounds);
	}
	for (size_t i = 0; i < session->rule_count; i++) {
		free(session->rules[i].who);
		session_drop_blob(&session->rules[i].rule);
	}
	free(session->grants);
	free(session->rules);
	free(session->away_who);
}
