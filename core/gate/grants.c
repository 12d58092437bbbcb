/*
 * Grants stay in the list with their numbers; only their state changes, and never back.  Sites are
 * those of the current program alone.
 */
#include "config.h"

#include "core/gate/grants.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/gate/bounds.h"

struct grant {
	struct grant_state state;
	char *tool;
	struct bounds *bounds;
};

struct site {
	char *tool;
	int line;
};

struct grants {
	unsigned attempt; /* of the current program; 0: none */
	struct grant *list;
	size_t count;
	struct site *sites;
	size_t site_count, site_room;
};

struct grants *
grants_new(void)
{
	return mem_zero(1, sizeof(struct grants));
}

static void
drop_sites(struct grants *grants)
{
	for (size_t i = 0; i < grants->site_count; i++)
		free(grants->sites[i].tool);
	grants->site_count = 0;
}

void
grants_free(struct grants *grants)
{
	if (!grants)
		return;
	drop_sites(grants);
	free(grants->sites);
	for (size_t i = 0; i < grants->count; i++) {
		free(grants->list[i].tool);
		bounds_free(grants->list[i].bounds);
	}
	free(grants->list);
	free(grants);
}

void
grants_end_program(struct grants *grants)
{
	for (size_t i = 0; i < grants->count; i++)
		grants->list[i].state.ended = true;
	drop_sites(grants);
	grants->attempt = 0;
}

void
grants_program(struct grants *grants, unsigned attempt)
{
	grants_end_program(grants);
	grants->attempt = attempt;
}

void
grants_site(struct grants *grants, const char *full, int line)
{
	if (grants->site_count == grants->site_room) {
		grants->site_room = grants->site_room ? 2 * grants->site_room : 16;
		grants->sites = mem_grow(grants->sites, grants->site_room, sizeof(*grants->sites));
	}
	grants->sites[grants->site_count++] = (struct site){ mem_str(full), line };
}

static bool
is_site(const struct grants *grants, const struct grant_call *call)
{
	for (size_t i = 0; i < grants->site_count; i++)
		if (grants->sites[i].line == call->line &&
			strcmp(grants->sites[i].tool, call->tool->full) == 0)
			return true;
	return false;
}

static int
check_place(const struct grants *grants, const struct grant_call *call, struct err *err)
{
	if (call->line <= 0)
		return err_set(err, ERR_REFUSED,
			"the program did not say which line calls, so nothing can be granted");
	if (grants->attempt == 0 || call->attempt != grants->attempt)
		return err_set(err, ERR_REFUSED, "the call is not of the program that runs");
	if (!is_site(grants, call))
		return err_set(err, ERR_REFUSED,
			"line %d holds no call of %s, so nothing can be granted", call->line,
			call->tool->full);
	return 0;
}

int
grants_check(const struct grants *grants, const struct grant_offer *offer, struct err *err)
{
	AUTO_BOUNDS struct bounds *bounds = NULL;
	char why[160];

	if (offer->n < 1 || offer->n > GRANT_N_MAX)
		return err_set(err, ERR_REFUSED, "a grant covers from 1 to %d calls", GRANT_N_MAX);
	if (check_place(grants, &offer->call, err) < 0)
		return -1;
	bounds = bounds_read(offer->bounds, offer->bounds_len, err);
	if (!bounds)
		return -1;
	if (!bounds_fit(bounds, offer->call.arguments, why, sizeof(why)))
		return err_set(err, ERR_REFUSED,
			"the call's own arguments are not within the bounds: %s", why);
	return 0;
}

uint64_t
grants_add(struct grants *grants, const struct grant_offer *offer)
{
	struct grant *grant;

	grants->list = mem_grow(grants->list, grants->count + 1, sizeof(*grants->list));
	grant = &grants->list[grants->count++];
	grant->tool = mem_str(offer->call.tool->full);
	grant->bounds = bounds_read(offer->bounds, offer->bounds_len, NULL);
	assert(grant->bounds);
	grant->state = (struct grant_state){
		.tool = grant->tool,
		.tool_sha256 = offer->call.tool->sha256,
		.attempt = offer->call.attempt,
		.line = offer->call.line,
		.n = offer->n,
	};
	return grants->count;
}

static bool
covers(const struct grant *grant, const struct grant_call *call)
{
	const struct grant_state *state = &grant->state;

	return !state->ended && state->used < state->n && state->attempt == call->attempt &&
	       state->line == call->line && strcmp(grant->tool, call->tool->full) == 0 &&
	       digest_equal(&state->tool_sha256, &call->tool->sha256) &&
	       bounds_fit(grant->bounds, call->arguments, NULL, 0);
}

uint64_t
grants_cover(const struct grants *grants, const struct grant_call *call)
{
	for (size_t i = 0; i < grants->count; i++)
		if (covers(&grants->list[i], call))
			return i + 1;
	return 0;
}

void
grants_use(struct grants *grants, uint64_t number)
{
	struct grant_state *state;

	assert(number > 0 && number <= grants->count);
	state = &grants->list[number - 1].state;
	assert(!state->ended && state->used < state->n);
	state->used++;
}

int
grants_revoke(struct grants *grants, uint64_t number, struct err *err)
{
	if (number == 0 || number > grants->count)
		return err_set(err, ERR_MISSING, "there is no grant %" PRIu64, number);
	if (grants->list[number - 1].state.ended)
		return err_set(err, ERR_STATE, "grant %" PRIu64 " counts no more", number);
	grants->list[number - 1].state.ended = true;
	return 0;
}

size_t
grants_count(const struct grants *grants)
{
	return grants->count;
}

void
grants_at(const struct grants *grants, size_t index, struct grant_state *out)
{
	assert(index < grants->count);
	*out = grants->list[index].state;
}
