/*
 * folder.h - a folder that is the user's alone: no link, own uid, mode 0700.
 *
 * Knows:      attr, err.
 * Unaware of: what is kept in it.
 */
#ifndef CORE_RECORD_FOLDER_H
#define CORE_RECORD_FOLDER_H

#include <stdbool.h>

#include "core/base/attr.h"

struct err;

/*
 * Open the folder `name` in the folder `parent`, made when it is missing (*made, may be NULL,
 * tells). shown: its path, for errors, which say what is wrong and how to mend it.  Gives a
 * descriptor.
 */
int folder_open(
	int parent, const char *name, const char *shown, bool *made, struct err *err) ATTR_CHECKED;

/* Open a folder of whatever owner, links followed; it and its parents are made when missing. */
int folder_reach(const char *path, struct err *err) ATTR_CHECKED;

#endif
