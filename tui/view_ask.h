/*
 * view_ask.h - the program as a whole, where a person decides on it: before it runs, and on how to
 * go on after it failed.
 *
 * Another text that came back from the editor is shown as a difference, and is what a yes sends.
 *
 * Knows:      sheet, session, difference.
 * Unaware of: the connection, the editor.
 */
#ifndef TUI_VIEW_ASK_H
#define TUI_VIEW_ASK_H

#include <stdbool.h>

#include "core/base/text.h"

struct arming;
struct session;
struct view;

struct view *view_ask_new(const struct arming *arming);
bool view_is_ask(const struct view *view);
/* The text a person edits next: the one that came back before, or the program's.  Borrowed. */
struct untrusted view_ask_text(const struct view *view, const struct session *session);
/* What came back; the same as the program's takes the edit back. */
void view_ask_edited(struct view *view, const struct session *session, struct untrusted text);

#endif
