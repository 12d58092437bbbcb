/*
 * The supervisor outlives its launcher and every console.  What it needs from them comes over
 * sockets; what they see is the record's own file.  A peer that descends from the reaper is a tool
 * or the guest, and is turned away whatever its uid.
 */
#include "config.h"

#include "core/run/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/json.h"
#include "core/base/jsonout.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/record/store.h"
#include "core/record/writer.h"
#include "core/run/calls.h"
#include "core/run/configuration.h"
#include "core/run/console.h"
#include "core/run/journal.h"
#include "core/run/requests.h"
#include "core/run/run.h"
#include "core/run/spawn.h"

#define START_MAX (64u << 20)
#define CONSOLES_MAX 64
#define DRAIN_NS (2 * NS_PER_S)
#define FOLLOW_NS (10 * NS_PER_MS)

struct supervisor {
	struct loop *loop;
	struct json *start;
	struct config *config;
	struct store *store;
	struct store_session session;
	struct record *record;
	struct journal *journal;
	struct spawner *spawner;
	struct run *run;
	int listener;
	struct loop_watch *accepts;
	struct console *consoles[CONSOLES_MAX];
	size_t console_count;
	struct loop_timer *drain;
	struct loop_timer *follow;
	bool following; /* the timer runs */
	off_t followed; /* bytes of the record that consoles were sent */
	int64_t began;
	bool met; /* somebody said hello, or had the time to */
	bool done;
	int exit_code;
};

/* --- consoles --- */

static void
tell_consoles(struct supervisor *supervisor)
{
	size_t attached = 0;

	for (size_t i = 0; i < supervisor->console_count; i++)
		attached += console_id(supervisor->consoles[i])[0] != '\0';
	if (supervisor->run && !supervisor->done)
		run_consoles(supervisor->run, attached);
}

static void
on_hello(struct console *console, void *arg)
{
	struct supervisor *supervisor = arg;

	supervisor->met = true;
	if (!supervisor->done)
		journal_console(
			supervisor->journal, true, console_id(console), console_who(console));
	tell_consoles(supervisor);
}

static void
on_gone(struct console *console, void *arg)
{
	struct supervisor *supervisor = arg;
	size_t at = 0;

	while (supervisor->consoles[at] != console)
		at++;
	supervisor->consoles[at] = supervisor->consoles[--supervisor->console_count];
	if (console_id(console)[0] && !supervisor->done)
		journal_console(
			supervisor->journal, false, console_id(console), console_who(console));
	console_free(console);
	tell_consoles(supervisor);
}

static void
on_request(
	struct console *console, uint64_t id, const char *op, struct json_value request, void *arg)
{
	struct supervisor *supervisor = arg;

	if (supervisor->done) {
		console_refuse(console, id, "state", "the session has ended");
		return;
	}
	requests_handle(supervisor->run, console, id, op, request);
}

/* Walk up from pid: is it the reaper's child, grandchild ...?  What cannot be told is a yes. */
static bool
descends_from(int pid, int ancestor)
{
	for (int steps = 0; pid > 1 && steps < 4096; steps++) {
		AUTO_FREE char *path = mem_printf("/proc/%d/stat", pid);
		AUTO_BUF struct buf stat;
		char *after;

		buf_init(&stat, 4096);
		if (pid == ancestor)
			return true;
		if (io_read_file(path, &stat, NULL) < 0)
			return true;
		after = strrchr(stat.data, ')');
		if (!after || sscanf(after + 1, " %*c %d", &pid) != 1)
			return true;
	}
	return pid > 1;
}

static void
accept_console(struct supervisor *supervisor, int fd)
{
	struct console_session session = { supervisor->session.id, supervisor->session.name,
		supervisor->record };
	struct console_hooks hooks = { on_request, on_hello, on_gone, supervisor };
	char who[64];
	int pid;

	if (store_check_peer(fd, &pid, NULL) < 0 ||
		descends_from(pid, (int)spawner_pid(supervisor->spawner)) ||
		supervisor->console_count == CONSOLES_MAX) {
		if (!supervisor->done)
			journal_alert(supervisor->journal,
				"a connection to the session's socket was refused");
		close(fd);
		return;
	}
	snprintf(who, sizeof(who), "uid %u pid %d", (unsigned)getuid(), pid);
	supervisor->consoles[supervisor->console_count++] =
		console_new(supervisor->loop, fd, who, &session, &hooks);
}

static void
on_connect(int listener, unsigned events, void *arg)
{
	struct supervisor *supervisor = arg;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0)
		accept_console(supervisor, fd);
}

/* --- the end --- */

static bool
all_caught_up(const struct supervisor *supervisor)
{
	for (size_t i = 0; i < supervisor->console_count; i++)
		if (!console_caught_up(supervisor->consoles[i]))
			return false;
	return true;
}

static void
on_follow(void *arg)
{
	struct supervisor *supervisor = arg;

	supervisor->following = false;
	supervisor->followed = record_written(supervisor->record);
	for (size_t i = 0; i < supervisor->console_count; i++)
		console_follow(supervisor->consoles[i]);
}

/* Consoles are sent what is new in lots: a screen paints 30 times a second, and a wake-up of a
 * console for each event would cost a fast program more than the event does. */
static void
on_turn(void *arg)
{
	struct supervisor *supervisor = arg;
	bool news = record_written(supervisor->record) > supervisor->followed;

	if (supervisor->done)
		on_follow(supervisor);
	else if (news && !supervisor->following && supervisor->console_count > 0) {
		supervisor->following = true;
		loop_timer_in(supervisor->follow, FOLLOW_NS);
	}
	if (supervisor->done && supervisor->met && all_caught_up(supervisor))
		loop_stop(supervisor->loop, supervisor->exit_code);
}

static void
on_drained(void *arg)
{
	struct supervisor *supervisor = arg;

	loop_stop(supervisor->loop, supervisor->exit_code);
}

/* A run that is over at once waits for its launcher to hear of it. */
static void
on_done(int exit_code, void *arg)
{
	struct supervisor *supervisor = arg;

	supervisor->done = true;
	supervisor->exit_code = exit_code;
	if (loop_now(supervisor->loop) - supervisor->began > DRAIN_NS)
		supervisor->met = true;
	if (supervisor->met)
		store_unlisten(supervisor->store, supervisor->session.id);
	loop_timer_in(supervisor->drain, DRAIN_NS);
}

static void
on_lost(bool full, const char *why, void *arg)
{
	struct supervisor *supervisor = arg;

	for (size_t i = 0; i < supervisor->console_count && !full; i++)
		console_notice(supervisor->consoles[i], "poisoned", "");
	run_record_lost(supervisor->run, full, why);
}

static void
on_spawner_lost(void *arg)
{
	struct supervisor *supervisor = arg;

	if (supervisor->run)
		run_spawner_lost(supervisor->run);
}

static void
on_signal(int signo, void *arg)
{
	struct supervisor *supervisor = arg;

	if (supervisor->run)
		run_stop(supervisor->run, signo);
}

/* --- the start --- */

static int
start_refused(int fd, int exit_code, const struct err *err)
{
	AUTO_BUF struct buf line;
	struct jsonout out;

	buf_init(&line, 65536);
	jsonout_init(&out, &line);
	jsonout_object(&out);
	jsonout_key_str(&out, "error", err->text);
	jsonout_key_int(&out, "exit", exit_code);
	jsonout_object_end(&out);
	buf_byte(&line, '\n');
	(void)!io_write_all(fd, line.data, line.len, NULL);
	return exit_code;
}

static int
tell_ready(struct supervisor *supervisor, int fd, struct err *err)
{
	AUTO_BUF struct buf line;
	struct jsonout out;

	buf_init(&line, 65536);
	jsonout_init(&out, &line);
	jsonout_object(&out);
	jsonout_key_int(&out, "ready", 1);
	jsonout_key_str(&out, "id", supervisor->session.id);
	jsonout_key_str(&out, "name", supervisor->session.name);
	jsonout_key_str(&out, "record", supervisor->session.record_path);
	jsonout_object_end(&out);
	buf_byte(&line, '\n');
	return io_write_all(fd, line.data, line.len, err);
}

static int
read_start(struct supervisor *supervisor, int fd, struct err *err)
{
	AUTO_BUF struct buf line;
	struct json_value root, config;
	const char *text;
	size_t len;

	buf_init(&line, START_MAX);
	if (io_read_all(fd, &line, err) < 0)
		return -1;
	supervisor->start = json_read(line.data ? line.data : "", line.len, err);
	if (!supervisor->start)
		return err_within(err, "the launcher's request");
	root = json_root(supervisor->start);
	config = json_get(root, "config");
	if (!json_there(config) || !json_text(root, "mode"))
		return err_set(err, ERR_FORMAT, "the launcher's request names no mode or config");
	text = json_source(config, &len);
	supervisor->config = config_read(text, len, err);
	return supervisor->config ? 0 : -1;
}

static int
open_session(struct supervisor *supervisor, struct err *err)
{
	struct json_value root = json_root(supervisor->start);
	const char *base = json_text(root, "base");

	supervisor->store = store_open(err);
	if (!supervisor->store || store_create(supervisor->store, base ? base : "run",
					  json_text(root, "record"), &supervisor->session, err) < 0)
		return -1;
	supervisor->record = record_new(io_give(&supervisor->session.record_fd),
		config_int(supervisor->config, SETTING_RECORD_MAX_BYTES));
	supervisor->listener = store_listen(supervisor->store, supervisor->session.id, err);
	return supervisor->listener < 0 ? -1 : 0;
}

static void
start_run(struct supervisor *supervisor)
{
	struct json_value root = json_root(supervisor->start);
	struct json_value program = json_get(root, "program");
	struct json_value call = json_get(root, "call");
	struct run_parts parts = { supervisor->loop, supervisor->config, supervisor->journal,
		supervisor->spawner };
	struct run_hooks hooks = { on_done, supervisor };
	size_t len = 0;
	const char *text = json_string(json_get(program, "text"), &len);
	struct run_start start = {
		.mode = json_text(root, "mode"),
		.id = supervisor->session.id,
		.name = supervisor->session.name,
		.task = json_text(root, "task"),
		.program_name = json_text(program, "name"),
		.program = untrusted(text, len),
		.tool = json_text(call, "tool"),
		.arguments = json_get(call, "arguments"),
		.no_ask = json_bool(json_get(root, "no_ask"), false),
		.person = json_bool(json_get(root, "person"), false),
		.fail_on_denied = json_bool(json_get(root, "fail_on_denied"), false),
	};

	if (!start.program_name)
		start.program_name = "program.py";
	supervisor->run = run_new(&parts, &start, &hooks);
}

static int
open_all(struct supervisor *supervisor, int fd, struct err *err)
{
	struct journal_hooks lost = { on_lost, supervisor };

	if (read_start(supervisor, fd, err) < 0 || open_session(supervisor, err) < 0)
		return -1;
	supervisor->spawner = spawner_new(supervisor->loop, on_spawner_lost, supervisor, err);
	if (!supervisor->spawner ||
		spawner_cover(supervisor->spawner, supervisor->session.record_path, err) < 0)
		return -1;
	supervisor->journal = journal_new(supervisor->loop, supervisor->record, &lost);
	supervisor->drain = loop_timer_new(supervisor->loop, on_drained, supervisor);
	supervisor->follow = loop_timer_new(supervisor->loop, on_follow, supervisor);
	loop_on_turn(supervisor->loop, on_turn, supervisor);
	supervisor->accepts = loop_watch(supervisor->loop, supervisor->listener, LOOP_READ,
		LOOP_STREAMS, on_connect, supervisor);
	loop_on_signal(supervisor->loop, SIGTERM, on_signal, supervisor);
	loop_on_signal(supervisor->loop, SIGINT, on_signal, supervisor);
	return tell_ready(supervisor, fd, err);
}

static void
close_all(struct supervisor *supervisor)
{
	run_free(supervisor->run);
	if (supervisor->journal)
		journal_free(supervisor->journal);
	while (supervisor->console_count > 0)
		console_free(supervisor->consoles[--supervisor->console_count]);
	if (supervisor->spawner)
		spawner_free(supervisor->spawner);
	loop_unwatch(supervisor->accepts);
	loop_timer_free(supervisor->drain);
	loop_timer_free(supervisor->follow);
	if (supervisor->listener >= 0)
		close(supervisor->listener);
	if (supervisor->store && supervisor->session.id[0])
		store_unlisten(supervisor->store, supervisor->session.id);
	record_free(supervisor->record);
	store_session_release(&supervisor->session);
	store_free(supervisor->store);
	config_free(supervisor->config);
	json_free(supervisor->start);
	loop_free(supervisor->loop);
}

int
supervisor_main(int fd)
{
	struct supervisor supervisor = { .listener = -1 };
	AUTO_CLOSE int launcher = fd;
	struct err err = { 0 };
	int code;

	supervisor.session.record_fd = -1;
	supervisor.loop = loop_new();
	supervisor.began = loop_now(supervisor.loop);
	if (open_all(&supervisor, launcher, &err) < 0) {
		code = start_refused(launcher,
			err.kind == ERR_SANDBOX                            ? 5
			: err.kind == ERR_RECORD || err.kind == ERR_SYSTEM ? 7
									   : 2,
			&err);
	} else {
		close(io_give(&launcher));
		start_run(&supervisor);
		code = loop_run(supervisor.loop);
	}
	close_all(&supervisor);
	return code;
}
