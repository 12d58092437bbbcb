/*
 * view_bounds_inside.h - inside of view_bounds: its struct, for its own files only.
 *
 * Knows:      sheet, bound_list.
 * Unaware of: everything view_bounds is unaware of.
 */
#ifndef TUI_VIEW_BOUNDS_INSIDE_H
#define TUI_VIEW_BOUNDS_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/bound_list.h"
#include "tui/sheet.h"

enum rule_action { RULE_ASK, RULE_DENY, RULE_ALLOW, RULE_ACTIONS };

struct view_bounds {
	struct sheet sheet;
	bool rule; /* else a grant */
	uint64_t call;
	struct bound_list list;
	size_t selected; /* 0: the row above the arguments */
	int64_t n;       /* of a grant */
	enum rule_action action;
	char *text;  /* what a yes sends, as it was laid out; NULL: nothing can be */
	char *wrong; /* why not, our words; NULL: it can */
};

const char *rule_action_word(enum rule_action action);
/* Lays the document out; makes text and wrong. */
struct rows *bounds_make(struct sheet *sheet, const struct view_scene *scene, int cols);

#endif
