/*
 * author.h - the model as the author of a run's programs: asked, streamed into the record, read.
 *
 * One request at a time.  A request is counted and recorded before it is sent; a reply that was
 * cut, refused or filtered, or that holds no program, is never one.  A reply without a program goes
 * back by itself, as a repair does, while repairs are left.
 *
 * Knows:      model, extract, prompt, budget, journal, account, configuration.
 * Unaware of: sandboxes, consoles, what becomes of a program.
 * Calls back: the hooks, from the loop or from inside author_task(), author_repair() and
 *             author_answer().
 */
#ifndef CORE_RUN_AUTHOR_H
#define CORE_RUN_AUTHOR_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/attr.h"
#include "core/base/text.h"

struct account;
struct author;
struct author_failure; /* author_prompt.h */
struct calls;
struct config;
struct err;
struct http;
struct journal;
struct loop;
struct registry;

struct author_hooks {
	void (*on_program)(struct untrusted text, void *arg);
	void (*on_answer)(struct untrusted text, void *arg);
	/* There is no program, or no answer.  outcome: of run.end, "model" or "budget"; why: for
	 * people. */
	void (*on_failed)(const char *outcome, const char *why, void *arg);
	void *arg;
};

struct author_parts { /* borrowed, outlive the author */
	struct loop *loop;
	struct http *http; /* NULL for a script */
	const struct config *config;
	struct journal *journal;
	const struct registry *registry; /* its tools stand */
	struct account *account;
	const char *key; /* copied; NULL: none */
};

struct author *author_new(const struct author_parts *parts, const struct author_hooks *hooks,
	struct err *err) ATTR_CHECKED;
void author_free(struct author *author); /* NULL is fine */

/* A run begins: calls (borrowed until the next) say what is left and what is gated. */
void author_run(struct author *author, unsigned run, struct calls *calls, struct untrusted task);

/* May the model mend one more by itself? */
bool author_may_repair(const struct author *author);
/* Ask for another program.  Without a word of a person it is one of max_repairs. */
void author_repair(struct author *author, const struct author_failure *failure);
/* Ask once more for what failed to come, with a person's word (may be NULL). */
void author_again(struct author *author, const char *word);
/* Ask for an answer in words to what the program printed. */
void author_answer(struct author *author, struct untrusted printed);
/* The program ended well and nothing of it goes back: only that it did. */
void author_done(struct author *author);

/* The reply of this turn is wanted no more: on_failed follows.  ERR_STATE when it is not going. */
int author_cancel(struct author *author, unsigned turn, struct err *err) ATTR_CHECKED;
/* The run is ending: what goes on is dropped, its end recorded. */
void author_stop(struct author *author);

#endif
