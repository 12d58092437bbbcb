/*
 * The folders are opened once, step by step, and everything below is reached through their
 * descriptors: a folder that is moved or replaced later cannot lead elsewhere.
 *
 * Names are unique because they are given out under a lock of the records folder.
 */
#include "config.h"

#include "core/record/store.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/folder.h"
#include "core/record/store_inside.h"

#define BASE_MAX 40
#define DAY_LEN 10

/* The XDG base directory specification: a path that is not absolute is to be ignored. */
static char *
state_home(void)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	const struct passwd *user;

	if (state && state[0] == '/')
		return mem_str(state);
	if (!home || home[0] != '/') {
		user = getpwuid(geteuid());
		home = user && user->pw_dir[0] == '/' ? user->pw_dir : "/nonexistent";
	}
	return mem_printf("%s/.local/state", home);
}

static int
open_below(const struct store *store, const char *name, struct err *err)
{
	AUTO_FREE char *shown = mem_printf("%s/%s", store->path, name);

	return folder_open(store->root, name, shown, NULL, err);
}

static int
open_folders(struct store *store, const char *home, struct err *err)
{
	AUTO_CLOSE int parent = folder_reach(home, err);

	if (parent < 0)
		return -1;
	store->root = folder_open(parent, "tollbridge", store->path, NULL, err);
	if (store->root < 0)
		return -1;
	store->records = open_below(store, "records", err);
	if (store->records < 0)
		return -1;
	store->run = open_below(store, "run", err);
	return store->run < 0 ? -1 : 0;
}

struct store *
store_open(struct err *err)
{
	AUTO_FREE char *home = state_home();
	struct store *store = mem_zero(1, sizeof(*store));

	store->path = mem_printf("%s/tollbridge", home);
	store->root = store->records = store->run = -1;
	if (open_folders(store, home, err) < 0) {
		(void)err_within(err, "the state folder");
		store_free(store);
		return NULL;
	}
	return store;
}

void
store_free(struct store *store)
{
	if (!store)
		return;
	io_leave_close(&store->root);
	io_leave_close(&store->records);
	io_leave_close(&store->run);
	free(store->path);
	free(store);
}

const char *
store_path(const struct store *store)
{
	return store->path;
}

bool
store_id_valid(const char *id)
{
	return strlen(id) == SESSION_ID_SIZE - 1 &&
	       strspn(id, "0123456789abcdef") == SESSION_ID_SIZE - 1;
}

/* <name>-<id8><suffix> */
static bool
split_file_name(const char *file, const char *suffix, struct store_file *out)
{
	size_t len = strlen(file);
	size_t tail = 9 + strlen(suffix);
	const char *dash = file + len - tail;

	if (len <= tail || *dash != '-' || strcmp(dash + 9, suffix) != 0 ||
		strspn(dash + 1, "0123456789abcdef") != 8)
		return false;
	snprintf(out->id8, sizeof(out->id8), "%s", dash + 1);
	out->name = mem_strn(file, (size_t)(dash - file));
	return true;
}

/* A stream over a folder, apart from our own descriptor's place in it. */
static DIR *
list_folder(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list && fd >= 0)
		close(fd);
	return list;
}

static void
each_in(struct store_file *at, const char *suffix, store_file_fn fn, void *arg)
{
	DIR *list = list_folder(at->folder);
	const struct dirent *entry;

	while (list && (entry = readdir(list))) {
		if (!split_file_name(entry->d_name, suffix, at))
			continue;
		at->file = entry->d_name;
		fn(at, arg);
		free(at->name);
	}
	if (list)
		closedir(list);
}

static bool
is_day(const char *name)
{
	static const char shape[] = "0000-00-00";

	for (size_t i = 0; i < sizeof(shape); i++) {
		if (shape[i] == '0' ? !isdigit((unsigned char)name[i]) : name[i] != shape[i])
			return false;
	}
	return true;
}

static void
each_in_day(struct store *store, const char *day, store_file_fn fn, void *arg)
{
	AUTO_CLOSE int folder =
		openat(store->records, day, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	AUTO_FREE char *path = mem_printf("%s/records/%s", store->path, day);
	struct store_file at = { .folder = folder, .path = path };

	if (folder >= 0)
		each_in(&at, ".jsonl", fn, arg);
}

int
store_each(struct store *store, store_file_fn fn, void *arg, struct err *err)
{
	AUTO_FREE char *run = mem_printf("%s/run", store->path);
	struct store_file elsewhere = { .folder = store->run, .path = run, .elsewhere = true };
	DIR *days = list_folder(store->records);
	const struct dirent *entry;

	if (!days)
		return err_sys(err, errno, "%s/records", store->path);
	while ((entry = readdir(days))) {
		if (is_day(entry->d_name))
			each_in_day(store, entry->d_name, fn, arg);
	}
	closedir(days);
	each_in(&elsewhere, ".path", fn, arg);
	return 0;
}

/* --- a new session --- */

struct name_search {
	const char *base;
	unsigned long highest;
};

static void
see_name(const struct store_file *file, void *arg)
{
	struct name_search *search = arg;
	size_t len = strlen(search->base);
	unsigned long number;
	char *end;

	if (strncmp(file->name, search->base, len) != 0 || file->name[len] != '-' ||
		!isdigit((unsigned char)file->name[len + 1]))
		return;
	number = strtoul(file->name + len + 1, &end, 10);
	if (*end == '\0' && number > search->highest && number < ULONG_MAX)
		search->highest = number;
}

static char *
clean_base(const char *base)
{
	char clean[BASE_MAX + 1];
	size_t len = 0;

	for (; *base && len < BASE_MAX; base++) {
		unsigned char byte = (unsigned char)*base;

		if (byte < 0x80 && isalnum(byte))
			clean[len++] = (char)tolower(byte);
		else if (len > 0 && clean[len - 1] != '-')
			clean[len++] = '-';
	}
	while (len > 0 && clean[len - 1] == '-')
		len--;
	return len ? mem_strn(clean, len) : mem_str("session");
}

static int
choose_name(struct store *store, const char *base, struct store_session *out, struct err *err)
{
	AUTO_FREE char *clean = clean_base(base);
	struct name_search search = { clean, 0 };
	uint8_t random[(SESSION_ID_SIZE - 1) / 2];

	hash_random(random, sizeof(random));
	hash_hex(random, sizeof(random), out->id);
	if (store_each(store, see_name, &search, err) < 0)
		return -1;
	out->name = mem_printf("%s-%lu", clean, search.highest + 1);
	return 0;
}

#define CREATE_FLAGS (O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)

static int
create_in_day(struct store *store, struct store_session *out, struct err *err)
{
	AUTO_FREE char *file = mem_printf("%s-%.8s.jsonl", out->name, out->id);
	AUTO_FREE char *shown = NULL;
	AUTO_CLOSE int folder = -1;
	char t[CLOCK_UTC_SIZE];
	bool made;

	clock_utc(t);
	t[DAY_LEN] = '\0';
	shown = mem_printf("%s/records/%s", store->path, t);
	out->record_path = mem_printf("%s/%s", shown, file);
	folder = folder_open(store->records, t, shown, &made, err);
	if (folder < 0)
		return -1;
	out->record_fd = openat(folder, file, CREATE_FLAGS, 0600);
	if (out->record_fd < 0 || fsync(folder) < 0 || (made && fsync(store->records) < 0))
		return err_sys(err, errno, "%s", out->record_path);
	return 0;
}

/* So that list and attach find a record that lies elsewhere. */
static int
leave_path(struct store *store, const struct store_session *session, struct err *err)
{
	AUTO_FREE char *file = mem_printf("%s-%.8s.path", session->name, session->id);
	AUTO_CLOSE int fd = openat(store->run, file, CREATE_FLAGS, 0600);

	if (fd < 0)
		return err_sys(err, errno, "%s/run/%s", store->path, file);
	return io_write_all(fd, session->record_path, strlen(session->record_path), err);
}

static int
create_elsewhere(struct store *store, const char *path, struct store_session *out, struct err *err)
{
	AUTO_FREE char *for_dir = mem_str(path);
	AUTO_FREE char *for_base = mem_str(path);
	AUTO_FREE char *folder = realpath(dirname(for_dir), NULL);
	AUTO_CLOSE int folder_fd = -1;

	if (!folder)
		return err_sys(err, errno, "%s", path);
	out->record_path = mem_printf("%s/%s", folder, basename(for_base));
	out->record_fd = open(out->record_path, CREATE_FLAGS, 0600);
	if (out->record_fd < 0 && errno == EEXIST)
		return err_set(err, ERR_USAGE, "%s exists already: a record is never overwritten",
			out->record_path);
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (out->record_fd < 0 || folder_fd < 0 || fsync(folder_fd) < 0)
		return err_sys(err, errno, "%s", out->record_path);
	return leave_path(store, out, err);
}

/* Waits: who lists the store holds the lock for a moment when it removes a dead socket. */
static int
lock_record(const struct store_session *session, struct err *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(session->record_fd, F_OFD_SETLKW, &lock) < 0)
		return err_sys(err, errno, "%s: lock", session->record_path);
	return 0;
}

int
store_create(struct store *store, const char *base, const char *path, struct store_session *out,
	struct err *err)
{
	int made = -1;

	*out = (struct store_session){ .record_fd = -1 };
	if (flock(store->records, LOCK_EX) < 0)
		return err_sys(err, errno, "%s/records: lock", store->path);
	if (choose_name(store, base, out, err) == 0)
		made = path ? create_elsewhere(store, path, out, err)
			    : create_in_day(store, out, err);
	(void)flock(store->records, LOCK_UN);
	if (made < 0 || lock_record(out, err) < 0) {
		store_session_release(out);
		return err_within(err, "the record");
	}
	return 0;
}

void
store_session_release(struct store_session *session)
{
	io_leave_close(&session->record_fd);
	free(session->name);
	free(session->record_path);
	*session = (struct store_session){ .record_fd = -1 };
}
