/*
 * view_approval_inside.h - inside of the approval pane: the one struct its files share.
 *
 * view_approval.c is its life, what it presents and what its commands do; view_approval_field.c the
 * fields a person types into; view_approval_paint.c what is drawn.
 *
 * Knows:      view, document, arming, lineedit.
 * Unaware of: app.
 */
#ifndef TUI_VIEW_APPROVAL_INSIDE_H
#define TUI_VIEW_APPROVAL_INSIDE_H

#include "core/base/hash.h"
#include "core/record/event.h"
#include "tui/document.h"
#include "tui/view.h"

struct arming;
struct lineedit;

#define APPROVAL_FRAME_ROWS 4 /* two borders, the divider and the last row */
#define APPROVAL_PAD 1

enum approval_field { FIELD_NONE, FIELD_CODE, FIELD_REASON, FIELD_STOP };

struct view_approval {
	struct view view;
	const struct arming *arming;
	uint64_t call;
	struct digest bind;
	bool wants_code, sent;
	char code[EVENT_CODE_SIZE];
	struct document document;
	uint64_t seen_seq;
	int cols, screen_rows;
	enum text_mode mode;
	size_t top;
	int height; /* rows of the document in the last painting */
	enum approval_field field;
	struct lineedit *edit;
	const char *blocked; /* by the terminal */
	char *said;
};

/* --- view_approval.c --- */
const char *approval_blocked(const struct view_approval *self); /* our words, or NULL */

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
