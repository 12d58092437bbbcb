#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/gate/policy.h"
#include "tests/gate/quoted.h"
#include "tests/gate/sample_facts.h"

/* A `when` that is unknown of every number. */
#define UNKNOWABLE "{'properties':{'n':{'multipleOf':0.1000000000000000000000000000000000000001}}}"

static const struct tool_facts fetch = {
	.full = "web.fetch",
	.server = "web",
	.name = "fetch",
	.effect = EFFECT_SEND,
};

/* A policy with the document its rules stand in. */
struct made {
	struct json *json;
	struct policy *policy;
};

static struct policy *
try_policy(struct made *made, const char *rules, struct err *err)
{
	struct policy_source sources[8];
	struct json_iter it;

	made->json = quoted(rules);
	if (!made->json)
		fail_msg("no JSON: %s", rules);
	for (it = json_each(json_root(made->json)); json_next(&it);)
		sources[it.index] = (struct policy_source){ it.value, "tollbridge.json", 0 };
	made->policy = policy_new(sources, json_count(json_root(made->json)), err);
	return made->policy;
}

static struct made
make_policy(const char *rules)
{
	struct made made;
	struct err err = { 0 };

	if (!try_policy(&made, rules, &err))
		fail_msg("%s: %s", rules, err.text);
	return made;
}

static void
release(struct made *made)
{
	policy_free(made->policy);
	json_free(made->json);
}

static void
rule_on(const struct made *made, const struct tool_facts *tool, const char *args,
	struct ruling *ruling)
{
	AUTO_JSON struct json *json = quoted(args);

	assert_non_null(json);
	policy_rule(made->policy, tool, json_root(json), ruling);
}

struct expectation {
	const char *rules;
	const struct tool_facts *tool;
	const char *args;
	enum action action;
	enum ruled_why why;
};

static void
expect(const struct expectation *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct made made = make_policy(cases[i].rules);
		struct ruling ruling;

		rule_on(&made, cases[i].tool, cases[i].args, &ruling);
		if (ruling.action != cases[i].action || ruling.why != cases[i].why)
			fail_msg("%s: %s of %s: %s, why %d", cases[i].rules, cases[i].tool->full,
				cases[i].args, action_name(ruling.action), ruling.why);
		assert_int_equal(ruling.rule == NULL, ruling.why == RULED_DEFAULT);
		assert_int_equal(ruling.at == NULL, ruling.why == RULED_DEFAULT);
		ruling_release(&ruling);
		release(&made);
	}
}

static void
without_a_rule_reads_are_allowed_and_all_else_is_asked(void **state)
{
	static const struct expectation cases[] = {
		{ "[]", &get_employee, "{}", ACTION_ALLOW, RULED_DEFAULT },
		{ "[]", &fetch, "{}", ACTION_ASK, RULED_DEFAULT },
		{ "[]", &apply_raise, "{}", ACTION_ASK, RULED_DEFAULT },
		{ "[]", &wipe, "{}", ACTION_ASK, RULED_DEFAULT },
		{ "[{'tools':'other','action':'deny'}]", &get_employee, "{}", ACTION_ALLOW,
			RULED_DEFAULT },
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void
the_strictest_rule_wins_in_any_order(void **state)
{
#define ALLOW "{'tools':'wipe','action':'allow'}"
#define ASK "{'tools':'wipe','action':'ask'}"
#define DENY "{'tools':'wipe','action':'deny'}"
	static const struct expectation cases[] = {
		{ "[" ALLOW "]", &wipe, "{}", ACTION_ALLOW, RULED_RULE },
		{ "[" ALLOW "," ASK "]", &wipe, "{}", ACTION_ASK, RULED_RULE },
		{ "[" ASK "," ALLOW "]", &wipe, "{}", ACTION_ASK, RULED_RULE },
		{ "[" ALLOW "," DENY "," ASK "]", &wipe, "{}", ACTION_DENY, RULED_RULE },
		{ "[" DENY "," ASK "," ALLOW "]", &wipe, "{}", ACTION_DENY, RULED_RULE },
		{ "[" ASK "," DENY "]", &wipe, "{}", ACTION_DENY, RULED_RULE },
	};
#undef ALLOW
#undef ASK
#undef DENY

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void
small_ones_alone_and_the_rest_asked_is_one_rule(void **state)
{
#define SMALL                                                                             \
	"[{'name':'small raises','tools':['apply_raise'],'action':'allow',"               \
	"'when':{'properties':{'amount':{'type':'integer','minimum':0,'maximum':5000}}}," \
	"'examples':{'match':[{'name':'Ada','amount':5000}],'no_match':[{'name':'Ada',"   \
	"'amount':5001},{'name':'Ada'}]}}]"
	static const struct expectation cases[] = {
		{ SMALL, &apply_raise, "{'amount':5000}", ACTION_ALLOW, RULED_RULE },
		{ SMALL, &apply_raise, "{'amount':5e3}", ACTION_ALLOW, RULED_RULE },
		{ SMALL, &apply_raise, "{'amount':5001}", ACTION_ASK, RULED_DEFAULT },
		{ SMALL, &apply_raise, "{'amount':5000.0000000000000001}", ACTION_ASK,
			RULED_DEFAULT },
		{ SMALL, &apply_raise, "{'amount':-1}", ACTION_ASK, RULED_DEFAULT },
		{ SMALL, &apply_raise, "{'amount':'5000'}", ACTION_ASK, RULED_DEFAULT },
		{ SMALL, &apply_raise, "{}", ACTION_ASK, RULED_DEFAULT },
		{ SMALL, &wipe, "{'amount':1}", ACTION_ASK, RULED_DEFAULT },
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void
an_unknown_when_denies_asks_and_never_allows(void **state)
{
	static const struct expectation cases[] = {
		{ "[{'tools':'wipe','action':'deny','when':" UNKNOWABLE "}]", &wipe, "{'n':1}",
			ACTION_DENY, RULED_UNKNOWN },
		{ "[{'tools':'wipe','action':'ask','when':" UNKNOWABLE "}]", &wipe, "{'n':1}",
			ACTION_ASK, RULED_UNKNOWN },
		{ "[{'tools':'get_*','action':'ask','when':" UNKNOWABLE "}]", &get_employee,
			"{'n':1}", ACTION_ASK, RULED_UNKNOWN },
		{ "[{'tools':'wipe','action':'allow','when':" UNKNOWABLE "}]", &wipe, "{'n':1}",
			ACTION_ASK, RULED_DEFAULT },
		{ "[{'tools':'wipe','action':'ask','when':" UNKNOWABLE "},"
		  "{'tools':'wipe','action':'ask'}]",
			&wipe, "{'n':1}", ACTION_ASK, RULED_RULE },
		{ "[{'tools':'wipe','action':'ask'},"
		  "{'tools':'wipe','action':'deny','when':" UNKNOWABLE "}]",
			&wipe, "{'n':1}", ACTION_DENY, RULED_UNKNOWN },
		{ "[{'tools':'*','action':'deny','when':{'properties':{'path':{'path_under':"
		  "'/etc'}}}}]",
			&get_employee, "{'path':'/srv/../etc/shadow'}", ACTION_DENY,
			RULED_UNKNOWN },
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void
what_tightens_ignores_case_and_what_loosens_heeds_it(void **state)
{
	static const struct expectation cases[] = {
		{ "[{'tools':'GET_*','action':'deny'}]", &get_employee, "{}", ACTION_DENY,
			RULED_RULE },
		{ "[{'tools':'GET_*','action':'ask'}]", &get_employee, "{}", ACTION_ASK,
			RULED_RULE },
		{ "[{'tools':'Apply_Raise','action':'allow'}]", &apply_raise, "{}", ACTION_ASK,
			RULED_DEFAULT },
		{ "[{'tools':'Apply_*','action':'allow'}]", &apply_raise, "{}", ACTION_ASK,
			RULED_DEFAULT },
		{ "[{'tools':'PAYROLL.*','action':'deny'}]", &apply_raise, "{}", ACTION_DENY,
			RULED_RULE },
		{ "[{'tools':['none','payroll.apply_raise'],'action':'allow'}]", &apply_raise, "{}",
			ACTION_ALLOW, RULED_RULE },
		{ "[{'tools':'other.*','action':'deny'}]", &apply_raise, "{}", ACTION_ASK,
			RULED_DEFAULT },
	};

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

static void
the_ruling_says_which_rule_where_and_why(void **state)
{
	struct made made = make_policy("[{'tools':'apply_raise','action':'allow','name':'small',\n"
				       "'when':{'properties':{'amount':{'maximum':5000}}}},\n"
				       "{'tools':'wipe','action':'deny','reason':'never'},\n"
				       "{'tools':'fetch','action':'deny'}]");
	struct ruling ruling;

	(void)state;
	rule_on(&made, &apply_raise, "{'amount':9000}", &ruling);
	assert_string_equal(ruling.reason,
		"no rule allows it: \"small\" does not, since amount: the "
		"value is more than 5000");
	assert_int_equal(ruling.tried_count, 1);
	assert_string_equal(ruling.tried[0].rule, "small");
	assert_string_equal(ruling.tried[0].at, "tollbridge.json:1");
	assert_false(ruling.tried[0].matched);
	ruling_release(&ruling);

	rule_on(&made, &wipe, "{}", &ruling);
	assert_string_equal(ruling.reason, "never");
	assert_string_equal(ruling.at, "tollbridge.json:3");
	ruling_release(&ruling);

	rule_on(&made, &fetch, "{}", &ruling);
	assert_string_equal(ruling.reason, "denied by the rule tollbridge.json:4");
	ruling_release(&ruling);
	release(&made);
}

static void
a_ruling_by_the_unknown_says_what_could_not_be_told(void **state)
{
	struct made made =
		make_policy("[{'name':'odd','tools':'wipe','action':'ask','when':" UNKNOWABLE "}]");
	struct ruling ruling;

	(void)state;
	rule_on(&made, &wipe, "{'n':1}", &ruling);

	assert_string_equal(ruling.rule, "odd");
	assert_string_equal(ruling.reason, "the rule \"odd\" could not be evaluated: n: a number "
					   "beyond the exact range");
	assert_string_equal(ruling.tried[0].why, "unknown: n: a number beyond the exact range");
	assert_true(ruling.tried[0].matched);
	ruling_release(&ruling);
	release(&made);
}

static void
the_wishes_of_all_rules_that_ask_add_up(void **state)
{
	static const struct {
		const char *rules;
		bool code, person;
		int64_t timeout_ms;
	} cases[] = {
		{ "[{'tools':'*','action':'ask'}]", false, false, 0 },
		{ "[{'tools':'*','action':'ask','confirm':'key','timeout_s':9}]", false, false,
			9000 },
		{ "[{'tools':'*','action':'ask','confirm':'code'},"
		  "{'tools':'*','action':'ask','by':'person','confirm':'key'}]",
			true, true, 0 },
		{ "[{'tools':'*','action':'ask','timeout_s':300},"
		  "{'tools':'*','action':'ask','timeout_s':60}]",
			false, false, 60000 },
		{ "[{'tools':'*','action':'ask','timeout_s':null},"
		  "{'tools':'*','action':'ask','timeout_s':60}]",
			false, false, 60000 },
		{ "[{'tools':'*','action':'ask','timeout_s':60},"
		  "{'tools':'*','action':'ask','timeout_s':null}]",
			false, false, 60000 },
		{ "[{'tools':'*','action':'ask','timeout_s':null},{'tools':'*','action':'ask'}]",
			false, false, -1 },
		{ "[{'tools':'*','action':'ask'},{'tools':'*','action':'ask','confirm':'code',"
		  "'when':{'required':['x']}}]",
			false, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made made = make_policy(cases[i].rules);
		struct ruling ruling;

		rule_on(&made, &wipe, "{}", &ruling);
		if (ruling.confirm_code != cases[i].code || ruling.person_only != cases[i].person ||
			ruling.timeout_ms != cases[i].timeout_ms)
			fail_msg("%s: %d %d %lld", cases[i].rules, ruling.confirm_code,
				ruling.person_only, (long long)ruling.timeout_ms);
		ruling_release(&ruling);
		release(&made);
	}
}

static void
a_reason_that_would_be_cut_is_refused(void **state)
{
	AUTO_FREE char *whole = mem_printf("[{'tools':'*','action':'deny','reason':'%0255d'}]", 0);
	AUTO_FREE char *longer = mem_printf("[{'tools':'*','action':'deny','reason':'%0256d'}]", 0);
	struct made made = make_policy(whole), refused;
	struct ruling ruling;
	struct err err = { 0 };

	(void)state;
	rule_on(&made, &apply_raise, "{}", &ruling);
	assert_int_equal(strlen(ruling.reason), 255);
	assert_null(try_policy(&refused, longer, &err));
	assert_non_null(strstr(err.text, "longer than 255 bytes"));
	json_free(refused.json);
	ruling_release(&ruling);
	release(&made);
}

static void
a_rule_that_is_wrong_is_refused_where_it_is_wrong(void **state)
{
	static const struct {
		const char *rules, *says;
	} cases[] = {
		{ "[5]", "tollbridge.json:1:2: a rule is an object" },
		{ "[{'tools':'*'}]", "a rule needs \"tools\" and \"action\"" },
		{ "[{'action':'deny'}]", "a rule needs \"tools\" and \"action\"" },
		{ "[{'tools':[],'action':'deny'}]", "names no tool" },
		{ "[{'tools':5,'action':'deny'}]", "a pattern or a list of patterns" },
		{ "[{'tools':['a',5],'action':'deny'}]", "a pattern or a list of patterns" },
		{ "[{'tools':'[a','action':'deny'}]", "1:11: \"[\" without its \"]\"" },
		{ "[{'tools':'*','action':'permit'}]", "\"allow\", \"ask\" or \"deny\"" },
		{ "[{'tools':'*','action':7}]", "\"allow\", \"ask\" or \"deny\"" },
		{ "[{'tools':'*','action':'deny','wen':{}}]", "no key \"wen\"; name, tools" },
		{ "[{'tools':'*','action':'ask','escalate':[]}]", "\"escalate\" is not available" },
		{ "[{'tools':'*','action':'ask','name':5}]", "\"name\" must be text" },
		{ "[{'tools':'*','action':'ask','reason':5}]", "\"reason\" must be text" },
		{ "[{'tools':'*','action':'ask','confirm':'yes'}]", "\"key\" or \"code\"" },
		{ "[{'tools':'*','action':'ask','by':'bot'}]", "must be \"person\"" },
		{ "[{'tools':'*','action':'ask','timeout_s':0}]", "whole seconds from 1" },
		{ "[{'tools':'*','action':'ask','timeout_s':1.5}]", "whole seconds from 1" },
		{ "[{'tools':'*','action':'ask','timeout_s':99999999999}]", "whole seconds" },
		{ "[{'tools':'*','action':'allow','by':'person'}]",
			"rules whose action is \"ask\"" },
		{ "[{'tools':'*','confirm':'code','action':'allow'}]", "this one's is \"allow\"" },
		{ "[{'tools':'*','action':'deny','timeout_s':5}]", "this one's is \"deny\"" },
		{ "[{'tools':'*','action':'ask','when':true}]", "must be objects" },
		{ "[{'tools':'*','action':'ask','when':{'maximun':1}}]",
			"tollbridge.json:1:38: the keyword \"maximun\" is not known" },
		{ "[{'tools':'*','action':'allow','when':{'properties':{'a':{'pattern':'x'}}}}]",
			"anchored at both ends" },
		{ "[{'tools':'*','action':'ask','examples':{'nomatch':[]}}]",
			"match and no_match are accepted" },
		{ "[{'tools':'*','action':'ask','examples':{'match':{}}}]", "must be an array" },
		{ "[{'tools':'*','action':'ask','examples':{'match':[5]}}]",
			"an object of arguments" },
		{ "[{'tools':'*','action':'ask','examples':[]}]", "must be objects" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made made;
		struct err err = { 0 };

		if (try_policy(&made, cases[i].rules, &err))
			fail_msg("%s was accepted", cases[i].rules);
		assert_int_equal(err.kind, ERR_FORMAT);
		if (!strstr(err.text, cases[i].says) ||
			strncmp(err.text, "tollbridge.json:", 16) != 0)
			fail_msg("%s: %s", cases[i].rules, err.text);
		release(&made);
	}
}

static void
examples_are_held_against_their_rule_at_load(void **state)
{
#define ALLOW "'tools':'*','action':'allow','when':{'properties':{'a':{'maximum':5}}}"
#define DENY "'tools':'*','action':'deny','when':{'properties':{'a':{'maximum':5}}}"
#define UNSURE "'tools':'*','action':'deny','when':" UNKNOWABLE
	static const struct {
		const char *rules, *says;
	} cases[] = {
		{ "[{" ALLOW ",'examples':{'match':[{'a':5}],'no_match':[{'a':6},{}]}}]", NULL },
		{ "[{" ALLOW ",'examples':{'match':[{'a':5},{'a':6}]}}]",
			"does not match the example under \"match\": a: the value is more than 5" },
		{ "[{" ALLOW ",'examples':{'match':[{}]}}]", "\"a\" is not given" },
		{ "[{" ALLOW ",'examples':{'no_match':[{'a':5}]}}]",
			"does match the example under \"no_match\"" },
		{ "[{" DENY ",'examples':{'match':[{}, {'a':5}],'no_match':[{'a':6}]}}]", NULL },
		{ "[{" UNSURE ",'examples':{'match':[{'n':1}]}}]", NULL },
		{ "[{" UNSURE ",'examples':{'no_match':[{'n':1}]}}]", "does match the example" },
		{ "[{'tools':'*','action':'deny','examples':{'match':[{}]}}]", NULL },
	};
#undef ALLOW
#undef DENY
#undef UNSURE

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made made;
		struct err err = { 0 };
		struct policy *policy = try_policy(&made, cases[i].rules, &err);

		if (!policy != (cases[i].says != NULL))
			fail_msg("%s: %s", cases[i].rules, err.text);
		if (cases[i].says && !strstr(err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].rules, err.text);
		release(&made);
	}
}

static void
a_bare_allow_that_matches_tools_of_two_servers_is_refused(void **state)
{
	static const struct tool_facts other = {
		.full = "other.apply_raise", .server = "other", .name = "apply_raise"
	};
	static const struct tool_facts *const tools[] = { &apply_raise, &get_employee, &fetch,
		&other };
	static const struct {
		const char *rules;
		bool fine;
	} cases[] = {
		{ "[{'tools':'apply_raise','action':'allow'}]", false },
		{ "[{'tools':'*_raise','action':'allow'}]", false },
		{ "[{'tools':['payroll.*','*_raise'],'action':'allow'}]", false },
		{ "[{'tools':'payroll.apply_raise','action':'allow'}]", true },
		{ "[{'tools':'*.apply_raise','action':'allow'}]", true },
		{ "[{'tools':['get_employee','fetch'],'action':'allow'}]", true },
		{ "[{'tools':'APPLY_RAISE','action':'allow'}]", true },
		{ "[{'tools':'apply_raise','action':'ask'}]", true },
		{ "[{'tools':'apply_raise','action':'deny'}]", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made made = make_policy(cases[i].rules);
		struct err err = { 0 };
		int held = policy_check_tools(made.policy, tools, ARRAY_SIZE(tools), &err);

		if ((held == 0) != cases[i].fine)
			fail_msg("%s: %s", cases[i].rules, err.text);
		if (held < 0)
			assert_non_null(strstr(err.text, "payroll.apply_raise and other."));
		/* The second server appears later. */
		assert_int_equal(policy_check_tools(made.policy, tools, 3, NULL), 0);
		release(&made);
	}
}

static void
a_forecast_says_what_holds_for_every_argument(void **state)
{
#define WHEN ",'when':{'required':['x']}"
	static const struct {
		const char *rules;
		const struct tool_facts *tool;
		int forecast; /* -1: depends */
	} cases[] = {
		{ "[]", &get_employee, ACTION_ALLOW },
		{ "[]", &apply_raise, ACTION_ASK },
		{ "[{'tools':'*','action':'deny'}]", &apply_raise, ACTION_DENY },
		{ "[{'tools':'*','action':'allow'" WHEN "}]", &apply_raise, -1 },
		{ "[{'tools':'*','action':'allow'" WHEN "}]", &get_employee, ACTION_ALLOW },
		{ "[{'tools':'*','action':'ask'" WHEN "}]", &apply_raise, ACTION_ASK },
		{ "[{'tools':'*','action':'ask'" WHEN "}]", &get_employee, -1 },
		{ "[{'tools':'*','action':'allow'},{'tools':'*','action':'deny'" WHEN "}]",
			&apply_raise, -1 },
		{ "[{'tools':'*','action':'deny'},{'tools':'*','action':'ask'" WHEN "}]",
			&apply_raise, ACTION_DENY },
		{ "[{'tools':'*','action':'allow'},{'tools':'*','action':'ask'}]", &get_employee,
			ACTION_ASK },
	};
#undef WHEN

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made made = make_policy(cases[i].rules);
		int got = policy_forecast(made.policy, cases[i].tool);

		if (got != cases[i].forecast)
			fail_msg("%s of %s: %d", cases[i].rules, cases[i].tool->full, got);
		release(&made);
	}
}

static void
the_examples_of_the_manual_do_what_it_says(void **state)
{
#define READ_FILE                                                                        \
	"[{'tools':['get_employee'],'action':'allow','when':{'properties':{'path':"      \
	"{'path_under':'/srv/data'}}}},{'tools':['payroll.*'],'action':'deny','reason':" \
	"'only below /srv','when':{'required':['path'],'not':{'properties':{'path':"     \
	"{'path_under':'/srv'}}}}}]"
#define MAIL                                                                               \
	"[{'tools':['fetch'],'action':'allow','when':{'properties':{'to':{'type':'array'," \
	"'minItems':1,'maxItems':2,'items':{'type':'string','pattern':"                    \
	"'^[a-z0-9._-]+@example\\\\.com$'}}},'additionalProperties':false}}]"
#define OPTIONAL                                                                     \
	"[{'tools':['fetch'],'action':'allow','when':{'anyOf':[{'properties':{'to':" \
	"{'const':'ops'}},'additionalProperties':false},{'properties':{'to':"        \
	"{'const':'ops'},'subject':{'maxLength':8}},'additionalProperties':false}]}}]"
	static const struct expectation cases[] = {
		{ READ_FILE, &get_employee, "{'path':'/srv/data/a'}", ACTION_ALLOW, RULED_RULE },
		{ READ_FILE, &get_employee, "{'path':'/srv/a'}", ACTION_ALLOW, RULED_DEFAULT },
		{ READ_FILE, &get_employee, "{'path':'/etc/passwd'}", ACTION_DENY, RULED_RULE },
		{ READ_FILE, &get_employee, "{'path':'/srv/data/../../etc'}", ACTION_DENY,
			RULED_UNKNOWN },
		{ READ_FILE, &get_employee, "{}", ACTION_ALLOW, RULED_DEFAULT },
		{ MAIL, &fetch, "{'to':['a.b@example.com','c@example.com']}", ACTION_ALLOW,
			RULED_RULE },
		{ MAIL, &fetch, "{'to':['a.b@example.com.evil.org']}", ACTION_ASK, RULED_DEFAULT },
		{ MAIL, &fetch, "{'to':['a@exampleXcom']}", ACTION_ASK, RULED_DEFAULT },
		{ MAIL, &fetch, "{'to':['a@example.com'],'bcc':'x'}", ACTION_ASK, RULED_DEFAULT },
		{ MAIL, &fetch, "{'to':'a@example.com'}", ACTION_ASK, RULED_DEFAULT },
		{ MAIL, &fetch, "{'to':[]}", ACTION_ASK, RULED_DEFAULT },
		{ OPTIONAL, &fetch, "{'to':'ops'}", ACTION_ALLOW, RULED_RULE },
		{ OPTIONAL, &fetch, "{'to':'ops','subject':'hello'}", ACTION_ALLOW, RULED_RULE },
		{ OPTIONAL, &fetch, "{'to':'ops','subject':'hello, you'}", ACTION_ASK,
			RULED_DEFAULT },
		{ OPTIONAL, &fetch, "{'to':'ops','bcc':'x'}", ACTION_ASK, RULED_DEFAULT },
		{ OPTIONAL, &fetch, "{'subject':'hello'}", ACTION_ASK, RULED_DEFAULT },
	};
#undef READ_FILE
#undef MAIL
#undef OPTIONAL

	(void)state;
	expect(cases, ARRAY_SIZE(cases));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_rule_reads_are_allowed_and_all_else_is_asked),
		cmocka_unit_test(the_strictest_rule_wins_in_any_order),
		cmocka_unit_test(small_ones_alone_and_the_rest_asked_is_one_rule),
		cmocka_unit_test(an_unknown_when_denies_asks_and_never_allows),
		cmocka_unit_test(what_tightens_ignores_case_and_what_loosens_heeds_it),
		cmocka_unit_test(the_ruling_says_which_rule_where_and_why),
		cmocka_unit_test(a_ruling_by_the_unknown_says_what_could_not_be_told),
		cmocka_unit_test(the_wishes_of_all_rules_that_ask_add_up),
		cmocka_unit_test(a_reason_that_would_be_cut_is_refused),
		cmocka_unit_test(a_rule_that_is_wrong_is_refused_where_it_is_wrong),
		cmocka_unit_test(examples_are_held_against_their_rule_at_load),
		cmocka_unit_test(a_bare_allow_that_matches_tools_of_two_servers_is_refused),
		cmocka_unit_test(a_forecast_says_what_holds_for_every_argument),
		cmocka_unit_test(the_examples_of_the_manual_do_what_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
