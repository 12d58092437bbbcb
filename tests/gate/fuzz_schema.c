/*
 * {"schema": ..., "value": ...} of any bytes: compiled for each use and evaluated.  An allow says
 * yes only where the plain reading does not say no; a tool's schema that compiles as a rule's too
 * gives the same verdict; under `not` the verdict turns round.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/gate/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
must(bool held)
{
	if (!held)
		abort();
}

/* UNKNOWN stands for "does not compile" too: neither yes nor no. */
static enum schema_result
verdict(struct json_value source, struct json_value value, enum schema_use use, bool *compiled)
{
	struct err err = { 0 };
	struct schema *schema = schema_new(source, use, &err);
	enum schema_result result;
	char why[100];

	*compiled = schema != NULL;
	if (!schema) {
		must(err.kind == ERR_FORMAT && err.text[0] >= '1' && err.text[0] <= '9');
		return SCHEMA_UNKNOWN;
	}
	result = schema_check(schema, value, why, sizeof(why));
	must((why[0] == '\0') == (result == SCHEMA_YES));
	must(schema_check(schema, value, NULL, 0) == result);
	schema_free(schema);
	return result;
}

static bool
has_path_under(struct json_value source)
{
	size_t len;
	const char *text = json_source(source, &len);

	return memmem(text, len, "path", 4) || memmem(text, len, "\\u", 2);
}

static void
check_negation(struct json_value source, struct json_value value, enum schema_result plain)
{
	AUTO_BUF struct buf text;
	AUTO_JSON struct json *negated = NULL;
	size_t len;
	const char *inner = json_source(source, &len);
	bool compiled;
	enum schema_result result;

	buf_init(&text, BUF_UNBOUNDED);
	buf_printf(&text, "{\"not\":%.*s}", (int)len, inner);
	negated = json_read(text.data, text.len, NULL);
	if (!negated)
		return;
	result = verdict(json_root(negated), value, SCHEMA_RULE, &compiled);
	must(compiled);
	must(result == SCHEMA_UNKNOWN || plain == SCHEMA_UNKNOWN || result == 2 - plain);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	AUTO_JSON struct json *json = json_read((const char *)bytes, len, NULL);
	struct json_value source = json_get(json_root(json), "schema");
	struct json_value value = json_get(json_root(json), "value");
	bool tool_there, rule_there, allow_there;
	enum schema_result tool, rule, allow;

	if (!json_there(source) || !json_there(value))
		return 0;
	tool = verdict(source, value, SCHEMA_TOOL, &tool_there);
	rule = verdict(source, value, SCHEMA_RULE, &rule_there);
	allow = verdict(source, value, SCHEMA_ALLOW, &allow_there);
	must(!allow_there || rule_there);
	must(!rule_there || tool_there);
	must(!allow_there || allow != SCHEMA_YES || rule != SCHEMA_NO);
	if (rule_there && !has_path_under(source))
		must(rule == tool);
	if (rule_there)
		check_negation(source, value, rule);
	return 0;
}
