#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/io.h"
#include "core/base/loop.h"

/* What hear() adds when it is called. */
#define SAYS(letter) ((char[]){ letter })

#define START INT64_C(1000000000)

static char heard[64];

static void
hear(void *arg)
{
	size_t len = strlen(heard);

	if (len + 1 < sizeof(heard))
		heard[len] = *(const char *)arg;
}

static int
set_up(void **state)
{
	memset(heard, 0, sizeof(heard));
	*state = loop_new();
	return 0;
}

static int
tear_down(void **state)
{
	loop_free(*state);
	return 0;
}

static void
timers_fire_in_order_of_their_deadlines_and_once(void **state)
{
	struct loop *loop = *state;
	char names[] = "abc";
	struct loop_timer *timers[3];

	loop_set_now(loop, START);
	for (int i = 0; i < 3; i++) {
		timers[i] = loop_timer_new(loop, hear, &names[i]);
		loop_timer_in(timers[i], (3 - i) * NS_PER_S);
	}
	loop_set_now(loop, START + 2 * NS_PER_S);
	loop_turn(loop);
	assert_string_equal(heard, "cb");
	loop_set_now(loop, START + 3 * NS_PER_S);
	loop_turn(loop);

	assert_string_equal(heard, "cba");
	for (int i = 0; i < 3; i++)
		loop_timer_free(timers[i]);
}

static void
a_stopped_timer_is_silent_and_a_timer_set_anew_counts_from_then(void **state)
{
	struct loop *loop = *state;
	char names[] = "ab";
	struct loop_timer *stopped = loop_timer_new(loop, hear, &names[0]);
	struct loop_timer *anew = loop_timer_new(loop, hear, &names[1]);

	loop_set_now(loop, START);
	loop_timer_in(stopped, NS_PER_S);
	loop_timer_in(anew, NS_PER_S);
	loop_timer_stop(stopped);
	loop_timer_in(anew, 5 * NS_PER_S);
	loop_set_now(loop, START + 2 * NS_PER_S);
	loop_defer(loop, hear, SAYS('x'));
	loop_turn(loop);
	assert_string_equal(heard, "x");
	loop_set_now(loop, START + 5 * NS_PER_S);
	loop_turn(loop);

	assert_string_equal(heard, "xb");
	loop_timer_free(stopped);
	loop_timer_free(anew);
}

static void
many_timers_keep_their_order(void **state)
{
	struct loop *loop = *state;
	struct loop_timer *timers[60];
	char names[60];

	loop_set_now(loop, START);
	for (int i = 0; i < 60; i++) {
		names[i] = (char)('A' + i * 7 % 60);
		timers[i] = loop_timer_new(loop, hear, &names[i]);
		loop_timer_in(timers[i], i * 7 % 60 * NS_PER_MS);
	}
	for (int i = 0; i < 60; i += 2)
		loop_timer_stop(timers[i]);
	loop_set_now(loop, START + NS_PER_S);
	loop_turn(loop);

	assert_int_equal(strlen(heard), 30);
	for (int i = 1; i < 30; i++)
		assert_true(heard[i - 1] < heard[i]);
	for (int i = 0; i < 60; i++)
		loop_timer_free(timers[i]);
}

static void
stop_with_three(void *arg)
{
	loop_stop(arg, 3);
}

static void
a_real_timer_ends_a_real_wait(void **state)
{
	struct loop *loop = *state;
	struct loop_timer *timer = loop_timer_new(loop, stop_with_three, loop);
	int64_t before = clock_mono();

	loop_timer_in(timer, 20 * NS_PER_MS);

	assert_int_equal(loop_run(loop), 3);
	assert_true(clock_mono() - before >= 20 * NS_PER_MS);
	loop_timer_free(timer);
}

struct again {
	struct loop *loop;
	struct loop_timer *timer;
	int fired;
};

static void
fire_again(void *arg)
{
	struct again *again = arg;

	again->fired++;
	loop_timer_in(again->timer, 0);
}

static void
a_timer_that_sets_itself_anew_fires_once_a_turn(void **state)
{
	struct again again = { .loop = *state };

	again.timer = loop_timer_new(again.loop, fire_again, &again);
	loop_timer_in(again.timer, 0);
	loop_turn(again.loop);
	assert_int_equal(again.fired, 1);
	loop_turn(again.loop);

	assert_int_equal(again.fired, 2);
	loop_timer_free(again.timer);
}

static void
free_own_timer(void *arg)
{
	struct again *again = arg;

	again->fired++;
	loop_timer_free(again->timer);
	again->timer = NULL;
}

static void
a_timer_may_free_itself(void **state)
{
	struct again again = { .loop = *state };

	again.timer = loop_timer_new(again.loop, free_own_timer, &again);
	loop_timer_in(again.timer, 0);
	loop_turn(again.loop);

	assert_int_equal(again.fired, 1);
	assert_null(again.timer);
}

static void
defer_again(void *arg)
{
	hear(SAYS('d'));
	loop_defer(arg, defer_again, arg);
}

static void
deferred_work_runs_in_the_next_turn_which_does_not_wait(void **state)
{
	struct loop *loop = *state;

	loop_defer(loop, defer_again, loop);
	assert_string_equal(heard, "");
	loop_turn(loop);
	assert_string_equal(heard, "d");
	loop_turn(loop);

	assert_string_equal(heard, "dd");
}

static void
undeferred_work_does_not_run(void **state)
{
	struct loop *loop = *state;
	char names[] = "ab";

	loop_defer(loop, hear, &names[0]);
	loop_defer(loop, hear, &names[1]);
	loop_undefer(loop, &names[0]);
	loop_turn(loop);

	assert_string_equal(heard, "b");
}

static void
hooks_run_once_a_turn_in_order_after_the_work(void **state)
{
	struct loop *loop = *state;

	loop_on_turn(loop, hear, SAYS('1'));
	loop_on_turn(loop, hear, SAYS('2'));
	loop_defer(loop, hear, SAYS('w'));
	loop_defer(loop, hear, SAYS('w'));
	loop_turn(loop);

	assert_string_equal(heard, "ww12");
}

static void
time_stands_still_within_a_turn_and_where_it_is_pinned(void **state)
{
	struct loop *loop = *state;
	int64_t before = loop_now(loop);

	loop_defer(loop, hear, SAYS('x'));
	loop_turn(loop);
	assert_true(loop_now(loop) >= before);
	loop_set_now(loop, 42);
	assert_int_equal(loop_now(loop), 42);
	loop_defer(loop, hear, SAYS('x'));
	loop_turn(loop);
	assert_int_equal(loop_now(loop), 42);
	loop_set_now(loop, 0);

	assert_true(loop_now(loop) >= before);
}

struct pipe_end {
	struct loop *loop;
	struct loop_watch *watch;
	int read_end;
	int write_end;
	char name;
	int calls;
	int hooks_seen;
};

static void
pipe_open(struct pipe_end *end, struct loop *loop, char name)
{
	memset(end, 0, sizeof(*end));
	end->loop = loop;
	end->name = name;
	assert_int_equal(io_pipe(&end->read_end, &end->write_end, NULL), 0);
	assert_int_equal(write(end->write_end, "x", 1), 1);
}

static void
pipe_close(struct pipe_end *end)
{
	loop_unwatch(end->watch);
	close(end->read_end);
	close(end->write_end);
}

static void
hear_and_drain(int fd, unsigned events, void *arg)
{
	struct pipe_end *end = arg;
	char byte;

	assert_int_equal(events, LOOP_READ);
	assert_int_equal(read(fd, &byte, 1), 1);
	hear(&end->name);
}

static void
keys_come_before_streams_and_signals_before_both(void **state)
{
	struct pipe_end stream;
	struct pipe_end keys;
	struct pipe_end urgent;

	pipe_open(&stream, *state, 's');
	pipe_open(&keys, *state, 'k');
	pipe_open(&urgent, *state, 'u');
	stream.watch = loop_watch(
		*state, stream.read_end, LOOP_READ, LOOP_STREAMS, hear_and_drain, &stream);
	keys.watch = loop_watch(*state, keys.read_end, LOOP_READ, LOOP_KEYS, hear_and_drain, &keys);
	urgent.watch = loop_watch(
		*state, urgent.read_end, LOOP_READ, LOOP_SIGNALS, hear_and_drain, &urgent);
	loop_turn(*state);

	assert_string_equal(heard, "uks");
	pipe_close(&stream);
	pipe_close(&keys);
	pipe_close(&urgent);
}

static void
count_only(int fd, unsigned events, void *arg)
{
	struct pipe_end *end = arg;

	(void)fd;
	(void)events;
	end->calls++;
}

static void
a_descriptor_that_is_always_ready_does_not_hold_the_turn(void **state)
{
	struct pipe_end greedy;
	struct pipe_end patient;

	pipe_open(&greedy, *state, 'g');
	pipe_open(&patient, *state, 'p');
	greedy.watch =
		loop_watch(*state, greedy.read_end, LOOP_READ, LOOP_KEYS, count_only, &greedy);
	loop_on_turn(*state, hear, SAYS('h'));
	loop_turn(*state);
	assert_string_equal(heard, "h");
	assert_in_range(greedy.calls, 1, 64);
	patient.watch =
		loop_watch(*state, patient.read_end, LOOP_READ, LOOP_SIGNALS, count_only, &patient);
	loop_turn(*state);

	assert_string_equal(heard, "hh");
	assert_true(patient.calls > 0);
	pipe_close(&greedy);
	pipe_close(&patient);
}

static void
unwatch_itself(int fd, unsigned events, void *arg)
{
	struct pipe_end *end = arg;

	(void)fd;
	(void)events;
	end->calls++;
	loop_unwatch(end->watch);
	end->watch = NULL;
}

static struct pipe_end *victim;

static void
unwatch_the_other(int fd, unsigned events, void *arg)
{
	struct pipe_end *end = arg;

	hear_and_drain(fd, events, arg);
	victim = end == victim ? NULL : victim;
	if (victim) {
		loop_unwatch(victim->watch);
		victim->watch = NULL;
	}
}

static void
a_watch_may_free_itself_and_another_that_is_ready(void **state)
{
	struct pipe_end self;
	struct pipe_end first;
	struct pipe_end second;

	pipe_open(&self, *state, 's');
	self.watch =
		loop_watch(*state, self.read_end, LOOP_READ, LOOP_STREAMS, unwatch_itself, &self);
	loop_turn(*state);
	assert_int_equal(self.calls, 1);
	pipe_open(&first, *state, '1');
	pipe_open(&second, *state, '2');
	victim = &second;
	first.watch =
		loop_watch(*state, first.read_end, LOOP_READ, LOOP_KEYS, unwatch_the_other, &first);
	second.watch =
		loop_watch(*state, second.read_end, LOOP_READ, LOOP_STREAMS, count_only, &second);
	loop_turn(*state);

	assert_string_equal(heard, "1");
	assert_int_equal(second.calls, 0);
	pipe_close(&self);
	pipe_close(&first);
	pipe_close(&second);
}

static void
a_paused_watch_is_silent_until_it_is_set_again(void **state)
{
	struct loop *loop = *state;
	struct pipe_end end;

	pipe_open(&end, loop, 'p');
	end.watch = loop_watch(loop, end.read_end, 0, LOOP_STREAMS, count_only, &end);
	loop_defer(loop, hear, SAYS('x'));
	loop_turn(loop);
	assert_int_equal(end.calls, 0);
	loop_watch_set(end.watch, LOOP_READ);
	loop_turn(loop);
	assert_true(end.calls > 0);
	end.calls = 0;
	loop_watch_set(end.watch, 0);
	loop_defer(loop, hear, SAYS('x'));
	loop_turn(loop);

	assert_int_equal(end.calls, 0);
	pipe_close(&end);
}

static void
stop_on_signal(int signo, void *arg)
{
	assert_int_equal(signo, SIGUSR1);
	loop_stop(arg, 9);
}

static void
a_signal_wakes_the_loop(void **state)
{
	struct loop *loop = *state;

	loop_on_signal(loop, SIGUSR1, stop_on_signal, loop);
	raise(SIGUSR1);

	assert_int_equal(loop_run(loop), 9);
}

static void
a_stop_before_the_run_ends_it_at_once(void **state)
{
	loop_stop(*state, 4);
	loop_stop(*state, 5);

	assert_int_equal(loop_run(*state), 4);
}

#define LOOP_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		LOOP_TEST(timers_fire_in_order_of_their_deadlines_and_once),
		LOOP_TEST(a_stopped_timer_is_silent_and_a_timer_set_anew_counts_from_then),
		LOOP_TEST(many_timers_keep_their_order),
		LOOP_TEST(a_real_timer_ends_a_real_wait),
		LOOP_TEST(a_timer_that_sets_itself_anew_fires_once_a_turn),
		LOOP_TEST(a_timer_may_free_itself),
		LOOP_TEST(deferred_work_runs_in_the_next_turn_which_does_not_wait),
		LOOP_TEST(undeferred_work_does_not_run),
		LOOP_TEST(hooks_run_once_a_turn_in_order_after_the_work),
		LOOP_TEST(time_stands_still_within_a_turn_and_where_it_is_pinned),
		LOOP_TEST(keys_come_before_streams_and_signals_before_both),
		LOOP_TEST(a_descriptor_that_is_always_ready_does_not_hold_the_turn),
		LOOP_TEST(a_watch_may_free_itself_and_another_that_is_ready),
		LOOP_TEST(a_paused_watch_is_silent_until_it_is_set_again),
		LOOP_TEST(a_signal_wakes_the_loop),
		LOOP_TEST(a_stop_before_the_run_ends_it_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
