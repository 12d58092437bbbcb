/*
 * view_edit.h - the arguments of a held call, edited in place: a list of fields, one of them at a
 * time as a line of JSON.
 *
 * What is declared and was not given is listed too; an empty line gives an argument no more.
 * Nothing is sent before the person says so, and then as INTENT_EDITED.
 *
 * Knows:      view, json, pretty, rows, lineedit.
 * Unaware of: the connection; whether the tool takes what was written.
 */
#ifndef TUI_VIEW_EDIT_H
#define TUI_VIEW_EDIT_H

#include <stdint.h>

struct session;
struct session_call;
struct view;

/* NULL when the call's arguments cannot be read. */
struct view *view_edit_new(const struct session *session, const struct session_call *call);

uint64_t view_edit_call(const struct view *view);
/* The arguments as they stand here, as JSON; NULL when nothing was changed.  Gives memory. */
char *view_edit_text(const struct view *view);

#endif
