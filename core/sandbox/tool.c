/*
 * tool.c - a tool process: the user's own code on the host, less what could answer for the user.
 *
 * An isolated tool sees the machine as its user does, but for the covered folders and sockets, the
 * processes outside, and the terminals of others.  What covers a path is mounted in a namespace
 * whose mounts the tool has no right over; a namespace it makes itself gets them locked together.
 */
#include "config.h"

#include "core/sandbox/tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/sandbox/confine.h"
#include "core/sandbox/plan.h"

#define FIXED_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define COVER_FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC)

struct tool {
	struct tool_plan plan;
	uid_t uid;
	gid_t gid;
	bool change; /* from root to uid and gid */
	char **env;
};

/* ---- whose it is ---- */

static const char *
env_value(const struct tool_plan *plan, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; plan->env[i]; i++)
		if (strncmp(plan->env[i], name, len) == 0 && plan->env[i][len] == '=')
			return plan->env[i] + len + 1;
	return NULL;
}

/* The plan's variables, and those of the account that it does not set itself. */
static void
fill_env(struct tool *tool, const struct passwd *account)
{
	const char *const given[][2] = {
		{ "HOME", account ? account->pw_dir : "/" },
		{ "LOGNAME", account ? account->pw_name : NULL },
		{ "USER", account ? account->pw_name : NULL },
		{ "SHELL", account ? account->pw_shell : NULL },
		{ "PATH", FIXED_PATH },
		{ "LANG", "C.UTF-8" },
	};
	size_t count = 0;

	while (tool->plan.env[count])
		count++;
	tool->env = mem_zero(count + ARRAY_SIZE(given) + 1, sizeof(*tool->env));
	for (size_t i = 0; i < count; i++)
		tool->env[i] = (char *)tool->plan.env[i];
	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		if (given[i][1] && !env_value(&tool->plan, given[i][0]))
			tool->env[count++] = mem_printf("%s=%s", given[i][0], given[i][1]);
}

static int
find_account(struct tool *tool, const struct confine_outside *outside, struct err *err)
{
	const char *user = tool->plan.user;
	struct passwd *account;

	if (outside->uid == 0 && !user)
		return err_set(err, ERR_REFUSED, "started by root without a user to run as");
	account = user ? getpwnam(user) : getpwuid(outside->uid);
	if (user && !account)
		return err_set(err, ERR_MISSING, "user: there is no user \"%s\"", user);
	tool->uid = user ? account->pw_uid : outside->uid;
	tool->gid = user ? account->pw_gid : outside->gid;
	if (outside->uid != 0 && tool->uid != outside->uid)
		return err_set(err, ERR_REFUSED, "user: only root can start it as \"%s\"", user);
	tool->change = tool->uid != outside->uid;
	fill_env(tool, account);
	return 0;
}

/* ---- what it must not see ---- */

static int
cover_folder(const char *path, struct err *err)
{
	if (mount("tmpfs", path, "tmpfs", COVER_FLAGS | MS_RDONLY, "size=4k,nr_inodes=2,mode=555") <
		0)
		return confine_refused("mount namespace", path, errno, err);
	return 0;
}

static int
cover(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		/* What its user cannot reach needs no cover, and what is not there cannot have one.
		 */
		if (errno == ENOENT || errno == ENOTDIR || errno == EACCES)
			return 0;
		return err_sys(err, errno, "cover %s", path);
	}
	if (S_ISDIR(st.st_mode))
		return cover_folder(path, err);
	if (mount("/dev/null", path, NULL, MS_BIND, NULL) < 0)
		return confine_refused("mount namespace", path, errno, err);
	return 0;
}

/* Of login on a console: the user owns the device, and so could write to what the user looks at. */
static int
cover_consoles(uid_t uid, struct err *err)
{
	struct dirent *entry;
	DIR *folder = opendir("/dev");
	int rc = 0;

	while (folder && rc == 0 && (entry = readdir(folder))) {
		const char *name = entry->d_name;
		char path[300];
		struct stat st;

		if (strcmp(name, "console") != 0 && strncmp(name, "hvc", 3) != 0 &&
			(strncmp(name, "tty", 3) != 0 || name[3] == '\0'))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", name);
		if (stat(path, &st) == 0 && S_ISCHR(st.st_mode) && st.st_uid == uid && uid != 0)
			rc = cover(path, err);
	}
	if (folder)
		closedir(folder);
	return rc;
}

static int
own_terminals(struct err *err)
{
	if (access("/dev/pts", F_OK) < 0)
		return 0;
	if (mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
		    "newinstance,ptmxmode=0666,mode=0620") == 0)
		return 0;
	return cover_folder("/dev/pts", err);
}

static int
hide(struct tool *tool, struct err *err)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return confine_refused("mount namespace", "make / private", errno, err);
	if (mount("proc", "/proc", "proc", COVER_FLAGS, NULL) < 0)
		return confine_refused("pid namespace", "mount /proc", errno, err);
	if (own_terminals(err) < 0 || cover_consoles(tool->uid, err) < 0)
		return -1;
	for (size_t i = 0; tool->plan.covers[i]; i++)
		if (cover(tool->plan.covers[i], err) < 0)
			return -1;
	return 0;
}

struct tool *
tool_enter(const char *plan, size_t len, bool isolated, const struct confine_outside *outside,
	struct err *err)
{
	struct tool *tool = mem_zero(1, sizeof(*tool));

	if (plan_get_tool(plan, len, &tool->plan, err) < 0)
		return NULL;
	if (tool->plan.isolate != isolated) {
		err_set(err, ERR_FORMAT, "malformed plan: isolated or not?");
		return NULL;
	}
	if (find_account(tool, outside, err) < 0)
		return NULL;
	if (!isolated)
		return tool;
	if (outside->uid != 0 && confine_map(outside, outside->uid, outside->gid, err) < 0) {
		err_within(err, "user namespace");
		return NULL;
	}
	return hide(tool, err) < 0 ? NULL : tool;
}

/* ---- in the program's process ---- */

static int
change_ids(const struct tool *tool, struct err *err)
{
	if (!tool->change)
		return 0;
	if (initgroups(tool->plan.user, tool->gid) < 0 ||
		setresgid(tool->gid, tool->gid, tool->gid) < 0 ||
		setresuid(tool->uid, tool->uid, tool->uid) < 0)
		return err_sys(err, errno, "become user %s", tool->plan.user);
	return 0;
}

int
tool_confine(struct tool *tool, int watch_fd, struct err *err)
{
	bool isolated = tool->plan.isolate;

	if (isolated && confine_bounds(err) < 0)
		return -1;
	if (change_ids(tool, err) < 0)
		return -1;
	if (isolated && confine_no_capabilities(err) < 0)
		return -1;
	if ((isolated || tool->change) && confine_no_new_privs(err) < 0)
		return -1;
	if (confine_die_with_parent(watch_fd, err) < 0)
		return -1;
	if (chdir(tool->plan.cwd) < 0)
		return err_sys(err, errno, "working folder %s, as %s", tool->plan.cwd,
			tool->change ? tool->plan.user : "the account of the run");
	return 0;
}

/* execve in each folder of the fixed path; errno of the most telling failure stays. */
static void
exec_searched(const char *name, char *const *argv, char *const *env)
{
	static const char *const folders[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
		"/usr/bin", "/sbin", "/bin" };
	int telling = ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		AUTO_FREE char *path = mem_printf("%s/%s", folders[i], name);

		execve(path, argv, env);
		if (errno != ENOENT && errno != ENOTDIR)
			telling = errno;
	}
	errno = telling;
}

void
tool_exec(const struct tool *tool, struct err *err)
{
	char *const *argv = (char *const *)tool->plan.argv;

	if (strchr(argv[0], '/'))
		execve(argv[0], argv, tool->env);
	else
		exec_searched(argv[0], argv, tool->env);
	err_sys(err, errno, "start %s", argv[0]);
}
