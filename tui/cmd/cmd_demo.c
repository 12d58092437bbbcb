/*
 * demo: the payroll example in a folder of its own, which nothing else uses.  Under root the folder
 * belongs to the account that the tools run as, so that the tools can write there and nowhere else.
 * The folder lies in /tmp: tool processes cannot see our state folder.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/where.h"
#include "core/run/configuration.h"
#include "core/run/configuration_diff.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/start.h"

#define EXAMPLE "examples/payroll"
#define CONFIG "tollbridge.json"
#define ACCOUNT "nobody"
#define FILE_MAX (1u << 20)

static const char *const programs[] = { "raise-9000", "raise-5000", "loop" };

static const char notice[] =
	"a prepared program, not a model's: it raises salaries; nothing real changes";

struct demo {
	char *from;                   /* the example as it is installed */
	char *folder;                 /* our copy */
	const struct passwd *account; /* NULL: not root */
};

/* --- the folder --- */

static int
write_file(const struct demo *demo, const char *path, const struct buf *text, mode_t mode,
	struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	if (io_write_all(fd, text->data, text->len, err) < 0)
		return -1;
	if (demo->account && fchown(fd, demo->account->pw_uid, demo->account->pw_gid) < 0)
		return err_sys(err, errno, "%s", path);
	return 0;
}

/* "user": "nobody" as the first member of the one tool entry, so that no line moves. */
static int
name_account(struct buf *text, struct err *err)
{
	static const char member[] = "\"user\": \"" ACCOUNT "\", ";
	AUTO_JSON struct json *doc = json_read(text->data, text->len, err);
	struct json_iter it = json_each(json_get(json_root(doc), "tools"));
	AUTO_BUF struct buf out;
	size_t len, at;
	const char *start;

	buf_init(&out, BUF_UNBOUNDED);
	if (!doc)
		return -1;
	start = json_source(json_root(doc), &len);
	if (!json_next(&it) || json_kind(it.value) != JSON_OBJECT)
		return err_set(err, ERR_FORMAT, "%s of the example has no tool", CONFIG);
	at = (size_t)(json_source(it.value, &len) - start) + 1;
	buf_put(&out, start, at);
	buf_put(&out, member, sizeof(member) - 1);
	json_source(json_root(doc), &len);
	buf_put(&out, start + at, len - at);
	buf_byte(&out, '\n');
	buf_clear(text);
	buf_put(text, out.data, out.len);
	return 0;
}

static int
copy_file(const struct demo *demo, const char *name, struct err *err)
{
	AUTO_FREE char *from = mem_printf("%s/%s", demo->from, name);
	AUTO_FREE char *to = mem_printf("%s/%s", demo->folder, name);
	struct stat st;
	AUTO_BUF struct buf text;

	buf_init(&text, FILE_MAX);
	if (stat(from, &st) < 0)
		return err_sys(err, errno, "%s", from);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (io_read_file(from, &text, err) < 0)
		return -1;
	if (demo->account && strcmp(name, CONFIG) == 0 && name_account(&text, err) < 0)
		return -1;
	return write_file(demo, to, &text, st.st_mode & 0100 ? 0700 : 0600, err);
}

/* Calls fn for each file name of the installed example. */
static int
each_file(const struct demo *demo,
	int (*fn)(const struct demo *demo, const char *name, struct err *err), struct err *err)
{
	DIR *dir = opendir(demo->from);
	struct dirent *entry;
	int failed = 0;

	if (!dir)
		return err_sys(err, errno, "%s", demo->from);
	while (!failed && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			failed = fn(demo, entry->d_name, err);
	closedir(dir);
	return failed;
}

static int
make_folder(struct demo *demo, struct err *err)
{
	demo->from = where_data(EXAMPLE);
	demo->folder = mem_str("/tmp/tollbridge-demo-XXXXXX");
	demo->account = geteuid() == 0 ? getpwnam(ACCOUNT) : NULL;
	if (geteuid() == 0 && !demo->account)
		return err_set(err, ERR_USAGE, "the demo as root needs the account %s", ACCOUNT);
	if (!mkdtemp(demo->folder))
		return err_sys(err, errno, "%s", demo->folder);
	if (each_file(demo, copy_file, err) < 0)
		return -1;
	if (demo->account && lchown(demo->folder, demo->account->pw_uid, demo->account->pw_gid) < 0)
		return err_sys(err, errno, "%s", demo->folder);
	return 0;
}

static void
release(struct demo *demo)
{
	free(demo->from);
	free(demo->folder);
}

/* --- what changed --- */

static int
say_changed(const struct demo *demo, const char *name, struct err *err)
{
	AUTO_FREE char *from = mem_printf("%s/%s", demo->from, name);
	AUTO_FREE char *to = mem_printf("%s/%s", demo->folder, name);
	AUTO_CLOSE int fd = open(to, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	AUTO_BUF struct buf before;
	AUTO_BUF struct buf after;
	AUTO_BUF struct buf lines;

	(void)err;
	buf_init(&before, FILE_MAX);
	buf_init(&after, FILE_MAX);
	buf_init(&lines, BUF_UNBOUNDED);
	if (strcmp(name, CONFIG) == 0 || io_read_file(from, &before, NULL) < 0 || fd < 0 ||
		io_read_all(fd, &after, NULL) < 0)
		return 0;
	diff_lines(&lines, before.data ? before.data : "", before.len, after.data ? after.data : "",
		after.len);
	if (lines.len > 0)
		fprintf(stderr, "%s/%s changed:\n%s", demo->folder, name, lines.data);
	return 0;
}

static void
say_where(const struct demo *demo, const struct cmd_line *line)
{
	if (cmd_has(line, OPTION_DETACH)) {
		cmd_say("the payroll is in %s", demo->folder);
		return;
	}
	cmd_say("the payroll is in %s; what was approved stands there, and nothing else:",
		demo->folder);
	(void)!each_file(demo, say_changed, NULL);
}

/* --- the run --- */

static const char *
choose_program(const struct cmd_line *line, struct err *err)
{
	const char *word = cmd_value(line, OPTION_PROGRAM);

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (!word || strcmp(word, programs[i]) == 0)
			return programs[i];
	err_set(err, ERR_USAGE, "--program %s: the demo has raise-9000, raise-5000 and loop", word);
	return NULL;
}

static int
run(const struct demo *demo, const char *program, struct start *start)
{
	AUTO_FREE char *file = mem_printf("%s.py", program);
	AUTO_FREE char *path = mem_printf("%s/%s", demo->folder, file);
	AUTO_FREE char *named = mem_printf("%s/%s", demo->folder, CONFIG);
	AUTO_BUF struct buf text;
	struct config *config = NULL;
	struct err err = { 0 };
	int code;

	buf_init(&text, FILE_MAX);
	if (io_read_file(path, &text, &err) == 0)
		config = start_config(start->line, named, &err);
	if (!config)
		return cmd_fail(&err);
	start->config = config;
	start->base = "payroll";
	start->program_name = file;
	start->program = untrusted(text.data ? text.data : "", text.len);
	start->notice = notice;
	if (!start->console)
		cmd_say("%s", notice);
	code = start_run(start);
	config_free(config);
	return code;
}

int
cmd_demo(const struct cmd_line *line)
{
	struct start start = { .line = line };
	struct demo demo = { 0 };
	struct err err = { 0 };
	const char *program;
	int code;

	if (cmd_expect_words(line, 0, 1, &err) < 0 || line->word_count > 0) {
		cmd_say("demo takes no words; `tollbridge help demo`");
		return EXIT_USAGE;
	}
	program = choose_program(line, &err);
	if (!program || start_console(line, &start.console, &err) < 0)
		return cmd_fail(&err);
	if (make_folder(&demo, &err) < 0) {
		release(&demo);
		return cmd_fail(&err);
	}
	code = run(&demo, program, &start);
	say_where(&demo, line);
	release(&demo);
	return code;
}
