/*
 * Only what the document shows can make its frame another one.  Where a part of that is not in the
 * record, no verdict is given: a frame that differs then proves nothing.
 */
#include "config.h"

#include "tui/seen.h"

#include <string.h>

#include "core/base/err.h"
#include "core/session/replay.h"
#include "tui/document.h"

#define COLS_MAX 4096 /* no screen is wider */
#define ROWS_UNKNOWN 24

/* Is a content that the document of this call shows not here? */
static bool
is_withheld(const struct session *session, const struct session_call *call)
{
	const struct session_tool *tool = session_tool(session, call->tool);
	const struct session_call *last = session_last_approved(session, call->tool, call->number);
	const struct session_call *first = session_call(session, call->repeat_of);

	if (first && (first->result.missing || first->args.missing))
		return true;
	if (session->task.missing || call->args.missing || (tool && tool->definition.missing) ||
		(last && last->args.missing) || call->more->asked.missing)
		return true;
	for (size_t i = 0; i < session->program_count; i++)
		if (session->programs[i].attempt == call->attempt &&
			session->programs[i].text.missing)
			return true;
	return false;
}

static enum text_mode
mode_of(const struct session_shown *shown)
{
	return shown->console && !shown->strict ? TEXT_TEXT : TEXT_STRICT;
}

enum seen_verdict
seen_check(const struct session *session, uint64_t number, const struct session_shown *shown)
{
	const struct session_call *call = session_call(session, number);
	struct document document;
	bool same;

	if (!shown->console)
		return SEEN_NEVER;
	if (!call || shown->cols < 1 || shown->cols > COLS_MAX)
		return SEEN_DIFFERENT;
	if (is_withheld(session, call))
		return SEEN_WITHHELD;
	document_make(&document, session, call, (unsigned)shown->cols, (unsigned)shown->rows,
		mode_of(shown));
	same = digest_equal(&document.frame, &shown->frame);
	document_release(&document);
	return same ? SEEN_SAME : SEEN_DIFFERENT;
}

int
seen_look(struct replay *replay, uint64_t number, struct seen *seen, struct err *err)
{
	const struct session *now = replay_session(replay);
	uint64_t seq = now->seq;

	memset(seen, 0, sizeof(*seen));
	seen->call = number;
	seen->after = replay_call_at_end(replay, number, err);
	if (!seen->after)
		return -1;
	(void)replay_load(replay, number);
	seen->shown = session_call(now, number)->more->shown;
	if (seen->shown.console)
		seq = seen->shown.seen_seq;
	seen->session = replay_session_at(replay, seq, number, err);
	if (!seen->session)
		return -1;
	seen->verdict = seen_check(seen->session, number, &seen->shown);
	return 0;
}

void
seen_document(const struct seen *seen, unsigned cols, struct document *document)
{
	unsigned rows = seen->shown.console ? (unsigned)seen->shown.rows : 0;

	document_make(document, seen->session, session_call(seen->session, seen->call), cols,
		rows ? rows : ROWS_UNKNOWN, mode_of(&seen->shown));
}
