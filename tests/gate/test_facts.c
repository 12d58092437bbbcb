#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/gate/facts.h"

static void
words_of_effects_and_actions_are_read_as_they_are_written(void **state)
{
	(void)state;
	for (int effect = EFFECT_READ; effect <= EFFECT_DESTROY; effect++)
		assert_int_equal(effect_of(effect_name((enum effect)effect)), effect);
	for (int action = ACTION_ALLOW; action <= ACTION_DENY; action++)
		assert_int_equal(action_of(action_name((enum action)action)), action);
	assert_int_equal(effect_of("Read"), -1);
	assert_int_equal(action_of(""), -1);
	assert_int_equal(action_of(NULL), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_effects_and_actions_are_read_as_they_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
