/* program_lines.c - two tables: what calls that ended left, and that with the open ones added. */
#include "config.h"

#include "tui/program_lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/session.h"

struct program_lines {
	size_t count;
	struct line_calls *ended, *now; /* [number - 1] */
	size_t settled;                 /* calls before are in `ended` */
	uint64_t seq;                   /* of the session when it was counted */
	unsigned attempt;               /* that was counted */
};

struct program_lines *
program_lines_new(size_t count)
{
	struct program_lines *lines = mem_zero(1, sizeof(*lines));

	lines->count = count;
	lines->ended = mem_zero(count + 1, sizeof(*lines->ended));
	lines->now = mem_zero(count + 1, sizeof(*lines->now));
	return lines;
}

void
program_lines_free(struct program_lines *lines)
{
	if (!lines)
		return;
	free(lines->ended);
	free(lines->now);
	free(lines);
}

const struct line_calls *
program_line(const struct program_lines *lines, size_t number)
{
	return number >= 1 && number <= lines->count ? &lines->now[number - 1] : NULL;
}

static void
count_call(struct line_calls *line, const struct session_call *call)
{
	bool denied = call->verdict && strcmp(call->verdict, "deny") == 0;

	if (call->state == CALL_HELD)
		line->waiting++;
	else if (denied)
		line->denied++;
	else if (call->state != CALL_ENDED)
		line->running++;
	else if (call->outcome &&
		 (strcmp(call->outcome, "ok") == 0 || strcmp(call->outcome, "reused") == 0))
		line->ok++;
	else
		line->failed++;
}

static void
count_in(const struct program_lines *lines, struct line_calls *table,
	const struct session_call *call, unsigned attempt)
{
	if (call->attempt == attempt && call->line >= 1 && (size_t)call->line <= lines->count)
		count_call(&table[call->line - 1], call);
}

static enum line_gate
gate_of(const struct session_site *site)
{
	static const struct {
		const char *action;
		enum line_gate gate;
	} gates[] = {
		{ "allow", LINE_FREE },
		{ "depends", LINE_DEPENDS },
		{ "ask", LINE_ASKS },
		{ "deny", LINE_DENIES },
	};

	for (size_t i = 0; site->action && i < ARRAY_SIZE(gates); i++)
		if (strcmp(gates[i].action, site->action) == 0)
			return gates[i].gate;
	return LINE_DEPENDS;
}

static void
mark_gates(struct program_lines *lines, const struct session_program *program)
{
	for (size_t i = 0; i < program->site_count; i++) {
		const struct session_site *site = &program->sites[i];
		struct line_calls *line;

		if (site->line < 1 || (size_t)site->line > lines->count)
			continue;
		line = &lines->now[site->line - 1];
		if (gate_of(site) > line->gate)
			line->gate = gate_of(site);
	}
}

void
program_lines_count(struct program_lines *lines, const struct session *session,
	const struct session_program *program)
{
	size_t bytes = lines->count * sizeof(*lines->now);

	/* A replay may have gone back; the next attempt may have the same text. */
	if (session->seq < lines->seq || session->call_count < lines->settled ||
		program->attempt != lines->attempt) {
		memset(lines->ended, 0, bytes);
		lines->settled = 0;
	}
	lines->attempt = program->attempt;
	lines->seq = session->seq;
	while (lines->settled < session->call_count &&
		session->calls[lines->settled].state == CALL_ENDED)
		count_in(lines, lines->ended, &session->calls[lines->settled++], program->attempt);
	memcpy(lines->now, lines->ended, bytes);
	for (size_t i = lines->settled; i < session->call_count; i++)
		count_in(lines, lines->now, &session->calls[i], program->attempt);
	mark_gates(lines, program);
}
