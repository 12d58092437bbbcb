/*
 * workshop.h - a registry over a configuration in a scratch folder, with permits to call its tools.
 */
#ifndef TESTS_TOOLS_WORKSHOP_H
#define TESTS_TOOLS_WORKSHOP_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/gate.h"
#include "core/run/configuration.h"
#include "core/run/spawn.h"
#include "core/tools/registry.h"
#include "tests/run/scratch.h"

#define PATIENCE_NS (60 * NS_PER_S)

struct answer {
	bool there;
	enum tool_outcome outcome;
	char text[8192]; /* the value, or the words */
	size_t len;
};

struct workshop {
	struct scratch scratch;
	struct loop *loop;
	struct spawner *spawner;
	struct config *config;
	struct registry *registry;
	struct gate *gate;
	call_id last_call;
	bool ready;
	char states[1024]; /* "payroll:starting payroll:ready ..." */
	char error[1024];  /* the last one told */
};

static void
on_server(const char *server, enum server_state state, const char *error, void *arg)
{
	struct workshop *shop = arg;
	size_t len = strlen(shop->states);

	snprintf(shop->states + len, sizeof(shop->states) - len, "%s%s:%s", len ? " " : "", server,
		server_state_name(state));
	assert_int_equal(error != NULL, state == SERVER_FAILED || state == SERVER_DIED);
	if (error)
		snprintf(shop->error, sizeof(shop->error), "%s", error);
}

static void
on_ready(void *arg)
{
	struct workshop *shop = arg;

	assert_false(shop->ready);
	shop->ready = true;
}

static void
on_done(const struct tool_result *result, void *arg)
{
	struct answer *answer = arg;
	const char *text = result->outcome == TOOL_OK ? result->json : result->message;
	size_t len = result->outcome == TOOL_OK ? result->json_len : strlen(text);

	assert_false(answer->there);
	answer->there = true;
	answer->outcome = result->outcome;
	answer->len = len;
	snprintf(answer->text, sizeof(answer->text), "%.*s", (int)len, text);
}

static void
on_lost(void *arg)
{
	fail_msg("the reaper was lost");
}

static void
no_verdict(const struct gate_verdict *verdict, void *arg)
{
}

#define TURN_UNTIL(shop, condition)                           \
	do {                                                  \
		int64_t until_ = clock_mono() + PATIENCE_NS;  \
		while (!(condition) && clock_mono() < until_) \
			loop_turn((shop)->loop);              \
		assert_true(condition);                       \
	} while (0)

/* tools: the configuration's "tools" object; under root each %USER% becomes a user to run as. */
static void
workshop_open(struct workshop *shop, const char *python, const char *tools)
{
	const char *user = geteuid() == 0 ? ", \"user\": \"nobody\"" : "";
	const char *at;
	struct config_request request = { .file = "tollbridge.json", .max_tool_calls = -1 };
	struct registry_hooks hooks = { on_server, on_ready, shop };
	AUTO_BUF struct buf text;
	struct err err = { 0 };

	memset(shop, 0, sizeof(*shop));
	signal(SIGPIPE, SIG_IGN);
	scratch_begin(&shop->scratch);
	assert_int_equal(chmod(shop->scratch.folder, 0755), 0);
	if (python)
		scratch_file("tools.py", python);
	buf_init(&text, BUF_UNBOUNDED);
	buf_str(&text, "{\"tools\": {");
	while ((at = strstr(tools, "%USER%"))) {
		buf_put(&text, tools, (size_t)(at - tools));
		buf_str(&text, user);
		tools = at + strlen("%USER%");
	}
	buf_str(&text, tools);
	buf_str(&text, "}}");
	scratch_file("tollbridge.json", text.data);
	shop->config = config_load(&request, &err);
	if (!shop->config)
		fail_msg("%s", err.text);
	shop->loop = loop_new();
	shop->spawner = spawner_new(shop->loop, on_lost, shop, &err);
	if (!shop->spawner)
		fail_msg("%s", err.text);
	shop->gate = gate_new(&(struct gate_limits){ .timeout_ms = -1, .max_pending = 64 },
		&(struct gate_hooks){ no_verdict, NULL });
	shop->registry = registry_new(shop->loop, shop->spawner, shop->config, &hooks, &err);
	assert_non_null(shop->registry);
	TURN_UNTIL(shop, shop->ready);
}

static void
workshop_close(struct workshop *shop)
{
	registry_free(shop->registry);
	spawner_free(shop->spawner);
	gate_free(shop->gate);
	config_free(shop->config);
	loop_free(shop->loop);
	scratch_end(&shop->scratch);
}

static struct tool *
workshop_tool(struct workshop *shop, const char *full)
{
	struct tool *tool = registry_find(shop->registry, full, strlen(full));

	if (!tool)
		fail_msg("no tool %s: %s", full, shop->error);
	return tool;
}

/* Start a call: the answer comes later. */
static void
workshop_start(struct workshop *shop, const char *full, const char *args, struct answer *answer)
{
	struct tool *tool = workshop_tool(shop, full);
	struct ruling allowed = { .action = ACTION_ALLOW, .why = RULED_RULE };
	struct gate_request request = {
		.call = ++shop->last_call,
		.tool = &tool->facts,
		.args = args,
		.args_len = strlen(args),
		.ruling = &allowed,
	};
	struct permit *permit = NULL;
	struct gate_verdict denied;
	struct gate_call held;
	struct err err;

	memset(answer, 0, sizeof(*answer));
	assert_int_equal(
		gate_submit(shop->gate, &request, 0, &permit, &held, &denied, &err), GATE_ALLOWED);
	tool_call(tool, permit, on_done, answer);
	assert_false(answer->there);
}

static void
workshop_call(struct workshop *shop, const char *full, const char *args, struct answer *answer)
{
	workshop_start(shop, full, args, answer);
	TURN_UNTIL(shop, answer->there);
}

/* A call with this outcome and text. */
#define ASSERT_CALL(shop, full, args, wanted, words)       \
	do {                                               \
		struct answer answer_;                     \
		workshop_call(shop, full, args, &answer_); \
		assert_string_equal(answer_.text, words);  \
		assert_int_equal(answer_.outcome, wanted); \
	} while (0)

#endif
