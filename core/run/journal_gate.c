/* The events of what people arrange for calls to come. */
#include "config.h"

#include "core/run/journal.h"

void
journal_grant_add(struct journal *journal, const struct journal_grant *grant)
{
	struct event *event = journal_begin(journal, EVENT_GRANT_ADD);

	event_int(event, "grant", (int64_t)grant->grant);
	event_str(event, "tool", grant->tool->full);
	event_digest(event, "tool_sha256", &grant->tool->sha256);
	event_int(event, "attempt", grant->attempt);
	event_int(event, "line", grant->line);
	event_int(event, "n", grant->n);
	event_content(event, "bounds", grant->bounds.bytes, grant->bounds.len);
	event_int(event, "from_call", (int64_t)grant->from_call);
	event_str(event, "who", grant->who);
	journal_append(journal);
}

void
journal_grant_revoke(struct journal *journal, uint64_t grant, const char *who)
{
	struct event *event = journal_begin(journal, EVENT_GRANT_REVOKE);

	event_int(event, "grant", (int64_t)grant);
	event_str(event, "who", who);
	journal_append(journal);
}

void
journal_rule_add(struct journal *journal, const struct journal_rule *rule)
{
	struct event *event = journal_begin(journal, EVENT_RULE_ADD);

	event_content(event, "rule", rule->rule.bytes, rule->rule.len);
	event_int(event, "from_call", (int64_t)rule->from_call);
	event_bool(event, "from_now", rule->from_now);
	event_str(event, "who", rule->who);
	journal_append(journal);
}
