/*
 * root.c - build the sandbox's root.
 *
 * Every tree from the host is cloned detached and made read-only before it is attached anywhere, so
 * that there is no moment at which it could be written to, and all host paths are opened before the
 * new root covers them.  Nothing in the new root comes from outside but those trees: no link can
 * lead a later mount astray.  The runner is copied, as a bind would show its host path inside.
 */
#include "config.h"

#include "core/sandbox/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/sandbox/confine.h"
#include "core/sandbox/plan.h"

#define LAYER "mount namespace"
/* Always there, and covered by the new root while that is being built. */
#define BUILD_AT "/usr"
#define RUNNER_MAX ((size_t)1 << 20)
#define TMP_INODES 8192
#define TMP_FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC)

struct graft {
	const char *from;
	const char *to;
	enum { NEEDED, WHERE_PRESENT, WHERE_FOLDER, DEVICE } kind;
	int tree; /* -1: not there */
};

/* Debian and its kin keep only links to /usr at the top; others still have folders there.  numpy
 * finds its libraries through /etc/alternatives. */
static const struct graft fixed[] = {
	{ "/usr", "usr", NEEDED, -1 },
	{ "/bin", "bin", WHERE_FOLDER, -1 },
	{ "/lib", "lib", WHERE_FOLDER, -1 },
	{ "/lib64", "lib64", WHERE_FOLDER, -1 },
	{ "/etc/alternatives", "etc/alternatives", WHERE_PRESENT, -1 },
	{ "/etc/ld.so.cache", "etc/ld.so.cache", WHERE_PRESENT, -1 },
	{ "/dev/null", "dev/null", DEVICE, -1 },
	{ "/dev/urandom", "dev/urandom", DEVICE, -1 },
};

static const char *const folders[] = { "usr", "etc", "dev", "dev/shm", "proc", "tmp", "run",
	"run/tollbridge" };

static const char *const top_links[] = { "bin", "sbin", "lib", "lib32", "lib64", "libx32" };

/* Who is asked for gets an answer: getpwuid() and getgrgid() of the library. */
static const struct {
	const char *path, *text;
} files[] = {
	{ "etc/passwd",
		"root:x:0:0::/:/usr/sbin/nologin\nprogram:x:1000:1000::/tmp:/usr/sbin/nologin\n" },
	{ "etc/group", "root:x:0:\nprogram:x:1000:\n" },
};

static int
graft_open(struct graft *graft, struct err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID };
	struct stat st;

	graft->tree = -1;
	if (graft->kind == WHERE_FOLDER && lstat(graft->from, &st) == 0 && !S_ISDIR(st.st_mode))
		return 0;
	if (graft->kind != DEVICE)
		attr.attr_set |= MOUNT_ATTR_NODEV;
	graft->tree = open_tree(
		AT_FDCWD, graft->from, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if (graft->tree < 0 && errno == ENOENT &&
		(graft->kind == WHERE_PRESENT || graft->kind == WHERE_FOLDER))
		return 0;
	if (graft->tree < 0 || mount_setattr(graft->tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
				       sizeof(attr)) < 0)
		return confine_refused(LAYER, graft->from, errno, err);
	return 0;
}

/* An empty file or folder to mount on, with the folders above it; path is relative. */
static int
make_place(const char *path, bool folder, struct err *err)
{
	AUTO_FREE char *copy = mem_str(path);
	int fd;

	for (char *slash = copy; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			return err_sys(err, errno, LAYER ": make /%s", copy);
	}
	if (folder) {
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return err_sys(err, errno, LAYER ": make /%s", path);
		return 0;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0)
		return err_sys(err, errno, LAYER ": make /%s", path);
	close(fd);
	return 0;
}

static int
graft_attach(struct graft *graft, struct err *err)
{
	struct stat st;

	if (graft->tree < 0)
		return 0;
	if (fstat(graft->tree, &st) < 0)
		return err_sys(err, errno, LAYER ": %s", graft->from);
	if (make_place(graft->to, S_ISDIR(st.st_mode), err) < 0)
		return -1;
	if (move_mount(graft->tree, "", AT_FDCWD, graft->to, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return confine_refused(LAYER, graft->from, errno, err);
	close(graft->tree);
	return 0;
}

static int
write_file(const char *path, const char *bytes, size_t len, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);

	if (fd < 0)
		return err_sys(err, errno, LAYER ": make /%s", path);
	return io_write_all(fd, bytes, len, err);
}

static int
fill(const struct buf *runner, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (mkdir(folders[i], 0755) < 0)
			return err_sys(err, errno, LAYER ": make /%s", folders[i]);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (write_file(files[i].path, files[i].text, strlen(files[i].text), err) < 0)
			return -1;
	return write_file(&ROOT_RUNNER[1], runner->data, runner->len, err);
}

/* As the host's own links at the top: after the grafts, so that a folder there has the place. */
static int
link_top(struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(top_links); i++) {
		AUTO_FREE char *target = mem_printf("usr/%s", top_links[i]);

		if (access(target, F_OK) == 0 && symlink(target, top_links[i]) < 0 &&
			errno != EEXIST)
			return err_sys(err, errno, LAYER ": make /%s", top_links[i]);
	}
	return 0;
}

static int
mount_own(const struct sandbox_plan *plan, struct err *err)
{
	char options[96];

	if (mount("proc", "proc", "proc", TMP_FLAGS | MS_RDONLY, "subset=pid,hidepid=2") < 0)
		return confine_refused(LAYER, "/proc", errno, err);
	snprintf(options, sizeof(options), "mode=1777,size=%lld,nr_inodes=%d",
		(long long)plan->limits.tmp_bytes, TMP_INODES);
	if (mount("tmpfs", "tmp", "tmpfs", TMP_FLAGS, options) < 0)
		return confine_refused(LAYER, "/tmp", errno, err);
	if (mount("tmpfs", "dev/shm", "tmpfs", TMP_FLAGS, options) < 0)
		return confine_refused(LAYER, "/dev/shm", errno, err);
	return 0;
}

/* The old root is put on top of the new one and taken away: no folder is needed for it. */
static int
change_root(struct err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					       MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC };
	char where[64];

	if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return confine_refused(LAYER, "change the root", errno, err);
	if (mount_setattr(AT_FDCWD, "/", 0, &attr, sizeof(attr)) < 0)
		return confine_refused("read-only root", "/", errno, err);
	/* A folder outside the root would show as "(unreachable)". */
	if (!getcwd(where, sizeof(where)) || strcmp(where, "/") != 0)
		return err_set(err, ERR_SANDBOX, LAYER ": the working folder is outside the root");
	return 0;
}

static int
build(const struct sandbox_plan *plan, struct graft *grafts, size_t count, struct err *err)
{
	AUTO_BUF struct buf runner;

	buf_init(&runner, RUNNER_MAX);
	if (io_read_file(plan->runner, &runner, err) < 0)
		return err_within(err, "the guest's runner");
	for (size_t i = 0; i < count; i++)
		if (graft_open(&grafts[i], err) < 0)
			return -1;
	if (mount("tmpfs", BUILD_AT, "tmpfs", MS_NOSUID | MS_NODEV,
		    "mode=755,size=4m,nr_inodes=1024") < 0)
		return confine_refused(LAYER, "tmpfs", errno, err);
	if (chdir(BUILD_AT) < 0)
		return err_sys(err, errno, LAYER);
	if (fill(&runner, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (graft_attach(&grafts[i], err) < 0)
			return -1;
	if (link_top(err) < 0 || mount_own(plan, err) < 0)
		return -1;
	return change_root(err);
}

int
root_enter(const struct sandbox_plan *plan, struct err *err)
{
	size_t count = ARRAY_SIZE(fixed) + plan->mount_count;
	AUTO_FREE struct graft *grafts = mem_zero(count, sizeof(*grafts));

	memcpy(grafts, fixed, sizeof(fixed));
	for (size_t i = 0; i < plan->mount_count; i++) {
		struct graft *graft = &grafts[ARRAY_SIZE(fixed) + i];

		graft->from = plan->mounts[i].from;
		graft->to = plan->mounts[i].to + strspn(plan->mounts[i].to, "/");
		graft->kind = NEEDED;
	}
	umask(022);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return confine_refused(LAYER, "make / private", errno, err);
	if (sethostname("sandbox", strlen("sandbox")) < 0)
		return err_sys(err, errno, "uts namespace");
	return build(plan, grafts, count, err);
}
