/* The chunks of the session become one text; where it is standard error is kept as ranges. */
#include "config.h"

#include "tui/view_output.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/coverage.h"
#include "tui/pager.h"
#include "tui/view.h"

struct view_output {
	struct view view;
	struct pager *pager;
	struct buf text;
	struct coverage errors; /* ranges of text that came from standard error */
	size_t taken;           /* chunks */
	const struct session *session;
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

static void
take_chunks(struct view_output *self, const struct session *session)
{
	self->session = session;
	if (self->taken == session->output_count)
		return;
	if (self->taken > session->output_count) { /* a replay went back */
		self->taken = self->text.len = 0;
		coverage_clear(&self->errors);
	}
	for (; self->taken < session->output_count; self->taken++) {
		const struct session_output *chunk = &session->outputs[self->taken];
		size_t from = self->text.len;

		if (chunk->text.missing)
			buf_str(&self->text, "[not in the record]\n");
		else if (chunk->text.bytes)
			buf_put(&self->text, chunk->text.bytes, chunk->text.len);
		if (chunk->err)
			coverage_add(&self->errors, from, self->text.len);
	}
	pager_set(self->pager, untrusted(self->text.data, self->text.len), true);
}

static enum style
style_at(size_t source_at, void *arg)
{
	const struct view_output *self = arg;

	if (self->errors.count > 0 && coverage_has(&self->errors, source_at, source_at + 1))
		return STYLE_STDERR;
	return STYLE_TEXT;
}

/* The border stands before the row; a row that goes on is marked. */
static void
draw_gutter(struct canvas *canvas, struct rect rect, const struct pager_row *row, void *arg)
{
	(void)arg;
	if (!row->first)
		canvas_text(canvas, rect.x, rect.y, STYLE_GUTTER, "·");
}

static void
output_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_output *self = (struct view_output *)view;

	take_chunks(self, scene->session);
	if (self->text.len == 0)
		canvas_text(canvas, rect.x + 1, rect.y, STYLE_DIM, "nothing printed yet");
	else
		pager_draw(self->pager, canvas, rect);
}

static void
output_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	(void)view;
	if (scene->session->output_bytes > 0)
		snprintf(out, size, "output · %zu bytes", scene->session->output_bytes);
	else
		snprintf(out, size, "output");
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

	if (command == COMMAND_OPEN) {
		*out = (struct intent){ .kind = INTENT_OPEN };
		return VIEW_DONE;
	}
	if (command == COMMAND_STRICT) {
		pager_switch_mode(self->pager);
		return VIEW_DIRTY;
	}
	if (command == COMMAND_FOLLOW) {
		pager_follow(self->pager, true);
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

	switch (command) {
	case COMMAND_OPEN:
		return self->session && self->session->waiting > 0;
	case COMMAND_STRICT:
		return self->text.len > 0;
	case COMMAND_FOLLOW:
		return !pager_at_end(self->pager);
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
