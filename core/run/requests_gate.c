/* Each operation reads its own fields; what may be granted or ruled is the calls' to say. */
#include "config.h"

#include "core/run/requests_gate.h"

#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/run/calls.h"
#include "core/run/calls_budget.h"
#include "core/run/calls_grant.h"
#include "core/run/console.h"
#include "core/run/requests_fields.h"
#include "core/run/run.h"

static int
no_calls(struct err *err)
{
	return err_set(err, ERR_MISSING, "no call waits");
}

static int
json_words(
	struct json_value request, const char *key, const char **out, size_t *len, struct err *err)
{
	*out = json_string(json_get(request, key), len);
	if (*out)
		return 0;
	return err_set(err, ERR_USAGE, "\"%s\" must be JSON as text", key);
}

int
op_grant(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	struct calls_grant grant = {
		.decision = {
			.via = "console",
			.who = console_who(console),
			.console = console_id(console),
			.verdict = VERDICT_APPROVE,
		},
	};
	int64_t call;

	if (request_number(request, "call", 1, &call, err) < 0 ||
		request_digest(request, "bind", &grant.decision.bind, err) < 0 ||
		request_seen(request, &grant.decision, err) < 0 ||
		request_words(request, "comment", &grant.decision.comment, err) < 0 ||
		request_number(request, "n", 1, &grant.n, err) < 0 ||
		json_words(request, "bounds", &grant.bounds, &grant.bounds_len, err) < 0)
		return -1;
	grant.decision.call = (call_id)call;
	return run_calls(run) ? calls_grant(run_calls(run), &grant, err) : no_calls(err);
}

int
op_revoke(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	int64_t grant;

	if (request_number(request, "grant", 1, &grant, err) < 0)
		return -1;
	if (!run_calls(run))
		return no_calls(err);
	return calls_revoke(run_calls(run), (uint64_t)grant, console_who(console), err);
}

int
op_rule(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	int action = action_of(json_text(request, "action"));
	struct calls_rule rule = { .who = console_who(console) };
	int64_t call;

	if (request_number(request, "call", 1, &call, err) < 0 ||
		json_words(request, "rule", &rule.text, &rule.len, err) < 0)
		return -1;
	if (action < 0)
		return err_set(err, ERR_USAGE, "\"action\" must be \"ask\", \"deny\" or \"allow\"");
	rule.call = (call_id)call;
	rule.action = (enum action)action;
	return run_calls(run) ? calls_rule(run_calls(run), &rule, err) : no_calls(err);
}

int
op_budget(struct run *run, struct console *console, struct json_value request, struct err *err)
{
	struct calls_raise raise = {
		.counter = json_text(request, "counter"),
		.console = console_id(console),
		.who = console_who(console),
	};
	int64_t call;

	if (request_number(request, "call", 1, &call, err) < 0 ||
		request_number(request, "from", 0, &raise.from, err) < 0 ||
		request_number(request, "to", 0, &raise.to, err) < 0 ||
		request_number(request, "presentation", 1, &raise.presentation, err) < 0)
		return -1;
	if (!raise.counter)
		return err_set(err, ERR_USAGE, "\"counter\" must be the name of a limit");
	raise.call = (call_id)call;
	return run_calls(run) ? calls_raise(run_calls(run), &raise, err) : no_calls(err);
}
