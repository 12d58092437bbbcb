/*
 * configuration.h - the effective configuration: layers, one table of settings, tools and rules.
 *
 * Layers (weakest first): /etc/tollbridge/config.json, $XDG_CONFIG_HOME/tollbridge/config.json,
 * ./tollbridge.json or the file of -c, the command line.  settings.def gives each key its type,
 * range, default, help and how layers combine.  Every mistake is an error with file:line:column
 * and what would be accepted.  A key of product.md that is not built yet is refused with words
 * that say so.
 *
 * Knows:      json, strict, err, mem, io, hash, text, record/store (what was accepted).
 * Unaware of: who uses the settings; how rules are evaluated (gate/policy).
 */
#ifndef CORE_RUN_CONFIGURATION_H
#define CORE_RUN_CONFIGURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/json.h"

struct buf;
struct config;
struct err;

/* settings.def: SETTING(ID, "path.to.key", TYPE, min, max, default, COMBINE, "help"). */
enum setting {
#define SETTING(id, path, type, min, max, otherwise, combine, help) SETTING_##id,
#include "core/run/settings.def"
#undef SETTING
	SETTING_COUNT
};

/* "budget.max_tool_calls". */
const char *config_path(enum setting setting);

enum tool_kind { TOOL_KIND_PYTHON, TOOL_KIND_COMMAND };

struct config_tool {  /* one entry of "tools" */
	char *server; /* its key */
	enum tool_kind kind;
	char *file;   /* python: absolute path of the file */
	char *python; /* python: absolute path of the interpreter */
	char **argv;  /* command: NULL-terminated; argv[0] absolute or a bare word */
	char *folder; /* of the configuration file: the working folder of its processes */
	char *user;   /* NULL: none given */
	bool isolate;
	bool parallel;
	char **env;               /* "NAME=value", NULL-terminated; may be NULL */
	int64_t timeout_s;        /* one call's; -1: none */
	struct json_value source; /* its whole object: description, input_schema, annotations */
	char *at;                 /* "tollbridge.json:5" */
};

struct config_rule {
	struct json_value rule;
	char *file; /* as shown: "tollbridge.json" */
	unsigned line;
};

struct config_binding { /* of "keys": a key of a map of the console */
	char *map, *key;
	char *command; /* NULL: the key does nothing there */
	char *at;      /* "tollbridge.json:5:12" */
};

struct config_mount {
	char *from, *to;
};

/* How the layers are found and what the command line adds. */
struct config_request {
	const char *file;              /* -c, or NULL: ./tollbridge.json when it is there */
	bool no_found;                 /* not even when it is there */
	const char *const *sets;       /* --set PATH=JSON, NULL-terminated; may be NULL */
	const struct config_mount *in; /* --in */
	size_t in_count;
	int64_t max_tool_calls; /* --max-tool-calls; -1: not given */
	const char *theme;      /* --theme, or NULL */
	const char *model;      /* --model PROVIDER/NAME, or NULL */
	const char *sandbox;    /* --sandbox, or NULL */
};

/* Gives a configuration or NULL (ERR_USAGE, several mistakes: the first). */
struct config *config_load(const struct config_request *request, struct err *err) ATTR_CHECKED;
void config_free(struct config *config); /* NULL is fine */

/* The effective configuration as one JSON text, and back: what `run` hands to the supervisor and
 * the record keeps.  Values of env stand as they are in the first, as names only in the second. */
void config_write(const struct config *config, struct buf *out);
void config_write_public(const struct config *config, struct buf *out);
struct config *config_read(const char *text, size_t len, struct err *err) ATTR_CHECKED;

/* A console that attaches elsewhere may have colours of its own. */
void config_set_theme(struct config *config, const char *theme);

/* Typed reads; the setting's type must fit (asserted).  Durations are in the setting's own unit;
 * -1 stands for null (no limit).  Sizes ("512M") are bytes, amounts of money millionths of a US
 * dollar.  A text that was left away is "". */
int64_t config_int(const struct config *config, enum setting setting);
bool config_bool(const struct config *config, enum setting setting);
const char *config_str(const struct config *config, enum setting setting); /* may be NULL */

size_t config_tool_count(const struct config *config);
const struct config_tool *config_tool(const struct config *config, size_t index);
size_t config_rule_count(const struct config *config);
const struct config_rule *config_rule(const struct config *config, size_t index);
/* budget.per_tool: name and its max_calls. */
size_t config_per_tool_count(const struct config *config);
const char *config_per_tool(const struct config *config, size_t index, int64_t *max_calls);
size_t config_mount_count(const struct config *config);
const struct config_mount *config_mount(const struct config *config, size_t index);
/* ui.notify: what the console starts when a call waits, as a command with its folder; NULL: none.
 */
const struct config_tool *config_notify(const struct config *config);
/* model.key_command: prints the key; NULL: none. */
const struct config_tool *config_key_command(const struct config *config);
/* model.instructions, its file read; "": none. */
const char *config_instructions(const struct config *config);

struct config_model {                /* borrowed from the configuration */
	const char *provider, *name; /* name "": no model is configured */
	const char *wire;            /* as model/wire has it; provider for a script */
	bool scripted;
	const char *base_url; /* NULL for a script */
	const char *key_env;  /* NULL: none is looked for */
	bool key_needed;      /* false: sent when there is one */
};
void config_model(const struct config *config, struct config_model *out);
/* In the order of the layers; the console knows the names (tui/keymap_config). */
size_t config_binding_count(const struct config *config);
const struct config_binding *config_binding(const struct config *config, size_t index);
/* Does this server run isolated?  True when it is unknown. */
bool config_isolates(const struct config *config, const char *server);

/* What the command line or -c raised above user files: "budget.max_tool_calls 50 -> 10000". */
size_t config_loosened_count(const struct config *config);
const char *config_loosened(const struct config *config, size_t index);

/*
 * Acceptance of a ./tollbridge.json that was found by itself (product.md, Configuration).
 * config_acceptance() fills out with what the question must list, and says whether these bytes (and
 * those of the files in the folder that it starts or imports) were accepted before for this folder.
 * config_accept() remembers it.
 */
enum acceptance { ACCEPTANCE_NOT_NEEDED, ACCEPTANCE_GIVEN, ACCEPTANCE_NEW, ACCEPTANCE_CHANGED };
enum acceptance config_acceptance(
	const struct config *config, struct buf *question, struct err *err); /* -1 on error */
int config_accept(const struct config *config, struct err *err) ATTR_CHECKED;

#endif
