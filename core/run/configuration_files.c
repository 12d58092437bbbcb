/*
 * The list is its own work list: files are taken in order, and what their words name is added at
 * the end, until nothing new comes.
 */
#include "config.h"

#include "core/run/configuration_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/run/configuration.h"

#define FILE_MAX (64u << 20)
#define FILES_MAX 2000
#define DEPTH_MAX 16

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool
is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int
add(struct started_files *files, const char *path, struct err *err)
{
	struct started_file *file;
	AUTO_BUF struct buf bytes;

	buf_init(&bytes, FILE_MAX);
	for (size_t i = 0; i < files->count; i++)
		if (strcmp(files->list[i].path, path) == 0)
			return 0;
	if (files->count == FILES_MAX)
		return err_set(err, ERR_LIMIT,
			"the configuration starts or imports more than %d files", FILES_MAX);
	if (io_read_file(path, &bytes, err) < 0)
		return -1;
	files->list = mem_grow(files->list, files->count + 1, sizeof(*files->list));
	file = &files->list[files->count++];
	file->path = mem_str(path);
	hash_bytes(bytes.data ? bytes.data : "", bytes.len, &file->sha256);
	return 0;
}

/* --- modules --- */

static bool
ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && strcmp(name + len - end_len, end) == 0;
}

static bool
is_word_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

static bool
has_word(const struct buf *text, const char *word, size_t len)
{
	const char *end = text->data + text->len;

	for (const char *at = text->data; (at = memmem(at, (size_t)(end - at), word, len)); at++)
		if ((at == text->data || !is_word_byte(at[-1])) &&
			(at + len == end || !is_word_byte(at[len])))
			return true;
	return false;
}

static int
add_package(struct started_files *files, const char *folder, unsigned depth, struct err *err)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int failed = 0;

	if (!dir)
		return err_sys(err, errno, "%s", folder);
	while (!failed && (entry = readdir(dir))) {
		AUTO_FREE char *path = mem_printf("%s/%s", folder, entry->d_name);

		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "__pycache__") == 0)
			continue;
		if (is_folder(path) && depth < DEPTH_MAX)
			failed = add_package(files, path, depth + 1, err);
		else if ((ends_with(path, ".py") || ends_with(path, ".so")) && is_file(path))
			failed = add(files, path, err);
	}
	closedir(dir);
	return failed;
}

/* One entry beside a file that was taken: is it a module that the file's words name? */
static int
consider(struct started_files *files, const struct buf *text, const char *folder, const char *name,
	struct err *err)
{
	AUTO_FREE char *path = mem_printf("%s/%s", folder, name);
	size_t stem = strcspn(name, ".");
	bool module = ends_with(name, ".py") || ends_with(name, ".so");

	if (stem == 0 || text->len == 0 || !has_word(text, name, stem))
		return 0;
	if (module && is_file(path))
		return add(files, path, err);
	if (name[stem] == '\0' && is_folder(path))
		return add_package(files, path, 0, err);
	return 0;
}

static int
add_named(struct started_files *files, const char *path, struct err *err)
{
	AUTO_FREE char *folder = mem_strn(path, (size_t)(strrchr(path, '/') - path));
	AUTO_BUF struct buf text;
	struct dirent *entry;
	int failed = 0;
	DIR *dir;

	buf_init(&text, FILE_MAX);
	if (!ends_with(path, ".py"))
		return 0;
	if (io_read_file(path, &text, err) < 0)
		return -1;
	dir = opendir(folder[0] ? folder : "/");
	if (!dir)
		return err_sys(err, errno, "%s", folder);
	while (!failed && (entry = readdir(dir)))
		failed = consider(files, &text, folder, entry->d_name, err);
	closedir(dir);
	return failed;
}

/* --- tools --- */

/* The path, made absolute, when it names a file below the folder. */
static char *
inside(const char *folder, const char *path)
{
	AUTO_FREE char *joined = path[0] == '/' ? mem_str(path) : mem_printf("%s/%s", folder, path);
	size_t len = strlen(folder);
	char *real = realpath(joined, NULL);

	if (real && strncmp(real, folder, len) == 0 && real[len] == '/' && is_file(real))
		return real;
	free(real);
	return NULL;
}

static int
add_inside(struct started_files *files, const struct config_tool *tool, const char *path,
	struct err *err)
{
	AUTO_FREE char *file = inside(tool->folder, path);

	return file ? add(files, file, err) : 0;
}

int
files_add_tool(struct started_files *files, const struct config_tool *tool, struct err *err)
{
	size_t from = files->count;

	if (tool->kind == TOOL_KIND_PYTHON &&
		(add(files, tool->file, err) < 0 || add_inside(files, tool, tool->python, err) < 0))
		return -1;
	for (size_t i = 0; tool->argv && tool->argv[i]; i++)
		if ((i > 0 || strchr(tool->argv[i], '/')) &&
			add_inside(files, tool, tool->argv[i], err) < 0)
			return -1;
	for (size_t i = from; i < files->count; i++) {
		AUTO_FREE char *path = mem_str(files->list[i].path);

		if (add_named(files, path, err) < 0)
			return -1;
	}
	return 0;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(
		((const struct started_file *)a)->path, ((const struct started_file *)b)->path);
}

void
files_sort(struct started_files *files)
{
	if (files->count > 0)
		qsort(files->list, files->count, sizeof(*files->list), by_path);
}

void
files_release(struct started_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->list[i].path);
	free(files->list);
	*files = (struct started_files){ 0 };
}
