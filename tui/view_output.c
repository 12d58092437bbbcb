/*
 * One tab is shown: what an attempt printed, or the answer.  The chunks of an attempt become one
 * text; where it is standard error is kept as ranges.
 */
#include "config.h"

#include "tui/view_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/coverage.h"
#include "tui/layout.h"
#include "tui/pager.h"
#include "tui/view.h"

#define ANSWER 0 /* in place of an attempt's number */

struct view_output {
	struct view view;
	struct pager *pager;
	struct buf text;
	struct coverage errors; /* ranges of text that came from standard error */
	size_t taken;           /* chunks of the session */
	unsigned shown;         /* attempt, or ANSWER */
	bool pinned;            /* the person chose it: a new attempt does not take its place */
	const struct session *session;
	uint64_t seq;  /* of the session when its chunks were taken */
	size_t before; /* its outputs_before then */
	bool answer;   /* there is one that is not just what was printed */
};

static void
output_free(struct view *view)
{
	struct view_output *self = (struct view_output *)view;

	pager_free(self->pager);
	coverage_release(&self->errors);
	buf_release(&self->text);
	free(self);
}

/* --- tabs --- */

static unsigned
newest(const struct session *session)
{
	return session->attempt > 0 ? session->attempt : 1;
}

/* Does what the newest attempt printed end in just these bytes, from its beginning? */
static bool
was_printed(const struct session *session, const struct blob *answer)
{
	size_t left = answer->len;

	for (size_t i = session->output_count; i-- > 0;) {
		const struct session_output *chunk = &session->outputs[i];

		if (chunk->err || chunk->attempt != newest(session))
			continue;
		if (!chunk->text.bytes || chunk->text.len > left ||
			memcmp(answer->bytes + left - chunk->text.len, chunk->text.bytes,
				chunk->text.len) != 0)
			return false;
		left -= chunk->text.len;
	}
	return left == 0;
}

/* The tab after (or before) the one that is shown; false: there is none. */
static bool
neighbour(const struct view_output *self, enum command command, unsigned *tab)
{
	unsigned last;

	if (!self->session)
		return false;
	last = newest(self->session);
	if (command == COMMAND_LEFT)
		*tab = self->shown == ANSWER ? last : self->shown - 1;
	else
		*tab = self->shown < last ? self->shown + 1 : ANSWER;
	if (command == COMMAND_LEFT)
		return *tab >= 1;
	return self->shown != ANSWER && (*tab != ANSWER || self->answer);
}

static bool
has_tabs(const struct view_output *self)
{
	return newest(self->session) > 1 || self->answer;
}

static int
draw_tab(struct canvas *canvas, int x, int y, bool chosen, const char *words)
{
	enum style style = chosen ? STYLE_TAB_CHOSEN : STYLE_TAB;

	x = canvas_text(canvas, x, y, style, chosen ? "[" : " ");
	x = canvas_text(canvas, x, y, style, words);
	return canvas_text(canvas, x, y, style, chosen ? "] " : "  ");
}

/* The one before, the chosen one, and what follows. */
static void
draw_tabs(const struct view_output *self, struct canvas *canvas, struct rect rect)
{
	unsigned last = newest(self->session);
	unsigned first = self->shown > 2 ? self->shown - 1 : 1;
	int x = rect.x + 1;

	for (unsigned i = first; i <= last && x < rect.x + rect.w; i++) {
		char words[32];

		snprintf(words, sizeof(words), "attempt %u", i);
		x = draw_tab(canvas, x, rect.y, i == self->shown, words);
	}
	if (self->answer)
		(void)draw_tab(canvas, x, rect.y, self->shown == ANSWER, "answer");
}

/* --- text --- */

static void
forget(struct view_output *self)
{
	buf_release(&self->text);
	buf_init(&self->text, BUF_UNBOUNDED);
	coverage_clear(&self->errors);
	self->taken = 0;
	pager_set(self->pager, untrusted("", 0), false);
}

static void
show(struct view_output *self, unsigned tab)
{
	self->shown = tab;
	forget(self);
	pager_follow(self->pager, tab != ANSWER);
}

static void
add_chunk(struct view_output *self, const struct session_output *chunk)
{
	size_t from = self->text.len;

	if (chunk->text.missing)
		buf_str(&self->text, "[not in the record]\n");
	else if (chunk->text.bytes)
		buf_put(&self->text, chunk->text.bytes, chunk->text.len);
	if (chunk->err)
		coverage_add(&self->errors, from, self->text.len);
}

static void
take_chunks(struct view_output *self, const struct session *session)
{
	size_t before = self->text.len;

	if (before == 0 && self->before > 0 && self->shown != ANSWER)
		buf_printf(&self->text, "[%zu earlier pieces of output are not shown here]\n",
			self->before);
	for (; self->taken < session->output_count; self->taken++) {
		const struct session_output *chunk = &session->outputs[self->taken];

		if (chunk->attempt == self->shown ||
			(chunk->attempt == 0 && self->shown == newest(session)))
			add_chunk(self, chunk);
	}
	if (self->shown == ANSWER && self->text.len == 0 && session->answer.bytes)
		buf_put(&self->text, session->answer.bytes, session->answer.len);
	if (self->text.len != before)
		pager_set(self->pager, untrusted(self->text.data, self->text.len), true);
}

static void
refresh(struct view_output *self, const struct session *session)
{
	/* A replay may have gone back, or far ahead. */
	if (session->seq < self->seq || session->output_count < self->taken ||
		session->outputs_before != self->before)
		forget(self);
	self->before = session->outputs_before;
	if (session->seq != self->seq || !self->session)
		self->answer = session->answer.bytes && session->answer.len > 0 &&
			       !was_printed(session, &session->answer);
	self->session = session;
	self->seq = session->seq;
	if ((!self->pinned || self->shown > newest(session)) && self->shown != newest(session))
		show(self, newest(session));
	take_chunks(self, session);
}

static enum style
style_at(size_t source_at, void *arg)
{
	const struct view_output *self = arg;

	if (self->errors.count > 0 && coverage_has(&self->errors, source_at, source_at + 1))
		return STYLE_STDERR;
	return STYLE_TEXT;
}

/* A row that goes on is marked, and one of standard error. */
static void
draw_gutter(struct canvas *canvas, struct rect rect, const struct pager_row *row, void *arg)
{
	const struct view_output *self = arg;
	size_t from = row->from;

	if (!row->first)
		canvas_text(canvas, rect.x, rect.y, STYLE_GUTTER, "·");
	else if (self->errors.count > 0 && coverage_has(&self->errors, from, from + 1))
		canvas_text(canvas, rect.x, rect.y, STYLE_STDERR, "!");
}

static void
output_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_output *self = (struct view_output *)view;

	refresh(self, scene->session);
	if (has_tabs(self))
		draw_tabs(self, canvas, rect_cut_top(&rect, 1));
	if (self->text.len == 0)
		canvas_text(canvas, rect.x + 1, rect.y, STYLE_DIM, "nothing printed yet");
	else
		pager_draw(self->pager, canvas, rect);
}

static void
output_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	const struct view_output *self = (struct view_output *)view;

	if (scene->session->output_bytes == 0)
		snprintf(out, size, "output");
	else if (self->errors.count > 0)
		snprintf(out, size, "output · %zu bytes · ! standard error",
			scene->session->output_bytes);
	else
		snprintf(out, size, "output · %zu bytes", scene->session->output_bytes);
}

static enum map
output_map(const struct view *view)
{
	(void)view;
	return MAP_OUTPUT;
}

static enum view_reply
output_run(struct view *view, enum command command, struct intent *out)
{
	struct view_output *self = (struct view_output *)view;
	unsigned tab;

	if (command == COMMAND_OPEN) {
		*out = (struct intent){ .kind = INTENT_OPEN };
		return VIEW_DONE;
	}
	if (command == COMMAND_STRICT) {
		pager_switch_mode(self->pager);
		return VIEW_DIRTY;
	}
	if (command == COMMAND_FOLLOW) {
		self->pinned = false;
		pager_follow(self->pager, true);
		return VIEW_DIRTY;
	}
	if (command == COMMAND_LEFT || command == COMMAND_RIGHT) {
		if (neighbour(self, command, &tab)) {
			self->pinned = tab != newest(self->session);
			show(self, tab);
		}
		return VIEW_DIRTY;
	}
	if (!pager_command(self->pager, command))
		return VIEW_IGNORED;
	pager_follow(self->pager, command == COMMAND_BOTTOM || pager_at_end(self->pager));
	return VIEW_DIRTY;
}

static bool
output_offers(const struct view *view, enum command command)
{
	const struct view_output *self = (const struct view_output *)view;
	unsigned tab;

	switch (command) {
	case COMMAND_OPEN:
		return self->session && self->session->waiting > 0;
	case COMMAND_STRICT:
		return self->text.len > 0;
	case COMMAND_FOLLOW:
		return self->pinned || !pager_at_end(self->pager);
	case COMMAND_LEFT:
	case COMMAND_RIGHT:
		return neighbour(self, command, &tab);
	default:
		return pager_offers(self->pager, command);
	}
}

static bool
output_search(struct view *view, struct find *find)
{
	struct view_output *self = (struct view_output *)view;

	pager_follow(self->pager, false);
	return pager_search(self->pager, find);
}

struct view *
view_output_new(void)
{
	static const struct view_ops ops = {
		.free = output_free,
		.title = output_title,
		.map = output_map,
		.run = output_run,
		.offers = output_offers,
		.search = output_search,
		.paint = output_paint,
	};
	struct view_output *self = mem_zero(1, sizeof(*self));
	struct pager_look look = { .gutter_width = 2,
		.style = STYLE_TEXT,
		.gutter = draw_gutter,
		.style_at = style_at,
		.arg = self };

	self->view.ops = &ops;
	buf_init(&self->text, BUF_UNBOUNDED);
	coverage_init(&self->errors);
	self->pager = pager_new(TEXT_LINES, &look);
	pager_follow(self->pager, true);
	return &self->view;
}
