/*
 * What a replay takes is written down here, command by command: a command that is not in the list
 * is refused, whoever offers it.
 */
#include "config.h"

#include "tui/app_replay_inside.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/timeline.h"
#include "tui/view.h"
#include "tui/view_calls.h"

#define MINUTE 60
#define TIME_PARTS 3
#define TIME_DIGITS 6
#define CALL_DIGITS 12
#define DIGITS "0123456789"

bool
app_replay_refuses(enum command command)
{
	static const bool taken[COMMAND_COUNT] = {
		[COMMAND_DIFF] = true,
		[COMMAND_GRANTS] = true,
		[COMMAND_DETAILS] = true,
		[COMMAND_RUNS] = true,
		[COMMAND_SUSPEND] = true,
		[COMMAND_COMMAND_LINE] = true,
		[COMMAND_FILTER] = true,
		[COMMAND_FOLLOW] = true,
		[COMMAND_LEFT] = true,
		[COMMAND_RIGHT] = true,
		[COMMAND_NARROWER] = true,
		[COMMAND_WIDER] = true,
		[COMMAND_LOWER] = true,
		[COMMAND_TALLER] = true,
		[COMMAND_PLAY] = true,
		[COMMAND_STEP] = true,
		[COMMAND_STEP_BACK] = true,
		[COMMAND_NEXT_DECISION] = true,
		[COMMAND_PREVIOUS_DECISION] = true,
		[COMMAND_SLOWER] = true,
		[COMMAND_FASTER] = true,
		[COMMAND_IDLE] = true,
		[COMMAND_REPLAY_START] = true,
		[COMMAND_REPLAY_END] = true,
		[COMMAND_SEEN] = true,
		[COMMAND_OPEN] = true,
		[COMMAND_FULL] = true,
		[COMMAND_STRICT] = true,
		[COMMAND_EXPLAIN] = true,
		[COMMAND_HELP] = true,
		[COMMAND_REDRAW] = true,
		[COMMAND_NEXT_PANE] = true,
		[COMMAND_PREVIOUS_PANE] = true,
		[COMMAND_UP] = true,
		[COMMAND_DOWN] = true,
		[COMMAND_PAGE_UP] = true,
		[COMMAND_PAGE_DOWN] = true,
		[COMMAND_TOP] = true,
		[COMMAND_BOTTOM] = true,
		[COMMAND_SEARCH] = true,
		[COMMAND_SEARCH_NEXT] = true,
		[COMMAND_SEARCH_PREVIOUS] = true,
		[COMMAND_BACK] = true,
		[COMMAND_LEAVE] = true,
		[COMMAND_ACCEPT] = true,
	};

	return !taken[command];
}

/* --- where a key goes --- */

/* The decision after the position, or before it; false: none. */
static bool
decision_from(const struct app_replay *film, bool back, uint64_t *index)
{
	uint64_t now = replay_decision(film); /* how many are here or before */
	bool here = now > 0 && film->decisions[now - 1] == film->film.position;

	if (!back && now < film->decision_count)
		*index = film->decisions[now];
	else if (back && now > (here ? 1U : 0U))
		*index = film->decisions[now - (here ? 2 : 1)];
	else
		return false;
	return true;
}

static void
go_decision(struct app *app, bool back)
{
	struct app_replay *film = app->film;
	uint64_t index;

	if (!decision_from(film, back, &index)) {
		film->film.playing = false;
		app_say(app, STYLE_DIM, "no decision %s",
			back ? "before this one" : "comes any more");
		return;
	}
	/* The moment before it: the call still waits, as the person saw it. */
	film_go_before(&film->film, index);
	film->left = 0;
	replay_show(app);
	if (app->overlays > 0 && app_top(app)->ops->map(app_top(app)) == MAP_SEEN)
		replay_show_seen(app);
}

static void
go(struct app *app, uint64_t position)
{
	struct app_replay *film = app->film;

	film_go(&film->film, position);
	film->left = 0;
	replay_show(app);
}

bool
app_replay_offers(const struct app *app, enum command command)
{
	const struct app_replay *film = app->film;
	uint64_t position = film->film.position;
	uint64_t events = film->film.tape.events;
	uint64_t index;

	switch (command) {
	case COMMAND_PLAY:
		return events > 0;
	case COMMAND_STEP:
	case COMMAND_REPLAY_END:
		return position < events;
	case COMMAND_STEP_BACK:
	case COMMAND_REPLAY_START:
		return position > 0;
	case COMMAND_NEXT_DECISION:
		return decision_from(film, false, &index);
	case COMMAND_PREVIOUS_DECISION:
		return decision_from(film, true, &index);
	case COMMAND_SLOWER:
		return film->film.speed > FILM_SLOWEST;
	case COMMAND_FASTER:
		return film->film.speed < FILM_FASTEST;
	case COMMAND_IDLE:
		return true;
	case COMMAND_SEEN:
		return replay_seen_call(app) != 0;
	default:
		return false;
	}
}

static void
next_idle(struct app *app)
{
	struct film *film = &app->film->film;

	film_next_idle(film, loop_now(app->loop));
	if (film->idle == 0)
		app_say(app, STYLE_TEXT, "every pause is played as it was");
	else
		app_say(app, STYLE_TEXT, "no pause is played for more than %lld.%lld s",
			(long long)(film->idle / NS_PER_S),
			(long long)(film->idle % NS_PER_S * 10 / NS_PER_S));
}

bool
app_replay_run(struct app *app, enum command command)
{
	struct film *film = &app->film->film;
	int64_t now = loop_now(app->loop);

	app_dirty(app);
	switch (command) {
	case COMMAND_PLAY:
		film_play(film, !film->playing, now);
		replay_show(app);
		return true;
	case COMMAND_STEP:
		go(app, film->position + (film->position < film->tape.events));
		return true;
	case COMMAND_STEP_BACK:
		go(app, film->position - (film->position > 0));
		return true;
	case COMMAND_NEXT_DECISION:
	case COMMAND_PREVIOUS_DECISION:
		go_decision(app, command == COMMAND_PREVIOUS_DECISION);
		return true;
	case COMMAND_SLOWER:
	case COMMAND_FASTER:
		film_faster(film, command == COMMAND_FASTER ? 1 : -1, now);
		return true;
	case COMMAND_IDLE:
		next_idle(app);
		return true;
	case COMMAND_REPLAY_START:
		go(app, 0);
		return true;
	case COMMAND_REPLAY_END:
		go(app, film->tape.events);
		return true;
	case COMMAND_SEEN:
		replay_show_seen(app);
		return true;
	default:
		return false;
	}
}

bool
app_replay_intent(struct app *app, const struct intent *intent)
{
	struct app_replay *film = app->film;

	switch (intent->kind) {
	case INTENT_OPEN: /* its pane again */
		film->left = 0;
		app_dirty(app);
		return true;
	case INTENT_DETAIL:
	case INTENT_EXPLAIN:
	case INTENT_DIFF:
		if (replay_load(film->replay, intent->call))
			replay_show(app);
		return false;
	case INTENT_FULL:
	case INTENT_RUN:
		return false;
	default:
		return true;
	}
}

/* --- search --- */

bool
app_replay_searches(const struct app *app)
{
	return app->film && app->overlays == 0;
}

void
app_replay_search(struct app *app, bool back)
{
	struct app_replay *film = app->film;
	uint64_t position = film->film.position;
	uint64_t from = back && position > 0 ? position - 1 : position;
	char clock[TIMELINE_CLOCK];
	uint64_t index;

	if (!app->needle)
		return;
	film->film.playing = false;
	if (!replay_search(film->replay, app->needle, strlen(app->needle), from, back, &index)) {
		app_say(app, STYLE_WARNING, "not found %s this event", back ? "before" : "after");
		return;
	}
	go(app, index + 1);
	timeline_clock(replay_mono(film->replay, index), clock);
	app_say(app, STYLE_TEXT, "found in event %llu of %llu, at %s",
		(unsigned long long)index + 1, (unsigned long long)film->film.tape.events, clock);
}

/* --- a time, a call --- */

/* Seconds of "h:m:s" or "m:s". */
static bool
read_time(const char *text, int64_t *seconds)
{
	*seconds = 0;
	for (int part = 0; part < TIME_PARTS; part++) {
		size_t digits = strspn(text, DIGITS);

		if (digits == 0 || digits > TIME_DIGITS)
			return false;
		*seconds = *seconds * MINUTE + strtoll(text, NULL, 10);
		text += digits;
		if (!*text)
			return part > 0;
		if (*text++ != ':')
			return false;
	}
	return false;
}

/* The event that asked for a call: no other one names call and tool, and within a content the
 * quotes are escaped. */
static void
go_call(struct app *app, unsigned long long number)
{
	struct app_replay *film = app->film;
	AUTO_FREE char *needle = mem_printf("\"call\":%llu,\"tool\":\"", number);
	uint64_t index;

	if (!replay_search(film->replay, needle, strlen(needle), 0, false, &index)) {
		app_say(app, STYLE_WARNING, "there is no call %llu in the record", number);
		return;
	}
	go(app, index + 1);
	view_calls_select(app->pane[LAYOUT_CALLS], number);
}

bool
app_replay_goto(struct app *app, const char *text)
{
	bool named = strncmp(text, "call ", 5) == 0;
	const char *digits = named ? text + 5 + strspn(text + 5, " ") : text;
	size_t len = strspn(digits, DIGITS);
	int64_t seconds;

	if (len > 0 && len <= CALL_DIGITS && !digits[len]) {
		go_call(app, strtoull(digits, NULL, 10));
		return true;
	}
	if (!read_time(text, &seconds))
		return false;
	film_go_time(&app->film->film, seconds * NS_PER_S);
	app->film->left = 0;
	replay_show(app);
	return true;
}
