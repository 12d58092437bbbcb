/*
 * term_kind.h - what kind of terminal $TERM names.
 *
 * Knows:      err, text; the terminal database.
 * Unaware of: the terminal itself.
 */
#ifndef TUI_TERM_KIND_H
#define TUI_TERM_KIND_H

#include <stdbool.h>

#include "core/base/attr.h"

struct err;

/* Is it one with a screen?  Fails with ERR_USAGE and says what TERM is. */
int term_kind_check(struct err *err) ATTR_CHECKED;
/* Does it take a title?  Others could show a title's bytes as text; the database does not say. */
bool term_kind_has_title(void);

#endif
