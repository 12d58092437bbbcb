#include "config.h"

#include "core/gate/facts.h"

#include <string.h>

#include "core/base/mem.h"

static const char *const effects[] = {
	[EFFECT_READ] = "read",
	[EFFECT_SEND] = "send",
	[EFFECT_MUTATE] = "mutate",
	[EFFECT_DESTROY] = "destroy",
};

static const char *const actions[] = {
	[ACTION_ALLOW] = "allow",
	[ACTION_ASK] = "ask",
	[ACTION_DENY] = "deny",
};

static int
index_of(const char *const *words, size_t count, const char *name)
{
	for (size_t i = 0; name && i < count; i++)
		if (strcmp(words[i], name) == 0)
			return (int)i;
	return -1;
}

const char *
effect_name(enum effect effect)
{
	return effects[effect];
}

int
effect_of(const char *name)
{
	return index_of(effects, ARRAY_SIZE(effects), name);
}

const char *
action_name(enum action action)
{
	return actions[action];
}

int
action_of(const char *name)
{
	return index_of(actions, ARRAY_SIZE(actions), name);
}
