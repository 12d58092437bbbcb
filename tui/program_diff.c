/* program_diff.c - the rows of the difference become one text, which the pager draws. */
#include "config.h"

#include "tui/program_diff.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "tui/diff.h"
#include "tui/pager.h"

struct program_diff {
	struct diff diff; /* its lines are not used once the text is made */
	struct buf text;
	struct pager *pager;
	int digits;
};

static void
draw_number(struct canvas *canvas, int x, int y, int digits, size_t number)
{
	if (number > 0)
		canvas_printf(canvas, x, y, STYLE_GUTTER, "%*zu", digits, number);
}

static void
draw_gutter(struct canvas *canvas, struct rect rect, const struct pager_row *row, void *arg)
{
	struct program_diff *self = arg;
	const struct diff_row *line;
	int x = rect.x + 2 * (self->digits + 1);

	if (row->line >= self->diff.count)
		return;
	line = &self->diff.rows[row->line];
	if (!row->first) {
		canvas_text(canvas, x + 1, rect.y, STYLE_GUTTER, "·");
		return;
	}
	draw_number(canvas, rect.x, rect.y, self->digits, line->before);
	draw_number(canvas, rect.x + self->digits + 1, rect.y, self->digits, line->after);
	if (line->kind == DIFF_REMOVED)
		canvas_text(canvas, x, rect.y, STYLE_REMOVED, "-");
	else if (line->kind == DIFF_ADDED)
		canvas_text(canvas, x, rect.y, STYLE_ADDED, "+");
}

static enum style
row_style(const struct pager_row *row, void *arg)
{
	const struct program_diff *self = arg;

	if (row->line >= self->diff.count || self->diff.rows[row->line].kind == DIFF_SAME)
		return STYLE_COUNT;
	return self->diff.rows[row->line].kind == DIFF_REMOVED ? STYLE_REMOVED : STYLE_ADDED;
}

struct program_diff *
program_diff_new(struct untrusted before, struct untrusted after)
{
	struct program_diff *self = mem_zero(1, sizeof(*self));
	struct pager_look look = {
		.style = STYLE_DIM, .gutter = draw_gutter, .row_style = row_style, .arg = self
	};

	diff_make(&self->diff, before, after);
	buf_init(&self->text, BUF_UNBOUNDED);
	for (size_t i = 0; i < self->diff.count; i++) {
		struct untrusted line = self->diff.rows[i].line;

		buf_put(&self->text, line.bytes, line.len);
		if (line.len > 0 && line.bytes[line.len - 1] != '\n')
			buf_str(&self->text, "\n");
	}
	self->digits = snprintf(NULL, 0, "%zu", self->diff.count);
	look.gutter_width = 2 * (self->digits + 1) + 2;
	self->pager = pager_new(TEXT_LINES, &look);
	pager_set(self->pager, untrusted(self->text.data ? self->text.data : "", self->text.len),
		false);
	return self;
}

void
program_diff_free(struct program_diff *self)
{
	if (!self)
		return;
	pager_free(self->pager);
	buf_release(&self->text);
	diff_release(&self->diff);
	free(self);
}

struct pager *
program_diff_pager(struct program_diff *self)
{
	return self->pager;
}

void
program_diff_words(const struct program_diff *self, char *out, size_t size)
{
	if (self->diff.added + self->diff.removed == 0)
		snprintf(out, size, "no line differs");
	else
		snprintf(out, size, "%zu removed, %zu added", self->diff.removed, self->diff.added);
}

size_t
program_diff_first(const struct program_diff *self)
{
	size_t row = 0;

	while (row < self->diff.count && self->diff.rows[row].kind == DIFF_SAME)
		row++;
	return row;
}
