/*
 * store.h - the user's state folder: records, sockets, names.
 *
 * $XDG_STATE_HOME/tollbridge (default ~/.local/state/tollbridge) with records/YYYY-MM-DD/ and run/.
 * Every folder of ours is opened step by step without following links and must be our own uid's and
 * 0700; anything else is an error that says which and how to mend it.
 *
 * Knows:      err, mem, io, hash, reader.
 * Unaware of: what runs.
 */
#ifndef CORE_RECORD_STORE_H
#define CORE_RECORD_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"

struct err;
struct store;

struct store *store_open(struct err *err) ATTR_CHECKED; /* makes what is missing */
void store_free(struct store *store);                   /* NULL is fine */
const char *store_path(const struct store *store);      /* .../tollbridge */

#define SESSION_ID_SIZE 33 /* 32 hex digits and a NUL */

/*
 * A new session: id (random), a name unique among sessions (base-1, base-2, ...; base is cut and
 * cleaned to [a-z0-9-]), its record file made exclusively 0600 (at `path` when not NULL) and
 * locked (OFD lock, held as long as the descriptor).  The folder is synced.
 */
struct store_session {
	char id[SESSION_ID_SIZE];
	char *name;
	char *record_path;
	int record_fd;
};
int store_create(struct store *store, const char *base, const char *path, struct store_session *out,
	struct err *err) ATTR_CHECKED;
void store_session_release(struct store_session *session); /* closes record_fd if >= 0 */

/* Sessions on disk, newest first. */
struct store_entry {
	char id[SESSION_ID_SIZE];
	char *name;
	char *record_path;
	bool live;     /* its record is locked by a writer */
	int64_t began; /* UTC ns since 1970; 0: unknown */
};
/* Gives the list, newest first; 0 with err set when it cannot be made, 0 without when it is empty.
 */
size_t store_list(struct store *store, struct store_entry **out, struct err *err);
void store_list_free(struct store_entry *entries, size_t count);

/* The same of some: of all but those whose record's path is known, or only of what is live. */
struct store_filter {
	bool live;
	bool (*known)(const char *record_path, void *arg); /* NULL: none is */
	void *arg;
};
size_t store_list_some(struct store *store, const struct store_filter *filter,
	struct store_entry **out, struct err *err);
/* Is this record locked by a writer now? */
bool store_is_live(const char *record_path);

/*
 * The one session that `word` names: an id or name, whole or a unique prefix, or a path of a record
 * (with a slash or ending in .jsonl).  Fails with ERR_MISSING (naming near ones) or ERR_USAGE when
 * several fit.  out is the caller's to release with store_entry_release.
 */
int store_find(struct store *store, const char *word, struct store_entry *out,
	struct err *err) ATTR_CHECKED;
void store_entry_release(struct store_entry *entry);

/*
 * The session's socket run/<id>.sock, bound or connected through the folder's descriptor (a socket
 * path holds 107 bytes).  Both check the peer's or folder's uid.  Give a descriptor.
 */
int store_listen(struct store *store, const char *id, struct err *err) ATTR_CHECKED;
int store_connect(struct store *store, const char *id, struct err *err) ATTR_CHECKED;
void store_unlisten(struct store *store, const char *id);
/* The uid, pid of a connected peer; fails when it is not our own uid. */
int store_check_peer(int fd, int *pid, struct err *err) ATTR_CHECKED;

#endif
