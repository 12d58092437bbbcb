/*
 * io.h - descriptors: whole reads and writes, non-blocking, socket pairs, scope-close.
 *
 * Every descriptor made here is close-on-exec.
 *
 * Knows:      attr, err, buf.
 * Unaware of: the loop.
 */
#ifndef CORE_BASE_IO_H
#define CORE_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/base/attr.h"

struct buf;
struct err;

/* Write all of it or fail (ERR_SYSTEM); EINTR goes on, EAGAIN waits: for blocking use only. */
int io_write_all(int fd, const void *bytes, size_t len, struct err *err) ATTR_CHECKED;

/* Read to end of file into buf; its ceiling holds (ERR_LIMIT). */
int io_read_all(int fd, struct buf *buf, struct err *err) ATTR_CHECKED;

/* A regular file's bytes; links are followed.  Errors name the path. */
int io_read_file(const char *path, struct buf *buf, struct err *err) ATTR_CHECKED;

/*
 * One non-blocking read of up to max bytes to the end of buf.
 * Gives the count, 0 at end of file, -1 with err->errnum EAGAIN when nothing is there.
 */
ssize_t io_read_some(int fd, struct buf *buf, size_t max, struct err *err);

/* One non-blocking write from the front of buf, taking what went.  -1 only on real errors. */
int io_write_some(int fd, struct buf *buf, struct err *err);

/* AF_UNIX stream pair. */
int io_pair(int *ours, int *theirs, struct err *err) ATTR_CHECKED;
int io_pipe(int *read_end, int *write_end, struct err *err) ATTR_CHECKED;
int io_nonblocking(int fd, struct err *err) ATTR_CHECKED;

void io_leave_close(int *slot); /* for ON_LEAVE; -1 is nothing */
int io_give(int *slot);         /* yields the descriptor, leaves -1 */

#define AUTO_CLOSE ON_LEAVE(io_leave_close)

#endif
