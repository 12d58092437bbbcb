/*
 * tollbridge show: a record for people, from top to bottom as it happened; --json: its own lines,
 * as far as they are good.  Every byte of the record is foreign and passes text_escape.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/record/store.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/fold.h"

#define SHOWN_MAX 4096 /* bytes of one result */

static void
put(const char *text)
{
	cmd_text(stdout, untrusted_str(text), TEXT_TEXT);
}

static void
put_bytes(const struct blob *blob, size_t max)
{
	size_t len = blob->len;

	if (blob->missing) {
		fputs("(redacted)", stdout);
		return;
	}
	if (len > max) {
		len = max;
		while (len > 0 && ((unsigned char)blob->bytes[len] & 0xC0) == 0x80)
			len--;
	}
	cmd_text(stdout, untrusted(blob->bytes, len), TEXT_TEXT);
	if (len < blob->len)
		printf(" ... (%zu more bytes; --json has them all)", blob->len - len);
}

static void
put_field(const char *label, const char *text)
{
	if (!text || !text[0])
		return;
	printf("  %-9s ", label);
	put(text);
	putchar('\n');
}

/* --- the head --- */

static void
show_layers(const struct session *session)
{
	if (session->layer_count == 0)
		return;
	fputs("  proved    ", stdout);
	for (size_t i = 0; i < session->layer_count; i++) {
		const struct session_layer *layer = &session->layers[i];

		if (i > 0)
			fputs(", ", stdout);
		if (!layer->proved)
			fputs("NOT ", stdout);
		put(layer->name);
		if (!layer->proved && layer->detail && layer->detail[0]) {
			fputs(" (", stdout);
			put(layer->detail);
			putchar(')');
		}
	}
	putchar('\n');
}

static void
show_loosened(const struct session *session)
{
	for (size_t i = 0; i < session->loosened_count; i++)
		put_field("loosened", session->loosened[i]);
}

static void
show_head(const struct store_entry *entry, const struct session *session)
{
	put(session->name ? session->name : "(no name)");
	putchar('\n');
	put_field("id", session->id);
	put_field("record", entry->record_path);
	put_field("mode", session->mode);
	put_field("version", session->version);
	put_field("host", session->host);
	put_field("user", session->user);
	put_field("model", session->model);
	if (session->scripted)
		put_field("", "the model's replies were played from a file");
	if (session->task.bytes || session->task.missing) {
		fputs("  task      ", stdout);
		put_bytes(&session->task, SHOWN_MAX);
		putchar('\n');
	}
	put_field("sandbox", session->backend);
	show_layers(session);
	show_loosened(session);
	for (size_t i = 0; i < session->server_count; i++) {
		if (session->servers[i].isolated)
			continue;
		fputs("  NOTE      not isolated: the tools of ", stdout);
		put(session->servers[i].name);
		putchar('\n');
	}
}

/* --- programs and output --- */

/* Lines with their numbers; number 0: none. */
static void
show_lines(const struct blob *text, bool numbered)
{
	const char *at = text->bytes;
	const char *end = at ? at + text->len : NULL;
	unsigned number = 1;

	if (text->missing)
		puts("  (redacted)");
	while (at < end) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		size_t len = lf ? (size_t)(lf - at) : (size_t)(end - at);

		if (numbered)
			printf("  %4u  ", number++);
		else
			fputs("  ", stdout);
		cmd_text(stdout, untrusted(at, len), TEXT_LINES);
		putchar('\n');
		at += len + 1;
	}
}

/* What a person said last of the program as a whole. */
static void
show_program_verdict(const struct session_program *program)
{
	if (!program->verdict)
		return;
	fputs("  decided: ", stdout);
	put(program->verdict);
	if (program->decided_who) {
		fputs(" by ", stdout);
		put(program->decided_who);
	}
	if (program->decided_reason.bytes) {
		fputs(": ", stdout);
		put_bytes(&program->decided_reason, SIZE_MAX);
	}
	putchar('\n');
}

static void
show_program(const struct session_program *program)
{
	printf("\nprogram, attempt %u (%zu lines", program->attempt, program->lines);
	if (program->by) {
		fputs(", by ", stdout);
		put(program->by);
	}
	puts(")");
	show_lines(&program->text, true);
	show_program_verdict(program);
}

static void
show_program_end(const struct session_program *program)
{
	if (!program->outcome)
		return;
	printf("\nattempt %u ended: ", program->attempt);
	put(program->outcome);
	printf(" (exit %d, %" PRId64 " ms of CPU, %" PRId64 " KiB, held for %" PRId64 " ms)\n",
		program->exit, program->cpu_ms, program->max_rss_kb, program->held_ms);
	if (program->error.bytes || program->error.missing)
		show_lines(&program->error, false);
}

/* " 40 tokens in, 7 out", as far as they were told. */
static void
show_tokens(const char *word, int64_t tokens)
{
	if (tokens >= 0)
		printf(" · %" PRId64 " tokens %s", tokens, word);
}

static void
show_turn(const struct session_turn *turn)
{
	printf("  %4u  for the ", turn->turn);
	put(turn->purpose);
	printf(": ");
	put(turn->stop ? turn->stop : "not ended");
	printf(" · %zu bytes", turn->text.len);
	if (turn->reasoning.len > 0)
		printf(" · %zu bytes of reasoning", turn->reasoning.len);
	show_tokens("in", turn->input);
	show_tokens("out", turn->output);
	if (turn->cost_micro >= 0)
		printf(" · $%.4f", (double)turn->cost_micro / 1e6);
	if (turn->ended_mono > turn->began_mono)
		printf(" · %" PRId64 " ms", (turn->ended_mono - turn->began_mono) / NS_PER_MS);
	putchar('\n');
	if (turn->refused) {
		printf("        ");
		put(turn->refused);
		putchar('\n');
	}
	if (turn->error) {
		printf("        ");
		put(turn->error);
		putchar('\n');
	}
}

static void
show_turns(const struct session *session)
{
	if (session->turn_count > 0)
		puts("\nreplies of the model");
	for (size_t i = 0; i < session->turn_count; i++)
		show_turn(&session->turns[i]);
}

static void
show_output(const struct session *session)
{
	AUTO_BUF struct buf all;
	struct blob text;

	buf_init(&all, BUF_UNBOUNDED);
	for (size_t i = 0; i < session->output_count; i++) {
		const struct blob *chunk = &session->outputs[i].text;

		if (chunk->missing)
			buf_str(&all, "(redacted)\n");
		else if (chunk->bytes)
			buf_put(&all, chunk->bytes, chunk->len);
	}
	if (all.len == 0)
		return;
	text = (struct blob){ all.data, all.len, false };
	puts("\noutput");
	show_lines(&text, false);
}

/* --- calls --- */

static void
show_rule(const struct session_call *call)
{
	if (!call->action)
		return;
	fputs("       rule: ", stdout);
	put(call->action);
	if (call->rule) {
		fputs(" by ", stdout);
		put(call->rule);
	}
	if (call->rule && call->more->at) {
		fputs(" at ", stdout);
		put(call->more->at);
	}
	if (call->more->ruled_reason) {
		fputs(": ", stdout);
		put(call->more->ruled_reason);
	} else if (!call->rule) {
		fputs(", no rule matches", stdout);
	}
	putchar('\n');
	if (call->held_why) {
		fputs("       held: ", stdout);
		put(call->held_why);
		if (call->extended_ms > 0)
			printf(", %" PRId64 " s added", call->extended_ms / 1000);
		putchar('\n');
	}
}

static void
show_decision(const struct session_call *call)
{
	if (!call->verdict)
		return;
	fputs("       ", stdout);
	put(call->verdict);
	fputs(" by ", stdout);
	put(call->by ? call->by : "nobody named");
	if (call->who) {
		fputs(" (", stdout);
		put(call->who);
		if (call->more->via) {
			fputs(", ", stdout);
			put(call->more->via);
		}
		putchar(')');
	}
	if (call->stop)
		fputs(" and stop", stdout);
	if (call->more->reason.bytes || call->more->reason.missing) {
		fputs(": ", stdout);
		put_bytes(&call->more->reason, SHOWN_MAX);
	}
	putchar('\n');
	if (call->more->comment.bytes || call->more->comment.missing) {
		fputs("       comment: ", stdout);
		put_bytes(&call->more->comment, SHOWN_MAX);
		putchar('\n');
	}
}

static void
show_outcome(const struct session_call *call, bool live)
{
	fputs("       ", stdout);
	switch (call->state) {
	case CALL_REQUESTED:
	case CALL_HELD:
		puts(live ? "waits for a decision" : "never decided: it did not run");
		return;
	case CALL_DECIDED:
		puts(live ? "decided" : "never started: it did not run");
		return;
	case CALL_STARTED:
		puts(live ? "runs" : "started and never ended: its outcome is UNKNOWN");
		return;
	case CALL_ENDED:
		break;
	}
	put(call->outcome ? call->outcome : "ended");
	printf(" after %" PRId64 " ms", call->ms);
	if (call->result.bytes || call->result.missing) {
		fputs(": ", stdout);
		put_bytes(&call->result, SHOWN_MAX);
	}
	putchar('\n');
}

static void
show_call(const struct session_call *call, bool live)
{
	printf("  %3" PRIu64 "  ", call->number);
	put(call->tool);
	if (call->line > 0)
		printf("  line %d", call->line);
	fputs("\n       ", stdout);
	put_bytes(&call->args, SIZE_MAX);
	putchar('\n');
	if (call->more->asked.bytes || call->more->asked.missing) {
		fputs("       edited; asked was: ", stdout);
		put_bytes(&call->more->asked, SIZE_MAX);
		putchar('\n');
	}
	show_rule(call);
	show_decision(call);
	show_outcome(call, live);
}

static void
show_calls(const struct session *session, bool live)
{
	if (session->call_count > 0)
		puts("\ncalls");
	for (size_t i = 0; i < session->call_count; i++)
		show_call(&session->calls[i], live);
}

/* --- what was arranged for calls to come --- */

static void
show_grants(const struct session *session)
{
	if (session->grant_count > 0)
		puts("\ngrants");
	for (size_t i = 0; i < session->grant_count; i++) {
		const struct session_grant *grant = &session->grants[i];

		printf("  %" PRIu64 "  %" PRId64 " of %" PRId64 " calls of ", grant->number,
			grant->used, grant->n);
		put(grant->tool);
		printf(" from line %d of attempt %u, from call %" PRIu64 "%s\n", grant->line,
			grant->attempt, grant->from_call, grant->revoked ? ", void" : "");
		show_lines(&grant->bounds, false);
	}
}

static void
show_rules(const struct session *session)
{
	if (session->rule_count > 0)
		puts("\nrules made in the run");
	for (size_t i = 0; i < session->rule_count; i++) {
		const struct session_rule *rule = &session->rules[i];

		printf("  from call %" PRIu64 ", %s\n", rule->from_call,
			rule->from_now ? "in force since" : "kept for after the run");
		show_lines(&rule->rule, false);
	}
}

/* --- the end --- */

static void
show_alerts(const struct session *session)
{
	if (session->alert_count > 0)
		puts("\nalerts");
	for (size_t i = 0; i < session->alert_count; i++)
		put_field("!", session->alerts[i].text);
}

static void
show_open_calls(const struct session *session)
{
	for (size_t i = 0; i < session->call_count; i++) {
		const struct session_call *call = &session->calls[i];

		if (call->state == CALL_ENDED)
			continue;
		printf("  call %" PRIu64 ", ", call->number);
		put(call->tool);
		if (call->state == CALL_STARTED)
			puts(": started, outcome unknown");
		else if (call->state == CALL_DECIDED)
			puts(": decided, did not run");
		else
			puts(": undecided, did not run");
	}
}

static void
show_end(const struct session *session, bool live)
{
	if (session->answer.bytes || session->answer.missing) {
		puts("\nanswer");
		show_lines(&session->answer, false);
	}
	fputs("\nend: ", stdout);
	if (session->ended) {
		put(session->outcome ? session->outcome : "ended");
		printf(", exit code %d, %zu calls, %" PRIu64 " denied", session->exit_code,
			session->call_count, session->denied);
		if (session->closed_by && strcmp(session->closed_by, "end") != 0)
			fputs(", closed by recovery", stdout);
		putchar('\n');
		return;
	}
	if (live) {
		printf("none yet, the run goes on (%s)\n", run_state_name(session->state));
		return;
	}
	puts("none: the supervisor was killed or its record cut");
	show_open_calls(session);
}

static void
show(const struct store_entry *entry, const struct session *session)
{
	show_head(entry, session);
	show_turns(session);
	for (size_t i = 0; i < session->program_count; i++)
		show_program(&session->programs[i]);
	show_calls(session, entry->live);
	show_grants(session);
	show_rules(session);
	show_output(session);
	for (size_t i = 0; i < session->program_count; i++)
		show_program_end(&session->programs[i]);
	show_alerts(session);
	show_end(session, entry->live);
}

static int
show_people(const struct store_entry *entry)
{
	struct err err = { 0 };
	struct fold fold;
	int read = fold_record(entry, &fold, &err);

	if (fold.session.generation > 0)
		show(entry, &fold.session);
	fold_release(&fold);
	if (read < 0) {
		fflush(stdout);
		cmd_say("what is behind this place cannot be read: %s", err.text);
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

/* --- its lines --- */

/* The bytes of an event that passed the reader: printable ASCII by that. */
static int
copy_lines(int fd, int64_t from, int64_t to, struct err *err)
{
	char chunk[16384];

	while (from < to) {
		size_t want =
			(size_t)(to - from) < sizeof(chunk) ? (size_t)(to - from) : sizeof(chunk);
		ssize_t got = pread(fd, chunk, want, from);

		if (got <= 0)
			return err_sys(err, got < 0 ? errno : EIO, "read");
		fwrite(chunk, 1, (size_t)got, stdout);
		from += got;
	}
	return 0;
}

static int
show_lines_of(int fd, struct reader *reader, struct err *err)
{
	char chunk[65536];
	struct event_view event;
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		int next;

		at += got;
		if (reader_feed(reader, chunk, (size_t)got, err) < 0)
			return -1;
		while ((next = reader_next(reader, &event, err)) > 0) {
			if (copy_lines(fd, event.offset, reader_offset(reader), err) < 0)
				return -1;
		}
		if (next < 0)
			return -1;
	}
	return got < 0 ? err_sys(err, errno, "read") : 0;
}

static int
show_json(const struct store_entry *entry)
{
	AUTO_CLOSE int fd = open(entry->record_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct reader *reader = reader_new(READER_CHAIN | READER_LENIENT);
	struct err err = { 0 };
	int shown;

	if (fd < 0)
		shown = err_sys(&err, errno, "%s", entry->record_path);
	else
		shown = show_lines_of(fd, reader, &err);
	reader_free(reader);
	if (shown == 0)
		return EXIT_DONE;
	fflush(stdout);
	return cmd_fail(&err);
}

int
cmd_show(const struct cmd_line *line)
{
	bool as_json = cmd_has(line, OPTION_JSON);
	struct store_entry entry;
	struct err err = { 0 };
	struct store *store;
	int code;

	if (line->given_count > as_json)
		(void)err_set(&err, ERR_USAGE, "show takes only --json in this version");
	if (err.kind != ERR_NONE || cmd_expect_words(line, 1, 1, &err) < 0)
		return cmd_fail(&err);
	store = store_open(&err);
	if (!store || store_find(store, line->words[0], &entry, &err) < 0) {
		store_free(store);
		return cmd_fail(&err);
	}
	store_free(store);
	code = as_json ? show_json(&entry) : show_people(&entry);
	store_entry_release(&entry);
	return code;
}
