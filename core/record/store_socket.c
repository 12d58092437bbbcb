/*
 * A socket is reached as /proc/self/fd/<folder>/<id>.sock: that is short whatever the home's depth,
 * and leads into the folder that was checked.
 */
#include "config.h"

#include "core/record/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/io.h"
#include "core/record/store_inside.h"

#define BACKLOG 16

static int
open_socket(int flags, struct err *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

	return fd < 0 ? err_sys(err, errno, "socket") : fd;
}

static int
address_of(const struct store *store, const char *id, struct sockaddr_un *out, struct err *err)
{
	if (!store_id_valid(id))
		return err_set(err, ERR_USAGE, "a session's id has 32 hex digits");
	*out = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(out->sun_path, sizeof(out->sun_path), "/proc/self/fd/%d/%s.sock", store->run, id);
	return 0;
}

static void
socket_name(const char *id, char out[SESSION_ID_SIZE + 8])
{
	snprintf(out, SESSION_ID_SIZE + 8, "%.32s.sock", id);
}

int
store_listen(struct store *store, const char *id, struct err *err)
{
	char name[SESSION_ID_SIZE + 8];
	struct sockaddr_un address;
	AUTO_CLOSE int fd = open_socket(SOCK_NONBLOCK, err);

	if (fd < 0 || address_of(store, id, &address, err) < 0)
		return -1;
	socket_name(id, name);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		fchmodat(store->run, name, 0600, 0) < 0 || listen(fd, BACKLOG) < 0)
		return err_sys(err, errno, "%s/run/%s", store->path, name);
	return io_give(&fd);
}

int
store_connect(struct store *store, const char *id, struct err *err)
{
	struct sockaddr_un address;
	AUTO_CLOSE int fd = open_socket(0, err);

	if (fd < 0 || address_of(store, id, &address, err) < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		if (errno == ENOENT || errno == ECONNREFUSED)
			return err_set(err, ERR_MISSING, "the session is not running");
		return err_sys(err, errno, "%s/run/%s.sock", store->path, id);
	}
	if (store_check_peer(fd, NULL, err) < 0)
		return -1;
	return io_give(&fd);
}

void
store_unlisten(struct store *store, const char *id)
{
	char name[SESSION_ID_SIZE + 8];

	socket_name(id, name);
	(void)unlinkat(store->run, name, 0);
}

int
store_check_peer(int fd, int *pid, struct err *err)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return err_sys(err, errno, "the peer's credentials");
	if (peer.uid != geteuid())
		return err_set(err, ERR_REFUSED, "the peer is uid %u, not uid %u",
			(unsigned)peer.uid, (unsigned)geteuid());
	if (pid)
		*pid = peer.pid;
	return 0;
}
