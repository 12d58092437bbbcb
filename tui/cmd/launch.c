/*
 * Two forks: the supervisor must be nobody's child here, so that its end leaves nothing to wait for
 * and the end of this process means nothing to it.
 */
#include "config.h"

#include "tui/cmd/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/json.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/base/where.h"
#include "core/run/configuration.h"

#define HELPER "tollbridge-supervisor"
#define HELPER_FD 3
#define ANSWER_MAX 65536
#define EXIT_CODE_MAX 255

void
launch_release(struct launch_session *session)
{
	free(session->name);
	free(session->record);
	*session = (struct launch_session){ 0 };
}

static void
write_what(struct jsonout *out, const struct launch_request *request)
{
	jsonout_key(out, "program");
	if (request->program_name) {
		jsonout_object(out);
		jsonout_key_str(out, "name", request->program_name);
		jsonout_key(out, "text");
		jsonout_strn(out, request->program.bytes, request->program.len);
		jsonout_object_end(out);
	} else {
		jsonout_null(out);
	}
	jsonout_key(out, "call");
	if (request->tool) {
		jsonout_object(out);
		jsonout_key_str(out, "tool", request->tool);
		jsonout_key(out, "arguments");
		jsonout_raw(out, request->arguments, strlen(request->arguments));
		jsonout_object_end(out);
	} else {
		jsonout_null(out);
	}
}

void
launch_line(const struct launch_request *request, struct buf *line)
{
	AUTO_BUF struct buf config;
	struct jsonout out;

	buf_init(&config, BUF_UNBOUNDED);
	config_write(request->config, &config);
	jsonout_init(&out, line);
	jsonout_object(&out);
	jsonout_key_int(&out, "start", 1);
	jsonout_key_str(&out, "mode", request->tool ? "call" : request->task ? "model" : "program");
	jsonout_key_str(&out, "base", request->base);
	jsonout_key(&out, "config");
	jsonout_raw(&out, config.data, config.len);
	jsonout_key_str(&out, "task", request->task);
	write_what(&out, request);
	jsonout_key_str(&out, "record", request->record);
	jsonout_key_bool(&out, "no_ask", request->no_ask);
	jsonout_key_bool(&out, "person", request->person);
	jsonout_key_bool(&out, "fail_on_denied", request->fail_on_denied);
	jsonout_object_end(&out);
}

int
launch_answer(const char *line, size_t len, struct launch_session *session, int *exit_code,
	struct err *err)
{
	AUTO_JSON struct json *doc = json_read(line, len, NULL);
	struct json_value root = json_root(doc);
	const char *id = json_text(root, "id");
	const char *error = json_text(root, "error");
	int64_t code = 1;

	*exit_code = 1;
	if (error) {
		json_int(json_get(root, "exit"), 1, EXIT_CODE_MAX, &code);
		*exit_code = (int)code;
		return err_set(err, ERR_STATE, "%s", error);
	}
	if (!id || strlen(id) != SESSION_ID_SIZE - 1 || !json_text(root, "name"))
		return err_set(err, ERR_STATE, "the supervisor ended before it was ready");
	memcpy(session->id, id, SESSION_ID_SIZE);
	session->name = mem_str(json_text(root, "name"));
	session->record = mem_str(json_text(root, "record"));
	return 0;
}

/* In the child: fd becomes 3, everything else but 0 1 2 is closed. */
static ATTR_NORETURN void
become_supervisor(int fd, const char *helper)
{
	static const char failed[] =
		"{\"error\":\"tollbridge-supervisor could not be started; is the installation "
		"whole?\",\"exit\":1}\n";
	char *argv[] = { (char *)HELPER, NULL };
	sigset_t none;
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
		(fd == HELPER_FD ? fcntl(fd, F_SETFD, 0) : dup2(fd, HELPER_FD)) < 0 ||
		close_range(HELPER_FD + 1, ~0U, 0) < 0)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	execv(helper, argv);
	(void)!write(HELPER_FD, failed, sizeof(failed) - 1);
	_exit(127);
}

static int
fork_supervisor(int fd, const char *helper, struct err *err)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return err_sys(err, errno, "fork");
	if (child == 0) {
		pid_t supervisor = setsid() < 0 ? -1 : fork();

		if (supervisor == 0 && setsid() >= 0)
			become_supervisor(fd, helper);
		_exit(supervisor < 0 ? 1 : 0);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(err, errno, "waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return err_set(err, ERR_SYSTEM, "the supervisor could not be forked");
	return 0;
}

/* A supervisor that ends without an answer, or before it read the request, leaves answer empty. */
static int
talk(int fd, const struct launch_request *request, struct buf *answer, struct err *err)
{
	AUTO_BUF struct buf line;

	buf_init(&line, BUF_UNBOUNDED);
	launch_line(request, &line);
	buf_byte(&line, '\n');
	if (io_write_all(fd, line.data, line.len, NULL) == 0)
		shutdown(fd, SHUT_WR);
	if (io_read_all(fd, answer, err) == 0 || err->errnum == ECONNRESET)
		return 0;
	return -1;
}

int
launch_start(const struct launch_request *request, struct launch_session *session, int *exit_code,
	struct err *err)
{
	AUTO_FREE char *helper = where_helper(HELPER);
	AUTO_CLOSE int ours = -1;
	AUTO_CLOSE int theirs = -1;
	AUTO_BUF struct buf answer;

	buf_init(&answer, ANSWER_MAX);
	*session = (struct launch_session){ 0 };
	*exit_code = 1;
	if (io_pair(&ours, &theirs, err) < 0 || fork_supervisor(theirs, helper, err) < 0)
		return -1;
	close(io_give(&theirs));
	if (talk(ours, request, &answer, err) < 0)
		return err_within(err, "the supervisor");
	return launch_answer(answer.data ? answer.data : "", answer.len, session, exit_code, err);
}
