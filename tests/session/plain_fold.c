#include "config.h"

#include "tests/session/plain_fold.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/session.h"

void
plain_fold(int fd, uint64_t position, struct session *out)
{
	struct reader *reader = reader_new(READER_CHAIN | READER_LENIENT);
	struct event_view view;
	char chunk[16384];
	off_t at = 0;
	ssize_t got;
	uint64_t events = 0;

	session_init(out);
	while (events < position && (got = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		at += got;
		if (reader_feed(reader, chunk, (size_t)got, NULL) < 0)
			abort();
		while (events < position && reader_next(reader, &view, NULL) > 0) {
			session_apply(out, &view);
			events++;
		}
	}
	reader_free(reader);
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
same_blob(const struct blob *a, const struct blob *b)
{
	return a->missing == b->missing && a->len == b->len && !a->bytes == !b->bytes &&
	       (!a->bytes || memcmp(a->bytes, b->bytes, a->len) == 0);
}

#define TELL(where, i, what) return mem_printf("%s %zu: %s", where, (size_t)(i), what)
#define SAME(where, i, field)                   \
	do {                                    \
		if (a->field != b->field)       \
			TELL(where, i, #field); \
	} while (0)
#define SAME_TEXT(where, i, field)                  \
	do {                                        \
		if (!same_text(a->field, b->field)) \
			TELL(where, i, #field);     \
	} while (0)
#define SAME_BLOB(where, i, field)                    \
	do {                                          \
		if (!same_blob(&a->field, &b->field)) \
			TELL(where, i, #field);       \
	} while (0)
#define SAME_BYTES(where, i, field)                                      \
	do {                                                             \
		if (memcmp(&a->field, &b->field, sizeof(a->field)) != 0) \
			TELL(where, i, #field);                          \
	} while (0)

static char *
light_difference(size_t i, const struct session_call *a, const struct session_call *b)
{
	SAME("call", i, number);
	SAME("call", i, run);
	SAME("call", i, attempt);
	SAME("call", i, state);
	SAME("call", i, line);
	SAME("call", i, nth_here);
	SAME("call", i, requested_mono);
	SAME("call", i, held_mono);
	SAME("call", i, decided_mono);
	SAME("call", i, started_mono);
	SAME("call", i, ended_mono);
	SAME("call", i, grant);
	SAME("call", i, ms);
	SAME_TEXT("call", i, tool);
	SAME_TEXT("call", i, origin);
	SAME_TEXT("call", i, held_why);
	SAME_TEXT("call", i, verdict);
	SAME_TEXT("call", i, by);
	SAME_TEXT("call", i, outcome);
	if (a->state == CALL_ENDED || b->loaded || b->action) {
		SAME_TEXT("call", i, action);
		SAME_TEXT("call", i, rule);
	}
	return NULL;
}

static char *
more_difference(size_t i, const struct session_call_more *a, const struct session_call_more *b)
{
	SAME_BYTES("call", i, args_salt);
	SAME_BLOB("call", i, asked);
	SAME_BYTES("call", i, asked_salt);
	SAME_TEXT("call", i, edited_who);
	SAME_TEXT("call", i, at);
	SAME_TEXT("call", i, ruled_reason);
	SAME("call", i, tried_count);
	for (size_t k = 0; k < a->tried_count; k++) {
		SAME_TEXT("call", i, tried[k].rule);
		SAME_TEXT("call", i, tried[k].why);
		SAME("call", i, tried[k].matched);
	}
	SAME_TEXT("call", i, shown.console);
	SAME("call", i, shown.mono);
	SAME("call", i, shown.presentation);
	SAME("call", i, shown.seen_seq);
	SAME("call", i, shown.cols);
	SAME_BYTES("call", i, shown.frame);
	SAME_TEXT("call", i, via);
	SAME_TEXT("call", i, console);
	SAME("call", i, dwell_ms);
	SAME("call", i, covered);
	SAME("call", i, total);
	SAME_BLOB("call", i, reason);
	SAME_BLOB("call", i, comment);
	return NULL;
}

static char *
call_difference(size_t i, const struct session_call *a, const struct session_call *b)
{
	char *found = light_difference(i, a, b);

	if (found || !b->loaded)
		return found;
	SAME("call", i, edit);
	SAME("call", i, presentations);
	SAME("call", i, confirm_code);
	SAME("call", i, person_only);
	SAME("call", i, stop);
	SAME_BLOB("call", i, args);
	SAME_BYTES("call", i, bind);
	SAME("call", i, timeout_ms);
	SAME("call", i, extended_ms);
	SAME("call", i, repeat_of);
	SAME_TEXT("call", i, who);
	SAME("call", i, result_of);
	SAME_BLOB("call", i, result);
	return more_difference(i, a->more, b->more);
}

static char *
scalar_difference(const struct session *a, const struct session *b)
{
	SAME_TEXT("session", 0, id);
	SAME_TEXT("session", 0, name);
	SAME_TEXT("session", 0, mode);
	SAME_BLOB("session", 0, task);
	SAME_TEXT("session", 0, task_from);
	SAME("session", 0, run);
	SAME("session", 0, attempt);
	SAME("session", 0, state);
	SAME("session", 0, live_line);
	SAME("session", 0, begun_mono);
	SAME("session", 0, call_count);
	SAME("session", 0, waiting);
	SAME("session", 0, program_count);
	SAME("session", 0, tool_count);
	SAME("session", 0, server_count);
	SAME("session", 0, output_bytes);
	SAME("session", 0, counter_count);
	SAME("session", 0, layer_count);
	SAME_TEXT("session", 0, backend);
	SAME("session", 0, alert_count);
	SAME("session", 0, loosened_count);
	SAME("session", 0, limit_count);
	SAME("session", 0, grant_count);
	SAME("session", 0, rule_count);
	SAME("session", 0, away);
	SAME("session", 0, away_mono);
	SAME("session", 0, away_ns);
	SAME_TEXT("session", 0, away_who);
	SAME("session", 0, consoles);
	SAME("session", 0, alone_seq);
	SAME("session", 0, alone_mono);
	SAME_BLOB("session", 0, answer);
	SAME_TEXT("session", 0, run_outcome);
	SAME("session", 0, ended);
	SAME_TEXT("session", 0, outcome);
	SAME("session", 0, exit_code);
	SAME_TEXT("session", 0, closed_by);
	SAME("session", 0, denied);
	SAME("session", 0, seq);
	SAME("session", 0, mono);
	SAME("session", 0, generation);
	if (session_first_held(a) ? session_first_held(a)->number != session_first_held(b)->number
				  : session_first_held(b) != NULL)
		TELL("session", 0, "the first held call");
	return NULL;
}

static char *
list_difference(const struct session *a, const struct session *b)
{
	for (size_t i = 0; i < a->program_count; i++) {
		SAME("program", i, programs[i].attempt);
		SAME_BLOB("program", i, programs[i].text);
		SAME("program", i, programs[i].site_count);
		SAME_TEXT("program", i, programs[i].outcome);
		SAME_BLOB("program", i, programs[i].error);
		SAME_TEXT("program", i, programs[i].verdict);
	}
	for (size_t i = 0; i < a->tool_count; i++) {
		SAME_TEXT("tool", i, tools[i].full);
		SAME_BLOB("tool", i, tools[i].definition);
	}
	for (size_t i = 0; i < a->counter_count; i++) {
		SAME_TEXT("counter", i, counters[i].name);
		SAME("counter", i, counters[i].used);
		SAME("counter", i, counters[i].limit);
	}
	for (size_t i = 0; i < a->alert_count; i++)
		SAME_TEXT("alert", i, alerts[i].text);
	for (size_t i = 0; i < a->grant_count; i++) {
		SAME("grant", i, grants[i].used);
		SAME("grant", i, grants[i].revoked);
		SAME_TEXT("grant", i, grants[i].tool);
		SAME_BLOB("grant", i, grants[i].bounds);
	}
	for (size_t i = 0; i < a->rule_count; i++)
		SAME_BLOB("rule", i, rules[i].rule);
	return NULL;
}

static char *
output_difference(const struct session *plain, const struct session *film)
{
	size_t before = film->outputs_before;

	if (before + film->output_count != plain->output_count)
		return mem_printf("output: %zu and %zu chunks of %zu", before, film->output_count,
			plain->output_count);
	for (size_t i = 0; i < film->output_count; i++) {
		const struct session_output *a = &plain->outputs[before + i];
		const struct session_output *b = &film->outputs[i];

		SAME("output", i, seq);
		SAME("output", i, err);
		SAME("output", i, attempt);
		SAME_BLOB("output", i, text);
	}
	return NULL;
}

char *
plain_difference(const struct session *plain, const struct session *film)
{
	char *found = scalar_difference(plain, film);

	if (!found)
		found = list_difference(plain, film);
	if (!found)
		found = output_difference(plain, film);
	for (size_t i = 0; !found && i < plain->call_count; i++)
		found = call_difference(i, &plain->calls[i], &film->calls[i]);
	return found;
}

char *
plain_call_difference(const struct session_call *plain, const struct session_call *film)
{
	return call_difference(plain->number, plain, film);
}
