/*
 * tools: the tools as the program and the model see them.  They are started as for a run, asked
 * what they are, and ended; no tool is called.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/gate/policy.h"
#include "core/run/author_prompt.h"
#include "core/run/configuration.h"
#include "core/run/spawn.h"
#include "core/tools/registry.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/start.h"

#define EFFECT_COLS 8
#define GATE_COLS 8

struct tools {
	struct loop *loop;
	struct spawner *spawner;
	struct registry *registry;
	bool failed, lost;
};

static void
on_server(const char *server, enum server_state state, const char *error, void *arg)
{
	struct tools *tools = arg;

	if (state == SERVER_FAILED)
		tools->failed = true;
	if (error)
		cmd_say("tools of %s: %s", server, error);
}

static void
on_ready(void *arg)
{
	struct tools *tools = arg;

	loop_stop(tools->loop, 0);
}

static void
on_lost(void *arg)
{
	struct tools *tools = arg;

	tools->lost = true;
	loop_stop(tools->loop, 0);
}

static int
start_tools(struct tools *tools, const struct config *config, struct err *err)
{
	struct registry_hooks hooks = { on_server, on_ready, tools };

	tools->loop = loop_new();
	tools->spawner = spawner_new(tools->loop, on_lost, tools, err);
	if (!tools->spawner)
		return -1;
	tools->registry = registry_new(tools->loop, tools->spawner, config, &hooks, err);
	if (!tools->registry)
		return -1;
	loop_run(tools->loop);
	if (tools->lost)
		return err_set(err, ERR_SANDBOX, "the process that holds the tools is gone");
	if (tools->failed)
		return err_set(err, ERR_USAGE, "a tool server did not start");
	return 0;
}

static void
end_tools(struct tools *tools)
{
	registry_free(tools->registry);
	if (tools->spawner)
		spawner_free(tools->spawner);
	loop_free(tools->loop);
}

/* --- what is printed --- */

static const char *
gate_word(int action)
{
	return action < 0 ? "depends" : action_name((enum action)action);
}

static void
print_list(const struct registry *registry, const struct policy *policy)
{
	printf("%-*s %-*s TOOL\n", EFFECT_COLS, "EFFECT", GATE_COLS, "GATE");
	for (size_t i = 0; i < registry_count(registry); i++) {
		const struct tool *tool = registry_at(registry, i);
		AUTO_BUF struct buf line;

		buf_init(&line, BUF_UNBOUNDED);
		registry_stub(registry, i, false, &line);
		printf("%-*s %-*s ", EFFECT_COLS, effect_name(tool->facts.effect), GATE_COLS,
			gate_word(policy_forecast(policy, &tool->facts)));
		cmd_text(stdout, untrusted(line.data, line.len - 1), TEXT_TEXT);
		putchar('\n');
	}
}

/* To a file the bytes as they are sent; to a terminal nothing that could act on it. */
static void
print_prompt(
	const struct config *config, const struct registry *registry, const struct policy *policy)
{
	AUTO_BUF struct buf prompt;

	buf_init(&prompt, BUF_UNBOUNDED);
	author_instructions(config, registry, policy, &prompt);
	if (isatty(STDOUT_FILENO))
		cmd_text(stdout, untrusted(prompt.data, prompt.len), TEXT_LINES);
	else
		fwrite(prompt.data, 1, prompt.len, stdout);
}

int
cmd_tools(const struct cmd_line *line)
{
	struct tools tools = { .failed = false };
	struct config *config = NULL;
	struct policy *policy = NULL;
	struct err err = { 0 };
	int code = EXIT_DONE;

	if (cmd_expect_words(line, 0, 0, &err) == 0)
		config = start_config(line, NULL, &err);
	if (config)
		policy = start_policy(config, &err);
	if (!policy || start_tools(&tools, config, &err) < 0)
		code = cmd_fail(&err);
	else if (cmd_has(line, OPTION_PROMPT))
		print_prompt(config, tools.registry, policy);
	else
		print_list(tools.registry, policy);
	if (tools.loop)
		end_tools(&tools);
	policy_free(policy);
	config_free(config);
	return code;
}
