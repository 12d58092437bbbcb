/*
 * view_raise.h - a sheet that asks for a higher limit, for a call that met one.
 *
 * Knows:      sheet, session.
 * Unaware of: the connection.
 */
#ifndef TUI_VIEW_RAISE_H
#define TUI_VIEW_RAISE_H

struct arming;
struct session;
struct session_call;
struct view;

/* NULL when the call is held for no limit that stands still.  arming is borrowed. */
struct view *view_raise_new(const struct session *session, const struct session_call *call,
	const struct arming *arming);

#endif
