/*
 * view_grants.h - the grants and the rules of this run: what is in force, how much of it is left.
 *
 * Knows:      view, listbox, session.
 * Unaware of: the connection: to revoke is an intent.
 */
#ifndef TUI_VIEW_GRANTS_H
#define TUI_VIEW_GRANTS_H

struct view;

struct view *view_grants_new(void);

#endif
