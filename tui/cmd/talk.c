#include "config.h"

#include "tui/cmd/talk.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/record/store.h"
#include "tui/client.h"

#define WAIT_NS (10 * NS_PER_S)

struct talk {
	struct loop *loop;
	struct client *client;
	talk_send_fn send;
	void *arg;
	uint64_t id;
	bool done;
	struct err *err;
};

static void
end(struct talk *talk, int failed)
{
	talk->done = true;
	loop_stop(talk->loop, failed);
}

static void
on_hello(struct client *client, void *arg)
{
	struct talk *talk = arg;

	talk->id = talk->send(client, talk->arg);
}

static void
on_reply(uint64_t id, struct json_value reply, void *arg)
{
	struct talk *talk = arg;
	struct json_value kind = json_get(reply, "kind");
	const char *error = json_text(reply, "error");

	if (id != talk->id)
		return;
	if (json_bool(json_get(reply, "ok"), false)) {
		end(talk, 0);
		return;
	}
	end(talk, err_set(talk->err,
			  json_is(kind, "state")      ? ERR_STATE
			  : json_is(kind, "mismatch") ? ERR_MISMATCH
						      : ERR_USAGE,
			  "%s", error ? error : "the supervisor refused"));
}

static void
on_closed(const char *why, void *arg)
{
	struct talk *talk = arg;

	if (!talk->done)
		end(talk, err_set(talk->err, ERR_STATE, "%s",
				  why ? why : "the session ended before it answered"));
}

static void
on_late(void *arg)
{
	struct talk *talk = arg;

	end(talk, err_set(talk->err, ERR_STATE, "the supervisor did not answer within 10 s"));
}

int
talk_connect(const struct store_entry *entry, struct err *err)
{
	struct store *store = store_open(err);
	int fd;

	if (!store)
		return -1;
	fd = store_connect(store, entry->id, err);
	store_free(store);
	return fd;
}

int
talk_ask(const struct store_entry *entry, uint64_t from, talk_send_fn send, void *arg,
	struct err *err)
{
	struct talk talk = { .send = send, .arg = arg, .err = err };
	struct client_hooks hooks = {
		.on_hello = on_hello, .on_reply = on_reply, .on_closed = on_closed, .arg = &talk
	};
	int fd = talk_connect(entry, err);
	struct loop_timer *late;
	int failed;

	if (fd < 0)
		return -1;
	talk.loop = loop_new();
	late = loop_timer_new(talk.loop, on_late, &talk);
	loop_timer_in(late, WAIT_NS);
	talk.client = client_new(talk.loop, fd, from, &hooks);
	failed = loop_run(talk.loop);
	client_free(talk.client);
	loop_timer_free(late);
	loop_free(talk.loop);
	return failed;
}
