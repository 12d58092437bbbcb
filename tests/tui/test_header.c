/* The first row at every width: nothing overflows, nothing overlaps, what matters stays longest. */
#include "config.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"
#include "tui/canvas.h"
#include "tui/header.h"
#include "tui/view.h"

#define EDGE 4 /* columns around the header, which nobody may touch */

struct fixture {
	struct session session;
	struct keymap *keymap;
	struct canvas *canvas;
	struct view_scene scene;
};

static int
setup(void **state)
{
	struct fixture *f = mem_zero(1, sizeof(*f));

	make_sample_session(&f->session, SAMPLE_HELD);
	f->keymap = keymap_new();
	f->canvas = canvas_new(80, 1);
	f->scene = (struct view_scene){
		.session = &f->session, .keymap = f->keymap, .mono = f->session.mono
	};
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	session_release(&f->session);
	keymap_free(f->keymap);
	canvas_free(f->canvas);
	free(f);
	return 0;
}

/* The row's text, with an edge of "#" on both sides to find what leaves the rect. */
static char *
row_at(struct fixture *f, int width)
{
	AUTO_BUF struct buf text;
	char edge[EDGE + 1] = "####";

	buf_init(&text, BUF_UNBOUNDED);
	canvas_resize(f->canvas, width + 2 * EDGE, 1);
	canvas_text(f->canvas, 0, 0, STYLE_TEXT, edge);
	canvas_text(f->canvas, width + EDGE, 0, STYLE_TEXT, edge);
	header_draw(f->canvas, rect_make(EDGE, 0, width, 1), &f->scene, false);
	for (int x = 0; x < canvas_cols(f->canvas); x++)
		buf_str(&text, canvas_at(f->canvas, x, 0).utf8);
	return mem_str(text.data);
}

static bool
has_edges(const char *row)
{
	size_t len = strlen(row);

	return strncmp(row, "####", EDGE) == 0 && strcmp(row + len - EDGE, "####") == 0;
}

/* At each width on: this part is there, and no less important one is there before it. */
static void
nothing_leaves_the_row_and_what_matters_comes_first(void **state)
{
	static const char *const parts[] = { "1 waits", "waiting", "3/50", "!1/2", "payroll-1" };
	struct fixture *f = *state;
	size_t there = 0;

	for (int width = 1; width <= 300; width++) {
		AUTO_FREE char *row = row_at(f, width);
		size_t count = 0;

		if (!has_edges(row))
			fail_msg("%d columns: %s", width, row);
		for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
			count += strstr(row, parts[i]) != NULL;
		if (width >= 60 && count < ARRAY_SIZE(parts))
			fail_msg("%d columns: %s", width, row);
		/* The most important ones, without a gap. */
		for (size_t i = 0; i < count && i < 2; i++)
			if (!strstr(row, parts[i]))
				fail_msg("%d columns without \"%s\": %s", width, parts[i], row);
		if (count > there)
			there = count;
	}
	assert_int_equal(there, ARRAY_SIZE(parts));
}

/* Parts drawn over one another would lose a character of one. */
static void
no_part_is_drawn_over_another(void **state)
{
	static const char *const whole[] = { "1 waits", "waiting 0:05", " 3/50", "native !1/2",
		"payroll-1", "2 alerts", "AWAY" };
	struct fixture *f = *state;
	char text[] = "something";
	struct session_alert alerts[2] = { { .text = text }, { .text = text } };

	f->session.away = true;
	f->session.alerts = alerts;
	f->session.alert_count = 2;
	for (int width = 130; width <= 300; width++) {
		AUTO_FREE char *row = row_at(f, width);

		for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
			if (!strstr(row, whole[i]))
				fail_msg("%d columns without \"%s\": %s", width, whole[i], row);
	}
	f->session.alerts = NULL;
	f->session.alert_count = 0;
}

#define WIDE "\xe4\xb8\xad\xe4\xb8\xad" /* two letters of two columns */

static void
a_name_of_wide_or_hostile_text_stays_in_its_place(void **state)
{
	static const char *const names[] = { WIDE WIDE WIDE WIDE, "a\xe2\x80\xae\x1b[31m", "" };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		free(f->session.name);
		f->session.name = mem_str(names[i]);
		for (int width = 1; width <= 300; width++) {
			AUTO_FREE char *row = row_at(f, width);

			if (!has_edges(row) || strchr(row, '\x1b'))
				fail_msg("%d columns: %s", width, row);
		}
	}
}

static void
a_session_of_which_nothing_is_known_has_a_header(void **state)
{
	struct fixture *f = *state;

	session_release(&f->session);
	session_init(&f->session);
	for (int width = 1; width <= 300; width++) {
		AUTO_FREE char *row = row_at(f, width);

		assert_true(has_edges(row));
	}
}

#define HEADER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		HEADER_TEST(nothing_leaves_the_row_and_what_matters_comes_first),
		HEADER_TEST(no_part_is_drawn_over_another),
		HEADER_TEST(a_name_of_wide_or_hostile_text_stays_in_its_place),
		HEADER_TEST(a_session_of_which_nothing_is_known_has_a_header),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
