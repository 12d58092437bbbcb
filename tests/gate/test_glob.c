#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/glob.h"

static void
a_pattern_matches_whole_names_as_a_shell_would(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{ "get_employee", "get_employee", true },
		{ "get_employee", "get_employees", false },
		{ "get_employees", "get_employee", false },
		{ "*", "", true },
		{ "*", "anything", true },
		{ "?", "", false },
		{ "?", "a", true },
		{ "?", "ab", false },
		{ "delete_*", "delete_", true },
		{ "delete_*", "delete_all", true },
		{ "delete_*", "undelete_all", false },
		{ "*_all", "delete_all", true },
		{ "*_all", "delete_all_all", true },
		{ "*_all", "delete_allx", false },
		{ "a*b*c", "abc", true },
		{ "a*b*c", "aXbYbZc", true },
		{ "a*b*c", "acb", false },
		{ "a**b", "ab", true },
		{ "[ab]x", "bx", true },
		{ "[ab]x", "cx", false },
		{ "[a-c]x", "bx", true },
		{ "[a-c]x", "dx", false },
		{ "[a-c]x", "-x", false },
		{ "[!ab]x", "cx", true },
		{ "[!ab]x", "ax", false },
		{ "[^ab]x", "ax", false },
		{ "[!a]", "", false },
		{ "[]]", "]", true },
		{ "[]a]", "a", true },
		{ "[a-]", "-", true },
		{ "[-a]", "-", true },
		{ "[*]", "*", true },
		{ "[*]", "a", false },
		{ "[0-9]*[0-9]", "12", true },
		{ "[0-9]*[0-9]", "1", false },
		{ "a.b", "a.b", true },
		{ "a.b", "aXb", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(glob_check(cases[i].pattern, NULL), 0);
		if (glob_match(cases[i].pattern, cases[i].text, false) != cases[i].matches)
			fail_msg("\"%s\" against \"%s\"", cases[i].pattern, cases[i].text);
	}
}

static void
case_counts_unless_it_is_folded(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool heeded, folded;
	} cases[] = {
		{ "Drop_*", "drop_table", false, true },
		{ "drop_*", "DROP_TABLE", false, true },
		{ "[a-c]x", "BX", false, true },
		{ "[A-C]x", "bx", false, true },
		{ "[!a]x", "Ax", true, false },
		{ "[Z-a]x", "zx", false, true },
		{ "[Z-a]x", "_x", true, true },
		{ "k", "\xe2\x84\xaa", false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (glob_match(cases[i].pattern, cases[i].text, false) != cases[i].heeded)
			fail_msg("heeded: \"%s\" against \"%s\"", cases[i].pattern, cases[i].text);
		if (glob_match(cases[i].pattern, cases[i].text, true) != cases[i].folded)
			fail_msg("folded: \"%s\" against \"%s\"", cases[i].pattern, cases[i].text);
	}
}

static void
a_pattern_without_a_dot_is_about_the_tools_part(void **state)
{
	(void)state;
	assert_true(glob_match_tool("apply_raise", "payroll.apply_raise", "apply_raise", false));
	assert_true(glob_match_tool("*", "payroll.apply_raise", "apply_raise", false));
	assert_false(glob_match_tool("payroll*", "payroll.apply_raise", "apply_raise", false));
	assert_true(glob_match_tool("payroll.*", "payroll.apply_raise", "apply_raise", false));
	assert_false(glob_match_tool("other.*", "payroll.apply_raise", "apply_raise", false));
	assert_true(glob_match_tool("*.apply_raise", "payroll.apply_raise", "apply_raise", false));
	assert_false(glob_match_tool("read.file", "fs.read.file", "read.file", false));
	assert_true(glob_match_tool("fs.read.file", "fs.read.file", "read.file", false));
	assert_true(glob_is_bare("delete_*"));
	assert_false(glob_is_bare("fs.*"));
}

static void
a_pattern_that_can_match_nothing_is_refused_with_what_is_accepted(void **state)
{
	static const struct {
		const char *pattern, *says;
	} cases[] = {
		{ "", "a tool's name or a glob is accepted" },
		{ "[ab", "without its \"]\"" },
		{ "x[", "without its \"]\"" },
		{ "[]", "without its \"]\"" },
		{ "[!]", "without its \"]\"" },
		{ "[z-a]", "runs backwards" },
		{ "x[a9-0]", "\"9-0\"" },
		{ "delete all", "without spaces" },
		{ "l\xc3\xb6schen", "printable ASCII" },
		{ "a\nb", "printable ASCII" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };

		if (glob_check(cases[i].pattern, &err) == 0)
			fail_msg("\"%s\" was accepted", cases[i].pattern);
		assert_int_equal(err.kind, ERR_FORMAT);
		if (!strstr(err.text, cases[i].says))
			fail_msg("\"%s\": %s", cases[i].pattern, err.text);
	}
}

/* A matcher that goes back to every star would not come to an end here. */
static void
many_stars_do_not_make_a_match_explode(void **state)
{
	enum { NAME = 20000 };
	AUTO_FREE char *name = mem_zero(NAME + 1, 1);
	char pattern[102] = "";

	(void)state;
	memset(name, 'a', NAME);
	for (size_t i = 0; i < 50; i++)
		memcpy(pattern + 2 * i, "*a", 2);
	pattern[100] = 'b';

	assert_false(glob_match(pattern, name, false));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_matches_whole_names_as_a_shell_would),
		cmocka_unit_test(case_counts_unless_it_is_folded),
		cmocka_unit_test(a_pattern_without_a_dot_is_about_the_tools_part),
		cmocka_unit_test(a_pattern_that_can_match_nothing_is_refused_with_what_is_accepted),
		cmocka_unit_test(many_stars_do_not_make_a_match_explode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
