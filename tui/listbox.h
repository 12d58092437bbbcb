/*
 * listbox.h - a list of rows of which one is selected and some are in view.
 *
 * Follows the end while the last row is selected.
 *
 * Knows:      canvas, command.
 * Unaware of: what a row is: its owner draws it.
 */
#ifndef TUI_LISTBOX_H
#define TUI_LISTBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/canvas.h"
#include "tui/command.h"

struct listbox {
	size_t count, selected, top; /* read freely; change through the functions */
	int height;                  /* rows of the last drawing */
	bool following;
};

/* Draws row i at rect (one row high); selected rows are restyled afterwards. */
typedef void (*listbox_row_fn)(
	struct canvas *canvas, struct rect rect, size_t i, bool selected, void *arg);

void listbox_init(struct listbox *list);
void listbox_set_count(struct listbox *list, size_t count);
void listbox_select(struct listbox *list, size_t i);
bool listbox_command(struct listbox *list, enum command command); /* true when it was for it */
/* Would the command move anything? */
bool listbox_offers(const struct listbox *list, enum command command);
void listbox_draw(struct listbox *list, struct canvas *canvas, struct rect rect, listbox_row_fn row,
	void *arg);

#endif
