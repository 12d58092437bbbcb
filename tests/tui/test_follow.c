/* A run followed without a console, in a child of the test; the supervisor is the fake one. */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "tests/tui/fake_supervisor.h"
#include "tui/cmd/follow.h"

struct world {
	struct fake_supervisor fake;
	pid_t child;
	int out, err; /* what the child prints, to be read */
	struct buf printed, said;
	bool out_closed;
};

static int
begin(void **state)
{
	struct world *world = mem_zero(1, sizeof(*world));

	signal(SIGPIPE, SIG_IGN);
	alarm(20);
	fake_begin(&world->fake);
	buf_init(&world->printed, BUF_UNBOUNDED);
	buf_init(&world->said, BUF_UNBOUNDED);
	*state = world;
	return 0;
}

static int
end(void **state)
{
	struct world *world = *state;

	if (world->child > 0)
		kill(world->child, SIGKILL);
	fake_end(&world->fake);
	close(world->out);
	close(world->err);
	buf_release(&world->printed);
	buf_release(&world->said);
	free(world);
	return 0;
}

static void
follow(struct world *world, enum follow_mode mode)
{
	int out, err;

	if (io_pipe(&world->out, &out, NULL) < 0 || io_pipe(&world->err, &err, NULL) < 0)
		abort();
	world->child = fork();
	if (world->child == 0) {
		struct follow_result result;

		close(world->fake.fd);
		close(world->out);
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		close(out);
		follow_run(world->fake.theirs, "fake-1", mode, &result);
		_exit(result.held ? 99 : result.exit_code);
	}
	close(world->fake.theirs);
	close(out);
	close(err);
}

/* The child's exit code, once everything it printed was read. */
static int
code_of(struct world *world)
{
	int status;

	if ((!world->out_closed && io_read_all(world->out, &world->printed, NULL) < 0) ||
		io_read_all(world->err, &world->said, NULL) < 0)
		abort();
	if (waitpid(world->child, &status, 0) != world->child)
		abort();
	world->child = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void
record_output(struct world *world, const char *text)
{
	struct event event;

	event_init(&event);
	event_begin(&event, EVENT_OUTPUT);
	event_int(&event, "attempt", 1);
	event_str(&event, "stream", "stdout");
	event_content(&event, "text", text, strlen(text));
	if (record_append(world->fake.record, &event, NULL, NULL) < 0)
		abort();
	event_release(&event);
}

static void
record_end(struct world *world, int exit_code)
{
	struct event event;

	event_init(&event);
	event_begin(&event, EVENT_SESSION_END);
	event_str(&event, "outcome", exit_code ? "error" : "ok");
	event_int(&event, "exit_code", exit_code);
	event_str(&event, "closed_by", "end");
	if (record_append(world->fake.record, &event, NULL, NULL) < 0 ||
		record_write(world->fake.record, NULL) < 0)
		abort();
	event_release(&event);
}

static void
start_record(struct world *world)
{
	fake_event(&world->fake, EVENT_SESSION_START, "name", "fake-1");
	fake_hello(&world->fake, 0);
}

static void
send(struct world *world)
{
	fake_send_record(&world->fake, 0, NULL, NULL);
}

static void
lines_are_the_record_to_the_byte(void **state)
{
	struct world *world = *state;
	off_t len;
	AUTO_FREE char *record = NULL;

	follow(world, FOLLOW_LINES);
	start_record(world);
	record_output(world, "caf\xc3\xa9\n");
	record_end(world, 4);
	send(world);

	assert_int_equal(code_of(world), 4);
	len = record_written(world->fake.record);
	record = mem_zero((size_t)len + 1, 1);
	assert_int_equal(pread(record_fd(world->fake.record), record, (size_t)len, 0), len);
	assert_string_equal(world->printed.data, record);
	assert_int_equal(world->said.len, 0);
}

static void
output_goes_to_standard_output_and_the_rest_to_standard_error(void **state)
{
	struct world *world = *state;

	follow(world, FOLLOW_TEXT);
	start_record(world);
	record_output(world, "total: 5\n");
	fake_event(&world->fake, EVENT_ALERT, "text", "odd\nline \033[31m");
	record_end(world, 0);
	send(world);

	assert_int_equal(code_of(world), 0);
	assert_string_equal(world->printed.data, "total: 5\n");
	assert_non_null(
		strstr(world->said.data, "tollbridge: odd<U+000A>\n  | line <U+001B>[31m\n"));
	assert_non_null(strstr(world->said.data, "fake-1 ended: ok"));
}

static void
a_lost_supervisor_is_a_failure_with_what_to_do(void **state)
{
	struct world *world = *state;

	follow(world, FOLLOW_TEXT);
	start_record(world);
	send(world);
	fake_hang_up(&world->fake);

	assert_int_equal(code_of(world), 1);
	assert_non_null(strstr(world->said.data, "tollbridge show fake-1"));
}

static void
a_signal_asks_to_stop_and_the_end_is_waited_for(void **state)
{
	struct world *world = *state;
	char byte;

	follow(world, FOLLOW_TEXT);
	start_record(world);
	record_output(world, "x");
	if (record_write(world->fake.record, NULL) < 0)
		abort();
	send(world);
	assert_int_equal(read(world->out, &byte, 1), 1);
	kill(world->child, SIGINT);
	while (!strstr(fake_hear(&world->fake), "\"op\":\"stop\",\"signal\":2}"))
		usleep(1000);
	record_end(world, 130);
	send(world);

	assert_int_equal(code_of(world), 130);
}

static void
a_reader_that_left_does_not_end_the_run(void **state)
{
	struct world *world = *state;

	follow(world, FOLLOW_LINES);
	close(world->out);
	world->out_closed = true;
	world->out = -1;
	start_record(world);
	for (int i = 0; i < 100; i++)
		record_output(world, "some more output\n");
	record_end(world, 3);
	send(world);

	assert_int_equal(code_of(world), 3);
	assert_null(strstr(fake_hear(&world->fake), "\"op\""));
}

static void
a_reader_that_is_slow_gets_everything(void **state)
{
	struct world *world = *state;
	pid_t sender;

	follow(world, FOLLOW_LINES);
	start_record(world);
	for (int i = 0; i < 2000; i++)
		record_output(world, "more output than a pipe holds, if nobody reads it\n");
	record_end(world, 0);
	/* From another process: this one is the slow reader, and sockets and pipes fill up. */
	sender = fork();
	if (sender == 0) {
		send(world);
		_exit(0);
	}

	assert_int_equal(code_of(world), 0);
	assert_int_equal(waitpid(sender, NULL, 0), sender);
	assert_int_equal(world->printed.len, record_written(world->fake.record));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_are_the_record_to_the_byte, begin, end),
		cmocka_unit_test_setup_teardown(
			output_goes_to_standard_output_and_the_rest_to_standard_error, begin, end),
		cmocka_unit_test_setup_teardown(
			a_lost_supervisor_is_a_failure_with_what_to_do, begin, end),
		cmocka_unit_test_setup_teardown(
			a_signal_asks_to_stop_and_the_end_is_waited_for, begin, end),
		cmocka_unit_test_setup_teardown(
			a_reader_that_left_does_not_end_the_run, begin, end),
		cmocka_unit_test_setup_teardown(a_reader_that_is_slow_gets_everything, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
