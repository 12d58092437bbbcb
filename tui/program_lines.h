/*
 * program_lines.h - what happened at each line of a program, and which lines' calls are gated.
 *
 * Calls that have ended are counted once; the open ones anew whenever the session changed.
 *
 * Knows:      session, mem.
 * Unaware of: how lines are drawn.
 */
#ifndef TUI_PROGRAM_LINES_H
#define TUI_PROGRAM_LINES_H

#include <stddef.h>
#include <stdint.h>

struct program_lines;
struct session;
struct session_program;

/* What the forecast says of a line's calls, the strictest of them. */
enum line_gate { LINE_FREE, LINE_DEPENDS, LINE_ASKS, LINE_DENIES };

struct line_calls {
	unsigned ok, waiting, running, denied, failed;
	enum line_gate gate;
};

struct program_lines *program_lines_new(size_t count);
void program_lines_free(struct program_lines *lines); /* NULL is fine */
/* The program's sites and calls as the session has them now. */
void program_lines_count(struct program_lines *lines, const struct session *session,
	const struct session_program *program);
/* Lines from 1; NULL when there is no such line. */
const struct line_calls *program_line(const struct program_lines *lines, size_t number);

#endif
