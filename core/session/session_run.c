/*
 * The events around the calls: the session, its tools, programs, counters, output and ends.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/session.h"
#include "core/session/session_inside.h"

static int
small(struct json_value object, const char *key)
{
	int64_t number = session_number(object, key, 0);

	return number > INT_MAX ? INT_MAX : (int)number;
}

static void
free_texts(char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
}

/* As the effective configuration says. */
static bool
asks_about_programs(const struct event_view *event)
{
	size_t len;
	const char *text = event_view_content(event, "config", &len, NULL);
	AUTO_JSON struct json *config = text ? json_read(text, len, NULL) : NULL;

	return config &&
	       json_is(json_get(json_get(json_root(config), "settings"), "approval.program"),
		       "ask");
}

static void
take_limits(struct session *session, struct json_value limits)
{
	struct json_iter it = json_each(limits);

	while (json_next(&it)) {
		const char *name = json_string(it.key, NULL);
		struct session_limit *limit;

		session->limits = session_room(
			session->limits, session->limit_count, sizeof(*session->limits));
		limit = &session->limits[session->limit_count++];
		limit->name = mem_str(name ? name : "");
		limit->value = session_number(limits, limit->name, -1);
	}
}

void
session_start(struct session *session, const struct event_view *event)
{
	struct json_value model = json_get(event->data, "model");
	struct json_iter loosened = json_each(json_get(event->data, "loosened"));
	const char *provider = json_text(model, "provider");
	const char *name = json_text(model, "name");

	if (session->id)
		return;
	session_set_text(&session->id, event->data, "id");
	session_set_text(&session->name, event->data, "name");
	session_set_text(&session->version, event->data, "version");
	session_set_text(&session->mode, event->data, "mode");
	session_set_text(&session->host, event->data, "host");
	session_set_text(&session->user, event->data, "user");
	session_set_text(&session->backend, event->data, "sandbox");
	if (provider && name)
		session->model = mem_printf("%s/%s", provider, name);
	session->scripted = json_bool(json_get(model, "scripted"), false);
	session->program_ask = asks_about_programs(event);
	take_limits(session, json_get(event->data, "limits"));
	while (json_next(&loosened)) {
		const char *text = json_string(loosened.value, NULL);

		session->loosened = session_room(
			session->loosened, session->loosened_count, sizeof(*session->loosened));
		session->loosened[session->loosened_count++] = mem_str(text ? text : "");
	}
}

/* --- tools --- */

static void
release_tool(struct session_tool *tool)
{
	char *texts[] = { tool->full, tool->server, tool->name, tool->python, tool->effect,
		tool->effect_from };

	free_texts(texts, ARRAY_SIZE(texts));
	session_drop_blob(&tool->definition);
}

static void
remove_tool(struct session *session, const char *full)
{
	struct session_tool *tool = (struct session_tool *)session_tool(session, full);

	if (!tool)
		return;
	session_grants_of_tool(session, full);
	release_tool(tool);
	session->tool_count--;
	memmove(tool, tool + 1,
		(size_t)(session->tools + session->tool_count - tool) * sizeof(*tool));
}

static void
add_tool(struct session *session, const struct event_view *event, struct json_value added)
{
	const char *full = json_text(added, "name");
	const char *server = json_text(event->data, "server");
	const char *sha256 = json_text(added, "tool_sha256");
	size_t prefix = server ? strlen(server) : 0;
	struct session_tool *tool;

	if (!full)
		return;
	remove_tool(session, full);
	session->tools = session_room(session->tools, session->tool_count, sizeof(*tool));
	tool = &session->tools[session->tool_count++];
	tool->full = mem_str(full);
	tool->server = mem_str(server);
	tool->name = mem_str(prefix && strncmp(full, server, prefix) == 0 && full[prefix] == '.'
				     ? full + prefix + 1
				     : full);
	session_set_text(&tool->python, added, "python");
	session_set_text(&tool->effect, added, "effect");
	session_set_text(&tool->effect_from, added, "effect_from");
	session_set_blob_of(&tool->definition, event, json_get(added, "definition"));
	tool->isolated = json_bool(json_get(event->data, "isolated"), true);
	if (sha256)
		(void)digest_parse(sha256, strlen(sha256), &tool->sha256);
}

static struct session_server *
server_of(struct session *session, const char *name)
{
	struct session_server *server;

	for (size_t i = 0; i < session->server_count; i++) {
		if (strcmp(session->servers[i].name, name) == 0)
			return &session->servers[i];
	}
	session->servers = session_room(session->servers, session->server_count, sizeof(*server));
	server = &session->servers[session->server_count++];
	server->name = mem_str(name);
	return server;
}

void
session_tools(struct session *session, const struct event_view *event)
{
	const char *name = json_text(event->data, "server");
	struct json_iter it;

	if (name) {
		struct session_server *server = server_of(session, name);

		session_set_text(&server->state, event->data, "state");
		server->isolated = json_bool(json_get(event->data, "isolated"), true);
	}
	it = json_each(json_get(event->data, "removed"));
	while (json_next(&it)) {
		const char *full = json_string(it.value, NULL);

		remove_tool(session, full ? full : json_text(it.value, "name"));
	}
	it = json_each(json_get(event->data, "added"));
	while (json_next(&it))
		add_tool(session, event, it.value);
}

/* --- runs and programs --- */

static void
enter_run(struct session *session, unsigned run)
{
	if (run != session->run)
		session->denied = 0;
	session->run = run;
}

void
session_task(struct session *session, const struct event_view *event)
{
	enter_run(session, (unsigned)small(event->data, "run"));
	session_set_blob(&session->task, event, "text");
	session_set_text(&session->task_from, event->data, "from");
	session->state = RUN_STARTING;
}

void
session_writing(struct session *session, const struct event_view *event)
{
	enter_run(session, (unsigned)small(event->data, "run"));
	session->state = RUN_WRITING;
}

void
session_program_text(struct session *session, const struct event_view *event)
{
	struct session_program *program;

	session->programs =
		session_room(session->programs, session->program_count, sizeof(*program));
	program = &session->programs[session->program_count++];
	program->run = (unsigned)small(event->data, "run");
	program->attempt = (unsigned)small(event->data, "attempt");
	program->lines = (size_t)session_number(event->data, "lines", 0);
	session_set_text(&program->by, event->data, "by");
	session_set_blob(&program->text, event, "text");
	enter_run(session, program->run);
	session->attempt = program->attempt;
	session->state = RUN_READY;
	session->live_line = 0;
	session->begun_mono = 0;
}

/* The latest program of that attempt: an edit makes a second one. */
static struct session_program *
program_of(struct session *session, const struct event_view *event)
{
	unsigned attempt = (unsigned)small(event->data, "attempt");

	for (size_t i = session->program_count; i-- > 0;) {
		if (session->programs[i].attempt == attempt)
			return &session->programs[i];
	}
	return NULL;
}

static void
drop_sites(struct session_program *program)
{
	for (size_t i = 0; i < program->site_count; i++) {
		free(program->sites[i].tool);
		free(program->sites[i].action);
		free(program->sites[i].effect);
	}
	free(program->sites);
	program->sites = NULL;
	program->site_count = 0;
}

void
session_forecast(struct session *session, const struct event_view *event)
{
	struct session_program *program = program_of(session, event);
	struct json_iter it = json_each(json_get(event->data, "sites"));

	if (!program)
		return;
	program->forecast = true;
	if (session->program_ask && session->state == RUN_READY)
		session->state = RUN_ASKING;
	drop_sites(program);
	while (json_next(&it)) {
		struct session_site *site;

		program->sites = session_room(program->sites, program->site_count, sizeof(*site));
		site = &program->sites[program->site_count++];
		site->line = small(it.value, "line");
		site->loop = json_bool(json_get(it.value, "loop"), false);
		session_set_text(&site->tool, it.value, "tool");
		session_set_text(&site->action, it.value, "action");
		session_set_text(&site->effect, it.value, "effect");
	}
}

void
session_program_decided(struct session *session, const struct event_view *event)
{
	struct session_program *program = program_of(session, event);

	if (session->state == RUN_ASKING)
		session->state = RUN_READY;
	if (!program)
		return;
	session_set_text(&program->verdict, event->data, "verdict");
	session_set_text(&program->decided_who, event->data, "who");
	session_set_blob(&program->decided_reason, event, "reason");
}

static void
drop_layers(struct session *session)
{
	for (size_t i = 0; i < session->layer_count; i++) {
		free(session->layers[i].name);
		free(session->layers[i].kind);
		free(session->layers[i].detail);
	}
	free(session->layers);
	session->layers = NULL;
	session->layer_count = 0;
}

void
session_sandbox(struct session *session, const struct event_view *event)
{
	struct json_iter it = json_each(json_get(event->data, "badge"));

	session_set_text(&session->backend, event->data, "backend");
	drop_layers(session);
	while (json_next(&it)) {
		struct session_layer *layer;

		session->layers =
			session_room(session->layers, session->layer_count, sizeof(*layer));
		layer = &session->layers[session->layer_count++];
		session_set_text(&layer->name, it.value, "layer");
		session_set_text(&layer->kind, it.value, "kind");
		session_set_text(&layer->detail, it.value, "detail");
		layer->proved = json_is(json_get(it.value, "state"), "proved");
	}
}

void
session_runs(struct session *session, const struct event_view *event)
{
	if (session->begun_mono == 0)
		session->begun_mono = event->mono;
	if (session->state < RUN_RUNNING)
		session->state = RUN_RUNNING;
}

void
session_line(struct session *session, const struct event_view *event)
{
	session_runs(session, event);
	session->live_line = small(event->data, "line");
}

void
session_budget(struct session *session, const struct event_view *event)
{
	struct json_iter it = json_each(json_get(event->data, "counters"));

	if (json_kind(json_get(event->data, "raised")) == JSON_OBJECT)
		session->raised_mono = event->mono;
	while (json_next(&it)) {
		const char *name = json_text(it.value, "name");
		struct session_counter *counter;

		if (!name)
			continue;
		counter = (struct session_counter *)session_counter(session, name);
		if (!counter) {
			session->counters = session_room(
				session->counters, session->counter_count, sizeof(*counter));
			counter = &session->counters[session->counter_count++];
			counter->name = mem_str(name);
		}
		counter->used = session_number(it.value, "used", 0);
		counter->limit = session_number(it.value, "limit", -1);
	}
}

void
session_output(struct session *session, const struct event_view *event)
{
	struct session_output *output;

	session->outputs = session_room(session->outputs, session->output_count, sizeof(*output));
	output = &session->outputs[session->output_count++];
	output->attempt = (unsigned)small(event->data, "attempt");
	output->err = json_is(json_get(event->data, "stream"), "stderr");
	output->seq = event->seq;
	session_set_blob(&output->text, event, "text");
	session->output_bytes += output->text.len;
}

/* A person decides how to go on: records of before there were events that say so. */
static bool
may_be_tried_again(const struct session *session, const struct session_program *program)
{
	const char *outcome = program->outcome ? program->outcome : "";
	const char *verdict = program->verdict ? program->verdict : "";

	if (!session->program_ask || strcmp(verdict, "refuse") == 0)
		return false;
	return strcmp(outcome, "denied") == 0 || strcmp(outcome, "error") == 0 ||
	       strcmp(outcome, "syntax") == 0;
}

void
session_program_end(struct session *session, const struct event_view *event)
{
	struct session_program *program = program_of(session, event);
	struct json_value data = event->data;
	int64_t exit_status;

	if (!program)
		return;
	session_set_text(&program->outcome, data, "outcome");
	session_set_blob(&program->error, event, "error");
	program->end_line = small(data, "line");
	program->cpu_ms = session_number(data, "cpu_ms", 0);
	program->max_rss_kb = session_number(data, "max_rss_kb", 0);
	program->held_ms = session_number(data, "held_ms", 0);
	if (json_int(json_get(data, "exit"), INT_MIN, INT_MAX, &exit_status))
		program->exit = (int)exit_status;
	session_grants_of_program(session, program->attempt);
	if (may_be_tried_again(session, program))
		session->state = RUN_ASKING;
}

void
session_answer(struct session *session, const struct event_view *event)
{
	session_set_blob(&session->answer, event, "text");
}

void
session_run_end(struct session *session, const struct event_view *event)
{
	bool model = session->mode && strcmp(session->mode, "model") == 0;

	session_set_text(&session->run_outcome, event->data, "outcome");
	session->state = model ? RUN_RESTING : RUN_ENDED;
}

void
session_alert(struct session *session, const struct event_view *event)
{
	struct session_alert *alert;
	size_t len;
	const char *text = event_view_content(event, "text", &len, NULL);

	session->alerts = session_room(session->alerts, session->alert_count, sizeof(*alert));
	alert = &session->alerts[session->alert_count++];
	alert->seq = event->seq;
	alert->mono = event->mono;
	if (text)
		alert->text = mem_strn(text, len);
	else
		session_set_text(&alert->text, event->data, "text");
	if (!alert->text)
		alert->text = mem_str("");
}

void
session_end(struct session *session, const struct event_view *event)
{
	session->ended = true;
	session->state = RUN_ENDED;
	session_set_text(&session->outcome, event->data, "outcome");
	session_set_text(&session->closed_by, event->data, "closed_by");
	session->exit_code = small(event->data, "exit_code");
}

/* --- release --- */

static void
release_programs(struct session *session)
{
	for (size_t i = 0; i < session->program_count; i++) {
		struct session_program *program = &session->programs[i];

		free(program->by);
		free(program->outcome);
		free(program->verdict);
		free(program->decided_who);
		session_drop_blob(&program->decided_reason);
		session_drop_blob(&program->text);
		session_drop_blob(&program->error);
		drop_sites(program);
	}
	free(session->programs);
}

static void
release_lists(struct session *session)
{
	for (size_t i = 0; i < session->tool_count; i++)
		release_tool(&session->tools[i]);
	for (size_t i = 0; i < session->server_count; i++) {
		free(session->servers[i].name);
		free(session->servers[i].state);
	}
	for (size_t i = 0; i < session->output_count; i++)
		session_drop_blob(&session->outputs[i].text);
	for (size_t i = 0; i < session->counter_count; i++)
		free(session->counters[i].name);
	for (size_t i = 0; i < session->alert_count; i++)
		free(session->alerts[i].text);
	free_texts(session->loosened, session->loosened_count);
	for (size_t i = 0; i < session->limit_count; i++)
		free(session->limits[i].name);
	drop_layers(session);
	free(session->tools);
	free(session->servers);
	free(session->outputs);
	free(session->counters);
	free(session->alerts);
	free(session->loosened);
	free(session->limits);
}

void
session_run_release(struct session *session)
{
	char *texts[] = { session->id, session->name, session->version, session->mode,
		session->host, session->user, session->model, session->task_from, session->backend,
		session->run_outcome, session->outcome, session->closed_by };

	free_texts(texts, ARRAY_SIZE(texts));
	session_drop_blob(&session->task);
	session_drop_blob(&session->answer);
	release_programs(session);
	release_lists(session);
	session_model_release(session);
}
