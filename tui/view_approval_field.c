/* What a person types in the pane's last row: the code of a yes, the reason of a no, a
 * comment, S for a stop.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "tui/lineedit.h"
#include "tui/view_approval.h"
#include "tui/view_approval_inside.h"

#define REASON_BYTES 500
#define CODE_CHARS "0123456789BCDFGHJKLMNPQRSTVWXZ"

void
approval_field_leave(struct view_approval *self)
{
	lineedit_free(self->edit);
	self->edit = NULL;
	self->field = FIELD_NONE;
}

void
approval_field_open(struct view_approval *self, enum approval_field field)
{
	approval_field_leave(self);
	self->field = field;
	if (field == FIELD_CODE)
		self->edit = lineedit_new(EVENT_CODE_SIZE - 1, CODE_CHARS);
	else if (field != FIELD_STOP)
		self->edit = lineedit_new(REASON_BYTES, NULL);
	if (field == FIELD_COMMENT && self->comment)
		lineedit_set(self->edit, self->comment);
}

enum map
approval_field_map(const struct view_approval *self)
{
	switch (self->field) {
	case FIELD_CODE:
	case FIELD_REASON:
	case FIELD_COMMENT:
		return MAP_FIELD;
	case FIELD_STOP:
		return MAP_STOP;
	case FIELD_NONE:
		break;
	}
	return MAP_APPROVAL;
}

bool
approval_field_key(struct view_approval *self, struct key key)
{
	if (!self->edit)
		return false;
	view_approval_say(&self->view, NULL);
	if (self->field == FIELD_CODE && key.code == KEY_CHAR && key.ch >= 'a' && key.ch <= 'z' &&
		key.mods == 0)
		key.ch -= 'a' - 'A';
	return lineedit_key(self->edit, key);
}

static enum view_reply
send_field(struct view_approval *self, struct intent *out)
{
	const char *text = lineedit_text(self->edit);

	if (self->field == FIELD_COMMENT) {
		free(self->comment);
		self->comment = text[0] ? mem_str(text) : NULL;
		approval_field_leave(self);
		return VIEW_DIRTY;
	}
	if (self->field == FIELD_CODE && strcmp(text, self->code) != 0) {
		lineedit_set(self->edit, "");
		view_approval_say(&self->view, "that is not the code");
		return VIEW_DIRTY;
	}
	out->kind = self->field == FIELD_CODE ? INTENT_APPROVE : INTENT_DENY;
	out->call = self->parts[0].call;
	out->text = text;
	return VIEW_DIRTY;
}

enum view_reply
approval_field_run(struct view_approval *self, enum command command, struct intent *out)
{
	switch (command) {
	case COMMAND_ACCEPT:
		return send_field(self, out);
	case COMMAND_STOP_CONFIRM:
		*out = (struct intent){ INTENT_DENY, self->parts[0].call, NULL, true };
		approval_field_leave(self);
		return VIEW_DIRTY;
	case COMMAND_BACK:
		approval_field_leave(self);
		return VIEW_DIRTY;
	default:
		return VIEW_DONE;
	}
}

void
approval_field_draw(struct view_approval *self, struct canvas *canvas, struct rect rect)
{
	int right = rect.x + rect.w;
	int x;

	if (self->field == FIELD_STOP) {
		canvas_text(canvas, rect.x, rect.y, STYLE_WARNING,
			self->count > 1 ? "deny these calls and stop the run?  S yes, stop   Esc no"
					: "deny this call and stop the run?  S yes, stop   Esc no");
		return;
	}
	if (self->field == FIELD_CODE)
		x = canvas_printf(canvas, rect.x, rect.y, STYLE_LABEL,
			"to approve type %s, then Enter: ", self->code);
	else if (self->field == FIELD_COMMENT)
		x = canvas_text(canvas, rect.x, rect.y, STYLE_LABEL, "comment to keep: ");
	else
		x = canvas_text(canvas, rect.x, rect.y, STYLE_LABEL, "deny, because: ");
	if (self->said)
		right = canvas_text(canvas, right - canvas_text_width(canvas, self->said), rect.y,
				STYLE_WARNING, self->said) -
			canvas_text_width(canvas, self->said) - 1;
	lineedit_draw(self->edit, canvas, rect_make(x, rect.y, right - x, 1), STYLE_INPUT);
}
