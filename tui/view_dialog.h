/*
 * view_dialog.h - a question in the middle of the screen: how to leave, whether to stop the run.
 *
 * Knows:      view, bar, session.
 * Unaware of: app.
 */
#ifndef TUI_VIEW_DIALOG_H
#define TUI_VIEW_DIALOG_H

struct view;

struct view *view_dialog_leave(void);
struct view *view_dialog_stop(void);
struct view *view_dialog_stop_run(const char *name); /* another one than is open; copied */

#endif
