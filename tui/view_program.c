/*
 * What is counted per line is counted anew when the session changed, from the calls of the attempt
 * shown.  The pager borrows the program's text from the session, where it stays for good.
 */
#include "config.h"

#include "tui/view_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/code.h"
#include "tui/pager.h"
#include "tui/view.h"

#define MARGIN_COLS 10
#define MARGIN_FROM 44 /* a narrower pane has no margin */
#define MARGIN_WIDE_COLS 20
#define MARGIN_WIDE_FROM 66

struct line_calls {
	unsigned ok, waiting, running, denied, failed;
	bool gated;
};

struct view_program {
	struct view view;
	struct pager *pager;
	struct code *code;
	char *note;
	const struct session *session;
	const char *text; /* of the program shown */
	uint64_t generation;
	struct line_calls *lines; /* [number - 1] */
	size_t line_count;
	int live;
	int digits;
	bool follow;
	int margin;        /* columns; 0: none */
	struct rect drawn; /* in which the pager last showed the live line */
};

static void
program_free(struct view *view)
{
	struct view_program *self = (struct view_program *)view;

	pager_free(self->pager);
	code_free(self->code);
	free(self->lines);
	free(self->note);
	free(self);
}

/* --- counting --- */

static struct line_calls *
line_of(struct view_program *self, int number)
{
	if (number < 1 || (size_t)number > self->line_count)
		return NULL;
	return &self->lines[number - 1];
}

static void
count_call(struct line_calls *line, const struct session_call *call)
{
	bool denied = call->verdict && strcmp(call->verdict, "deny") == 0;

	if (call->state == CALL_HELD)
		line->waiting++;
	else if (denied)
		line->denied++;
	else if (call->state != CALL_ENDED)
		line->running++;
	else if (call->outcome && strcmp(call->outcome, "ok") == 0)
		line->ok++;
	else
		line->failed++;
}

static bool
asks(const struct session_site *site)
{
	return site->action && strcmp(site->action, "allow") != 0;
}

static void
count_lines(struct view_program *self, const struct session_program *program)
{
	const struct session *session = self->session;

	memset(self->lines, 0, self->line_count * sizeof(*self->lines));
	for (size_t i = 0; i < program->site_count; i++) {
		struct line_calls *line = line_of(self, program->sites[i].line);

		if (line && asks(&program->sites[i]))
			line->gated = true;
	}
	for (size_t i = 0; i < session->call_count; i++) {
		struct line_calls *line = line_of(self, session->calls[i].line);

		if (line && session->calls[i].attempt == program->attempt)
			count_call(line, &session->calls[i]);
	}
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
lines_in(const struct blob *text)
{
	size_t lines = text->len > 0 && text->bytes[text->len - 1] != '\n';

	for (size_t i = 0; i < text->len; i++)
		lines += text->bytes[i] == '\n';
	return lines;
}

static void
take_text(struct view_program *self, const struct session_program *program)
{
	struct untrusted text = untrusted(program->text.bytes, program->text.len);

	self->text = program->text.bytes;
	self->line_count = lines_in(&program->text);
	free(self->lines);
	self->lines = mem_zero(self->line_count + 1, sizeof(*self->lines));
	self->digits = snprintf(NULL, 0, "%zu", self->line_count);
	self->follow = true;
	code_set(self->code, text);
	pager_set(self->pager, text, false);
}

static void
refresh(struct view_program *self, const struct session *session)
{
	const struct session_program *program = session_program(session);

	if (self->session && self->generation == session->generation)
		return;
	self->session = session;
	self->generation = session->generation;
	if (!program || !program->text.bytes)
		return;
	if (self->text != program->text.bytes)
		take_text(self, program);
	count_lines(self, program);
	self->live = session->ended ? 0 : session->live_line;
}

/* --- rows --- */

static void
draw_gutter(struct canvas *canvas, struct rect rect, const struct pager_row *row, void *arg)
{
	struct view_program *self = arg;
	int number = (int)row->line + 1;
	const struct line_calls *line = line_of(self, number);

	if (!row->first) {
		canvas_text(canvas, rect.x + self->digits + 2, rect.y, STYLE_GUTTER, "·");
		return;
	}
	if (number == self->live)
		canvas_text(canvas, rect.x, rect.y, STYLE_RUNNING, ">");
	canvas_printf(canvas, rect.x + 1, rect.y, STYLE_GUTTER, "%*d", self->digits, number);
	if (line && line->gated)
		canvas_text(canvas, rect.x + self->digits + 2, rect.y, STYLE_GATED, "*");
}

/* What does not fit is left out: the calls pane has it all. */
static int
add_count(char *out, int at, int room, unsigned count, const char *word)
{
	int len = snprintf(NULL, 0, "%s%u %s", at ? " " : "", count, word);

	if (count == 0 || at + len > room)
		return at;
	return at + snprintf(out + at, (size_t)len + 1, "%s%u %s", at ? " " : "", count, word);
}

static void
draw_margin(struct canvas *canvas, struct rect rect, const struct pager_row *row, void *arg)
{
	struct view_program *self = arg;
	const struct line_calls *line = line_of(self, (int)row->line + 1);
	enum style style = STYLE_MARGIN;
	char words[MARGIN_WIDE_COLS + 1] = "";
	int room = rect.w - 1;
	int at = 0;

	if (!row->first || !line || room <= 0 || room > MARGIN_WIDE_COLS)
		return;
	at = add_count(words, at, room, line->waiting, line->waiting == 1 ? "waits" : "wait");
	at = add_count(words, at, room, line->failed, "failed");
	at = add_count(words, at, room, line->denied, "denied");
	at = add_count(words, at, room, line->running, "runs");
	at = add_count(words, at, room, line->ok, "ok");
	if (line->waiting > 0)
		style = STYLE_ACCENT_WAIT;
	else if (line->failed > 0)
		style = STYLE_FAILED;
	else if (line->denied > 0)
		style = STYLE_DENIED;
	canvas_text(canvas, rect.x + rect.w - at, rect.y, style, words);
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
		.style_at = style_at,
		.row_style = row_style,
		.arg = self };

	pager_free(self->pager);
	self->pager = pager_new(TEXT_LINES, &look);
	self->margin = margin;
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
program_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_program *self = (struct view_program *)view;
	const struct session_program *program = session_program(scene->session);
	int digits = self->digits;
	int margin = rect.w >= MARGIN_WIDE_FROM ? MARGIN_WIDE_COLS + 1
		     : rect.w >= MARGIN_FROM    ? MARGIN_COLS + 1
						: 0;

	refresh(self, scene->session);
	if (!program || !program->text.bytes) {
		canvas_text(canvas, rect.x + 1, rect.y, STYLE_DIM, "no program yet");
		return;
	}
	if (margin != self->margin || digits != self->digits) {
		make_pager(self, margin);
		pager_set(self->pager, untrusted(program->text.bytes, program->text.len), false);
	}
	if (self->follow && self->live > 0)
		show_live(self, canvas, rect);
	pager_draw(self->pager, canvas, rect);
}

static void
program_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	struct view_program *self = (struct view_program *)view;

	snprintf(out, size, "program · attempt %u%s%.*s",
		scene->session->attempt ? scene->session->attempt : 1, self->note ? " · " : "",
		self->note ? (int)strcspn(self->note, ",;:") : 0, self->note ? self->note : "");
}

static enum map
program_map(const struct view *view)
{
	(void)view;
	return MAP_PROGRAM;
}

static enum view_reply
program_run(struct view *view, enum command command, struct intent *out)
{
	struct view_program *self = (struct view_program *)view;

	if (command == COMMAND_OPEN) {
		*out = (struct intent){ .kind = INTENT_OPEN };
		return VIEW_DONE;
	}
	if (command == COMMAND_STRICT) {
		pager_switch_mode(self->pager);
		return VIEW_DIRTY;
	}
	if (command == COMMAND_FOLLOW) {
		self->follow = true;
		return VIEW_DIRTY;
	}
	if (!pager_command(self->pager, command))
		return VIEW_IGNORED;
	self->follow = false;
	return VIEW_DIRTY;
}

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
		return self->live > 0 && !self->follow;
	default:
		return pager_offers(self->pager, command);
	}
}

static bool
program_search(struct view *view, struct find *find)
{
	struct view_program *self = (struct view_program *)view;

	self->follow = false;
	return pager_search(self->pager, find);
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
	make_pager(self, 0);
	return &self->view;
}

void
view_program_follow(struct view *view)
{
	((struct view_program *)view)->follow = true;
}

bool
view_program_line(struct view *view, size_t number)
{
	struct view_program *self = (struct view_program *)view;

	if (number < 1 || number > self->line_count)
		return false;
	self->follow = false;
	pager_show_line(self->pager, number - 1);
	return true;
}
