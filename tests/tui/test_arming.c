#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "tui/arming.h"

#define MS NS_PER_MS
#define START (1000 * NS_PER_S)

struct fixture {
	struct arming *arming;
	int64_t now;
	uint64_t frame;
};

static int
setup(void **state)
{
	struct fixture *f = mem_zero(1, sizeof(*f));

	f->arming = arming_new(0, 0);
	f->now = START;
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	arming_free(f->arming);
	free(f);
	return 0;
}

/* Paint a frame with these bytes and let it leave. */
static void
frame(struct fixture *f, size_t from, size_t len)
{
	f->frame++;
	arming_paint(f->arming, f->frame);
	arming_painted(f->arming, from, len);
	arming_frame_left(f->arming, f->frame, f->now);
}

static void
wait_ms(struct fixture *f, int64_t ms)
{
	f->now += ms * MS;
}

/* Press one key; gives whether it approves once it has settled. */
static bool
approves(struct fixture *f)
{
	arming_input(f->arming, 1, f->now);
	if (!arming_approve(f->arming, f->now))
		return false;
	wait_ms(f, 30);
	return arming_settled(f->arming, f->now);
}

static void
open_drawn(struct fixture *f)
{
	arming_open(f->arming, 10);
	frame(f, 0, 10);
}

static void
a_rested_keyboard_and_a_whole_frame_approve(void **state)
{
	struct fixture *f = *state;

	open_drawn(f);
	wait_ms(f, 500);

	assert_int_equal(arming_state(f->arming, f->now), ARMING_ARMED);
	assert_true(approves(f));
}

static void
nothing_approves_before_the_frame_has_left(void **state)
{
	struct fixture *f = *state;

	arming_open(f->arming, 0);
	arming_paint(f->arming, 1);
	wait_ms(f, 60000);

	assert_false(approves(f));
	assert_true(arming_too_early(f->arming));
}

static void
quiet_lasts_500_ms_from_the_frame(void **state)
{
	struct fixture *f = *state;

	open_drawn(f);
	wait_ms(f, 499);
	assert_false(approves(f));
}

static void
each_byte_starts_the_rest_again(void **state)
{
	struct fixture *f = *state;

	open_drawn(f);
	wait_ms(f, 600);
	arming_input(f->arming, 0, f->now);
	wait_ms(f, 299);
	assert_int_equal(arming_state(f->arming, f->now), ARMING_QUIET);
	wait_ms(f, 1);
	assert_true(approves(f));
}

static void
a_key_held_for_ever_never_approves(void **state)
{
	struct fixture *f = *state;

	arming_input(f->arming, 1, f->now);
	open_drawn(f);
	for (int i = 0; i < 1000; i++) {
		wait_ms(f, 33);
		assert_false(approves(f));
	}
}

/* The first repeat of a key that is held comes up to 660 ms after the press. */
static void
a_key_pressed_too_early_and_held_approves_nothing(void **state)
{
	struct fixture *f = *state;

	open_drawn(f);
	wait_ms(f, 100);
	assert_false(approves(f));
	wait_ms(f, 660);
	for (int i = 0; i < 100; i++) {
		assert_false(approves(f));
		wait_ms(f, 40);
	}
}

static void
a_typed_confirmation_needs_no_rest_before_its_last_key(void **state)
{
	struct fixture *f = *state;

	open_drawn(f);
	wait_ms(f, 600);
	for (int i = 0; i < 4; i++) {
		arming_input(f->arming, 1, f->now);
		wait_ms(f, 80);
	}
	arming_input(f->arming, 1, f->now);
	assert_true(arming_confirm(f->arming));
}

static void
a_pasted_confirmation_is_refused(void **state)
{
	struct fixture *f = *state;

	open_drawn(f);
	wait_ms(f, 600);
	arming_input(f->arming, 5, f->now);
	assert_false(arming_confirm(f->arming));
	wait_ms(f, 600);
	for (int i = 0; i < 5; i++) {
		wait_ms(f, 1);
		arming_input(f->arming, 1, f->now);
	}
	assert_false(arming_confirm(f->arming));
}

static void
typing_before_the_frame_lengthens_the_rest(void **state)
{
	struct fixture *f = *state;

	arming_input(f->arming, 1, f->now);
	wait_ms(f, 900);
	open_drawn(f);
	wait_ms(f, 699);
	assert_false(approves(f));
}

static void
a_decision_just_before_lengthens_the_quiet(void **state)
{
	struct fixture *f = *state;

	open_drawn(f);
	wait_ms(f, 600);
	assert_true(approves(f));
	arming_close(f->arming, true, f->now);
	open_drawn(f);
	wait_ms(f, 999);
	assert_int_equal(arming_state(f->arming, f->now), ARMING_QUIET);
	wait_ms(f, 1);
	assert_true(approves(f));
}

static void
every_byte_must_have_been_painted(void **state)
{
	struct fixture *f = *state;

	arming_open(f->arming, 10);
	frame(f, 0, 4);
	frame(f, 6, 4);
	wait_ms(f, 5000);
	assert_false(approves(f));
	frame(f, 4, 2);
	wait_ms(f, 700);
	assert_true(approves(f));
}

static void
a_frame_that_never_left_covers_nothing(void **state)
{
	struct fixture *f = *state;

	arming_open(f->arming, 10);
	frame(f, 0, 4);
	arming_paint(f->arming, 99);
	arming_painted(f->arming, 0, 10);
	wait_ms(f, 5000);

	assert_int_equal(arming_covered(f->arming), 4);
	assert_false(approves(f));
}

static void
drawing_anew_leads_back_and_keeps_what_was_seen(void **state)
{
	struct fixture *f = *state;
	uint64_t before;

	open_drawn(f);
	wait_ms(f, 600);
	before = arming_presentation(f->arming);
	assert_true(arming_again(f->arming) > before);
	assert_false(approves(f));
	frame(f, 0, 0);
	wait_ms(f, 1100);
	assert_true(approves(f));
}

static void
a_frame_of_the_presentation_before_does_not_count(void **state)
{
	struct fixture *f = *state;

	arming_open(f->arming, 0);
	arming_paint(f->arming, 7);
	arming_again(f->arming);
	arming_frame_left(f->arming, 7, f->now);
	wait_ms(f, 5000);

	assert_int_equal(arming_state(f->arming, f->now), ARMING_PRESENTED);
}

static void
a_second_key_right_behind_takes_the_approval_back(void **state)
{
	struct fixture *f = *state;

	open_drawn(f);
	wait_ms(f, 600);
	arming_input(f->arming, 1, f->now);
	assert_true(arming_approve(f->arming, f->now));
	wait_ms(f, 10);
	arming_input(f->arming, 1, f->now);
	wait_ms(f, 30);

	assert_false(arming_settled(f->arming, f->now));
}

static void
keys_that_came_together_approve_nothing(void **state)
{
	struct fixture *f = *state;

	open_drawn(f);
	wait_ms(f, 600);
	arming_input(f->arming, 2, f->now);
	assert_false(arming_approve(f->arming, f->now));
}

static void
deny_works_after_the_rest_alone(void **state)
{
	struct fixture *f = *state;

	arming_open(f->arming, 10);
	frame(f, 0, 1);
	wait_ms(f, 299);
	arming_input(f->arming, 1, f->now);
	assert_false(arming_may_deny(f->arming));
	wait_ms(f, 300);
	arming_input(f->arming, 1, f->now);
	assert_true(arming_may_deny(f->arming));
}

static void
a_blocked_pane_denies_and_never_approves(void **state)
{
	struct fixture *f = *state;

	open_drawn(f);
	arming_block(f->arming, true);
	wait_ms(f, 5000);
	assert_false(approves(f));
	wait_ms(f, 300);
	arming_input(f->arming, 1, f->now);
	assert_true(arming_may_deny(f->arming));
}

static void
times_below_the_floor_are_raised(void **state)
{
	struct arming *arming = arming_new(1, 1);

	(void)state;
	arming_open(arming, 0);
	arming_paint(arming, 1);
	arming_frame_left(arming, 1, START);
	assert_int_equal(arming_next_ns(arming, START), 500 * MS);
	arming_free(arming);
}

static void
other_times_forget_neither_a_key_nor_a_decision(void **state)
{
	struct fixture *f = *state;

	open_drawn(f);
	wait_ms(f, 600);
	arming_input(f->arming, 1, f->now);
	arming_close(f->arming, true, f->now);
	arming_set_times(f->arming, 1200, 300);
	open_drawn(f);
	wait_ms(f, 690);
	assert_false(arming_rested(f->arming, f->now));
	wait_ms(f, 1000);
	assert_int_equal(arming_state(f->arming, f->now), ARMING_QUIET);
	wait_ms(f, 10);
	assert_int_equal(arming_state(f->arming, f->now), ARMING_ARMED);
}

/*
 * The rules, written a second time over a plain log of what happened: no state machine, only
 * questions about the past.
 */
struct oracle {
	int64_t drawn_at; /* frame of this presentation left; -1: not yet */
	int64_t last_input, last_decided, restless; /* restless: latest burst or frame */
	int64_t rest, quiet;
	bool seen[16];
	bool pending[16];
	bool frame_is_new;
	bool flying;
	int64_t keys[3];
};

static bool
oracle_armed(const struct oracle *o, size_t total, int64_t now)
{
	for (size_t i = 0; i < total; i++)
		if (!o->seen[i])
			return false;
	return o->drawn_at >= 0 && now - o->restless >= o->quiet && now - o->drawn_at >= o->rest &&
	       now - o->restless >= o->rest && now - o->last_input >= o->rest;
}

static unsigned
dice(unsigned *seed, unsigned sides)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed / 65536u % sides;
}

/* Random keys, times, frames, arrivals: whatever approves, the oracle allows. */
static void
no_sequence_of_events_approves_outside_the_rules(void **state)
{
	struct fixture *f = *state;
	struct oracle o = { .drawn_at = -1, .last_input = -1 * START, .last_decided = -1 * START };
	unsigned seed = 20261130;
	size_t total = 16;
	unsigned approved = 0;

	memset(o.keys, 0xff, sizeof(o.keys));
	arming_open(f->arming, total);
	for (int step = 0; step < 200000; step++) {
		size_t from = dice(&seed, 2) ? 0 : dice(&seed, 16);
		size_t len = dice(&seed, 2) ? total : dice(&seed, 17);
		bool expected;

		wait_ms(f, dice(&seed, 4) == 0 ? 1000 : dice(&seed, 400));
		switch (dice(&seed, 40) + 1) {
		case 1:
			arming_open(f->arming, total);
			memset(o.seen, 0, sizeof(o.seen));
			o.drawn_at = -1;
			o.flying = false;
			break;
		case 2:
			arming_again(f->arming);
			o.drawn_at = -1;
			o.flying = false;
			break;
		case 3 ... 12:
			f->frame++;
			arming_paint(f->arming, f->frame);
			arming_painted(f->arming, from, len);
			memset(o.pending, 0, sizeof(o.pending));
			for (size_t i = from; i < from + len && i < total; i++)
				o.pending[i] = true;
			o.flying = true;
			break;
		case 13 ... 24:
			arming_frame_left(f->arming, f->frame, f->now);
			if (!o.flying)
				break;
			o.flying = false;
			for (size_t i = 0; i < total; i++)
				o.seen[i] |= o.pending[i];
			if (o.drawn_at >= 0)
				break;
			o.drawn_at = o.restless = f->now;
			o.quiet = (f->now - o.last_decided <= 2 * NS_PER_S ? 1000 : 500) * MS;
			o.rest = (f->now - o.last_input <= NS_PER_S ? 700 : 300) * MS;
			break;
		case 25 ... 27:
			arming_input(f->arming, 0, f->now);
			o.last_input = f->now;
			break;
		default:
			expected = oracle_armed(&o, total, f->now);
			memmove(&o.keys[1], &o.keys[0], 2 * sizeof(o.keys[0]));
			o.keys[0] = f->now;
			arming_input(f->arming, 1, f->now);
			o.last_input = f->now;
			if (o.drawn_at >= 0 && o.keys[2] > 0 && f->now - o.keys[2] <= 30 * MS)
				o.restless = f->now;
			if (!arming_approve(f->arming, f->now))
				break;
			assert_true(expected);
			wait_ms(f, 30);
			assert_true(arming_settled(f->arming, f->now));
			approved++;
			arming_close(f->arming, true, f->now);
			o.last_decided = f->now;
			arming_open(f->arming, total);
			memset(o.seen, 0, sizeof(o.seen));
			o.drawn_at = -1;
			o.flying = false;
		}
	}
	assert_true(approved > 100);
}

#define ARMING_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		ARMING_TEST(a_rested_keyboard_and_a_whole_frame_approve),
		ARMING_TEST(nothing_approves_before_the_frame_has_left),
		ARMING_TEST(quiet_lasts_500_ms_from_the_frame),
		ARMING_TEST(each_byte_starts_the_rest_again),
		ARMING_TEST(a_key_held_for_ever_never_approves),
		ARMING_TEST(a_key_pressed_too_early_and_held_approves_nothing),
		ARMING_TEST(a_typed_confirmation_needs_no_rest_before_its_last_key),
		ARMING_TEST(a_pasted_confirmation_is_refused),
		ARMING_TEST(typing_before_the_frame_lengthens_the_rest),
		ARMING_TEST(a_decision_just_before_lengthens_the_quiet),
		ARMING_TEST(every_byte_must_have_been_painted),
		ARMING_TEST(a_frame_that_never_left_covers_nothing),
		ARMING_TEST(drawing_anew_leads_back_and_keeps_what_was_seen),
		ARMING_TEST(a_frame_of_the_presentation_before_does_not_count),
		ARMING_TEST(a_second_key_right_behind_takes_the_approval_back),
		ARMING_TEST(keys_that_came_together_approve_nothing),
		ARMING_TEST(deny_works_after_the_rest_alone),
		ARMING_TEST(a_blocked_pane_denies_and_never_approves),
		ARMING_TEST(times_below_the_floor_are_raised),
		ARMING_TEST(other_times_forget_neither_a_key_nor_a_decision),
		ARMING_TEST(no_sequence_of_events_approves_outside_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
