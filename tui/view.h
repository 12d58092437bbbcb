/*
 * view.h - what every area of the screen offers to app.
 *
 * A view reads the session through a const pointer.  It changes nothing: what the person decided
 * leaves the view as an intent, and app alone acts on it.  Painting depends on the view, the
 * session and the scene, and on nothing else.
 *
 * Knows:      canvas, command, find, keymap, keys, session.
 * Unaware of: the terminal, the loop, the connection.
 */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/canvas.h"
#include "tui/command.h"
#include "tui/find.h"
#include "tui/keymap.h"
#include "tui/keys.h"

struct guard_ops;
struct session;
struct view;

enum view_reply {
	VIEW_IGNORED, /* offer the command to the view below */
	VIEW_DONE,    /* handled, nothing to repaint */
	VIEW_DIRTY,   /* handled, repaint */
	VIEW_CLOSE,   /* handled, take me off the stack */
};

enum intent_kind {
	INTENT_NONE,
	INTENT_OPEN,      /* open the approval pane: call, or 0 for the first that waits */
	INTENT_DETAIL,    /* show everything known of call */
	INTENT_EXPLAIN,   /* show the rules of call */
	INTENT_APPROVE,   /* call, with code when it wants one */
	INTENT_DENY,      /* call, with reason, and stop */
	INTENT_REUSE,     /* answer call, a repeat, with the earlier result */
	INTENT_EDIT,      /* call's arguments in the person's editor */
	INTENT_EDIT_HERE, /* the same in place */
	INTENT_EDITED,    /* text: the arguments that call shall have */
	INTENT_UNEDIT,    /* call's arguments as they were asked */
	INTENT_EXTEND,    /* more time for call */
	INTENT_DIFF,      /* what differs between call and the last approved one of its tool */
	INTENT_AGAIN,     /* what is presented looks different now: arm anew */
	INTENT_FULL,      /* whole screen and back */
	INTENT_DETACH,    /* leave; the run goes on */
	INTENT_STOP,      /* stop the run */
	INTENT_STOP_LEAVE,
	INTENT_OPEN_MANY,    /* open the pane on calls, to decide them together */
	INTENT_RUN,          /* open another run: text is its id; call, or 0 */
	INTENT_RUN_STOP,     /* stop the run of this id, once that is confirmed */
	INTENT_GRANT_ASK,    /* ask for a grant on the occasion of call */
	INTENT_RULE_ASK,     /* make a rule from call */
	INTENT_GRANT,        /* call, and number more within the bounds of text */
	INTENT_RULE,         /* a rule (text) that does word, made from call */
	INTENT_REVOKE,       /* the grant of this number */
	INTENT_RAISE_ASK,    /* ask to raise the limit that call met */
	INTENT_RAISE,        /* counter (text) from its limit to number, for call */
	INTENT_PROGRAM,      /* the verdict (word) on the program; text: a reason, or a program */
	INTENT_PROGRAM_EDIT, /* the program in the person's editor */
};

struct intent {
	enum intent_kind kind;
	uint64_t call;
	const char *text; /* reason or code: the view's, until its next change; NULL: none */
	bool stop;
	const uint64_t *calls; /* the view's, until its next change */
	size_t call_count;
	const char *word; /* a verdict or an action, as requests name it */
	int64_t number;   /* of INTENT_PROGRAM: the newest event in what was shown */
	int64_t before;   /* of INTENT_RAISE: the limit as it was shown */
};

/* What a view is painted with besides its own state. */
struct view_scene {
	const struct session *session;
	const struct keymap *keymap;
	int64_t mono; /* the session's clock now, ns */
	int64_t now;  /* the console's clock now, ns */
	bool focused;
	int64_t utc;                 /* time of day, ns since 1970 */
	const char *elsewhere;       /* our words on what waits in other runs; NULL: nothing does */
	const char *elsewhere_short; /* the same where there is little room */
};

struct view_ops {
	void (*free)(struct view *view);
	/* Our words for the border, at most size bytes with the NUL. */
	void (*title)(struct view *view, const struct view_scene *scene, char *out, size_t size);
	enum map (*map)(const struct view *view);
	enum view_reply (*run)(struct view *view, enum command command, struct intent *out);
	/* Keys that the map does not bind, while something is typed; NULL: none. */
	bool (*key)(struct view *view, struct key key);
	bool (*typing)(const struct view *view); /* a text field has the focus; NULL: never */
	/* Does this command do something now?  For hints and help. */
	bool (*offers)(const struct view *view, enum command command);
	/* On from where the last search was, around the ends.  False: not found.  NULL: no search
	 * here. */
	bool (*search)(struct view *view, struct find *find);
	/* Show only rows that hold these words ("": all); NULL asks.  Gives the words in force,
	 * borrowed.  The member is NULL where there is nothing to filter. */
	const char *(*filter)(struct view *view, const char *words);
	void (*paint)(struct view *view, struct canvas *canvas, struct rect rect,
		const struct view_scene *scene);
	const struct guard_ops *guard; /* NULL: no yes is asked for here (guard.h) */
};

struct view { /* the first member of every view */
	const struct view_ops *ops;
};

static inline void
view_free(struct view *view) /* NULL is fine */
{
	if (view)
		view->ops->free(view);
}

static inline bool
view_typing(const struct view *view)
{
	return view->ops->typing && view->ops->typing(view);
}

#endif
