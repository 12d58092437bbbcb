/*
 * films.h - opening records in memory as replays, and holding them against the plain fold.
 *
 * Knows:      replay, plain_fold, random_record.
 * Unaware of: which test asks.
 */
#ifndef TESTS_SESSION_FILMS_H
#define TESTS_SESSION_FILMS_H

#include <stdint.h>

struct err;
struct replay;
struct session;

struct replay *film_open(int fd, struct err *err);        /* the file stays the caller's */
struct replay *film_open_whole(int fd);                   /* must open */
int film_random(unsigned seed, unsigned events);          /* a file */
void film_seek(struct replay *replay, uint64_t position); /* must go there */
/* The film's session is the first `position` events of the file. */
void film_as_folded(int fd, uint64_t position, const struct session *film);

#endif
