/* Keys: each sequence, however its bytes are split; what is swallowed; paste. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "tui/keys.h"

static struct buf told;
static struct keys *resets; /* reset by the next key */

static void
tell_key(struct key key, void *arg)
{
	char name[KEY_NAME_MAX];

	buf_printf(&told, "%s ", key_name(key, name));
	if (resets)
		keys_reset(resets);
}

static void
tell_paste(const char *bytes, size_t len, bool last, void *arg)
{
	buf_put(&told, bytes, len);
	if (last)
		buf_str(&told, "] ");
}

static const struct keys_hooks hooks = { tell_key, tell_paste, NULL };

static const struct {
	const char *bytes, *expected;
} cases[] = {
	{ "y", "y " },
	{ "yn", "y n " },
	{ " ", "Space " },
	{ "\r", "Enter " },
	{ "\t", "Tab " },
	{ "\x7F", "Backspace " },
	{ "\x03", "Ctrl-C " },
	{ "\x0C", "Ctrl-L " },
	{ "\033[Z", "Shift-Tab " },
	{ "\033[A\033OB", "Up Down " },
	{ "\033[1;5C", "Ctrl-Right " },
	{ "\033[1;2D", "Shift-Left " },
	{ "\033[5~\033[6~", "PgUp PgDn " },
	{ "\033[H\033[4~\033OF\033[1~", "Home End End Home " },
	{ "\033OP\033[21~\033[11~\033[24~", "F1 F10 F1 F12 " },
	{ "\033[[A\033[[E", "F1 F5 " },
	{ "\033y", "Alt-y " },
	{ "\033Y", "Alt-Y " },
	{ "\033\xC3\xA9", "Alt-\xC3\xA9 " },
	{ "\xC3\xA9\xE6\x97\xA5", "\xC3\xA9 \xE6\x97\xA5 " },
	/* no UTF-8: nothing, and what follows is itself */
	{ "\xFFz", "z " },
	{ "\xC3z", "z " },
	{ "\xED\xA0\x80z", "z " },
	{ "\xC2\x9Bz", "z " },
	/* replies, reports, focus, mouse */
	{ "\033[?62;22cz", "z " },
	{ "\033[>41;354;0cz", "z " },
	{ "\033[12;40Rz", "z " },
	{ "\033[1;1Rz", "z " },
	{ "\033[0nz", "z " },
	{ "\033[I\033[Oz", "z " },
	{ "\033[M yyz", "z " },
	{ "\033[<0;10;10Mz", "z " },
	{ "\033[<0;10;10mz", "z " },
	{ "\033[32;10;10Mz", "z " },
	{ "\033]11;rgb:0000/0000/0000\033\\z", "z " },
	{ "\033]11;yyyy\az", "z " },
	{ "\033P>|xterm(388)\033\\z", "z " },
	{ "\033_Gyy\033\\z", "z " },
	/* unknown */
	{ "\033[121;5uz", "z " },
	{ "\033[27;5;121~z", "z " },
	{ "\033[999999999999999999~z", "z " },
	{ "\033[yz", "z " },
	{ "\033Oyz", "z " },
	{ "\033[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17Az", "z " },
	/* twice ESC */
	{ "\033\033[A", "Esc Up " },
	/* paste: never keys */
	{ "\033[200~yn\r\033[201~z", "yn\r] z " },
	{ "\033[200~\033[201~", "] " },
	{ "\033[200~\033\033[20\033[A\033[201~z", "\033\033[20\033[A] z " },
};

static void
feed(const char *bytes, size_t len, size_t step)
{
	struct keys *keys = keys_new(&hooks);

	buf_clear(&told);
	for (size_t at = 0; at < len; at += step)
		keys_feed(keys, bytes + at, at + step < len ? step : len - at);
	assert_false(keys_waiting(keys));
	keys_free(keys);
}

static void
sequences_are_keys_whatever_their_split(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].bytes);

		for (size_t step = 1; step <= len; step++) {
			feed(cases[i].bytes, len, step);
			assert_string_equal(told.data, cases[i].expected);
		}
	}
}

static void
esc_is_a_key_only_after_its_time(void **state)
{
	struct keys *keys = keys_new(&hooks);

	buf_clear(&told);
	keys_feed(keys, "\033", 1);
	assert_int_equal(told.len, 0);
	assert_true(keys_waiting(keys));
	keys_expire(keys);
	assert_string_equal(told.data, "Esc ");
	assert_false(keys_waiting(keys));
	keys_expire(keys);
	assert_string_equal(told.data, "Esc ");
	keys_free(keys);
}

static void
a_half_sequence_expires_without_a_key(void **state)
{
	static const char *const halves[] = { "\033[", "\033[1;5", "\033O", "\xC3", "\033]11;yy",
		"\033[M ", "\033\xC3", "\033Pyy\033" };

	for (size_t i = 0; i < ARRAY_SIZE(halves); i++) {
		struct keys *keys = keys_new(&hooks);

		buf_clear(&told);
		keys_feed(keys, halves[i], strlen(halves[i]));
		assert_true(keys_waiting(keys));
		keys_expire(keys);
		keys_feed(keys, "z", 1);
		assert_string_equal(told.data, "z ");
		keys_free(keys);
	}
}

static void
reset_drops_half_sequences_and_paste(void **state)
{
	struct keys *keys = keys_new(&hooks);

	buf_clear(&told);
	keys_feed(keys, "\033", 1);
	keys_reset(keys);
	keys_feed(keys, "y", 1);
	assert_string_equal(told.data, "y ");
	keys_feed(keys, "\033[200~abc", 9);
	assert_true(keys_in_paste(keys));
	keys_reset(keys);
	assert_false(keys_in_paste(keys));
	keys_free(keys);
}

static void
a_hook_that_resets_drops_the_rest(void **state)
{
	struct keys *keys = keys_new(&hooks);

	buf_clear(&told);
	resets = keys;
	keys_feed(keys, "abc", 3);
	resets = NULL;
	assert_string_equal(told.data, "a ");
	keys_free(keys);
}

static void
a_key_is_alone_only_when_nothing_came_with_it(void **state)
{
	static const struct {
		const char *bytes;
		bool alone;
	} reads[] = {
		{ "y", true },
		{ "\xC3\xA9", true },
		{ "\033[A", true },
		{ "yy", false },
		{ "\xC3y", false }, /* a character cut short */
		{ "\x9By", false }, /* a control sequence of eight bits, for some terminals */
		{ "\xFFy", false },
		{ "y\xFF", false },
		{ "y\033", false },
		{ "y\xC3", false },
		{ "\033[Iy", false }, /* a report */
		{ "\033]11;rgb:0/0/0\ay", false },
		{ "\033[200~n\033[201~y", false },
		{ "y\033[200~n", false },
		{ "\033\033", false },
		{ "", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(reads); i++) {
		struct keys *keys = keys_new(&hooks);

		keys_feed(keys, reads[i].bytes, strlen(reads[i].bytes));
		if (keys_alone(keys) != reads[i].alone)
			fail_msg("case %zu", i);
		keys_free(keys);
	}
}

static void
names_of_keys_are_read_back(void **state)
{
	static const char *const names[] = { "y", "Y", "Space", "Ctrl-C", "Alt-x", "Shift-Tab",
		"F1", "F12", "PgUp", "Esc", "?", "/", "Ctrl-Right" };
	struct key key;
	char name[KEY_NAME_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_true(key_parse(names[i], &key));
		assert_string_equal(key_name(key, name), names[i]);
	}
	assert_false(key_parse("", &key));
	assert_false(key_parse("F13", &key));
	assert_false(key_parse("yy", &key));
	assert_false(key_parse("Ctrl-", &key));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequences_are_keys_whatever_their_split),
		cmocka_unit_test(esc_is_a_key_only_after_its_time),
		cmocka_unit_test(a_half_sequence_expires_without_a_key),
		cmocka_unit_test(reset_drops_half_sequences_and_paste),
		cmocka_unit_test(a_hook_that_resets_drops_the_rest),
		cmocka_unit_test(a_key_is_alone_only_when_nothing_came_with_it),
		cmocka_unit_test(names_of_keys_are_read_back),
	};
	int failed;

	buf_init(&told, BUF_UNBOUNDED);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	buf_release(&told);
	return failed;
}
