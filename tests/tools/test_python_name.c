#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/tools/python_name.h"

#define HEX "0123456789abcdef"

static void
a_name_becomes_the_identifier_that_the_guest_expects(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/tests/tools/names.txt", getenv("TEST_SRCDIR"));
	FILE *file = fopen(path, "r");
	char name[64], wanted[64];
	int count = 0;

	assert_non_null(file);
	while (fscanf(file, "%63s %63s", name, wanted) == 2) {
		AUTO_FREE char *got = python_name(name);

		assert_string_equal(got, wanted);
		count++;
	}
	fclose(file);
	assert_true(count > 10);
}

/* Reads an identifier back, as the header says. */
static void
name_of(const char *identifier, char *out)
{
	unsigned byte;

	while (*identifier) {
		if (strncmp(identifier, "_x", 2) == 0 && strspn(identifier + 2, HEX) >= 2 &&
			sscanf(identifier + 2, "%2x", &byte) == 1) {
			*out++ = (char)byte;
			identifier += 4;
		} else {
			*out++ = *identifier++;
		}
	}
	*out = '\0';
}

static void
a_name_can_be_told_from_its_identifier(void **state)
{
	static const char alphabet[] = "_xa2-d";
	char name[6] = { 0 };

	for (unsigned i = 0; i < 6 * 6 * 6 * 6 * 6; i++) {
		unsigned left = i;
		AUTO_FREE char *identifier = NULL;
		char back[32];

		for (int k = 0; k < 5; k++, left /= 6)
			name[k] = alphabet[left % 6];
		identifier = python_name(name);
		name_of(identifier, back);
		assert_string_equal(back, name);
		assert_int_equal(strspn(identifier, "_xa2d5f0123456789"), strlen(identifier));
	}
}

static void
a_server_does_not_hide_a_builtin(void **state)
{
	AUTO_FREE char *list = python_server_name("list");
	AUTO_FREE char *list_ = python_server_name("list_");
	AUTO_FREE char *tools = python_server_name("tools");
	AUTO_FREE char *payroll = python_server_name("payroll");

	assert_string_equal(list, "list_");
	assert_string_equal(list_, "list_x5f");
	assert_string_equal(tools, "tools_");
	assert_string_equal(payroll, "payroll");
	assert_true(python_name_hides("print"));
	assert_true(python_name_hides("ToolDenied"));
	assert_false(python_name_hides("apply_raise"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_becomes_the_identifier_that_the_guest_expects),
		cmocka_unit_test(a_name_can_be_told_from_its_identifier),
		cmocka_unit_test(a_server_does_not_hide_a_builtin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
