/*
 * view_ask_inside.h - inside of view_ask: its struct, for its own files only.
 *
 * Knows:      sheet.
 * Unaware of: everything view_ask is unaware of.
 */
#ifndef TUI_VIEW_ASK_INSIDE_H
#define TUI_VIEW_ASK_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"
#include "tui/sheet.h"

struct session;
struct session_program;

#define ASK_BYTES_MAX (256 * 1024) /* a longer program is not shown whole, so not approved here */

struct view_ask {
	struct sheet sheet;
	char *text; /* of the program as it was laid out */
	size_t len;
	unsigned attempt;
	bool failed; /* it has ended: how to go on is asked */
	bool none;   /* this task has no program yet: how to go on is asked too */
	uint64_t seen_seq;
	size_t seen_turns; /* of a model, when none came */
	char *edit;        /* another text; NULL: none */
	size_t edit_len;
	bool model;    /* one writes the programs */
	bool wording;  /* the field is a word to it, not why to stop */
	bool stopping; /* asked whether to stop the run */
};

/* The text that a yes sends: the edit, or the program's. */
struct untrusted ask_text_now(const struct view_ask *self);
/* The latest program of the task that goes on; NULL: none came. */
const struct session_program *ask_program(const struct session *session);
/* Lays the document out; takes note of what program it is about. */
struct rows *ask_make(struct sheet *sheet, const struct view_scene *scene, int cols);

#endif
