#include "config.h"

#include "core/session/replay_lines.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

#define SLOTS_MIN 64

void
replay_lines_release(struct replay_lines *lines)
{
	free(lines->slots);
	memset(lines, 0, sizeof(*lines));
}

static struct replay_lines_slot *
slot_of(const struct replay_lines *lines, int32_t line, uint32_t tool)
{
	size_t at = ((uint32_t)line * 0x9E3779B1u ^ tool * 0x85EBCA77u) & (lines->room - 1);

	while (lines->slots[at].tool &&
		(lines->slots[at].tool != tool || lines->slots[at].line != line))
		at = (at + 1) & (lines->room - 1);
	return &lines->slots[at];
}

static void
grow(struct replay_lines *lines)
{
	struct replay_lines old = *lines;

	lines->room = old.room ? 2 * old.room : SLOTS_MIN;
	lines->slots = mem_zero(lines->room, sizeof(*lines->slots));
	for (size_t i = 0; i < old.room; i++)
		if (old.slots[i].tool)
			*slot_of(lines, old.slots[i].line, old.slots[i].tool) = old.slots[i];
	free(old.slots);
}

/* A large table goes, so that clearing it costs no more than filling it did. */
static void
begin_attempt(struct replay_lines *lines, uint32_t attempt)
{
	if (lines->room > SLOTS_MIN)
		replay_lines_release(lines);
	else if (lines->slots)
		memset(lines->slots, 0, lines->room * sizeof(*lines->slots));
	lines->count = 0;
	lines->attempt = attempt;
}

uint32_t
replay_lines_nth(struct replay_lines *lines, uint32_t attempt, int32_t line, uint32_t tool)
{
	struct replay_lines_slot *slot;

	if (attempt != lines->attempt)
		begin_attempt(lines, attempt);
	if (2 * lines->count >= lines->room)
		grow(lines);
	slot = slot_of(lines, line, tool);
	if (slot->tool == 0) {
		*slot = (struct replay_lines_slot){ tool, line, 0 };
		lines->count++;
	}
	return ++slot->count;
}
