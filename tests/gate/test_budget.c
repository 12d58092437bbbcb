#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/budget.h"

static const struct budget_tool_limit per_tool[] = {
	{ "apply_raise", 2 },
	{ "fs.delete", 1 },
	{ "get_*", 3 },
	{ "fs.*", -1 },
};

static struct budget *
limited(int64_t cap, int64_t max_refused)
{
	struct budget_limits limits = { cap, max_refused, per_tool, ARRAY_SIZE(per_tool) };

	return budget_new(&limits);
}

static struct budget_counter
counter(const struct budget *budget, const char *name)
{
	struct budget_counter found = { 0 };

	for (size_t i = 0; i < budget_counters(budget); i++) {
		budget_counter(budget, i, &found);
		if (strcmp(found.name, name) == 0)
			return found;
	}
	fail_msg("no counter %s", name);
	return found;
}

static void
lines_up_to_the_cap_are_within_it_and_none_after(void **state)
{
	struct budget *budget = limited(50, 1000);

	(void)state;
	for (int i = 0; i < 50; i++)
		assert_true(budget_line(budget));
	for (int i = 0; i < 3; i++)
		assert_false(budget_line(budget));

	assert_int_equal(counter(budget, "max_tool_calls").used, 50);
	assert_int_equal(counter(budget, "max_tool_calls").limit, 50);
	budget_free(budget);
}

static void
a_cap_of_zero_allows_no_line(void **state)
{
	struct budget *budget = limited(0, 1000);

	(void)state;
	assert_false(budget_line(budget));
	budget_free(budget);
}

static void
the_run_ends_at_the_last_refusal(void **state)
{
	struct budget *budget = limited(0, 3);
	struct budget *none = limited(0, 0);

	(void)state;
	assert_true(budget_refused(budget));
	assert_true(budget_refused(budget));
	assert_false(budget_refused(budget));
	assert_false(budget_refused(budget));
	assert_int_equal(counter(budget, "refused").used, 3);
	assert_false(budget_refused(none));
	budget_free(budget);
	budget_free(none);
}

static void
a_tool_is_held_to_each_limit_that_names_it(void **state)
{
	struct budget *budget = limited(50, 1000);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(budget_reserve(budget, "payroll.apply_raise", &err), 0);
	assert_int_equal(budget_reserve(budget, "other.apply_raise", &err), 0);
	assert_int_equal(budget_reserve(budget, "payroll.apply_raise", &err), -1);
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_non_null(strstr(err.text, "payroll.apply_raise"));
	assert_non_null(strstr(err.text, "apply_raise.max_calls"));

	assert_int_equal(budget_reserve(budget, "fs.delete", &err), 0);
	assert_int_equal(budget_reserve(budget, "fs.delete", &err), -1);
	assert_int_equal(budget_reserve(budget, "db.delete", &err), 0);
	assert_int_equal(budget_reserve(budget, "unnamed.tool", &err), 0);
	assert_int_equal(counter(budget, "fs.*.max_calls").used, 1);
	assert_int_equal(counter(budget, "fs.*.max_calls").limit, -1);
	budget_free(budget);
}

static void
tools_under_one_glob_share_its_limit(void **state)
{
	struct budget *budget = limited(50, 1000);

	(void)state;
	assert_int_equal(budget_reserve(budget, "a.get_one", NULL), 0);
	assert_int_equal(budget_reserve(budget, "a.get_two", NULL), 0);
	assert_int_equal(budget_reserve(budget, "b.get_one", NULL), 0);
	assert_int_equal(budget_reserve(budget, "a.get_one", NULL), -1);
	budget_free(budget);
}

static void
a_refused_reservation_uses_up_no_other_limit(void **state)
{
	static const struct budget_tool_limit both[] = { { "fs.*", 10 }, { "delete", 0 } };
	struct budget_limits limits = { 50, 1000, both, ARRAY_SIZE(both) };
	struct budget *budget = budget_new(&limits);

	(void)state;
	assert_int_equal(budget_reserve(budget, "fs.delete", NULL), -1);
	assert_int_equal(counter(budget, "fs.*.max_calls").used, 0);
	budget_free(budget);
}

static void
a_new_run_begins_at_zero(void **state)
{
	struct budget *budget = limited(1, 1);

	(void)state;
	budget_line(budget);
	budget_refused(budget);
	assert_int_equal(budget_reserve(budget, "fs.delete", NULL), 0);
	budget_next_run(budget);

	for (size_t i = 0; i < budget_counters(budget); i++) {
		struct budget_counter each;

		budget_counter(budget, i, &each);
		assert_int_equal(each.used, 0);
	}
	assert_true(budget_line(budget));
	assert_int_equal(budget_reserve(budget, "fs.delete", NULL), 0);
	budget_free(budget);
}

static void
a_model_is_asked_within_its_limits_only(void **state)
{
	struct budget_limits limits = { .max_tool_calls = 5,
		.max_refused = 5,
		.max_tokens = 100,
		.max_cost_usd = 2500000,
		.max_model_turns = 3 };
	struct budget *budget = budget_new(&limits);
	struct budget_counter counter;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(budget_turn(budget, &err), 0);
	budget_reply(budget, 99, 0);
	assert_int_equal(budget_turn(budget, &err), 0);
	budget_reply(budget, 1, 0);
	assert_int_equal(budget_turn(budget, &err), -1);
	assert_string_equal(err.text, "the budget of 100 tokens is used up (budget.max_tokens)");
	assert_int_equal(budget_raise(budget, "max_tokens", 100, 200, &err), 0);
	budget_reply(budget, 0, 2500000);
	assert_int_equal(budget_turn(budget, &err), -1);
	assert_string_equal(err.text, "the budget of 2.50 US dollars for the model is used up "
				      "(budget.max_cost_usd)");
	assert_int_equal(budget_raise(budget, "max_cost_usd", 2500000, 9000000, &err), 0);
	assert_int_equal(budget_turn(budget, &err), 0);
	assert_int_equal(budget_turn(budget, &err), -1);
	assert_string_equal(err.text, "the budget of 3 requests to the model is used up "
				      "(budget.max_model_turns)");
	assert_int_equal(budget_counters(budget), 5);
	budget_counter(budget, 4, &counter);
	assert_string_equal(counter.name, "max_model_turns");
	assert_int_equal(counter.used, 3);
	budget_next_run(budget);
	assert_int_equal(budget_turn(budget, &err), 0);
	budget_free(budget);
}

static void
a_run_without_a_model_counts_nothing_of_one(void **state)
{
	struct budget *budget = budget_new(&(struct budget_limits){ .max_tool_calls = 5 });
	struct err err = { 0 };

	(void)state;
	assert_int_equal(budget_counters(budget), 2);
	assert_int_equal(budget_raise(budget, "max_tokens", -1, 5, &err), -1);
	budget_free(budget);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_up_to_the_cap_are_within_it_and_none_after),
		cmocka_unit_test(a_cap_of_zero_allows_no_line),
		cmocka_unit_test(the_run_ends_at_the_last_refusal),
		cmocka_unit_test(a_tool_is_held_to_each_limit_that_names_it),
		cmocka_unit_test(tools_under_one_glob_share_its_limit),
		cmocka_unit_test(a_refused_reservation_uses_up_no_other_limit),
		cmocka_unit_test(a_new_run_begins_at_zero),
		cmocka_unit_test(a_model_is_asked_within_its_limits_only),
		cmocka_unit_test(a_run_without_a_model_counts_nothing_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
