/*
 * fleet.h - all sessions of this user: those going on, folded as their records grow, and records.
 *
 * Reads files only: no supervisor is asked, and none knows that it is looked at.  What grows is
 * told by inotify, so that a fleet at rest costs nothing.
 *
 * Knows:      loop, record/store, record/reader, session, summary.
 * Unaware of: the screen, sockets.
 * Calls back: from the loop; a hook may not free the fleet.
 */
#ifndef TUI_FLEET_H
#define TUI_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/record/store.h"
#include "core/session/summary.h"

struct err;
struct fleet;
struct loop;
struct session;

struct fleet_run {
	char id[SESSION_ID_SIZE];
	char *name, *record_path;
	bool live;  /* a supervisor writes its record */
	bool known; /* read up to what there was: what stands below counts */
	/* Of a live one: its fold, without what the program printed.  NULL: look at the summary. */
	const struct session *session;
	struct summary summary; /* of what has ended */
	int64_t began;          /* UTC ns; 0: unknown */
	const char *fault;      /* why its record is read no further; NULL */
};

struct fleet_hooks {
	void (*on_change)(void *arg);
	/* A call of another run than the attended one has begun to wait. */
	void (*on_held)(const struct fleet_run *run, uint64_t call, void *arg);
	void *arg;
};

/* NULL: the state folder cannot be used. */
struct fleet *fleet_new(
	struct loop *loop, const struct fleet_hooks *hooks, struct err *err) ATTR_CHECKED;
void fleet_free(struct fleet *fleet);                 /* NULL is fine */
struct store *fleet_store(const struct fleet *fleet); /* borrowed */

/* From now on the records too; they come in a few at a time. */
void fleet_want_records(struct fleet *fleet);

/* This run is folded by its console already: borrow that fold in place of an own one.  NULL: none
 * is; must be said before the fold goes. */
void fleet_attend(struct fleet *fleet, const char *id, const struct session *session);

/* Those that wait, the one that has waited longest first; then going on, then records, newest
 * first.  A run is borrowed until the fleet changes. */
const struct fleet_run *const *fleet_runs(const struct fleet *fleet, size_t *count);
const struct fleet_run *fleet_find(const struct fleet *fleet, const char *id); /* NULL: none */
bool fleet_complete(const struct fleet *fleet);       /* nothing is still being read */
uint64_t fleet_generation(const struct fleet *fleet); /* grows with each change */

size_t fleet_run_waiting(const struct fleet_run *run);
/* The run's own clock at this time of day (UTC ns). */
int64_t fleet_run_mono(const struct fleet_run *run, int64_t utc);

#endif
