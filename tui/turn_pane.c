/*
 * The pager has the whole reply; which of it is the program is asked anew of what came.  Lines
 * above it are our own words on how the reply goes.
 */
#include "config.h"

#include "tui/turn_pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/model/extract.h"
#include "core/session/session.h"
#include "tui/code.h"
#include "tui/layout.h"
#include "tui/pager.h"

#define WORDS_ROWS 4 /* of an error, at most */

struct turn_pane {
	struct pager *pager;
	struct code *code;
	unsigned number; /* of the turn that is shown */
	char *text;      /* a copy: the fold may free its own */
	size_t len;
	struct extract program; /* within the text; len 0: none yet */
	bool reasoning;         /* is shown */
	bool shows_reasoning;   /* the text is that */
};

static enum style
style_at(size_t at, void *arg)
{
	const struct turn_pane *pane = arg;

	if (pane->shows_reasoning)
		return STYLE_REASONING;
	if (at < pane->program.at || at >= pane->program.at + pane->program.len)
		return STYLE_MODEL;
	return code_style_at(pane->code, at - pane->program.at);
}

static void
draw_gutter(struct canvas *canvas, struct rect rect, const struct pager_row *row, void *arg)
{
	(void)arg;
	if (!row->first)
		canvas_text(canvas, rect.x, rect.y, STYLE_GUTTER, "·");
}

struct turn_pane *
turn_pane_new(void)
{
	struct turn_pane *pane = mem_zero(1, sizeof(*pane));
	struct pager_look look = { .gutter_width = 1,
		.gutter = draw_gutter,
		.style = STYLE_MODEL,
		.style_at = style_at,
		.arg = pane };

	pane->pager = pager_new(TEXT_LINES, &look);
	pane->code = code_new(NULL, NULL);
	pager_follow(pane->pager, true);
	return pane;
}

void
turn_pane_free(struct turn_pane *pane)
{
	if (!pane)
		return;
	pager_free(pane->pager);
	code_free(pane->code);
	free(pane->text);
	free(pane);
}

static bool
gave_nothing(const struct session_turn *turn)
{
	return !turn->stop || strcmp(turn->stop, "complete") != 0 || turn->refused;
}

bool
turn_pane_has(const struct session *session)
{
	const struct session_turn *turn = session_turn(session);

	if (!turn || (session->state != RUN_WRITING && session->state != RUN_ASKING &&
			     session->state != RUN_RESTING && session->state != RUN_ENDED))
		return false;
	if (turn->ended_mono == 0)
		return session->state == RUN_WRITING;
	return gave_nothing(turn);
}

bool
turn_pane_has_reasoning(const struct session *session)
{
	const struct session_turn *turn = session_turn(session);

	return turn && turn->reasoning.len > 0;
}

void
turn_pane_refresh(struct turn_pane *pane, const struct session *session)
{
	const struct session_turn *turn = session_turn(session);
	const struct blob *blob;
	bool other;

	if (!turn)
		return;
	blob = pane->reasoning ? &turn->reasoning : &turn->text;
	other = turn->turn != pane->number || pane->shows_reasoning != pane->reasoning;
	if (!other && pane->len == blob->len)
		return;
	if (turn->turn != pane->number)
		pager_follow(pane->pager, true);
	pane->number = turn->turn;
	pane->shows_reasoning = pane->reasoning;
	free(pane->text);
	pane->text = mem_strn(blob->bytes ? blob->bytes : "", blob->len);
	pane->len = blob->len;
	extract_preview(untrusted(pane->text, pane->len), &pane->program);
	code_set(pane->code, untrusted(pane->text + pane->program.at, pane->program.len));
	pager_set(pane->pager, untrusted(pane->text, pane->len), !other);
}

struct pager *
turn_pane_pager(struct turn_pane *pane)
{
	return pane->pager;
}

void
turn_pane_switch(struct turn_pane *pane)
{
	pane->reasoning = !pane->reasoning;
}

/* --- words --- */

/* Bytes of text that a row of so many columns takes, up to a blank where there is one. */
static size_t
row_of(struct untrusted text, int cols)
{
	struct text_iter iter;
	struct text_cell cell;
	size_t blank = 0, end = 0;
	int used = 0;

	text_begin(&iter, text, TEXT_STRICT);
	while (text_next(&iter, &cell)) {
		if (used + cell.width > cols)
			return blank > 0 ? blank : end;
		used += cell.width;
		end = cell.source_at + cell.source_len;
		if (cell.width == 1 && cell.utf8[0] == ' ')
			blank = end;
	}
	return text.len;
}

/* On as many rows as it takes, up to WORDS_ROWS: the reply below is what is looked at. */
static void
put_foreign(struct canvas *canvas, struct rect *rect, enum style style, const char *text)
{
	struct untrusted left = untrusted_str(text);

	for (int i = 1; left.len > 0 && rect->h > 0 && rect->w > 1; i++) {
		struct rect row = rect_cut_top(rect, 1);
		struct canvas_run run = { row.x + 1, row.y, row.w - 1, style, TEXT_STRICT };
		size_t taken = i < WORDS_ROWS ? row_of(left, run.width) : left.len;
		struct untrusted part = untrusted(left.bytes, taken > 0 ? taken : left.len);

		left = untrusted(left.bytes + part.len, left.len - part.len);
		if (left.len > 0 && part.bytes[part.len - 1] == ' ')
			part.len--; /* it would be told as hidden at the end of a row */
		(void)canvas_foreign(canvas, &run, part);
	}
}

/* Ours, plain ASCII. */
static void
put_words(struct canvas *canvas, struct rect *rect, enum style style, const char *text)
{
	put_foreign(canvas, rect, style, text);
}

static void
draw_retry(const struct session_turn *turn, struct canvas *canvas, struct rect *rect, int64_t mono)
{
	int64_t left = turn->retry_mono + turn->retry_ms * NS_PER_MS - mono;
	char words[64];

	put_foreign(canvas, rect, STYLE_WARNING, turn->retry_cause);
	snprintf(words, sizeof(words), "asked again in %lld s",
		(long long)(left > 0 ? (left + NS_PER_S - 1) / NS_PER_S : 0));
	put_words(canvas, rect, STYLE_WARNING, words);
}

static const char *
stop_words(const char *stop)
{
	static const char *const words[][2] = {
		{ "complete", "the reply is whole, and holds no program" },
		{ "length", "! cut at a limit of tokens: it is not run" },
		{ "refusal", "! the model refused: nothing is run" },
		{ "filtered", "! stopped by a content filter: it is not run" },
		{ "cut", "! it ended before its end: it is not run" },
		{ "error", "! the model could not be asked" },
		{ "cancelled", "cancelled: it is not run" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i][0], stop) == 0)
			return words[i][1];
	return "! it ended in a way this console does not know: it is not run";
}

static void
draw_end(const struct session_turn *turn, struct canvas *canvas, struct rect *rect)
{
	if (!turn->stop)
		return;
	if (!turn->refused) /* that says as much */
		put_words(canvas, rect, STYLE_WARNING, stop_words(turn->stop));
	if (turn->error)
		put_foreign(canvas, rect, STYLE_FAILED, turn->error);
	if (turn->refused)
		put_foreign(canvas, rect, STYLE_FAILED, turn->refused);
}

static void
draw_reasoning(const struct turn_pane *pane, const struct session_turn *turn, struct canvas *canvas,
	struct rect *rect)
{
	char words[80];

	if (turn->reasoning.len == 0)
		return;
	snprintf(words, sizeof(words), "reasoning: %zu bytes%s", turn->reasoning.len,
		pane->reasoning ? ", shown; o shows the reply" : "; o shows it");
	put_words(canvas, rect, STYLE_REASONING, words);
}

/* What leaves the machine, while there is nothing else to look at. */
static void
draw_nothing(const struct session_turn *turn, struct canvas *canvas, struct rect *rect)
{
	AUTO_FREE char *words = NULL;

	put_words(canvas, rect, STYLE_DIM,
		turn->reasoning.len > 0 ? "the model thinks" : "asked; nothing has come yet");
	if (!turn->host)
		return;
	rect_cut_top(rect, 1);
	words = mem_printf("%s is sent the task, what the tools are, and of failed programs the "
			   "error, the output and the calls",
		turn->host);
	put_foreign(canvas, rect, STYLE_DIM, words);
}

void
turn_pane_draw(struct turn_pane *pane, const struct session *session, struct canvas *canvas,
	struct rect rect, int64_t mono)
{
	const struct session_turn *turn = session_turn(session);

	if (!turn)
		return;
	if (turn->retry_cause)
		draw_retry(turn, canvas, &rect, mono);
	draw_end(turn, canvas, &rect);
	draw_reasoning(pane, turn, canvas, &rect);
	if (pane->len > 0)
		pager_draw(pane->pager, canvas, rect);
	else if (!turn->stop && !turn->retry_cause)
		draw_nothing(turn, canvas, &rect);
}

void
turn_pane_title(const struct session *session, char *out, size_t size)
{
	const struct session_turn *turn = session_turn(session);
	const char *purpose = turn->purpose ? turn->purpose : "program";
	const char *what = strcmp(purpose, "answer") == 0   ? "the answer"
			   : strcmp(purpose, "repair") == 0 ? "another program"
							    : "a program";

	if (turn->ended_mono)
		snprintf(out, size, "reply %u · no %s", turn->turn,
			strcmp(purpose, "answer") == 0 ? "answer" : "program");
	else
		snprintf(out, size, "reply %u · the model writes %s · %zu bytes", turn->turn, what,
			turn->text.len);
}
