#include "config.h"

#include "core/base/where.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/io.h"
#include "core/base/mem.h"

#define MARKER "tollbridge.build"
#define MARKER_MAX 16384

/* The two folders; read once, kept for the life of the process. */
static struct {
	char *helpers;
	char *data;
} folders;

char *
where_program(void)
{
	size_t room = 256;

	for (;;) {
		AUTO_FREE char *path = mem_zero(room, 1);
		ssize_t len = readlink("/proc/self/exe", path, room);

		assert(len > 0);
		if ((size_t)len < room)
			return MEM_GIVE(path);
		room *= 2;
	}
}

/* The marker's lines: the source folder, the folder of the built programs. */
static void
take_marker(char *text)
{
	char *helpers = strchr(text, '\n');
	char *end;

	if (!helpers)
		return;
	*helpers++ = '\0';
	end = strchr(helpers, '\n');
	if (!end || text[0] != '/' || helpers[0] != '/')
		return;
	*end = '\0';
	folders.data = mem_str(text);
	folders.helpers = mem_str(helpers);
}

static void
find_folders(void)
{
	AUTO_FREE char *program = where_program();
	AUTO_FREE char *marker = NULL;
	AUTO_BUF struct buf text;

	buf_init(&text, MARKER_MAX);
	*strrchr(program, '/') = '\0';
	marker = mem_printf("%s/%s", program, MARKER);
	if (io_read_file(marker, &text, NULL) == 0 && text.len > 0)
		take_marker(text.data);
	if (!folders.data) {
		folders.data = mem_str(PKGDATADIR);
		folders.helpers = mem_str(PKGLIBEXECDIR);
	}
}

char *
where_helper(const char *name)
{
	if (!folders.data)
		find_folders();
	return mem_printf("%s/%s", folders.helpers, name);
}

char *
where_data(const char *name)
{
	if (!folders.data)
		find_folders();
	return mem_printf("%s/%s", folders.data, name);
}
