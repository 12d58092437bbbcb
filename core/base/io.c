#include "config.h"

#include "core/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"

static void
wait_writable(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLOUT };

	(void)poll(&one, 1, -1);
}

int
io_write_all(int fd, const void *bytes, size_t len, struct err *err)
{
	const char *at = bytes;

	while (len > 0) {
		ssize_t wrote = write(fd, at, len);

		if (wrote < 0 && errno == EAGAIN)
			wait_writable(fd);
		else if (wrote < 0 && errno != EINTR)
			return err_sys(err, errno, "write");
		if (wrote > 0) {
			at += wrote;
			len -= (size_t)wrote;
		}
	}
	return 0;
}

ssize_t
io_read_some(int fd, struct buf *buf, size_t max, struct err *err)
{
	ssize_t got;

	if (max > buf->ceiling - buf->len)
		max = buf->ceiling - buf->len;
	if (max == 0)
		return err_set(err, ERR_LIMIT, "more than %zu bytes", buf->ceiling);
	do
		got = read(fd, buf_space(buf, max), max);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_sys(err, errno, "read");
	buf_added(buf, (size_t)got);
	return got;
}

int
io_read_all(int fd, struct buf *buf, struct err *err)
{
	ssize_t got;

	do
		got = io_read_some(fd, buf, 65536, err);
	while (got > 0);
	return got < 0 ? -1 : 0;
}

int
io_read_file(const char *path, struct buf *buf, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	if (io_read_all(fd, buf, err) < 0)
		return err_within(err, "%s", path);
	return 0;
}

int
io_write_some(int fd, struct buf *buf, struct err *err)
{
	while (buf->len > 0) {
		ssize_t wrote = send(fd, buf->data, buf->len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (wrote < 0 && errno == ENOTSOCK)
			wrote = write(fd, buf->data, buf->len);
		if (wrote < 0 && errno == EAGAIN)
			return 0;
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return err_sys(err, errno, "write");
		buf_take(buf, (size_t)wrote);
	}
	return 0;
}

int
io_pair(int *ours, int *theirs, struct err *err)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return err_sys(err, errno, "socketpair");
	*ours = fds[0];
	*theirs = fds[1];
	return 0;
}

int
io_pipe(int *read_end, int *write_end, struct err *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	*read_end = fds[0];
	*write_end = fds[1];
	return 0;
}

int
io_nonblocking(int fd, struct err *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return err_sys(err, errno, "fcntl");
	return 0;
}

void
io_leave_close(int *slot)
{
	if (*slot >= 0)
		close(*slot);
}

int
io_give(int *slot)
{
	int given = *slot;

	*slot = -1;
	return given;
}
