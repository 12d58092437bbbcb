/*
 * outlet.h - standard output of a command that follows a run: in order, never in the run's way.
 *
 * Writes wait for a slow reader, but a signal ends the wait; what is left goes later.  When the
 * reader is gone everything is dropped in silence: the run goes on.
 *
 * Knows:      buf, loop.
 * Unaware of: what is written.
 */
#ifndef TUI_CMD_OUTLET_H
#define TUI_CMD_OUTLET_H

#include <stddef.h>

struct loop;
struct outlet;

struct outlet *outlet_new(struct loop *loop, int fd); /* fd stays the caller's */
void outlet_free(struct outlet *outlet);              /* drops what was not written; NULL is fine */
void outlet_write(struct outlet *outlet, const char *bytes, size_t len);
size_t outlet_left(const struct outlet *outlet);

#endif
