#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tui/find.h"

#define TEXT "one Two two\ntwo"

static struct find
find_for(const char *needle)
{
	return (struct find){ .needle = needle, .len = strlen(needle) };
}

static void
a_needle_in_lower_case_finds_both_cases(void **state)
{
	struct find find = find_for("two");

	assert_int_equal(find_from(&find, TEXT, strlen(TEXT), 0), 4);
	assert_int_equal(find_from(&find, TEXT, strlen(TEXT), 5), 8);
	assert_int_equal(find_count(&find, TEXT, strlen(TEXT), strlen(TEXT)), 3);
}

static void
a_capital_letter_finds_itself_only(void **state)
{
	struct find find = find_for("Two");

	assert_int_equal(find_from(&find, TEXT, strlen(TEXT), 0), 4);
	assert_int_equal(find_from(&find, TEXT, strlen(TEXT), 5), FIND_NONE);
	assert_int_equal(find_before(&find, TEXT, strlen(TEXT), 4), FIND_NONE);
	assert_int_equal(find_before(&find, TEXT, strlen(TEXT), 5), 4);
}

static void
the_one_before_is_found_backwards(void **state)
{
	struct find find = find_for("two");

	assert_int_equal(find_before(&find, TEXT, strlen(TEXT), strlen(TEXT)), 12);
	assert_int_equal(find_before(&find, TEXT, strlen(TEXT), 12), 8);
	assert_int_equal(find_before(&find, TEXT, strlen(TEXT), 4), FIND_NONE);
}

static void
nothing_is_found_past_the_end_or_for_no_needle(void **state)
{
	struct find none = find_for(""), longer = find_for("longer than the text is"),
		    two = find_for("two");

	assert_int_equal(find_from(&none, TEXT, strlen(TEXT), 0), FIND_NONE);
	assert_int_equal(find_from(&longer, TEXT, strlen(TEXT), 0), FIND_NONE);
	assert_int_equal(find_before(&longer, TEXT, strlen(TEXT), 100), FIND_NONE);
	assert_int_equal(find_from(&two, TEXT, strlen(TEXT), 13), FIND_NONE);
	assert_int_equal(find_from(&two, TEXT, strlen(TEXT), 1000), FIND_NONE);
	assert_int_equal(find_from(&two, "", 0, 0), FIND_NONE);
	assert_false(find_holds(&two, NULL, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_needle_in_lower_case_finds_both_cases),
		cmocka_unit_test(a_capital_letter_finds_itself_only),
		cmocka_unit_test(the_one_before_is_found_backwards),
		cmocka_unit_test(nothing_is_found_past_the_end_or_for_no_needle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
