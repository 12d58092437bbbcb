/*
 * sheet.h - the common part of every dialog that asks for a yes: a document of rows, its scrolling,
 * one text field, and a last row that says what can be done now.
 *
 * What must be painted before a yes are the rows of the document, all of them.  A dialog begins
 * with a struct sheet, names its own part in struct sheet_ops and hands sheet_guard to its
 * view_ops.
 *
 * Knows:      guard, arming, rows, lineedit, keymap.
 * Unaware of: what is asked; the connection.
 */
#ifndef TUI_SHEET_H
#define TUI_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"
#include "tui/guard.h"

struct arming;
struct lineedit;
struct rows;
struct sheet;

struct sheet_hint { /* what a key does here, in our words */
	enum command command;
	const char *words;
};

struct sheet_ops {
	/* Gives finished rows; may note where its parts stand. */
	struct rows *(*make)(struct sheet *sheet, const struct view_scene *scene, int cols);
	/* Does what was laid out hold for the session as it is?  NULL: always. */
	bool (*stands)(const struct sheet *sheet, const struct view_scene *scene);
	/* Why no yes is possible, our words; NULL: it is. */
	const char *(*blocked)(const struct sheet *sheet);
	void (*yes)(struct sheet *sheet, struct intent *out);
	const struct sheet_hint *hints; /* the most important first */
	size_t hint_count;
};

struct sheet {
	struct view view;
	const struct sheet_ops *ops;
	const struct arming *arming; /* borrowed; outlives the view */
	struct rows *rows;           /* NULL: not laid out yet */
	int cols;
	enum text_mode mode, other; /* other: what `u` switches to and back */
	size_t top;
	int height;              /* rows of the document in the last painting; 0: none whole */
	size_t lit_from, lit_to; /* rows drawn as selected, to exclusive; equal: none */
	bool sent, read_only;
	const char *blocked; /* by the terminal */
	struct lineedit *field;
	const char *field_label; /* our words */
	bool wording;            /* the field takes free words */
	char *said;              /* our words, until the next key */
};

extern const struct guard_ops sheet_guard;

void sheet_init(struct sheet *sheet, const struct view_ops *view, const struct sheet_ops *ops,
	const struct arming *arming);
void sheet_release(struct sheet *sheet);

void sheet_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene);
/* Another question than was shown: app lays it out and arms anew. */
void sheet_ask_anew(struct sheet *sheet, struct intent *out);
void sheet_say(struct sheet *sheet, const char *words); /* our words; NULL: none */
/* Bring rows into sight. */
void sheet_show_rows(struct sheet *sheet, size_t from, size_t to);

/* Commands that look: scrolling, the text mode.  VIEW_IGNORED: not one of them. */
enum view_reply sheet_look(struct sheet *sheet, enum command command, struct intent *out);
bool sheet_offers_look(const struct sheet *sheet, enum command command);

/* The field: its owner takes ACCEPT and BACK in MAP_FIELD. */
void sheet_field_open(struct sheet *sheet, const char *label, const char *text, bool wording);
void sheet_field_close(struct sheet *sheet);
bool sheet_key(struct view *view, struct key key);
bool sheet_typing(const struct view *view);

#endif
