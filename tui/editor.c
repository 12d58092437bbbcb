/*
 * The child is waited for by SIGCHLD, so nothing blocks while a person edits.  An editor that stops
 * itself (Ctrl-Z) is continued at once: nobody else could bring it back.  Paths stand in plain
 * memory as long as the folder does, for the act of tty.h that removes it from a signal handler.
 */
#include "config.h"

#include "tui/editor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "tui/tty.h"

#define WORDS_MAX 32
#define LEFT_MAX 512
#define END_POLLS 50
#define END_POLL_NS (10 * 1000 * 1000)

struct editor {
	struct editor_request request;
	char *text; /* a copy of what was handed in */
	char *name;
	pid_t pid;  /* 0: none runs */
	int folder; /* -1: none */
};

static struct {
	char folder[PATH_MAX - NAME_MAX - 1], file[PATH_MAX];
	volatile sig_atomic_t made;
} place;

/* --- which editor --- */

struct words {
	char *argv[WORDS_MAX + 1];
	size_t count;
};

static void
words_release(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->argv[i]);
}

/* One word from *at on, without its quotes. */
static char *
next_word(const char **at)
{
	AUTO_BUF struct buf word;
	char quote = 0;

	buf_init(&word, BUF_UNBOUNDED);
	buf_str(&word, "");
	for (; **at && (quote || !strchr(" \t", **at)); ++*at) {
		char byte = **at;

		if (!quote && strchr("'\"", byte))
			quote = byte;
		else if (byte == quote)
			quote = 0;
		else if (byte == '\\' && quote != '\'' && (*at)[1])
			buf_byte(&word, *++*at);
		else
			buf_byte(&word, byte);
	}
	return word.data ? buf_give(&word) : mem_str("");
}

static void
split(const char *line, struct words *words)
{
	while (words->count < WORDS_MAX - 1) {
		line += strspn(line, " \t");
		if (!*line)
			break;
		words->argv[words->count++] = next_word(&line);
	}
}

static bool
is_in_path(const char *name)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t len = strcspn(path, ":");
		AUTO_FREE char *full = mem_printf("%.*s/%s", (int)len, path, name);

		if (len > 0 && access(full, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

static const char *
named(const char *variable)
{
	const char *value = getenv(variable);

	return value && value[strspn(value, " \t")] ? value : NULL;
}

static int
choose(struct words *words, struct err *err)
{
	static const char *const known[] = { "vi", "nano" };
	const char *wish = named("VISUAL");

	if (!wish)
		wish = named("EDITOR");
	for (size_t i = 0; !wish && i < ARRAY_SIZE(known); i++)
		if (is_in_path(known[i]))
			wish = known[i];
	if (!wish)
		return err_set(err, ERR_MISSING,
			"no editor: VISUAL and EDITOR are not set, and neither vi nor nano is "
			"here");
	split(wish, words);
	return 0;
}

/* --- the folder and its file --- */

/* Of this user, and of nobody else's. */
static bool
is_private(const char *path)
{
	struct stat is;

	return path && path[0] == '/' && stat(path, &is) == 0 && S_ISDIR(is.st_mode) &&
	       is.st_uid == geteuid() && (is.st_mode & 077) == 0;
}

static const char *
parent_folder(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	const char *temporary = getenv("TMPDIR");

	if (is_private(runtime))
		return runtime;
	return temporary && temporary[0] == '/' ? temporary : "/tmp";
}

static void
remove_in_handler(void)
{
	if (!place.made)
		return;
	(void)unlink(place.file);
	(void)rmdir(place.folder);
}

static int
write_file(struct editor *editor, struct err *err)
{
	AUTO_CLOSE int fd = openat(editor->folder, editor->name,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_sys(err, errno, "make %s", place.file);
	return io_write_all(fd, editor->request.text, editor->request.len, err);
}

static int
make_folder(struct editor *editor, struct err *err)
{
	const char *parent = parent_folder();
	int len = snprintf(place.folder, sizeof(place.folder), "%s/tollbridge-XXXXXX", parent);

	if (len < 0 || (size_t)len >= sizeof(place.folder) || strlen(editor->name) > NAME_MAX)
		return err_set(err, ERR_LIMIT, "the path of %.300s is too long", parent);
	if (!mkdtemp(place.folder))
		return err_sys(err, errno, "make a folder in %.300s", parent);
	if (snprintf(place.file, sizeof(place.file), "%s/%s", place.folder, editor->name) < 0)
		place.file[0] = '\0';
	place.made = 1;
	tty_set_last_act(remove_in_handler);
	editor->folder = open(place.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return editor->folder < 0 ? err_sys(err, errno, "open %s", place.folder) : 0;
}

/* Copies, swap files and what else an editor left there too. */
static void
empty_folder(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			(void)unlinkat(folder, entry->d_name, 0);
	if (entries)
		closedir(entries);
	else if (fd >= 0)
		close(fd);
}

/* left: LEFT_MAX bytes, empty when all is gone. */
static void
remove_folder(struct editor *editor, char *left)
{
	left[0] = '\0';
	if (editor->folder >= 0) {
		empty_folder(editor->folder);
		close(editor->folder);
	}
	editor->folder = -1;
	if (place.made && rmdir(place.folder) < 0)
		snprintf(left, LEFT_MAX, "%.300s was not removed: %s", place.folder,
			strerror(errno));
	place.made = 0;
	tty_set_last_act(NULL);
}

static void
forget(struct editor *editor)
{
	free(editor->text);
	free(editor->name);
	editor->text = editor->name = NULL;
	editor->pid = 0;
}

/* --- the child --- */

static void
become_editor(char *const *argv, int report)
{
	sigset_t none;
	int failed;

	(void)setpgid(0, 0);
	tty_hand_to(getpid());
	(void)prctl(PR_SET_PDEATHSIG, SIGHUP);
	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	(void)close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	execvp(argv[0], argv);
	failed = errno;
	(void)!write(report, &failed, sizeof(failed));
	_exit(127);
}

/* Waits for exec alone. */
static int
start_child(struct editor *editor, char *const *argv, struct err *err)
{
	AUTO_CLOSE int report = -1;
	AUTO_CLOSE int child_end = -1;
	int failed;
	ssize_t got;

	if (io_pipe(&report, &child_end, err) < 0)
		return -1;
	editor->pid = fork();
	if (editor->pid < 0) {
		editor->pid = 0;
		return err_sys(err, errno, "fork");
	}
	if (editor->pid == 0)
		become_editor(argv, child_end);
	(void)setpgid(editor->pid, editor->pid);
	tty_hand_to(editor->pid);
	close(io_give(&child_end));
	while ((got = read(report, &failed, sizeof(failed))) < 0 && errno == EINTR)
		;
	if (got != (ssize_t)sizeof(failed))
		return 0;
	while (waitpid(editor->pid, NULL, 0) < 0 && errno == EINTR)
		;
	editor->pid = 0;
	return err_sys(err, failed, "start the editor \"%.200s\"", argv[0]);
}

static void
end_child(pid_t pid)
{
	struct timespec pause = { 0, END_POLL_NS };

	(void)kill(-pid, SIGHUP);
	(void)kill(-pid, SIGCONT);
	for (int i = 0; i < END_POLLS; i++) {
		pid_t ended = waitpid(pid, NULL, WNOHANG);

		if (ended == pid || (ended < 0 && errno == ECHILD))
			return;
		nanosleep(&pause, NULL);
	}
	(void)kill(-pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* --- its end --- */

static int
read_back(struct editor *editor, struct buf *text, struct err *err)
{
	AUTO_CLOSE int fd = openat(
		editor->folder, editor->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat is;

	if (fd < 0)
		return err_sys(err, errno, "read what was edited");
	if (fstat(fd, &is) < 0 || !S_ISREG(is.st_mode))
		return err_set(err, ERR_FORMAT, "what was edited is no file any more");
	if (io_read_all(fd, text, err) < 0)
		return err_within(err, "read what was edited");
	return 0;
}

static void
report(struct editor *editor, int status)
{
	struct editor_request request = editor->request;
	AUTO_FREE char *given = MEM_GIVE(editor->text);
	AUTO_BUF struct buf text;
	struct editor_end end = { 0 };
	struct err err = { 0 };
	char left[LEFT_MAX];

	buf_init(&text, EDITOR_BYTES_MAX);
	if (WIFSIGNALED(status))
		err_set(&err, ERR_REFUSED, "the editor was ended by signal %d (%s)",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 0)
		err_set(&err, ERR_REFUSED, "the editor ended with exit status %d",
			WEXITSTATUS(status));
	else if (read_back(editor, &text, &err) == 0)
		end.text = text.data ? text.data : "";
	end.len = end.text ? text.len : 0;
	end.changed = end.text && (end.len != request.len || memcmp(end.text, given, end.len) != 0);
	end.words = end.text ? NULL : err.text;
	remove_folder(editor, left);
	end.left = left[0] ? left : NULL;
	forget(editor);
	request.on_end(&end, request.arg);
}

static void
on_child(int signo, void *arg)
{
	struct editor *editor = arg;
	pid_t ended;
	int status;

	(void)signo;
	if (editor->pid == 0)
		return;
	while ((ended = waitpid(editor->pid, &status, WNOHANG | WUNTRACED)) == editor->pid) {
		if (!WIFSTOPPED(status)) {
			report(editor, status);
			return;
		}
		tty_hand_to(editor->pid);
		(void)kill(-editor->pid, SIGCONT);
	}
}

/* --- life --- */

struct editor *
editor_new(struct loop *loop)
{
	struct editor *editor = mem_zero(1, sizeof(*editor));

	editor->folder = -1;
	loop_on_signal(loop, SIGCHLD, on_child, editor);
	return editor;
}

void
editor_free(struct editor *editor)
{
	char left[LEFT_MAX];

	if (!editor)
		return;
	if (editor->pid > 0) {
		end_child(editor->pid);
		remove_folder(editor, left);
	}
	forget(editor);
	free(editor);
}

bool
editor_runs(const struct editor *editor)
{
	return editor->pid > 0;
}

int
editor_open(struct editor *editor, const struct editor_request *request, struct err *err)
{
	struct words words = { 0 };
	char left[LEFT_MAX];
	int done = -1;

	if (editor->pid > 0)
		return err_set(err, ERR_STATE, "an editor runs already");
	if (choose(&words, err) < 0)
		return -1;
	editor->request = *request;
	editor->name = mem_str(request->name);
	editor->text = mem_copy(request->text, request->len);
	if (make_folder(editor, err) == 0 && write_file(editor, err) == 0) {
		words.argv[words.count++] = mem_str(place.file);
		done = start_child(editor, words.argv, err);
	}
	if (done < 0) {
		remove_folder(editor, left);
		forget(editor);
	}
	words_release(&words);
	return done;
}
