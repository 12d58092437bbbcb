/* Rules held against the tools that are there. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/glob.h"
#include "core/gate/policy_state.h"
#include "core/run/near.h"

/* A bare pattern of an allow names one server's tools, or it would hand out more than was meant. */
static int
check_bare(const struct rule *rule, const char *pattern, const struct tool_facts *const *tools,
	size_t count, struct err *err)
{
	const struct tool_facts *first = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!glob_match_tool(pattern, tools[i]->full, tools[i]->name, false))
			continue;
		if (first && strcmp(first->server, tools[i]->server) != 0)
			return err_set(err, ERR_FORMAT,
				"%s: the pattern \"%s\" of an allow matches %s and %s; name the "
				"server: \"%s.%s\"",
				rule->at, pattern, first->full, tools[i]->full, first->server,
				pattern);
		first = first ? first : tools[i];
	}
	return 0;
}

int
policy_check_tools(const struct policy *policy, const struct tool_facts *const *tools, size_t count,
	struct err *err)
{
	for (size_t i = 0; i < policy->count; i++) {
		const struct rule *rule = &policy->rules[i];

		for (size_t k = 0; rule->action == ACTION_ALLOW && k < rule->pattern_count; k++)
			if (glob_is_bare(rule->patterns[k]) &&
				check_bare(rule, rule->patterns[k], tools, count, err) < 0)
				return -1;
	}
	return 0;
}

static bool
matches_some(const char *pattern, const struct tool_facts *const *tools, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (glob_match_tool(pattern, tools[i]->full, tools[i]->name, true))
			return true;
	return false;
}

void
policy_misspelt(const struct policy *policy, const struct tool_facts *const *tools, size_t count,
	void (*tell)(const char *text, void *arg), void *arg)
{
	AUTO_FREE const char **names = mem_zero(2 * count, sizeof(*names));

	for (size_t i = 0; i < count; i++) {
		names[i] = tools[i]->name;
		names[count + i] = tools[i]->full;
	}
	for (size_t i = 0; i < policy->count; i++) {
		const struct rule *rule = &policy->rules[i];

		for (size_t k = 0; k < rule->pattern_count; k++) {
			const char *pattern = rule->patterns[k];
			const char *near = matches_some(pattern, tools, count)
						   ? NULL
						   : near_name(pattern, names, 2 * count);
			AUTO_FREE char *text = NULL;

			if (!near)
				continue;
			text = mem_printf("%s: no tool is called \"%s\"; did you mean \"%s\"?",
				rule->at, pattern, near);
			tell(text, arg);
		}
	}
}
