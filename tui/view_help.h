/*
 * view_help.h - the keys that work now and what they do, made from the command table.
 *
 * Knows:      view_page, keymap, command, rows.
 * Unaware of: which commands work: app says.
 */
#ifndef TUI_VIEW_HELP_H
#define TUI_VIEW_HELP_H

#include <stdbool.h>

#include "tui/command.h"
#include "tui/keymap.h"

struct view;

/* works[command]: does it do something where the keys of this map are taken?  Copied.  before: the
 * map whose keys are looked at first, MAP_COUNT without. */
struct view *view_help_new(enum map map, enum map before, const bool works[COMMAND_COUNT]);

#endif
