#include "config.h"

#include "core/record/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

static int
check(int fd, const char *shown, struct err *err)
{
	struct stat stat;

	if (fstat(fd, &stat) < 0)
		return err_sys(err, errno, "%s", shown);
	if (stat.st_uid != geteuid())
		return err_set(err, ERR_STATE,
			"%s belongs to uid %u, not to uid %u: move it away, or set XDG_STATE_HOME",
			shown, (unsigned)stat.st_uid, (unsigned)geteuid());
	if ((stat.st_mode & 07777) != 0700)
		return err_set(err, ERR_STATE, "%s has mode %04o, not 0700: chmod 700 it", shown,
			(unsigned)stat.st_mode & 07777);
	return 0;
}

int
folder_open(int parent, const char *name, const char *shown, bool *made, struct err *err)
{
	bool is_new = mkdirat(parent, name, 0700) == 0;
	AUTO_CLOSE int fd = -1;

	if (!is_new && errno != EEXIST)
		return err_sys(err, errno, "%s", shown);
	fd = openat(parent, name, OPEN_FOLDER | O_NOFOLLOW);
	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return err_set(err, ERR_STATE, "%s is a link or no folder: move it away", shown);
	if (fd < 0)
		return err_sys(err, errno, "%s", shown);
	/* A set-group-ID parent or an odd umask must not decide the mode of what we made. */
	if (is_new && fchmod(fd, 0700) < 0)
		return err_sys(err, errno, "%s", shown);
	if (check(fd, shown, err) < 0)
		return -1;
	if (made)
		*made = is_new;
	return io_give(&fd);
}

int
folder_reach(const char *path, struct err *err)
{
	AUTO_FREE char *part = mem_str(path);
	int fd;

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(part, 0700);
		*slash = '/';
	}
	(void)mkdir(part, 0700);
	fd = open(path, OPEN_FOLDER);
	return fd < 0 ? err_sys(err, errno, "%s", path) : fd;
}
