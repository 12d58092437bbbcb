/* Requests about grants, rules and limits, each with the fields that formats.md 2 names. */
#include "config.h"

#include "core/base/buf.h"
#include "core/base/jsonout.h"
#include "tui/client.h"

static void
begin(struct jsonout *out, struct buf *object)
{
	buf_init(object, BUF_UNBOUNDED);
	jsonout_init(out, object);
	jsonout_object(out);
}

/* Members without their braces, for client_request(). */
static uint64_t
send_members(struct client *client, const char *op, struct jsonout *out, struct buf *object)
{
	jsonout_object_end(out);
	return client_request(client, op, object->data + 1, object->len - 2);
}

static void
put_seen(struct jsonout *out, const struct client_seen *seen)
{
	char hex[DIGEST_HEX];

	jsonout_key_int(out, "call", (int64_t)seen->call);
	digest_hex(&seen->bind, hex);
	jsonout_key_str(out, "bind", hex);
	jsonout_key_int(out, "presentation", (int64_t)seen->presentation);
	digest_hex(&seen->frame, hex);
	jsonout_key_str(out, "frame", hex);
	jsonout_key_int(out, "covered", (int64_t)seen->covered);
	jsonout_key_int(out, "total", (int64_t)seen->total);
	jsonout_key_int(out, "dwell_ms", seen->dwell_ms);
}

uint64_t
client_grant(struct client *client, const struct client_seen *seen, int64_t n, const char *bounds,
	const char *comment)
{
	AUTO_BUF struct buf object;
	struct jsonout out;

	begin(&out, &object);
	put_seen(&out, seen);
	jsonout_key_int(&out, "n", n);
	jsonout_key_str(&out, "bounds", bounds);
	if (comment)
		jsonout_key_str(&out, "comment", comment);
	return send_members(client, "grant", &out, &object);
}

uint64_t
client_revoke(struct client *client, uint64_t grant)
{
	AUTO_BUF struct buf object;
	struct jsonout out;

	begin(&out, &object);
	jsonout_key_int(&out, "grant", (int64_t)grant);
	return send_members(client, "revoke", &out, &object);
}

uint64_t
client_rule(struct client *client, uint64_t call, const char *action, const char *rule)
{
	AUTO_BUF struct buf object;
	struct jsonout out;

	begin(&out, &object);
	jsonout_key_int(&out, "call", (int64_t)call);
	jsonout_key_str(&out, "action", action);
	jsonout_key_str(&out, "rule", rule);
	return send_members(client, "rule", &out, &object);
}

uint64_t
client_raise(struct client *client, const struct client_raise *raise)
{
	AUTO_BUF struct buf object;
	struct jsonout out;

	begin(&out, &object);
	jsonout_key_int(&out, "call", (int64_t)raise->call);
	jsonout_key_str(&out, "counter", raise->counter);
	jsonout_key_int(&out, "from", raise->from);
	jsonout_key_int(&out, "to", raise->to);
	jsonout_key_int(&out, "presentation", (int64_t)raise->presentation);
	return send_members(client, "budget", &out, &object);
}
