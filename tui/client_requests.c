/* Requests about calls, programs and absence, each with the fields that formats.md 2 names. */
#include "config.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/jsonout.h"
#include "tui/client.h"

static void
key_digest(struct jsonout *out, const char *key, const struct digest *digest)
{
	char hex[DIGEST_HEX];

	digest_hex(digest, hex);
	jsonout_key_str(out, key, hex);
}

/* Members without their braces, for client_request(). */
static uint64_t
request_members(struct client *client, const char *op, const struct buf *object)
{
	return client_request(client, op, object->data + 1, object->len - 2);
}

uint64_t
client_decide(struct client *client, const struct client_decision *decision)
{
	AUTO_BUF struct buf object;
	struct jsonout out;

	buf_init(&object, BUF_UNBOUNDED);
	jsonout_init(&out, &object);
	jsonout_object(&out);
	jsonout_key_int(&out, "call", (int64_t)decision->call);
	key_digest(&out, "bind", &decision->bind);
	jsonout_key_str(&out, "verdict",
		decision->reuse     ? "reuse"
		: decision->approve ? "approve"
				    : "deny");
	jsonout_key_str(&out, "via", decision->via);
	if (strcmp(decision->via, "console") == 0) {
		jsonout_key_int(&out, "presentation", (int64_t)decision->presentation);
		key_digest(&out, "frame", &decision->frame);
		jsonout_key_int(&out, "covered", (int64_t)decision->covered);
		jsonout_key_int(&out, "total", (int64_t)decision->total);
		jsonout_key_int(&out, "dwell_ms", decision->dwell_ms);
	}
	if (decision->reason)
		jsonout_key_str(&out, "reason", decision->reason);
	if (decision->comment)
		jsonout_key_str(&out, "comment", decision->comment);
	if (decision->code)
		jsonout_key_str(&out, "code", decision->code);
	if (decision->stop)
		jsonout_key_bool(&out, "stop", true);
	jsonout_object_end(&out);
	return request_members(client, "decide", &object);
}

uint64_t
client_presented(struct client *client, const struct client_presented *presented)
{
	AUTO_BUF struct buf object;
	struct jsonout out;

	buf_init(&object, BUF_UNBOUNDED);
	jsonout_init(&out, &object);
	jsonout_object(&out);
	jsonout_key_int(&out, "call", (int64_t)presented->call);
	key_digest(&out, "bind", &presented->bind);
	jsonout_key_int(&out, "presentation", (int64_t)presented->presentation);
	jsonout_key_int(&out, "seen_seq", (int64_t)presented->seen_seq);
	jsonout_key_int(&out, "cols", presented->cols);
	jsonout_key_int(&out, "rows", presented->rows);
	jsonout_key_str(&out, "mode", presented->strict ? "strict" : "text");
	key_digest(&out, "frame", &presented->frame);
	jsonout_object_end(&out);
	return request_members(client, "presented", &object);
}

/* Begins {"call":N, and "bind" where one is given. */
static void
about_call(struct jsonout *out, struct buf *object, uint64_t call, const struct digest *bind)
{
	buf_init(object, BUF_UNBOUNDED);
	jsonout_init(out, object);
	jsonout_object(out);
	jsonout_key_int(out, "call", (int64_t)call);
	if (bind)
		key_digest(out, "bind", bind);
}

uint64_t
client_edit(struct client *client, uint64_t call, const struct digest *bind, const char *args)
{
	AUTO_BUF struct buf object;
	struct jsonout out;

	about_call(&out, &object, call, bind);
	jsonout_key_str(&out, "args", args);
	jsonout_object_end(&out);
	return request_members(client, "edit", &object);
}

uint64_t
client_unedit(struct client *client, uint64_t call, const struct digest *bind)
{
	AUTO_BUF struct buf object;
	struct jsonout out;

	about_call(&out, &object, call, bind);
	jsonout_object_end(&out);
	return request_members(client, "unedit", &object);
}

uint64_t
client_extend(struct client *client, uint64_t call, int64_t ms)
{
	AUTO_BUF struct buf object;
	struct jsonout out;

	about_call(&out, &object, call, NULL);
	jsonout_key_int(&out, "ms", ms);
	jsonout_object_end(&out);
	return request_members(client, "extend", &object);
}

uint64_t
client_away(struct client *client, bool away)
{
	const char *members = away ? "\"away\":true" : "\"away\":false";

	return client_request(client, "away", members, strlen(members));
}

uint64_t
client_program(struct client *client, const struct client_program *program)
{
	AUTO_BUF struct buf object;
	struct jsonout out;

	buf_init(&object, BUF_UNBOUNDED);
	jsonout_init(&out, &object);
	jsonout_object(&out);
	jsonout_key_int(&out, "attempt", program->attempt);
	jsonout_key_int(&out, "presentation", (int64_t)program->presentation);
	jsonout_key_int(&out, "seen_seq", (int64_t)program->seen_seq);
	jsonout_key_str(&out, "verdict", program->verdict);
	jsonout_key_str(&out, "reason", program->reason);
	if (program->text) {
		jsonout_key(&out, "text");
		jsonout_strn(&out, program->text, program->text_len);
	}
	jsonout_object_end(&out);
	return request_members(client, "program", &object);
}
