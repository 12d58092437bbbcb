/* A record on the whole screen, composed without a terminal. */
#include "config.h"

#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"
#include "tests/tui/golden.h"
#include "tui/app_inside.h"
#include "tui/canvas.h"
#include "tui/theme.h"

#define STEP (250 * NS_PER_MS)

struct fixture {
	struct app_request request;
	struct app_result result;
	struct app app;
	char path[64];
};

/* --- a record whose times are the same in each run --- */

static void
replace(struct buf *line, const char *key, size_t len, const char *by)
{
	char *at = strstr(line->data, key);
	struct buf out;

	assert_non_null(at);
	at += strlen(key);
	buf_init(&out, BUF_UNBOUNDED);
	buf_put(&out, line->data, (size_t)(at - line->data));
	buf_str(&out, by);
	buf_str(&out, at + len);
	buf_release(line);
	*line = out;
}

/* An event each quarter of a second, and the chain made anew. */
static void
retime(struct buf *line, uint64_t seq, struct digest *head)
{
	AUTO_FREE char *mono = mem_printf("%lld", (long long)((int64_t)(seq + 1) * STEP));
	char hex[DIGEST_HEX];

	digest_hex(head, hex);
	replace(line, "\"mono\":", strspn(strstr(line->data, "\"mono\":") + 7, "0123456789"), mono);
	if (seq > 0)
		replace(line, "},\"prev\":\"", 64, hex);
	hash_bytes(line->data, line->len, head);
}

static void
write_record(const char *path, enum make_sample sample)
{
	int from = make_file();
	AUTO_CLOSE int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	AUTO_BUF struct buf all;
	struct digest head = { { 0 } };
	uint64_t seq = 0;

	make_sample(dup(from), sample);
	buf_init(&all, BUF_UNBOUNDED);
	assert_true(lseek(from, 0, SEEK_SET) == 0);
	assert_true(io_read_all(from, &all, NULL) >= 0);
	close(from);
	for (char *at = all.data, *end; (end = strchr(at, '\n')); at = end + 1) {
		AUTO_BUF struct buf line;

		buf_init(&line, BUF_UNBOUNDED);
		buf_put(&line, at, (size_t)(end + 1 - at));
		if (strncmp(at, "{\"v\"", 4) == 0)
			retime(&line, seq++, &head);
		assert_int_equal(io_write_all(to, line.data, line.len, NULL), 0);
	}
}

static int
setup(void **state)
{
	struct fixture *f = mem_zero(1, sizeof(*f));
	struct app *app = &f->app;
	struct err err = { 0 };

	snprintf(f->path, sizeof(f->path), "/tmp/tollbridge-replay-%ld.jsonl", (long)getpid());
	write_record(f->path, SAMPLE_ENDED);
	f->request = (struct app_request){ .socket = -1, .replay = f->path };
	app->result = &f->result;
	app->loop = loop_new();
	assert_int_equal(app_theme_named(&app->theme, "default", NULL), 0);
	app_make(app);
	if (app_replay_open(app, &f->request, &err) < 0)
		fail_msg("%s", err.text);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	app_drop(&f->app);
	loop_free(f->app.loop);
	unlink(f->path);
	free(f);
	return 0;
}

static void
compose(struct fixture *f, int cols, int rows)
{
	canvas_resize(f->app.canvas, cols, rows);
	app_compose(&f->app);
}

static void
type(struct fixture *f, const char *bytes)
{
	for (; *bytes; bytes++) {
		app_input(&f->app, bytes, 1);
		app_compose(&f->app);
	}
}

static void
assert_sizes(struct fixture *f, const char *what)
{
	static const int sizes[][2] = { { 80, 24 }, { 40, 12 }, { 120, 40 }, { 200, 60 } };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		AUTO_FREE char *name =
			mem_printf("replay-%s-%dx%d", what, sizes[i][0], sizes[i][1]);

		compose(f, sizes[i][0], sizes[i][1]);
		assert_picture(f->app.canvas, name);
	}
}

/* --- pictures --- */

static void
a_decision_is_shown_with_the_pane_as_it_stood(void **state)
{
	struct fixture *f = *state;

	compose(f, 80, 24);
	type(f, "0]]");
	assert_sizes(f, "decision");
}

static void
the_end_says_how_it_ended(void **state)
{
	struct fixture *f = *state;

	compose(f, 80, 24);
	type(f, "$");
	assert_sizes(f, "end");
}

static void
what_was_seen_is_told_with_its_facts(void **state)
{
	struct fixture *f = *state;

	compose(f, 120, 40);
	type(f, "0]s");
	compose(f, 120, 40);
	assert_picture(f->app.canvas, "replay-seen-120x40");
	compose(f, 80, 24);
	assert_picture(f->app.canvas, "replay-seen-80x24");
}

static void
its_help_begins_with_its_own_keys(void **state)
{
	struct fixture *f = *state;

	compose(f, 80, 24);
	type(f, "0.....?");
	assert_picture(f->app.canvas, "replay-help-80x24");
}

/* --- harm --- */

static void
every_size_at_every_place_is_drawn_without_harm(void **state)
{
	static const int sizes[][2] = { { 1, 1 }, { 5, 3 }, { 20, 5 }, { 59, 15 }, { 60, 16 },
		{ 99, 24 }, { 100, 24 }, { 300, 100 } };
	struct fixture *f = *state;

	compose(f, 80, 24);
	type(f, "0");
	for (int place = 0; place < 60; place++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
			compose(f, sizes[i][0], sizes[i][1]);
		type(f, place % 7 == 6 ? "," : ".");
	}
	type(f, "s");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		compose(f, sizes[i][0], sizes[i][1]);
}

static void
a_page_about_a_call_outlives_the_way_back_before_it(void **state)
{
	struct fixture *f = *state;

	compose(f, 80, 24);
	type(f, "$");
	app_intent(&f->app, &(struct intent){ .kind = INTENT_DETAIL, .call = 4 });
	assert_int_equal(f->app.overlays, 1);
	type(f, "0");
	assert_int_equal(f->app.overlays, 1);
}

static void
no_intent_that_asks_something_of_a_run_gets_through(void **state)
{
	static const enum intent_kind let[] = { INTENT_NONE, INTENT_OPEN, INTENT_DETAIL,
		INTENT_EXPLAIN, INTENT_DIFF, INTENT_FULL, INTENT_RUN };
	struct fixture *f = *state;

	compose(f, 80, 24);
	type(f, "0]]");
	for (int kind = 0; kind <= INTENT_RUN_STOP; kind++) {
		struct intent intent = { .kind = (enum intent_kind)kind, .call = 4 };
		bool passes = false;

		for (size_t i = 0; i < ARRAY_SIZE(let); i++)
			passes |= let[i] == intent.kind;
		if (passes)
			continue;
		app_intent(&f->app, &intent);
		assert_null(f->app.client);
		assert_null(f->app.approval);
		assert_int_equal(f->app.overlays, 0);
		assert_false(f->app.going);
	}
}

static void
no_command_that_decides_is_offered_or_run(void **state)
{
	struct fixture *f = *state;

	compose(f, 80, 24);
	type(f, "0]]");
	for (int i = 1; i < COMMAND_COUNT; i++) {
		enum command command = (enum command)i;

		if (!(command_flags(command) & (COMMAND_DECIDES | COMMAND_APPROVES)))
			continue;
		assert_false(app_offers(&f->app, command));
		app_run_command(&f->app, command);
	}
	assert_null(f->app.client);
	assert_int_equal(f->app.session.waiting, 1);
}

#define SCREEN_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		SCREEN_TEST(a_decision_is_shown_with_the_pane_as_it_stood),
		SCREEN_TEST(the_end_says_how_it_ended),
		SCREEN_TEST(what_was_seen_is_told_with_its_facts),
		SCREEN_TEST(its_help_begins_with_its_own_keys),
		SCREEN_TEST(every_size_at_every_place_is_drawn_without_harm),
		SCREEN_TEST(a_page_about_a_call_outlives_the_way_back_before_it),
		SCREEN_TEST(no_intent_that_asks_something_of_a_run_gets_through),
		SCREEN_TEST(no_command_that_decides_is_offered_or_run),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
