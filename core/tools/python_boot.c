/*
 * One line says how long each source is and how the worker is to serve; the sources follow.
 */
#include "config.h"

#include "core/tools/python_boot.h"

#include <sys/types.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/base/where.h"
#include "core/run/configuration.h"
#include "core/tools/tool.h"

#define FILE_MAX ((size_t)8 << 20)

/* Reads the sources from descriptor 3 and runs them; the working folder is not importable. */
const char python_boot[] =
	"import sys\n"
	"sys.path[:] = [p for p in sys.path if p]\n"
	"import os\n"
	"def take(n):\n"
	"    data = b''\n"
	"    while len(data) < n:\n"
	"        data += os.read(3, n - len(data)) or sys.exit('no sources')\n"
	"    return data\n"
	"head = b''\n"
	"while head[-1:] != b'\\n':\n"
	"    head += take(1)\n"
	"a, b, c, d, parallel, most, path = head[:-1].split(b' ', 6)\n"
	"def module(name, source):\n"
	"    made = sys.modules['tollbridge' + name] = type(sys)('tollbridge' + name)\n"
	"    exec(compile(source, 'tollbridge' + name, 'exec'), made.__dict__)\n"
	"    return made\n"
	"module('', take(int(a)))\n"
	"module('_hints', take(int(b)))\n"
	"worker = module('_worker', take(int(c)))\n"
	"worker.main(take(int(d)), os.fsdecode(path), int(parallel), int(most))\n";

/* Appends the file to all; gives its length, or -1. */
static ssize_t
add_source(struct buf *all, const char *path, struct err *err)
{
	AUTO_BUF struct buf text;

	buf_init(&text, FILE_MAX);
	if (io_read_file(path, &text, err) < 0)
		return -1;
	if (text.len > 0)
		buf_put(all, text.data, text.len);
	return (ssize_t)text.len;
}

int
python_boot_gather(
	const struct config_tool *config, struct buf *out, struct digest *code, struct err *err)
{
	static const char *const ours[] = { "tollbridge.py", "hints.py", "worker.py" };
	AUTO_BUF struct buf all;
	ssize_t len;

	buf_init(&all, BUF_UNBOUNDED);
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		AUTO_FREE char *name = mem_printf("core/tools/python/%s", ours[i]);
		AUTO_FREE char *path = where_data(name);

		len = add_source(&all, path, err);
		if (len < 0)
			return -1;
		buf_printf(out, "%zd ", len);
	}
	len = add_source(&all, config->file, err);
	if (len < 0)
		return -1;
	hash_bytes(all.data + all.len - (size_t)len, (size_t)len, code);
	buf_printf(out, "%zd %d %zu %s\n", len, config->parallel, TOOL_RESULT_MAX, config->file);
	buf_put(out, all.data, all.len);
	return 0;
}
