/*
 * editor.h - a person's own editor on one text, as a child of the console.
 *
 * The text lies in a file (0600) in a folder of its own (0700) in $XDG_RUNTIME_DIR, $TMPDIR or
 * /tmp; whatever the editor leaves in that folder goes with it, on every way out, by a signal too.
 * The editor is $VISUAL, else $EDITOR (words as a shell splits them, quotes too, but no shell),
 * else vi or nano; it runs with the person's own environment, in a process group of its own that
 * has the terminal.
 *
 * Knows:      tty, loop, io, buf, err, mem.
 * Unaware of: the screen; what the text is for.
 * Calls back: on_end, from the loop, once for each editor_open() that succeeded.
 */
#ifndef TUI_EDITOR_H
#define TUI_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/attr.h"

struct editor;
struct err;
struct loop;

#define EDITOR_BYTES_MAX (4 * 1024 * 1024) /* a longer text is not read back */

struct editor_end {
	const char *text; /* as it was left, borrowed; NULL: it did not end well, words say how */
	size_t len;
	bool changed;      /* text differs from what was handed in */
	const char *words; /* one line: why there is no text; NULL with a text */
	const char *left;  /* what could not be removed, and why; NULL: all is gone */
};

struct editor_request {
	const char *name; /* of the file, our words: "call-4.json" */
	const char *text;
	size_t len;
	void (*on_end)(const struct editor_end *end, void *arg);
	void *arg;
};

/* One a loop: it listens for SIGCHLD as long as the loop lives. */
struct editor *editor_new(struct loop *loop);
/* An editor that runs is ended (SIGHUP, then SIGKILL) and its folder removed; on_end is not
 * called.  NULL is fine. */
void editor_free(struct editor *editor);
bool editor_runs(const struct editor *editor);

/*
 * The terminal must have been given away (term_suspend).  Fails, with everything undone, with
 * ERR_MISSING when there is no editor, ERR_STATE when one runs, ERR_SYSTEM when the file cannot be
 * made or the editor not be started.
 */
int editor_open(
	struct editor *editor, const struct editor_request *request, struct err *err) ATTR_CHECKED;

#endif
