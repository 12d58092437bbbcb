/*
 * tollbridge list: what is going on, those that wait first, then the records, newest first.  All of
 * it is read from the record files; no supervisor is asked, so that a list costs nobody anything.
 * Of what has ended only the two ends are read: there may be hundreds.
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
#include "core/session/summary.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/fold.h"

struct row {
	struct store_entry *entry; /* borrowed */
	char state[64];            /* foreign */
	size_t waiting;
	int64_t calls, denied; /* -1: unknown */
	char started[32];      /* UTC, or "" */
	char *task;            /* foreign; NULL: none */
	char *fault;           /* why it could not be read to its end; NULL: it could */
};

/* One that goes on is folded whole: what waits, calls or the program, stands in its middle. */
static void
read_live(const struct store_entry *entry, struct row *row)
{
	struct err err = { 0 };
	struct fold fold;

	if (fold_record(entry, &fold, &err) < 0)
		row->fault = mem_str(err.text);
	snprintf(row->state, sizeof(row->state), "%s", run_state_name(fold.session.state));
	row->waiting = fold.session.waiting + (fold.session.state == RUN_ASKING);
	row->calls = (int64_t)fold.session.call_count;
	row->denied = (int64_t)fold.session.denied;
	row->task = mem_str(fold.session.task.bytes);
	fold_release(&fold);
}

static void
read_record(const struct store_entry *entry, struct row *row)
{
	struct summary summary;

	summary_read(entry->record_path, &summary);
	snprintf(row->state, sizeof(row->state), "%s", summary_state(&summary));
	row->calls = summary.calls;
	row->denied = summary.denied;
	row->task = MEM_GIVE(summary.task);
	if (summary.fault)
		row->fault = mem_printf("%s: %s", entry->record_path, summary.fault);
	summary_release(&summary);
}

static void
read_row(struct store_entry *entry, struct row *row)
{
	time_t began = (time_t)(entry->began / NS_PER_S);
	struct tm tm;

	*row = (struct row){ .entry = entry };
	if (entry->live)
		read_live(entry, row);
	else
		read_record(entry, row);
	if (began > 0 && gmtime_r(&began, &tm))
		strftime(row->started, sizeof(row->started), "%Y-%m-%d %H:%M", &tm);
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

static void
number_column(int64_t value)
{
	char number[24] = "?";

	if (value >= 0)
		snprintf(number, sizeof(number), "%" PRId64, value);
	column(number, 6);
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
	number_column(row->calls);
	number_column(row->denied);
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

/* For a status line: what matters most, in a word or two. */
static void
print_short(const struct row *rows, size_t count)
{
	size_t running = 0;
	size_t waiting = 0;

	for (size_t i = 0; i < count; i++) {
		running += rows[i].entry->live;
		waiting += rows[i].waiting;
	}
	if (waiting > 0)
		printf("%zu %s\n", waiting, waiting == 1 ? "waits" : "wait");
	else
		puts(running > 0 ? "running" : "idle");
}

/* --- for programs --- */

static void
key_count(struct jsonout *out, const char *key, int64_t value)
{
	jsonout_key(out, key);
	if (value >= 0)
		jsonout_int(out, value);
	else
		jsonout_null(out);
}

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
	key_count(&out, "calls", row->calls);
	key_count(&out, "denied", row->denied);
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
	struct store_filter filter = { .live = false };
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
	filter.live = cmd_has(line, OPTION_SHORT);
	count = store_list_some(store, &filter, &entries, &err);
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
