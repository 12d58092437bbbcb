/*
 * One attempt is shown: the newest, or the one the person chose.  Everything that depends on the
 * session is made anew when that changed.
 */
#include "config.h"

#include "tui/view_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/code.h"
#include "tui/layout.h"
#include "tui/pager.h"
#include "tui/program_diff.h"
#include "tui/program_lines.h"
#include "tui/program_margin.h"
#include "tui/turn_pane.h"
#include "tui/view.h"

#define TAB_COLS 16 /* of one attempt's tab, about */
#define TAB_WORD_COLS 12
#define MARGIN_COLS 10
#define MARGIN_FROM 44 /* a narrower pane has no margin */
#define MARGIN_WIDE_COLS PROGRAM_MARGIN_MAX
#define MARGIN_WIDE_FROM 66

struct view_program {
	struct view view;
	struct pager *pager;
	struct code *code;
	char *note;
	const struct session *session;
	uint64_t generation, seq;
	size_t shown; /* index of the attempt */
	bool pinned;  /* the person chose it: a new attempt does not take its place */
	char *text;   /* of the program shown; NULL: none yet */
	size_t text_len;
	struct program_lines *lines;
	size_t line_count;
	struct turn_pane *turn;    /* a model's reply, while it is newer than the programs */
	struct program_diff *diff; /* in place of the program; NULL: the program */
	int live;                  /* 0: none, or of another attempt */
	int digits, pager_digits;  /* of line numbers; those the pager was made for */
	bool follow;
	size_t wanted_line; /* to be brought into sight; 0: none */
	int margin;         /* columns; 0: none */
	size_t noted;       /* lines that have one */
	struct rect drawn;  /* in which the pager last showed the live line */
};

static void
program_free(struct view *view)
{
	struct view_program *self = (struct view_program *)view;

	pager_free(self->pager);
	code_free(self->code);
	program_lines_free(self->lines);
	program_diff_free(self->diff);
	turn_pane_free(self->turn);
	free(self->text);
	free(self->note);
	free(self);
}

/* --- the text --- */

static bool
is_tool(const char *name, size_t len, void *arg)
{
	const struct view_program *self = arg;

	for (size_t i = 0; i < self->session->tool_count; i++) {
		const struct session_tool *tool = &self->session->tools[i];
		const char *python = tool->python ? tool->python : tool->name;

		if (python && strlen(python) == len && memcmp(python, name, len) == 0)
			return true;
	}
	return false;
}

static size_t
lines_in(const char *text, size_t len)
{
	size_t lines = len > 0 && text[len - 1] != '\n';

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	return lines;
}

static struct untrusted
text_of(const struct view_program *self)
{
	return untrusted(self->text ? self->text : "", self->text ? self->text_len : 0);
}

static void
drop_diff(struct view_program *self)
{
	program_diff_free(self->diff);
	self->diff = NULL;
}

/* A copy: a replay that goes back frees what it has. */
static void
take_text(struct view_program *self, const struct session_program *program)
{
	free(self->text);
	self->text = mem_strn(program->text.bytes, program->text.len);
	self->text_len = program->text.len;
	self->line_count = lines_in(self->text, self->text_len);
	program_lines_free(self->lines);
	self->lines = program_lines_new(self->line_count);
	self->digits = snprintf(NULL, 0, "%zu", self->line_count);
	self->follow = true;
	drop_diff(self);
	code_set(self->code, text_of(self));
	pager_set(self->pager, text_of(self), false);
}

/* A replay has gone back to before the first program. */
static void
drop_text(struct view_program *self)
{
	free(self->text);
	self->text = NULL;
	self->live = 0;
	self->shown = 0;
	drop_diff(self);
	pager_set(self->pager, text_of(self), false);
}

static bool
has_text(const struct view_program *self, const struct session_program *program)
{
	return self->text && self->text_len == program->text.len &&
	       memcmp(self->text, program->text.bytes, self->text_len) == 0;
}

/* Only lines that call something, or may, give columns away for what is said of them. */
static bool
has_margin(size_t line, void *arg)
{
	const struct view_program *self = arg;
	const struct line_calls *calls = program_line(self->lines, line + 1);

	return calls && (calls->gate != LINE_FREE || calls->ok + calls->waiting + calls->running +
								     calls->denied + calls->failed >
							     0);
}

static void
note_margins(struct view_program *self)
{
	size_t noted = 0;

	for (size_t line = 0; line < self->line_count; line++)
		noted += has_margin(line, self);
	if (noted != self->noted && self->pager)
		pager_wrap_anew(self->pager);
	self->noted = noted;
}

/* A reply takes the place of what was written before, unless the person looks at that. */
static bool
shows_turn(const struct view_program *self)
{
	return self->session && !self->pinned && turn_pane_has(self->session);
}

static void
refresh(struct view_program *self, const struct session *session)
{
	const struct session_program *program;
	bool other = !self->session || session->seq < self->seq;

	if (!other && self->generation == session->generation)
		return;
	self->session = session;
	self->generation = session->generation;
	self->seq = session->seq;
	turn_pane_refresh(self->turn, session);
	if (session->program_count == 0) {
		drop_text(self);
		return;
	}
	if (!self->pinned || self->shown >= session->program_count)
		self->shown = session->program_count - 1;
	program = &session->programs[self->shown];
	if (!program->text.bytes)
		return;
	if (!has_text(self, program))
		take_text(self, program);
	program_lines_count(self->lines, session, program);
	note_margins(self);
	self->live = session->ended || session->state == RUN_RESTING ||
				     self->shown + 1 < session->program_count
			     ? 0
			     : session->live_line;
}

/* --- attempts --- */

static void
show_attempt(struct view_program *self, size_t shown)
{
	self->shown = shown;
	self->pinned = shown + 1 < self->session->program_count;
	self->generation = 0;
	program_lines_free(self->lines);
	self->lines = program_lines_new(self->line_count);
	drop_diff(self);
}

static bool
has_before(const struct view_program *self)
{
	return self->session && self->shown > 0 && self->shown < self->session->program_count &&
	       self->text && self->session->programs[self->shown - 1].text.bytes;
}

/* Between the attempt shown and the one before, and back. */
static void
switch_diff(struct view_program *self)
{
	const struct blob *before;

	if (self->diff) {
		drop_diff(self);
		return;
	}
	before = &self->session->programs[self->shown - 1].text;
	self->diff = program_diff_new(untrusted(before->bytes, before->len), text_of(self));
}

/* How an attempt ended, or how it stands; foreign where the record says it. */
static const char *
verdict_of(const struct session *session, size_t index)
{
	const struct session_program *program = &session->programs[index];

	if (program->outcome)
		return program->outcome;
	if (program->verdict && strcmp(program->verdict, "edit") == 0)
		return "edited";
	if (program->verdict && strcmp(program->verdict, "refuse") == 0)
		return "refused";
	return index + 1 < session->program_count ? "left" : run_state_name(session->state);
}

static int
draw_tab(struct view_program *self, struct canvas *canvas, int x, int y, size_t index)
{
	bool chosen = index == self->shown && !shows_turn(self);
	enum style style = chosen ? STYLE_TAB_CHOSEN : STYLE_TAB;
	struct canvas_run run = { 0, y, TAB_WORD_COLS, style, TEXT_TEXT };

	x = canvas_text(canvas, x, y, style, chosen ? "[" : " ");
	run.x = canvas_printf(canvas, x, y, style, "%u ", self->session->programs[index].attempt);
	x = run.x + canvas_foreign(canvas, &run, untrusted_str(verdict_of(self->session, index)));
	return canvas_text(canvas, x, y, style, chosen ? "] " : "  ");
}

/* The chosen one is always in sight. */
static void
draw_tabs(struct view_program *self, struct canvas *canvas, struct rect rect)
{
	size_t fit = rect.w > TAB_COLS ? (size_t)(rect.w / TAB_COLS) : 1;
	size_t first = self->shown >= fit ? self->shown - fit + 1 : 0;
	int x = rect.x + 1;

	for (size_t i = first; i < self->session->program_count && x < rect.x + rect.w; i++)
		x = draw_tab(self, canvas, x, rect.y, i);
}

/* --- rows --- */

static void
draw_gutter(struct canvas *canvas, struct rect rect, const struct pager_row *row, void *arg)
{
	static const char *const gates[] = { " ", "?", "*", "!" };
	struct view_program *self = arg;
	int number = (int)row->line + 1;
	const struct line_calls *line = program_line(self->lines, row->line + 1);

	if (!row->first) {
		canvas_text(canvas, rect.x + self->digits + 2, rect.y, STYLE_GUTTER, "·");
		return;
	}
	if (number == self->live)
		canvas_text(canvas, rect.x, rect.y, STYLE_RUNNING, ">");
	canvas_printf(canvas, rect.x + 1, rect.y, STYLE_GUTTER, "%*d", self->digits, number);
	if (line && line->gate != LINE_FREE)
		canvas_text(canvas, rect.x + self->digits + 2, rect.y,
			line->gate == LINE_DENIES ? STYLE_DENIED : STYLE_GATED, gates[line->gate]);
}

static void
draw_margin(struct canvas *canvas, struct rect rect, const struct pager_row *row, void *arg)
{
	struct view_program *self = arg;
	const struct line_calls *line = program_line(self->lines, row->line + 1);

	if (row->first && line)
		program_margin(canvas, rect, line);
}

static enum style
style_at(size_t source_at, void *arg)
{
	return code_style_at(((struct view_program *)arg)->code, source_at);
}

static enum style
row_style(const struct pager_row *row, void *arg)
{
	const struct view_program *self = arg;

	return (int)row->line + 1 == self->live ? STYLE_LIVE_LINE : STYLE_COUNT;
}

static void
make_pager(struct view_program *self, int margin)
{
	struct pager_look look = { .gutter_width = self->digits + 4,
		.margin_width = margin,
		.style = STYLE_TEXT,
		.gutter = draw_gutter,
		.margin = draw_margin,
		.has_margin = has_margin,
		.style_at = style_at,
		.row_style = row_style,
		.arg = self };

	pager_free(self->pager);
	self->pager = pager_new(TEXT_LINES, &look);
	self->margin = margin;
	self->pager_digits = self->digits;
	self->drawn = rect_make(0, 0, 0, 0);
}

/* --- the view --- */

/* The pager knows its rows from the last drawing: in another rect it draws once to learn them. */
static void
show_live(struct view_program *self, struct canvas *canvas, struct rect rect)
{
	if (rect.w != self->drawn.w || rect.h != self->drawn.h) {
		pager_draw(self->pager, canvas, rect);
		canvas_fill(canvas, rect, STYLE_TEXT);
	}
	self->drawn = rect;
	pager_show_line(self->pager, (size_t)self->live - 1);
}

static void
paint_program(struct view_program *self, struct canvas *canvas, struct rect rect)
{
	int margin = rect.w >= MARGIN_WIDE_FROM ? MARGIN_WIDE_COLS + 1
		     : rect.w >= MARGIN_FROM    ? MARGIN_COLS + 1
						: 0;

	if (margin != self->margin || self->digits != self->pager_digits) {
		make_pager(self, margin);
		pager_set(self->pager, text_of(self), false);
	}
	if (self->wanted_line > 0) {
		pager_draw(self->pager, canvas, rect);
		canvas_fill(canvas, rect, STYLE_TEXT);
		pager_show_line(self->pager, self->wanted_line - 1);
		self->wanted_line = 0;
	} else if (self->follow && self->live > 0) {
		show_live(self, canvas, rect);
	}
	pager_draw(self->pager, canvas, rect);
}

static void
program_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_program *self = (struct view_program *)view;

	refresh(self, scene->session);
	if (scene->session->program_count > 1 ||
		(scene->session->program_count > 0 && shows_turn(self)))
		draw_tabs(self, canvas, rect_cut_top(&rect, 1));
	if (shows_turn(self))
		turn_pane_draw(self->turn, scene->session, canvas, rect, scene->mono);
	else if (!self->text)
		canvas_text(canvas, rect.x + 1, rect.y, STYLE_DIM,
			scene->session->program_count > 0 ? "the program is not in the record"
							  : "no program yet");
	else if (self->diff)
		pager_draw(program_diff_pager(self->diff), canvas, rect);
	else
		paint_program(self, canvas, rect);
}

static void
program_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	struct view_program *self = (struct view_program *)view;
	const struct session *session = scene->session;
	size_t count = session->program_count;
	unsigned attempt =
		self->shown < count ? session->programs[self->shown].attempt : session->attempt;
	char words[80];
	bool noted;

	if (shows_turn(self)) {
		turn_pane_title(session, out, size);
		return;
	}
	if (self->diff) {
		program_diff_words(self->diff, words, sizeof(words));
		snprintf(out, size, "program · attempt %u against %u · %s", attempt,
			session->programs[self->shown - 1].attempt, words);
		return;
	}
	/* What is said of a whole session stands in the last row, not over each program of a model.
	 */
	noted = self->note && !(session->mode && strcmp(session->mode, "model") == 0);
	snprintf(out, size, "program · attempt %u%s%.*s", attempt ? attempt : 1, noted ? " · " : "",
		noted ? (int)strcspn(self->note, ",;:") : 0, noted ? self->note : "");
}

static enum map
program_map(const struct view *view)
{
	(void)view;
	return MAP_PROGRAM;
}

static struct pager *
pager_shown(const struct view_program *self)
{
	if (shows_turn(self))
		return turn_pane_pager(self->turn);
	return self->diff ? program_diff_pager(self->diff) : self->pager;
}

/* Does it do something now?  What run() takes. */
static bool
program_offers(const struct view *view, enum command command)
{
	const struct view_program *self = (const struct view_program *)view;

	switch (command) {
	case COMMAND_OPEN:
		return self->session && self->session->waiting > 0;
	case COMMAND_STRICT:
		return self->text != NULL;
	case COMMAND_FOLLOW:
		return self->pinned || (self->live > 0 && !self->follow);
	case COMMAND_REASONING:
		return shows_turn(self) && turn_pane_has_reasoning(self->session);
	case COMMAND_LEFT:
		return self->session && (self->shown > 0 || (shows_turn(self) && self->text));
	case COMMAND_RIGHT:
		return self->session && (self->shown + 1 < self->session->program_count ||
						(self->pinned && turn_pane_has(self->session)));
	case COMMAND_DIFF:
		return !shows_turn(self) && (self->diff || has_before(self));
	default:
		return pager_offers(pager_shown(self), command);
	}
}

static void
follow(struct view_program *self)
{
	self->follow = true;
	if (self->pinned)
		show_attempt(self, self->session->program_count - 1);
	drop_diff(self);
}

/* The reply stands right of the newest program. */
static void
go_sideways(struct view_program *self, bool left)
{
	bool newest = self->shown + 1 >= self->session->program_count;

	if (left && shows_turn(self))
		self->pinned = true;
	else if (!left && newest)
		self->pinned = false;
	else
		show_attempt(self, self->shown + (left ? -1 : 1));
}

static enum view_reply
program_run(struct view *view, enum command command, struct intent *out)
{
	struct view_program *self = (struct view_program *)view;

	switch (command) {
	case COMMAND_OPEN:
		*out = (struct intent){ .kind = INTENT_OPEN };
		return VIEW_DONE;
	case COMMAND_STRICT:
		pager_switch_mode(pager_shown(self));
		return VIEW_DIRTY;
	case COMMAND_FOLLOW:
		follow(self);
		return VIEW_DIRTY;
	case COMMAND_REASONING:
		turn_pane_switch(self->turn);
		self->generation = 0;
		return VIEW_DIRTY;
	case COMMAND_LEFT:
	case COMMAND_RIGHT:
		if (program_offers(view, command))
			go_sideways(self, command == COMMAND_LEFT);
		return VIEW_DIRTY;
	case COMMAND_DIFF:
		if (program_offers(view, command))
			switch_diff(self);
		return VIEW_DIRTY;
	default:
		break;
	}
	if (!pager_command(pager_shown(self), command))
		return VIEW_IGNORED;
	self->follow = self->follow && self->diff;
	return VIEW_DIRTY;
}

static bool
program_search(struct view *view, struct find *find)
{
	struct view_program *self = (struct view_program *)view;

	if (!self->diff)
		self->follow = false;
	return pager_search(pager_shown(self), find);
}

struct view *
view_program_new(const char *note)
{
	static const struct view_ops ops = {
		.free = program_free,
		.title = program_title,
		.map = program_map,
		.run = program_run,
		.offers = program_offers,
		.search = program_search,
		.paint = program_paint,
	};
	struct view_program *self = mem_zero(1, sizeof(*self));

	self->view.ops = &ops;
	self->note = mem_str(note);
	self->digits = 1;
	self->follow = true;
	self->code = code_new(is_tool, self);
	self->turn = turn_pane_new();
	make_pager(self, 0);
	return &self->view;
}

void
view_program_follow(struct view *view)
{
	struct view_program *self = (struct view_program *)view;

	if (self->session && self->session->program_count > 0)
		follow(self);
	self->follow = true;
}

bool
view_program_line(struct view *view, size_t number)
{
	struct view_program *self = (struct view_program *)view;

	if (number < 1 || number > self->line_count)
		return false;
	self->follow = false;
	self->wanted_line = number;
	drop_diff(self);
	return true;
}
