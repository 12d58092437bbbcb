/*
 * view_approval_inside.h - inside of the approval pane: the one struct its files share.
 *
 * view_approval.c is its life, what it presents and what its commands do; view_approval_parts.c the
 * documents of its calls, one below the other; view_approval_field.c the fields a person types
 * into; view_approval_paint.c what is drawn around the documents.
 *
 * Knows:      view, document, arming, lineedit.
 * Unaware of: app.
 */
#ifndef TUI_VIEW_APPROVAL_INSIDE_H
#define TUI_VIEW_APPROVAL_INSIDE_H

#include "core/base/hash.h"
#include "core/record/event.h"
#include "tui/coverage.h"
#include "tui/document.h"
#include "tui/view.h"

struct arming;
struct find;
struct lineedit;
struct session;
struct session_call;

#define APPROVAL_FRAME_ROWS 4 /* two borders, the divider and the last row */
#define APPROVAL_PAD 1

enum approval_field { FIELD_NONE, FIELD_CODE, FIELD_REASON, FIELD_COMMENT, FIELD_STOP };

struct approval_part { /* one call of those that are decided together */
	uint64_t call;
	struct digest bind;
	bool wants_code, repeat, over_budget, edited, has_limit;
	const char *no_grant; /* our words; NULL: a grant can be made */
	bool compares;        /* a call of this tool was approved before */
	struct document document;
	size_t bytes_at; /* of its arguments, among those of all parts */
};

struct approval_found { /* of a search: a row of all parts, and columns in it */
	size_t row;
	int col, cols; /* cols 0: nothing is found */
};

struct view_approval {
	struct view view;
	const struct arming *arming;
	struct approval_part *parts;
	size_t count; /* at least one */
	bool sent;
	char code[EVENT_CODE_SIZE]; /* of the first part */
	uint64_t seen_seq;
	int cols, screen_rows;
	enum text_mode mode;
	size_t top;
	int height; /* rows of the documents in the last painting */
	struct approval_found found;
	enum approval_field field;
	struct lineedit *edit;
	char *comment;       /* goes with the decision; NULL: none */
	const char *blocked; /* by the terminal */
	bool read_only;      /* it allows no denial either */
	char *said;
};

/* --- view_approval.c --- */
const char *approval_blocked(const struct view_approval *self); /* our words, or NULL */

/* --- view_approval_parts.c --- */
void approval_part_present(
	struct view_approval *self, struct approval_part *part, const struct session *session);
size_t approval_rows(const struct view_approval *self); /* of all parts, with their heads */
void approval_parts_draw(const struct view_approval *self, struct canvas *canvas, struct rect rect);
void approval_parts_seen(const struct view_approval *self, struct coverage *seen);
/* The next row, or the one before, around the ends; brings it into sight. */
bool approval_parts_find(struct view_approval *self, struct find *find);
size_t approval_part_covered(const struct view_approval *self, const struct approval_part *part);

/* --- view_approval_field.c --- */
void approval_field_open(struct view_approval *self, enum approval_field field);
void approval_field_leave(struct view_approval *self);
enum map approval_field_map(const struct view_approval *self);
bool approval_field_key(struct view_approval *self, struct key key);
enum view_reply approval_field_run(
	struct view_approval *self, enum command command, struct intent *out);
void approval_field_draw(struct view_approval *self, struct canvas *canvas, struct rect rect);

/* --- view_approval_paint.c --- */
size_t approval_last_top(const struct view_approval *self);
void approval_title(struct view *view, const struct view_scene *scene, char *out, size_t size);
void approval_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene);

#endif
