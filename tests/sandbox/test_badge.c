/*
 * How what is seen from outside and the guest's word make a badge.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/sandbox/badge.h"
#include "core/sandbox/plan.h"

static struct badge_word seen[LAYER_COUNT], said[LAYER_COUNT];
static struct badge badge;
static struct err err;

static void
say(struct badge_word *word, enum finding finding, const char *detail)
{
	word->finding = finding;
	snprintf(word->detail, sizeof(word->detail), "%s", detail);
}

static int
everything_stands(void **state)
{
	for (int i = 0; i < LAYER_COUNT; i++) {
		say(&seen[i], FINDING_STANDS, "seen");
		say(&said[i], FINDING_STANDS, "said");
	}
	return 0;
}

static void
what_both_say_is_proved(void **state)
{
	assert_int_equal(badge_make(seen, said, &badge, &err), 0);
	for (int i = 0; i < LAYER_COUNT; i++)
		assert_true(badge.layers[i].proved);
	assert_string_equal(badge.layers[LAYER_MEMORY].kind, "rlimit");
	assert_string_equal(badge.layers[LAYER_SECCOMP].kind, "");
}

static void
a_silent_guest_does_not_undo_what_is_seen(void **state)
{
	say(&said[LAYER_SECCOMP], FINDING_NONE, "");
	assert_int_equal(badge_make(seen, said, &badge, &err), 0);
	assert_true(badge.layers[LAYER_SECCOMP].proved);
}

static void
the_guests_word_counts_where_nothing_is_seen(void **state)
{
	say(&seen[LAYER_LANDLOCK], FINDING_NONE, "");
	assert_int_equal(badge_make(seen, said, &badge, &err), 0);
	assert_true(badge.layers[LAYER_LANDLOCK].proved);
	assert_string_equal(badge.layers[LAYER_LANDLOCK].detail, "probe: said");
}

static void
the_guests_word_alone_is_not_enough_where_it_can_be_seen(void **state)
{
	say(&seen[LAYER_NET_NS], FINDING_ABSENT, "the same as ours");
	assert_int_equal(badge_make(seen, said, &badge, &err), -1);
	assert_int_equal(err.kind, ERR_SANDBOX);
	assert_non_null(strstr(err.text, "net_ns (the same as ours)"));
	assert_null(strstr(err.text, "pid_ns"));
}

static void
a_guest_that_contradicts_undoes_a_layer(void **state)
{
	say(&said[LAYER_PID_NS], FINDING_ABSENT, "sees 200 processes");
	assert_int_equal(badge_make(seen, said, &badge, &err), -1);
	assert_non_null(strstr(err.text, "pid_ns (probe: sees 200 processes)"));
}

static void
what_nobody_shows_is_not_proved(void **state)
{
	say(&seen[LAYER_LANDLOCK], FINDING_NONE, "");
	say(&said[LAYER_LANDLOCK], FINDING_NONE, "");
	assert_int_equal(badge_make(seen, said, &badge, &err), -1);
	assert_false(badge.layers[LAYER_LANDLOCK].proved);
}

/* This very test program is in no sandbox, and neither is a process that does not exist. */
static void
without_a_sandbox_no_layer_is_seen_to_stand(void **state)
{
	const struct sandbox_limits limits = { 1 << 20, 4, 1, 1, 4096 };
	struct badge_word none[LAYER_COUNT] = { 0 }, look[LAYER_COUNT];

	badge_look(getpid(), &limits, look);
	for (int i = 0; i < LAYER_COUNT; i++)
		assert_int_not_equal(look[i].finding, FINDING_STANDS);
	assert_int_equal(badge_make(look, none, &badge, &err), -1);
}

static void
a_layers_name_finds_it(void **state)
{
	for (int i = 0; i < LAYER_COUNT; i++)
		assert_int_equal(layer_of(layer_name((enum layer)i)), i);
	assert_int_equal(layer_of("Seccomp"), -1);
	assert_int_equal(layer_of(""), -1);
}

#define BADGE_TEST(name) cmocka_unit_test_setup(name, everything_stands)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		BADGE_TEST(what_both_say_is_proved),
		BADGE_TEST(a_silent_guest_does_not_undo_what_is_seen),
		BADGE_TEST(the_guests_word_counts_where_nothing_is_seen),
		BADGE_TEST(the_guests_word_alone_is_not_enough_where_it_can_be_seen),
		BADGE_TEST(a_guest_that_contradicts_undoes_a_layer),
		BADGE_TEST(what_nobody_shows_is_not_proved),
		BADGE_TEST(without_a_sandbox_no_layer_is_seen_to_stand),
		BADGE_TEST(a_layers_name_finds_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
