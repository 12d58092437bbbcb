/*
 * configuration_files.h - the files that a configuration starts or imports, each with its digest.
 *
 * Of a Python tool: its file, and every module beside it whose name occurs as a word in a file that
 * is taken already (so an import that is put together from text at run time is the only one
 * missed); a package is taken whole.  Of a command: every argument that names a file of the folder.
 *
 * Knows:      mem, buf, io, hash, configuration.
 * Unaware of: who accepts them.
 */
#ifndef CORE_RUN_CONFIGURATION_FILES_H
#define CORE_RUN_CONFIGURATION_FILES_H

#include <stddef.h>

#include "core/base/attr.h"
#include "core/base/hash.h"

struct config_tool;
struct err;

struct started_file {
	char *path; /* absolute */
	struct digest sha256;
};

struct started_files {
	struct started_file *list; /* sorted by path once files_sort() was called */
	size_t count;
};

/* Add those of one tool.  Fails when a file cannot be read whole or there are too many. */
int files_add_tool(
	struct started_files *files, const struct config_tool *tool, struct err *err) ATTR_CHECKED;
void files_sort(struct started_files *files);
void files_release(struct started_files *files);

#endif
