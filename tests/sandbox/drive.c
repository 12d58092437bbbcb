/*
 * drive.c - start one process through the spawner, for tests written as scripts.
 *
 *   drive tool [--user NAME] [--plain] [--cover PATH]... [--env N=V]... -- ARGV...
 *   drive sandbox [--badge] [--memory BYTES] [--pids N] [--cpu SECONDS] [--tmp BYTES] [--mount
 * FROM:TO]... FILE
 *
 * Descriptors 0 to 2 go to a tool as they are.  A sandbox runs FILE in place of the runner; what it
 * writes to its bridge and its standard error is copied to ours.  Ends with one line on standard
 * error: "drive: exit N", "drive: signal N" or "drive: failed: TEXT", and with status 0, 1 or 5.
 * "drive: started PID" and "drive: us N" (from the request to the end) come before.  With --badge,
 * the first bytes on the bridge bring one line a layer, "badge: NAME proved|absent: DETAIL",
 * "cpu_ms N", "tasks N", and the end of the sandbox.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/run/spawn.h"
#include "core/sandbox/sandbox.h"

#define MANY 64

struct stream {
	int from, to;
	struct loop_watch *watch;
};

struct drive {
	struct loop *loop;
	int64_t begun;
	int left; /* what must end before we do */
	int status;
	struct stream bridge, errors;
	struct sandbox *sandbox;
	bool badge;
};

struct options {
	struct spawn_tool tool;
	struct sandbox_config sandbox;
	bool badge;
	const char *covers[MANY], *env[MANY];
	struct sandbox_mount mounts[MANY];
	size_t cover_count, env_count;
};

static void
one_less(struct drive *drive)
{
	if (--drive->left == 0)
		loop_stop(drive->loop, drive->status);
}

static void
show_badge(struct drive *drive)
{
	struct badge badge;
	struct err err = { 0 };

	drive->badge = false;
	if (sandbox_prove(drive->sandbox, &badge, &err) < 0)
		printf("badge fails: %s\n", err.text);
	for (int i = 0; i < LAYER_COUNT; i++)
		printf("badge: %s %s: %s %s\n", layer_name(i),
			badge.layers[i].proved ? "proved" : "absent", badge.layers[i].kind,
			badge.layers[i].detail);
	printf("cpu_ms %lld\ntasks %d\n", (long long)sandbox_cpu_ms(drive->sandbox),
		sandbox_tasks(drive->sandbox));
	fflush(stdout);
	sandbox_kill(drive->sandbox);
}

static void
on_stream(int fd, unsigned events, void *arg)
{
	struct drive *drive = arg;
	struct stream *stream = fd == drive->bridge.from ? &drive->bridge : &drive->errors;
	char bytes[65536];
	ssize_t got = read(fd, bytes, sizeof(bytes));

	if (got < 0 && errno == EAGAIN)
		return;
	if (got > 0 && drive->badge)
		show_badge(drive);
	if (got > 0 && io_write_all(stream->to, bytes, (size_t)got, NULL) == 0)
		return;
	loop_unwatch(stream->watch);
	one_less(drive);
}

static void
on_started(struct proc *proc, void *arg)
{
	fprintf(stderr, "drive: started %d\n", (int)proc_pid(proc));
}

static void
ended(struct drive *drive, const struct proc_exit *end)
{
	fprintf(stderr, "drive: us %lld\n",
		(long long)((clock_mono() - drive->begun) / (NS_PER_MS / 1000)));
	if (!end->started)
		fprintf(stderr, "drive: failed: %s\n", end->error);
	else
		fprintf(stderr, "drive: %s %d\n", end->signaled ? "signal" : "exit", end->code);
	drive->status = !end->started ? 5 : end->signaled || end->code ? 1 : 0;
	one_less(drive);
}

static void
on_tool_exit(struct proc *proc, const struct proc_exit *end, void *arg)
{
	ended(arg, end);
}

static void
on_sandbox_started(struct sandbox *sandbox, void *arg)
{
	const struct drive *drive = arg;

	fprintf(stderr, "drive: started after %lld us\n",
		(long long)((clock_mono() - drive->begun) / (NS_PER_MS / 1000)));
}

static void
on_sandbox_exit(struct sandbox *sandbox, const struct proc_exit *end, void *arg)
{
	ended(arg, end);
}

static void
on_lost(void *arg)
{
	fprintf(stderr, "drive: lost\n");
}

static void
stream_open(struct drive *drive, struct stream *stream, int from, int to)
{
	*stream = (struct stream){ .from = from, .to = to };
	stream->watch = loop_watch(drive->loop, from, LOOP_READ, LOOP_STREAMS, on_stream, drive);
	drive->left++;
}

static int
start_sandbox(
	struct drive *drive, struct spawner *spawner, struct options *options, struct err *err)
{
	const struct sandbox_hooks hooks = { on_sandbox_started, on_sandbox_exit, drive };

	options->sandbox.mounts = options->mounts;
	drive->badge = options->badge;
	drive->sandbox =
		sandbox_start(sandbox_find("native"), spawner, &options->sandbox, &hooks, err);
	if (!drive->sandbox)
		return -1;
	stream_open(drive, &drive->bridge, sandbox_bridge(drive->sandbox), STDOUT_FILENO);
	stream_open(drive, &drive->errors, sandbox_stderr(drive->sandbox), STDERR_FILENO);
	return 0;
}

static int
start_tool(struct drive *drive, struct spawner *spawner, struct options *options, struct err *err)
{
	const struct proc_hooks hooks = { on_started, on_tool_exit, drive };
	struct spawn_tool *tool = &options->tool;

	for (int i = 0; i < 3; i++)
		tool->fds[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
	tool->extra_fd = -1;
	tool->env = options->env;
	tool->covers = options->cover_count ? options->covers : spawner_covers(spawner);
	return spawn_tool(spawner, tool, &hooks, err) ? 0 : -1;
}

static int
usage(void)
{
	fprintf(stderr, "usage: see the head of drive.c\n");
	return 2;
}

static void
take_mount(struct options *options, char *value)
{
	struct sandbox_mount *mount = &options->mounts[options->sandbox.mount_count++];
	char *colon = strchr(value, ':');

	if (!colon)
		exit(usage());
	*colon = '\0';
	mount->from = value;
	mount->to = colon + 1;
}

static int64_t *
numeric(struct options *options, const char *name)
{
	struct sandbox_limits *limits = &options->sandbox.limits;

	return strcmp(name, "--memory") == 0 ? &limits->memory_bytes
	       : strcmp(name, "--pids") == 0 ? &limits->pids
	       : strcmp(name, "--cpu") == 0  ? &limits->cpu_s
	       : strcmp(name, "--cpus") == 0 ? &limits->cpus
	       : strcmp(name, "--tmp") == 0  ? &limits->tmp_bytes
					     : NULL;
}

/* Gives the index of the first word that is no option. */
static int
take_options(struct options *options, int argc, char **argv)
{
	int at = 2;

	for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
		const char *name = argv[at];
		int64_t *number = numeric(options, name);

		if (strcmp(name, "--") == 0)
			return at + 1;
		if (strcmp(name, "--plain") == 0) {
			options->tool.isolate = false;
			continue;
		}
		if (strcmp(name, "--badge") == 0) {
			options->badge = true;
			continue;
		}
		if (++at >= argc || options->cover_count + options->env_count > MANY / 2)
			exit(usage());
		if (number)
			*number = atoll(argv[at]);
		else if (strcmp(name, "--user") == 0)
			options->tool.user = argv[at];
		else if (strcmp(name, "--cover") == 0)
			options->covers[options->cover_count++] = argv[at];
		else if (strcmp(name, "--env") == 0)
			options->env[options->env_count++] = argv[at];
		else if (strcmp(name, "--mount") == 0)
			take_mount(options, argv[at]);
		else
			exit(usage());
	}
	return at;
}

int
main(int argc, char **argv)
{
	static struct options options = {
		.tool.isolate = true,
		.sandbox = { .limits = { 512 << 20, 64, 20, 1, 64 << 20 },
			.python = "/usr/bin/python3" },
	};
	struct drive drive = { .loop = loop_new(), .left = 1 };
	int at = take_options(&options, argc, argv), status, rc = -1;
	struct spawner *spawner;
	struct err err;

	if (at >= argc)
		return usage();
	/* As a supervisor is: what is read from outside must be readable all the same. */
	prctl(PR_SET_DUMPABLE, 0);
	spawner = spawner_new(drive.loop, on_lost, NULL, &err);
	drive.begun = clock_mono();
	options.tool.argv = (const char *const *)argv + at;
	options.sandbox.runner = argv[at];
	if (spawner && strcmp(argv[1], "sandbox") == 0)
		rc = start_sandbox(&drive, spawner, &options, &err);
	else if (spawner)
		rc = start_tool(&drive, spawner, &options, &err);
	if (rc < 0) {
		fprintf(stderr, "drive: failed: %s\n", err.text);
		return 5;
	}
	status = loop_run(drive.loop);
	sandbox_free(drive.sandbox);
	spawner_free(spawner);
	loop_free(drive.loop);
	return status;
}
