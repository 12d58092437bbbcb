/*
 * sample_facts.h - the tools that the gate's tests rule on.
 *
 * Knows:      facts.
 * Unaware of: what is tested.
 */
#ifndef TESTS_GATE_SAMPLE_FACTS_H
#define TESTS_GATE_SAMPLE_FACTS_H

#include "core/gate/facts.h"

static const struct tool_facts apply_raise = {
	.full = "payroll.apply_raise",
	.server = "payroll",
	.name = "apply_raise",
	.effect = EFFECT_MUTATE,
};
static const struct tool_facts get_employee = {
	.full = "payroll.get_employee",
	.server = "payroll",
	.name = "get_employee",
	.effect = EFFECT_READ,
};
static const struct tool_facts wipe = {
	.full = "disk.wipe",
	.server = "disk",
	.name = "wipe",
	.effect = EFFECT_DESTROY,
	.destructive_marked = true,
};

#endif
