/*
 * Order matters: nothing is started before the configuration was read, its rules held and, where it
 * was found by itself, accepted.
 */
#include "config.h"

#include "tui/cmd/start.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/policy.h"
#include "core/record/store.h"
#include "core/run/configuration.h"
#include "tui/app.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/follow.h"
#include "tui/cmd/launch.h"
#include "tui/keymap_config.h"
#include "tui/theme.h"

#define QUIET_MS 500
#define ANSWER_MAX 64
#define CALLS_MAX 1000000000

static bool
headless(const struct cmd_line *line)
{
	return cmd_has(line, OPTION_HEADLESS) || cmd_has(line, OPTION_JSON) ||
	       cmd_has(line, OPTION_NO_ASK);
}

int
start_console(const struct cmd_line *line, bool *console, struct err *err)
{
	bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);

	*console = !headless(line) && !cmd_has(line, OPTION_DETACH);
	if (headless(line) && cmd_has(line, OPTION_DETACH))
		return err_set(
			err, ERR_USAGE, "--detach does not go with --headless, --json or --no-ask");
	if (!*console || terminal)
		return 0;
	return err_set(err, ERR_USAGE,
		"%s no terminal; add --headless, --no-ask, --json or --detach",
		isatty(STDIN_FILENO)    ? "standard output is"
		: isatty(STDOUT_FILENO) ? "standard input is"
					: "standard input and output are");
}

/* --- the configuration --- */

struct mounts {
	struct config_mount *list;
	size_t count;
};

static int
add_mount(struct mounts *mounts, const char *path, struct err *err)
{
	char *real = realpath(path, NULL);
	const char *name = real ? strrchr(real, '/') + 1 : "";
	struct config_mount *mount;

	if (!real)
		return err_set(err, ERR_USAGE, "--in %s: %s", path, strerror(errno));
	mounts->list = mem_grow(mounts->list, mounts->count + 1, sizeof(*mounts->list));
	mount = &mounts->list[mounts->count++];
	*mount = (struct config_mount){ real, mem_printf("/in/%s", name) };
	if (!name[0])
		return err_set(err, ERR_USAGE, "--in %s: name a file or a folder below /", path);
	for (size_t i = 0; i + 1 < mounts->count; i++)
		if (strcmp(mounts->list[i].to, mount->to) == 0)
			return err_set(err, ERR_USAGE, "--in: %s and %s would both be %s",
				mounts->list[i].from, mount->from, mount->to);
	return 0;
}

static void
free_mounts(struct mounts *mounts)
{
	for (size_t i = 0; i < mounts->count; i++) {
		free(mounts->list[i].from);
		free(mounts->list[i].to);
	}
	free(mounts->list);
}

static int
read_max_calls(const struct cmd_line *line, int64_t *out, struct err *err)
{
	const char *text = cmd_value(line, OPTION_MAX_TOOL_CALLS);
	char *end;
	long long number;

	*out = -1;
	if (!text)
		return 0;
	number = strtoll(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || number > CALLS_MAX)
		return err_set(err, ERR_USAGE,
			"--max-tool-calls %s: write a whole number from 0 to %d", text, CALLS_MAX);
	*out = number;
	return 0;
}

static struct config *
load(const struct cmd_line *line, const char *file, struct err *err)
{
	const char **sets = cmd_values(line, OPTION_SET);
	const char **in = cmd_values(line, OPTION_IN);
	struct mounts mounts = { 0 };
	struct config *config = NULL;
	struct config_request request = {
		.file = file ? file : cmd_value(line, OPTION_CONFIG),
		.sets = sets,
		.theme = cmd_value(line, OPTION_THEME),
		.sandbox = cmd_value(line, OPTION_SANDBOX),
		.model = cmd_value(line, OPTION_MODEL),
	};
	int failed = read_max_calls(line, &request.max_tool_calls, err);

	for (size_t i = 0; !failed && in[i]; i++)
		failed = add_mount(&mounts, in[i], err);
	request.in = mounts.list;
	request.in_count = mounts.count;
	if (!failed)
		config = config_load(&request, err);
	free_mounts(&mounts);
	free(sets);
	free(in);
	return config;
}

struct policy *
start_policy(const struct config *config, struct err *err)
{
	size_t count = config_rule_count(config);
	AUTO_FREE struct policy_source *sources = mem_zero(count + 1, sizeof(*sources));

	for (size_t i = 0; i < count; i++) {
		const struct config_rule *rule = config_rule(config, i);

		sources[i] = (struct policy_source){ rule->rule, rule->file, rule->line };
	}
	return policy_new(sources, count, err);
}

/* The rules' own mistakes are named here, where the file's text gives their columns. */
static int
hold_rules(const struct config *config, struct err *err)
{
	struct policy *policy = start_policy(config, err);

	policy_free(policy);
	return policy ? 0 : -1;
}

/* --- acceptance --- */

/* What was typed before the question stood there is thrown away, until nothing comes any more. */
static void
rest(void)
{
	struct pollfd poller = { .fd = STDIN_FILENO, .events = POLLIN };

	tcdrain(STDOUT_FILENO);
	do
		tcflush(STDIN_FILENO, TCIFLUSH);
	while (poll(&poller, 1, QUIET_MS) > 0 && !(poller.revents & (POLLHUP | POLLERR)));
	tcflush(STDIN_FILENO, TCIFLUSH);
}

static bool
answered_yes(void)
{
	char answer[ANSWER_MAX];
	size_t len = 0;

	for (;;) {
		char byte;
		ssize_t got = read(STDIN_FILENO, &byte, 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || byte == '\n')
			return got > 0 && len == 3 && memcmp(answer, "yes", 3) == 0;
		if (len < sizeof(answer))
			answer[len++] = byte;
	}
}

static int
ask(const struct config *config, const struct buf *question, struct err *err)
{
	fwrite(question->data, 1, question->len, stdout);
	fputs("\nUse it?  It is used only after the whole word yes.\n", stdout);
	fflush(stdout);
	rest();
	fputs("yes, or anything else to leave: ", stdout);
	fflush(stdout);
	if (!answered_yes())
		return err_set(err, ERR_USAGE, "the configuration was not accepted");
	return config_accept(config, err);
}

static int
hold_acceptance(const struct cmd_line *line, const struct config *config, struct err *err)
{
	AUTO_BUF struct buf question;
	enum acceptance answer;

	buf_init(&question, BUF_UNBOUNDED);
	answer = config_acceptance(config, &question, err);
	if ((int)answer < 0)
		return -1;
	if (answer == ACCEPTANCE_NOT_NEEDED || answer == ACCEPTANCE_GIVEN)
		return 0;
	if (headless(line) || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE,
			"./tollbridge.json was found by itself and %s; pass -c ./tollbridge.json "
			"to use it",
			answer == ACCEPTANCE_NEW ? "was not accepted yet"
						 : "changed since it was accepted");
	return ask(config, &question, err);
}

/* A console that could not open would leave its run behind. */
static int
hold_theme(const struct cmd_line *line, const struct config *config, struct err *err)
{
	struct theme *theme;

	if (headless(line) || cmd_has(line, OPTION_DETACH))
		return 0;
	if (app_theme(config, &theme, err) < 0)
		return -1;
	theme_free(theme);
	return 0;
}

/* Keys that the console would refuse are a mistake, whoever uses the configuration. */
struct config *
start_config(const struct cmd_line *line, const char *file, struct err *err)
{
	struct config *config = load(line, file, err);

	if (config && hold_rules(config, err) == 0 && keymap_check(config, err) == 0 &&
		hold_theme(line, config, err) == 0 && hold_acceptance(line, config, err) == 0)
		return config;
	config_free(config);
	return NULL;
}

/* --- console --- */

/* What is said when the console is gone; gives the exit code. */
static int
left(const struct app_result *result, const char *name, bool answered)
{
	switch (result->end) {
	case APP_DETACHED:
		cmd_say("%s goes on; `tollbridge attach %s` opens the console again", name, name);
		return EXIT_DONE;
	case APP_LOST:
		cmd_say("%s: the supervisor is gone; `tollbridge show %s` tells what was undecided",
			name, name);
		return EXIT_FAILED;
	case APP_UNRECORDED:
		cmd_say("%s: its record could not be written, so it was ended; what waited was "
			"denied; `tollbridge show %s` prints what was written",
			name, name);
		return EXIT_RECORD;
	case APP_ENDED:
		if (!answered)
			cmd_say("%s has ended with exit code %d; `tollbridge show %s` prints it",
				name, result->exit_code, name);
		return result->exit_code;
	case APP_LEFT:
		return EXIT_DONE;
	default:
		return result->exit_code;
	}
}

/* They hold for the run; what is printed is what keeps them. */
static void
print_rules(const char *rules)
{
	puts("rules made in this run; to keep one, add it to \"approval\": {\"rules\": [...]}:");
	while (*rules) {
		size_t len = strcspn(rules, "\n");

		cmd_text(stdout, untrusted(rules, len), TEXT_STRICT);
		fputc('\n', stdout);
		rules += len + (rules[len] == '\n');
	}
}

/* The person may have gone to another session than the console began with. */
static int
leave(struct app_result *result, const char *name, bool print_answer)
{
	AUTO_FREE char *last =
		text_escape(untrusted_str(result->name ? result->name : name), TEXT_STRICT);
	int code;

	if (print_answer && result->answer) {
		cmd_text(stdout, untrusted_str(result->answer), TEXT_LINES);
		fputc('\n', stdout);
	}
	if (result->rules)
		print_rules(result->rules);
	code = left(result, last, print_answer);
	free(result->answer);
	free(result->rules);
	free(result->name);
	return code;
}

int
start_app(int socket, const char *name, const struct config *config, const char *notice,
	bool print_answer)
{
	struct app_request request = { .socket = socket, .config = config, .notice = notice };
	struct app_result result = { 0 };
	struct err err = { 0 };

	if (app_run(&request, &result, &err) < 0) {
		cmd_say("%s goes on; `tollbridge attach %s`", name, name);
		return cmd_fail(&err);
	}
	return leave(&result, name, print_answer);
}

int
start_runs(const char *theme)
{
	struct config_request request = { .max_tool_calls = -1, .no_found = true, .theme = theme };
	struct app_result result = { 0 };
	struct err err = { 0 };
	struct store *store = store_open(&err);
	struct config *config = store ? config_load(&request, &err) : NULL;
	int code;

	store_free(store);
	code = config && app_runs(config, &result, &err) == 0 ? leave(&result, "", false)
							      : cmd_fail(&err);
	config_free(config);
	return code;
}

/* --- a session --- */

static int
connect_to(const struct launch_session *session, struct err *err)
{
	struct store *store = store_open(err);
	int fd;

	if (!store)
		return -1;
	fd = store_connect(store, session->id, err);
	store_free(store);
	return fd;
}

static char *
record_path(const struct cmd_line *line)
{
	const char *path = cmd_value(line, OPTION_RECORD);
	AUTO_FREE char *here = NULL;

	if (!path || path[0] == '/')
		return mem_str(path);
	here = realpath(".", NULL);
	return mem_printf("%s/%s", here ? here : "", path);
}

/* A call is followed without a console until it is held: most of them never are. */
static int
watch_session(const struct start *start, const struct launch_session *session, int fd)
{
	struct follow_result result;
	struct err err = { 0 };
	bool call = start->tool != NULL;

	if (start->console && !call)
		return start_app(fd, session->name, start->config, start->notice, false);
	follow_run(fd, session->name,
		cmd_has(start->line, OPTION_JSON) ? FOLLOW_LINES
		: call && start->console          ? FOLLOW_CALL
						  : FOLLOW_TEXT,
		&result);
	if (!result.held)
		return result.exit_code;
	fd = connect_to(session, &err);
	if (fd < 0)
		return cmd_fail(&err);
	return start_app(fd, session->name, start->config, start->notice, true);
}

static int
started(const struct start *start, const struct launch_session *session)
{
	struct err err = { 0 };
	int fd;

	if (cmd_has(start->line, OPTION_DETACH)) {
		printf("%s\n", session->name);
		return EXIT_DONE;
	}
	fd = connect_to(session, &err);
	if (fd < 0)
		return cmd_fail(&err);
	return watch_session(start, session, fd);
}

int
start_run(const struct start *start)
{
	AUTO_FREE char *record = record_path(start->line);
	struct launch_request request = {
		.base = start->base,
		.config = start->config,
		.task = start->task,
		.program_name = start->program_name,
		.program = start->program,
		.tool = start->tool,
		.arguments = start->arguments,
		.record = record,
		.no_ask = cmd_has(start->line, OPTION_NO_ASK),
		.person = !headless(start->line),
		.fail_on_denied = cmd_has(start->line, OPTION_FAIL_ON_DENIED),
	};
	struct launch_session session;
	struct err err = { 0 };
	int code;

	if (launch_start(&request, &session, &code, &err) < 0)
		cmd_say("%s", err.text);
	else
		code = started(start, &session);
	launch_release(&session);
	return code;
}
