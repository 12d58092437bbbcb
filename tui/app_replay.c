/*
 * The film says where; the replay goes there once a turn.  The session that the views see is a copy
 * of the replay's struct, its arrays borrowed until the next move, and with a generation of our
 * own: a view that has seen it never takes another place for the same.
 */
#include "config.h"

#include "tui/app_replay_inside.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/view.h"

#define CLOCK_NS (100 * NS_PER_MS) /* while it plays, the clock and the time line move so often */
#define HELD_MAX 64
#define IDLE_AT_FIRST (2 * NS_PER_S)

static int64_t
mono_of(uint64_t index, const void *arg)
{
	int64_t mono = replay_mono(arg, index);

	return mono > 0 ? mono : 0;
}

/* --- the record as a whole --- */

static void
find_decisions(struct app_replay *film)
{
	size_t marks = replay_marks(film->replay);

	film->decisions = mem_zero(marks + 1, sizeof(*film->decisions));
	for (size_t i = 0; i < marks; i++) {
		struct replay_mark mark = replay_mark(film->replay, i);

		if (mark.decision)
			film->decisions[film->decision_count++] = mark.index;
	}
}

uint64_t
replay_decision(const struct app_replay *film)
{
	size_t from = 0;
	size_t to = film->decision_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (film->decisions[middle] <= film->film.position)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* What keeps it from being a whole record, by its last event. */
static void
look_at_the_end(struct app *app)
{
	struct app_replay *film = app->film;
	const struct session *end = replay_session(film->replay);
	const char *closed_by = end->closed_by;

	const char *words = replay_end_words(film->replay);

	if (words) {
		AUTO_FREE char *escaped = text_escape(untrusted_str(words), TEXT_STRICT);

		film->beware = replay_torn(film->replay) ? "torn" : "cut";
		app_say(app, STYLE_WARNING, "%s", escaped);
	} else if (end->ended && closed_by && strcmp(closed_by, "recovery") == 0) {
		film->beware = "recovered";
		app_say(app, STYLE_WARNING,
			"the supervisor was killed: the record was closed by recovery");
	} else if (!end->ended && app->request->still_written) {
		film->beware = "goes on";
		app_say(app, STYLE_WARNING,
			"the run goes on: this is its record as it was when the replay began");
	} else if (!end->ended) {
		film->beware = "no end";
		app_say(app, STYLE_WARNING,
			"the record has no end: the supervisor was killed, or the record cut");
	}
}

/* --- moving --- */

static void
say_unreadable(struct app *app, const struct err *err)
{
	AUTO_FREE char *words = text_escape(untrusted_str(err->text), TEXT_STRICT);

	app_say(app, STYLE_ERROR, "the record cannot be read on: %s", words);
}

/* Whose presentation the pane shows depends on what these hold. */
static void
load_held(struct replay *replay)
{
	const struct session *session = replay_session(replay);
	size_t loaded = 0;

	if (session->waiting == 0)
		return;
	for (size_t i = session->held_from; i < session->call_count && loaded < HELD_MAX; i++) {
		if (session->calls[i].state != CALL_HELD)
			continue;
		(void)replay_load(replay, session->calls[i].number);
		loaded++;
	}
}

void
replay_show(struct app *app)
{
	struct app_replay *film = app->film;
	struct err err = { 0 };

	if (replay_seek(film->replay, film->film.position, &err) < 0) {
		say_unreadable(app, &err);
		film_go(&film->film, replay_position(film->replay));
	}
	load_held(film->replay);
	app->session = *replay_session(film->replay);
	app->session.generation = ++film->generation;
	app_dirty(app);
}

int64_t
app_replay_mono(const struct app *app)
{
	int64_t at = app->film->film.at;

	return at > app->session.mono ? at : app->session.mono;
}

void
app_replay_turn(struct app *app)
{
	struct app_replay *film = app->film;
	bool playing = film->film.playing;

	if (!film_advance(&film->film, loop_now(app->loop))) {
		if (playing)
			app_dirty(app);
		return;
	}
	/* Words about the place that it has left. */
	free(app->message);
	app->message = NULL;
	replay_show(app);
}

int64_t
app_replay_next(const struct app *app)
{
	int64_t next = film_next(&app->film->film, loop_now(app->loop));

	return next > CLOCK_NS ? CLOCK_NS : next;
}

/* --- life --- */

int
app_replay_open(struct app *app, const struct app_request *request, struct err *err)
{
	struct film_tape tape = { .mono = mono_of };
	struct replay *replay = replay_open(request->replay, err);
	struct app_replay *film;

	if (!replay)
		return -1;
	app_session_close(app);
	session_release(&app->session);
	film = app->film = mem_zero(1, sizeof(*film));
	film->replay = replay;
	app->request = request;
	app->place = APP_AT_RECORD;
	app_make_panes(app);
	tape.events = replay_events(replay);
	tape.arg = replay;
	film_init(&film->film, &tape);
	find_decisions(film);
	film_go(&film->film, tape.events);
	replay_show(app);
	look_at_the_end(app);
	film_go(&film->film, 0);
	replay_show(app);
	film->film.idle = IDLE_AT_FIRST;
	film_play(&film->film, true, loop_now(app->loop));
	return 0;
}

void
app_replay_close(struct app *app)
{
	struct app_replay *film = app->film;

	if (!film)
		return;
	view_free(film->pane);
	replay_close(film->replay);
	free(film->decisions);
	free(film);
	app->film = NULL;
	session_init(&app->session); /* its arrays were borrowed */
}
