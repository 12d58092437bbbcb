/* The client against a fake supervisor (fake_supervisor.h): no process runs at the other end. */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "tests/tui/fake_supervisor.h"
#include "tui/client.h"

struct world {
	struct fake_supervisor fake;
	struct loop *loop;
	struct client *client;
	struct buf told; /* what the hooks said, a word each */
	struct buf lines;
	bool free_at_event;
};

static void
tell_hello(struct client *client, void *arg)
{
	struct world *world = arg;

	buf_printf(&world->told, "hello@%lld ", (long long)client_mono(client));
}

static void
tell_lines(const char *bytes, size_t len, void *arg)
{
	struct world *world = arg;

	buf_put(&world->lines, bytes, len);
}

static void
tell_event(const struct event_view *event, void *arg)
{
	struct world *world = arg;

	buf_printf(
		&world->told, "%s#%llu ", event_name(event->type), (unsigned long long)event->seq);
	if (world->free_at_event) {
		client_free(world->client);
		world->client = NULL;
	}
}

static void
tell_live(void *arg)
{
	struct world *world = arg;

	buf_str(&world->told, "live ");
}

static void
tell_reply(uint64_t id, struct json_value reply, void *arg)
{
	struct world *world = arg;

	buf_printf(&world->told, "reply%llu:%s ", (unsigned long long)id,
		json_bool(json_get(reply, "ok"), false) ? "ok" : json_text(reply, "error"));
}

static void
tell_notice(struct json_value notice, void *arg)
{
	struct world *world = arg;

	buf_printf(&world->told, "notice:%s ", json_text(notice, "notice"));
}

static void
tell_closed(const char *why, void *arg)
{
	struct world *world = arg;

	buf_printf(&world->told, "closed:%s ", why ? why : "in order");
}

static int
begin(void **state)
{
	struct world *world = mem_zero(1, sizeof(*world));

	signal(SIGPIPE, SIG_IGN);
	alarm(20);
	fake_begin(&world->fake);
	world->loop = loop_new();
	buf_init(&world->told, BUF_UNBOUNDED);
	buf_init(&world->lines, BUF_UNBOUNDED);
	*state = world;
	return 0;
}

static int
end(void **state)
{
	struct world *world = *state;

	client_free(world->client);
	loop_free(world->loop);
	fake_end(&world->fake);
	buf_release(&world->told);
	buf_release(&world->lines);
	free(world);
	return 0;
}

static void
connect_from(struct world *world, uint64_t from)
{
	struct client_hooks hooks = { tell_hello, tell_lines, tell_event, tell_live, tell_reply,
		tell_notice, tell_closed, world };

	world->client = client_new(world->loop, world->fake.theirs, from, &hooks);
}

/* Turns until the hooks have said this word; the alarm ends a test that waits for ever. */
static void
until(struct world *world, const char *word)
{
	while (!world->told.data || !strstr(world->told.data, word))
		loop_turn(world->loop);
}

static void
what_was_recorded_comes_before_live(void **state)
{
	struct world *world = *state;

	fake_event(&world->fake, EVENT_SESSION_START, "name", "fake-1");
	fake_event(&world->fake, EVENT_ALERT, "text", "one");
	connect_from(world, 0);
	fake_hello(&world->fake, 2);
	fake_send_record(&world->fake, 0, NULL, NULL);
	until(world, "live");
	fake_event(&world->fake, EVENT_ALERT, "text", "two");
	fake_send_record(&world->fake, 0, NULL, NULL);
	until(world, "#2");

	assert_string_equal(world->told.data, "hello@5000 session.start#0 alert#1 live alert#2 ");
	assert_int_equal(world->lines.len, record_written(world->fake.record));
}

static void
turn(void *arg)
{
	loop_turn(arg);
}

static void
lines_may_come_byte_by_byte(void **state)
{
	struct world *world = *state;

	fake_event(&world->fake, EVENT_SESSION_START, "name", "fake-1");
	fake_event(&world->fake, EVENT_SESSION_END, "outcome", "ok");
	connect_from(world, 0);
	fake_hello(&world->fake, 2);
	until(world, "hello");
	fake_send_record(&world->fake, 1, turn, world->loop);
	until(world, "live");
	fake_hang_up(&world->fake);
	until(world, "closed");

	assert_string_equal(
		world->told.data, "hello@5000 session.start#0 session.end#1 live closed:in order ");
}

static void
replies_and_notices_stay_between_the_events_around_them(void **state)
{
	struct world *world = *state;

	connect_from(world, 0);
	fake_event(&world->fake, EVENT_SESSION_START, "name", "fake-1");
	fake_hello(&world->fake, 0);
	fake_say(&world->fake, "{\"notice\":\"poisoned\"}\n");
	fake_send_record(&world->fake, 0, NULL, NULL);
	fake_say(&world->fake,
		"{\"reply\":1,\"ok\":true}\n"
		"{\"reply\":2,\"ok\":false,\"kind\":\"state\",\"error\":\"late\"}\n");
	fake_event(&world->fake, EVENT_ALERT, "text", "one");
	fake_send_record(&world->fake, 0, NULL, NULL);
	until(world, "#1");

	assert_string_equal(world->told.data,
		"hello@5000 live notice:poisoned session.start#0 reply1:ok reply2:late alert#1 ");
	assert_null(strstr(world->lines.data, "reply"));
}

static void
a_supervisor_that_dies_is_told_from_one_that_ends(void **state)
{
	struct world *world = *state;

	connect_from(world, 0);
	fake_hello(&world->fake, 0);
	fake_hang_up(&world->fake);
	until(world, "closed");

	assert_string_equal(world->told.data, "hello@5000 live closed:the supervisor is gone ");
}

static void
a_broken_chain_closes(void **state)
{
	struct world *world = *state;

	fake_event(&world->fake, EVENT_SESSION_START, "name", "fake-1");
	connect_from(world, 0);
	fake_hello(&world->fake, 1);
	fake_send_record(&world->fake, 0, NULL, NULL);
	until(world, "live");
	world->fake.sent = 0;
	fake_send_record(&world->fake, 0, NULL, NULL);
	until(world, "closed");

	assert_null(strstr(world->told.data, "in order"));
	assert_null(strstr(world->told.data, "session.start#0 live session.start"));
}

static void
another_protocol_closes(void **state)
{
	struct world *world = *state;

	connect_from(world, 0);
	fake_say(&world->fake, "{\"hello\":2,\"next\":0,\"mono\":0}\n");
	until(world, "closed");

	assert_string_equal(
		world->told.data, "closed:the other side does not speak this protocol ");
}

static void
a_hook_may_free_the_client(void **state)
{
	struct world *world = *state;

	world->free_at_event = true;
	fake_event(&world->fake, EVENT_SESSION_START, "name", "fake-1");
	fake_event(&world->fake, EVENT_ALERT, "text", "one");
	connect_from(world, 0);
	fake_hello(&world->fake, 2);
	fake_send_record(&world->fake, 0, NULL, NULL);
	until(world, "#0");

	assert_string_equal(world->told.data, "hello@5000 session.start#0 ");
}

static void
hear_until(struct world *world, const char *words)
{
	while (!strstr(fake_hear(&world->fake), words))
		loop_turn(world->loop);
}

static void
a_decision_carries_what_was_seen(void **state)
{
	struct world *world = *state;
	struct client_decision decision = { .call = 4,
		.approve = true,
		.presentation = 2,
		.covered = 28,
		.total = 28,
		.dwell_ms = 900,
		.reason = "a \"b\"\n",
		.code = "7K2P",
		.via = "console" };

	connect_from(world, 7);
	assert_int_equal(client_decide(world->client, &decision), 1);
	decision.via = "decide";
	assert_int_equal(client_decide(world->client, &decision), 2);
	hear_until(world, "\"id\":2");
	hear_until(world, "\"via\":\"decide\",\"reason\"");

	assert_non_null(strstr(world->fake.heard.data, "\"from\":7}\n{\"id\":1,\"op\":\"decide\","
						       "\"call\":4,\"bind\":\"00"));
	assert_non_null(strstr(world->fake.heard.data,
		"\"covered\":28,\"total\":28,\"dwell_ms\":900,\"reason\":\"a \\\"b\\\"\\n\","
		"\"code\":\"7K2P\"}\n"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_recorded_comes_before_live, begin, end),
		cmocka_unit_test_setup_teardown(lines_may_come_byte_by_byte, begin, end),
		cmocka_unit_test_setup_teardown(
			replies_and_notices_stay_between_the_events_around_them, begin, end),
		cmocka_unit_test_setup_teardown(
			a_supervisor_that_dies_is_told_from_one_that_ends, begin, end),
		cmocka_unit_test_setup_teardown(a_broken_chain_closes, begin, end),
		cmocka_unit_test_setup_teardown(another_protocol_closes, begin, end),
		cmocka_unit_test_setup_teardown(a_hook_may_free_the_client, begin, end),
		cmocka_unit_test_setup_teardown(a_decision_carries_what_was_seen, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
