/*
 * Which places are hidden from tools, by environment.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/run/covers.h"

static int
count(const char *path)
{
	char **list = covers_list();
	int times = 0;

	for (size_t i = 0; list[i]; i++) {
		times += strcmp(list[i], path) == 0;
		assert_int_equal(list[i][0], '/');
		free(list[i]);
	}
	free(list);
	return times;
}

static int
plain_environment(void **state)
{
	static const char *const names[] = { "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
		"TMUX_TMPDIR", "SCREENDIR", "TMPDIR", "KITTY_LISTEN_ON" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unsetenv(names[i]);
	return setenv("HOME", "/home/ada", 1);
}

static void
the_defaults_are_hidden(void **state)
{
	AUTO_FREE char *runtime = mem_printf("/run/user/%u/tollbridge", getuid());
	AUTO_FREE char *tmux = mem_printf("/tmp/tmux-%u", getuid());

	assert_int_equal(count("/home/ada/.local/state/tollbridge"), 1);
	assert_int_equal(count("/home/ada/.config/tollbridge"), 1);
	assert_int_equal(count("/etc/tollbridge"), 1);
	assert_int_equal(count(runtime), 1);
	assert_int_equal(count(tmux), 1);
	assert_int_equal(count("/run/screen"), 1);
}

static void
a_variable_adds_its_place_and_the_default_stays(void **state)
{
	setenv("XDG_STATE_HOME", "/srv/state", 1);
	setenv("SCREENDIR", "/home/ada/screens", 1);
	assert_int_equal(count("/srv/state/tollbridge"), 1);
	assert_int_equal(count("/home/ada/.local/state/tollbridge"), 1);
	assert_int_equal(count("/home/ada/screens"), 1);
}

static void
a_variable_that_is_no_absolute_path_is_not_used(void **state)
{
	setenv("XDG_STATE_HOME", "state", 1);
	setenv("SCREENDIR", "/", 1);
	setenv("KITTY_LISTEN_ON", "unix:@abstract", 1);
	assert_int_equal(count("state/tollbridge"), 0);
	assert_int_equal(count("/"), 0);
	assert_int_equal(count("/home/ada/.local/state/tollbridge"), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_defaults_are_hidden, plain_environment),
		cmocka_unit_test_setup(
			a_variable_adds_its_place_and_the_default_stays, plain_environment),
		cmocka_unit_test_setup(
			a_variable_that_is_no_absolute_path_is_not_used, plain_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
