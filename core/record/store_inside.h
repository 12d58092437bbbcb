/*
 * store_inside.h - what the parts of the store share.
 *
 * Knows:      attr.
 * Unaware of: sockets, what is in a record.
 */
#ifndef CORE_RECORD_STORE_INSIDE_H
#define CORE_RECORD_STORE_INSIDE_H

#include <stdbool.h>

#include "core/base/attr.h"

struct err;

struct store {
	char *path;
	int root, records, run; /* descriptors of the folders */
};

/* A record by its name alone: records/<day>/<name>-<id8>.jsonl, or, for a record that lies
 * elsewhere, run/<name>-<id8>.path, which holds the record's path. */
struct store_file {
	int folder;       /* borrowed */
	const char *path; /* of the folder */
	const char *file;
	char *name;
	char id8[9];
	bool elsewhere;
};

typedef void (*store_file_fn)(const struct store_file *file, void *arg);

/* Every one of them, in no order. */
int store_each(struct store *store, store_file_fn fn, void *arg, struct err *err) ATTR_CHECKED;

bool store_id_valid(const char *id);

#endif
