#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/base/where.h"

static void
a_program_of_the_build_tree_finds_its_parts_in_source_and_build(void **state)
{
	AUTO_FREE char *data = where_data("core/base/where.h");
	AUTO_FREE char *helper = where_helper("tollbridge-init");
	AUTO_FREE char *expected = mem_printf("%s/tollbridge-init", getenv("TEST_BUILDDIR"));

	(void)state;
	assert_int_equal(access(data, R_OK), 0);
	assert_string_equal(helper, expected);
}

static void
the_environment_moves_nothing(void **state)
{
	AUTO_FREE char *before = where_data("x");
	AUTO_FREE char *after = NULL;

	(void)state;
	setenv("TEST_SRCDIR", "/nowhere", 1);
	setenv("HOME", "/nowhere", 1);
	setenv("PATH", "/nowhere", 1);
	after = where_data("x");

	assert_string_equal(before, after);
	assert_int_equal(before[0], '/');
}

static void
the_program_is_the_file_that_runs(void **state)
{
	AUTO_FREE char *program = where_program();

	(void)state;
	assert_int_equal(program[0], '/');
	assert_non_null(strstr(program, "test_where"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_of_the_build_tree_finds_its_parts_in_source_and_build),
		cmocka_unit_test(the_environment_moves_nothing),
		cmocka_unit_test(the_program_is_the_file_that_runs),
	};

	if (!getenv("TEST_BUILDDIR")) {
		puts("1..0 # SKIP TEST_BUILDDIR is not set; make check sets it");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
