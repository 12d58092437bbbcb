#include "config.h"

#include "core/run/author_prompt.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/gate/budget.h"
#include "core/run/account.h"
#include "core/run/configuration.h"
#include "core/tools/registry.h"

/* Only what binds is told; gives memory. */
static struct prompt_limit *
limits_of(const struct budget *budget, size_t *count)
{
	size_t all = budget_counters(budget);
	struct prompt_limit *limits = mem_zero(all + 1, sizeof(*limits));

	*count = 0;
	for (size_t i = 0; i < all; i++) {
		struct budget_counter counter;

		budget_counter(budget, i, &counter);
		/* Money is for people: a program cannot spend it. */
		if (counter.limit < 0 || strcmp(counter.name, "refused") == 0 ||
			strcmp(counter.name, "max_cost_usd") == 0)
			continue;
		limits[(*count)++] =
			(struct prompt_limit){ counter.name, counter.used, counter.limit };
	}
	return limits;
}

void
author_instructions(const struct config *config, const struct registry *registry,
	const struct policy *policy, struct buf *out)
{
	struct prompt_parts parts = {
		.own = untrusted_str(config_instructions(config)),
		.registry = registry,
		.policy = policy,
		.catalogue = (size_t)config_int(config, SETTING_MODEL_CATALOGUE),
		.wall_s = config_int(config, SETTING_SANDBOX_WALL_S),
		.memory = config_int(config, SETTING_SANDBOX_MEMORY),
		.output = config_int(config, SETTING_SANDBOX_OUTPUT),
		.answer_from_model = strcmp(config_str(config, SETTING_ANSWER), "model") == 0,
	};

	prompt_instructions(&parts, out);
}

void
author_tell_task(const struct budget *budget, struct untrusted task, struct buf *out)
{
	size_t count;
	AUTO_FREE struct prompt_limit *limits = limits_of(budget, &count);

	prompt_task(task, limits, count, out);
}

static char *
reason_of(const struct account_call *call)
{
	if (!call->asked)
		return mem_str(call->reason);
	return mem_printf("%s%sthe person changed the arguments from %s",
		call->reason ? call->reason : "", call->reason ? "; " : "", call->asked);
}

void
author_tell_failure(const struct budget *budget, const struct registry *registry,
	const struct account *account, const struct author_failure *failure, struct buf *out)
{
	size_t limit_count, call_count;
	AUTO_FREE struct prompt_limit *limits = limits_of(budget, &limit_count);
	const struct account_call *known = account_calls(account, &call_count);
	AUTO_FREE struct prompt_call *calls = mem_zero(call_count + 1, sizeof(*calls));
	AUTO_FREE char **reasons = mem_zero(call_count + 1, sizeof(*reasons));
	struct prompt_failure told = {
		.outcome = failure->outcome,
		.error = failure->error,
		.printed = failure->printed,
		.calls = calls,
		.call_count = call_count,
		.word = untrusted_str(failure->word),
		.limits = limits,
		.limit_count = limit_count,
	};

	for (size_t i = 0; i < call_count; i++) {
		const struct account_call *call = &known[i];
		const struct tool *tool = registry_find(registry, call->tool, strlen(call->tool));

		reasons[i] = reason_of(call);
		calls[i] = (struct prompt_call){
			.number = call->number,
			.tool = call->tool,
			.args = untrusted(call->args, call->args_len),
			.outcome = call->outcome ? call->outcome : "unknown",
			.reason = untrusted_str(reasons[i]),
			.started = call->started,
			.read = tool && tool->facts.effect == EFFECT_READ,
			.line = call->line,
		};
	}
	if (failure->program.len > 0) {
		buf_str(out, "The person changed your program.  This is the one that "
			     "ran:\n\n```python\n");
		buf_put(out, failure->program.bytes, failure->program.len);
		buf_str(out, "\n```\n\n");
	}
	prompt_repair(&told, out);
	for (size_t i = 0; i < call_count; i++)
		free(reasons[i]);
}
