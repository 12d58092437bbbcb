/*
 * A definition is kept as it came: these bytes are hashed, shown and accepted.  What the gate needs
 * of it is read from them once.
 */
#include "config.h"

#include "core/tools/tool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/gate.h"
#include "core/gate/schema.h"
#include "core/tools/python_name.h"

#define NAME_MAX_BYTES 128

static void
take_effect(struct tool *tool, const char *effect_from)
{
	struct json_value marks = json_get(json_root(tool->document), "annotations");
	bool read_only = json_bool(json_get(marks, "readOnlyHint"), false);
	bool closed = !json_bool(json_get(marks, "openWorldHint"), true);
	bool destroys = json_bool(json_get(marks, "destructiveHint"), false);

	tool->facts.destructive_marked = destroys;
	tool->facts.effect = destroys              ? EFFECT_DESTROY
			     : read_only && closed ? EFFECT_READ
			     : read_only           ? EFFECT_SEND
						   : EFFECT_MUTATE;
	tool->effect_from = mem_str(destroys || read_only ? effect_from : "default");
}

static int
take_names(struct tool *tool, const char *server, struct err *err)
{
	const char *name = json_text(json_root(tool->document), "name");

	if (!name || !*name || strlen(name) > NAME_MAX_BYTES)
		return err_set(
			err, ERR_FORMAT, "a tool without a name of 1 to %d bytes", NAME_MAX_BYTES);
	for (const char *at = name; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return err_set(err, ERR_FORMAT, "a tool's name with a control character");
	tool->facts.name = mem_str(name);
	tool->facts.server = mem_str(server);
	tool->facts.full = mem_printf("%s.%s", server, name);
	tool->wire = mem_str(name);
	tool->python = python_name(name);
	return 0;
}

static int
take_schema(struct tool *tool, struct err *err)
{
	struct json_value schema = json_get(json_root(tool->document), "inputSchema");

	if (json_kind(schema) != JSON_OBJECT)
		return err_set(
			err, ERR_FORMAT, "%s: its inputSchema is no object", tool->facts.name);
	tool->input = schema_new(schema, SCHEMA_TOOL, err);
	return tool->input ? 0 : err_within(err, "%s: inputSchema", tool->facts.name);
}

struct tool *
tool_new(const struct tool_origin *origin, struct json_value definition, struct err *err)
{
	struct tool *tool = mem_zero(1, sizeof(*tool));
	const char *source = json_source(definition, &tool->definition_len);

	assert(source);
	tool->definition = mem_strn(source, tool->definition_len);
	tool->document = json_read(source, tool->definition_len, err);
	if (!tool->document || take_names(tool, origin->server, err) < 0 ||
		take_schema(tool, err) < 0) {
		tool_free(tool);
		return NULL;
	}
	hash_bytes(tool->definition, tool->definition_len, &tool->facts.sha256);
	take_effect(tool, origin->effect_from);
	tool->code_sha256 = origin->code_sha256;
	tool->isolated = origin->isolated;
	tool->source = origin->source;
	return tool;
}

void
tool_free(struct tool *tool)
{
	if (!tool)
		return;
	schema_free(tool->input);
	json_free(tool->document);
	free((void *)tool->facts.full);
	free((void *)tool->facts.server);
	free((void *)tool->facts.name);
	free(tool->wire);
	free(tool->python);
	free(tool->effect_from);
	free(tool->definition);
	free(tool);
}

void
tool_call(struct tool *tool, struct permit *permit, tool_done_fn done, void *arg)
{
	assert(permit && permit_tool(permit) == &tool->facts);
	tool->source->ops->call(tool->source, tool, permit, done, arg);
}
