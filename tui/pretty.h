/*
 * pretty.h - JSON laid out for a person to edit, and read again.
 *
 * A member or element a line, two spaces a level; scalars and names as they stand in the source, so
 * numbers keep every digit.  Characters that a screen does not draw as themselves (text.h, text
 * mode) become \u escapes: read again, the value is equal.
 *
 * Knows:      json, text, utf8, buf.
 * Unaware of: editors.
 */
#ifndef TUI_PRETTY_H
#define TUI_PRETTY_H

#include "core/base/json.h"

struct buf;

/* Appends the value and a line break. */
void pretty_json(struct json_value value, struct buf *out);
/* One value on one line, without a line break. */
void pretty_line(struct json_value value, struct buf *out);

#endif
