/*
 * loop.h - the event loop: descriptors, timers, signals, work for the next turn, and its clock.
 *
 * One thread.  Priorities: signals first, then keys, then streams; one turn handles a bounded
 * number of callbacks, then the turn hooks run once (flush, paint).  A callback reads a bounded
 * amount, changes state and returns; it may free any watcher or timer, its own too.
 *
 * Knows:      libevent_core, clock, mem.
 * Unaware of: what it serves.
 */
#ifndef CORE_BASE_LOOP_H
#define CORE_BASE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/attr.h"

struct loop;
struct loop_watch;
struct loop_timer;

enum loop_priority {
	LOOP_SIGNALS,
	LOOP_KEYS,
	LOOP_STREAMS,
};

enum loop_events {
	LOOP_READ = 1,
	LOOP_WRITE = 2,
};

typedef void (*loop_fn)(void *arg);
typedef void (*loop_fd_fn)(int fd, unsigned events, void *arg);
typedef void (*loop_signal_fn)(int signo, void *arg);

struct loop *loop_new(void);
void loop_free(struct loop *loop);

/* Until loop_stop(); gives the code handed to it. */
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop, int code);
/* One turn: waits for at most one thing to happen when nothing is due.  For tests. */
void loop_turn(struct loop *loop);

/* CLOCK_BOOTTIME ns, read once a turn; outside of turns read anew.  loop_set_now() pins it,
 * and timers with it (tests); 0 unpins. */
int64_t loop_now(const struct loop *loop);
void loop_set_now(struct loop *loop, int64_t now);

/* fd stays the caller's and can be polled (no regular file, no /dev/null: that aborts).  events:
 * LOOP_READ | LOOP_WRITE, 0 to pause. */
struct loop_watch *loop_watch(struct loop *loop, int fd, unsigned events,
	enum loop_priority priority, loop_fd_fn fn, void *arg);
void loop_watch_set(struct loop_watch *watch, unsigned events);
void loop_unwatch(struct loop_watch *watch); /* NULL is fine */

struct loop_timer *loop_timer_new(struct loop *loop, loop_fn fn, void *arg);
void loop_timer_in(struct loop_timer *timer, int64_t ns); /* from now; fires once; sets anew */
void loop_timer_stop(struct loop_timer *timer);
void loop_timer_free(struct loop_timer *timer); /* NULL is fine */

/* Signals live as long as the loop. */
void loop_on_signal(struct loop *loop, int signo, loop_signal_fn fn, void *arg);

/* Run fn(arg) in the next turn; loop_undefer() drops all that wait with this arg. */
void loop_defer(struct loop *loop, loop_fn fn, void *arg);
void loop_undefer(struct loop *loop, void *arg);

/* Run at the end of every turn, in order of registration; live as long as the loop. */
void loop_on_turn(struct loop *loop, loop_fn fn, void *arg);

#endif
