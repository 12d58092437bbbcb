/*
 * schema.h - JSON Schema over base/json values, three-valued (draft 2020-12, the part named below).
 *
 * Keywords: type, enum, const, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf,
 * minLength, maxLength, pattern, items, minItems, maxItems, properties, required,
 * additionalProperties, minProperties, maxProperties, anyOf, allOf, not; path_under only in rules.
 * Annotations (title, description, default, examples, $schema, $comment, deprecated, readOnly,
 * writeOnly) are passed over, in tools' schemas also format and what is not known; in a rule these
 * are errors, as are keywords that are not built ($ref, oneOf, if, patternProperties ...), which
 * make a tool's schema unknown at best.
 *
 * Numbers are compared by their exact decimal values, of any length.  SCHEMA_UNKNOWN is what cannot
 * be told: multipleOf with more than 36 significant digits, a pattern's match or all matches of one
 * evaluation past their limit (5,000,000 steps, 8 MiB), an evaluation of more than 1,000,000
 * nodes, a tool's pattern that PCRE2 does not know, and, but in allow rules where it fails,
 * path_under of what is no plain path.  Unknown spreads as in Kleene's logic.
 *
 * Knows:      json, err, pcre2.
 * Unaware of: rules, tools.
 */
#ifndef CORE_GATE_SCHEMA_H
#define CORE_GATE_SCHEMA_H

#include <stddef.h>

#include "core/base/attr.h"
#include "core/base/json.h"

struct err;
struct schema;

enum schema_use {
	SCHEMA_TOOL,  /* arguments of a tool: an unknown keyword makes the result unknown, not an
			 error */
	SCHEMA_RULE,  /* a `when`: unknown keywords are errors at load */
	SCHEMA_ALLOW, /* a `when` of an allow: every named property must be present, a keyword that
		       * does not apply to the value's type fails, patterns must be anchored at both
		       * ends */
};

enum schema_result {
	SCHEMA_NO,
	SCHEMA_UNKNOWN,
	SCHEMA_YES,
};

/* Compile.  The document must outlive the schema.  Errors name line:column of the bad keyword. */
struct schema *schema_new(
	struct json_value source, enum schema_use use, struct err *err) ATTR_CHECKED;
void schema_free(struct schema *schema); /* NULL is fine */

/*
 * Evaluate.  why (may be NULL) gets one line for people on anything but SCHEMA_YES: "amount: 9000
 * is more than 5000"; for rules, whose reasons stand in the record, without the value's own
 * text: "amount: the value is more than 5000".
 */
enum schema_result schema_check(
	const struct schema *schema, struct json_value value, char *why, size_t why_size);

#endif
