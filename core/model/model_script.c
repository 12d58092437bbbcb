#include "config.h"

#include "core/model/model_script.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/model/model.h"

#define FILE_MAX (16u << 20) /* bytes */
#define MARK "=== next reply ===\n"
#define THINK "<think>"
#define THINK_END "</think>"

struct script {
	struct model model;
	struct loop *loop;
	struct loop_timer *timer;
	int64_t piece_ns;
	char *text;
	size_t len;
	size_t at;     /* of the next piece */
	size_t end;    /* of the reply */
	bool thinking; /* the next piece is reasoning */
	bool going, cancelled;
	struct model_hooks hooks;
};

static void
finish(struct script *script, enum model_stop stop, const char *error)
{
	struct model_end end = { .stop = stop,
		.reason = stop == MODEL_COMPLETE ? "the file's end of the reply" : NULL,
		.error = error,
		.usage = MODEL_USAGE_UNKNOWN };

	script->going = false;
	script->hooks.on_end(&end, script->hooks.arg);
}

static const char *
find(const struct script *script, size_t from, const char *mark)
{
	return memmem(script->text + from, script->end - from, mark, strlen(mark));
}

/* The bytes of the next piece: up to and with the next white space, or all that is left. */
static size_t
piece_len(const struct script *script, size_t end)
{
	size_t at = script->at;

	if (script->piece_ns == 0)
		return end - at;
	while (at < end && !strchr(" \n", script->text[at]))
		at++;
	while (at < end && strchr(" \n", script->text[at]))
		at++;
	return at - script->at;
}

static void
tell_piece(struct script *script)
{
	const char *think_end = script->thinking ? find(script, script->at, THINK_END) : NULL;
	size_t end = think_end ? (size_t)(think_end - script->text) : script->end;
	size_t len = piece_len(script, end), at = script->at;
	bool thinking = script->thinking;

	script->at += len;
	if (think_end && script->at == end) {
		script->at += strlen(THINK_END);
		while (script->at < script->end && script->text[script->at] == '\n')
			script->at++;
		script->thinking = false;
	}
	if (len > 0)
		script->hooks.on_delta(thinking ? MODEL_REASONING : MODEL_TEXT, script->text + at,
			len, script->hooks.arg);
}

static void
on_piece(void *arg)
{
	struct script *script = arg;

	if (script->cancelled) {
		finish(script, MODEL_CANCELLED, NULL);
		return;
	}
	if (script->at > script->len) {
		finish(script, MODEL_ERROR, "the script has no further reply");
		return;
	}
	if (script->at < script->end) {
		tell_piece(script);
		loop_timer_in(script->timer, script->piece_ns);
		return;
	}
	/* Past the mark, or past the file: then there is no other. */
	script->at = script->end < script->len ? script->end + strlen(MARK) : script->len + 1;
	finish(script, MODEL_COMPLETE, NULL);
}

static void
script_ask(
	struct model *model, const struct model_request *request, const struct model_hooks *hooks)
{
	struct script *script = (struct script *)model;
	const char *mark = NULL;

	(void)request;
	script->hooks = *hooks;
	script->going = true;
	script->cancelled = false;
	script->end = script->len;
	if (script->at <= script->len)
		mark = find(script, script->at, MARK);
	if (mark)
		script->end = (size_t)(mark - script->text);
	script->thinking = script->at <= script->end && script->end - script->at >= strlen(THINK) &&
			   memcmp(script->text + script->at, THINK, strlen(THINK)) == 0;
	if (script->thinking)
		script->at += strlen(THINK);
	loop_timer_in(script->timer, 0);
}

static void
script_cancel(struct model *model)
{
	struct script *script = (struct script *)model;

	if (!script->going)
		return;
	script->cancelled = true;
	loop_timer_in(script->timer, 0);
}

static void
script_free(struct model *model)
{
	struct script *script = (struct script *)model;

	loop_timer_free(script->timer);
	free(script->text);
	free(script);
}

struct model *
model_script_new(struct loop *loop, const char *path, int64_t piece_ms, struct err *err)
{
	static const struct model_ops ops = { "script", script_ask, script_cancel, script_free };
	struct script *script;
	struct err inner = { 0 };
	AUTO_BUF struct buf text;

	buf_init(&text, FILE_MAX);
	if (io_read_file(path, &text, &inner) < 0) {
		err_set(err, ERR_USAGE, "%s", inner.text);
		return NULL;
	}
	if (text.len == 0 || !text_is_utf8(text.data, text.len)) {
		err_set(err, ERR_USAGE, "%s: %s", path,
			text.len == 0 ? "an empty file plays no model" : "it is no UTF-8 text");
		return NULL;
	}
	script = mem_zero(1, sizeof(*script));
	script->model.ops = &ops;
	script->loop = loop;
	script->piece_ns = piece_ms * NS_PER_MS;
	script->len = text.len;
	script->text = buf_give(&text);
	script->timer = loop_timer_new(loop, on_piece, script);
	return &script->model;
}
