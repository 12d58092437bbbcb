#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/json.h"

static struct json *
read_good(const char *text)
{
	struct err err = { 0 };
	struct json *json = json_read(text, strlen(text), &err);

	if (!json)
		fail_msg("%s: %s", text, err.text);
	return json;
}

static void
lookups_find_members_by_their_unescaped_names(void **state)
{
	AUTO_JSON struct json *json = read_good("{\"a\":{\"\\u0062\":[10,20]},\"c\\u0000d\":1}");
	struct json_value root = json_root(json);
	struct json_value list = json_get(json_get(root, "a"), "b");
	int64_t number;

	(void)state;
	assert_int_equal(json_count(list), 2);
	assert_true(json_int(json_at(list, 1), 0, 100, &number));
	assert_int_equal(number, 20);
	assert_true(json_there(json_getn(root, "c\0d", 3)));
	assert_false(json_there(json_get(root, "c")));
}

static void
what_is_not_there_is_absent_all_the_way_down(void **state)
{
	AUTO_JSON struct json *json = read_good("{\"a\":[1]}");
	struct json_value gone = json_get(json_get(json_root(json), "x"), "y");
	struct json_iter it = json_each(gone);
	unsigned line;
	unsigned column;
	size_t len;

	(void)state;
	assert_int_equal(json_kind(gone), JSON_ABSENT);
	assert_false(json_there(json_at(json_get(json_root(json), "a"), 1)));
	assert_false(json_there(json_at(json_root(json), 0)));
	assert_false(json_there(json_root(NULL)));
	assert_int_equal(json_count(gone), 0);
	assert_false(json_next(&it));
	assert_null(json_string(gone, &len));
	assert_null(json_source(gone, &len));
	assert_null(json_text(gone, "z"));
	assert_true(json_bool(gone, true));
	json_position(gone, &line, &column);
	assert_int_equal(line * 100 + column, 101);
}

static void
iteration_gives_names_values_and_places_in_order(void **state)
{
	AUTO_JSON struct json *json = read_good("{\"a\":[[],{}],\"b\":\"x\",\"c\":null}");
	static const char *const names[] = { "a", "b", "c" };
	struct json_iter it;
	size_t seen = 0;

	(void)state;
	for (it = json_each(json_root(json)); json_next(&it);) {
		assert_int_equal(it.index, seen);
		assert_true(json_is(it.key, names[seen]));
		seen++;
	}
	assert_int_equal(seen, 3);
	for (it = json_each(json_get(json_root(json), "a")); json_next(&it);)
		assert_false(json_there(it.key));
	assert_int_equal(it.index, 1);
}

static void
strings_come_unescaped_with_their_length_and_a_nul(void **state)
{
	AUTO_JSON struct json *json =
		read_good("[\"a\\n\\u00e9\\ud834\\udd1e\\u0000z\",\"plain\",\"\",1]");
	struct json_value root = json_root(json);
	size_t len;
	const char *text = json_string(json_at(root, 0), &len);

	(void)state;
	assert_int_equal(len, 10);
	assert_memory_equal(text, "a\n\xc3\xa9\xf0\x9d\x84\x9e\0z", 11);
	assert_string_equal(json_string(json_at(root, 1), NULL), "plain");
	assert_string_equal(json_string(json_at(root, 2), &len), "");
	assert_int_equal(len, 0);
	assert_null(json_string(json_at(root, 3), NULL));
}

static void
a_text_with_a_nul_is_no_text(void **state)
{
	AUTO_JSON struct json *json = read_good("{\"a\":\"x\\u0000y\",\"b\":\"xy\",\"c\":1}");

	(void)state;
	assert_null(json_text(json_root(json), "a"));
	assert_string_equal(json_text(json_root(json), "b"), "xy");
	assert_null(json_text(json_root(json), "c"));
}

static void
whole_numbers_are_held_to_their_bounds(void **state)
{
	AUTO_JSON struct json *json = read_good("[9223372036854775807,-9223372036854775808,"
						"9223372036854775808,1.0,1e2,\"1\",-0,17]");
	struct json_value root = json_root(json);
	int64_t number = 99;

	(void)state;
	assert_true(json_int(json_at(root, 0), INT64_MIN, INT64_MAX, &number));
	assert_true(number == INT64_MAX);
	assert_true(json_int(json_at(root, 1), INT64_MIN, INT64_MAX, &number));
	assert_true(number == INT64_MIN);
	number = 99;
	for (size_t i = 2; i < 6; i++)
		assert_false(json_int(json_at(root, i), INT64_MIN, INT64_MAX, &number));
	assert_false(json_int(json_at(root, 7), 0, 16, &number));
	assert_int_equal(number, 99);
	assert_true(json_int(json_at(root, 6), 0, 0, &number));
	assert_int_equal(number, 0);
}

static void
doubles_are_the_nearest_ones(void **state)
{
	AUTO_JSON struct json *json =
		read_good("[0.1,-2.5e3,123456789012345678901234567890,-0.0,\"1\"]");
	static const double expected[] = { 0.1, -2500, 123456789012345678901234567890.0, 0 };
	double number;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_true(json_double(json_at(json_root(json), i), &number));
		assert_true(number == expected[i]);
	}
	assert_false(json_double(json_at(json_root(json), 4), &number));
}

static void
sources_and_positions_point_into_the_text(void **state)
{
	AUTO_JSON struct json *json = read_good("{\n  \"a\": [1,  2]\n}");
	struct json_value value = json_get(json_root(json), "a");
	unsigned line;
	unsigned column;
	size_t len;
	const char *source = json_source(value, &len);

	(void)state;
	json_position(value, &line, &column);

	assert_int_equal(len, 7);
	assert_memory_equal(source, "[1,  2]", 7);
	assert_int_equal(line, 2);
	assert_int_equal(column, 8);
}

static bool
equal(const char *a, const char *b)
{
	AUTO_JSON struct json *x = read_good(a);
	AUTO_JSON struct json *y = read_good(b);
	bool forth = json_equal(json_root(x), json_root(y));

	assert_int_equal(forth, json_equal(json_root(y), json_root(x)));
	return forth;
}

static void
numbers_are_equal_by_exact_value(void **state)
{
	(void)state;
	assert_true(equal("1", "1.0"));
	assert_true(equal("10e-1", "1"));
	assert_true(equal("0.00120", "12e-4"));
	assert_true(equal("0", "-0.000e5"));
	assert_true(equal("100", "1E2"));
	assert_true(equal("0e99999999999999999999999", "0"));
	assert_false(equal("1", "-1"));
	assert_false(equal("9007199254740993", "9007199254740992"));
	assert_false(equal("0.1", "0.10000000000000001"));
	assert_false(equal("1e300", "1e301"));
	assert_false(equal("12", "1.2"));
}

static void
numbers_are_ordered_by_exact_value(void **state)
{
	AUTO_JSON struct json *json =
		read_good("[-1e300,-10,-9.99,-0.5,0,1e-300,0.5,0.51,9,9007199254740992,"
			  "9007199254740993,1e300]");
	struct json_value root = json_root(json);
	int order;

	(void)state;
	for (size_t i = 0; i < json_count(root); i++) {
		for (size_t j = 0; j < json_count(root); j++) {
			assert_true(json_compare(json_at(root, i), json_at(root, j), &order));
			assert_int_equal(order, (i > j) - (i < j));
		}
	}
	assert_false(json_compare(root, root, &order));
}

static void
objects_are_equal_in_any_order_and_arrays_are_not(void **state)
{
	(void)state;
	assert_true(equal(
		"{\"a\":1,\"b\":[1,{\"c\":null}]}", "{\"b\":[1.0,{\"c\":null}],\"\\u0061\":1}"));
	assert_false(equal("{\"a\":1}", "{\"a\":1,\"b\":1}"));
	assert_false(equal("{\"a\":1,\"c\":1}", "{\"a\":1,\"b\":1}"));
	assert_false(equal("[1,2]", "[2,1]"));
	assert_false(equal("[1,2]", "[1,2,3]"));
	assert_false(equal("true", "false"));
	assert_false(equal("\"1\"", "1"));
	assert_true(equal("\"\\u00e9\"", "\"\xc3\xa9\""));
	assert_false(equal("\"e\\u0301\"", "\"\\u00e9\""));
}

/* {"k0":0,...}, forth or back; the last value written is the one given. */
static char *
large_object(int step, int last)
{
	AUTO_BUF struct buf text;

	buf_init(&text, BUF_UNBOUNDED);
	buf_str(&text, "{");
	for (int i = 0; i < 40; i++) {
		int name = step > 0 ? i : 39 - i;

		buf_printf(&text, "\"k%d\":%d%s", name, i == 39 ? last : name, i < 39 ? "," : "}");
	}
	return buf_give(&text);
}

static void
large_objects_are_compared_without_regard_to_order(void **state)
{
	char *forth = large_object(1, 39);
	char *back = large_object(-1, 0);
	char *other = large_object(-1, 7);

	(void)state;
	assert_true(equal(forth, back));
	assert_false(equal(forth, other));
	free(forth);
	free(back);
	free(other);
}

static void
a_bad_text_gives_no_document_but_a_reason(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_null(json_read("[1,]", 4, &err));
	assert_int_equal(err.kind, ERR_FORMAT);
	assert_memory_equal(err.text, "1:4: ", 5);
	assert_null(json_read(NULL, 0, &err));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lookups_find_members_by_their_unescaped_names),
		cmocka_unit_test(what_is_not_there_is_absent_all_the_way_down),
		cmocka_unit_test(iteration_gives_names_values_and_places_in_order),
		cmocka_unit_test(strings_come_unescaped_with_their_length_and_a_nul),
		cmocka_unit_test(a_text_with_a_nul_is_no_text),
		cmocka_unit_test(whole_numbers_are_held_to_their_bounds),
		cmocka_unit_test(doubles_are_the_nearest_ones),
		cmocka_unit_test(sources_and_positions_point_into_the_text),
		cmocka_unit_test(numbers_are_equal_by_exact_value),
		cmocka_unit_test(numbers_are_ordered_by_exact_value),
		cmocka_unit_test(objects_are_equal_in_any_order_and_arrays_are_not),
		cmocka_unit_test(large_objects_are_compared_without_regard_to_order),
		cmocka_unit_test(a_bad_text_gives_no_document_but_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
