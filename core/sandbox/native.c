/*
 * native.c - the default backend: tollbridge-init builds the sandbox from a plan.
 *
 * What is checked here is what the configuration can get wrong; the plan's steps check themselves.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/run/spawn.h"
#include "core/sandbox/plan.h"
#include "core/sandbox/sandbox.h"

/* Whether path is folder or lies below it. */
static bool
lies_in(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static bool
has_dots(const char *path)
{
	for (const char *at = path; (at = strstr(at, "/.")); at += 2)
		if (at[2] == '/' || at[2] == '\0' ||
			(at[2] == '.' && (at[3] == '/' || at[3] == '\0')))
			return true;
	return false;
}

static int
check_mount(const struct sandbox_mount *mount, struct err *err)
{
	static const char *const taken[] = { "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
		"/libx32", "/etc", "/dev", "/proc", "/tmp", "/run" };

	if (mount->from[0] != '/' || mount->to[0] != '/' || mount->to[1] == '\0' ||
		has_dots(mount->to) || strstr(mount->to, "//"))
		return err_set(err, ERR_USAGE,
			"sandbox mount %s at %s: both must be absolute, the second without dots",
			mount->from, mount->to);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (lies_in(mount->to, taken[i]))
			return err_set(err, ERR_USAGE,
				"sandbox mount %s at %s: %s is the sandbox's own; choose a place "
				"as /in or /data",
				mount->from, mount->to, taken[i]);
	return 0;
}

static int
check_python(const struct sandbox_config *config, struct err *err)
{
	if (lies_in(config->python, "/usr") && !has_dots(config->python))
		return 0;
	for (size_t i = 0; i < config->mount_count; i++)
		if (lies_in(config->python, config->mounts[i].to))
			return 0;
	return err_set(err, ERR_SANDBOX,
		"sandbox.python %s is not in the sandbox: it must lie below /usr or in a mount",
		config->python);
}

static int
check(const struct sandbox_config *config, struct err *err)
{
	for (size_t i = 0; i < config->mount_count; i++)
		if (check_mount(&config->mounts[i], err) < 0)
			return -1;
	return check_python(config, err);
}

static struct sandbox *
native_start(struct spawner *spawner, const struct sandbox_config *config,
	const struct sandbox_hooks *hooks, struct err *err)
{
	const struct sandbox_plan plan = { config->limits, config->python, config->runner,
		config->mounts, config->mount_count };
	AUTO_CLOSE int bridge = -1;
	AUTO_CLOSE int errors = -1;
	AUTO_CLOSE int guest_bridge = -1;
	AUTO_CLOSE int guest_errors = -1;
	AUTO_CLOSE int twin = -1;
	struct proc_hooks proc_hooks;
	struct sandbox *sandbox;
	struct proc *proc;

	if (check(config, err) < 0 || io_pair(&bridge, &guest_bridge, err) < 0 ||
		io_pair(&errors, &guest_errors, err) < 0 || io_nonblocking(bridge, err) < 0 ||
		io_nonblocking(errors, err) < 0)
		return NULL;
	twin = fcntl(guest_bridge, F_DUPFD_CLOEXEC, 3);
	if (twin < 0) {
		err_sys(err, errno, "bridge");
		return NULL;
	}
	sandbox = sandbox_new(config, hooks, io_give(&bridge), io_give(&errors));
	sandbox_proc_hooks(sandbox, &proc_hooks);
	proc = spawn_sandbox(spawner, &plan,
		(const int[]){ io_give(&guest_bridge), io_give(&twin), io_give(&guest_errors) },
		&proc_hooks, err);
	if (!proc) {
		sandbox_free(sandbox);
		return NULL;
	}
	sandbox_hold(sandbox, proc);
	return sandbox;
}

const struct sandbox_ops sandbox_native = { "native", native_start };
