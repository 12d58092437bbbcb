/*
 * pending: every held call whole.  This is what a person reads before `decide ... --code`, so every
 * byte of the arguments is there, strictly escaped, behind a gutter that foreign text cannot forge.
 */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/record/event.h"
#include "core/record/store.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/fold.h"

#define ROW 92

static const char *
or_none(const char *text)
{
	return text ? text : "";
}

/* --- for people --- */

static void
show_arguments(struct untrusted args)
{
	struct text_iter iter;
	struct text_cell cell;
	unsigned column = 0;

	fputs("  | ", stdout);
	text_begin(&iter, args, TEXT_STRICT);
	while (text_next(&iter, &cell)) {
		if (column > 0 && column + cell.width > ROW) {
			fputs("\n  : ", stdout);
			column = 0;
		}
		fputs(cell.utf8, stdout);
		column += cell.width;
		if (cell.line_break) {
			fputs("\n  | ", stdout);
			column = 0;
		}
	}
	fputc('\n', stdout);
}

static void show_field(const char *label, const char *fmt, ...) ATTR_PRINTF(2, 3);
static void
show_field(const char *label, const char *fmt, ...)
{
	char text[2048];
	AUTO_FREE char *escaped = NULL;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	escaped = text_escape(untrusted_str(text), TEXT_STRICT);
	printf("  %-10s ", label);
	for (const char *at = escaped; *at; at++)
		fputs(*at == '\n' ? "\n             " : (char[]){ *at, '\0' }, stdout);
	fputc('\n', stdout);
}

static void
show_time_left(const struct fold *fold, const struct session_call *call)
{
	int64_t left = session_time_left(&fold->session, call, fold->now_mono);

	if (call->timeout_ms < 0 || left < 0)
		show_field("time left", "no limit");
	else
		show_field("time left", "%lld s%s", (long long)(left / NS_PER_S),
			call == session_first_held(&fold->session)
				? ""
				: ", counted from when it is first in the queue");
}

static void
show_call(const struct fold *fold, const struct session_call *call)
{
	const struct session_tool *tool = session_tool(&fold->session, call->tool);
	char code[EVENT_CODE_SIZE];

	event_code(&call->bind, code);
	printf("%s call %llu waits\n", fold->session.name, (unsigned long long)call->number);
	show_field("tool", "%s", call->tool);
	show_field("effect", "%s (%s)%s", tool ? or_none(tool->effect) : "unknown tool",
		tool ? or_none(tool->effect_from) : "",
		tool && !tool->isolated ? ", not isolated" : "");
	show_field("asked by", "%s%s%s%s%s", or_none(call->held_why),
		call->more->ruled_reason && call->more->ruled_reason[0] ? ": " : "",
		or_none(call->more->ruled_reason), call->more->at ? ", " : "",
		or_none(call->more->at));
	if (call->line > 0)
		show_field("line", "%d, by the program's word", call->line);
	show_time_left(fold, call);
	if (call->args.bytes && !call->args.missing) {
		show_field("arguments", "all %zu bytes", call->args.len);
		show_arguments(untrusted(call->args.bytes, call->args.len));
	} else {
		show_field("arguments", "not recorded; attach shows them");
	}
	if (call->person_only || !call->args.bytes || call->args.missing)
		show_field("code", "none: only a person at a console approves this call");
	else
		show_field("code", "%s  (tollbridge decide %s %llu approve --code %s, or deny)",
			code, fold->session.name, (unsigned long long)call->number, code);
}

/* --- for programs --- */

static void
write_call(const struct fold *fold, const struct session_call *call)
{
	const struct session_tool *tool = session_tool(&fold->session, call->tool);
	int64_t left = session_time_left(&fold->session, call, fold->now_mono);
	char code[EVENT_CODE_SIZE], bind[DIGEST_HEX];
	AUTO_BUF struct buf line;
	struct jsonout out;

	buf_init(&line, BUF_UNBOUNDED);
	jsonout_init(&out, &line);
	event_code(&call->bind, code);
	digest_hex(&call->bind, bind);
	jsonout_object(&out);
	jsonout_key_str(&out, "session", fold->session.id);
	jsonout_key_str(&out, "name", fold->session.name);
	jsonout_key_int(&out, "call", (int64_t)call->number);
	jsonout_key_str(&out, "tool", call->tool);
	jsonout_key_str(&out, "effect", tool ? tool->effect : NULL);
	jsonout_key(&out, "args");
	if (call->args.bytes)
		jsonout_strn(&out, call->args.bytes, call->args.len);
	else
		jsonout_null(&out);
	jsonout_key_str(&out, "bind", bind);
	jsonout_key_str(&out, "why", call->held_why);
	jsonout_key_str(&out, "reason", call->more->ruled_reason);
	jsonout_key_str(&out, "at", call->more->at);
	jsonout_key_int(&out, "line", call->line);
	jsonout_key(&out, "left_ms");
	if (call->timeout_ms < 0 || left < 0)
		jsonout_null(&out);
	else
		jsonout_int(&out, left / NS_PER_MS);
	jsonout_key_bool(&out, "person_only", call->person_only);
	jsonout_key_str(&out, "code", call->person_only || !call->args.bytes ? NULL : code);
	jsonout_object_end(&out);
	puts(line.data);
}

/* --- all of them --- */

static size_t
show_held(const struct fold *fold, bool json)
{
	size_t count = 0;

	for (size_t i = 0; i < fold->session.call_count; i++) {
		const struct session_call *call = &fold->session.calls[i];

		if (call->state != CALL_HELD)
			continue;
		if (json)
			write_call(fold, call);
		else
			show_call(fold, call);
		count++;
	}
	return count;
}

static int
show_entry(const struct store_entry *entry, bool json, size_t *count, struct err *err)
{
	struct fold fold;
	int failed = fold_record(entry, &fold, err);

	if (!failed)
		*count += show_held(&fold, json);
	fold_release(&fold);
	return failed;
}

static int
show_all(bool json, size_t *shown, struct err *err)
{
	struct store *store = store_open(err);
	struct store_entry *list = NULL;
	struct err listing = { 0 };
	size_t count;
	int failed = 0;

	if (!store)
		return -1;
	count = store_list(store, &list, &listing);
	store_free(store);
	if (listing.kind != ERR_NONE) {
		*err = listing;
		return -1;
	}
	for (size_t i = count; !failed && i-- > 0;)
		if (list[i].live)
			failed = show_entry(&list[i], json, shown, err);
	store_list_free(list, count);
	return failed;
}

static int
show_one(const char *word, bool json, size_t *shown, struct err *err)
{
	struct store_entry entry;
	int failed;

	if (fold_find_live(word, &entry, err) < 0)
		return -1;
	failed = show_entry(&entry, json, shown, err);
	store_entry_release(&entry);
	return failed;
}

int
cmd_pending(const struct cmd_line *line)
{
	bool json = cmd_has(line, OPTION_JSON);
	struct err err = { 0 };
	size_t shown = 0;

	if (cmd_expect_words(line, 0, 1, &err) < 0)
		return cmd_fail(&err);
	if (line->word_count > 0 ? show_one(line->words[0], json, &shown, &err)
				 : show_all(json, &shown, &err))
		return cmd_fail(&err);
	if (shown == 0 && !json)
		cmd_say("no call waits");
	return EXIT_DONE;
}
