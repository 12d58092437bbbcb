/*
 * The public test suite of JSON Schema: where a schema has only keywords that are built, the
 * evaluator agrees with every test; where it has others, it says nothing false.
 */
#include "config.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/gate/schema.h"

struct tally {
	unsigned exact; /* tests of schemas with nothing but what is built */
	unsigned unknown, right;
};

static bool
is_built(struct json_value key)
{
	static const char *const not_built[] = { "$ref", "$dynamicRef", "$recursiveRef", "oneOf",
		"if", "then", "else", "patternProperties", "dependentRequired", "dependentSchemas",
		"dependencies", "prefixItems", "additionalItems", "contains", "minContains",
		"maxContains", "unevaluatedProperties", "unevaluatedItems", "uniqueItems",
		"propertyNames" };

	for (size_t i = 0; i < ARRAY_SIZE(not_built); i++)
		if (json_is(key, not_built[i]))
			return false;
	return true;
}

/* PCRE2 knows \p{L}, not \p{Letter}: such a pattern of a tool's schema is not evaluated. */
static bool
is_strange_pattern(struct json_value value)
{
	return json_kind(value) == JSON_STRING && strstr(json_string(value, NULL), "\\p{Letter}");
}

/* An array as "items" is of draft 7, and not built. */
static bool
uses_only_what_is_built(struct json_value schema)
{
	struct json_iter it = json_each(schema);

	while (json_next(&it)) {
		if (json_there(it.key) && !is_built(it.key))
			return false;
		if (json_is(it.key, "items") && json_kind(it.value) == JSON_ARRAY)
			return false;
		if (is_strange_pattern(it.value) || !uses_only_what_is_built(it.value))
			return false;
	}
	return true;
}

/* Draft 7 passes over whatever stands beside a "$ref"; the built draft does not. */
static bool
is_of_another_draft(const char *file, struct json_value group)
{
	return strstr(file, "draft7/ref.json") &&
	       strstr(json_text(group, "description"), "overrides any sibling");
}

static void
suite_test(const struct schema *schema, struct json_value test, bool exact, struct tally *tally)
{
	char why[160];
	enum schema_result result = schema_check(schema, json_get(test, "data"), why, sizeof(why));
	bool valid = json_bool(json_get(test, "valid"), false);

	tally->exact += exact;
	if (result == SCHEMA_UNKNOWN)
		tally->unknown++;
	else
		tally->right += (result == SCHEMA_YES) == valid;
	if (result == SCHEMA_UNKNOWN ? exact : (result == SCHEMA_YES) != valid)
		fail_msg("%s: got %d (%s)", json_text(test, "description"), result, why);
	assert_int_equal(why[0] == '\0', result == SCHEMA_YES);
}

static void
suite_group(const char *file, struct json_value group, struct tally *tally)
{
	struct err err = { 0 };
	struct json_value source = json_get(group, "schema");
	struct schema *schema = schema_new(source, SCHEMA_TOOL, &err);
	struct json_iter it = json_each(json_get(group, "tests"));
	bool exact = uses_only_what_is_built(source);

	if (!schema)
		fail_msg("%s: %s: %s", file, json_text(group, "description"), err.text);
	if (is_of_another_draft(file, group))
		it = json_each(json_root(NULL));
	while (json_next(&it))
		suite_test(schema, it.value, exact, tally);
	schema_free(schema);
}

static void
suite_file(const char *path, struct tally *tally)
{
	AUTO_BUF struct buf text;
	AUTO_JSON struct json *json = NULL;
	struct err err = { 0 };
	struct json_iter it;

	buf_init(&text, (size_t)1 << 24);
	assert_int_equal(io_read_file(path, &text, &err), 0);
	json = json_read(text.data, text.len, &err);
	if (!json)
		fail_msg("%s: %s", path, err.text);
	for (it = json_each(json_root(json)); json_next(&it);)
		suite_group(path, it.value, tally);
}

static char *
suite_folder(const char *draft)
{
	const char *suites = getenv("TOLLBRIDGE_SUITES");

	return mem_printf("%s/json-schema-tests/%s", suites ? suites : "../shared/data", draft);
}

static void
suite_draft(const char *draft, unsigned at_least)
{
	AUTO_FREE char *folder = suite_folder(draft);
	DIR *dir = opendir(folder);
	struct dirent *entry;
	struct tally tally = { 0 };

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		AUTO_FREE char *path = mem_printf("%s/%s", folder, entry->d_name);

		if (strstr(entry->d_name, ".json"))
			suite_file(path, &tally);
	}
	closedir(dir);
	printf("# %s: %u tests, %u of them exact; %u answered, %u unknown\n", draft,
		tally.right + tally.unknown, tally.exact, tally.right, tally.unknown);

	assert_true(tally.exact >= at_least);
}

static void
draft_2020_12_is_agreed_with_where_it_is_built(void **state)
{
	(void)state;
	suite_draft("draft2020-12", 400);
}

static void
draft_7_is_agreed_with_where_it_is_built(void **state)
{
	(void)state;
	suite_draft("draft7", 400);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draft_2020_12_is_agreed_with_where_it_is_built),
		cmocka_unit_test(draft_7_is_agreed_with_where_it_is_built),
	};
	AUTO_FREE char *folder = suite_folder("draft2020-12");

	if (access(folder, R_OK) != 0) {
		printf("1..0 # SKIP the public test suite of JSON Schema is not in %s\n", folder);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
