/* Commands and keymaps: one list, parents, and keys that approve do nothing else. */
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
#include "core/run/configuration.h"
#include "tui/keymap.h"
#include "tui/keymap_config.h"

static struct key
key(const char *name)
{
	struct key parsed;

	assert_true(key_parse(name, &parsed));
	return parsed;
}

static void
each_command_has_a_name_words_and_help(void **state)
{
	for (unsigned command = 1; command < COMMAND_COUNT; command++) {
		assert_true(*command_name(command) && *command_words(command));
		assert_true(*command_help(command));
		assert_int_equal(command_by_name(command_name(command)), command);
	}
	assert_int_equal(command_by_name("none"), COMMAND_NONE);
	assert_int_equal(command_by_name("no such"), COMMAND_NONE);
}

/* y says yes, and 1 that the earlier result is used; each only where a yes is asked for. */
static void
only_y_and_1_approve(void **state)
{
	struct keymap *keymap = keymap_new();
	size_t approving = 0;

	for (unsigned map = 0; map < MAP_COUNT; map++) {
		struct keymap_entry entry;

		for (size_t i = 0; keymap_entry(keymap, map, i, &entry); i++)
			if (command_flags(entry.command) & COMMAND_APPROVES) {
				bool reuse = entry.command == COMMAND_REUSE;

				assert_true(key_equal(entry.key, key(reuse ? "1" : "y")));
				assert_true(
					map == MAP_APPROVAL ||
					(!reuse && (map == MAP_GUARD || map == MAP_PROGRAM_ASK)));
				approving++;
			}
	}
	assert_int_equal(approving, 4);
	keymap_free(keymap);
}

static void
no_key_that_approves_moves_or_closes_elsewhere(void **state)
{
	struct keymap *keymap = keymap_new();

	for (unsigned map = 0; map < MAP_COUNT; map++)
		assert_false(command_flags(keymap_find(keymap, map, key("y"))) &
			     (COMMAND_MOVES | COMMAND_CLOSES));
	keymap_free(keymap);
}

static void
the_approval_pane_has_no_key_that_jumps(void **state)
{
	struct keymap *keymap = keymap_new();

	assert_int_equal(keymap_find(keymap, MAP_APPROVAL, key("G")), COMMAND_NONE);
	assert_int_equal(keymap_find(keymap, MAP_APPROVAL, key("0")), COMMAND_NONE);
	assert_int_equal(keymap_find(keymap, MAP_APPROVAL, key("Enter")), COMMAND_NONE);
	assert_int_equal(keymap_find(keymap, MAP_APPROVAL, key("Space")), COMMAND_NONE);
	assert_int_equal(keymap_find(keymap, MAP_APPROVAL, key("a")), COMMAND_NONE);
	assert_int_equal(keymap_find(keymap, MAP_APPROVAL, key("Alt-y")), COMMAND_NONE);
	assert_int_equal(keymap_find(keymap, MAP_APPROVAL, key("n")), COMMAND_DENY);
	keymap_free(keymap);
}

static void
a_key_is_looked_up_in_the_parents(void **state)
{
	struct keymap *keymap = keymap_new();
	struct key found;

	assert_int_equal(keymap_find(keymap, MAP_PROGRAM, key("G")), COMMAND_BOTTOM);
	assert_int_equal(keymap_find(keymap, MAP_PROGRAM, key("Q")), COMMAND_LEAVE);
	assert_int_equal(keymap_find(keymap, MAP_FIELD, key("Q")), COMMAND_NONE);
	assert_true(keymap_key(keymap, MAP_PROGRAM, COMMAND_LEAVE, &found));
	assert_true(key_equal(found, key("Q")));
	assert_false(keymap_key(keymap, MAP_FIELD, COMMAND_APPROVE, &found));
	keymap_free(keymap);
}

static void
a_nearer_map_hides_its_parents_key(void **state)
{
	struct keymap *keymap = keymap_new();
	struct keymap_entry entry;

	assert_int_equal(keymap_bind(keymap, MAP_PROGRAM, key("Q"), COMMAND_NONE, NULL), 0);
	assert_int_equal(keymap_find(keymap, MAP_PROGRAM, key("Q")), COMMAND_NONE);
	for (size_t i = 0; keymap_entry(keymap, MAP_PROGRAM, i, &entry); i++)
		assert_false(key_equal(entry.key, key("Q")));
	assert_int_equal(keymap_find(keymap, MAP_CALLS, key("Q")), COMMAND_LEAVE);
	keymap_free(keymap);
}

static void
unsafe_bindings_are_refused(void **state)
{
	static const struct {
		enum map map;
		const char *key;
		enum command command;
	} cases[] = {
		{ MAP_APPROVAL, "Enter", COMMAND_APPROVE },
		{ MAP_APPROVAL, "Space", COMMAND_APPROVE },
		{ MAP_APPROVAL, "Esc", COMMAND_APPROVE },
		{ MAP_APPROVAL, "Tab", COMMAND_APPROVE },
		{ MAP_APPROVAL, "Up", COMMAND_APPROVE },
		{ MAP_APPROVAL, "Ctrl-Y", COMMAND_APPROVE },
		{ MAP_APPROVAL, "Alt-y", COMMAND_APPROVE },
		{ MAP_APPROVAL, "F2", COMMAND_APPROVE },
		{ MAP_APPROVAL, "j", COMMAND_APPROVE }, /* moves elsewhere */
		{ MAP_APPROVAL, "q", COMMAND_APPROVE }, /* closes elsewhere */
		{ MAP_APPROVAL, "G", COMMAND_APPROVE },
		{ MAP_PROGRAM, "y", COMMAND_DOWN }, /* approves elsewhere */
		{ MAP_HELP, "y", COMMAND_BACK },
		{ MAP_LEAVE, "y", COMMAND_LEAVE_DETACH },
	};
	struct keymap *keymap = keymap_new();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { 0 };
		enum command before = keymap_find(keymap, cases[i].map, key(cases[i].key));

		assert_int_equal(keymap_bind(keymap, cases[i].map, key(cases[i].key),
					 cases[i].command, &err),
			-1);
		assert_int_equal(err.kind, ERR_REFUSED);
		assert_int_equal(keymap_find(keymap, cases[i].map, key(cases[i].key)), before);
	}
	/* A harmless one is not. */
	assert_int_equal(keymap_bind(keymap, MAP_APPROVAL, key("!"), COMMAND_APPROVE, NULL), 0);
	keymap_free(keymap);
}

/* --- keys of the configuration --- */

/* The error of these keys, "" without; the keymap is as they made it. */
static const char *
configured(struct keymap *keymap, const char *keys)
{
	static struct err err;
	AUTO_FREE char *set = mem_printf("keys=%s", keys);
	const char *sets[] = { set, NULL };
	struct config_request request = { .sets = sets, .max_tool_calls = -1 };
	struct config *config;
	int done;

	err = (struct err){ 0 };
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	config = config_load(&request, &err);
	if (!config)
		fail_msg("%s", err.text);
	done = keymap_configure(keymap, config, &err);
	config_free(config);
	return done < 0 ? err.text : "";
}

static void
keys_of_the_configuration_are_bound_and_unbound(void **state)
{
	struct keymap *keymap = keymap_new();

	assert_string_equal(configured(keymap, "{\"approval\":{\"d\":\"deny\",\"n\":null},"
					       "\"all\":{\"F2\":\"help\"}}"),
		"");
	assert_int_equal(keymap_find(keymap, MAP_APPROVAL, key("d")), COMMAND_DENY);
	assert_int_equal(keymap_find(keymap, MAP_APPROVAL, key("n")), COMMAND_NONE);
	assert_int_equal(keymap_find(keymap, MAP_CALLS, key("F2")), COMMAND_HELP);
	keymap_free(keymap);
}

/* Whatever the order in the file, what is given up is free for what is taken. */
static void
a_key_that_is_unbound_everywhere_may_approve(void **state)
{
	struct keymap *keymap = keymap_new();

	assert_string_equal(
		configured(keymap, "{\"approval\":{\"j\":\"approve\"},\"look\":{\"j\":null}}"), "");
	assert_int_equal(keymap_find(keymap, MAP_APPROVAL, key("j")), COMMAND_APPROVE);
	keymap_free(keymap);
}

static void
keys_that_cannot_be_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *keys, *error;
	} cases[] = {
		{ "{\"aproval\":{\"d\":\"deny\"}}",
			"keys: there is no map \"aproval\"; did you mean" },
		{ "{\"zzzz\":{\"d\":\"deny\"}}",
			"keys: there is no map \"zzzz\"; there are all, look" },
		{ "{\"all\":{\"Foo\":\"help\"}}",
			"keys.all: \"Foo\" is no key; keys are written as" },
		{ "{\"all\":{\"F2\":\"hepl\"}}",
			"keys: there is no command \"hepl\"; did you mean \"help\"?" },
		{ "{\"approval\":{\"F2\":\"approve\"}}",
			"keys.approval: F2 cannot approve: only one printable character" },
		{ "{\"approval\":{\"j\":\"approve\"}}",
			"keys.approval: j cannot be bound to approve: it is bound to down" },
		{ "{\"all\":{\"y\":\"help\"},\"pane\":{\"y\":\"down\"}}",
			"keys.pane: y cannot be bound to down" },
		{ "{\"approval\":{\"Enter\":\"deny\"}}",
			"keys.approval: Enter cannot be bound to deny" },
		{ "{\"approval\":{\"q\":\"deny\"}}", "keys.approval: q cannot be bound to deny" },
		{ "{\"leave\":{\"Space\":\"leave-stop\"}}", "Space cannot be bound to leave-stop" },
		{ "{\"field\":{\"d\":\"back\"}}", "a key that types a character cannot be bound" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct keymap *keymap = keymap_new();
		const char *error = configured(keymap, cases[i].keys);

		if (strncmp(error, "--set keys: ", 12) != 0 || !strstr(error, cases[i].error))
			fail_msg("%s: \"%s\" is not \"%s\"", cases[i].keys, error, cases[i].error);
		keymap_free(keymap);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_command_has_a_name_words_and_help),
		cmocka_unit_test(only_y_and_1_approve),
		cmocka_unit_test(no_key_that_approves_moves_or_closes_elsewhere),
		cmocka_unit_test(the_approval_pane_has_no_key_that_jumps),
		cmocka_unit_test(a_key_is_looked_up_in_the_parents),
		cmocka_unit_test(a_nearer_map_hides_its_parents_key),
		cmocka_unit_test(unsafe_bindings_are_refused),
		cmocka_unit_test(keys_of_the_configuration_are_bound_and_unbound),
		cmocka_unit_test(a_key_that_is_unbound_everywhere_may_approve),
		cmocka_unit_test(keys_that_cannot_be_are_refused_with_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
