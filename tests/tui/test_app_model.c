/*
 * The console without a terminal, driven at random: keys, pastes, time, frames, sizes, calls that
 * arrive, are edited and decided elsewhere.  An approval that is sent is held against what this
 * test itself saw: pictures that left, times of bytes, and the key.
 */
#include "config.h"

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
#include "core/base/json.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "tests/record/make_record.h"
#include "tests/tui/fake_supervisor.h"
#include "tui/app_inside.h"
#include "tui/arming.h"
#include "tui/canvas.h"
#include "tui/client.h"
#include "tui/theme.h"
#include "tui/view_approval.h"

#define MS NS_PER_MS
#define STEPS 60000
#define CALLS_MAX 60
#define RAISE "payroll.apply_raise"

struct model {
	struct app_request request;
	struct app_result result;
	struct app app;
	struct fake_supervisor fake;
	size_t taken; /* of what the fake heard */
	struct make make;
	int file;
	size_t fed;
	struct reader *reader;
	int64_t now;
	unsigned seed;

	/* What the test saw. */
	const struct view *pane; /* the pane whose pictures these are */
	char *args[CALLS_MAX + 1];
	bool seen[CALLS_MAX + 1]; /* all of its arguments stood in a picture that left */
	struct buf picture;       /* on its way; its pane was on top */
	const struct view *picture_pane;
	uint64_t picture_of; /* presentation */
	bool flying;
	uint64_t presentation;
	int64_t drawn_at; /* the first picture of this presentation left; -1: not yet */
	int64_t last_byte, byte_before;
	bool lone_y;   /* the latest read was one y */
	bool obedient; /* the supervisor takes what it is told */
	unsigned approved, denied;
};

static unsigned
dice(struct model *m, unsigned sides)
{
	m->seed = m->seed * 1103515245 + 12345;
	return (m->seed >> 16) % sides;
}

/* --- events --- */

static void
feed(struct model *m)
{
	char bytes[65536];
	struct event_view event;
	ssize_t got;

	assert_int_equal(record_write(m->make.record, NULL), 0);
	while ((got = pread(m->file, bytes, sizeof(bytes), (off_t)m->fed)) > 0) {
		m->fed += (size_t)got;
		assert_true(reader_feed(m->reader, bytes, (size_t)got, NULL) >= 0);
	}
	while (reader_next(m->reader, &event, NULL) > 0) {
		event.mono = m->now;
		session_apply(&m->app.session, &event);
	}
	app_dirty(&m->app);
}

static void
keep_args(struct model *m, uint64_t call, const char *args)
{
	free(m->args[call]);
	m->args[call] = mem_str(args);
	m->seen[call] = false;
}

static void
call_arrives(struct model *m)
{
	AUTO_FREE char *args = NULL;
	uint64_t call;

	if (m->make.calls == CALLS_MAX || m->app.session.waiting > 3)
		return;
	args = mem_printf(
		"{\"name\":\"Ada\",\"amount\":%llu}", (unsigned long long)(9000 + m->make.calls));
	call = make_request(&m->make, RAISE, args, 8);
	make_ruled(&m->make, call, "ask", NULL);
	make_held(&m->make, call, -1);
	keep_args(m, call, args);
	feed(m);
}

/* A held call, or 0. */
static uint64_t
any_held(struct model *m)
{
	uint64_t found = 0;

	for (uint64_t i = 1; i <= m->app.session.call_count; i++)
		if (session_call(&m->app.session, i)->state == CALL_HELD &&
			(found == 0 || dice(m, 2) == 0))
			found = i;
	return found;
}

static void
somebody_edits(struct model *m)
{
	uint64_t call = any_held(m);
	AUTO_FREE char *args = NULL;

	if (call == 0)
		return;
	args = mem_printf("{\"name\":\"Bob\",\"amount\":%u}", 1000 + dice(m, 8000));
	make_edited(&m->make, call, RAISE, args);
	keep_args(m, call, args);
	feed(m);
}

static void
decided(struct model *m, uint64_t call, const char *verdict)
{
	make_decided(&m->make, call, verdict, "person", NULL);
	if (strcmp(verdict, "approve") == 0) {
		make_call_start(&m->make, call);
		make_call_end(&m->make, call, "ok", "1");
	} else {
		make_call_end(&m->make, call, "denied", NULL);
	}
	feed(m);
}

/* --- what is held against what was seen --- */

static void
judge_approval(struct model *m, uint64_t call, struct json_value request)
{
	const struct session_call *held = session_call(&m->app.session, call);
	char hex[DIGEST_HEX];

	if (held->state != CALL_HELD)
		return; /* decided elsewhere while the key settled: the supervisor refuses it */
	digest_hex(&held->bind, hex);
	assert_string_equal(json_text(request, "bind"), hex);
	assert_true(m->lone_y);
	assert_true(m->seen[call]);
	assert_true(m->drawn_at >= 0);
	assert_true(m->last_byte - m->drawn_at >= 500 * MS);
	assert_true(m->last_byte - m->byte_before >= 300 * MS);
	assert_true(m->now - m->last_byte >= 30 * MS);
	assert_true(canvas_cols(m->app.canvas) >= 60 && canvas_rows(m->app.canvas) >= 15);
	assert_int_equal(m->app.overlays, 0);
	assert_null(m->app.prompt);
}

static void
answer(struct model *m, struct json_value request)
{
	bool decide = json_is(json_get(request, "op"), "decide");
	bool approve = json_is(json_get(request, "verdict"), "approve");
	int64_t id = 0, call = 0;

	assert_true(json_int(json_get(request, "id"), 1, INT64_MAX, &id));
	if (decide) {
		assert_true(json_int(json_get(request, "call"), 1, CALLS_MAX, &call));
		assert_true(approve || json_is(json_get(request, "verdict"), "deny"));
	}
	if (approve)
		judge_approval(m, (uint64_t)call, request);
	if (!decide || session_call(&m->app.session, (uint64_t)call)->state != CALL_HELD ||
		(!m->obedient && dice(m, 8) == 0)) {
		app_answered(&m->app, (uint64_t)id, false, "not now");
		return;
	}
	m->approved += approve;
	m->denied += !approve;
	decided(m, (uint64_t)call, approve ? "approve" : "deny");
	app_answered(&m->app, (uint64_t)id, true, NULL);
}

static void
nothing(void *arg)
{
	(void)arg;
}

/* Whole lines that the console has sent. */
static void
hear(struct model *m)
{
	const char *heard, *end;

	for (int i = 0; i < 3; i++) {
		loop_defer(m->app.loop, nothing, m); /* a turn does not wait */
		loop_turn(m->app.loop);
	}
	heard = fake_hear(&m->fake) + m->taken;
	while ((end = strchr(heard, '\n'))) {
		AUTO_JSON struct json *line = json_read(heard, (size_t)(end - heard), NULL);

		m->taken += (size_t)(end - heard) + 1;
		if (json_there(json_get(json_root(line), "op")))
			answer(m, json_root(line));
		heard = m->fake.heard.data + m->taken;
	}
}

/* --- the screen --- */

static void
note_pane(struct model *m)
{
	uint64_t presentation = arming_presentation(m->app.arming);

	if (m->app.approval != m->pane) {
		m->pane = m->app.approval;
		memset(m->seen, 0, sizeof(m->seen));
		m->drawn_at = -1;
	}
	if (presentation != m->presentation) {
		m->presentation = presentation;
		m->drawn_at = -1;
	}
}

static void
paint(struct model *m)
{
	bool on_top;

	if (m->flying)
		return;
	app_compose(&m->app);
	note_pane(m);
	m->app.frame++;
	m->app.painted_at = m->now;
	app_guard_painted(&m->app);
	on_top = m->app.approval && m->app.overlays == 0;
	buf_clear(&m->picture);
	canvas_dump(m->app.canvas, &m->picture, false);
	m->picture_pane = on_top ? m->app.approval : NULL;
	m->picture_of = m->presentation;
	m->flying = true;
}

static void
frame_leaves(struct model *m)
{
	if (!m->flying)
		return;
	m->flying = false;
	note_pane(m);
	if (m->picture_pane && m->picture_pane == m->app.approval && m->app.overlays == 0 &&
		m->picture_of == m->presentation) {
		for (uint64_t i = 1; i <= m->make.calls; i++)
			m->seen[i] |= strstr(m->picture.data, m->args[i]) != NULL;
		if (m->drawn_at < 0)
			m->drawn_at = m->now;
	}
	app_frame_left(&m->app, m->app.frame);
}

static void
resize(struct model *m)
{
	static const int sizes[][2] = { { 80, 24 }, { 120, 40 }, { 100, 20 }, { 60, 15 },
		{ 59, 24 }, { 80, 14 }, { 40, 12 } };
	unsigned i = dice(m, ARRAY_SIZE(sizes) + 3);

	i = i < ARRAY_SIZE(sizes) ? i : 0;
	canvas_resize(m->app.canvas, sizes[i][0], sizes[i][1]);
	app_present_again(&m->app);
}

static void
pass(struct model *m, int64_t ms)
{
	m->now += ms * MS;
	loop_set_now(m->app.loop, m->now);
	if (keys_waiting(m->app.keys) && ms >= KEYS_ESC_MS)
		app_escape_over(&m->app);
	app_settle(&m->app);
	hear(m);
}

/* --- keys --- */

static void
press(struct model *m, const char *bytes)
{
	note_pane(m);
	m->byte_before = m->last_byte;
	m->last_byte = m->now;
	m->lone_y = strcmp(bytes, "y") == 0;
	app_input(&m->app, bytes, strlen(bytes));
}

static void
any_key(struct model *m)
{
	static const char *const keys[] = { "n", "r", "\r", " ", "\x1b", "q", "j", "k", "f", "u",
		"t", "x", "?", "c", "/", "E", "s", "V", "1", "X", "S", "a", "Y", "\t", "\x1b[6~",
		"\x1b[5~", "\x1b[200~y\x1b[201~", "\x1by", "yy", "ny", "yyy", "y\r", "\x1b[A",
		"\x1b[<0;5;5M", "0", "G", "b", "]" };

	if (dice(m, 10) == 0) { /* a y close behind another key */
		press(m, "k");
		pass(m, 40 + dice(m, 270));
	}
	if (dice(m, 3) > 0)
		press(m, "y");
	else
		press(m, keys[dice(m, ARRAY_SIZE(keys))]);
}

/* --- the walk --- */

static int
setup(void **state)
{
	struct model *m = mem_zero(1, sizeof(*m));
	struct app *app = &m->app;
	struct client_hooks hooks = { .arg = m };

	m->seed = 20261201;
	m->now = 1000 * NS_PER_S;
	m->last_byte = m->byte_before = -1000 * NS_PER_S;
	m->drawn_at = -1;
	buf_init(&m->picture, BUF_UNBOUNDED);
	m->request.socket = -1;
	app->request = &m->request;
	app->result = &m->result;
	app->loop = loop_new();
	loop_set_now(app->loop, m->now);
	assert_int_equal(app_theme_named(&app->theme, "default", NULL), 0);
	app_make(app);
	app_make_panes(app);
	app->live = true;
	fake_begin(&m->fake);
	app->client = client_new(app->loop, m->fake.theirs, 0, &hooks);
	canvas_resize(app->canvas, 80, 24);
	m->file = make_file();
	m->reader = reader_new(READER_CHAIN);
	make_open(&m->make, dup(m->file));
	make_start(&m->make, "payroll-1");
	feed(m);
	*state = m;
	return 0;
}

static int
teardown(void **state)
{
	struct model *m = *state;

	client_free(m->app.client);
	m->app.client = NULL;
	app_drop(&m->app);
	loop_free(m->app.loop);
	fake_end(&m->fake);
	make_close(&m->make);
	reader_free(m->reader);
	close(m->file);
	buf_release(&m->picture);
	for (size_t i = 0; i <= CALLS_MAX; i++)
		free(m->args[i]);
	free(m);
	return 0;
}

static void
step(struct model *m)
{
	switch (dice(m, 24)) {
	case 0:
		call_arrives(m);
		break;
	case 1:
		if (dice(m, 12) == 0)
			somebody_edits(m);
		break;
	case 2:
		if (dice(m, 12) == 0 && any_held(m))
			decided(m, any_held(m), "deny");
		break;
	case 3:
		if (dice(m, 8) == 0)
			resize(m);
		break;
	case 4 ... 10:
		paint(m);
		break;
	case 11 ... 17:
		frame_leaves(m);
		break;
	default:
		any_key(m);
		break;
	}
	app_look_for_waiting(&m->app);
	note_pane(m);
	pass(m, dice(m, 5) == 0 ? 800 : dice(m, 3) == 0 ? dice(m, 25) : dice(m, 500));
}

static void
nothing_but_a_lone_y_on_what_was_seen_whole_approves(void **state)
{
	struct model *m = *state;

	for (int i = 0; i < STEPS && m->approved + m->denied < CALLS_MAX - 5; i++)
		step(m);
	assert_true(m->approved >= 5 && m->denied >= 1);
}

static void
a_key_stands_30_ms_after_it_and_not_before(void **state)
{
	struct model *m = *state;

	m->obedient = true;
	call_arrives(m);
	app_look_for_waiting(&m->app);
	paint(m);
	frame_leaves(m);
	pass(m, 1200);
	press(m, "y");
	pass(m, 29);
	assert_int_equal(m->approved, 0);
	pass(m, 2);
	assert_int_equal(m->approved, 1);
}

/* --- several calls with one key --- */

static void
three_are_shown(struct model *m)
{
	static const uint64_t calls[] = { 1, 2, 3 };

	m->obedient = true;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		call_arrives(m);
	canvas_resize(m->app.canvas, 120, 60);
	app_open_many(&m->app, calls, ARRAY_SIZE(calls));
	app_look_for_waiting(&m->app);
	paint(m);
	frame_leaves(m);
	pass(m, 1200);
}

/* To the end of the documents. */
static void
read_on(struct model *m)
{
	for (int i = 0; i < 20; i++) {
		press(m, "\x1b[6~");
		pass(m, 10);
		paint(m);
		frame_leaves(m);
	}
	pass(m, 1200);
}

static void
one_y_approves_each_of_several_when_all_was_shown(void **state)
{
	struct model *m = *state;

	three_are_shown(m);
	canvas_resize(m->app.canvas, 120, 30);
	app_present_again(&m->app);
	paint(m);
	frame_leaves(m);
	pass(m, 1200);
	press(m, "y");
	pass(m, 40);
	assert_true(m->approved == 0 || (m->seen[1] && m->seen[2] && m->seen[3]));
	read_on(m);
	press(m, "y");
	pass(m, 40);
	assert_int_equal(m->approved, 3);
	app_look_for_waiting(&m->app);
	assert_null(m->app.approval);
}

static void
one_n_denies_each_of_several(void **state)
{
	struct model *m = *state;

	three_are_shown(m);
	press(m, "n");
	pass(m, 40);
	assert_int_equal(m->denied, 3);
}

static void
what_is_decided_elsewhere_drops_out_and_the_rest_is_shown_anew(void **state)
{
	struct model *m = *state;

	three_are_shown(m);
	read_on(m);
	decided(m, 2, "deny");
	app_look_for_waiting(&m->app);
	assert_int_equal(view_approval_count(m->app.approval), 2);
	assert_int_equal(view_approval_call(m->app.approval, 1), 3);
	press(m, "y");
	pass(m, 40);
	assert_int_equal(m->approved, 0);
	paint(m);
	frame_leaves(m);
	pass(m, 1200);
	read_on(m);
	press(m, "y");
	pass(m, 40);
	assert_int_equal(m->approved, 2);
}

#define MODEL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_key_stands_30_ms_after_it_and_not_before, setup, teardown),
		MODEL_TEST(one_y_approves_each_of_several_when_all_was_shown),
		MODEL_TEST(one_n_denies_each_of_several),
		MODEL_TEST(what_is_decided_elsewhere_drops_out_and_the_rest_is_shown_anew),
		cmocka_unit_test_setup_teardown(
			nothing_but_a_lone_y_on_what_was_seen_whole_approves, setup, teardown),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
