#include "config.h"

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
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/budget.h"
#include "core/run/bridge.h"

#define NOTE "{\"jsonrpc\":\"2.0\",\"method\":\"tollbridge/"
#define CALL(id)                                                                    \
	"{\"jsonrpc\":\"2.0\",\"id\":" id                                           \
	",\"method\":\"tools/call\",\"params\":{\"name\":\"a.b\",\"arguments\":{}," \
	"\"_meta\":{\"tollbridge/line\":7}}}"

struct fixture {
	struct loop *loop;
	struct budget *budget;
	struct bridge *bridge;
	int guest;
	int ours;
	struct buf log; /* one word for each call back */
	int violations;
	bool last;
	bool pauses; /* at each request */
	int requests;
};

static void
on_request(const struct bridge_request *request, void *arg)
{
	struct fixture *f = arg;

	buf_printf(&f->log, "request %llu %.*s line %d%s\n", (unsigned long long)request->id,
		(int)request->name_len, request->name, request->line,
		request->within_cap ? "" : " past");
	f->requests++;
	if (f->pauses)
		bridge_pause(f->bridge, true);
}

static void
on_probe(const char *layer, bool proved, const char *detail, void *arg)
{
	struct fixture *f = arg;

	buf_printf(&f->log, "probe %s %d\n", layer, proved);
}

static void
on_forecast(struct json_value sites, void *arg)
{
	struct fixture *f = arg;

	buf_printf(&f->log, "forecast %zu\n", json_count(sites));
}

static void
on_output(bool err, const char *text, size_t len, void *arg)
{
	struct fixture *f = arg;

	buf_printf(&f->log, "output %d %.*s\n", err, (int)len, text);
}

static void
on_line(int line, void *arg)
{
	struct fixture *f = arg;

	buf_printf(&f->log, "line %d\n", line);
}

static void
on_end(const char *outcome, int exit_code, const char *error, int line, void *arg)
{
	struct fixture *f = arg;

	buf_printf(&f->log, "end %s %d\n", outcome, exit_code);
}

static void
on_violation(const char *what, bool last, void *arg)
{
	struct fixture *f = arg;

	f->violations++;
	f->last = last;
	buf_printf(&f->log, "violation\n");
}

static void
on_closed(void *arg)
{
	struct fixture *f = arg;

	buf_printf(&f->log, "closed\n");
}

static int
setup(void **state)
{
	struct fixture *f = mem_zero(1, sizeof(*f));
	struct budget_limits cap = { .max_tool_calls = 3, .max_refused = 10 };
	struct bridge_limits limits = { .line = 4096, .notifications_per_s = 1000 };
	struct bridge_hooks hooks = { on_request, on_probe, on_forecast, on_output, on_line, on_end,
		on_violation, on_closed, f };

	f->loop = loop_new();
	f->budget = budget_new(&cap);
	buf_init(&f->log, 1 << 20);
	assert_int_equal(io_pair(&f->ours, &f->guest, NULL), 0);
	assert_int_equal(io_nonblocking(f->ours, NULL), 0);
	f->bridge = bridge_new(f->loop, f->ours, &limits, &hooks);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	bridge_free(f->bridge);
	budget_free(f->budget);
	loop_free(f->loop);
	buf_release(&f->log);
	close(f->ours);
	if (f->guest >= 0)
		close(f->guest);
	free(f);
	return 0;
}

/* Send in pieces of `step` bytes and let the bridge take them all. */
static void
send_in(struct fixture *f, const char *text, size_t step)
{
	size_t len = strlen(text);

	for (size_t at = 0; at < len; at += step) {
		size_t piece = len - at < step ? len - at : step;

		assert_int_equal(io_write_all(f->guest, text + at, piece, NULL), 0);
		loop_turn(f->loop);
	}
}

static void
say(struct fixture *f, const char *text)
{
	send_in(f, text, strlen(text));
}

static void
run_program(struct fixture *f)
{
	bridge_serve(f->bridge, f->budget);
	bridge_load(f->bridge, "pass\n", 5, "p.py", "[]");
	say(f, NOTE "forecast\",\"params\":{\"sites\":[]}}\n");
	bridge_go(f->bridge);
	buf_clear(&f->log);
}

static int64_t
counted(struct fixture *f)
{
	struct budget_counter cap;

	budget_counter(f->budget, 0, &cap);
	return cap.used;
}

static void
a_run_in_order_gives_its_words_in_order(void **state)
{
	struct fixture *f = *state;

	say(f, NOTE "probe\",\"params\":{\"layer\":\"net_ns\",\"proved\":true}}\n");
	assert_string_equal(f->log.data, "probe net_ns 1\n");
	run_program(f);
	say(f, NOTE "line\",\"params\":{\"line\":3}}\n" CALL("1") "\n");
	say(f, NOTE "output\",\"params\":{\"stream\":\"stderr\",\"text\":\"hm\"}}\n");
	say(f, NOTE "end\",\"params\":{\"outcome\":\"ok\",\"exit\":0}}\n");

	assert_string_equal(f->log.data, "line 3\nrequest 1 a.b line 7\noutput 1 hm\nend ok 0\n");
	assert_int_equal(counted(f), 1);
}

static void
byte_by_byte_gives_the_same(void **state)
{
	struct fixture *f = *state;

	run_program(f);
	send_in(f, CALL("1") "\n" NOTE "line\",\"params\":{\"line\":3}}\ngarbage\n", 1);

	assert_string_equal(f->log.data, "request 1 a.b line 7\nline 3\nviolation\n");
	assert_int_equal(counted(f), 2);
}

static void
every_line_that_is_no_notification_counts(void **state)
{
	struct fixture *f = *state;

	run_program(f);
	say(f, "\n");
	say(f, "{\"jsonrpc\": \"2.0\",\"method\":\"tollbridge/line\",\"params\":{\"line\":3}}\n");

	assert_int_equal(counted(f), 2);
	assert_int_equal(f->violations, 2);
}

static void
lines_past_the_cap_are_marked(void **state)
{
	struct fixture *f = *state;

	run_program(f);
	say(f, CALL("1") "\n" CALL("2") "\n" CALL("3") "\n" CALL("4") "\n");

	assert_string_equal(f->log.data,
		"request 1 a.b line 7\nrequest 2 a.b line 7\nrequest 3 a.b line 7\n"
		"request 4 a.b line 7 past\n");
}

static void
a_line_over_the_ceiling_is_one_violation_and_counts_once(void **state)
{
	struct fixture *f = *state;
	AUTO_FREE char *long_line = mem_zero(300001, 1);

	memset(long_line, 'x', 300000);
	long_line[299999] = '\n';
	run_program(f);
	send_in(f, long_line, 4000);
	say(f, CALL("1") "\n");

	assert_string_equal(f->log.data, "violation\nrequest 1 a.b line 7\n");
	assert_int_equal(counted(f), 2);
}

/* Sent with its end in one piece, it must fare as it does in many. */
static void
a_whole_line_over_the_ceiling_is_refused_though_it_is_well_formed(void **state)
{
	struct fixture *f = *state;
	char line[6000];

	run_program(f);
	snprintf(line, sizeof(line),
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
		"call\",\"params\":{\"name\":\"a.b\","
		"\"arguments\":{\"x\":\"%05000d\"}}}\n",
		0);
	say(f, line);

	assert_string_equal(f->log.data, "violation\n");
	assert_int_equal(counted(f), 1);
}

static void
bad_lines_are_violations_and_the_third_is_the_last(void **state)
{
	static const char *const bad[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"tools/call\",\"params\":{}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}\n",
		NOTE "nosuch\",\"params\":{}}\n",
		NOTE "line\",\"id\":4,\"params\":{\"line\":3}}\n",
		NOTE "forecast\",\"params\":{\"sites\":[]}}\n",
		NOTE "probe\",\"params\":{\"layer\":\"net_ns\",\"proved\":true}}\n",
		NOTE "output\",\"params\":{\"stream\":\"else\",\"text\":\"\"}}\n",
		NOTE "end\",\"params\":{\"outcome\":\"syntax\"}}\n",
		NOTE "line\",\"params\":{\"line\":3}\n",
	};
	struct fixture *f = *state;

	run_program(f);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		say(f, bad[i]);
		assert_int_equal(f->violations, (int)i + 1);
		assert_int_equal(f->last, i >= 2);
	}
}

static void
an_id_is_used_once_also_much_later(void **state)
{
	struct fixture *f = *state;

	run_program(f);
	say(f, CALL("5") "\n" CALL("4") "\n" CALL("5") "\n");
	assert_int_equal(f->violations, 1);
	say(f, CALL("900000") "\n" CALL("6") "\n");
	assert_int_equal(f->violations, 2);
}

static void
requests_before_go_are_violations(void **state)
{
	struct fixture *f = *state;

	say(f, CALL("1") "\n");
	assert_string_equal(f->log.data, "violation\n");
}

static void
a_paused_bridge_keeps_lines_and_order(void **state)
{
	struct fixture *f = *state;

	run_program(f);
	bridge_pause(f->bridge, true);
	assert_int_equal(io_write_all(f->guest, CALL("1") "\n", strlen(CALL("1")) + 1, NULL), 0);
	bridge_pause(f->bridge, false);
	while (f->log.len == 0)
		loop_turn(f->loop);

	assert_string_equal(f->log.data, "request 1 a.b line 7\n");
}

static void
a_pause_at_each_line_loses_nothing_and_keeps_the_input_bounded(void **state)
{
	enum { LINES = 200 };
	struct fixture *f = *state;
	AUTO_BUF struct buf lines;

	run_program(f);
	buf_init(&lines, BUF_UNBOUNDED);
	for (int i = 1; i <= LINES; i++)
		buf_printf(&lines,
			"%-2000s{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\","
			"\"params\":{\"name\":\"a.b\",\"arguments\":{}}}\n",
			"", i);
	f->pauses = true;
	assert_int_equal(io_nonblocking(f->guest, NULL), 0);
	while (f->requests < LINES && !strstr(f->log.data ? f->log.data : "", "closed")) {
		assert_int_equal(io_write_some(f->guest, &lines, NULL), 0);
		bridge_pause(f->bridge, false);
		loop_turn(f->loop);
	}

	assert_int_equal(f->requests, LINES);
	assert_null(strstr(f->log.data, "closed"));
	assert_null(strstr(f->log.data, "violation"));
}

static void
the_last_lines_are_taken_though_they_waited(void **state)
{
	struct fixture *f = *state;

	run_program(f);
	f->pauses = true;
	say(f, CALL("1") "\n" CALL("2") "\n");
	f->pauses = false;
	bridge_pause(f->bridge, false);
	bridge_drain(f->bridge);

	assert_int_equal(f->requests, 2);
}

static void
answers_have_the_wire_form(void **state)
{
	struct fixture *f = *state;
	char got[1024] = "";

	run_program(f);
	assert_true(read(f->guest, got, sizeof(got) - 1) > 0);
	memset(got, 0, sizeof(got));
	bridge_result(f->bridge, 7, untrusted_str("{\"x\":1}"), untrusted(NULL, 0));
	bridge_error(f->bridge, 8, BRIDGE_DENIED, "no\n", "person");
	assert_true(read(f->guest, got, sizeof(got) - 1) > 0);

	assert_string_equal(got,
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"structuredContent\":{\"x\":1},"
		"\"isError\":false,\"_meta\":{\"tollbridge/budget\":{\"used\":0,\"limit\":3}}}}\n"
		"{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":-32001,\"message\":\"no\\n\","
		"\"data\":{\"reason\":\"no\\n\",\"by\":\"person\",\"final\":true}}}\n");
}

static void
an_answer_says_what_a_person_changed(void **state)
{
	struct fixture *f = *state;
	char got[1024] = "";

	run_program(f);
	assert_true(read(f->guest, got, sizeof(got) - 1) > 0);
	memset(got, 0, sizeof(got));
	bridge_result(f->bridge, 7, untrusted_str("1"), untrusted_str("{\"n\":2}"));
	assert_true(read(f->guest, got, sizeof(got) - 1) > 0);

	assert_string_equal(got,
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"structuredContent\":1,"
		"\"isError\":false,\"_meta\":{\"tollbridge/edited\":{\"n\":2},"
		"\"tollbridge/budget\":{\"used\":0,\"limit\":3}}}}\n");
}

static void
each_load_takes_one_forecast_and_nothing_runs_before_go(void **state)
{
	struct fixture *f = *state;

	bridge_serve(f->bridge, f->budget);
	bridge_load(f->bridge, "pass\n", 5, "p.py", "[]");
	say(f, NOTE "forecast\",\"params\":{\"sites\":[]}}\n");
	say(f, NOTE "forecast\",\"params\":{\"sites\":[]}}\n");
	assert_string_equal(f->log.data, "forecast 0\nviolation\n");

	bridge_load(f->bridge, "more\n", 5, "p.py", "[]");
	say(f, NOTE "forecast\",\"params\":{\"sites\":[{}]}}\n");
	say(f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
	       "call\",\"params\":{\"name\":\"a.b\","
	       "\"arguments\":{}}}\n");
	assert_string_equal(f->log.data, "forecast 0\nviolation\nforecast 1\nviolation\n");
	assert_int_equal(f->requests, 0);
	bridge_go(f->bridge);
}

static void
the_end_of_the_socket_is_told_once(void **state)
{
	struct fixture *f = *state;

	run_program(f);
	close(f->guest);
	f->guest = -1;
	while (f->log.len == 0)
		loop_turn(f->loop);

	assert_string_equal(f->log.data, "closed\n");
}

#define BRIDGE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		BRIDGE_TEST(a_run_in_order_gives_its_words_in_order),
		BRIDGE_TEST(byte_by_byte_gives_the_same),
		BRIDGE_TEST(every_line_that_is_no_notification_counts),
		BRIDGE_TEST(lines_past_the_cap_are_marked),
		BRIDGE_TEST(a_line_over_the_ceiling_is_one_violation_and_counts_once),
		BRIDGE_TEST(a_whole_line_over_the_ceiling_is_refused_though_it_is_well_formed),
		BRIDGE_TEST(bad_lines_are_violations_and_the_third_is_the_last),
		BRIDGE_TEST(an_id_is_used_once_also_much_later),
		BRIDGE_TEST(requests_before_go_are_violations),
		BRIDGE_TEST(a_paused_bridge_keeps_lines_and_order),
		BRIDGE_TEST(a_pause_at_each_line_loses_nothing_and_keeps_the_input_bounded),
		BRIDGE_TEST(the_last_lines_are_taken_though_they_waited),
		BRIDGE_TEST(answers_have_the_wire_form),
		BRIDGE_TEST(an_answer_says_what_a_person_changed),
		BRIDGE_TEST(each_load_takes_one_forecast_and_nothing_runs_before_go),
		BRIDGE_TEST(the_end_of_the_socket_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
