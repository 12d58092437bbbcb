#include "config.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "tests/tui/golden.h"
#include "tui/canvas.h"
#include "tui/film.h"
#include "tui/timeline.h"

#define NOW (1000 * NS_PER_S)

/* Events at 0, 1, 1, 3, 13 and 14 seconds. */
static const int64_t seconds[] = { 0, 1, 1, 3, 13, 14 };
#define EVENTS (sizeof(seconds) / sizeof(seconds[0]))

static int64_t
second_of(uint64_t index, const void *arg)
{
	(void)arg;
	return seconds[index] * NS_PER_S;
}

static struct film
made(void)
{
	struct film_tape tape = { EVENTS, second_of, NULL };
	struct film film;

	film_init(&film, &tape);
	return film;
}

static int64_t
after(double s)
{
	return NOW + (int64_t)(s * (double)NS_PER_S);
}

/* --- playing --- */

static void
a_film_that_does_not_play_stays_where_it_is(void **state)
{
	struct film film = made();

	(void)state;
	assert_false(film_advance(&film, NOW));
	assert_int_equal(film_next(&film, NOW), -1);
	assert_int_equal(film.position, 0);
}

static void
events_happen_when_their_time_has_come(void **state)
{
	struct film film = made();

	(void)state;
	film_play(&film, true, NOW);
	assert_true(film_advance(&film, NOW));
	assert_int_equal(film.position, 1);
	assert_false(film_advance(&film, after(0.9)));
	assert_true(film_advance(&film, after(1)));
	assert_int_equal(film.position, 3); /* both of that second */
	assert_true(film_advance(&film, after(14)));
	assert_int_equal(film.position, EVENTS);
	assert_false(film.playing);
}

static void
the_time_to_the_next_event_is_neither_early_nor_late(void **state)
{
	struct film film = made();

	(void)state;
	for (int speed = FILM_SLOWEST; speed <= FILM_FASTEST; speed++) {
		int64_t now = NOW;

		film_go(&film, 0);
		film.speed = speed;
		film_play(&film, true, now);
		while (film.playing) {
			int64_t next = film_next(&film, now);

			if (next > 1)
				assert_false(film_advance(&film, now + next - 2));
			now += next;
			assert_true(film_advance(&film, now));
		}
		assert_int_equal(film.position, EVENTS);
	}
}

static void
twice_as_fast_takes_half_the_time(void **state)
{
	struct film film = made();

	(void)state;
	film_play(&film, true, NOW);
	film_faster(&film, 1, NOW);
	(void)film_advance(&film, after(6.4));
	assert_int_equal(film.position, 4);
	(void)film_advance(&film, after(6.5));
	assert_int_equal(film.position, 5);
}

static void
a_change_of_speed_does_not_count_for_what_has_passed(void **state)
{
	struct film film = made();

	(void)state;
	film_play(&film, true, NOW);
	film_faster(&film, FILM_FASTEST, after(0.5));
	assert_int_equal(film.position, 1);
	assert_int_equal(film.at, NS_PER_S / 2);
}

static void
speed_has_ends(void **state)
{
	struct film film = made();
	char words[FILM_WORDS];

	(void)state;
	film_faster(&film, 100, NOW);
	film_speed_words(&film, words);
	assert_string_equal(words, "64.0x");
	film_faster(&film, -100, NOW);
	film_speed_words(&film, words);
	assert_string_equal(words, "0.125x");
	film_faster(&film, -FILM_SLOWEST, NOW);
	film_speed_words(&film, words);
	assert_string_equal(words, "1.0x");
}

static void
a_pause_longer_than_the_idle_limit_is_cut_short(void **state)
{
	struct film film = made();

	(void)state;
	film_next_idle(&film, NOW);
	assert_int_equal(film.idle, 2 * NS_PER_S);
	film_go(&film, 4); /* ten seconds to the next one */
	film_play(&film, true, NOW);
	assert_false(film_advance(&film, after(1.9)));
	assert_true(film_advance(&film, after(2)));
	assert_int_equal(film.position, 5);
	assert_int_equal(film.at, 13 * NS_PER_S);
}

static void
the_idle_limit_goes_round(void **state)
{
	static const int64_t wanted[] = { 2000, 1000, 500, 0, 2000 };
	struct film film = made();

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		film_next_idle(&film, NOW);
		assert_int_equal(film.idle, wanted[i] * NS_PER_MS);
	}
}

static void
played_at_the_end_it_begins_anew(void **state)
{
	struct film film = made();

	(void)state;
	film_go(&film, EVENTS);
	film_play(&film, true, NOW);
	assert_int_equal(film.position, 0);
	assert_true(film.playing);
}

/* --- going --- */

static void
going_somewhere_stops_it(void **state)
{
	struct film film = made();

	(void)state;
	film_play(&film, true, NOW);
	film_go(&film, 4);
	assert_false(film.playing);
	assert_int_equal(film.at, 3 * NS_PER_S);
	film_go(&film, 1000);
	assert_int_equal(film.position, EVENTS);
}

static void
before_an_event_the_clock_shows_its_time(void **state)
{
	struct film film = made();

	(void)state;
	film_go_before(&film, 4);
	assert_int_equal(film.position, 4);
	assert_int_equal(film.at, 13 * NS_PER_S);
}

static void
at_a_time_everything_until_then_has_happened(void **state)
{
	static const struct {
		int64_t second;
		uint64_t position;
	} cases[] = { { 0, 1 }, { 1, 3 }, { 2, 3 }, { 3, 4 }, { 12, 4 }, { 14, 6 }, { 99, 6 } };
	struct film film = made();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		film_go_time(&film, cases[i].second * NS_PER_S);
		assert_int_equal(film.position, cases[i].position);
	}
	film_go_time(&film, 2 * NS_PER_S);
	assert_int_equal(film.at, 2 * NS_PER_S);
}

static int64_t
back_in_time(uint64_t index, const void *arg)
{
	static const int64_t odd[] = { 5, 0, INT64_MAX, 1 };

	(void)arg;
	return odd[index];
}

static void
times_that_go_back_or_are_endless_do_no_harm(void **state)
{
	struct film_tape tape = { 4, back_in_time, NULL };
	struct film film;

	(void)state;
	film_init(&film, &tape);
	film.idle = NS_PER_S;
	film_play(&film, true, NOW);
	film_faster(&film, FILM_SLOWEST, NOW);
	for (int i = 0; i < 100; i++) {
		assert_true(film_next(&film, NOW) <= 8 * 3600 * NS_PER_S);
		(void)film_advance(&film, after(i));
	}
	assert_int_equal(film.position, 4);
	film_go_time(&film, 3);
	assert_true(film.position <= 4);
}

static void
an_empty_tape_neither_plays_nor_moves(void **state)
{
	struct film_tape tape = { 0, second_of, NULL };
	struct film film;

	(void)state;
	film_init(&film, &tape);
	film_play(&film, true, NOW);
	assert_false(film.playing);
	film_go(&film, 3);
	film_go_before(&film, 0);
	film_go_time(&film, 3);
	assert_int_equal(film.position, 0);
}

/* --- the time line --- */

static struct replay_mark
mark_of(size_t i, const void *arg)
{
	static const struct replay_mark marks[] = {
		{ 3, 3 * NS_PER_S, REPLAY_APPROVED, true },
		{ 4, 13 * NS_PER_S, REPLAY_DENIED, true },
		{ 4, 13 * NS_PER_S, REPLAY_APPROVED, false },
		{ 5, 14 * NS_PER_S, REPLAY_FAILED, false },
	};

	(void)arg;
	return marks[i];
}

static struct timeline
line_of(const struct film *film)
{
	return (struct timeline){ .film = film,
		.length = 14 * NS_PER_S,
		.marks = 4,
		.mark = mark_of,
		.decision = 1,
		.decisions = 2 };
}

static void
the_time_line_scales_from_narrow_to_wide(void **state)
{
	static const int widths[] = { 40, 60, 80, 120, 300 };
	struct canvas *canvas = canvas_new(1, 1);
	struct film film = made();
	struct timeline line = line_of(&film);

	(void)state;
	film_go_time(&film, 7 * NS_PER_S);
	film.idle = 2 * NS_PER_S;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		AUTO_FREE char *name = mem_printf("timeline-%d", widths[i]);

		canvas_resize(canvas, widths[i], 1);
		canvas_clear(canvas);
		timeline_draw(canvas, canvas_all(canvas), &line);
		assert_picture(canvas, name);
	}
	canvas_free(canvas);
}

static void
without_unicode_the_marks_are_letters(void **state)
{
	struct canvas *canvas = canvas_new(80, 1);
	struct film film = made();
	struct timeline line = line_of(&film);

	(void)state;
	line.beware = "torn";
	canvas_set_ascii(canvas, true);
	timeline_draw(canvas, canvas_all(canvas), &line);
	assert_picture(canvas, "timeline-ascii-80");
	canvas_free(canvas);
}

static void
what_has_happened_is_never_right_of_the_place(void **state)
{
	(void)state;
	for (int cells = 1; cells <= 150; cells++)
		for (int64_t at = 0; at <= 14; at++)
			for (int64_t mark = 0; mark <= at; mark++)
				assert_true(timeline_cell(mark, 14, cells) <=
					    timeline_cell(at, 14, cells));
	assert_int_equal(timeline_cell(5, 0, 10), 0);
	assert_int_equal(timeline_cell(INT64_MAX, 1, 10), 9);
	assert_int_equal(timeline_cell(-5, 10, 10), 0);
	assert_int_equal(timeline_cell(10, 10, 10), 9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_film_that_does_not_play_stays_where_it_is),
		cmocka_unit_test(events_happen_when_their_time_has_come),
		cmocka_unit_test(the_time_to_the_next_event_is_neither_early_nor_late),
		cmocka_unit_test(twice_as_fast_takes_half_the_time),
		cmocka_unit_test(a_change_of_speed_does_not_count_for_what_has_passed),
		cmocka_unit_test(speed_has_ends),
		cmocka_unit_test(a_pause_longer_than_the_idle_limit_is_cut_short),
		cmocka_unit_test(the_idle_limit_goes_round),
		cmocka_unit_test(played_at_the_end_it_begins_anew),
		cmocka_unit_test(going_somewhere_stops_it),
		cmocka_unit_test(before_an_event_the_clock_shows_its_time),
		cmocka_unit_test(at_a_time_everything_until_then_has_happened),
		cmocka_unit_test(times_that_go_back_or_are_endless_do_no_harm),
		cmocka_unit_test(an_empty_tape_neither_plays_nor_moves),
		cmocka_unit_test(the_time_line_scales_from_narrow_to_wide),
		cmocka_unit_test(without_unicode_the_marks_are_letters),
		cmocka_unit_test(what_has_happened_is_never_right_of_the_place),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
