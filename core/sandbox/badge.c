/*
 * badge.c - read /proc/PID of the program from outside, and hold the guest's word against it.
 *
 * One function looks at one file of /proc and gives its findings; what cannot be read is an absent
 * layer, not an unseen one: fail closed.  Only Landlock leaves no trace outside.
 */
#include "config.h"

#include "core/sandbox/badge.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/sandbox/plan.h"
#include "core/sandbox/tree.h"

#define PROC_MAX ((size_t)1 << 20)

static const struct {
	const char *name;
	bool promised;
} layers[LAYER_COUNT] = {
#define LAYER(id, name, native) { name, native },
#include "core/sandbox/layers.def"
#undef LAYER
};

const char *
layer_name(enum layer layer)
{
	assert(layer < LAYER_COUNT);
	return layers[layer].name;
}

int
layer_of(const char *name)
{
	for (int i = 0; i < LAYER_COUNT; i++)
		if (strcmp(layers[i].name, name) == 0)
			return i;
	return -1;
}

/* A layer stands only while every look at it says so. */
static void find(struct badge_word *word, bool stands, const char *fmt, ...) ATTR_PRINTF(3, 4);
static void
find(struct badge_word *word, bool stands, const char *fmt, ...)
{
	va_list args;

	if (word->finding == FINDING_ABSENT)
		return;
	word->finding = stands ? FINDING_STANDS : FINDING_ABSENT;
	va_start(args, fmt);
	vsnprintf(word->detail, sizeof(word->detail), fmt, args);
	va_end(args);
}

static int
read_proc(pid_t pid, const char *file, struct buf *text)
{
	char path[320];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	buf_init(text, PROC_MAX);
	return io_read_file(path, text, NULL);
}

/* The text after a line's name, or NULL. */
static const char *
line_of(const struct buf *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text->data; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) == 0)
			return line + len;
	}
	return NULL;
}

static bool
number_is(const struct buf *text, const char *name, int base, unsigned long long want)
{
	const char *value = line_of(text, name);

	return value && strtoull(value, NULL, base) == want;
}

/* How many processors a list as "0-3,8" names. */
static long
count_listed(const char *list)
{
	long count = 0;
	char *end;

	while (list && isdigit((unsigned char)*list)) {
		long first = strtol(list, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		count += last - first + 1;
		list = *end == ',' ? end + 1 : end;
	}
	return count;
}

static void
look_at_status(pid_t pid, const struct sandbox_limits *limits, struct badge_word *seen)
{
	static const char *const sets[] = { "CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:" };
	AUTO_BUF struct buf text;
	unsigned ids[4] = { 0 };
	const char *line;
	bool none = true;
	long cpus;

	(void)!read_proc(pid, "status", &text);
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		none = none && number_is(&text, sets[i], 16, 0);
	find(&seen[LAYER_NO_CAPABILITIES], none, "%s",
		none ? "five empty sets" : "a set holds capabilities");
	find(&seen[LAYER_NO_NEW_PRIVS], number_is(&text, "NoNewPrivs:", 10, 1), "NoNewPrivs");
	find(&seen[LAYER_SECCOMP], number_is(&text, "Seccomp:", 10, 2), "filter mode");
	line = line_of(&text, "Uid:");
	if (!line || sscanf(line, "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) != 4)
		ids[0] = 0;
	find(&seen[LAYER_USER_NS], ids[0] && ids[1] && ids[2] && ids[3], "uid %u outside", ids[0]);
	line = line_of(&text, "Cpus_allowed_list:");
	cpus = line ? count_listed(line + strspn(line, " \t")) : 0;
	find(&seen[LAYER_CPU], cpus > 0 && cpus <= limits->cpus, "%ld by affinity", cpus);
}

static void
look_at_namespace(pid_t pid, const char *name, struct badge_word *word)
{
	char path[64], ours[64] = "", theirs[64] = "";

	snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	(void)!readlink(path, ours, sizeof(ours) - 1);
	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, name);
	(void)!readlink(path, theirs, sizeof(theirs) - 1);
	find(word, ours[0] && theirs[0] && strcmp(ours, theirs) != 0, "%s",
		theirs[0] ? theirs : "cannot be read");
}

static void
look_at_namespaces(pid_t pid, struct badge_word *seen)
{
	static const struct {
		const char *name;
		enum layer layer;
	} table[] = {
		{ "user", LAYER_USER_NS },
		{ "mnt", LAYER_MOUNT_NS },
		{ "pid", LAYER_PID_NS },
		{ "net", LAYER_NET_NS },
		{ "ipc", LAYER_IPC_UTS_CGROUP_NS },
		{ "uts", LAYER_IPC_UTS_CGROUP_NS },
		{ "cgroup", LAYER_IPC_UTS_CGROUP_NS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		look_at_namespace(pid, table[i].name, &seen[table[i].layer]);
}

/* proc(5), mountinfo: id, parent, device, root, where, options.  Empty and size-limited ones may be
 * written to; everything else must be read-only. */
static void
look_at_mounts(const struct buf *mounts, struct badge_word *word)
{
	const char *line = mounts->data;
	int count = 0;

	for (; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		char where[256], options[64];

		if (sscanf(line, "%*d %*d %*s %*s %255s %63s", where, options) != 2)
			continue;
		count++;
		if (strcmp(where, "/tmp") == 0 || strcmp(where, "/dev/shm") == 0)
			continue;
		find(word, strncmp(options, "ro,", 3) == 0 || strcmp(options, "ro") == 0, "%s",
			where);
	}
	find(word, count > 0, "%d mounts", count);
}

static bool
is_mounted(const struct buf *mounts, int id)
{
	char start[16];
	int len = snprintf(start, sizeof(start), "%d ", id);
	const char *line = mounts->data;

	for (; line && *line; line = strchr(line, '\n'), line += line != NULL)
		if (strncmp(line, start, (size_t)len) == 0)
			return true;
	return false;
}

/* A file that is open must lie in one of the sandbox's own mounts. */
static bool
descriptor_is_inside(pid_t pid, const char *number, const struct buf *mounts)
{
	AUTO_BUF struct buf info;
	char path[300], target[64] = "";
	const char *mount_id;

	buf_init(&info, PROC_MAX);
	snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)pid, number);
	if (readlink(path, target, sizeof(target) - 1) < 0 || target[0] != '/')
		return true; /* closed meanwhile; a socket or pipe, made by us or inside */
	snprintf(path, sizeof(path), "fdinfo/%s", number);
	if (read_proc(pid, path, &info) < 0)
		return true;
	mount_id = line_of(&info, "mnt_id:");
	return mount_id && is_mounted(mounts, atoi(mount_id));
}

static void
look_at_descriptors(pid_t pid, const struct buf *mounts, struct badge_word *word)
{
	struct dirent *entry;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	folder = opendir(path);
	if (!folder)
		find(word, false, "descriptors cannot be read");
	while (folder && (entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
			!descriptor_is_inside(pid, entry->d_name, mounts))
			find(word, false, "descriptor %s is of the host", entry->d_name);
	if (folder)
		closedir(folder);
}

static bool
limited(const struct buf *text, const char *name, int64_t most, unsigned long long *value)
{
	const char *line = line_of(text, name);
	char *end;

	*value = line ? strtoull(line, &end, 10) : 0;
	return *value > 0 && *value <= (unsigned long long)most;
}

static void
look_at_limits(pid_t pid, const struct sandbox_limits *limits, struct badge_word *seen)
{
	unsigned long long value;
	AUTO_BUF struct buf text;
	bool held;

	(void)!read_proc(pid, "limits", &text);
	held = limited(&text, "Max address space", limits->memory_bytes, &value);
	find(&seen[LAYER_MEMORY], held, "%llu MiB of address space for a process", value >> 20);
	held = limited(&text, "Max processes", limits->pids + 1, &value);
	find(&seen[LAYER_PIDS], held, "%llu with its init", value);
	if (limits->cpu_s < 0)
		return;
	held = limited(&text, "Max cpu time", limits->cpu_s + 1, &value);
	find(&seen[LAYER_CPU], held, "%" PRId64 " by affinity, %llu s for a process", limits->cpus,
		value);
}

void
badge_look(pid_t keeper, const struct sandbox_limits *limits, struct badge_word seen[LAYER_COUNT])
{
	AUTO_BUF struct buf mounts;
	pid_t pid = 0;

	memset(seen, 0, sizeof(*seen) * LAYER_COUNT);
	buf_init(&mounts, PROC_MAX);
	if (keeper <= 0 || tree_children(keeper, &pid, 1) != 1)
		pid = -1; /* every file is missing, and so is every layer */
	look_at_status(pid, limits, seen);
	look_at_namespaces(pid, seen);
	(void)!read_proc(pid, "mountinfo", &mounts);
	look_at_mounts(&mounts, &seen[LAYER_READ_ONLY_ROOT]);
	look_at_descriptors(pid, &mounts, &seen[LAYER_MOUNT_NS]);
	look_at_limits(pid, limits, seen);
}

static void
combine(const struct badge_word *seen, const struct badge_word *said, struct badge_layer *layer)
{
	const struct badge_word *telling = seen;

	if (seen->finding == FINDING_NONE ||
		(seen->finding == FINDING_STANDS && said->finding == FINDING_ABSENT))
		telling = said;
	layer->proved = telling->finding == FINDING_STANDS;
	if (telling->finding == FINDING_NONE)
		snprintf(layer->detail, sizeof(layer->detail), "%s",
			layer->promised ? "nothing shows it" : "not part of this backend yet");
	else if (telling == said)
		snprintf(layer->detail, sizeof(layer->detail), "probe: %.*s", BADGE_DETAIL - 8,
			said->detail);
	else
		snprintf(layer->detail, sizeof(layer->detail), "%s", seen->detail);
}

int
badge_make(const struct badge_word seen[LAYER_COUNT], const struct badge_word said[LAYER_COUNT],
	struct badge *badge, struct err *err)
{
	static const enum layer by_rlimit[] = { LAYER_MEMORY, LAYER_PIDS, LAYER_CPU };
	AUTO_BUF struct buf missing;

	memset(badge, 0, sizeof(*badge));
	buf_init(&missing, BUF_UNBOUNDED);
	for (int i = 0; i < LAYER_COUNT; i++) {
		struct badge_layer *layer = &badge->layers[i];

		layer->promised = layers[i].promised;
		combine(&seen[i], &said[i], layer);
		if (layer->promised && !layer->proved)
			buf_printf(&missing, "%s%s (%s)", missing.len ? ", " : "", layers[i].name,
				layer->detail);
	}
	for (size_t i = 0; i < ARRAY_SIZE(by_rlimit); i++)
		snprintf(badge->layers[by_rlimit[i]].kind, sizeof(badge->layers[0].kind), "rlimit");
	if (missing.len > 0)
		return err_set(err, ERR_SANDBOX, "promised and not proved: %s", missing.data);
	return 0;
}
