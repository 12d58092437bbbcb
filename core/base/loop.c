/*
 * A turn: wait (not at all when something is due), run what became ready in order of priority, then
 * timers, then what was deferred before the turn, then the turn hooks.
 *
 * - Descriptors and signals are libevent's.  After CALLBACKS_A_TURN of them the pass is broken off;
 *   what is left stays active and comes first in the next turn, which does not wait.
 * - Timers are ours, a heap by deadline in the loop's own clock: a pinned clock moves them, and
 *   time spent in suspend counts.  One timerfd on CLOCK_BOOTTIME wakes the wait; it may fire early
 *   (its timer was stopped), never late.
 * - A timer set during a turn does not fire in that turn, so a callback that sets itself anew
 *   cannot hold the loop.
 */
#include "config.h"

#include "core/base/loop.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <event2/event.h>

#include "core/base/clock.h"
#include "core/base/mem.h"

#define PRIORITIES 3
#define CALLBACKS_A_TURN 64
#define STREAMS_A_PASS 16
#define NOT_IN_HEAP SIZE_MAX

struct deferred {
	loop_fn fn; /* NULL: dropped */
	void *arg;
};

struct on_signal {
	struct loop *loop;
	struct event *event;
	loop_signal_fn fn;
	void *arg;
};

struct loop {
	struct event_base *base;
	int64_t now;
	int64_t pinned; /* 0: the real clock */
	uint64_t turn;
	unsigned ran; /* callbacks of libevent in this turn */
	bool turning;
	bool stopped;
	int code;

	int timer_fd;
	struct event *timer_event;
	int64_t timer_set_for; /* 0: not set */
	struct loop_timer **heap;
	size_t timers;

	struct deferred *deferred;
	size_t deferred_count;
	struct deferred *hooks;
	size_t hook_count;
	struct on_signal **signals;
	size_t signal_count;
};

struct loop_watch {
	struct loop *loop;
	struct event *event;
	enum loop_priority priority;
	unsigned events;
	int fd;
	loop_fd_fn fn;
	void *arg;
};

struct loop_timer {
	struct loop *loop;
	loop_fn fn;
	void *arg;
	int64_t deadline;
	uint64_t set_in; /* the turn it was set in */
	size_t at;       /* in the heap */
};

static void
must(bool held)
{
	if (!held)
		abort();
}

/* For arrays that always have room for the power of two at or above their count. */
static void *
room_for_one(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return mem_grow(array, count ? 2 * count : 1, size);
}

/* Before every callback from libevent: the first one of a turn reads the clock. */
static void
callback_begins(struct loop *loop)
{
	if (loop->ran++ == 0)
		loop->now = loop->pinned ? loop->pinned : clock_mono();
	if (loop->ran == CALLBACKS_A_TURN)
		event_base_loopbreak(loop->base);
}

static void
on_timer_fd(evutil_socket_t fd, short what, void *arg)
{
	struct loop *loop = arg;
	uint64_t expirations;

	(void)what;
	callback_begins(loop);
	if (read(fd, &expirations, sizeof(expirations)) > 0)
		loop->timer_set_for = 0;
}

struct loop *
loop_new(void)
{
	struct loop *loop = mem_zero(1, sizeof(*loop));
	struct event_config *config = event_config_new();

	must(config != NULL);
	/* Between two streams' batches a key or signal gets its chance. */
	event_config_set_max_dispatch_interval(config, NULL, STREAMS_A_PASS, LOOP_STREAMS);
	event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV);
	loop->base = event_base_new_with_config(config);
	event_config_free(config);
	must(loop->base && event_base_priority_init(loop->base, PRIORITIES) == 0);
	loop->now = clock_mono();
	loop->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	loop->timer_event =
		event_new(loop->base, loop->timer_fd, EV_READ | EV_PERSIST, on_timer_fd, loop);
	must(loop->timer_fd >= 0 && loop->timer_event);
	must(event_priority_set(loop->timer_event, LOOP_KEYS) == 0);
	must(event_add(loop->timer_event, NULL) == 0);
	return loop;
}

void
loop_free(struct loop *loop)
{
	if (!loop)
		return;
	for (size_t i = 0; i < loop->signal_count; i++) {
		event_free(loop->signals[i]->event);
		free(loop->signals[i]);
	}
	event_free(loop->timer_event);
	close(loop->timer_fd);
	event_base_free(loop->base);
	free(loop->heap);
	free(loop->deferred);
	free(loop->hooks);
	free(loop->signals);
	free(loop);
}

/* Outside of turns (setting up, tests) nothing keeps the cached time fresh. */
int64_t
loop_now(const struct loop *loop)
{
	if (loop->pinned)
		return loop->pinned;
	return loop->turning ? loop->now : clock_mono();
}

/* The heap of timers. */

static void
heap_put(struct loop *loop, size_t at, struct loop_timer *timer)
{
	loop->heap[at] = timer;
	timer->at = at;
}

static void
heap_up(struct loop *loop, size_t at)
{
	struct loop_timer *timer = loop->heap[at];

	while (at > 0 && loop->heap[(at - 1) / 2]->deadline > timer->deadline) {
		heap_put(loop, at, loop->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	heap_put(loop, at, timer);
}

static void
heap_down(struct loop *loop, size_t at)
{
	struct loop_timer *timer = loop->heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= loop->timers)
			break;
		if (child + 1 < loop->timers &&
			loop->heap[child + 1]->deadline < loop->heap[child]->deadline)
			child++;
		if (loop->heap[child]->deadline >= timer->deadline)
			break;
		heap_put(loop, at, loop->heap[child]);
		at = child;
	}
	heap_put(loop, at, timer);
}

static void
heap_add(struct loop *loop, struct loop_timer *timer)
{
	loop->heap = room_for_one(loop->heap, loop->timers, sizeof(struct loop_timer *));
	heap_put(loop, loop->timers++, timer);
	heap_up(loop, timer->at);
}

static void
heap_remove(struct loop *loop, struct loop_timer *timer)
{
	size_t at = timer->at;
	struct loop_timer *last = loop->heap[--loop->timers];

	timer->at = NOT_IN_HEAP;
	if (last == timer)
		return;
	heap_put(loop, at, last);
	heap_down(loop, at);
	heap_up(loop, last->at);
}

struct loop_timer *
loop_timer_new(struct loop *loop, loop_fn fn, void *arg)
{
	struct loop_timer *timer = mem_zero(1, sizeof(*timer));

	timer->loop = loop;
	timer->fn = fn;
	timer->arg = arg;
	timer->at = NOT_IN_HEAP;
	return timer;
}

void
loop_timer_in(struct loop_timer *timer, int64_t ns)
{
	struct loop *loop = timer->loop;

	loop_timer_stop(timer);
	if (__builtin_add_overflow(loop_now(loop), ns > 0 ? ns : 0, &timer->deadline))
		timer->deadline = INT64_MAX;
	timer->set_in = loop->turn;
	heap_add(loop, timer);
}

void
loop_timer_stop(struct loop_timer *timer)
{
	if (timer->at != NOT_IN_HEAP)
		heap_remove(timer->loop, timer);
}

void
loop_timer_free(struct loop_timer *timer)
{
	if (!timer)
		return;
	loop_timer_stop(timer);
	free(timer);
}

static bool
timer_due(const struct loop *loop, int64_t now)
{
	return loop->timers > 0 && loop->heap[0]->deadline <= now;
}

static void
run_timers(struct loop *loop)
{
	while (timer_due(loop, loop->now) && loop->heap[0]->set_in != loop->turn) {
		struct loop_timer *timer = loop->heap[0];

		heap_remove(loop, timer);
		timer->fn(timer->arg);
	}
}

/* Set the timerfd unless it will fire soon enough as it is. */
static void
arm_timer_fd(struct loop *loop)
{
	struct itimerspec at = { 0 };
	int64_t deadline;

	if (loop->timers == 0)
		return;
	deadline = loop->heap[0]->deadline;
	if (loop->timer_set_for && loop->timer_set_for <= deadline)
		return;
	at.it_value.tv_sec = deadline / NS_PER_S;
	at.it_value.tv_nsec = deadline % NS_PER_S;
	must(timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &at, NULL) == 0);
	loop->timer_set_for = deadline;
}

/* Deferred work and hooks. */

void
loop_defer(struct loop *loop, loop_fn fn, void *arg)
{
	loop->deferred =
		room_for_one(loop->deferred, loop->deferred_count, sizeof(struct deferred));
	loop->deferred[loop->deferred_count++] = (struct deferred){ fn, arg };
}

void
loop_undefer(struct loop *loop, void *arg)
{
	for (size_t i = 0; i < loop->deferred_count; i++) {
		if (loop->deferred[i].arg == arg)
			loop->deferred[i].fn = NULL;
	}
}

/* The first count of them; those they defer themselves wait for the next turn. */
static void
run_deferred(struct loop *loop, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct deferred one = loop->deferred[i];

		if (one.fn)
			one.fn(one.arg);
	}
	for (size_t i = count; i < loop->deferred_count; i++)
		loop->deferred[i - count] = loop->deferred[i];
	loop->deferred_count -= count;
}

void
loop_on_turn(struct loop *loop, loop_fn fn, void *arg)
{
	loop->hooks = room_for_one(loop->hooks, loop->hook_count, sizeof(struct deferred));
	loop->hooks[loop->hook_count++] = (struct deferred){ fn, arg };
}

/* Turns. */

void
loop_set_now(struct loop *loop, int64_t now)
{
	loop->pinned = now;
	loop->now = now ? now : clock_mono();
}

/* Whether something waits that no descriptor will announce. */
static bool
work_waits(const struct loop *loop)
{
	int64_t now = loop->pinned ? loop->pinned : loop->now;

	return loop->deferred_count > 0 || timer_due(loop, now) || loop->stopped;
}

void
loop_turn(struct loop *loop)
{
	size_t deferred = loop->deferred_count;
	int flags = EVLOOP_ONCE | (work_waits(loop) ? EVLOOP_NONBLOCK : 0);

	loop->turn++;
	loop->turning = true;
	loop->ran = 0;
	if (!loop->pinned)
		arm_timer_fd(loop);
	must(event_base_loop(loop->base, flags) >= 0);
	if (loop->ran == 0)
		loop->now = loop->pinned ? loop->pinned : clock_mono();
	run_timers(loop);
	run_deferred(loop, deferred);
	for (size_t i = 0; i < loop->hook_count; i++)
		loop->hooks[i].fn(loop->hooks[i].arg);
	loop->turning = false;
}

int
loop_run(struct loop *loop)
{
	while (!loop->stopped)
		loop_turn(loop);
	loop->stopped = false;
	return loop->code;
}

void
loop_stop(struct loop *loop, int code)
{
	if (!loop->stopped)
		loop->code = code;
	loop->stopped = true;
}

/* Descriptors. */

static void
on_fd(evutil_socket_t fd, short what, void *arg)
{
	struct loop_watch *watch = arg;
	unsigned events = 0;

	callback_begins(watch->loop);
	if (what & EV_READ)
		events |= LOOP_READ;
	if (what & EV_WRITE)
		events |= LOOP_WRITE;
	watch->fn(fd, events, watch->arg); /* may have freed the watch */
}

struct loop_watch *
loop_watch(struct loop *loop, int fd, unsigned events, enum loop_priority priority, loop_fd_fn fn,
	void *arg)
{
	struct loop_watch *watch = mem_zero(1, sizeof(*watch));

	watch->loop = loop;
	watch->fd = fd;
	watch->priority = priority;
	watch->fn = fn;
	watch->arg = arg;
	watch->event = event_new(loop->base, fd, EV_PERSIST, on_fd, watch);
	must(watch->event != NULL);
	loop_watch_set(watch, events);
	return watch;
}

void
loop_watch_set(struct loop_watch *watch, unsigned events)
{
	short what = EV_PERSIST;

	if (watch->events == events)
		return;
	if (watch->events)
		event_del(watch->event);
	watch->events = events;
	if (!events)
		return;
	if (events & LOOP_READ)
		what |= EV_READ;
	if (events & LOOP_WRITE)
		what |= EV_WRITE;
	must(event_assign(watch->event, watch->loop->base, watch->fd, what, on_fd, watch) == 0);
	must(event_priority_set(watch->event, (int)watch->priority) == 0);
	must(event_add(watch->event, NULL) == 0);
}

void
loop_unwatch(struct loop_watch *watch)
{
	if (!watch)
		return;
	event_free(watch->event);
	free(watch);
}

static void
on_signal(evutil_socket_t signo, short what, void *arg)
{
	struct on_signal *one = arg;

	(void)what;
	callback_begins(one->loop);
	one->fn(signo, one->arg);
}

void
loop_on_signal(struct loop *loop, int signo, loop_signal_fn fn, void *arg)
{
	struct on_signal *one = mem_zero(1, sizeof(*one));

	one->loop = loop;
	one->fn = fn;
	one->arg = arg;
	one->event = event_new(loop->base, signo, EV_SIGNAL | EV_PERSIST, on_signal, one);
	must(one->event && event_priority_set(one->event, LOOP_SIGNALS) == 0);
	must(event_add(one->event, NULL) == 0);
	loop->signals = room_for_one(loop->signals, loop->signal_count, sizeof(*loop->signals));
	loop->signals[loop->signal_count++] = one;
}
