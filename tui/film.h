/*
 * film.h - the clockwork of a replay: where on the tape it is, whether it plays, and how fast.
 *
 * A position is the number of events that have happened.  Between two events the film's own clock
 * runs on; a pause longer than the idle limit is cut short while playing.  Nothing here looks at a
 * clock: the present is handed in, ns of any clock that does not go back.
 *
 * Knows:      clock (its units).
 * Unaware of: records, the screen.
 * Calls back: film_tape.mono, while it moves.
 */
#ifndef TUI_FILM_H
#define TUI_FILM_H

#include <stdbool.h>
#include <stdint.h>

struct film_tape {
	uint64_t events;
	int64_t (*mono)(uint64_t index, const void *arg); /* of the event, ns, never negative */
	const void *arg;
};

#define FILM_SLOWEST (-3) /* an eighth */
#define FILM_FASTEST 6    /* 64 times */
#define FILM_WORDS 8

struct film { /* read freely; changed through the functions */
	struct film_tape tape;
	uint64_t position;
	int64_t at; /* the film's clock, ns of the record */
	bool playing;
	int speed;     /* a power of two */
	int64_t idle;  /* longest pause that is played as it was, ns; 0: any */
	int64_t since; /* the present for which `at` holds, while it plays */
};

void film_init(struct film *film, const struct film_tape *tape); /* at the start, stopped */

/* Played from the end it begins anew. */
void film_play(struct film *film, bool play, int64_t now);
/* Move on to the present; it stops by itself at the end.  True when events have happened. */
bool film_advance(struct film *film, int64_t now);
/* ns until the next event happens; -1: it does not play. */
int64_t film_next(const struct film *film, int64_t now);

/* All of these stop it.  What lies beyond an end is that end. */
void film_go(struct film *film, uint64_t position);     /* the last of these has just happened */
void film_go_before(struct film *film, uint64_t index); /* this event is about to happen */
void film_go_time(struct film *film, int64_t mono);     /* what happened until then has happened */

void film_faster(struct film *film, int by, int64_t now); /* by powers of two; may be negative */
void film_next_idle(struct film *film, int64_t now);      /* any, 2 s, 1 s, half a second, any */
void film_speed_words(const struct film *film, char out[FILM_WORDS]); /* "0.25x", "1.0x" */

#endif
