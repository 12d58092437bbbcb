/*
 * landlock.c - one ruleset, cut to the kernel's ABI.
 *
 * A right that the kernel does not know must not be asked for, in a rule neither than in the set;
 * so everything is masked by what its ABI has.  The headers of older systems lack the newer rights,
 * hence our own names (Documentation/userspace-api/landlock.rst of the kernel).
 */
#include "config.h"

#include "core/sandbox/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"

#define ABI_VERSION_FLAG 1u
#define RULE_PATH_BENEATH 1

enum right {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_DIR = 1 << 3,
	REMOVE_DIR = 1 << 4,
	REMOVE_FILE = 1 << 5,
	MAKE_DIR = 1 << 7,
	MAKE_REG = 1 << 8,
	ABI_1 = (1 << 13) - 1,
	REFER = 1 << 13,     /* ABI 2 */
	TRUNCATE = 1 << 14,  /* ABI 3 */
	IOCTL_DEV = 1 << 15, /* ABI 5 */
};

#define OF_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)
#define READ (READ_FILE | READ_DIR)
#define CHANGE \
	(READ | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER)

struct ruleset {
	uint64_t files;
	uint64_t net;    /* ABI 4: TCP bind and connect */
	uint64_t scoped; /* ABI 6: abstract sockets, signals */
};

struct beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

static const struct {
	const char *path; /* what is not there needs no rule */
	uint64_t rights;
} places[] = {
	{ "/", READ },
	{ "/tmp", CHANGE },
	{ "/dev/shm", CHANGE },
	{ "/dev/null", READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV },
	{ "/dev/urandom", READ_FILE | IOCTL_DEV },
	{ "/usr/lib", READ | EXECUTE },
	{ "/usr/lib64", READ | EXECUTE },
};

static uint64_t
known_rights(long abi)
{
	uint64_t rights = ABI_1;

	if (abi >= 2)
		rights |= REFER;
	if (abi >= 3)
		rights |= TRUNCATE;
	if (abi >= 5)
		rights |= IOCTL_DEV;
	return rights;
}

static int
allow(int set, const char *path, uint64_t rights, struct err *err)
{
	struct beneath rule = { .allowed = rights };
	struct stat st;
	int rc = 0;

	rule.parent = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent < 0 && errno == ENOENT)
		return 0;
	if (rule.parent < 0 || fstat(rule.parent, &st) < 0)
		return err_sys(err, errno, "landlock: %s", path);
	if (!S_ISDIR(st.st_mode))
		rule.allowed &= OF_FILES;
	if (syscall(SYS_landlock_add_rule, set, RULE_PATH_BENEATH, &rule, 0) < 0)
		rc = err_sys(err, errno, "landlock: %s", path);
	close(rule.parent);
	return rc;
}

static int
make_set(long abi, struct err *err)
{
	const struct ruleset wanted = { .files = known_rights(abi), .net = 3, .scoped = 3 };
	size_t size = abi >= 6   ? sizeof(wanted)
		      : abi >= 4 ? offsetof(struct ruleset, scoped)
				 : offsetof(struct ruleset, net);
	int set = (int)syscall(SYS_landlock_create_ruleset, &wanted, size, 0);

	if (set < 0)
		return err_sys(err, errno, "landlock: create a ruleset");
	return set;
}

int
landlock_enter(const char *python, struct err *err)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, ABI_VERSION_FLAG);
	uint64_t known = known_rights(abi);
	int set, rc;

	if (abi < 1)
		return err_set(err, ERR_SANDBOX,
			"landlock: the kernel does not offer it; mend: a kernel of 5.13 or newer "
			"with landlock among its security modules (lsm= on its command line)");
	set = make_set(abi, err);
	if (set < 0)
		return -1;
	rc = allow(set, python, known & (READ_FILE | EXECUTE), err);
	for (size_t i = 0; i < ARRAY_SIZE(places) && rc == 0; i++)
		rc = allow(set, places[i].path, known & places[i].rights, err);
	if (rc == 0 && syscall(SYS_landlock_restrict_self, set, 0) < 0)
		rc = err_sys(err, errno, "landlock");
	close(set);
	return rc;
}
