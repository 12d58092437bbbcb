/*
 * sandbox.c - what all backends share: the life of one sandbox, its badge, its measures.
 */
#include "config.h"

#include "core/sandbox/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/run/spawn.h"
#include "core/sandbox/tree.h"

struct sandbox {
	struct sandbox_hooks hooks;
	struct sandbox_limits limits;
	struct proc *proc; /* NULL: ended */
	int bridge;
	int errors;
	int64_t cpu_ms; /* of one that ended */
	struct badge_word said[LAYER_COUNT];
};

static const struct sandbox_ops *const backends[] = { &sandbox_native };

const struct sandbox_ops *
sandbox_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++)
		if (strcmp(backends[i]->name, name) == 0)
			return backends[i];
	return NULL;
}

struct sandbox *
sandbox_start(const struct sandbox_ops *ops, struct spawner *spawner,
	const struct sandbox_config *config, const struct sandbox_hooks *hooks, struct err *err)
{
	return ops->start(spawner, config, hooks, err);
}

struct sandbox *
sandbox_new(const struct sandbox_config *config, const struct sandbox_hooks *hooks, int bridge,
	int errors)
{
	struct sandbox *sandbox = mem_zero(1, sizeof(*sandbox));

	sandbox->hooks = *hooks;
	sandbox->limits = config->limits;
	sandbox->bridge = bridge;
	sandbox->errors = errors;
	return sandbox;
}

static void
on_proc_started(struct proc *proc, void *arg)
{
	struct sandbox *sandbox = arg;

	if (sandbox->hooks.on_started)
		sandbox->hooks.on_started(sandbox, sandbox->hooks.arg);
}

static void
on_proc_exit(struct proc *proc, const struct proc_exit *end, void *arg)
{
	struct sandbox *sandbox = arg;

	sandbox->proc = NULL;
	sandbox->cpu_ms = end->cpu_ms;
	if (sandbox->hooks.on_exit)
		sandbox->hooks.on_exit(sandbox, end, sandbox->hooks.arg);
}

void
sandbox_proc_hooks(struct sandbox *sandbox, struct proc_hooks *hooks)
{
	*hooks = (struct proc_hooks){ on_proc_started, on_proc_exit, sandbox };
}

void
sandbox_hold(struct sandbox *sandbox, struct proc *proc)
{
	sandbox->proc = proc;
}

void
sandbox_free(struct sandbox *sandbox)
{
	if (!sandbox)
		return;
	if (sandbox->proc)
		proc_drop(sandbox->proc);
	close(sandbox->bridge);
	close(sandbox->errors);
	free(sandbox);
}

void
sandbox_kill(struct sandbox *sandbox)
{
	if (sandbox->proc)
		proc_kill(sandbox->proc);
}

int
sandbox_bridge(const struct sandbox *sandbox)
{
	return sandbox->bridge;
}

int
sandbox_stderr(const struct sandbox *sandbox)
{
	return sandbox->errors;
}

/* The detail is the guest's: printable ASCII alone gets into the badge. */
static void
take_detail(char *out, const char *detail)
{
	size_t len = 0;

	for (; detail && *detail && len < BADGE_DETAIL - 1; detail++)
		out[len++] = *detail >= ' ' && *detail <= '~' ? *detail : '?';
	out[len] = '\0';
}

void
sandbox_probed(struct sandbox *sandbox, const char *layer, bool proved, const char *detail)
{
	int index = layer_of(layer);
	struct badge_word *word;

	if (index < 0)
		return;
	word = &sandbox->said[index];
	/* One contradiction is enough: nothing said later takes it back. */
	if (word->finding == FINDING_ABSENT)
		return;
	word->finding = proved ? FINDING_STANDS : FINDING_ABSENT;
	take_detail(word->detail, detail);
}

int
sandbox_prove(struct sandbox *sandbox, struct badge *badge, struct err *err)
{
	struct badge_word seen[LAYER_COUNT];

	badge_look(sandbox->proc ? proc_pid(sandbox->proc) : 0, &sandbox->limits, seen);
	return badge_make(seen, sandbox->said, badge, err);
}

int64_t
sandbox_cpu_ms(const struct sandbox *sandbox)
{
	struct tree_usage usage;

	if (!sandbox->proc || proc_pid(sandbox->proc) <= 0)
		return sandbox->cpu_ms;
	tree_measure(proc_pid(sandbox->proc), &usage);
	return usage.cpu_ms;
}

int
sandbox_tasks(const struct sandbox *sandbox)
{
	struct tree_usage usage;

	if (!sandbox->proc || proc_pid(sandbox->proc) <= 0)
		return 0;
	tree_measure(proc_pid(sandbox->proc), &usage);
	return usage.tasks;
}
