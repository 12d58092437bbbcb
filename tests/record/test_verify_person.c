#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "tests/record/make_record.h"
#include "tests/record/order_cases.h"

static void
by_rule(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "allow", "small raises");
	make_decided(make, 1, "approve", "rule", NULL);
	finish(make);
}

static void
good_edit_of_a_known_tool(struct make *make)
{
	request_ruled_held(make);
	make_edited(make, 1, RAISE, "{\"a\":2}");
	make_ruled(make, 1, "allow", NULL);
	make_edited(make, 1, RAISE, "{\"a\":3}");
	make_ruled(make, 1, "ask", NULL);
	make_presented(make, 1);
	make_extended(make, 1, 300000);
	make_decided(make, 1, "approve", "person", NULL);
	finish(make);
}

static void
good_edit_denied_by_rule(struct make *make)
{
	request_ruled_held(make);
	make_edited(make, 1, RAISE, "{\"a\":2}");
	make_ruled(make, 1, "deny", "never");
	make_decided(make, 1, "deny", "rule", "never");
	make_call_end(make, 1, "denied", NULL);
}

static void
away_held(struct make *make)
{
	make_away(make, true);
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "allow", "small raises");
	make_held_why(make, 1, "away", 60);
}

static void
good_away(struct make *make)
{
	away_held(make);
	make_away(make, false);
	make_decided(make, 1, "approve", "rule", NULL);
	finish(make);
}

static void
good_late_decision(struct make *make)
{
	away_held(make);
	make_presented(make, 1);
	make_decided(make, 1, "approve", "person", NULL);
	finish(make);
}

static void
good_attempts(struct make *make)
{
	make_program_decided(make, 1, "edit");
	make_program_text(make, 1, "one()\n");
	make_program_decided(make, 1, "run");
	by_rule(make);
	make_program_end(make, 1, "error");
	make_program_decided(make, 1, "try_again");
	make_program_text(make, 2, "two()\n");
	make_program_decided(make, 2, "run");
	make->attempt = 2;
}

static void
bad_unedit_of_nothing(struct make *make)
{
	request_ruled_held(make);
	make_unedited(make, 1, &make->binds[1]);
	make_ruled(make, 1, "ask", NULL);
	make_decided(make, 1, "deny", "person", NULL);
	make_call_end(make, 1, "denied", NULL);
}

static void
bad_edit_number(struct make *make)
{
	request_ruled_held(make);
	make->edits[1] = 1;
	make_edited(make, 1, RAISE, "{\"a\":2}");
	make_ruled(make, 1, "ask", NULL);
	make_decided(make, 1, "deny", "person", NULL);
	make_call_end(make, 1, "denied", NULL);
}

static void
bad_edit_not_held(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_edited(make, 1, RAISE, "{\"a\":2}");
	make_ruled(make, 1, "allow", NULL);
	make_decided(make, 1, "approve", "rule", NULL);
	finish(make);
}

static void
bad_edit_goes_by_rule(struct make *make)
{
	away_held(make);
	make_away(make, false);
	make_edited(make, 1, RAISE, "{\"a\":2}");
	make_ruled(make, 1, "allow", NULL);
	make_decided(make, 1, "approve", "rule", NULL);
	finish(make);
}

static void
bad_held_goes_by_rule(struct make *make)
{
	request_ruled_held(make);
	make_decided(make, 1, "approve", "rule", NULL);
	finish(make);
}

static void
bad_extended_for_ever(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_held(make, 1, -1);
	make_extended(make, 1, 1000);
	make_decided(make, 1, "deny", "person", NULL);
	make_call_end(make, 1, "denied", NULL);
}

static void
bad_extended_not_held(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_extended(make, 1, 1000);
	make_decided(make, 1, "deny", "rule", NULL);
	make_call_end(make, 1, "denied", NULL);
}

static void
bad_allowed_while_away(struct make *make)
{
	make_away(make, true);
	by_rule(make);
}

static void
bad_timeout_while_away(struct make *make)
{
	away_held(make);
	make_decided(make, 1, "deny", "timeout", NULL);
	make_call_end(make, 1, "denied", NULL);
}

static void
bad_away_twice(struct make *make)
{
	make_away(make, true);
	make_away(make, true);
}

static void
bad_call_of_a_refused_program(struct make *make)
{
	make_program_decided(make, 1, "refuse");
	by_rule(make);
}

static void
bad_call_of_a_replaced_program(struct make *make)
{
	make_program_decided(make, 1, "edit");
	by_rule(make);
}

static void
bad_try_again_while_it_runs(struct make *make)
{
	make_program_decided(make, 1, "try_again");
}

static void
bad_run_of_what_ended(struct make *make)
{
	make_program_end(make, 1, "error");
	make_program_decided(make, 1, "run");
}

static void
bad_attempt_out_of_turn(struct make *make)
{
	make_program_end(make, 1, "error");
	make_program_decided(make, 1, "try_again");
	make_program_text(make, 3, "three()\n");
}

static const struct order_case cases[] = {
	{ "edits of a known tool, and more time", good_edit_of_a_known_tool, VERIFY_WHOLE },
	{ "an edit that a rule denies", good_edit_denied_by_rule, VERIFY_WHOLE },
	{ "held for an absence, and let go", good_away, VERIFY_WHOLE },
	{ "decided by a person during an absence", good_late_decision, VERIFY_WHOLE },
	{ "programs edited and tried again", good_attempts, VERIFY_WHOLE },
	{ "unedit of nothing", bad_unedit_of_nothing, VERIFY_ORDER },
	{ "an edit's number left out", bad_edit_number, VERIFY_ORDER },
	{ "an edit of what does not wait", bad_edit_not_held, VERIFY_ORDER },
	{ "an edit goes by a rule", bad_edit_goes_by_rule, VERIFY_ORDER },
	{ "what waits goes by a rule", bad_held_goes_by_rule, VERIFY_ORDER },
	{ "more time for what waits for ever", bad_extended_for_ever, VERIFY_ORDER },
	{ "more time for what does not wait", bad_extended_not_held, VERIFY_ORDER },
	{ "allowed while away", bad_allowed_while_away, VERIFY_ORDER },
	{ "a timeout while away", bad_timeout_while_away, VERIFY_ORDER },
	{ "away twice", bad_away_twice, VERIFY_ORDER },
	{ "a call of a refused program", bad_call_of_a_refused_program, VERIFY_ORDER },
	{ "a call of a program being replaced", bad_call_of_a_replaced_program, VERIFY_ORDER },
	{ "try again while it runs", bad_try_again_while_it_runs, VERIFY_ORDER },
	{ "run what has ended", bad_run_of_what_ended, VERIFY_ORDER },
	{ "an attempt out of turn", bad_attempt_out_of_turn, VERIFY_ORDER },
};

static void
the_order_of_what_a_person_does_is_held(void **state)
{
	(void)state;
	order_cases_hold(cases, ARRAY_SIZE(cases));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_what_a_person_does_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
