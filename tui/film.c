/*
 * The present turns into time of the record only in film_advance(): everything that changes how
 * fast it turns settles first what has passed.  Times of a record are its own word, so they may go
 * back: a pause is never shorter than nothing.
 */
#include "config.h"

#include "tui/film.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"

#define LONGEST (3600 * NS_PER_S) /* between two looks; keeps the sums in range */

static const int64_t idles[] = { 0, 2 * NS_PER_S, NS_PER_S, NS_PER_S / 2 };
#define IDLES (sizeof(idles) / sizeof(idles[0]))

static int64_t
mono_of(const struct film *film, uint64_t index)
{
	return film->tape.mono(index, film->tape.arg);
}

static int64_t
faster(int64_t ns, int speed)
{
	return speed >= 0 ? ns << speed : ns >> -speed;
}

void
film_init(struct film *film, const struct film_tape *tape)
{
	memset(film, 0, sizeof(*film));
	film->tape = *tape;
}

/* ns of the record that are played before the next event; there is one. */
static int64_t
pause_left(const struct film *film)
{
	int64_t next = mono_of(film, film->position);
	int64_t before = film->position > 0 ? mono_of(film, film->position - 1) : 0;

	if (film->idle > 0 && next > before && next - before > film->idle)
		next = before + film->idle;
	return next > film->at ? next - film->at : 0;
}

bool
film_advance(struct film *film, int64_t now)
{
	uint64_t began = film->position;
	int64_t passed = now - film->since;
	int64_t left;

	if (!film->playing)
		return false;
	film->since = now;
	if (passed < 0)
		passed = 0;
	if (passed > LONGEST)
		passed = LONGEST;
	left = faster(passed, film->speed);
	if (film->speed < 0) /* what was too short for a nanosecond of the film is not lost */
		film->since -= passed - faster(left, -film->speed);
	while (film->position < film->tape.events) {
		int64_t pause = pause_left(film);

		if (pause > left) {
			film->at += left;
			return film->position > began;
		}
		left -= pause;
		film->at = mono_of(film, film->position++);
	}
	film->playing = false;
	return film->position > began;
}

int64_t
film_next(const struct film *film, int64_t now)
{
	int64_t passed = now - film->since;
	int64_t pause;

	if (!film->playing || film->position == film->tape.events)
		return -1;
	pause = pause_left(film);
	if (pause > LONGEST)
		pause = LONGEST;
	/* A part of a nanosecond is a whole one: else it would be asked again in no time. */
	pause = faster(pause, -film->speed) + (film->speed > 0);
	return pause > passed ? pause - passed : 0;
}

void
film_play(struct film *film, bool play, int64_t now)
{
	(void)film_advance(film, now);
	if (play && film->position == film->tape.events)
		film_go(film, 0);
	film->playing = play && film->tape.events > 0;
	film->since = now;
}

void
film_go(struct film *film, uint64_t position)
{
	film->playing = false;
	film->position = position < film->tape.events ? position : film->tape.events;
	film->at = film->position > 0 ? mono_of(film, film->position - 1) : 0;
}

void
film_go_before(struct film *film, uint64_t index)
{
	film_go(film, index);
	if (film->position < film->tape.events)
		film->at = mono_of(film, film->position);
}

void
film_go_time(struct film *film, int64_t mono)
{
	uint64_t from = 0;
	uint64_t to = film->tape.events;

	while (from < to) {
		uint64_t middle = from + (to - from) / 2;

		if (mono_of(film, middle) <= mono)
			from = middle + 1;
		else
			to = middle;
	}
	film_go(film, from);
	if (from < film->tape.events && mono > film->at)
		film->at = mono;
}

void
film_faster(struct film *film, int by, int64_t now)
{
	(void)film_advance(film, now);
	film->speed += by;
	if (film->speed < FILM_SLOWEST)
		film->speed = FILM_SLOWEST;
	if (film->speed > FILM_FASTEST)
		film->speed = FILM_FASTEST;
}

void
film_next_idle(struct film *film, int64_t now)
{
	(void)film_advance(film, now);
	for (size_t i = 0; i < IDLES; i++) {
		if (idles[i] == film->idle) {
			film->idle = idles[(i + 1) % IDLES];
			return;
		}
	}
	film->idle = 0;
}

void
film_speed_words(const struct film *film, char out[FILM_WORDS])
{
	static const char *const slow[] = { "0.5x", "0.25x", "0.125x" };

	if (film->speed < 0)
		snprintf(out, FILM_WORDS, "%s", slow[-film->speed - 1]);
	else
		snprintf(out, FILM_WORDS, "%d.0x", 1 << film->speed);
}
