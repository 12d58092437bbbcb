/*
 * One scratch event serves every append, so that a call costs no allocation once warm.  What is
 * appended is handed to the file at the latest at the end of the loop turn; consoles follow the
 * file, so nobody sees an event that is not in it.
 */
#include "config.h"

#include "core/run/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/budget.h"
#include "core/record/writer.h"
#include "core/run/configuration.h"
#include "core/sandbox/sandbox.h"
#include "core/tools/tool.h"

#define UNICODE_VERSION "15.0"
#define LATER_NS (10 * NS_PER_MS)

struct journal {
	struct loop *loop;
	struct record *record;
	struct journal_hooks hooks;
	struct account *account; /* NULL: none */
	struct event event;
	struct err lost;
	bool is_lost;
	bool dirty;  /* to be written by the end of the turn */
	bool before; /* dirty, as it was before the latest append */
	bool ending;
	struct loop_timer *later;
	bool waiting; /* for that timer */
};

static void
tell_lost(void *arg)
{
	struct journal *journal = arg;

	journal->hooks.on_lost(
		journal->lost.kind == ERR_LIMIT, journal->lost.text, journal->hooks.arg);
}

static void
lost(struct journal *journal, const struct err *err)
{
	if (journal->is_lost)
		return;
	journal->is_lost = true;
	journal->lost = *err;
	if (!journal->ending)
		loop_defer(journal->loop, tell_lost, journal);
}

struct event *
journal_begin(struct journal *journal, enum event_type type)
{
	event_begin(&journal->event, type);
	return &journal->event;
}

/*
 * At record.max_bytes the event still goes in: the room kept for the last words takes it, so that
 * what follows is in order, and nothing is released from then on.
 */
void
journal_append(struct journal *journal)
{
	struct err err = { 0 };

	journal->before = journal->dirty;
	journal->dirty = true;
	if (record_append(journal->record, &journal->event, NULL, &err) == 0)
		return;
	lost(journal, &err);
	if (err.kind != ERR_LIMIT)
		return;
	record_last_words(journal->record);
	(void)!record_append(journal->record, &journal->event, NULL, NULL);
}

void
journal_keep_account(struct journal *journal, struct account *account)
{
	journal->account = account;
}

struct account *
journal_account(const struct journal *journal)
{
	return journal->account;
}

static void
at_turn_end(void *arg)
{
	struct journal *journal = arg;

	if (journal->dirty)
		(void)!journal_flush(journal, false, NULL);
}

static void
on_later(void *arg)
{
	struct journal *journal = arg;

	journal->waiting = false;
	(void)!journal_flush(journal, false, NULL);
}

void
journal_unhurried(struct journal *journal)
{
	journal->dirty = journal->before;
	if (!journal->waiting)
		loop_timer_in(journal->later, LATER_NS);
	journal->waiting = true;
}

struct journal *
journal_new(struct loop *loop, struct record *record, const struct journal_hooks *hooks)
{
	struct journal *journal = mem_zero(1, sizeof(*journal));

	journal->loop = loop;
	journal->record = record;
	journal->hooks = *hooks;
	event_init(&journal->event);
	journal->later = loop_timer_new(loop, on_later, journal);
	loop_on_turn(loop, at_turn_end, journal);
	return journal;
}

void
journal_free(struct journal *journal)
{
	loop_undefer(journal->loop, journal);
	loop_timer_free(journal->later);
	event_release(&journal->event);
	free(journal);
}

int
journal_flush(struct journal *journal, bool sync, struct err *err)
{
	struct err failed = { 0 };
	int done;

	done = sync ? record_sync(journal->record, &failed)
		    : record_write(journal->record, &failed);
	journal->dirty = false;
	if (done < 0)
		lost(journal, &failed);
	if (journal->is_lost && !journal->ending)
		return err_set(err, ERR_RECORD, "%s", journal->lost.text);
	return 0;
}

uint64_t
journal_next_seq(const struct journal *journal)
{
	return record_next_seq(journal->record);
}

bool
journal_lost(const struct journal *journal)
{
	return journal->is_lost;
}

static void
boot_id(char out[64])
{
	AUTO_BUF struct buf buf;

	buf_init(&buf, 4096);
	out[0] = '\0';
	if (io_read_file("/proc/sys/kernel/random/boot_id", &buf, NULL) == 0)
		snprintf(out, 64, "%.*s", (int)strcspn(buf.data, "\n"), buf.data);
}

static void
limits_of(struct event *event, const struct config *config)
{
	static const enum setting shown[] = { SETTING_BUDGET_MAX_TOOL_CALLS,
		SETTING_BUDGET_MAX_REFUSED, SETTING_APPROVAL_TIMEOUT_S,
		SETTING_APPROVAL_MAX_PENDING, SETTING_SANDBOX_MEMORY, SETTING_SANDBOX_PIDS,
		SETTING_SANDBOX_WALL_S, SETTING_SANDBOX_CPU_S, SETTING_SANDBOX_OUTPUT };
	AUTO_BUF struct buf buf;
	struct jsonout out;

	buf_init(&buf, 65536);
	jsonout_init(&out, &buf);
	jsonout_object(&out);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		jsonout_key_int(&out, config_path(shown[i]), config_int(config, shown[i]));
	jsonout_object_end(&out);
	event_json(event, "limits", buf.data, buf.len);
}

static void
loosened_of(struct event *event, const struct config *config)
{
	AUTO_BUF struct buf buf;
	struct jsonout out;

	buf_init(&buf, 1 << 20);
	jsonout_init(&out, &buf);
	jsonout_array(&out);
	for (size_t i = 0; i < config_loosened_count(config); i++)
		jsonout_str(&out, config_loosened(config, i));
	jsonout_array_end(&out);
	event_json(event, "loosened", buf.data, buf.len);
}

static void
model_of(struct event *event, const struct journal_session *session)
{
	struct config_model model;

	if (!session->modelled) {
		event_json(event, "model", "null", 4);
		return;
	}
	config_model(session->config, &model);
	jsonout_key(&event->out, "model");
	jsonout_object(&event->out);
	jsonout_key_str(&event->out, "provider", model.provider);
	jsonout_key_str(&event->out, "name", model.name);
	jsonout_key_str(&event->out, "host", model.base_url);
	jsonout_key_bool(&event->out, "scripted", model.scripted);
	jsonout_object_end(&event->out);
}

void
journal_session_start(struct journal *journal, const struct journal_session *session)
{
	struct event *event = journal_begin(journal, EVENT_SESSION_START);
	AUTO_BUF struct buf config;
	struct utsname host;
	char boot[64];
	char user[32];

	buf_init(&config, BUF_UNBOUNDED);
	config_write_public(session->config, &config);
	boot_id(boot);
	uname(&host);
	snprintf(user, sizeof(user), "%u", (unsigned)getuid());
	event_str(event, "id", session->id);
	event_str(event, "name", session->name);
	event_str(event, "version", PACKAGE_VERSION);
	event_str(event, "unicode", UNICODE_VERSION);
	event_str(event, "host", host.nodename);
	event_str(event, "boot", boot);
	event_str(event, "user", user);
	event_str(event, "mode", session->mode);
	event_content(event, "config", config.data, config.len);
	loosened_of(event, session->config);
	model_of(event, session);
	event_str(event, "sandbox", config_str(session->config, SETTING_SANDBOX_BACKEND));
	limits_of(event, session->config);
	journal_append(journal);
}

void
journal_task(struct journal *journal, unsigned run, const char *text, const char *from)
{
	struct event *event = journal_begin(journal, EVENT_TASK);

	event_int(event, "run", run);
	event_content(event, "text", text, strlen(text));
	event_str(event, "from", from);
	journal_append(journal);
}

static void
tool_added(struct event *event, struct jsonout *out, const struct tool *tool)
{
	char hex[DIGEST_HEX];

	jsonout_object(out);
	jsonout_key_str(out, "name", tool->facts.full);
	jsonout_key_str(out, "wire", tool->wire);
	jsonout_key_str(out, "python", tool->python);
	jsonout_key_str(out, "effect", effect_name(tool->facts.effect));
	jsonout_key_str(out, "effect_from", tool->effect_from);
	jsonout_key(out, "definition");
	event_content_here(event, tool->definition, tool->definition_len);
	digest_hex(&tool->facts.sha256, hex);
	jsonout_key_str(out, "tool_sha256", hex);
	digest_hex(&tool->code_sha256, hex);
	jsonout_key_str(out, "code_sha256", hex);
	jsonout_key_bool(out, "inverse", false);
	jsonout_object_end(out);
}

void
journal_tools(struct journal *journal, const char *server, const char *state, bool isolated,
	struct tool *const *added, size_t count)
{
	struct event *event = journal_begin(journal, EVENT_TOOLS);

	event_str(event, "server", server);
	event_str(event, "state", state);
	event_bool(event, "isolated", isolated);
	jsonout_key(&event->out, "added");
	jsonout_array(&event->out);
	for (size_t i = 0; i < count; i++)
		tool_added(event, &event->out, added[i]);
	jsonout_array_end(&event->out);
	event_json(event, "removed", "[]", 2);
	journal_append(journal);
}

void
journal_program(struct journal *journal, const struct journal_program *program)
{
	struct event *event = journal_begin(journal, EVENT_PROGRAM);
	struct untrusted text = program->text;
	int64_t lines = 0;

	for (size_t i = 0; i < text.len; i++)
		lines += text.bytes[i] == '\n' || i + 1 == text.len;
	event_int(event, "run", program->run);
	event_int(event, "attempt", program->attempt);
	event_content(event, "text", text.bytes, text.len);
	event_int(event, "lines", lines);
	event_str(event, "by", program->by);
	journal_append(journal);
}

void
journal_program_asked(struct journal *journal, unsigned run, unsigned attempt, const char *why)
{
	struct event *event = journal_begin(journal, EVENT_PROGRAM_ASKED);

	event_int(event, "run", run);
	event_int(event, "attempt", attempt);
	event_str(event, "why", why);
	journal_append(journal);
}

void
journal_program_decided(struct journal *journal, const struct journal_program_decided *decided)
{
	struct event *event = journal_begin(journal, EVENT_PROGRAM_DECIDED);

	event_int(event, "attempt", decided->attempt);
	event_str(event, "verdict", decided->verdict);
	if (decided->reason && decided->reason[0])
		event_content(event, "reason", decided->reason, strlen(decided->reason));
	else
		event_json(event, "reason", "null", 4);
	event_str(event, "by", decided_by_name(decided->by));
	event_str(event, "who", decided->who);
	if (decided->presentation > 0)
		event_int(event, "presentation", decided->presentation);
	else
		event_json(event, "presentation", "null", 4);
	journal_append(journal);
}

void
journal_forecast(
	struct journal *journal, unsigned attempt, const struct journal_site *sites, size_t count)
{
	struct event *event = journal_begin(journal, EVENT_PROGRAM_FORECAST);
	struct jsonout *out = &event->out;

	event_int(event, "attempt", attempt);
	jsonout_key(out, "sites");
	jsonout_array(out);
	for (size_t i = 0; i < count; i++) {
		jsonout_object(out);
		jsonout_key_int(out, "line", sites[i].line);
		jsonout_key_str(out, "tool", sites[i].tool);
		jsonout_key_bool(out, "loop", sites[i].loop);
		jsonout_key_str(out, "effect", effect_name(sites[i].effect));
		jsonout_key_str(out, "action",
			sites[i].action < 0 ? "depends"
					    : action_name((enum action)sites[i].action));
		jsonout_object_end(out);
	}
	jsonout_array_end(out);
	journal_append(journal);
}

void
journal_sandbox(struct journal *journal, unsigned attempt, const char *backend,
	const struct badge *badge, int64_t start_ms)
{
	struct event *event = journal_begin(journal, EVENT_SANDBOX_START);
	struct jsonout *out = &event->out;

	event_int(event, "attempt", attempt);
	event_str(event, "backend", backend);
	jsonout_key(out, "badge");
	jsonout_array(out);
	for (int i = 0; i < LAYER_COUNT; i++) {
		const struct badge_layer *layer = &badge->layers[i];

		jsonout_object(out);
		jsonout_key_str(out, "layer", layer_name((enum layer)i));
		jsonout_key_str(out, "state", layer->proved ? "proved" : "absent");
		jsonout_key_str(out, "kind", layer->kind);
		jsonout_key_str(out, "detail", layer->detail);
		jsonout_object_end(out);
	}
	jsonout_array_end(out);
	event_int(event, "start_ms", start_ms);
	journal_append(journal);
}

void
journal_line(struct journal *journal, int line)
{
	event_int(journal_begin(journal, EVENT_PROGRAM_LINE), "line", line);
	journal_append(journal);
}

void
journal_output(struct journal *journal, unsigned attempt, const char *stream, struct untrusted text)
{
	struct event *event = journal_begin(journal, EVENT_OUTPUT);

	event_int(event, "attempt", attempt);
	event_str(event, "stream", stream);
	event_content(event, "text", text.bytes, text.len);
	journal_append(journal);
}

void
journal_program_end(struct journal *journal, const struct journal_program_end *end)
{
	struct event *event = journal_begin(journal, EVENT_PROGRAM_END);

	event_int(event, "attempt", end->attempt);
	event_str(event, "outcome", end->outcome);
	event_int(event, "exit", end->exit);
	if (end->error)
		event_content(event, "error", end->error, strlen(end->error));
	else
		event_json(event, "error", "null", 4);
	event_int(event, "line", end->line);
	event_int(event, "cpu_ms", end->cpu_ms);
	event_int(event, "max_rss_kb", end->max_rss_kb);
	event_int(event, "held_ms", end->held_ms);
	journal_append(journal);
}

void
journal_answer(struct journal *journal, unsigned run, struct untrusted text)
{
	struct event *event = journal_begin(journal, EVENT_ANSWER);

	event_int(event, "run", run);
	event_content(event, "text", text.bytes, text.len);
	journal_append(journal);
}

void
journal_run_end(struct journal *journal, const struct journal_run_end *end)
{
	struct event *event = journal_begin(journal, EVENT_RUN_END);

	event_int(event, "run", end->run);
	event_str(event, "outcome", end->outcome);
	event_int(event, "exit_code", end->exit_code);
	event_int(event, "calls", (int64_t)end->calls);
	event_int(event, "denied", (int64_t)end->denied);
	event_int(event, "duration_ms", end->duration_ms);
	journal_append(journal);
}

void
journal_alert(struct journal *journal, const char *text)
{
	event_content(journal_begin(journal, EVENT_ALERT), "text", text, strlen(text));
	journal_append(journal);
}

void
journal_away(struct journal *journal, bool away, const char *who)
{
	struct event *event = journal_begin(journal, EVENT_AWAY);

	event_bool(event, "away", away);
	event_str(event, "who", who);
	journal_append(journal);
}

void
journal_console(struct journal *journal, bool attached, const char *console, const char *who)
{
	struct event *event =
		journal_begin(journal, attached ? EVENT_CONSOLE_ATTACH : EVENT_CONSOLE_DETACH);

	event_str(event, "console", console);
	event_str(event, "who", who);
	journal_append(journal);
}

void
journal_session_end(struct journal *journal, const char *outcome, int exit_code)
{
	struct event *event;

	journal->ending = true;
	record_last_words(journal->record);
	if (record_checkpoint(journal->record, NULL) < 0)
		journal->is_lost = true;
	event = journal_begin(journal, EVENT_SESSION_END);
	event_str(event, "outcome", outcome);
	event_int(event, "exit_code", exit_code);
	event_str(event, "closed_by", "end");
	journal_append(journal);
	(void)!journal_flush(journal, true, NULL);
}
