/*
 * What a person does to a call that waits, other than deciding it: other arguments, more time; and
 * their absence.  An edit is checked in full before anything is changed, and is on the disk before
 * the request is answered: whoever asks sees the new bind.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/policy.h"
#include "core/gate/schema.h"
#include "core/run/calls_state.h"
#include "core/run/journal.h"
#include "core/tools/tool.h"

/* The person's text as the bytes it would run with, in calls->args; the document for the rules. */
static struct json *
read_args(struct call *call, const struct calls_edit *edit, struct err *err)
{
	struct calls *calls = call->calls;
	AUTO_JSON struct json *doc = json_read(edit->args, edit->args_len, err);
	char why[256];

	if (!doc) {
		(void)!err_within(err, "the edited arguments");
		return NULL;
	}
	if (json_kind(json_root(doc)) != JSON_OBJECT) {
		err_set(err, ERR_FORMAT, "the edited arguments must be a JSON object");
		return NULL;
	}
	if (schema_check(call->tool->input, json_root(doc), why, sizeof(why)) == SCHEMA_NO) {
		err_set(err, ERR_FORMAT, "the edited arguments do not fit the tool's schema: %s",
			why);
		return NULL;
	}
	buf_clear(&calls->args);
	strict_compact(edit->args, edit->args_len, &calls->args);
	return MEM_GIVE(doc);
}

static bool
same_bytes(const struct buf *buf, const char *bytes, size_t len)
{
	return bytes && buf->len == len && memcmp(buf->data, bytes, len) == 0;
}

/* What the change would be, all but its ruling; -1: there is none to make. */
static int
prepare(struct call *call, const struct gate_call *held, struct gate_change *change,
	struct content *content, struct err *err)
{
	struct calls *calls = call->calls;

	if (same_bytes(&calls->args, held->args, held->args_len))
		return err_set(err, ERR_REFUSED, "call %llu has these arguments already",
			(unsigned long long)call->number);
	change->back = same_bytes(&calls->args, held->asked, held->asked_len);
	change->args = calls->args.data;
	change->args_len = calls->args.len;
	change->bind = call->asked_bind;
	if (change->back)
		return 0;
	content_make(content, calls->args.data, calls->args.len);
	event_bind(calls->parts.session_id, call->number, call->tool->facts.full,
		&call->tool->facts.sha256, &content->commitment, &change->bind);
	return 0;
}

/* No frame that was shown before counts for the new bytes. */
static void
become(struct call *call, const struct gate_change *change)
{
	free(call->edited);
	call->edited = change->back ? NULL : mem_strn(change->args, change->args_len);
	call->edited_len = change->back ? 0 : change->args_len;
	call->args_len = change->args_len;
	call->bind = change->bind;
	call->edits += !change->back;
	memset(call->shown, 0, sizeof(call->shown));
}

static void
record_change(const struct call *call, const struct gate_change *change,
	const struct content *content, const char *who)
{
	struct journal *journal = call->calls->parts.journal;
	const struct ruling *ruling = change->ruling;
	struct journal_edited event = {
		.call = call->number,
		.edit = call->edits,
		.args = untrusted(change->args, change->args_len),
		.content = change->back ? NULL : content,
		.bind = &change->bind,
		.who = who,
		.confirm_code = ruling->confirm_code || call->tool->facts.destructive_marked,
		.person_only = ruling->person_only,
	};

	journal_edited(journal, &event);
	journal_ruled(journal, call->number, ruling);
}

static int
apply(struct call *call, struct gate_change *change, const struct content *content, const char *who,
	struct err *err)
{
	struct calls *calls = call->calls;
	struct gate_verdict denied;
	int outcome = gate_edit(calls->gate, change, &denied, err);

	if (outcome < 0)
		return -1;
	become(call, change);
	record_change(call, change, content, who);
	if (outcome == GATE_DENIED)
		calls_denied_by_gate(calls, &denied);
	return 0;
}

static int
edit_held(struct call *call, const struct gate_call *held, const struct calls_edit *edit,
	struct err *err)
{
	struct gate_change change = { .call = call->number, .seen = edit->bind };
	AUTO_JSON struct json *doc = NULL;
	struct ruling ruling = { 0 };
	struct content content = { 0 };
	struct calls_edit asked = *edit;
	int failed;

	if (edit->back) {
		asked.args = held->asked;
		asked.args_len = held->asked_len;
	}
	doc = read_args(call, &asked, err);
	if (!doc || prepare(call, held, &change, &content, err) < 0)
		return -1;
	policy_rule(call->calls->policy, &call->tool->facts, json_root(doc), &ruling);
	change.ruling = &ruling;
	failed = apply(call, &change, &content, edit->who, err);
	ruling_release(&ruling);
	return failed;
}

int
calls_edit(struct calls *calls, const struct calls_edit *edit, struct err *err)
{
	struct gate_call held;
	struct call *call;

	calls_arm_deadline(calls);
	call = call_find(calls, edit->call);
	if (gate_waits(calls->gate, edit->call, &edit->bind, &held, err) < 0)
		return -1;
	if (edit->back && !held.asked)
		return err_set(
			err, ERR_STATE, "call %llu was not edited", (unsigned long long)edit->call);
	if (edit_held(call, &held, edit, err) < 0)
		return -1;
	calls_arm_deadline(calls);
	calls_changed(calls);
	return journal_flush(calls->parts.journal, true, err);
}

int
calls_extend(struct calls *calls, call_id call, int64_t ms, const char *who, struct err *err)
{
	calls_arm_deadline(calls);
	if (gate_extend(calls->gate, call, ms, err) < 0)
		return -1;
	journal_extended(calls->parts.journal, call, ms, who);
	calls_arm_deadline(calls);
	return 0;
}

/* --- absence --- */

/* One after the other: releasing one may change what holds the next. */
static void
let_go(struct calls *calls)
{
	struct permit *permit;
	struct gate_verdict verdict;

	while (gate_next_away(calls->gate, &permit, &verdict)) {
		if (permit)
			call_allowed(call_find(calls, verdict.call), verdict.by, permit);
		else
			calls_denied_by_gate(calls, &verdict);
	}
}

int
calls_away(struct calls *calls, bool away, const char *who, struct err *err)
{
	if (calls->parts.no_ask)
		return err_set(err, ERR_REFUSED,
			"this run was started with --no-ask: it waits for nobody");
	if (away == gate_is_away(calls->gate))
		return 0;
	calls_arm_deadline(calls);
	gate_away(calls->gate, away, loop_now(calls->parts.loop));
	journal_away(calls->parts.journal, away, who);
	calls_changed(calls);
	let_go(calls);
	calls_arm_deadline(calls);
	calls_changed(calls);
	return 0;
}

bool
calls_are_away(const struct calls *calls)
{
	return gate_is_away(calls->gate);
}
