#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/verify.h"
#include "tests/record/make_record.h"
#include "tests/record/order_cases.h"

static void
edited(struct make *make, const char *args)
{
	make_edited(make, 1, "t", args);
}

static void
unedited(struct make *make, const struct digest *bind)
{
	make_unedited(make, 1, bind);
}

static void
good_by_rule(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "allow", "small raises");
	make_decided(make, 1, "approve", "rule", NULL);
	finish(make);
}

static void
good_by_person(struct make *make)
{
	request_ruled_held(make);
	make_presented(make, 1);
	make_presented(make, 1);
	make_decided(make, 1, "approve", "person", NULL);
	finish(make);
}

static void
good_edit(struct make *make)
{
	make_request(make, "t", "{\"a\":1}", 1);
	make_held(make, 1, 60);
	make_presented(make, 1);
	edited(make, "{\"a\":2}");
	make_ruled(make, 1, "ask", NULL);
	make_presented(make, 1);
	make_decided(make, 1, "approve", "person", NULL);
	finish(make);
}

static void
good_unedit(struct make *make)
{
	struct digest asked;

	make_request(make, "t", "{\"a\":1}", 1);
	make_held(make, 1, 60);
	make_presented(make, 1);
	asked = make->binds[1];
	edited(make, "{\"a\":2}");
	unedited(make, &asked);
	make_ruled(make, 1, "ask", NULL);
	make_decided(make, 1, "approve", "person", NULL);
	finish(make);
}

static void
good_denied_unruled(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_decided(make, 1, "deny", "budget", "no more");
	make_call_end(make, 1, "denied", NULL);
}

static void
good_approved_and_not_started(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "allow", "small raises");
	make_decided(make, 1, "approve", "rule", NULL);
	make_call_end(make, 1, "cancelled", NULL);
}

static void
bad_start_undecided(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "allow", "small raises");
	finish(make);
}

static void
bad_start_denied(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "allow", "small raises");
	make_decided(make, 1, "deny", "rule", "never");
	finish(make);
}

static void
bad_start_twice(struct make *make)
{
	good_by_rule(make);
	make_call_start(make, 1);
}

static void
bad_start_other_bind(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "allow", "small raises");
	make_decided(make, 1, "approve", "rule", NULL);
	make->binds[1].bytes[0] ^= 1;
	finish(make);
}

static void
bad_start_of_reuse(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "ask", NULL);
	make_held(make, 1, 60);
	make_decided(make, 1, "reuse", "earlier", NULL);
	finish(make);
}

static void
bad_approve_other_bind(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "allow", "small raises");
	make->binds[1].bytes[0] ^= 1;
	make_decided(make, 1, "approve", "rule", NULL);
	finish(make);
}

static void
bad_approve_unruled(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_decided(make, 1, "approve", "rule", NULL);
	finish(make);
}

static void
bad_approve_of_a_denial(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "deny", "never");
	make_decided(make, 1, "approve", "rule", NULL);
	finish(make);
}

static void
bad_approve_not_presented(struct make *make)
{
	request_ruled_held(make);
	make_decided(make, 1, "approve", "person", NULL);
	finish(make);
}

static void
bad_approve_edit_not_ruled(struct make *make)
{
	make_request(make, "t", "{\"a\":1}", 1);
	make_ruled(make, 1, "ask", NULL);
	make_held(make, 1, 60);
	edited(make, "{\"a\":2}");
	make_presented(make, 1);
	make_decided(make, 1, "approve", "person", NULL);
	finish(make);
}

static void
bad_approve_edit_not_presented(struct make *make)
{
	make_request(make, "t", "{\"a\":1}", 1);
	make_held(make, 1, 60);
	make_presented(make, 1);
	edited(make, "{\"a\":2}");
	make_ruled(make, 1, "ask", NULL);
	make_decided(make, 1, "approve", "person", NULL);
	finish(make);
}

static void
bad_unedit_to_another_bind(struct make *make)
{
	struct digest other = { { 7 } };

	request_ruled_held(make);
	unedited(make, &other);
	make_ruled(make, 1, "ask", NULL);
	make_decided(make, 1, "deny", "person", NULL);
	make_call_end(make, 1, "denied", NULL);
}

static void
bad_unedit_not_ruled(struct make *make)
{
	request_ruled_held(make);
	unedited(make, &make->binds[1]);
	make_decided(make, 1, "deny", "person", NULL);
	make_call_end(make, 1, "denied", NULL);
}

static void
bad_presented_not_held(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "ask", NULL);
	make_presented(make, 1);
	make_decided(make, 1, "deny", "person", NULL);
	make_call_end(make, 1, "denied", NULL);
}

static void
bad_held_twice(struct make *make)
{
	request_ruled_held(make);
	make_held(make, 1, 60);
	make_decided(make, 1, "deny", "timeout", NULL);
	make_call_end(make, 1, "denied", NULL);
}

static void
bad_ruled_twice(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "ask", NULL);
	make_ruled(make, 1, "allow", NULL);
	make_decided(make, 1, "approve", "rule", NULL);
	finish(make);
}

static void
bad_decided_twice(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "allow", NULL);
	make_decided(make, 1, "deny", "rule", NULL);
	make_decided(make, 1, "approve", "rule", NULL);
	finish(make);
}

static void
bad_end_undecided(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_call_end(make, 1, "ok", NULL);
}

static void
bad_end_missing(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "allow", NULL);
	make_decided(make, 1, "approve", "rule", NULL);
	make_call_start(make, 1);
}

static void
bad_verdict(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_decided(make, 1, "perhaps", "rule", NULL);
	make_call_end(make, 1, "ok", NULL);
}

static void
bad_unknown_call(struct make *make)
{
	make_decided(make, 9, "deny", "rule", NULL);
}

static void
bad_number(struct make *make)
{
	make->calls = 1;
	make_request(make, RAISE, "{}", 1);
	make_decided(make, 2, "deny", "rule", NULL);
	make_call_end(make, 2, "denied", NULL);
}

static void
bad_bind(struct make *make)
{
	struct digest bind = { { 1 } };

	event_begin(&make->event, EVENT_CALL_REQUEST);
	event_int(&make->event, "call", 1);
	event_str(&make->event, "tool", RAISE);
	event_content(&make->event, "args", "{}", 2);
	event_digest(&make->event, "bind", &bind);
	make_append(make);
	make_decided(make, 1, "deny", "rule", NULL);
	make_call_end(make, 1, "denied", NULL);
}

static void
bad_second_start(struct make *make)
{
	event_begin(&make->event, EVENT_SESSION_START);
	event_str(&make->event, "id", MAKE_ID);
	make_append(make);
}

static const struct order_case cases[] = {
	{ "a call by rule", good_by_rule, VERIFY_WHOLE },
	{ "a call by a person", good_by_person, VERIFY_WHOLE },
	{ "an edit", good_edit, VERIFY_WHOLE },
	{ "an edit taken back", good_unedit, VERIFY_WHOLE },
	{ "denied before any rule", good_denied_unruled, VERIFY_WHOLE },
	{ "approved, not started", good_approved_and_not_started, VERIFY_WHOLE },
	{ "start before decided", bad_start_undecided, VERIFY_ORDER },
	{ "start after a denial", bad_start_denied, VERIFY_ORDER },
	{ "start again", bad_start_twice, VERIFY_ORDER },
	{ "start of another bind", bad_start_other_bind, VERIFY_ORDER },
	{ "start of a reuse", bad_start_of_reuse, VERIFY_ORDER },
	{ "approve of another bind", bad_approve_other_bind, VERIFY_ORDER },
	{ "approve without a ruling", bad_approve_unruled, VERIFY_ORDER },
	{ "approve of what a rule denies", bad_approve_of_a_denial, VERIFY_ORDER },
	{ "approve of what was not presented", bad_approve_not_presented, VERIFY_ORDER },
	{ "approve of an edit not ruled", bad_approve_edit_not_ruled, VERIFY_ORDER },
	{ "approve of an edit not presented", bad_approve_edit_not_presented, VERIFY_ORDER },
	{ "unedit to another bind", bad_unedit_to_another_bind, VERIFY_ORDER },
	{ "unedit without a ruling", bad_unedit_not_ruled, VERIFY_ORDER },
	{ "presented, not held", bad_presented_not_held, VERIFY_ORDER },
	{ "held twice", bad_held_twice, VERIFY_ORDER },
	{ "ruled twice", bad_ruled_twice, VERIFY_ORDER },
	{ "decided twice", bad_decided_twice, VERIFY_ORDER },
	{ "end before decided", bad_end_undecided, VERIFY_ORDER },
	{ "no end", bad_end_missing, VERIFY_ORDER },
	{ "an unknown verdict", bad_verdict, VERIFY_ORDER },
	{ "an event of no call", bad_unknown_call, VERIFY_ORDER },
	{ "a number left out", bad_number, VERIFY_ORDER },
	{ "a bind of nothing", bad_bind, VERIFY_ORDER },
	{ "a second session.start", bad_second_start, VERIFY_ORDER },
};

static void
the_order_of_a_calls_events_is_held(void **state)
{
	(void)state;
	order_cases_hold(cases, ARRAY_SIZE(cases));
}

static void
many_open_calls_are_told_apart(void **state)
{
	struct verify_result result;
	struct make make;
	AUTO_CLOSE int fd = make_file();

	(void)state;
	make_open(&make, dup(fd));
	make_start(&make, "x-1");
	for (int i = 0; i < MAKE_CALLS; i++)
		make_request(&make, RAISE, "{}", 1);
	for (uint64_t call = MAKE_CALLS; call > 3; call--) {
		make_ruled(&make, call, "allow", NULL);
		make_decided(&make, call, "approve", "rule", NULL);
		make_call_start(&make, call);
		if (call % 2)
			make_call_end(&make, call, "ok", NULL);
	}
	make_close(&make);
	verify_fd(fd, NULL, &result);

	assert_int_equal(result.code, VERIFY_INCOMPLETE);
	assert_int_equal(result.undecided, 3);
	assert_int_equal(result.unknown, 31);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_a_calls_events_is_held),
		cmocka_unit_test(many_open_calls_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
