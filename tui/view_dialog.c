#include "config.h"

#include "tui/view_dialog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/session/session.h"
#include "tui/bar.h"
#include "tui/view.h"

struct view_dialog {
	struct view view;
	enum map map;
	char *name; /* of the run, escaped; NULL: the one that is open */
};

static void
dialog_free(struct view *view)
{
	free(((struct view_dialog *)view)->name);
	free(view);
}

static void
dialog_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	struct view_dialog *self = (struct view_dialog *)view;

	(void)scene;
	if (self->name)
		snprintf(out, size, "stop %s?", self->name);
	else
		snprintf(out, size, "%s", self->map == MAP_LEAVE ? "leave" : "stop the run?");
}

static enum map
dialog_map(const struct view *view)
{
	return ((const struct view_dialog *)view)->map;
}

static enum view_reply
dialog_run(struct view *view, enum command command, struct intent *out)
{
	(void)view;
	switch (command) {
	case COMMAND_LEAVE_DETACH:
		out->kind = INTENT_DETACH;
		return VIEW_CLOSE;
	case COMMAND_LEAVE_STOP:
		out->kind = INTENT_STOP_LEAVE;
		return VIEW_CLOSE;
	case COMMAND_STOP_CONFIRM:
		out->kind = INTENT_STOP;
		return VIEW_CLOSE;
	case COMMAND_BACK:
		return VIEW_CLOSE;
	default:
		return VIEW_DONE; /* a question is answered, or left with Esc */
	}
}

static bool
dialog_offers(const struct view *view, enum command command)
{
	const struct view_dialog *self = (const struct view_dialog *)view;

	if (self->map == MAP_LEAVE)
		return command == COMMAND_LEAVE_DETACH || command == COMMAND_LEAVE_STOP ||
		       command == COMMAND_BACK;
	return command == COMMAND_STOP_CONFIRM || command == COMMAND_BACK;
}

static void
draw_choice(struct canvas *canvas, struct rect rect, const struct view_scene *scene, enum map map,
	enum command command, const char *words)
{
	char name[KEY_NAME_MAX];
	struct key key;

	if (!keymap_key(scene->keymap, map, command, &key))
		return;
	canvas_text(canvas, rect.x + 1, rect.y, STYLE_HINT_KEY, key_name(key, name));
	canvas_text(canvas, rect.x + 6, rect.y, STYLE_TEXT, words);
}

static void
dialog_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_dialog *self = (struct view_dialog *)view;
	size_t waiting = scene->session->waiting;
	char detach[96] = "detach: the run goes on";

	if (waiting > 0)
		snprintf(detach, sizeof(detach), "detach: the run goes on, %zu call%s on waiting",
			waiting, waiting == 1 ? " goes" : "s go");
	if (self->map == MAP_LEAVE) {
		draw_choice(canvas, rect, scene, MAP_LEAVE, COMMAND_LEAVE_DETACH, detach);
		rect.y++;
		draw_choice(canvas, rect, scene, MAP_LEAVE, COMMAND_LEAVE_STOP,
			"stop the run and leave: what waits is denied");
		rect.y++;
		draw_choice(canvas, rect, scene, MAP_LEAVE, COMMAND_BACK, "stay");
		return;
	}
	draw_choice(canvas, rect, scene, MAP_STOP, COMMAND_STOP_CONFIRM,
		"stop the run: what waits is denied");
	rect.y++;
	draw_choice(canvas, rect, scene, MAP_STOP, COMMAND_BACK, "let it run");
}

static struct view *
dialog_new(enum map map)
{
	static const struct view_ops ops = {
		.free = dialog_free,
		.title = dialog_title,
		.map = dialog_map,
		.run = dialog_run,
		.offers = dialog_offers,
		.paint = dialog_paint,
	};
	struct view_dialog *self = mem_zero(1, sizeof(*self));

	self->view.ops = &ops;
	self->map = map;
	return &self->view;
}

struct view *
view_dialog_leave(void)
{
	return dialog_new(MAP_LEAVE);
}

struct view *
view_dialog_stop(void)
{
	return dialog_new(MAP_STOP);
}

struct view *
view_dialog_stop_run(const char *name)
{
	struct view *view = dialog_new(MAP_STOP);

	((struct view_dialog *)view)->name = text_escape(untrusted_str(name), TEXT_STRICT);
	return view;
}
