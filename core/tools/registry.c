/*
 * Servers stand in the order of the configuration, a server's tools in the order in which it named
 * them.  A server's tools all come or none: one that cannot be used fails the server, since a
 * program that was told of half the tools would be worse.
 */
#include "config.h"

#include "core/tools/registry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/jsonout.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/run/configuration.h"
#include "core/tools/python_name.h"
#include "core/tools/stub.h"
#include "core/tools/tool_command.h"
#include "core/tools/tool_python.h"

struct server {
	struct registry *registry;
	const struct config_tool *config;
	struct tool_source *source; /* NULL: it could not even begin */
	enum server_state state;
	char *error;
	char *space; /* its Python name */
	struct tool **tools;
	size_t count;
};

struct registry {
	struct loop *loop;
	struct registry_hooks hooks;
	struct server *servers;
	size_t server_count;
	bool told_ready;
	bool not_isolated;
};

static const char *const state_names[] = {
	[SERVER_STARTING] = "starting",
	[SERVER_READY] = "ready",
	[SERVER_FAILED] = "failed",
	[SERVER_LEFT_OUT] = "left_out",
	[SERVER_DIED] = "died",
	[SERVER_CHANGED] = "changed",
};

const char *
server_state_name(enum server_state state)
{
	return state_names[state];
}

/* ---- states ---- */

static void
say(struct server *server, enum server_state state, const char *error)
{
	struct registry *registry = server->registry;

	server->state = state;
	registry->hooks.on_server(server->config->server, state, error, registry->hooks.arg);
}

static void
check_ready(struct registry *registry)
{
	if (registry->told_ready)
		return;
	for (size_t i = 0; i < registry->server_count; i++)
		if (registry->servers[i].state == SERVER_STARTING)
			return;
	registry->told_ready = true;
	registry->hooks.on_ready(registry->hooks.arg);
}

static void
fail(struct server *server, const char *error)
{
	say(server, SERVER_FAILED, error);
	check_ready(server->registry);
}

static void
on_restart(void *arg)
{
	say(arg, SERVER_STARTING, NULL);
}

static void
on_failed(const char *error, bool not_isolated, void *arg)
{
	struct server *server = arg;

	server->registry->not_isolated = server->registry->not_isolated || not_isolated;
	fail(server, error);
}

static void
on_died(const char *error, void *arg)
{
	say(arg, SERVER_DIED, error);
}

/* ---- tools ---- */

static void
drop_tools(struct server *server)
{
	for (size_t i = 0; i < server->count; i++)
		tool_free(server->tools[i]);
	free(server->tools);
	server->tools = NULL;
	server->count = 0;
}

static int
add_tool(struct server *server, const struct tool_origin *origin, struct json_value definition,
	struct err *err)
{
	struct tool *tool = tool_new(origin, definition, err);

	if (!tool)
		return -1;
	for (size_t i = 0; i < server->count; i++)
		if (strcmp(server->tools[i]->facts.name, tool->facts.name) == 0) {
			err_set(err, ERR_FORMAT, "two tools are named \"%s\"", tool->facts.name);
			tool_free(tool);
			return -1;
		}
	server->tools = mem_grow(server->tools, server->count + 1, sizeof(*server->tools));
	server->tools[server->count++] = tool;
	return 0;
}

static int
add_tools(struct server *server, struct json_value definitions, struct err *err)
{
	bool python = server->config->kind == TOOL_KIND_PYTHON;
	struct tool_origin origin = {
		.server = server->config->server,
		.effect_from = python ? "mark" : "annotation",
		.isolated = server->config->isolate,
		.source = server->source,
	};
	struct json_iter it = json_each(definitions);

	if (python)
		origin.code_sha256 = *tool_python_code(server->source);
	while (json_next(&it))
		if (add_tool(server, &origin, it.value, err) < 0)
			return -1;
	return 0;
}

static void
on_ready(struct json_value definitions, void *arg)
{
	struct server *server = arg;
	struct err err;

	if (json_there(definitions) && add_tools(server, definitions, &err) < 0) {
		drop_tools(server);
		fail(server, err.text);
		return;
	}
	say(server, SERVER_READY, NULL);
	check_ready(server->registry);
}

/* ---- the registry ---- */

static void
start(struct server *server, struct spawner *spawner)
{
	struct tool_source_hooks hooks = {
		.on_restart = on_restart,
		.on_ready = on_ready,
		.on_failed = on_failed,
		.on_died = on_died,
		.arg = server,
	};
	bool python = server->config->kind == TOOL_KIND_PYTHON;
	struct loop *loop = server->registry->loop;
	struct err err = { 0 };

	say(server, SERVER_STARTING, NULL);
	server->source = (python ? tool_python_new : tool_command_new)(
		loop, spawner, server->config, &hooks, &err);
	if (!server->source)
		server->error = mem_str(err.text);
}

/* From the loop: sources that could not begin, and the case that there is none at all. */
static void
say_failed(void *arg)
{
	struct registry *registry = arg;

	for (size_t i = 0; i < registry->server_count; i++) {
		struct server *server = &registry->servers[i];

		if (server->error && server->state == SERVER_STARTING)
			say(server, SERVER_FAILED, server->error);
	}
	check_ready(registry);
}

struct registry *
registry_new(struct loop *loop, struct spawner *spawner, const struct config *config,
	const struct registry_hooks *hooks, struct err *err)
{
	struct registry *registry = mem_zero(1, sizeof(*registry));

	registry->loop = loop;
	registry->hooks = *hooks;
	registry->server_count = config_tool_count(config);
	registry->servers = mem_zero(registry->server_count, sizeof(*registry->servers));
	for (size_t i = 0; i < registry->server_count; i++) {
		struct server *server = &registry->servers[i];

		server->registry = registry;
		server->config = config_tool(config, i);
		server->space = python_server_name(server->config->server);
	}
	for (size_t i = 0; i < registry->server_count; i++)
		start(&registry->servers[i], spawner);
	loop_defer(loop, say_failed, registry);
	return registry;
}

void
registry_free(struct registry *registry)
{
	if (!registry)
		return;
	loop_undefer(registry->loop, registry);
	for (size_t i = 0; i < registry->server_count; i++) {
		struct server *server = &registry->servers[i];

		if (server->source)
			server->source->ops->free(server->source);
		drop_tools(server);
		free(server->error);
		free(server->space);
	}
	free(registry->servers);
	free(registry);
}

struct tool *
registry_find(const struct registry *registry, const char *full, size_t len)
{
	for (size_t i = 0; i < registry->server_count; i++) {
		const struct server *server = &registry->servers[i];

		for (size_t k = 0; k < server->count; k++) {
			const char *name = server->tools[k]->facts.full;

			if (strlen(name) == len && memcmp(name, full, len) == 0)
				return server->tools[k];
		}
	}
	return NULL;
}

size_t
registry_count(const struct registry *registry)
{
	size_t count = 0;

	for (size_t i = 0; i < registry->server_count; i++)
		count += registry->servers[i].count;
	return count;
}

struct tool *
registry_at(const struct registry *registry, size_t index)
{
	for (size_t i = 0; i < registry->server_count; i++) {
		if (index < registry->servers[i].count)
			return registry->servers[i].tools[index];
		index -= registry->servers[i].count;
	}
	assert(!"an index within registry_count()");
	abort();
}

void
registry_cancel(struct registry *registry)
{
	for (size_t i = 0; i < registry->server_count; i++)
		if (registry->servers[i].source)
			registry->servers[i].source->ops->cancel(registry->servers[i].source);
}

bool
registry_not_isolated(const struct registry *registry)
{
	return registry->not_isolated;
}

/* ---- what the guest is told ---- */

static bool
is_bare(const struct registry *registry, const struct server *own, const struct tool *tool)
{
	size_t same = 0;

	if (python_name_hides(tool->python))
		return false;
	for (size_t i = 0; i < registry->server_count; i++) {
		const struct server *server = &registry->servers[i];

		if (server != own && strcmp(server->space, tool->python) == 0)
			return false;
		for (size_t k = 0; k < server->count; k++)
			same += strcmp(server->tools[k]->python, tool->python) == 0;
	}
	return same == 1;
}

static void
copy_member(struct jsonout *out, const struct tool *tool, const char *key)
{
	size_t len;
	struct json_value value = json_get(json_root(tool->document), key);
	const char *source = json_there(value) ? json_source(value, &len) : NULL;

	if (!source)
		return;
	jsonout_key(out, key);
	jsonout_raw(out, source, len);
}

/* How a program calls it; gives memory. */
static char *
call_of(const struct server *server, const struct tool *tool)
{
	return is_bare(server->registry, server, tool)
		       ? mem_str(tool->python)
		       : mem_printf("%s.%s", server->space, tool->python);
}

static void
write_stub(const struct server *server, const struct tool *tool, bool whole, struct buf *out)
{
	AUTO_FREE char *call = call_of(server, tool);
	struct stub stub = { call, tool->facts.effect, json_root(tool->document) };

	if (whole)
		stub_write(&stub, out);
	else
		stub_line(&stub, out);
}

void
registry_stub(const struct registry *registry, size_t index, bool whole, struct buf *out)
{
	for (size_t i = 0; i < registry->server_count; i++) {
		const struct server *server = &registry->servers[i];

		if (index < server->count) {
			write_stub(server, server->tools[index], whole, out);
			return;
		}
		index -= server->count;
	}
	assert(!"an index within registry_count()");
}

static void
guest_tool(const struct server *server, const struct tool *tool, struct jsonout *out)
{
	AUTO_BUF struct buf stub;

	buf_init(&stub, BUF_UNBOUNDED);
	write_stub(server, tool, true, &stub);
	jsonout_object(out);
	jsonout_key_str(out, "name", tool->facts.full);
	jsonout_key_str(out, "server", server->config->server);
	jsonout_key_str(out, "space", server->space);
	jsonout_key_str(out, "python", tool->python);
	jsonout_key_bool(out, "bare", is_bare(server->registry, server, tool));
	copy_member(out, tool, "description");
	copy_member(out, tool, "inputSchema");
	copy_member(out, tool, "outputSchema");
	jsonout_key_str(out, "effect", effect_name(tool->facts.effect));
	jsonout_key(out, "stub");
	jsonout_strn(out, stub.data, stub.len);
	jsonout_object_end(out);
}

void
registry_guest_tools(const struct registry *registry, struct buf *buf)
{
	struct jsonout out;

	jsonout_init(&out, buf);
	jsonout_array(&out);
	for (size_t i = 0; i < registry->server_count; i++)
		for (size_t k = 0; k < registry->servers[i].count; k++)
			guest_tool(&registry->servers[i], registry->servers[i].tools[k], &out);
	jsonout_array_end(&out);
}
