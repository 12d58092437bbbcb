/*
 * lineedit.h - one line of typed text.
 *
 * Holds UTF-8 of at most a number of bytes; control characters do not get in.
 *
 * Knows:      canvas, keys, buf, text, utf8.
 * Unaware of: what it is for; Enter and Esc are its owner's.
 */
#ifndef TUI_LINEEDIT_H
#define TUI_LINEEDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/canvas.h"
#include "tui/keys.h"

struct lineedit;

/* allowed: the ASCII characters that may be typed, or NULL for all of Unicode that is drawn. */
struct lineedit *lineedit_new(size_t max_bytes, const char *allowed);
void lineedit_free(struct lineedit *edit); /* NULL is fine */

/* True when the key was for it (also when nothing fitted any more). */
bool lineedit_key(struct lineedit *edit, struct key key);
/* A paste: line breaks and tabs become spaces, other controls are dropped. */
void lineedit_paste(struct lineedit *edit, const char *bytes, size_t len);

const char *lineedit_text(const struct lineedit *edit); /* borrowed until the next change */
size_t lineedit_len(const struct lineedit *edit);
void lineedit_set(struct lineedit *edit, const char *text); /* "" clears */

/* On the first row of rect, with the cursor; what does not fit is scrolled. */
void lineedit_draw(
	struct lineedit *edit, struct canvas *canvas, struct rect rect, enum style style);

#endif
