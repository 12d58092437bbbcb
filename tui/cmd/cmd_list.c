/*
 * tollbridge list: what is going on, those that wait first, then the records, newest first.  All of
 * it is read from the record files; no supervisor is asked, so that a list costs nobody anything.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/record/store.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/fold.h"

struct row {
	struct store_entry *entry; /* borrowed */
	char state[64];            /* foreign */
	size_t waiting, calls;
	uint64_t denied;
	char started[32]; /* UTC, or "" */
	char *task;       /* foreign; NULL: none */
	char *fault;      /* why it could not be read to its end; NULL: it could */
};

static const char *
state_of(const struct store_entry *entry, const struct session *session)
{
	if (entry->live)
		return run_state_name(session->state);
	if (!session->ended)
		return "cut off";
	return session->outcome ? session->outcome : "ended";
}

static void
read_row(struct store_entry *entry, struct row *row)
{
	struct err err = { 0 };
	struct fold fold;
	time_t began;
	struct tm tm;

	*row = (struct row){ .entry = entry };
	if (fold_record(entry, &fold, &err) < 0)
		row->fault = mem_str(err.text);
	snprintf(row->state, sizeof(row->state), "%s", state_of(entry, &fold.session));
	row->waiting = entry->live ? fold.session.waiting : 0;
	row->calls = fold.session.call_count;
	row->denied = fold.session.denied;
	if (fold.session.task.bytes)
		row->task = mem_str(fold.session.task.bytes);
	if (fold.session.generation > 0) {
		began = time(NULL) - (time_t)(fold.now_mono / NS_PER_S);
		gmtime_r(&began, &tm);
		strftime(row->started, sizeof(row->started), "%Y-%m-%d %H:%M", &tm);
	}
	fold_release(&fold);
}

/* 0: waits for a person, 1: goes on, 2: over. */
static int
rank_of(const struct row *row)
{
	if (!row->entry->live)
		return 2;
	return row->waiting > 0 ? 0 : 1;
}

/* --- for people --- */

static void
column(const char *text, int width)
{
	AUTO_FREE char *escaped = text_escape(untrusted_str(text), TEXT_STRICT);

	printf("%-*.*s  ", width, width, escaped);
}

#define TASK_WIDTH 40

static void
print_row(const struct row *row)
{
	char number[24];

	column(row->entry->name, 20);
	column(row->state, 9);
	snprintf(number, sizeof(number), "%zu", row->waiting);
	column(row->waiting ? number : "-", 5);
	snprintf(number, sizeof(number), "%zu", row->calls);
	column(number, 6);
	snprintf(number, sizeof(number), "%" PRIu64, row->denied);
	column(number, 6);
	column(row->started, 16);
	if (row->fault)
		cmd_text(stdout, untrusted_str(row->fault), TEXT_STRICT);
	else if (row->task)
		column(row->task, TASK_WIDTH);
	putchar('\n');
}

static void
print_rows(const struct row *rows, size_t count)
{
	if (count == 0) {
		puts("no session yet; `tollbridge demo` starts one");
		return;
	}
	printf("%-20s  %-9s  %-5s  %-6s  %-6s  %-16s  %s\n", "NAME", "STATE", "WAITS", "CALLS",
		"DENIED", "STARTED (UTC)", "TASK");
	for (int rank = 0; rank < 3; rank++) {
		for (size_t i = 0; i < count; i++) {
			if (rank_of(&rows[i]) == rank)
				print_row(&rows[i]);
		}
	}
}

static void
print_short(const struct row *rows, size_t count)
{
	size_t running = 0;
	size_t waiting = 0;

	for (size_t i = 0; i < count; i++) {
		running += rows[i].entry->live;
		waiting += rank_of(&rows[i]) == 0;
	}
	if (running == 0)
		return;
	printf("%zu running", running);
	if (waiting > 0)
		printf(", %zu %s", waiting, waiting == 1 ? "waits" : "wait");
	putchar('\n');
}

/* --- for programs --- */

static void
print_json(const struct row *row)
{
	AUTO_BUF struct buf line;
	struct jsonout out;

	buf_init(&line, BUF_UNBOUNDED);
	jsonout_init(&out, &line);
	jsonout_object(&out);
	jsonout_key_str(&out, "id", row->entry->id);
	jsonout_key_str(&out, "name", row->entry->name);
	jsonout_key_str(&out, "record", row->entry->record_path);
	jsonout_key_bool(&out, "live", row->entry->live);
	jsonout_key_str(&out, "state", row->state);
	jsonout_key_int(&out, "waiting", (int64_t)row->waiting);
	jsonout_key_int(&out, "calls", (int64_t)row->calls);
	jsonout_key_int(&out, "denied", (int64_t)row->denied);
	jsonout_key_str(&out, "started", row->started[0] ? row->started : NULL);
	jsonout_key_str(&out, "task", row->task);
	jsonout_key_str(&out, "fault", row->fault);
	jsonout_object_end(&out);
	buf_byte(&line, '\n');
	fwrite(line.data, 1, line.len, stdout);
}

static void
print(const struct cmd_line *line, const struct row *rows, size_t count)
{
	if (cmd_has(line, OPTION_SHORT)) {
		print_short(rows, count);
		return;
	}
	if (!cmd_has(line, OPTION_JSON)) {
		print_rows(rows, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		print_json(&rows[i]);
}

static int
refuse_what_is_not_there_yet(const struct cmd_line *line, struct err *err)
{
	for (size_t i = 0; i < line->given_count; i++) {
		if (line->given[i].option != OPTION_JSON && line->given[i].option != OPTION_SHORT)
			return err_set(err, ERR_USAGE,
				"list takes only --json or --short in this version");
	}
	if (line->word_count > 0)
		return err_set(err, ERR_USAGE,
			"list takes no words; `tollbridge show %s` shows one", line->words[0]);
	return 0;
}

int
cmd_list(const struct cmd_line *line)
{
	struct store_entry *entries = NULL;
	struct row *rows;
	struct err err = { 0 };
	struct store *store;
	size_t count;

	if (refuse_what_is_not_there_yet(line, &err) < 0)
		return cmd_fail(&err);
	store = store_open(&err);
	if (!store)
		return cmd_fail(&err);
	count = store_list(store, &entries, &err);
	store_free(store);
	if (err.kind != ERR_NONE)
		return cmd_fail(&err);
	rows = mem_zero(count, sizeof(*rows));
	for (size_t i = 0; i < count; i++)
		read_row(&entries[i], &rows[i]);
	print(line, rows, count);
	for (size_t i = 0; i < count; i++) {
		free(rows[i].task);
		free(rows[i].fault);
	}
	free(rows);
	store_list_free(entries, count);
	return EXIT_DONE;
}
