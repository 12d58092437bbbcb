/*
 * turn_pane.h - a model's reply as it comes: the program in its colours, prose as the model's own
 * words, reasoning folded to a line, and how it went.
 *
 * Part of the program pane, which shows it while there is no newer program.
 *
 * Knows:      session, extract, pager, code.
 * Unaware of: attempts.
 */
#ifndef TUI_TURN_PANE_H
#define TUI_TURN_PANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/canvas.h"

struct pager;
struct session;
struct turn_pane;

struct turn_pane *turn_pane_new(void);
void turn_pane_free(struct turn_pane *pane); /* NULL is fine */

/* Is the latest thing a reply that goes on, or one that gave no program? */
bool turn_pane_has(const struct session *session);
/* Take in what is new.  Before drawing and commands. */
void turn_pane_refresh(struct turn_pane *pane, const struct session *session);
/* mono: the session's clock, for what is waited for. */
void turn_pane_draw(struct turn_pane *pane, const struct session *session, struct canvas *canvas,
	struct rect rect, int64_t mono);
/* "program · the model writes", at most size bytes. */
void turn_pane_title(const struct session *session, char *out, size_t size);

struct pager *turn_pane_pager(struct turn_pane *pane);
/* Reasoning in place of the reply, and back. */
bool turn_pane_has_reasoning(const struct session *session);
void turn_pane_switch(struct turn_pane *pane);

#endif
