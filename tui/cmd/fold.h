/*
 * fold.h - a session as its record file tells it now; nothing is sent to its supervisor.
 *
 * Knows:      record/reader, record/store, session, io.
 * Unaware of: sockets, the screen.
 */
#ifndef TUI_CMD_FOLD_H
#define TUI_CMD_FOLD_H

#include <stdint.h>

#include "core/base/attr.h"
#include "core/session/session.h"

struct err;
struct store_entry;

struct fold {
	struct session session;
	char *config; /* the effective configuration as session.start keeps it; NULL: withheld */
	size_t config_len;
	int64_t now_mono; /* the session's own clock now, by wall time since its first event */
};

/* Fails when the record cannot be read or has a bad line; a line that is being written is no fault.
 */
int fold_record(const struct store_entry *entry, struct fold *fold, struct err *err) ATTR_CHECKED;
void fold_release(struct fold *fold);

/* The session that word names and that is going on; NULL word: see `waiting`. */
int fold_find_live(const char *word, struct store_entry *entry, struct err *err) ATTR_CHECKED;
/* The one to look at when none was named: the oldest that waits, else the only one going on. */
int fold_find_waiting(struct store_entry *entry, struct err *err) ATTR_CHECKED;

#endif
