/*
 * The events of calls.  Apart from journal.c because they are the contract that verify checks:
 * their order and their binds.
 */
#include "config.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/gate/budget.h"
#include "core/run/account.h"
#include "core/run/journal.h"

void
journal_request(struct journal *journal, const struct journal_request *request)
{
	struct event *event = journal_begin(journal, EVENT_CALL_REQUEST);

	event_int(event, "run", request->run);
	event_int(event, "attempt", request->attempt);
	event_int(event, "call", (int64_t)request->call);
	event_str(event, "tool", request->tool);
	event_content_made(event, "args", request->content, request->args.bytes, request->args.len);
	event_digest(event, "bind", request->bind);
	if (request->line > 0)
		event_int(event, "line", request->line);
	else
		event_json(event, "line", "null", 4);
	event_str(event, "origin", request->origin);
	event_json(event, "of", "null", 4);
	journal_append(journal);
	if (journal_account(journal))
		account_request(journal_account(journal), request->call, request->attempt,
			request->tool, request->args, request->line);
}

static const char *
ruled_reason(const struct ruling *ruling)
{
	return ruling->reason[0] ? ruling->reason : NULL;
}

void
journal_ruled(struct journal *journal, call_id call, const struct ruling *ruling)
{
	struct event *event = journal_begin(journal, EVENT_CALL_RULED);
	struct jsonout *out = &event->out;

	event_int(event, "call", (int64_t)call);
	event_str(event, "action", action_name(ruling->action));
	event_str(event, "rule", ruling->rule);
	event_str(event, "at", ruling->at);
	event_str(event, "reason", ruled_reason(ruling));
	jsonout_key(out, "tried");
	jsonout_array(out);
	for (size_t i = 0; i < ruling->tried_count; i++) {
		const struct policy_tried *tried = &ruling->tried[i];

		jsonout_object(out);
		jsonout_key_str(out, "rule", tried->rule);
		jsonout_key_str(out, "at", tried->at);
		jsonout_key_str(out, "action", action_name(tried->action));
		jsonout_key_bool(out, "matched", tried->matched);
		jsonout_key_str(out, "why", tried->why);
		jsonout_object_end(out);
	}
	jsonout_array_end(out);
	journal_append(journal);
}

void
journal_held(struct journal *journal, const struct gate_call *held)
{
	struct event *event = journal_begin(journal, EVENT_CALL_HELD);

	event_int(event, "call", (int64_t)held->call);
	event_str(event, "why", held_why_name(held->why));
	event_str(event, "confirm", held->confirm_code ? "code" : "key");
	event_bool(event, "person_only", held->person_only);
	if (held->timeout_ms < 0)
		event_json(event, "timeout_s", "null", 4);
	else
		event_int(event, "timeout_s", held->timeout_ms / 1000);
	if (held->repeat_of)
		event_int(event, "repeat_of", (int64_t)held->repeat_of);
	else
		event_json(event, "repeat_of", "null", 4);
	journal_append(journal);
}

void
journal_presented(struct journal *journal, const struct journal_presented *presented)
{
	struct event *event = journal_begin(journal, EVENT_CALL_PRESENTED);

	event_int(event, "call", (int64_t)presented->call);
	event_digest(event, "bind", presented->bind);
	event_str(event, "console", presented->console);
	event_int(event, "presentation", presented->presentation);
	event_int(event, "seen_seq", presented->seen_seq);
	event_int(event, "cols", presented->cols);
	event_int(event, "rows", presented->rows);
	event_str(event, "mode", presented->strict ? "strict" : "text");
	event_str(event, "frame", presented->frame);
	journal_append(journal);
}

void
journal_edited(struct journal *journal, const struct journal_edited *edited)
{
	struct event *event =
		journal_begin(journal, edited->content ? EVENT_CALL_EDITED : EVENT_CALL_UNEDITED);

	event_int(event, "call", (int64_t)edited->call);
	event_int(event, "edit", edited->edit);
	if (edited->content)
		event_content_made(
			event, "args", edited->content, edited->args.bytes, edited->args.len);
	event_digest(event, "bind", edited->bind);
	event_str(event, "by", decided_by_name(BY_PERSON));
	event_str(event, "who", edited->who);
	event_str(event, "confirm", edited->confirm_code ? "code" : "key");
	event_bool(event, "person_only", edited->person_only);
	journal_append(journal);
	if (journal_account(journal) && edited->content)
		account_edited(journal_account(journal), edited->call, edited->args);
	else if (journal_account(journal))
		account_unedited(journal_account(journal), edited->call);
}

void
journal_extended(struct journal *journal, call_id call, int64_t ms, const char *who)
{
	struct event *event = journal_begin(journal, EVENT_CALL_EXTENDED);

	event_int(event, "call", (int64_t)call);
	event_int(event, "ms", ms);
	event_str(event, "who", who);
	journal_append(journal);
}

static void
text_or_null(struct event *event, const char *key, const char *text)
{
	if (text && text[0])
		event_content(event, key, text, strlen(text));
	else
		event_json(event, key, "null", 4);
}

void
journal_decided(struct journal *journal, const struct journal_decided *decided)
{
	struct event *event = journal_begin(journal, EVENT_CALL_DECIDED);

	event_int(event, "call", (int64_t)decided->call);
	event_digest(event, "bind", decided->bind);
	event_str(event, "verdict", verdict_name(decided->verdict));
	event_str(event, "by", decided_by_name(decided->by));
	event_str(event, "via", decided->via);
	event_str(event, "who", decided->who);
	text_or_null(event, "reason", decided->reason);
	text_or_null(event, "comment", decided->comment);
	if (decided->console) {
		event_str(event, "console", decided->console);
		event_int(event, "presentation", decided->presentation);
		event_int(event, "dwell_ms", decided->dwell_ms);
		event_int(event, "covered", decided->covered);
		event_int(event, "total", decided->total);
	}
	if (decided->grant)
		event_int(event, "grant", (int64_t)decided->grant);
	if (decided->of)
		event_int(event, "of", (int64_t)decided->of);
	event_bool(event, "stop", decided->stop);
	journal_append(journal);
	if (journal_account(journal))
		account_decided(journal_account(journal), decided->call, decided->reason);
}

void
journal_start(struct journal *journal, call_id call, const struct digest *bind)
{
	struct event *event = journal_begin(journal, EVENT_CALL_START);

	event_int(event, "call", (int64_t)call);
	event_digest(event, "bind", bind);
	journal_append(journal);
	if (journal_account(journal))
		account_start(journal_account(journal), call);
}

void
journal_end(struct journal *journal, call_id call, const char *outcome, struct untrusted result,
	int64_t ms)
{
	struct event *event = journal_begin(journal, EVENT_CALL_END);

	event_int(event, "call", (int64_t)call);
	event_str(event, "outcome", outcome);
	if (result.bytes)
		event_content(event, "result", result.bytes, result.len);
	else
		event_json(event, "result", "null", 4);
	event_int(event, "ms", ms);
	journal_append(journal);
	if (journal_account(journal))
		account_end(journal_account(journal), call, outcome);
}

static void
raised(struct jsonout *out, const struct journal_raise *raise)
{
	jsonout_key(out, "raised");
	jsonout_object(out);
	jsonout_key_str(out, "counter", raise->counter);
	jsonout_key_int(out, "from", raise->from);
	jsonout_key_int(out, "to", raise->to);
	jsonout_key_str(out, "who", raise->who);
	jsonout_key_int(out, "call", (int64_t)raise->call);
	jsonout_key(out, "admits");
	jsonout_array(out);
	for (size_t i = 0; i < raise->admit_count; i++)
		jsonout_int(out, (int64_t)raise->admits[i]);
	jsonout_array_end(out);
	jsonout_object_end(out);
}

void
journal_budget(struct journal *journal, unsigned run, const struct budget *budget,
	const struct journal_raise *raise)
{
	struct event *event = journal_begin(journal, EVENT_BUDGET);
	struct jsonout *out = &event->out;

	event_int(event, "run", run);
	jsonout_key(out, "counters");
	jsonout_array(out);
	for (size_t i = 0; i < budget_counters(budget); i++) {
		struct budget_counter counter;

		budget_counter(budget, i, &counter);
		jsonout_object(out);
		jsonout_key_str(out, "name", counter.name);
		jsonout_key_int(out, "used", counter.used);
		jsonout_key_int(out, "limit", counter.limit);
		jsonout_object_end(out);
	}
	jsonout_array_end(out);
	if (raise)
		raised(out, raise);
	journal_append(journal);
}
