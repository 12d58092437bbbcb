/*
 * tree.c - walk /proc downwards.
 *
 * The kernel lists a thread's children in /proc/P/task/T/children; where it was built without that
 * file, every process of the machine is asked for its parent instead.
 */
#include "config.h"

#include "core/sandbox/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TREE_MAX 4096
#define SMALL_FILE 4096

struct stat_line {
	pid_t parent;
	long threads;
	unsigned long long own; /* clock ticks, user and system */
	unsigned long long waited;
};

static ssize_t
read_small(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got, len = 0;

	if (fd < 0)
		return -1;
	while ((got = read(fd, text + len, room - 1 - (size_t)len)) > 0)
		len += got;
	close(fd);
	text[len] = '\0';
	return got < 0 ? -1 : len;
}

/* proc(5), /proc/pid/stat: fields are counted after the last parenthesis, as a name may hold any.
 */
static bool
read_stat(pid_t pid, struct stat_line *line)
{
	unsigned long long user, system, waited_user, waited_system;
	char path[64], text[SMALL_FILE];
	const char *rest;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (read_small(path, text, sizeof(text)) < 0 || !(rest = strrchr(text, ')')))
		return false;
	if (sscanf(rest + 1,
		    " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %ld",
		    &line->parent, &user, &system, &waited_user, &waited_system,
		    &line->threads) != 6)
		return false;
	line->own = user + system;
	line->waited = waited_user + waited_system;
	return true;
}

static size_t
add_listed(const char *text, pid_t *pids, size_t count, size_t room)
{
	char *end;

	for (long pid; count < room && (pid = strtol(text, &end, 10)) > 0; text = end)
		pids[count++] = (pid_t)pid;
	return count;
}

/* Children by the kernel's own list; false where there is no such file. */
static bool
children_listed(pid_t parent, pid_t *pids, size_t *count, size_t room)
{
	char path[300], text[SMALL_FILE * 4];
	struct dirent *entry;
	bool listed = true;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)parent);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)parent,
			entry->d_name);
		if (read_small(path, text, sizeof(text)) >= 0)
			*count = add_listed(text, pids, *count, room);
		else if (access("/proc/thread-self/children", F_OK) < 0)
			listed = false;
	}
	if (tasks)
		closedir(tasks);
	return listed;
}

static void
children_searched(pid_t parent, pid_t *pids, size_t *count, size_t room)
{
	struct stat_line line;
	struct dirent *entry;
	DIR *all = opendir("/proc");

	while (all && *count < room && (entry = readdir(all))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid > 0 && read_stat(pid, &line) && line.parent == parent)
			pids[(*count)++] = pid;
	}
	if (all)
		closedir(all);
}

/* After count others. */
static size_t
add_children(pid_t parent, pid_t *pids, size_t count, size_t room)
{
	if (!children_listed(parent, pids, &count, room))
		children_searched(parent, pids, &count, room);
	return count;
}

size_t
tree_children(pid_t parent, pid_t *pids, size_t room)
{
	return add_children(parent, pids, 0, room);
}

size_t
tree_below(pid_t root, pid_t *pids, size_t room)
{
	size_t count = 0, asked = 0;
	pid_t parent = root;

	for (;;) {
		count = add_children(parent, pids, count, room);
		if (asked >= count)
			return count;
		parent = pids[asked++];
	}
}

size_t
tree_kill(pid_t root)
{
	static pid_t pids[TREE_MAX];
	size_t count = tree_below(root, pids, TREE_MAX);

	/* Stopped first, so that none can fork past the list while it is worked through. */
	for (size_t i = 0; i < count; i++)
		kill(pids[i], SIGSTOP);
	for (size_t i = 0; i < count; i++)
		kill(pids[i], SIGKILL);
	return count;
}

void
tree_measure(pid_t root, struct tree_usage *usage)
{
	static pid_t pids[TREE_MAX];
	size_t count = tree_below(root, pids, TREE_MAX);
	unsigned long long ticks = 0;
	struct stat_line line;
	long hz = sysconf(_SC_CLK_TCK);

	usage->tasks = 0;
	if (read_stat(root, &line))
		ticks = line.waited;
	for (size_t i = 0; i < count; i++) {
		if (!read_stat(pids[i], &line))
			continue;
		ticks += line.own + line.waited;
		usage->tasks += (int)line.threads;
	}
	usage->cpu_ms = (int64_t)(ticks * 1000 / (unsigned long long)hz);
}
