/*
 * Bytes gather in one buffer of a line's ceiling; whole lines are handled in place.  A line longer
 * than the ceiling is one violation and is skipped to its end.  Answers leave at once when the
 * socket takes them; when the guest does not read, reading from it stops, so that no buffer grows
 * past what one answer needs.
 */
#include "config.h"

#include "core/run/bridge.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/jsonout.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/budget.h"

#define NOTIFICATION "{\"jsonrpc\":\"2.0\",\"method\":\"tollbridge/"
#define READ_MAX 65536
#define OUT_HIGH (4u << 20)
#define VIOLATIONS_MAX 3
#define ID_WINDOW 65536u
#define ID_MAX ((int64_t)1 << 53)

enum phase { PHASE_BOOT, PHASE_LOADED, PHASE_READY, PHASE_RUNNING, PHASE_ENDED };

struct bridge {
	struct loop *loop;
	struct loop_watch *watch;
	int fd;
	struct budget *budget;
	struct bridge_limits limits;
	struct bridge_hooks hooks;
	struct buf in;
	struct buf out;
	struct strict_tape tape;
	enum phase phase;
	bool skipping; /* within a line that was too long */
	bool paused;
	bool closed;
	bool broken; /* nothing more goes out */
	unsigned violations;
	int64_t second;        /* start of the current second of the notification rate */
	int64_t notifications; /* in that second */
	uint64_t newest_id;
	uint64_t seen[ID_WINDOW / 64]; /* ids (newest - ID_WINDOW, newest] */
	bool *freed;                   /* set when a hook frees the bridge */
};

static void
interests(struct bridge *bridge)
{
	unsigned events = 0;

	if (!bridge->paused && !bridge->closed && bridge->out.len < OUT_HIGH &&
		bridge->in.len <= bridge->limits.line)
		events |= LOOP_READ;
	if (bridge->out.len > 0 && !bridge->broken)
		events |= LOOP_WRITE;
	loop_watch_set(bridge->watch, events);
}

static void
flush_out(struct bridge *bridge)
{
	if (!bridge->broken && io_write_some(bridge->fd, &bridge->out, NULL) < 0) {
		bridge->broken = true;
		buf_clear(&bridge->out);
	}
	interests(bridge);
}

static void
violation(struct bridge *bridge, const char *what)
{
	bridge->violations++;
	bridge->hooks.on_violation(what, bridge->violations >= VIOLATIONS_MAX, bridge->hooks.arg);
}

/* Ids within the window are remembered; an id older than the window counts as used. */
static bool
id_is_new(struct bridge *bridge, uint64_t id)
{
	uint64_t bit = UINT64_C(1) << (id % 64);
	uint64_t *word = &bridge->seen[id % ID_WINDOW / 64];

	if (id > bridge->newest_id) {
		uint64_t step = id - bridge->newest_id;

		if (step >= ID_WINDOW)
			memset(bridge->seen, 0, sizeof(bridge->seen));
		for (uint64_t at = bridge->newest_id + 1; step < ID_WINDOW && at < id; at++)
			bridge->seen[at % ID_WINDOW / 64] &= ~(UINT64_C(1) << (at % 64));
		bridge->newest_id = id;
		*word |= bit;
		return true;
	}
	if (bridge->newest_id - id >= ID_WINDOW || (*word & bit))
		return false;
	*word |= bit;
	return true;
}

/* First of all, before a byte is looked at. */
static bool
count_line(struct bridge *bridge)
{
	return bridge->budget && budget_line(bridge->budget);
}

static bool
request_shape(struct json_value root, struct bridge_request *request)
{
	struct json_value params = json_get(root, "params");
	struct json_value name = json_get(params, "name");
	int64_t id, line = 0;

	if (!json_is(json_get(root, "jsonrpc"), "2.0") ||
		!json_is(json_get(root, "method"), "tools/call") ||
		!json_int(json_get(root, "id"), 1, ID_MAX, &id))
		return false;
	request->arguments = json_get(params, "arguments");
	request->name = json_string(name, &request->name_len);
	if (!request->name || json_kind(request->arguments) != JSON_OBJECT)
		return false;
	json_int(json_get(json_get(params, "_meta"), "tollbridge/line"), 1, INT32_MAX, &line);
	request->id = (uint64_t)id;
	request->line = (int)line;
	return true;
}

static void
request_line(struct bridge *bridge, const char *line, size_t len)
{
	struct bridge_request request = { .within_cap = count_line(bridge) };
	AUTO_JSON struct json *doc = NULL;
	struct err err = { 0 };

	doc = json_read(line, len, &err);
	if (!doc) {
		AUTO_FREE char *what = mem_printf("a line that is no strict JSON: %s", err.text);

		violation(bridge, what);
		return;
	}
	if (!request_shape(json_root(doc), &request)) {
		violation(bridge, "a line that is no tools/call request");
		return;
	}
	if (bridge->phase != PHASE_RUNNING) {
		violation(bridge, "a request outside of the running program");
		return;
	}
	if (!id_is_new(bridge, request.id)) {
		violation(bridge, "a request id that was used before");
		return;
	}
	bridge->hooks.on_request(&request, bridge->hooks.arg);
}

static bool
note_probe(struct bridge *bridge, struct json_value params)
{
	const char *layer = json_text(params, "layer");
	const char *detail = json_text(params, "detail");

	if (bridge->phase != PHASE_BOOT || !layer)
		return false;
	bridge->hooks.on_probe(layer, json_kind(json_get(params, "proved")) == JSON_TRUE,
		detail ? detail : "", bridge->hooks.arg);
	return true;
}

static bool
note_forecast(struct bridge *bridge, struct json_value params)
{
	struct json_value sites = json_get(params, "sites");

	if (bridge->phase != PHASE_LOADED || json_kind(sites) != JSON_ARRAY)
		return false;
	bridge->phase = PHASE_READY;
	bridge->hooks.on_forecast(sites, bridge->hooks.arg);
	return true;
}

static bool
note_output(struct bridge *bridge, struct json_value params)
{
	struct json_value stream = json_get(params, "stream");
	size_t len;
	const char *text = json_string(json_get(params, "text"), &len);

	if (bridge->phase != PHASE_RUNNING || !text)
		return false;
	if (!json_is(stream, "stdout") && !json_is(stream, "stderr"))
		return false;
	bridge->hooks.on_output(json_is(stream, "stderr"), text, len, bridge->hooks.arg);
	return true;
}

static bool
note_line(struct bridge *bridge, struct json_value params)
{
	int64_t line;

	if (bridge->phase != PHASE_RUNNING ||
		!json_int(json_get(params, "line"), 1, INT32_MAX, &line))
		return false;
	bridge->hooks.on_line((int)line, bridge->hooks.arg);
	return true;
}

static bool
note_end(struct bridge *bridge, struct json_value params)
{
	static const char *const outcomes[] = { "ok", "error", "denied", "budget", "syntax" };
	struct json_value outcome = json_get(params, "outcome");
	bool syntax = json_is(outcome, "syntax");
	int64_t line = 0, exit_code = 1;

	if (bridge->phase != (syntax ? PHASE_LOADED : PHASE_RUNNING))
		return false;
	json_int(json_get(params, "line"), 1, INT32_MAX, &line);
	json_int(json_get(params, "exit"), 0, 255, &exit_code);
	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
		if (!json_is(outcome, outcomes[i]))
			continue;
		bridge->phase = PHASE_ENDED;
		bridge->hooks.on_end(outcomes[i], (int)exit_code, json_text(params, "error"),
			(int)line, bridge->hooks.arg);
		return true;
	}
	return false;
}

static const struct {
	const char *method;
	bool (*handle)(struct bridge *bridge, struct json_value params);
} notifications[] = {
	{ "tollbridge/probe", note_probe },
	{ "tollbridge/forecast", note_forecast },
	{ "tollbridge/output", note_output },
	{ "tollbridge/line", note_line },
	{ "tollbridge/end", note_end },
};

static bool
within_rate(struct bridge *bridge)
{
	int64_t now = loop_now(bridge->loop);

	if (now - bridge->second >= NS_PER_S) {
		bridge->second = now;
		bridge->notifications = 0;
	}
	return ++bridge->notifications <= bridge->limits.notifications_per_s;
}

static void
notification_line(struct bridge *bridge, const char *line, size_t len)
{
	AUTO_JSON struct json *doc = json_read(line, len, NULL);
	struct json_value root = json_root(doc);
	struct json_value method = json_get(root, "method");

	if (!within_rate(bridge)) {
		violation(bridge, "more notifications a second than bridge.notifications_per_s");
		return;
	}
	if (!doc || json_there(json_get(root, "id"))) {
		violation(bridge, "a notification that is no strict JSON, or that carries an id");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(notifications); i++) {
		if (!json_is(method, notifications[i].method))
			continue;
		if (!notifications[i].handle(bridge, json_get(root, "params")))
			violation(bridge, "a notification out of order or without its fields");
		return;
	}
	violation(bridge, "an unknown notification");
}

static void
one_line(struct bridge *bridge, const char *line, size_t len)
{
	const size_t prefix = sizeof(NOTIFICATION) - 1;

	if (len >= prefix && memcmp(line, NOTIFICATION, prefix) == 0)
		notification_line(bridge, line, len);
	else
		request_line(bridge, line, len);
}

/* A line over the ceiling is counted as what it began as, and is a violation. */
static void
too_long(struct bridge *bridge, const char *line, size_t len)
{
	const size_t prefix = sizeof(NOTIFICATION) - 1;

	if (len < prefix || memcmp(line, NOTIFICATION, prefix) != 0)
		(void)count_line(bridge);
	violation(bridge, "a line longer than bridge.line");
}

static void
whole_line(struct bridge *bridge, const char *line, size_t len)
{
	if (bridge->skipping)
		bridge->skipping = false;
	else if (len > bridge->limits.line)
		too_long(bridge, line, len);
	else
		one_line(bridge, line, len);
}

/* What is there of a line without its end: nothing is kept of one that is too long already. */
static void
partial_line(struct bridge *bridge)
{
	bool first = !bridge->skipping && bridge->in.len > bridge->limits.line;
	AUTO_FREE char *start = first ? mem_strn(bridge->in.data, sizeof(NOTIFICATION)) : NULL;

	if (!first && !bridge->skipping)
		return;
	buf_clear(&bridge->in);
	bridge->skipping = true;
	if (first)
		too_long(bridge, start, sizeof(NOTIFICATION));
}

/* Handle the whole lines that are there; false when a hook freed the bridge. */
static bool
take_lines(struct bridge *bridge)
{
	bool freed = false;

	bridge->freed = &freed;
	while (!bridge->paused) {
		char *end = bridge->in.len ? memchr(bridge->in.data, '\n', bridge->in.len) : NULL;
		size_t len;

		if (!end)
			break;
		len = (size_t)(end - bridge->in.data);
		whole_line(bridge, bridge->in.data, len);
		if (freed)
			return false;
		buf_take(&bridge->in, len + 1);
	}
	if (!bridge->paused)
		partial_line(bridge);
	if (freed)
		return false;
	bridge->freed = NULL;
	return true;
}

static void
closed(struct bridge *bridge)
{
	bridge->closed = true;
	interests(bridge);
	bridge->hooks.on_closed(bridge->hooks.arg);
}

static void
on_socket(int fd, unsigned events, void *arg)
{
	struct bridge *bridge = arg;

	if (events & LOOP_WRITE)
		flush_out(bridge);
	if (events & LOOP_READ) {
		struct err err = { 0 };
		ssize_t got = io_read_some(fd, &bridge->in, READ_MAX, &err);

		if (!take_lines(bridge))
			return;
		if (got == 0 || (got < 0 && err.errnum != EAGAIN))
			closed(bridge);
	}
}

struct bridge *
bridge_new(struct loop *loop, int fd, const struct bridge_limits *limits,
	const struct bridge_hooks *hooks)
{
	struct bridge *bridge = mem_zero(1, sizeof(*bridge));

	bridge->loop = loop;
	bridge->fd = fd;
	bridge->limits = *limits;
	bridge->hooks = *hooks;
	buf_init(&bridge->in, limits->line + 2 * READ_MAX);
	buf_init(&bridge->out, BUF_UNBOUNDED);
	bridge->watch = loop_watch(loop, fd, LOOP_READ, LOOP_STREAMS, on_socket, bridge);
	return bridge;
}

void
bridge_free(struct bridge *bridge)
{
	if (!bridge)
		return;
	if (bridge->freed)
		*bridge->freed = true;
	loop_undefer(bridge->loop, bridge);
	loop_unwatch(bridge->watch);
	buf_release(&bridge->in);
	buf_release(&bridge->out);
	free(bridge);
}

void
bridge_serve(struct bridge *bridge, struct budget *budget)
{
	bridge->budget = budget;
}

void
bridge_load(
	struct bridge *bridge, const char *program, size_t len, const char *name, const char *tools)
{
	struct budget_counter cap;
	struct jsonout out;

	assert((bridge->phase == PHASE_BOOT || bridge->phase == PHASE_READY) && bridge->budget);
	budget_counter(bridge->budget, 0, &cap);
	jsonout_init(&out, &bridge->out);
	jsonout_object(&out);
	jsonout_key_str(&out, "jsonrpc", "2.0");
	jsonout_key_str(&out, "method", "tollbridge/load");
	jsonout_key(&out, "params");
	jsonout_object(&out);
	jsonout_key(&out, "program");
	jsonout_strn(&out, program, len);
	jsonout_key_str(&out, "name", name);
	jsonout_key(&out, "tools");
	jsonout_raw(&out, tools, strlen(tools));
	jsonout_key_int(&out, "line", (int64_t)bridge->limits.line);
	jsonout_key(&out, "budget");
	jsonout_object(&out);
	jsonout_key_int(&out, "used", cap.used);
	jsonout_key_int(&out, "limit", cap.limit);
	jsonout_object_end(&out);
	jsonout_object_end(&out);
	jsonout_object_end(&out);
	buf_byte(&bridge->out, '\n');
	bridge->phase = PHASE_LOADED;
	flush_out(bridge);
}

void
bridge_go(struct bridge *bridge)
{
	assert(bridge->phase == PHASE_READY);
	bridge->phase = PHASE_RUNNING;
	buf_str(&bridge->out, "{\"jsonrpc\":\"2.0\",\"method\":\"tollbridge/go\"}\n");
	flush_out(bridge);
}

void
bridge_result(struct bridge *bridge, uint64_t id, struct untrusted result, struct untrusted edited)
{
	struct budget_counter cap;

	budget_counter(bridge->budget, 0, &cap);
	buf_printf(&bridge->out,
		"{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"structuredContent\":",
		(unsigned long long)id);
	buf_put(&bridge->out, result.bytes, result.len);
	buf_str(&bridge->out, ",\"isError\":false,\"_meta\":{");
	if (edited.bytes) {
		buf_str(&bridge->out, "\"tollbridge/edited\":");
		buf_put(&bridge->out, edited.bytes, edited.len);
		buf_byte(&bridge->out, ',');
	}
	buf_printf(&bridge->out, "\"tollbridge/budget\":{\"used\":%lld,\"limit\":%lld}}}}\n",
		(long long)cap.used, (long long)cap.limit);
	flush_out(bridge);
}

void
bridge_error(struct bridge *bridge, uint64_t id, enum bridge_error code, const char *reason,
	const char *by)
{
	struct jsonout out;

	jsonout_init(&out, &bridge->out);
	jsonout_object(&out);
	jsonout_key_str(&out, "jsonrpc", "2.0");
	jsonout_key_int(&out, "id", (int64_t)id);
	jsonout_key(&out, "error");
	jsonout_object(&out);
	jsonout_key_int(&out, "code", code);
	jsonout_key_str(&out, "message", reason);
	jsonout_key(&out, "data");
	jsonout_object(&out);
	jsonout_key_str(&out, "reason", reason);
	jsonout_key_str(&out, "by", by);
	jsonout_key_bool(&out, "final", true);
	jsonout_object_end(&out);
	jsonout_object_end(&out);
	jsonout_object_end(&out);
	buf_byte(&bridge->out, '\n');
	flush_out(bridge);
}

/*
 * Lines that came before the pause are handled when it ends, from the loop and not from inside; as
 * long as more than a line waits, nothing is read on top of it.
 */
static void
resume(void *arg)
{
	struct bridge *bridge = arg;

	if (!bridge->paused && take_lines(bridge))
		interests(bridge);
}

void
bridge_pause(struct bridge *bridge, bool paused)
{
	if (bridge->paused == paused)
		return;
	bridge->paused = paused;
	if (!paused)
		loop_defer(bridge->loop, resume, bridge);
	interests(bridge);
}

void
bridge_drain(struct bridge *bridge)
{
	while (!bridge->closed && take_lines(bridge) && !bridge->paused)
		if (io_read_some(bridge->fd, &bridge->in, READ_MAX, NULL) <= 0)
			return;
}
