/*
 * The wall clock is a sum of ticks, so that it can stand still: a tick counts unless a call is held
 * and every thread of the guest waits on the bridge (each outstanding request is one waiting
 * thread, and the runner has one helper thread of its own).  While the person is away no tick
 * counts.
 */
#include "config.h"

#include "core/base/loop.h"
#include "core/run/attempt_state.h"
#include "core/run/calls.h"
#include "core/run/configuration.h"

#define TICK_HELD_NS NS_PER_S
#define RUNNER_THREADS 1

static bool
stands_still(struct attempt *attempt)
{
	if (calls_held(attempt->calls) == 0)
		return false;
	return sandbox_tasks(attempt->sandbox) - RUNNER_THREADS <=
	       (int)calls_outstanding(attempt->calls);
}

void
attempt_count_time(struct attempt *attempt)
{
	int64_t now = loop_now(attempt->parts.loop);
	int64_t passed = now - attempt->ticked_at;

	if (attempt->phase != ATTEMPT_RUNNING)
		return;
	attempt->ticked_at = now;
	if (attempt->was_held && !attempt->was_away)
		attempt->held_ns += passed;
	if (!attempt->was_still && !attempt->was_away)
		attempt->wall_ns += passed;
	attempt->was_away = calls_are_away(attempt->calls);
	attempt->was_held = calls_held(attempt->calls) > 0;
	attempt->was_still = stands_still(attempt);
}

static void
check_clocks(struct attempt *attempt)
{
	int64_t wall_s = config_int(attempt->parts.config, SETTING_SANDBOX_WALL_S);
	int64_t held_s = config_int(attempt->parts.config, SETTING_SANDBOX_MAX_HELD_S);
	int64_t cpu_s = config_int(attempt->parts.config, SETTING_SANDBOX_CPU_S);

	if (wall_s >= 0 && attempt->wall_ns >= wall_s * NS_PER_S)
		attempt_kill(attempt, "time", BY_ENDED, "the program ran past sandbox.wall_s");
	else if (held_s >= 0 && attempt->held_ns >= held_s * NS_PER_S)
		attempt_kill(attempt, "time", BY_ENDED, "calls were held past sandbox.max_held_s");
	else if (cpu_s >= 0 && sandbox_cpu_ms(attempt->sandbox) >= cpu_s * 1000)
		attempt_kill(attempt, "cpu", BY_ENDED, "the program used up sandbox.cpu_s");
}

void
attempt_on_tick(void *arg)
{
	struct attempt *attempt = arg;

	if (attempt->phase != ATTEMPT_RUNNING || attempt->killed_as)
		return;
	attempt_count_time(attempt);
	calls_flush_budget(attempt->calls);
	loop_timer_in(attempt->tick,
		attempt->was_still || attempt->was_away ? TICK_HELD_NS : ATTEMPT_TICK_NS);
	check_clocks(attempt);
}

/* A hold began or ended: the time up to here counts under the old state of the clock. */
void
attempt_calls_changed(struct attempt *attempt)
{
	if (!attempt->calls || attempt->phase != ATTEMPT_RUNNING)
		return;
	if (attempt->was_held || calls_held(attempt->calls) > 0 ||
		attempt->was_away != calls_are_away(attempt->calls))
		attempt_count_time(attempt);
}
