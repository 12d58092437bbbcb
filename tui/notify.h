/*
 * notify.h - the program of the person's own that is started when a call begins to wait.
 *
 * It gets the words of the configuration, then the session's name and the call's number, and
 * nothing else of the session: a short environment, /dev/null as 0 1 2, a session of its own, no
 * shell.  At most one in 10 s, and none while one still runs.
 *
 * Knows:      loop, clock, mem.
 * Unaware of: sessions, the screen, what the program does.
 * Calls back: on_failed once in a notifier's life, from the loop or from notify().
 */
#ifndef TUI_NOTIFY_H
#define TUI_NOTIFY_H

#include <stdint.h>

struct loop;
struct notifier;

struct notifier_request {
	const char *const *argv; /* NULL-terminated, at least one; borrowed, as folder */
	const char *folder;      /* absolute: where it runs */
	void (*on_failed)(const char *why, void *arg); /* our words, with the program's name */
	void *arg;
};

struct notifier *notifier_new(struct loop *loop, const struct notifier_request *request);
void notifier_free(struct notifier *notifier); /* NULL is fine; one that runs goes on */

/* A call of this session waits.  A name that is no name of a session of ours is left out: id. */
void notify(struct notifier *notifier, const char *name, const char *id, uint64_t call);

#endif
