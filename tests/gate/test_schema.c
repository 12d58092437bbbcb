#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/gate/schema.h"
#include "tests/gate/quoted.h"

#define NO SCHEMA_NO
#define UNKNOWN SCHEMA_UNKNOWN
#define YES SCHEMA_YES

static enum schema_result
evaluate(const char *schema_text, const char *value_text, enum schema_use use, char why[160])
{
	AUTO_JSON struct json *source = quoted(schema_text);
	AUTO_JSON struct json *value = quoted(value_text);
	struct err err = { 0 };
	struct schema *schema;
	enum schema_result result;

	if (!source || !value)
		fail_msg("no JSON: %s or %s", schema_text, value_text);
	schema = schema_new(json_root(source), use, &err);
	if (!schema)
		fail_msg("%s: %s", schema_text, err.text);
	result = schema_check(schema, json_root(value), why, 160);
	schema_free(schema);
	return result;
}

struct expectation {
	const char *schema, *value;
	enum schema_result plain, allow; /* as SCHEMA_TOOL and SCHEMA_RULE; as SCHEMA_ALLOW */
};

static void
expect(const struct expectation *cases, size_t count)
{
	char why[160];

	for (size_t i = 0; i < count; i++) {
		const struct expectation *one = &cases[i];

		if (evaluate(one->schema, one->value, SCHEMA_RULE, why) != one->plain)
			fail_msg("plain: %s of %s (%s)", one->schema, one->value, why);
		if (evaluate(one->schema, one->value, SCHEMA_ALLOW, why) != one->allow)
			fail_msg("allow: %s of %s (%s)", one->schema, one->value, why);
	}
}

static void
numbers_are_compared_by_their_exact_decimal_values(void **state)
{
	static const struct expectation cases[] = {
		{ "{'maximum': 5000}", "5000", YES, YES },
		{ "{'maximum': 5000}", "5000.0", YES, YES },
		{ "{'maximum': 5000}", "5e3", YES, YES },
		{ "{'maximum': 5000}", "5000.00000000000000000000000000001", NO, NO },
		{ "{'maximum': 9007199254740992}", "9007199254740993", NO, NO },
		{ "{'minimum': 9007199254740993}", "9007199254740992", NO, NO },
		{ "{'maximum': 0.1}", "0.1000000000000000055", NO, NO },
		{ "{'const': 0.1}", "0.1000000000000000055", NO, NO },
		{ "{'enum': [1, 2]}", "2.0", YES, YES },
		{ "{'exclusiveMaximum': 10}", "10", NO, NO },
		{ "{'exclusiveMaximum': 10}", "9.99999999999999999999", YES, YES },
		{ "{'exclusiveMinimum': -1}", "-1", NO, NO },
		{ "{'minimum': 0}", "-0.0", YES, YES },
		{ "{'minimum': 0}", "-1e-300", NO, NO },
		{ "{'type': 'integer'}", "1.0", YES, YES },
		{ "{'type': 'integer'}", "1e2", YES, YES },
		{ "{'type': 'integer'}", "15e-1", NO, NO },
		{ "{'type': 'integer'}", "1.00000000000000000000000000001", NO, NO },
		{ "{'type': 'integer'}", "99999999999999999999999999999999999999999", YES, YES },
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void
multiples_are_exact_or_unknown(void **state)
{
	static const struct expectation cases[] = {
		{ "{'multipleOf': 0.01}", "19.99", YES, YES },
		{ "{'multipleOf': 0.01}", "0.07", YES, YES },
		{ "{'multipleOf': 0.01}", "19.999", NO, NO },
		{ "{'multipleOf': 3}", "333333333333333333333333333333333333333333333333", YES,
			YES },
		{ "{'multipleOf': 3}", "333333333333333333333333333333333333333333333334", NO, NO },
		{ "{'multipleOf': 1e-8}", "1e308", YES, YES },
		{ "{'multipleOf': 0.123456789}", "1e308", NO, NO },
		{ "{'multipleOf': 2.5}", "-7.5", YES, YES },
		{ "{'multipleOf': 7}", "0", YES, YES },
		{ "{'multipleOf': 1e300}", "1", NO, NO },
		{ "{'multipleOf': 100000000000000000000000000000000001}", "5", NO, NO },
		{ "{'multipleOf': 0.1000000000000000000000000000000000000001}", "5", UNKNOWN,
			UNKNOWN },
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void
lengths_count_characters_not_bytes(void **state)
{
	static const struct expectation cases[] = {
		{ "{'maxLength': 2}", "'\xc3\xa4\xf0\x9f\x98\x80'", YES, YES },
		{ "{'minLength': 3}", "'\xc3\xa4\xf0\x9f\x98\x80'", NO, NO },
		{ "{'maxLength': 1}", "'\\ud83d\\ude00'", YES, YES },
		{ "{'maxLength': 3}", "'a\\u0000b'", YES, YES },
		{ "{'maxLength': 2}", "'a\\u0000b'", NO, NO },
		{ "{'maxLength': 2.0}", "'ab'", YES, YES },
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void
a_pattern_searches_and_in_an_allow_matches_the_whole(void **state)
{
	static const struct expectation cases[] = {
		{ "{'pattern': '^[a-z]+$'}", "'abc'", YES, YES },
		{ "{'pattern': '^[a-z]+$'}", "'abc\\n'", NO, NO },
		{ "{'pattern': '^[a-z]+$'}", "'abc\\nDEF'", NO, NO },
		{ "{'pattern': '^a(b|c)$'}", "'ac'", YES, YES },
		{ "{'pattern': '^.$'}", "'\xf0\x9f\x98\x80'", YES, YES },
		{ "{'pattern': '^\\\\u0061$'}", "'a'", YES, YES },
		{ "{'pattern': '^\\\\u{1F600}$'}", "'\xf0\x9f\x98\x80'", YES, YES },
		{ "{'pattern': '^[^]$'}", "'\\n'", YES, YES },
		{ "{'pattern': '^[^\\\\u0000-\\\\u001f]*$'}", "'a\\u0000'", NO, NO },
		{ "{'pattern': '^\\\\d+$'}", "'\xd9\xa3'", NO, NO },
		{ "{'pattern': '^(?=.*b)a.*$'}", "'aab'", YES, YES },
	};
	char why[160];

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
	assert_int_equal(evaluate("{'pattern': 'b'}", "'abc'", SCHEMA_RULE, why), YES);
	assert_int_equal(evaluate("{'pattern': 'a|b$'}", "'xb'", SCHEMA_RULE, why), YES);
}

static void
a_pattern_of_an_allow_must_be_anchored_at_both_ends(void **state)
{
	static const char *const refused[] = { "", "^", "$", "a", "^a", "a$", "^a\\\\$", "^a|b$",
		"^(a)|(b)$", "^[$", "^a[$]", "^a(b$", "(?m)^a$", "^(?m:a$)", "^(?m)a$", "^(?s)a$",
		"^a$|^b$", "^\\\\Qa$", "^a(?#)$", "^(*ACCEPT)a$", "^(?|a|b)$", "^(?R)$", "^a\\\\",
		"^[[:alpha:](]|x[[:alpha:])]$" };
	static const char *const accepted[] = { "^$", "^a$", "^(a|b)$", "^(?:a|b)$", "^[a|b]$",
		"^a\\\\|b$", "^[\\\\]|]$", "^a\\\\\\\\$", "^(?=a)a$", "^(?<!x)a$" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		AUTO_FREE char *text = mem_printf("{'pattern': '%s'}", refused[i]);
		AUTO_JSON struct json *source = quoted(text);
		struct err err = { 0 };

		assert_non_null(source);
		if (schema_new(json_root(source), SCHEMA_ALLOW, &err))
			fail_msg("%s was accepted", text);
		assert_int_equal(err.kind, ERR_FORMAT);
		assert_int_equal(strncmp(err.text, "1:13: ", 6), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
		AUTO_FREE char *text = mem_printf("{'pattern': '%s'}", accepted[i]);
		AUTO_JSON struct json *source = quoted(text);
		struct err err = { 0 };
		struct schema *schema = schema_new(json_root(source), SCHEMA_ALLOW, &err);

		if (!schema)
			fail_msg("%s: %s", text, err.text);
		schema_free(schema);
	}
}

static void
what_an_allow_names_must_be_there_and_of_its_kind(void **state)
{
	static const struct expectation cases[] = {
		{ "{'properties': {'a': {}}}", "{}", YES, NO },
		{ "{'properties': {'a': {}}}", "{'a': null}", YES, YES },
		{ "{'properties': {'a': {}}}", "[]", YES, NO },
		{ "{'properties': {'a': {'maximum': 5}}}", "{'a': '9'}", YES, NO },
		{ "{'properties': {'a': {'maximum': 5}}}", "{'a': 6}", NO, NO },
		{ "{'properties': {'a': {'properties': {'b': {}}}}}", "{'a': {}}", YES, NO },
		{ "{'minLength': 1}", "5", YES, NO },
		{ "{'pattern': '^a$'}", "5", YES, NO },
		{ "{'minItems': 1}", "{}", YES, NO },
		{ "{'items': {'maximum': 1}}", "{}", YES, NO },
		{ "{'items': {'maximum': 1}}", "[1, '2']", YES, NO },
		{ "{'items': {'maximum': 1}}", "[]", YES, YES },
		{ "{'required': ['a']}", "5", YES, NO },
		{ "{'minProperties': 1}", "5", YES, NO },
		{ "{'additionalProperties': false}", "5", YES, NO },
		{ "{'additionalProperties': false}", "{}", YES, YES },
		{ "{'anyOf': [{'properties': {'a': {}}}, {'properties': {'b': {}}}]}", "{'b': 1}",
			YES, YES },
		{ "{'anyOf': [{'properties': {'a': {}}}, {'properties': {'b': {}}}]}", "{}", YES,
			NO },
		{ "{'type': 'string'}", "5", NO, NO },
		{ "{'enum': ['5']}", "5", NO, NO },
		{ "{}", "{}", YES, YES },
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

/* What makes an allow harder must not make its negation easier. */
static void
an_allow_is_plain_under_a_not(void **state)
{
	static const struct expectation cases[] = {
		{ "{'not': {'properties': {'a': {'maximum': 5}}}}", "{}", NO, NO },
		{ "{'not': {'maximum': 5}}", "'x'", NO, NO },
		{ "{'not': {'not': {'maximum': 5}}}", "'x'", YES, YES },
		{ "{'not': {'pattern': 'secret'}}", "'a secret'", NO, NO },
		{ "{'not': {'pattern': 'secret'}}", "'open'", YES, YES },
		{ "{'not': {'path_under': '/etc'}}", "'/srv/x'", YES, YES },
		{ "{'not': {'path_under': '/etc'}}", "'/srv/../etc/x'", UNKNOWN, UNKNOWN },
		{ "{'not': {'path_under': '/etc'}}", "'etc/x'", UNKNOWN, UNKNOWN },
		{ "{'not': {'path_under': '/etc'}}", "7", UNKNOWN, UNKNOWN },
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void
path_under_wants_a_plain_path_below_its_folder(void **state)
{
	static const struct expectation cases[] = {
		{ "{'path_under': '/srv/data'}", "'/srv/data/x'", YES, YES },
		{ "{'path_under': '/srv/data/'}", "'/srv/data/x/y'", YES, YES },
		{ "{'path_under': '/srv/data'}", "'/srv/data'", YES, YES },
		{ "{'path_under': '/srv/data'}", "'/srv/data/'", YES, YES },
		{ "{'path_under': '/srv/data'}", "'/srv/data/..x/.y'", YES, YES },
		{ "{'path_under': '/'}", "'/etc'", YES, YES },
		{ "{'path_under': '/srv/data'}", "'/srv/database'", NO, NO },
		{ "{'path_under': '/srv/data'}", "'/srv'", NO, NO },
		{ "{'path_under': '/srv/data'}", "'/SRV/data/x'", NO, NO },
		{ "{'path_under': '/srv/data'}", "'/srv/data/../x'", UNKNOWN, NO },
		{ "{'path_under': '/srv/data'}", "'/srv/data/..'", UNKNOWN, NO },
		{ "{'path_under': '/srv/data'}", "'/etc/../srv/data/x'", UNKNOWN, NO },
		{ "{'path_under': '/srv/data'}", "'/srv/./data/x'", UNKNOWN, NO },
		{ "{'path_under': '/srv/data'}", "'//srv/data/x'", UNKNOWN, NO },
		{ "{'path_under': '/srv/data'}", "'srv/data/x'", UNKNOWN, NO },
		{ "{'path_under': '/srv/data'}", "'/srv/data/x\\u0000/../../etc'", UNKNOWN, NO },
		{ "{'path_under': '/srv/data'}", "''", UNKNOWN, NO },
		{ "{'path_under': '/srv/data'}", "['/srv/data']", UNKNOWN, NO },
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void
unknown_spreads_as_in_kleenes_logic(void **state)
{
#define U "{'multipleOf': 0.1000000000000000000000000000000000000001}"
	static const struct expectation cases[] = {
		{ "{'not': " U "}", "1", UNKNOWN, UNKNOWN },
		{ "{'allOf': [" U ", true]}", "1", UNKNOWN, UNKNOWN },
		{ "{'allOf': [" U ", false]}", "1", NO, NO },
		{ "{'allOf': [false, " U "]}", "1", NO, NO },
		{ "{'anyOf': [" U ", true]}", "1", YES, YES },
		{ "{'anyOf': [" U ", false]}", "1", UNKNOWN, UNKNOWN },
		{ "{'anyOf': [false, " U "]}", "1", UNKNOWN, UNKNOWN },
		{ "{'anyOf': [false, false]}", "1", NO, NO },
		{ "{'items': " U "}", "[1, 'x']", UNKNOWN, NO },
		{ "{'items': " U ", 'maxItems': 1}", "[1, 1]", NO, NO },
		{ "{'properties': {'a': " U ", 'b': false}}", "{'a': 1, 'b': 1}", NO, NO },
	};
#undef U

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

/* What is not built may decide where it stands, and never lets a tool's schema say yes. */
static void
a_tools_schema_with_what_is_not_built_is_unknown_at_best(void **state)
{
	static const struct {
		const char *schema, *value;
		enum schema_result result;
	} cases[] = {
		{ "{'$ref': '#/$defs/a', '$defs': {'a': false}}", "1", UNKNOWN },
		{ "{'oneOf': [true, true]}", "1", UNKNOWN },
		{ "{'if': true, 'then': false}", "1", UNKNOWN },
		{ "{'uniqueItems': true}", "[1, 1]", UNKNOWN },
		{ "{'contains': false}", "[1]", UNKNOWN },
		{ "{'dependentRequired': {'a': ['b']}}", "{'a': 1}", UNKNOWN },
		{ "{'unevaluatedProperties': false}", "{'a': 1}", UNKNOWN },
		{ "{'patternProperties': {'^a': true}, 'additionalProperties': false}", "{'a': 1}",
			UNKNOWN },
		{ "{'prefixItems': [true], 'items': false}", "[1]", UNKNOWN },
		{ "{'items': [true], 'additionalItems': false}", "[1, 2]", UNKNOWN },
		{ "{'pattern': '('}", "'x'", UNKNOWN },
		{ "{'$ref': '#/x', 'type': 'string'}", "1", NO },
		{ "{'not': {'oneOf': [true]}}", "1", UNKNOWN },
		{ "{'format': 'email', 'x-shown': 1, '$id': 'a', 'default': 3}", "1", YES },
		{ "{'path_under': '/srv'}", "'/etc'", YES },
	};
	char why[160];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (evaluate(cases[i].schema, cases[i].value, SCHEMA_TOOL, why) != cases[i].result)
			fail_msg("%s of %s: %s", cases[i].schema, cases[i].value, why);
}

static void
a_bad_schema_is_refused_where_it_is_bad(void **state)
{
	static const struct {
		const char *schema, *says;
	} cases[] = {
		{ "{'maximun': 5}", "1:2: the keyword \"maximun\" is not known in a rule; did you "
				    "mean \"maximum\"?" },
		{ "{'oneOf': [true]}", "1:2: the keyword \"oneOf\" is not available in a rule" },
		{ "{'format': 'email'}", "the keyword \"format\" is not available in a rule" },
		{ "{'$ref': '#'}", "\"$ref\" is not available" },
		{ "{'properties': {'a': {'maximum': '5'}}}", "1:34: \"maximum\" must be a number" },
		{ "{'properties': {'a': 5}}", "must be an object, true or false" },
		{ "{'properties': []}", "an object of schemas" },
		{ "{'type': 'int'}", "null, boolean, number, integer" },
		{ "{'type': []}", "a type or a list of types" },
		{ "{'enum': 5}", "an array" },
		{ "{'minLength': -1}", "a whole number from 0" },
		{ "{'minLength': 1.5}", "a whole number from 0" },
		{ "{'multipleOf': 0}", "a number above 0" },
		{ "{'multipleOf': -2}", "a number above 0" },
		{ "{'required': 'a'}", "an array of names" },
		{ "{'required': [1]}", "an array of names" },
		{ "{'anyOf': []}", "at least one schema" },
		{ "{'allOf': {}}", "at least one schema" },
		{ "{'pattern': 5}", "a string" },
		{ "{'pattern': '('}", "not a regular expression" },
		{ "{'path_under': 'srv'}", "an absolute folder" },
		{ "{'path_under': '/srv/..'}", "an absolute folder" },
		{ "{'path_under': '/srv/./x'}", "an absolute folder" },
		{ "{'path_under': '/srv//x'}", "an absolute folder" },
		{ "{'path_under': 5}", "an absolute folder" },
		{ "{'not': {'items': 5}}", "must be an object, true or false" },
		{ "5", "must be an object, true or false" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_JSON struct json *source = quoted(cases[i].schema);
		struct err err = { 0 };

		if (schema_new(json_root(source), SCHEMA_RULE, &err))
			fail_msg("%s was accepted", cases[i].schema);
		assert_int_equal(err.kind, ERR_FORMAT);
		if (!strstr(err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].schema, err.text);
	}
}

static void
the_first_reason_is_told_with_its_place(void **state)
{
	static const struct {
		const char *schema, *value;
		enum schema_use use;
		const char *why;
	} cases[] = {
		{ "{'properties': {'amount': {'maximum': 5000}}}", "{'amount': 9000}", SCHEMA_TOOL,
			"amount: 9000 is more than 5000" },
		{ "{'properties': {'amount': {'maximum': 5000}}}", "{'amount': 9000}", SCHEMA_ALLOW,
			"amount: the value is more than 5000" },
		{ "{'properties': {'a': {'properties': {'b': {'const': 1}}}}}", "{'a': {'b': 2}}",
			SCHEMA_TOOL, "a.b: 2 is not 1" },
		{ "{'enum': ['fast', 'slow']}", "'medium'", SCHEMA_TOOL,
			"\"medium\" is none of [\"fast\", \"slow\"]" },
		{ "{'enum': ['fast', 'slow']}", "'medium'", SCHEMA_ALLOW,
			"the value is none of [\"fast\", \"slow\"]" },
		{ "{'type': ['integer', 'boolean', 'null']}", "'5'", SCHEMA_ALLOW,
			"is of type string, wanted is null or boolean or integer" },
		{ "{'type': 'integer'}", "1.5", SCHEMA_TOOL,
			"is of type number, wanted is integer" },
		{ "{'required': ['name']}", "{}", SCHEMA_TOOL, "\"name\" is not given" },
		{ "{'properties': {'name': {}}}", "{}", SCHEMA_ALLOW, "\"name\" is not given" },
		{ "{'additionalProperties': false}", "{'x': 1}", SCHEMA_TOOL,
			"x: is not allowed here" },
		{ "{'anyOf': [{'maximum': 1}]}", "2", SCHEMA_TOOL,
			"fits none of the alternatives" },
		{ "{'anyOf': [{'maximum': 1}, true], 'minimum': 3}", "2", SCHEMA_TOOL,
			"2 is less than 3" },
		{ "{'maximum': 5}", "5", SCHEMA_TOOL, "" },
	};
	char why[160];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		evaluate(cases[i].schema, cases[i].value, cases[i].use, why);
		assert_string_equal(why, cases[i].why);
	}
}

/* Reasons of rules stand in the record beside what may be withheld or taken out of it. */
static void
the_reason_of_a_rule_says_nothing_of_the_arguments_own_text(void **state)
{
	static const char *const schemas[] = { "{'const': 1}", "{'enum': [1]}", "{'maximum': 1}",
		"{'type': 'null'}", "{'maxLength': 1}", "{'pattern': '^a$'}", "{'items': false}",
		"{'additionalProperties': false}", "{'additionalProperties': {'const': 1}}",
		"{'path_under': '/srv'}", "{'not': true}", "{'properties': {'a': {'const': 1}}}" };
	static const char *const values[] = { "'hunter2'", "['hunter2']", "{'hunter2': 'hunter2'}",
		"{'a': 'hunter2'}", "{'a': {'hunter2': 1}}" };
	char why[160];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++)
		for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
			evaluate(schemas[i], values[k], SCHEMA_RULE, why);
			assert_null(strstr(why, "hunter2"));
			evaluate(schemas[i], values[k], SCHEMA_ALLOW, why);
			assert_null(strstr(why, "hunter2"));
		}
}

static void
a_reason_fits_its_room_and_is_not_cut_within_a_character(void **state)
{
	AUTO_JSON struct json *source = quoted("{'const': 1}");
	struct schema *schema = schema_new(json_root(source), SCHEMA_TOOL, NULL);
	AUTO_BUF struct buf text;
	AUTO_JSON struct json *value = NULL;
	char why[8];
	char wide[160];

	(void)state;
	buf_init(&text, BUF_UNBOUNDED);
	buf_str(&text, "'");
	for (int i = 0; i < 100; i++)
		buf_str(&text, "\xe2\x82\xac");
	buf_str(&text, "'");
	value = quoted(text.data);

	assert_int_equal(schema_check(schema, json_root(value), why, sizeof(why)), NO);
	assert_true(strlen(why) < sizeof(why));
	assert_int_equal(schema_check(schema, json_root(value), wide, sizeof(wide)), NO);
	assert_non_null(strstr(wide, "\xe2\x82\xac ... is not "));
	assert_int_equal(schema_check(schema, json_root(value), NULL, 0), NO);
	schema_free(schema);
}

/* A string of one character, often. */
static struct json *
long_string(char c, size_t len, const char *tail)
{
	AUTO_BUF struct buf text;

	buf_init(&text, BUF_UNBOUNDED);
	buf_str(&text, "\"");
	for (size_t i = 0; i < len; i++)
		buf_printf(&text, "%c", c);
	buf_printf(&text, "%s\"", tail);
	return json_read(text.data, text.len, NULL);
}

static enum schema_result
search(const char *pattern, const struct json *text)
{
	AUTO_FREE char *source_text = mem_printf("{'pattern': '%s'}", pattern);
	AUTO_JSON struct json *source = quoted(source_text);
	struct schema *schema = schema_new(json_root(source), SCHEMA_RULE, NULL);
	enum schema_result result;

	assert_non_null(schema);
	result = schema_check(schema, json_root(text), NULL, 0);
	schema_free(schema);
	return result;
}

static void
a_pattern_that_costs_too_much_is_unknown(void **state)
{
	AUTO_JSON struct json *fits = long_string('a', 300, "");
	AUTO_JSON struct json *fails = long_string('a', 300, "!");
	AUTO_JSON struct json *huge = long_string('a', 1000000, "!");

	(void)state;
	assert_int_equal(search("^(a+)+$", fits), YES);
	assert_int_equal(search("^(a+)+$", fails), UNKNOWN);
	assert_int_equal(search("(a|a)*[bc]", huge), UNKNOWN);
	assert_int_equal(search("a+a+[bc]", huge), UNKNOWN);
	assert_int_equal(search("a*[bc]", huge), UNKNOWN);
	assert_int_equal(search("a*?[bc]", huge), UNKNOWN);
}

static void
an_ordinary_search_through_a_long_text_is_answered(void **state)
{
	AUTO_JSON struct json *text = long_string('a', 1000000, "rm -rf /");

	(void)state;
	assert_int_equal(search("rm -rf", text), YES);
	assert_int_equal(search("rm -rq", text), NO);
	assert_int_equal(search("\\\\brm\\\\b|\\\\bdd\\\\b", text), NO);
	assert_int_equal(search("^[a-z /-]*$", text), YES);
	assert_int_equal(search("^.*secret.*$", text), NO);
	assert_int_equal(search("(?i)PASSWORD", text), NO);
}

/* Many texts share one bound: no array of small ones adds up to hours. */
static void
the_patterns_of_one_evaluation_share_their_limit(void **state)
{
	AUTO_JSON struct json *source = quoted("{'items': {'not': {'pattern': '(a+)+$'}}}");
	struct schema *schema = schema_new(json_root(source), SCHEMA_RULE, NULL);
	AUTO_BUF struct buf text;
	AUTO_JSON struct json *value = NULL;

	(void)state;
	buf_init(&text, BUF_UNBOUNDED);
	buf_str(&text, "[");
	for (int i = 0; i < 50000; i++)
		buf_printf(&text, "%s\"aaaaaaaaaaaaa!\"", i ? "," : "");
	buf_str(&text, "]");
	value = json_read(text.data, text.len, NULL);

	assert_int_equal(schema_check(schema, json_root(value), NULL, 0), UNKNOWN);
	schema_free(schema);
}

static void
an_evaluation_of_too_many_steps_is_unknown(void **state)
{
	AUTO_BUF struct buf text;
	AUTO_JSON struct json *source = NULL;
	AUTO_JSON struct json *value = NULL;
	struct schema *schema;

	(void)state;
	buf_init(&text, BUF_UNBOUNDED);
	for (int i = 0; i < 12; i++)
		buf_str(&text, "{\"allOf\":[{},{\"anyOf\":[false,");
	buf_str(&text, "{\"items\":{\"allOf\":[{},{},{},{},{},{},{},{},{},{},{},{}]}}");
	for (int i = 0; i < 12; i++)
		buf_str(&text, "]}]}");
	source = json_read(text.data, text.len, NULL);
	buf_clear(&text);
	buf_str(&text, "[0");
	for (int i = 0; i < 100000; i++)
		buf_str(&text, ",0");
	buf_str(&text, "]");
	value = json_read(text.data, text.len, NULL);
	schema = schema_new(json_root(source), SCHEMA_RULE, NULL);

	assert_int_equal(schema_check(schema, json_root(value), NULL, 0), UNKNOWN);
	schema_free(schema);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_compared_by_their_exact_decimal_values),
		cmocka_unit_test(multiples_are_exact_or_unknown),
		cmocka_unit_test(lengths_count_characters_not_bytes),
		cmocka_unit_test(a_pattern_searches_and_in_an_allow_matches_the_whole),
		cmocka_unit_test(a_pattern_of_an_allow_must_be_anchored_at_both_ends),
		cmocka_unit_test(what_an_allow_names_must_be_there_and_of_its_kind),
		cmocka_unit_test(an_allow_is_plain_under_a_not),
		cmocka_unit_test(path_under_wants_a_plain_path_below_its_folder),
		cmocka_unit_test(unknown_spreads_as_in_kleenes_logic),
		cmocka_unit_test(a_tools_schema_with_what_is_not_built_is_unknown_at_best),
		cmocka_unit_test(a_bad_schema_is_refused_where_it_is_bad),
		cmocka_unit_test(the_first_reason_is_told_with_its_place),
		cmocka_unit_test(the_reason_of_a_rule_says_nothing_of_the_arguments_own_text),
		cmocka_unit_test(a_reason_fits_its_room_and_is_not_cut_within_a_character),
		cmocka_unit_test(a_pattern_that_costs_too_much_is_unknown),
		cmocka_unit_test(an_ordinary_search_through_a_long_text_is_answered),
		cmocka_unit_test(the_patterns_of_one_evaluation_share_their_limit),
		cmocka_unit_test(an_evaluation_of_too_many_steps_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
