/* What a grant lets go: of its tool, line and program, while it counts, as often as it says. */
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
add_grant(struct make *make, int64_t number, int64_t n)
{
	struct digest sha256;

	(void)make_tool_digest(RAISE, &sha256);
	event_begin(&make->event, EVENT_GRANT_ADD);
	event_int(&make->event, "grant", number);
	event_str(&make->event, "tool", RAISE);
	event_digest(&make->event, "tool_sha256", &sha256);
	event_int(&make->event, "attempt", 1);
	event_int(&make->event, "line", 1);
	event_int(&make->event, "n", n);
	make_text(make, "bounds", "{}");
	event_int(&make->event, "from_call", 1);
	event_str(&make->event, "who", "uid 1000 pid 4711");
	make_append(make);
}

static void
drop_grant(struct make *make)
{
	event_begin(&make->event, EVENT_GRANT_REVOKE);
	event_int(&make->event, "grant", 1);
	event_str(&make->event, "who", "uid 1000 pid 4711");
	make_append(make);
}

/* Call 1, approved by a person who grants n more. */
static void
granted(struct make *make, int64_t number, int64_t n)
{
	request_ruled_held(make);
	make_presented(make, 1);
	add_grant(make, number, n);
	make_decided(make, 1, "approve", "person", NULL);
	finish(make);
}

static void
by_grant(struct make *make, const char *tool, int line)
{
	uint64_t call = make_request(make, tool, "{}", line);
	struct digest *bind = &make->binds[call % (MAKE_CALLS + 1)];

	make_ruled(make, call, "ask", NULL);
	event_begin(&make->event, EVENT_CALL_DECIDED);
	event_int(&make->event, "call", (int64_t)call);
	event_digest(&make->event, "bind", bind);
	event_str(&make->event, "verdict", "approve");
	event_str(&make->event, "by", "grant");
	event_int(&make->event, "grant", 1);
	make_append(make);
	make_call_start(make, call);
	make_call_end(make, call, "ok", "1");
}

static void
good_two(struct make *make)
{
	granted(make, 1, 2);
	by_grant(make, RAISE, 1);
	by_grant(make, RAISE, 1);
}

static void
bad_third(struct make *make)
{
	good_two(make);
	by_grant(make, RAISE, 1);
}

static void
bad_line(struct make *make)
{
	granted(make, 1, 2);
	by_grant(make, RAISE, 2);
}

static void
bad_tool(struct make *make)
{
	granted(make, 1, 2);
	by_grant(make, "payroll.get_employee", 1);
}

static void
bad_revoked(struct make *make)
{
	granted(make, 1, 2);
	drop_grant(make);
	by_grant(make, RAISE, 1);
}

static void
bad_not_added(struct make *make)
{
	by_grant(make, RAISE, 1);
}

static void
bad_number(struct make *make)
{
	granted(make, 2, 2);
}

static void
bad_drop_of_nothing(struct make *make)
{
	drop_grant(make);
}

static const struct order_case cases[] = {
	{ "as often as it says", good_two, VERIFY_WHOLE },
	{ "once more", bad_third, VERIFY_ORDER },
	{ "from another line", bad_line, VERIFY_ORDER },
	{ "of another tool", bad_tool, VERIFY_ORDER },
	{ "after it was revoked", bad_revoked, VERIFY_ORDER },
	{ "that was never added", bad_not_added, VERIFY_ORDER },
	{ "with a number left out", bad_number, VERIFY_ORDER },
	{ "a revocation of nothing", bad_drop_of_nothing, VERIFY_ORDER },
};

static void
a_grant_lets_go_what_it_covers_and_no_more(void **state)
{
	(void)state;
	order_cases_hold(cases, ARRAY_SIZE(cases));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_grant_lets_go_what_it_covers_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
