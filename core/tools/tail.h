/*
 * tail.h - the last words of a process: a descriptor of its standard error, read and kept bounded.
 *
 * Knows:      loop, io, buf.
 * Unaware of: who spoke; the text is foreign.
 */
#ifndef CORE_TOOLS_TAIL_H
#define CORE_TOOLS_TAIL_H

#include <stddef.h>

struct loop;
struct loop_watch;

#define TAIL_BYTES 2048

struct tail {
	struct loop_watch *watch;
	int fd;
	size_t len;
	char text[TAIL_BYTES + 1]; /* NUL-terminated; NULs within became spaces */
};

/* Takes fd (non-blocking); tail must not move until tail_close(). */
void tail_open(struct tail *tail, struct loop *loop, int fd);
/* Read what is there, then close.  The text stays. */
void tail_close(struct tail *tail);
/* The last non-empty line, or NULL.  Changes the text: for the end. */
const char *tail_line(struct tail *tail);

#endif
