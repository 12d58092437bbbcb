/*
 * configuration_parts.h - what the files of the configuration module share.  Nobody else includes
 * it.
 *
 * configuration_layers.c    the object, its reads, finding and reading the layers
 * configuration_settings.c  one value of settings.def: its type, its range, combining layers
 * configuration_keys.c      the walk over one layer's document; unknown and later keys
 * configuration_bindings.c  "keys"
 * configuration_tools.c     entries of "tools"
 * configuration_command.c   the commands of "ui.notify" and "model.key_command"
 * configuration_model.c     "model.instructions", and what follows from "model"
 * configuration_write.c     the effective configuration as a text, and back
 * configuration_accept.c    acceptance of a file that was found by itself
 */
#ifndef CORE_RUN_CONFIGURATION_PARTS_H
#define CORE_RUN_CONFIGURATION_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/json.h"
#include "core/run/configuration.h"

struct buf;
struct err;
struct jsonout;

enum setting_type {
	SETTING_TYPE_INT,
	SETTING_TYPE_BOOL,
	SETTING_TYPE_STRING,
	SETTING_TYPE_PATH,
	SETTING_TYPE_SIZE,
	SETTING_TYPE_DOLLARS,
	SETTING_TYPE_CHOICE,
};

enum setting_combine {
	SETTING_COMBINE_SMALLER,
	SETTING_COMBINE_LARGER,
	SETTING_COMBINE_LAST,
};

struct setting_info {
	const char *path;
	enum setting_type type;
	int64_t min, max;
	const char *otherwise;
	enum setting_combine combine;
	const char *help;
};
const struct setting_info *setting_info(enum setting setting);

enum layer_from {    /* weakest first */
	FROM_SYSTEM, /* /etc: nothing loosens its limits */
	FROM_USER,
	FROM_FOUND,   /* ./tollbridge.json, found by itself */
	FROM_NAMED,   /* the file of -c */
	FROM_COMMAND, /* one option of the command line */
};

struct layer {
	enum layer_from from;
	char *label;  /* as errors name it: "tollbridge.json", "--set ui.theme" */
	char *folder; /* absolute: what relative paths are relative to */
	struct json *doc;
	char *text; /* as read: NULL for the command line */
	size_t len;
};

/* A number under the rules of its layers.  -1 is "no limit". */
struct limit {
	bool set;
	bool system_set;
	int64_t value;
	int64_t system; /* what /etc says; nothing loosens it */
};

struct setting_value {
	struct limit limit; /* INT, SIZE, BOOL (0, 1) */
	char *text;         /* STRING, PATH, CHOICE */
};

struct per_tool {
	char *name;
	struct limit limit;
};

struct config {
	struct setting_value values[SETTING_COUNT];
	struct config_tool *tools;
	size_t tool_count;
	struct config_rule *rules;
	size_t rule_count;
	struct per_tool *per_tool;
	size_t per_tool_count;
	struct config_binding *bindings;
	size_t binding_count;
	struct config_mount *mounts;
	size_t mount_count;
	struct config_tool notify, key_command; /* argv NULL: none */
	char *instructions;                     /* NULL: none */
	char *model_folder;                     /* of the layer that named the model */
	char **loosened;
	size_t loosened_count;
	struct layer *layers; /* they own the documents that rules and tools point into */
	size_t layer_count;
};

/* "label:line:column: text" of err kind ERR_USAGE; no position for the command line. */
int config_fault(const struct layer *layer, struct json_value at, struct err *err, const char *fmt,
	...) ATTR_PRINTF(4, 5);
/* The value's source for an error text, cut when long.  Gives memory. */
char *config_shown(struct json_value value);
/* Relative paths become absolute ones; takes nothing, gives memory. */
char *config_absolute(const struct layer *layer, const char *path);
/* Copies text. */
void config_add_loosened(struct config *config, const char *text);
void config_tool_release(struct config_tool *tool);

/* --- configuration_settings.c --- */

enum setting setting_of(const char *path); /* SETTING_COUNT: unknown */
/* Read one value of a layer and combine it with what weaker layers said. */
int setting_take(struct config *config, const struct layer *layer, enum setting setting,
	struct json_value value, struct err *err) ATTR_CHECKED;
/* The same combination for any limit; name is for texts. */
int limit_take(struct config *config, const struct layer *layer, const char *name,
	enum setting_combine combine, struct limit *limit, int64_t otherwise, int64_t value,
	struct err *err) ATTR_CHECKED;
/* Is a a wider limit than b? */
bool setting_looser(enum setting setting, int64_t a, int64_t b);
/* Built-in defaults where no layer said anything. */
void settings_fill(struct config *config);
int64_t setting_otherwise(enum setting setting);
int setting_parse_size(const char *text, int64_t *out);
/* "512M", "300", "none". */
char *setting_number_text(enum setting setting, int64_t value);

/* --- configuration_keys.c --- */

int config_read_layer(
	struct config *config, const struct layer *layer, struct err *err) ATTR_CHECKED;
/* An unknown key of an object whose known ones are listed. */
int config_unknown_key(const struct layer *layer, struct json_value key, const char *where,
	const char *const *known, size_t count, struct err *err);
bool config_is_later(const char *path);

/* --- configuration_bindings.c --- */

int config_read_bindings(struct config *config, const struct layer *layer, struct json_value value,
	struct err *err) ATTR_CHECKED;
/* As a member of the effective configuration, and back (absent: none). */
void config_write_bindings(struct jsonout *out, const struct config *config);
int config_read_written_bindings(
	struct config *config, struct json_value list, struct err *err) ATTR_CHECKED;
void config_drop_bindings(struct config *config);
/* A row for each key that the layer binds, for the question of acceptance; gives how many. */
size_t config_ask_bindings(struct buf *out, const struct config *config, const struct layer *layer);

/* --- configuration_tools.c --- */

int config_read_tools(struct config *config, const struct layer *layer, struct json_value tools,
	struct err *err) ATTR_CHECKED;
/* Under root every tool names its user. */
int config_check_user(const struct config_tool *tool, struct err *err) ATTR_CHECKED;

/* --- configuration_command.c --- */

/* Of one layer; the effective configuration's, there and back. */
int config_read_notify(struct config *config, const struct layer *layer, struct json_value value,
	struct err *err) ATTR_CHECKED;
int config_read_key_command(struct config *config, const struct layer *layer,
	struct json_value value, struct err *err) ATTR_CHECKED;
void config_write_commands(struct jsonout *out, const struct config *config);
int config_read_commands_back(
	struct config *config, const struct layer *layer, struct err *err) ATTR_CHECKED;

/* --- configuration_model.c --- */

int config_read_instructions(struct config *config, const struct layer *layer,
	struct json_value value, struct err *err) ATTR_CHECKED;
void config_write_model(struct jsonout *out, const struct config *config);
int config_read_model_back(
	struct config *config, const struct layer *layer, struct err *err) ATTR_CHECKED;
void config_place_script(struct config *config);

#endif
