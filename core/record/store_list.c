/*
 * A list is made of what is on disk at that moment.  Whether a session is live is asked of its
 * record's lock without taking it; the lock is taken only to remove a socket that was left behind,
 * so that a session that is just starting cannot lose its own.
 */
#include "config.h"

#include "core/record/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/record/store_inside.h"

#define FIRST_MAX ((off_t)16 << 20) /* the first event and its contents lie within */
#define NAMED_MAX 4

/* A session.start as far as the store needs it. */
struct first {
	char id[SESSION_ID_SIZE];
	char *name;
	char t[CLOCK_UTC_SIZE];
	int64_t began;
};

static void
take_first(const struct event_view *view, struct first *out)
{
	const char *id = json_text(view->data, "id");
	const char *name = json_text(view->data, "name");

	if (view->type != EVENT_SESSION_START || !id || !store_id_valid(id))
		return;
	snprintf(out->id, sizeof(out->id), "%s", id);
	snprintf(out->t, sizeof(out->t), "%s", view->t);
	out->began = clock_utc_read(view->t) - view->mono;
	out->name = mem_str(name);
}

/* out->id stays empty when there is no readable session.start. */
static void
read_first(int fd, struct first *out)
{
	struct reader *reader = reader_new(READER_CHAIN | READER_LENIENT);
	struct event_view view;
	char chunk[16384];
	off_t at = 0;
	int event = 0;

	*out = (struct first){ .id = "" };
	while (event == 0 && at < FIRST_MAX) {
		ssize_t got = pread(fd, chunk, sizeof(chunk), at);

		if (got <= 0 || reader_feed(reader, chunk, (size_t)got, NULL) < 0)
			break;
		at += got;
		event = reader_next(reader, &view, NULL);
	}
	if (event == 1)
		take_first(&view, out);
	reader_free(reader);
}

static bool
is_locked(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* NONBLOCK: a FIFO in a record's place must not stop the list. */
static int
open_record(int folder, const char *path, int flags, struct err *err)
{
	AUTO_CLOSE int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat) < 0)
		return err_sys(err, errno, "%s", path);
	if (!S_ISREG(stat.st_mode))
		return err_set(err, ERR_USAGE, "%s is not a record: no regular file", path);
	return io_give(&fd);
}

struct listed {
	struct store_entry entry;
	char t[CLOCK_UTC_SIZE];
};

struct listing {
	struct listed *items;
	size_t count, room;
	const struct store_filter *filter;
};

static bool
is_known(const struct listing *listing, const char *path)
{
	const struct store_filter *filter = listing->filter;

	return filter->known && filter->known(path, filter->arg);
}

/* Takes path. */
static void
add_listed(struct listing *listing, const struct store_file *file, int fd, char *path)
{
	struct first first;
	struct listed *item;
	bool live = is_locked(fd);

	if (listing->filter->live && !live) {
		free(path);
		return;
	}
	if (listing->count == listing->room) {
		listing->room = listing->room ? 2 * listing->room : 32;
		listing->items = mem_grow(listing->items, listing->room, sizeof(*listing->items));
	}
	item = &listing->items[listing->count++];
	*item = (struct listed){ .entry = { .record_path = path, .live = live } };
	read_first(fd, &first);
	snprintf(item->entry.id, sizeof(item->entry.id), "%s", first.id[0] ? first.id : file->id8);
	snprintf(item->t, sizeof(item->t), "%s", first.t);
	item->entry.began = first.began;
	item->entry.name = mem_str(file->name);
	free(first.name);
}

/* The pointer of a record that is gone goes too. */
static void
see_elsewhere(const struct store_file *file, struct listing *listing)
{
	AUTO_CLOSE int pointer =
		openat(file->folder, file->file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	AUTO_CLOSE int fd = -1;
	AUTO_BUF struct buf path;
	struct err err = { 0 };

	buf_init(&path, 8192);
	if (pointer < 0 || io_read_all(pointer, &path, NULL) < 0 || path.len == 0 ||
		path.data[0] != '/' || is_known(listing, path.data))
		return;
	fd = open_record(AT_FDCWD, path.data, O_NOFOLLOW, &err);
	if (fd >= 0)
		add_listed(listing, file, fd, mem_str(path.data));
	else if (err.errnum == ENOENT)
		(void)unlinkat(file->folder, file->file, 0);
}

static void
see_file(const struct store_file *file, void *arg)
{
	struct listing *listing = arg;
	AUTO_FREE char *path = mem_printf("%s/%s", file->path, file->file);
	AUTO_CLOSE int fd = -1;

	if (file->elsewhere) {
		see_elsewhere(file, listing);
		return;
	}
	if (is_known(listing, path))
		return;
	fd = open_record(file->folder, file->file, O_NOFOLLOW, NULL);
	if (fd >= 0)
		add_listed(listing, file, fd, MEM_GIVE(path));
}

static int
newest_first(const void *a, const void *b)
{
	const struct listed *one = a;
	const struct listed *other = b;
	int order = strcmp(other->t, one->t);

	return order ? order : strcmp(other->entry.record_path, one->entry.record_path);
}

static void
remove_dead_socket(struct store *store, const struct store_entry *entry)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	AUTO_FREE char *name = mem_printf("%s.sock", entry->id);
	AUTO_CLOSE int fd = -1;

	if (entry->live || faccessat(store->run, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	fd = open(entry->record_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) == 0)
		(void)unlinkat(store->run, name, 0);
}

bool
store_is_live(const char *record_path)
{
	AUTO_CLOSE int fd = open_record(AT_FDCWD, record_path, O_NOFOLLOW, NULL);

	return fd >= 0 && is_locked(fd);
}

size_t
store_list(struct store *store, struct store_entry **out, struct err *err)
{
	struct store_filter all = { .live = false };

	return store_list_some(store, &all, out, err);
}

size_t
store_list_some(struct store *store, const struct store_filter *filter, struct store_entry **out,
	struct err *err)
{
	struct listing listing = { .filter = filter };
	size_t count;

	*out = NULL;
	if (store_each(store, see_file, &listing, err) < 0)
		return 0;
	count = listing.count;
	if (count > 0)
		qsort(listing.items, count, sizeof(*listing.items), newest_first);
	*out = mem_zero(count, sizeof(**out));
	for (size_t i = 0; i < count; i++) {
		(*out)[i] = listing.items[i].entry;
		remove_dead_socket(store, &(*out)[i]);
	}
	free(listing.items);
	return count;
}

void
store_entry_release(struct store_entry *entry)
{
	free(entry->name);
	free(entry->record_path);
	*entry = (struct store_entry){ .id = "" };
}

void
store_list_free(struct store_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		store_entry_release(&entries[i]);
	free(entries);
}

/* --- one by its word --- */

static int
find_path(const char *path, struct store_entry *out, struct err *err)
{
	AUTO_CLOSE int fd = open_record(AT_FDCWD, path, 0, err);
	struct first first;

	if (fd < 0)
		return -1;
	read_first(fd, &first);
	/* Whoever opens it next follows no links. */
	*out = (struct store_entry){ .name = first.name ? first.name : mem_str(""),
		.record_path = realpath(path, NULL),
		.live = is_locked(fd),
		.began = first.began };
	snprintf(out->id, sizeof(out->id), "%s", first.id);
	if (!out->record_path) {
		store_entry_release(out);
		return err_sys(err, errno, "%s", path);
	}
	return 0;
}

static bool
begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Whole words win over prefixes. */
static unsigned
fits(const struct store_entry *entry, const char *word)
{
	if (strcmp(entry->id, word) == 0 || strcmp(entry->name, word) == 0)
		return 2;
	return begins(entry->id, word) || begins(entry->name, word);
}

/* "a, b, c and more" of the entries that fit at least so well (0: all). */
static char *
some_names(const struct store_entry *entries, size_t count, const char *word, unsigned least)
{
	AUTO_BUF struct buf out;
	size_t named = 0;

	buf_init(&out, BUF_UNBOUNDED);
	for (size_t i = 0; i < count; i++) {
		if (least > 0 && fits(&entries[i], word) < least)
			continue;
		if (named++ == NAMED_MAX) {
			buf_str(&out, " and more");
			break;
		}
		buf_printf(&out, "%s%s", named > 1 ? ", " : "", entries[i].name);
	}
	return buf_give(&out);
}

static int
choose(struct store_entry *entries, size_t count, const char *word, struct store_entry *out,
	struct err *err)
{
	AUTO_FREE char *names = NULL;
	size_t found = 0;
	unsigned best = 0;
	unsigned many = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned fit = fits(&entries[i], word);

		if (fit > best) {
			best = fit;
			many = 0;
			found = i;
		}
		many += fit == best;
	}
	names = some_names(entries, count, word, best);
	if (best == 0 && count == 0)
		return err_set(err, ERR_MISSING, "no session \"%s\": there is none at all", word);
	if (best == 0)
		return err_set(err, ERR_MISSING, "no session \"%s\"; there are: %s", word, names);
	if (many > 1)
		return err_set(err, ERR_USAGE, "\"%s\" fits several sessions: %s", word, names);
	*out = entries[found];
	entries[found] = (struct store_entry){ .id = "" };
	return 0;
}

int
store_find(struct store *store, const char *word, struct store_entry *out, struct err *err)
{
	size_t len = strlen(word);
	struct store_entry *entries;
	struct err failed = { 0 };
	size_t count;
	int found;

	if (len == 0)
		return err_set(
			err, ERR_USAGE, "a session is named by its id, its name or its file");
	if (strchr(word, '/') || (len > 6 && strcmp(word + len - 6, ".jsonl") == 0))
		return find_path(word, out, err);
	count = store_list(store, &entries, &failed);
	if (failed.kind != ERR_NONE) {
		if (err)
			*err = failed;
		return -1;
	}
	found = choose(entries, count, word, out, err);
	store_list_free(entries, count);
	return found;
}
