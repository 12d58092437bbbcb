#include "config.h"

#include "tui/cmd/fold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/event.h"
#include "core/record/reader.h"
#include "core/record/store.h"

#define CHUNK 65536

static void
take_event(struct fold *fold, const struct event_view *event)
{
	size_t len = 0;
	const char *config;

	if (event->type == EVENT_SESSION_START) {
		config = event_view_content(event, "config", &len, NULL);
		fold->config = config ? mem_strn(config, len) : NULL;
		fold->config_len = len;
		fold->now_mono = clock_utc_now() - (clock_utc_read(event->t) - event->mono);
	}
	session_apply(&fold->session, event);
}

static int
fold_all(int fd, struct reader *reader, struct fold *fold, struct err *err)
{
	char chunk[CHUNK];
	ssize_t got;

	while ((got = read(fd, chunk, sizeof(chunk))) != 0) {
		struct event_view event;
		int next = 0;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno, "read");
		if (reader_feed(reader, chunk, (size_t)got, err) < 0)
			return -1;
		while ((next = reader_next(reader, &event, err)) > 0)
			take_event(fold, &event);
		if (next < 0)
			return -1;
	}
	return 0;
}

int
fold_record(const struct store_entry *entry, struct fold *fold, struct err *err)
{
	AUTO_CLOSE int fd = open(entry->record_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct reader *reader;
	int failed;

	memset(fold, 0, sizeof(*fold));
	session_init(&fold->session);
	if (fd < 0)
		return err_sys(err, errno, "%s", entry->record_path);
	reader = reader_new(READER_CHAIN | READER_LENIENT);
	failed = fold_all(fd, reader, fold, err);
	reader_free(reader);
	return failed ? err_within(err, "%s", entry->record_path) : 0;
}

void
fold_release(struct fold *fold)
{
	session_release(&fold->session);
	free(fold->config);
	fold->config = NULL;
}

/* --- which session --- */

int
fold_find_live(const char *word, struct store_entry *entry, struct err *err)
{
	struct store *store = store_open(err);
	int failed;

	if (!store)
		return -1;
	failed = store_find(store, word, entry, err);
	store_free(store);
	if (failed)
		return -1;
	if (entry->live)
		return 0;
	err_set(err, ERR_STATE, "%s has ended; `tollbridge show %s` prints it", entry->name,
		entry->name);
	store_entry_release(entry);
	return -1;
}

static bool
waits(const struct store_entry *entry)
{
	struct fold fold;
	bool waiting = fold_record(entry, &fold, NULL) == 0 && fold.session.waiting > 0;

	fold_release(&fold);
	return waiting;
}

static void
name_live(const struct store_entry *list, size_t count, struct buf *names)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].live)
			buf_printf(names, "%s%s", names->len > 0 ? ", " : "", list[i].name);
}

static int
choose(struct store_entry *list, size_t count, struct store_entry *out, struct err *err)
{
	struct store_entry *chosen = NULL;
	size_t live = 0;
	AUTO_BUF struct buf names;

	buf_init(&names, BUF_UNBOUNDED);
	for (size_t i = 0; i < count;
		i++) { /* newest first, so the last that waits is the oldest */
		live += list[i].live;
		if (list[i].live && waits(&list[i]))
			chosen = &list[i];
	}
	for (size_t i = 0; !chosen && live == 1 && i < count; i++)
		if (list[i].live)
			chosen = &list[i];
	if (!chosen && live == 0)
		return err_set(err, ERR_MISSING, "no run is going on");
	name_live(list, count, &names);
	if (!chosen)
		return err_set(err, ERR_USAGE, "no call waits; name one of the runs going on: %s",
			names.data);
	*out = *chosen;
	out->name = mem_str(chosen->name);
	out->record_path = mem_str(chosen->record_path);
	return 0;
}

int
fold_find_waiting(struct store_entry *entry, struct err *err)
{
	struct store *store = store_open(err);
	struct store_entry *list = NULL;
	size_t count;
	int failed;

	if (!store)
		return -1;
	count = store_list(store, &list, err);
	store_free(store);
	failed = choose(list, count, entry, err);
	store_list_free(list, count);
	return failed;
}
