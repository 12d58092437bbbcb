/*
 * tty.h - the terminal as a device: opened anew, put into raw mode, and put back on every way out.
 *
 * The way back works in a signal handler: after a fatal signal, when memory is exhausted, at
 * exit().
 *
 * Knows:      err, mem.
 * Unaware of: curses, the loop, what is sent.
 */
#ifndef TUI_TTY_H
#define TUI_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/base/attr.h"

struct err;

/* One at a time. */
struct tty {
	int in, out;                /* without waiting; for the loop, read(), write() */
	bool in_shared, out_shared; /* internal: they are 0 and 1, where opening anew failed */
	struct stat input;          /* internal: descriptor 0 as it was */
};

/* Standard input and output, which must be terminals.  Nothing is changed yet. */
int tty_open(struct tty *tty, struct err *err) ATTR_CHECKED;
void tty_close(struct tty *tty); /* after tty_give_back() */

/* What is written to put the screen back; at most 256 bytes, without padding. */
void tty_set_farewell(const char *bytes, size_t len);

/* Raw mode, until tty_give_back(): that drops what is still to go out, writes the farewell (waiting
 * for a stalled terminal for half a second at most) and sets the mode that was found. */
int tty_take(struct tty *tty, struct err *err) ATTR_CHECKED;
void tty_give_back(void);

/* Something that is done too when the process ends by a fatal signal, at exit() or without memory:
 * safe in a signal handler.  NULL: nothing. */
void tty_set_last_act(void (*act)(void));

/* Bring a process group, or our own, in front of the terminal that controls this session; without
 * one nothing happens.  Both are safe after fork(). */
void tty_hand_to(pid_t group);
void tty_hand_back(void);

bool tty_is_same(const struct tty *tty); /* is 0 still this terminal, and are we in front? */
void tty_size(const struct tty *tty, int *cols, int *rows); /* 0 x 0 when it is not known */
bool tty_is_drained(const struct tty *tty);                 /* its own queue is empty */
void tty_flush_input(const struct tty *tty);
bool tty_knows_titles(void); /* by its name: others could show a title as text */

#endif
