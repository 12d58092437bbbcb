/*
 * schema_node.h - a compiled schema, between schema_compile.c and schema_check.c.
 *
 * Knows:      schema, pattern, json.
 * Unaware of: rules, tools.
 */
#ifndef CORE_GATE_SCHEMA_NODE_H
#define CORE_GATE_SCHEMA_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/json.h"
#include "core/gate/pattern.h"
#include "core/gate/schema.h"

enum bound { /* order of the keywords table of schema_compile.c */
	BOUND_MINIMUM,
	BOUND_MAXIMUM,
	BOUND_EXCLUSIVE_MINIMUM,
	BOUND_EXCLUSIVE_MAXIMUM,
	BOUND_MULTIPLE_OF,
	BOUND_COUNT,
};

enum size_bound {
	SIZE_MIN_LENGTH,
	SIZE_MAX_LENGTH,
	SIZE_MIN_ITEMS,
	SIZE_MAX_ITEMS,
	SIZE_MIN_PROPERTIES,
	SIZE_MAX_PROPERTIES,
	SIZE_COUNT,
};

struct schema_property {
	const char *name; /* borrowed from the source */
	size_t name_len;
	struct schema_node *node;
};

struct schema_list {
	struct schema_node **nodes;
	size_t count;
};

struct schema_node {
	bool always; /* the schemas true and false: `verdict` is all there is */
	bool verdict;
	bool not_evaluated; /* has a keyword that is not built: never more than unknown */
	bool skip_additional, skip_items; /* a keyword that is not built decides what these cover */
	unsigned types;                   /* bit set of enum json_kind; 0: any */
	bool integer;                     /* "integer" is among the types */
	struct json_value values;         /* enum: the array */
	struct json_value constant;       /* const */
	struct json_value bounds[BOUND_COUNT]; /* numbers */
	int64_t sizes[SIZE_COUNT];             /* -1: none */
	struct pattern *pattern;
	char *path_under;
	struct schema_property *properties;
	size_t property_count;
	struct json_value required; /* the array */
	struct schema_node *additional, *items, *negated;
	struct schema_list any_of, all_of;
};

struct schema {
	struct schema_node *root;
	enum schema_use use;
};

#endif
