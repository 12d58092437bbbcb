/*
 * Readiness is judged as it was before the input that asks: the bytes of that input start the rest
 * clock again, so they must not count against themselves, and nothing that came with them may count
 * for them.
 */
#include "config.h"

#include "tui/arming.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"

#define QUIET_FLOOR_MS 500
#define REST_FLOOR_MS 300
#define QUIET_AFTER_DECISION_MS 500 /* more */
#define REST_AFTER_TYPING_MS 400    /* more */
#define DECISION_RECENT (2 * NS_PER_S)
#define TYPING_RECENT (1 * NS_PER_S)
#define BURST_NS (30 * NS_PER_MS)
#define BURST_KEYS 3
#define NEVER INT64_MIN

struct arming {
	int64_t quiet_ms, rest_ms;
	bool open;
	bool blocked;
	uint64_t presentation;
	size_t total, covered;
	uint8_t *seen;    /* one byte for each source byte: in a frame that has left */
	uint8_t *painted; /* in the frame on its way */
	uint64_t frame;   /* on its way; 0: none */
	uint64_t awaited; /* the presentation whose frame is on its way */
	bool drawn;       /* a frame of this presentation has left */
	int64_t drawn_at, first_drawn_at;
	int64_t quiet_ns, rest_ns; /* wanted for this presentation */
	int64_t held_ns; /* more rest before a yes: a key that came too early may be held */
	int64_t last_input;
	int64_t decided_at;
	int64_t keys_at[BURST_KEYS]; /* the latest keys, newest first */
	int64_t approve_at;          /* an approval waits to settle; NEVER: none */
	/* As it was before the latest input. */
	bool was_rested, was_armed, was_quiet, was_alone;
	bool too_early;
};

static int64_t
at_least(int64_t value, int64_t floor)
{
	return value > floor ? value : floor;
}

struct arming *
arming_new(int64_t quiet_ms, int64_t rest_ms)
{
	struct arming *arming = mem_zero(1, sizeof(*arming));

	arming_set_times(arming, quiet_ms, rest_ms);
	arming->last_input = NEVER;
	arming->decided_at = NEVER;
	arming->approve_at = NEVER;
	for (int i = 0; i < BURST_KEYS; i++)
		arming->keys_at[i] = NEVER;
	return arming;
}

void
arming_set_times(struct arming *arming, int64_t quiet_ms, int64_t rest_ms)
{
	arming->quiet_ms = at_least(quiet_ms, QUIET_FLOOR_MS);
	arming->rest_ms = at_least(rest_ms, REST_FLOOR_MS);
}

void
arming_free(struct arming *arming)
{
	if (!arming)
		return;
	free(arming->seen);
	free(arming->painted);
	free(arming);
}

uint64_t
arming_again(struct arming *arming)
{
	arming->presentation++;
	arming->drawn = false;
	arming->frame = 0;
	arming->approve_at = NEVER;
	arming->too_early = false;
	arming->held_ns = 0;
	arming->was_rested = arming->was_armed = arming->was_quiet = arming->was_alone = false;
	return arming->presentation;
}

uint64_t
arming_open(struct arming *arming, size_t total)
{
	free(arming->seen);
	free(arming->painted);
	arming->seen = mem_zero(total, 1);
	arming->painted = mem_zero(total, 1);
	arming->total = total;
	arming->covered = 0;
	arming->open = true;
	arming->first_drawn_at = NEVER;
	return arming_again(arming);
}

void
arming_close(struct arming *arming, bool decided, int64_t now)
{
	arming->open = false;
	arming->approve_at = NEVER;
	if (decided)
		arming->decided_at = now;
}

void
arming_block(struct arming *arming, bool blocked)
{
	arming->blocked = blocked;
}

void
arming_paint(struct arming *arming, uint64_t frame)
{
	if (!arming->open)
		return;
	arming->frame = frame;
	arming->awaited = arming->presentation;
	memset(arming->painted, 0, arming->total);
}

void
arming_painted(struct arming *arming, size_t from, size_t len)
{
	if (!arming->open || from >= arming->total)
		return;
	if (len > arming->total - from)
		len = arming->total - from;
	memset(arming->painted + from, 1, len);
}

static bool
recent(int64_t then, int64_t now, int64_t span)
{
	return then != NEVER && now - then <= span;
}

static void
begin_quiet(struct arming *arming, int64_t now)
{
	int64_t quiet_ms = arming->quiet_ms;
	int64_t rest_ms = arming->rest_ms;

	if (recent(arming->decided_at, now, DECISION_RECENT))
		quiet_ms += QUIET_AFTER_DECISION_MS;
	if (recent(arming->last_input, now, TYPING_RECENT))
		rest_ms += REST_AFTER_TYPING_MS;
	arming->quiet_ns = quiet_ms * NS_PER_MS;
	arming->rest_ns = rest_ms * NS_PER_MS;
	arming->drawn = true;
	arming->drawn_at = now;
	if (arming->first_drawn_at == NEVER)
		arming->first_drawn_at = now;
}

void
arming_frame_left(struct arming *arming, uint64_t frame, int64_t now)
{
	if (!arming->open || arming->frame != frame || frame == 0 ||
		arming->awaited != arming->presentation)
		return;
	arming->frame = 0;
	for (size_t i = 0; i < arming->total; i++) {
		arming->covered += arming->painted[i] && !arming->seen[i];
		arming->seen[i] |= arming->painted[i];
	}
	if (!arming->drawn)
		begin_quiet(arming, now);
}

/* The keyboard has rested; before the first byte ever it has rested since the frame. */
static int64_t
rested_at(const struct arming *arming)
{
	int64_t since = arming->drawn_at;

	if (arming->last_input != NEVER && arming->last_input > since)
		since = arming->last_input;
	return since + arming->rest_ns;
}

static bool
is_rested(const struct arming *arming, int64_t now)
{
	return arming->open && arming->drawn && now >= rested_at(arming);
}

/* Armed, but for the rest of the keyboard. */
static bool
is_quiet(const struct arming *arming, int64_t now)
{
	return arming->open && arming->drawn && !arming->blocked &&
	       now >= arming->drawn_at + arming->quiet_ns && arming->covered == arming->total;
}

static bool
is_armed(const struct arming *arming, int64_t now)
{
	return is_quiet(arming, now) && now >= rested_at(arming) + arming->held_ns;
}

/* A burst is a paste without brackets or a held key: the quiet time begins anew.  True: this is
 * one. */
static bool
note_keys(struct arming *arming, size_t keys, int64_t now)
{
	for (size_t i = 0; i < keys && i < BURST_KEYS; i++) {
		memmove(&arming->keys_at[1], &arming->keys_at[0],
			(BURST_KEYS - 1) * sizeof(arming->keys_at[0]));
		arming->keys_at[0] = now;
	}
	if (keys == 0 || !recent(arming->keys_at[BURST_KEYS - 1], now, BURST_NS))
		return false;
	if (arming->drawn)
		arming->drawn_at = now;
	return true;
}

void
arming_input(struct arming *arming, size_t keys, int64_t now)
{
	arming->was_rested = is_rested(arming, now);
	arming->was_armed = is_armed(arming, now);
	arming->was_quiet = is_quiet(arming, now);
	if (arming->approve_at != NEVER)
		arming->too_early = true;
	arming->approve_at = NEVER;
	arming->was_alone = !note_keys(arming, keys, now) && keys == 1;
	arming->last_input = now;
}

bool
arming_may_deny(const struct arming *arming)
{
	return arming->open && arming->was_rested && arming->was_alone;
}

/* Its own repeats, should it be held, begin within 660 ms: they must not find the keyboard rested.
 */
static void
came_too_early(struct arming *arming)
{
	arming->too_early = true;
	arming->held_ns = REST_AFTER_TYPING_MS * NS_PER_MS;
}

bool
arming_deny(struct arming *arming)
{
	if (arming_may_deny(arming))
		return true;
	came_too_early(arming);
	return false;
}

bool
arming_confirm(struct arming *arming)
{
	if (arming->open && arming->was_quiet && arming->was_alone)
		return true;
	came_too_early(arming);
	return false;
}

bool
arming_approve(struct arming *arming, int64_t now)
{
	if (!arming->open || !arming->was_armed || !arming->was_alone) {
		came_too_early(arming);
		return false;
	}
	arming->was_armed = false;
	arming->approve_at = now;
	return true;
}

int64_t
arming_settle_ns(const struct arming *arming, int64_t now)
{
	if (arming->approve_at == NEVER)
		return -1;
	return arming->approve_at + BURST_NS > now ? arming->approve_at + BURST_NS - now : 0;
}

bool
arming_settled(struct arming *arming, int64_t now)
{
	if (!arming->open || arming->approve_at == NEVER || now - arming->approve_at < BURST_NS)
		return false;
	arming->approve_at = NEVER;
	return true;
}

enum arming_state
arming_state(const struct arming *arming, int64_t now)
{
	if (!arming->open)
		return ARMING_HIDDEN;
	if (!arming->drawn)
		return ARMING_PRESENTED;
	return is_armed(arming, now) ? ARMING_ARMED : ARMING_QUIET;
}

uint64_t
arming_presentation(const struct arming *arming)
{
	return arming->presentation;
}

bool
arming_rested(const struct arming *arming, int64_t now)
{
	return is_rested(arming, now);
}

size_t
arming_covered(const struct arming *arming)
{
	return arming->covered;
}

size_t
arming_covered_in(const struct arming *arming, size_t from, size_t len)
{
	size_t covered = 0;

	for (size_t i = from; i < arming->total && i - from < len; i++)
		covered += arming->seen[i];
	return covered;
}

size_t
arming_total(const struct arming *arming)
{
	return arming->total;
}

bool
arming_too_early(const struct arming *arming)
{
	return arming->too_early;
}

/* When quiet is over by time alone. */
static int64_t
quiet_until(const struct arming *arming)
{
	return at_least(rested_at(arming) + arming->held_ns, arming->drawn_at + arming->quiet_ns);
}

int
arming_progress(const struct arming *arming, int64_t now)
{
	int64_t longest = at_least(arming->quiet_ns, arming->rest_ns + arming->held_ns);
	int64_t left;

	if (!arming->open || !arming->drawn)
		return 0;
	left = quiet_until(arming) - now;
	if (left <= 0)
		return 100;
	return left >= longest ? 0 : (int)(100 - left * 100 / longest);
}

int64_t
arming_next_ns(const struct arming *arming, int64_t now)
{
	int64_t left;

	if (!arming->open || !arming->drawn)
		return -1;
	left = quiet_until(arming) - now;
	return left > 0 ? left : -1;
}

int64_t
arming_dwell_ns(const struct arming *arming, int64_t now)
{
	if (!arming->open || arming->first_drawn_at == NEVER)
		return 0;
	return now - arming->first_drawn_at;
}
