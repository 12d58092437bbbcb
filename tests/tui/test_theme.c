/* Themes: the ones that come along are whole, mistakes are named with their line. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "tui/theme.h"

static struct theme *
load(const char *name)
{
	struct theme *theme = NULL;
	struct err err = { 0 };

	if (theme_load(&theme, name, NULL, &err) < 0)
		fail_msg("%s", err.text);
	return theme;
}

/* A whole theme in which one line is what the caller says. */
static int
parse_with(enum style style, const char *look, struct theme **theme, struct err *err)
{
	AUTO_BUF struct buf text;

	buf_init(&text, BUF_UNBOUNDED);
	for (unsigned i = 0; i < STYLE_COUNT; i++)
		buf_printf(&text, "%s = %s\n", style_name(i), i == style ? look : "- -");
	return theme_parse(theme, text.data, text.len, "test.theme", err);
}

static void
each_theme_names_each_style(void **state)
{
	for (size_t i = 0; theme_names[i]; i++)
		theme_free(load(theme_names[i]));
}

static bool
same_look(struct theme_look a, struct theme_look b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attrs == b.attrs;
}

/* With every number of colours, and with none. */
static void
the_accent_of_what_waits_is_no_other_styles(void **state)
{
	static const int colours[] = { 0, 8, 16, 256, THEME_DIRECT };

	for (size_t i = 0; theme_names[i]; i++) {
		struct theme *theme = load(theme_names[i]);

		for (size_t c = 0; c < ARRAY_SIZE(colours); c++)
			for (unsigned style = 0; style < STYLE_COUNT; style++)
				if (style != STYLE_ACCENT_WAIT &&
					same_look(theme_look(theme, style, colours[c]),
						theme_look(theme, STYLE_ACCENT_WAIT, colours[c])))
					fail_msg("%s: %s is accent_wait at %d colours",
						theme_names[i], style_name(style), colours[c]);
		theme_free(theme);
	}
}

static void
what_matters_is_told_apart_without_colour(void **state)
{
	static const enum style pairs[][2] = {
		{ STYLE_ACCENT_WAIT, STYLE_TEXT },
		{ STYLE_ESCAPE, STYLE_TEXT },
		{ STYLE_WARNING, STYLE_TEXT },
		{ STYLE_SELECTED, STYLE_TEXT },
		{ STYLE_HINT_KEY, STYLE_HINT },
		{ STYLE_SEARCH, STYLE_TEXT },
	};
	for (size_t name = 0; theme_names[name]; name++) {
		struct theme *theme = load(theme_names[name]);

		theme_drop_colours(theme);
		for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
			assert_int_not_equal(theme_look(theme, pairs[i][0], 256).attrs,
				theme_look(theme, pairs[i][1], 256).attrs);
		theme_free(theme);
	}
}

static void
no_colour_leaves_attributes_alone(void **state)
{
	struct theme *theme = load("default");

	theme_drop_colours(theme);
	for (unsigned style = 0; style < STYLE_COUNT; style++) {
		assert_int_equal(theme_look(theme, style, 256).fg, -1);
		assert_int_equal(theme_look(theme, style, 256).bg, -1);
	}
	theme_free(theme);
	setenv("NO_COLOR", "", 1);
	assert_false(theme_no_colour_wanted());
	setenv("NO_COLOR", "1", 1);
	assert_true(theme_no_colour_wanted());
	unsetenv("NO_COLOR");
	assert_false(theme_no_colour_wanted());
}

static void
colours_are_brought_down_to_what_there_is(void **state)
{
	static const struct {
		const char *look;
		int colours, fg;
	} cases[] = {
		{ "red -", 256, 1 },
		{ "bright-red -", 256, 9 },
		{ "bright-red -", 8, 1 },
		{ "#ff0000 -", 256, 196 },
		{ "#ff0000 -", 16, 9 },
		{ "#e00000 -", 8, 1 },
		{ "#808080 -", 256, 244 },
		{ "196 -", 8, 1 },
		{ "196 -", 256, 196 },
		{ "red -", THEME_DIRECT, 1 },
		{ "#12ab9f -", THEME_DIRECT, 0x12ab9f },
		{ "#0000ee -", THEME_DIRECT, 0x0100ee },
		{ "196 -", THEME_DIRECT, 0xff0000 },
		{ "red -", 0, -1 },
		{ "- -", 256, -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct theme *theme = NULL;

		assert_int_equal(parse_with(STYLE_DIM, cases[i].look, &theme, NULL), 0);
		assert_int_equal(theme_look(theme, STYLE_DIM, cases[i].colours).fg, cases[i].fg);
		theme_free(theme);
	}
}

static void
mistakes_are_named_with_their_line(void **state)
{
	static const struct {
		const char *look, *expected;
	} cases[] = {
		{ "purple -", "test.theme:2: \"purple\" is no colour" },
		{ "256 -", "test.theme:2: \"256\" is no colour" },
		{ "#12345 -", "test.theme:2: \"#12345\" is no colour" },
		{ "-1 -", "test.theme:2: \"-1\" is no colour" },
		{ "red", "test.theme:2: wanted: style = " },
		{ "- - blink", "test.theme:2: \"blink\" is no attribute" },
		{ "- - bold\ntext = - -", "test.theme:3: text was given before" },
		{ "- -\nnosuch = - -", "test.theme:3: \"nosuch\" is no style" },
		{ "- -\nwords", "test.theme:3: no \"=\" in this line" },
		{ "- -\n\x1b[31m = - -", "test.theme:3: \"<U+001B>[31m\" is no style" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct theme *theme = NULL;
		struct err err = { 0 };

		assert_int_equal(parse_with(STYLE_DIM, cases[i].look, &theme, &err), -1);
		assert_null(theme);
		if (strncmp(err.text, cases[i].expected, strlen(cases[i].expected)) != 0)
			fail_msg("\"%s\" is not \"%s\"", err.text, cases[i].expected);
	}
}

static void
a_missing_style_is_named(void **state)
{
	struct theme *theme = NULL;
	struct err err = { 0 };

	assert_int_equal(theme_parse(&theme, "text = - -\n", 11, "x.theme", &err), -1);
	assert_non_null(strstr(err.text, "x.theme: no line for the style \"dim\""));
	assert_int_equal(theme_load(&theme, "nosuch", NULL, &err), -1);
	assert_int_equal(err.kind, ERR_MISSING);
	assert_int_equal(theme_load(&theme, "/no/such/file", NULL, &err), -1);
	assert_int_equal(err.kind, ERR_MISSING);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_theme_names_each_style),
		cmocka_unit_test(the_accent_of_what_waits_is_no_other_styles),
		cmocka_unit_test(what_matters_is_told_apart_without_colour),
		cmocka_unit_test(no_colour_leaves_attributes_alone),
		cmocka_unit_test(colours_are_brought_down_to_what_there_is),
		cmocka_unit_test(mistakes_are_named_with_their_line),
		cmocka_unit_test(a_missing_style_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
