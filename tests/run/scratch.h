/*
 * scratch.h - a folder of one test's own: the working folder, home and state of what is tested.
 */
#ifndef TESTS_RUN_SCRATCH_H
#define TESTS_RUN_SCRATCH_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scratch {
	char folder[64];
};

static inline void
scratch_begin(struct scratch *scratch)
{
	snprintf(scratch->folder, sizeof(scratch->folder), "/tmp/tollbridge-test-XXXXXX");
	if (!mkdtemp(scratch->folder) || chdir(scratch->folder) < 0)
		abort();
	setenv("HOME", scratch->folder, 1);
	setenv("XDG_CONFIG_HOME", scratch->folder, 1);
	setenv("XDG_STATE_HOME", scratch->folder, 1);
}

static inline int
scratch_unlink(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	return remove(path);
}

static inline void
scratch_end(struct scratch *scratch)
{
	if (chdir("/") < 0 || nftw(scratch->folder, scratch_unlink, 16, FTW_DEPTH | FTW_PHYS) < 0)
		abort();
}

static inline void
scratch_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		abort();
}

#endif
