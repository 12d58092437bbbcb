#include "config.h"

#include "tui/view_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/listbox.h"
#include "tui/view.h"

#define NUMBER_WIDTH 4
#define TIME_WIDTH 7
#define TOOL_WIDTH 16
#define WORD_WIDTH 9
#define TAKEN_WIDTH 8
#define STATE_WIDTH (WORD_WIDTH + 1 + TAKEN_WIDTH)

struct view_calls {
	struct view view;
	struct listbox list;
	const struct session *session;
	int64_t mono;
};

static void
calls_free(struct view *view)
{
	free(view);
}

/* --- one row --- */

struct state_words {
	const char *word;
	enum style style;
};

static bool
is(const char *text, const char *word)
{
	return text && strcmp(text, word) == 0;
}

static struct state_words
ended_words(const struct session_call *call)
{
	if (is(call->outcome, "ok"))
		return is(call->by, "person") ? (struct state_words){ "+ approved", STYLE_APPROVED }
					      : (struct state_words){ "allowed", STYLE_DIM };
	if (is(call->outcome, "denied"))
		return (struct state_words){ "- denied", STYLE_DENIED };
	if (is(call->outcome, "error"))
		return (struct state_words){ "! failed", STYLE_FAILED };
	if (is(call->outcome, "cancelled"))
		return (struct state_words){ "- ended", STYLE_DENIED };
	return (struct state_words){ "! unknown", STYLE_FAILED };
}

static struct state_words
words_of(const struct session_call *call)
{
	switch (call->state) {
	case CALL_HELD:
		return (struct state_words){ "WAITS", STYLE_ACCENT_WAIT };
	case CALL_STARTED:
		return (struct state_words){ "runs", STYLE_RUNNING };
	case CALL_ENDED:
		return ended_words(call);
	case CALL_DECIDED:
		if (is(call->verdict, "deny"))
			return (struct state_words){ "- denied", STYLE_DENIED };
		return (struct state_words){ "starts", STYLE_RUNNING };
	case CALL_REQUESTED:
		break;
	}
	return (struct state_words){ "asked", STYLE_DIM };
}

/* What stands right of the state: time left, time taken, or who denied. */
static void
taken_of(const struct view_calls *self, const struct session_call *call, char out[32])
{
	int64_t left;

	out[0] = '\0';
	if (call->state == CALL_HELD) {
		left = session_time_left(self->session, call, self->mono);
		if (left >= 0)
			snprintf(out, 32, "%lld:%02lld", (long long)(left / NS_PER_S / 60),
				(long long)(left / NS_PER_S % 60));
	} else if (call->state == CALL_ENDED && call->started_mono > 0) {
		if (call->ms < 10000)
			snprintf(out, 32, "%lld ms", (long long)call->ms);
		else
			snprintf(out, 32, "%.1f s", (double)call->ms / 1000.0);
	} else if (is(call->verdict, "deny") && call->by) {
		snprintf(out, 32, "%.8s", call->by);
	}
}

static void
draw_state(struct canvas *canvas, struct rect rect, const struct view_calls *self,
	const struct session_call *call)
{
	struct state_words words = words_of(call);
	char taken[32];
	int width;

	taken_of(self, call, taken);
	canvas_text(canvas, rect.x, rect.y, words.style, words.word);
	width = canvas_text_width(canvas, taken);
	canvas_text(canvas, rect.x + (width < rect.w ? rect.w - width : 0), rect.y,
		call->state == CALL_HELD ? STYLE_ACCENT_WAIT : STYLE_DIM, taken);
}

/* name="Ada" amount=9000: members of an object, each as its source. */
static void
draw_arguments(struct canvas *canvas, struct rect rect, const struct session_call *call)
{
	struct canvas_run run = { rect.x, rect.y, rect.w, STYLE_TEXT, TEXT_TEXT };
	AUTO_JSON struct json *args =
		call->args.bytes ? json_read(call->args.bytes, call->args.len, NULL) : NULL;
	struct json_iter it = json_each(json_root(args));

	while (json_next(&it)) {
		size_t len;
		const char *text = json_string(it.key, &len);

		if (!text || run.x + (int)len + 2 > rect.x + rect.w)
			break;
		run.style = STYLE_DIM;
		run.width = rect.x + rect.w - run.x;
		run.x += canvas_foreign(canvas, &run, untrusted(text, len));
		run.x = canvas_text(canvas, run.x, rect.y, STYLE_DIM, "=");
		run.style = STYLE_TEXT;
		run.width = rect.x + rect.w - run.x;
		text = json_source(it.value, &len);
		if (run.width > 0)
			run.x += 1 + canvas_foreign(canvas, &run, untrusted(text, len));
	}
}

static const char *
bare_name(const struct session *session, const struct session_call *call)
{
	const struct session_tool *tool = session_tool(session, call->tool);

	return tool && tool->name ? tool->name : call->tool;
}

static void
draw_row(struct canvas *canvas, struct rect rect, size_t i, bool selected, void *arg)
{
	const struct view_calls *self = arg;
	const struct session_call *call = &self->session->calls[i];
	int64_t tenths = call->requested_mono / (NS_PER_S / 10);
	struct rect all = rect;
	struct rect old = canvas_clip(canvas, rect);
	struct canvas_run run = { 0, rect.y, TOOL_WIDTH, STYLE_TEXT, TEXT_TEXT };
	bool waits = call->state == CALL_HELD;
	int right = rect.x + rect.w - STATE_WIDTH;

	(void)selected;
	canvas_text(canvas, all.x, all.y, STYLE_ACCENT_WAIT, waits ? ">" : " ");
	rect.x = canvas_printf(canvas, all.x + 1, all.y, STYLE_GUTTER, "%*llu ", NUMBER_WIDTH - 1,
		(unsigned long long)call->number);
	if (all.w >= 60) {
		canvas_printf(canvas, rect.x, all.y, STYLE_DIM, "%lld:%02lld.%lld",
			(long long)(tenths / 600), (long long)(tenths / 10 % 60),
			(long long)(tenths % 10));
		rect.x += TIME_WIDTH + 1;
	}
	run.x = rect.x;
	run.style = waits ? STYLE_ACCENT_WAIT : STYLE_TEXT;
	run.width = right - rect.x <= TOOL_WIDTH ? right - rect.x - 1 : TOOL_WIDTH;
	canvas_foreign(canvas, &run, untrusted_str(bare_name(self->session, call)));
	rect.x += TOOL_WIDTH + 1;
	draw_arguments(canvas, rect_make(rect.x, all.y, right - rect.x - 1, 1), call);
	draw_state(canvas, rect_make(right, all.y, STATE_WIDTH, 1), self, call);
	(void)canvas_clip(canvas, old);
}

/* --- the view --- */

static void
calls_paint(
	struct view *view, struct canvas *canvas, struct rect rect, const struct view_scene *scene)
{
	struct view_calls *self = (struct view_calls *)view;

	self->session = scene->session;
	self->mono = scene->mono;
	listbox_set_count(&self->list, scene->session->call_count);
	if (scene->session->call_count == 0)
		canvas_text(canvas, rect.x + 1, rect.y, STYLE_DIM, "no calls yet");
	else
		listbox_draw(&self->list, canvas, rect, draw_row, self);
}

static void
calls_title(struct view *view, const struct view_scene *scene, char *out, size_t size)
{
	const struct session *session = scene->session;

	(void)view;
	if (session->waiting > 0)
		snprintf(out, size, "calls · %zu wait%s", session->waiting,
			session->waiting == 1 ? "s" : "");
	else
		snprintf(out, size, "calls");
}

static enum map
calls_map(const struct view *view)
{
	(void)view;
	return MAP_CALLS;
}

static const struct session_call *
selected(const struct view_calls *self)
{
	if (!self->session || self->list.selected >= self->session->call_count)
		return NULL;
	return &self->session->calls[self->list.selected];
}

static enum view_reply
calls_run(struct view *view, enum command command, struct intent *out)
{
	struct view_calls *self = (struct view_calls *)view;
	const struct session_call *call = selected(self);

	if (command == COMMAND_OPEN && call) {
		out->kind = call->state == CALL_HELD ? INTENT_OPEN : INTENT_DETAIL;
		out->call = call->number;
		return VIEW_DONE;
	}
	return listbox_command(&self->list, command) ? VIEW_DIRTY : VIEW_IGNORED;
}

static bool
calls_offers(const struct view *view, enum command command)
{
	const struct view_calls *self = (const struct view_calls *)view;

	if (command == COMMAND_OPEN)
		return selected(self) != NULL;
	return (command_flags(command) & COMMAND_MOVES) != 0 || command == COMMAND_SEARCH ||
	       command == COMMAND_FULL || command == COMMAND_STOP;
}

static bool
holds(const struct blob *blob, const char *needle, size_t len)
{
	return blob->bytes && memmem(blob->bytes, blob->len, needle, len);
}

/* The next call whose tool or arguments hold it, around the end. */
static bool
calls_search(struct view *view, const char *needle, size_t len)
{
	struct view_calls *self = (struct view_calls *)view;
	size_t count = self->session ? self->session->call_count : 0;

	for (size_t i = 1; i <= count; i++) {
		size_t at = (self->list.selected + i) % count;
		const struct session_call *call = &self->session->calls[at];

		if (!memmem(call->tool, strlen(call->tool), needle, len) &&
			!holds(&call->args, needle, len))
			continue;
		listbox_select(&self->list, at);
		return true;
	}
	return false;
}

struct view *
view_calls_new(void)
{
	static const struct view_ops ops = {
		.free = calls_free,
		.title = calls_title,
		.map = calls_map,
		.run = calls_run,
		.offers = calls_offers,
		.search = calls_search,
		.paint = calls_paint,
	};
	struct view_calls *self = mem_zero(1, sizeof(*self));

	self->view.ops = &ops;
	listbox_init(&self->list);
	return &self->view;
}

void
view_calls_select(struct view *view, uint64_t call)
{
	struct view_calls *self = (struct view_calls *)view;

	if (call > 0)
		listbox_select(&self->list, (size_t)call - 1);
}

void
view_calls_drawn(const struct view *view, uint64_t *first, uint64_t *last)
{
	const struct view_calls *self = (const struct view_calls *)view;
	size_t end = self->list.top + (size_t)self->list.height;

	*first = self->list.top + 1;
	*last = end < self->list.count ? end : self->list.count;
}
