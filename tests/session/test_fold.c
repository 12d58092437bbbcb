/*
 * What is shown is a fold over events: here it is held against the state of those who decide.  A
 * gate and a budget go through random turns, each recorded by the journal as the supervisor does;
 * after every turn the session folded from the record must say the same as they.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/budget.h"
#include "core/gate/gate.h"
#include "core/record/reader.h"
#include "core/record/writer.h"
#include "core/run/journal.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"

#define CALLS_MAX 300
#define KINDS 5
#define WHO "uid 1000 pid 4711"

struct call {
	struct digest bind, asked_bind;
	unsigned edits;
};

struct world {
	struct loop *loop;
	struct record *record;
	struct journal *journal;
	struct gate *gate;
	struct budget *budget;
	struct reader *reader;
	struct session session;
	int fd;
	off_t read;
	int64_t now; /* ns */
	call_id last;
	struct call calls[CALLS_MAX];
	uint64_t seed;
	bool ended;
	unsigned edits, releases, timeouts;
};

static const struct tool_facts tools[] = {
	{ .full = "a.read", .server = "a", .name = "read", .effect = EFFECT_READ },
	{ .full = "a.write", .server = "a", .name = "write", .effect = EFFECT_MUTATE },
	{ .full = "a.wipe",
		.server = "a",
		.name = "wipe",
		.effect = EFFECT_DESTROY,
		.destructive_marked = true },
};

static const char *const arguments[KINDS] = { "{}", "{\"n\":1}", "{\"n\":2}", "{\"n\":[3]}",
	"{\"n\":\"\\u202e\"}" };

static unsigned
pick(struct world *world, unsigned count)
{
	world->seed ^= world->seed << 13;
	world->seed ^= world->seed >> 7;
	world->seed ^= world->seed << 17;
	return (unsigned)(world->seed >> 33) % count;
}

/* --- the record's side --- */

static void
decided(struct world *world, call_id call, enum verdict verdict, enum decided_by by)
{
	struct journal_decided event = {
		.call = call,
		.bind = &world->calls[call].bind,
		.verdict = verdict,
		.by = by,
	};

	journal_decided(world->journal, &event);
	if (verdict == VERDICT_APPROVE)
		journal_start(world->journal, call, &world->calls[call].bind);
	journal_end(world->journal, call, verdict == VERDICT_APPROVE ? "ok" : "denied",
		untrusted(NULL, 0), 0);
}

static void
on_decided(const struct gate_verdict *verdict, void *arg)
{
	struct world *world = arg;

	world->timeouts += verdict->by == BY_TIMEOUT;
	decided(world, verdict->call, verdict->verdict, verdict->by);
}

static void
catch_up(struct world *world)
{
	struct err err = { 0 };
	struct event_view view;
	char chunk[65536];
	ssize_t got;

	assert_int_equal(journal_flush(world->journal, false, &err), 0);
	while ((got = pread(world->fd, chunk, sizeof(chunk), world->read)) > 0) {
		world->read += got;
		assert_int_equal(reader_feed(world->reader, chunk, (size_t)got, &err), 0);
		while (reader_next(world->reader, &view, &err) == 1) {
			view.mono = world->now;
			session_apply(&world->session, &view);
		}
		assert_string_equal(err.text, "");
	}
}

/* --- turns --- */

static struct ruling
some_ruling(struct world *world)
{
	struct ruling ruling = { .action = (enum action)pick(world, 3), .why = RULED_RULE };

	ruling.confirm_code = pick(world, 4) == 0;
	ruling.person_only = pick(world, 6) == 0;
	if (pick(world, 8) == 0)
		ruling.timeout_ms = -1;
	return ruling;
}

static void
bind_args(struct world *world, call_id call, const struct tool_facts *tool, const char *args,
	struct content *content)
{
	content_make(content, args, strlen(args));
	event_bind(MAKE_ID, call, tool->full, &tool->sha256, &content->commitment,
		&world->calls[call].bind);
}

static void
record_request(struct world *world, const struct gate_request *request, struct content *content)
{
	struct journal_request event = {
		.run = 1,
		.attempt = 1,
		.call = request->call,
		.tool = request->tool->full,
		.args = untrusted(request->args, request->args_len),
		.content = content,
		.bind = &request->bind,
		.line = 1,
		.origin = "program",
	};

	journal_request(world->journal, &event);
	journal_ruled(world->journal, request->call, request->ruling);
}

static void
turn_submit(struct world *world)
{
	const struct tool_facts *tool = &tools[pick(world, ARRAY_SIZE(tools))];
	struct ruling ruling = some_ruling(world);
	const char *args = arguments[pick(world, KINDS)];
	struct gate_request request = { .call = ++world->last,
		.tool = tool,
		.args = args,
		.args_len = strlen(args),
		.ruling = &ruling };
	struct permit *permit;
	struct gate_call held;
	struct gate_verdict denied;
	struct content content;

	if (budget_line(world->budget))
		(void)!budget_reserve(world->budget, tool->full, NULL);
	else
		(void)budget_refused(world->budget);
	bind_args(world, request.call, tool, args, &content);
	world->calls[request.call].asked_bind = world->calls[request.call].bind;
	request.bind = world->calls[request.call].bind;
	record_request(world, &request, &content);
	switch (gate_submit(world->gate, &request, world->now, &permit, &held, &denied, NULL)) {
	case GATE_ALLOWED:
		decided(world, request.call, VERDICT_APPROVE, BY_RULE);
		break;
	case GATE_HELD:
		journal_held(world->journal, &held);
		break;
	default:
		decided(world, request.call, VERDICT_DENY, denied.by);
	}
	permit_free(permit);
}

static bool
some_held(struct world *world, struct gate_call *out)
{
	size_t count = gate_held(world->gate);

	return count > 0 && gate_held_at(world->gate, pick(world, (unsigned)count), out);
}

static void
turn_decide(struct world *world)
{
	enum verdict verdict = pick(world, 4) ? VERDICT_APPROVE : VERDICT_DENY;
	struct gate_call held;
	struct permit *permit;

	if (!some_held(world, &held))
		return;
	assert_int_equal(gate_decide(world->gate, held.call, &held.bind, verdict, BY_PERSON, "no",
				 &permit, NULL),
		0);
	decided(world, held.call, verdict, BY_PERSON);
	permit_free(permit);
}

static void
record_edit(struct world *world, const struct gate_change *change, const struct tool_facts *tool,
	const struct content *content)
{
	struct journal_edited event = {
		.call = change->call,
		.edit = world->calls[change->call].edits,
		.args = untrusted(change->args, change->args_len),
		.content = change->back ? NULL : content,
		.bind = &change->bind,
		.who = WHO,
		.confirm_code = change->ruling->confirm_code || tool->destructive_marked,
		.person_only = change->ruling->person_only,
	};

	journal_edited(world->journal, &event);
	journal_ruled(world->journal, change->call, change->ruling);
}

static void
turn_edit(struct world *world)
{
	struct ruling ruling = some_ruling(world);
	const char *args = arguments[pick(world, KINDS)];
	struct gate_call held;
	struct gate_verdict denied;
	struct gate_change change;
	struct content content;
	struct call *call;

	if (!some_held(world, &held))
		return;
	call = &world->calls[held.call];
	change = (struct gate_change){ .call = held.call,
		.back = held.asked && pick(world, 2),
		.args = args,
		.args_len = strlen(args),
		.seen = held.bind,
		.ruling = &ruling };
	if (change.back)
		call->bind = call->asked_bind;
	else
		bind_args(world, held.call, held.tool, args, &content);
	change.bind = call->bind;
	call->edits += !change.back;
	record_edit(world, &change, held.tool, &content);
	if (gate_edit(world->gate, &change, &denied, NULL) == GATE_DENIED)
		decided(world, held.call, VERDICT_DENY, denied.by);
	world->edits++;
}

static void
turn_extend(struct world *world)
{
	struct gate_call held;

	if (some_held(world, &held) && gate_extend(world->gate, held.call, 700, NULL) == 0)
		journal_extended(world->journal, held.call, 700, WHO);
}

static void
turn_away(struct world *world)
{
	bool away = !gate_is_away(world->gate);
	struct permit *permit;
	struct gate_verdict verdict;

	gate_away(world->gate, away, world->now);
	journal_away(world->journal, away, WHO);
	while (gate_next_away(world->gate, &permit, &verdict)) {
		decided(world, verdict.call, verdict.verdict, verdict.by);
		world->releases++;
		permit_free(permit);
	}
}

static void
turn_end(struct world *world)
{
	gate_end_program(world->gate, BY_ENDED, "over");
	gate_next_run(world->gate);
}

/* As the supervisor's timer does: a deadline is seen when it comes. */
static void
pass(struct world *world, int64_t ns)
{
	while (ns > 0) {
		int64_t next = gate_tick(world->gate, world->now);
		int64_t step = next > 0 && next < ns ? next : ns;

		world->now += step;
		ns -= step;
		(void)gate_tick(world->gate, world->now);
		catch_up(world);
	}
}

static void
one_turn(struct world *world)
{
	unsigned die = pick(world, 100);

	pass(world, pick(world, 20) * 17 * NS_PER_MS);
	if (die < 50 && world->last + 1 < CALLS_MAX)
		turn_submit(world);
	else if (die < 62)
		turn_decide(world);
	else if (die < 80)
		turn_edit(world);
	else if (die < 88)
		turn_extend(world);
	else if (die < 96)
		turn_away(world);
	else if (die < 98)
		turn_end(world);
	else
		pass(world, 7 * NS_PER_S);
	journal_budget(world->journal, 1, world->budget, NULL);
	catch_up(world);
}

/* --- the comparison --- */

static int64_t
shown_left_ms(const struct world *world, const struct session_call *call)
{
	int64_t left = session_time_left(&world->session, call, world->now);

	return left < 0 ? -1 : (left + NS_PER_MS - 1) / NS_PER_MS;
}

static void
check_call(const struct world *world, const struct gate_call *held, const struct session_call *call)
{
	assert_int_equal(call->state, CALL_HELD);
	assert_string_equal(call->tool, held->tool->full);
	assert_int_equal(call->args.len, held->args_len);
	assert_memory_equal(call->args.bytes, held->args, held->args_len);
	assert_true(digest_equal(&call->bind, &held->bind));
	assert_int_equal(call->confirm_code, held->confirm_code);
	assert_int_equal(call->person_only, held->person_only);
	assert_string_equal(call->held_why, held_why_name(held->why));
	assert_int_equal(call->edit, held->asked ? world->calls[held->call].edits : 0);
	assert_int_equal(shown_left_ms(world, call), held->left_ms);
}

static void
check_budget(const struct world *world)
{
	for (size_t i = 0; i < budget_counters(world->budget); i++) {
		struct budget_counter counter;
		const struct session_counter *shown;

		budget_counter(world->budget, i, &counter);
		shown = session_counter(&world->session, counter.name);
		assert_non_null(shown);
		assert_int_equal(shown->used, counter.used);
		assert_int_equal(shown->limit, counter.limit);
	}
}

static void
check_state(const struct world *world)
{
	struct gate_call held;
	size_t index = 0;

	assert_int_equal(world->session.waiting, gate_held(world->gate));
	assert_int_equal(world->session.away, gate_is_away(world->gate));
	for (size_t i = 0; i < world->session.call_count; i++) {
		const struct session_call *call = &world->session.calls[i];

		if (call->state != CALL_HELD)
			continue;
		assert_true(gate_held_at(world->gate, index++, &held));
		assert_int_equal(held.call, call->number);
		check_call(world, &held, call);
	}
	assert_int_equal(index, gate_held(world->gate));
	check_budget(world);
}

static struct world *
world_new(uint64_t seed)
{
	static const struct budget_tool_limit per_tool = { "write", 20 };
	struct gate_limits limits = { .timeout_ms = 2000, .max_pending = 1000, .max_denials = 3 };
	struct budget_limits budget = { 150, 50, &per_tool, 1 };
	struct world *world = mem_zero(1, sizeof(*world));
	struct event *start;

	world->seed = seed * UINT64_C(0x9e3779b97f4a7c15);
	world->now = NS_PER_S;
	world->fd = make_file();
	world->loop = loop_new();
	world->record = record_new(dup(world->fd), 0);
	world->journal = journal_new(world->loop, world->record, &(struct journal_hooks){ 0 });
	world->gate = gate_new(&limits, &(struct gate_hooks){ on_decided, world });
	world->budget = budget_new(&budget);
	world->reader = reader_new(READER_CHAIN);
	session_init(&world->session);
	start = journal_begin(world->journal, EVENT_SESSION_START);
	event_str(start, "id", MAKE_ID);
	journal_append(world->journal);
	return world;
}

static void
world_free(struct world *world)
{
	session_release(&world->session);
	reader_free(world->reader);
	budget_free(world->budget);
	gate_free(world->gate);
	journal_free(world->journal);
	record_free(world->record);
	loop_free(world->loop);
	close(world->fd);
	free(world);
}

static void
what_is_shown_is_what_the_gate_and_the_budget_hold(void **state)
{
	unsigned edits = 0;
	unsigned releases = 0;
	unsigned timeouts = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct world *world = world_new(seed);

		for (int i = 0; i < 400; i++) {
			one_turn(world);
			check_state(world);
		}
		edits += world->edits;
		releases += world->releases;
		timeouts += world->timeouts;
		world_free(world);
	}
	assert_true(edits > 100);
	assert_true(releases > 20);
	assert_true(timeouts > 50);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_shown_is_what_the_gate_and_the_budget_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
