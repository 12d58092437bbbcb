/*
 * An event's fields are written straight into its two buffers, which keep their memory from one
 * event to the next.  Salts are drawn from the kernel many at a time: a draw costs more than the
 * digest of a short content.
 */
#include "config.h"

#include "core/record/event.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"

#define SALTS_DRAWN 64

static const char *const names[EVENT_COUNT] = {
#define EVENT(id, name) [EVENT_##id] = name,
#include "core/record/events.def"
#undef EVENT
};

const char *
event_name(enum event_type type)
{
	assert(type < EVENT_COUNT);
	return names[type];
}

enum event_type
event_type_of(const char *name)
{
	for (int i = 0; i < EVENT_COUNT; i++) {
		if (strcmp(names[i], name) == 0)
			return (enum event_type)i;
	}
	return EVENT_COUNT;
}

static struct hash *
kept_hash(void)
{
	static struct hash *kept;

	if (!kept)
		kept = hash_new();
	return kept;
}

/* A salt is handed out once and wiped here, so that it lives on only where it is needed. */
static void
draw_salt(uint8_t salt[DIGEST_BYTES])
{
	static uint8_t drawn[SALTS_DRAWN][DIGEST_BYTES];
	static unsigned left;

	if (left == 0) {
		hash_random(drawn, sizeof(drawn));
		left = SALTS_DRAWN;
	}
	left--;
	memcpy(salt, drawn[left], DIGEST_BYTES);
	memset(drawn[left], 0, DIGEST_BYTES);
}

static void
commit(const uint8_t salt[DIGEST_BYTES], const void *bytes, size_t len, struct digest *out)
{
	struct hash *hash = kept_hash();

	hash_begin(hash);
	hash_add(hash, salt, DIGEST_BYTES);
	hash_add(hash, bytes, len);
	hash_end(hash, out);
}

void
content_make(struct content *content, const void *bytes, size_t len)
{
	draw_salt(content->salt);
	commit(content->salt, bytes, len, &content->commitment);
}

bool
content_fits(const struct content *content, const void *bytes, size_t len)
{
	struct digest made;

	commit(content->salt, bytes, len, &made);
	return digest_equal(&made, &content->commitment);
}

void
event_init(struct event *event)
{
	buf_init(&event->contents, BUF_UNBOUNDED);
	buf_init(&event->data, BUF_UNBOUNDED);
	event_begin(event, EVENT_ALERT);
}

void
event_release(struct event *event)
{
	buf_release(&event->contents);
	buf_release(&event->data);
}

void
event_begin(struct event *event, enum event_type type)
{
	event->type = type;
	event->references = 0;
	buf_clear(&event->contents);
	buf_clear(&event->data);
	jsonout_init(&event->out, &event->data);
}

void
event_str(struct event *event, const char *key, const char *str)
{
	jsonout_key_str(&event->out, key, str);
}

void
event_int(struct event *event, const char *key, int64_t value)
{
	jsonout_key_int(&event->out, key, value);
}

void
event_bool(struct event *event, const char *key, bool value)
{
	jsonout_key_bool(&event->out, key, value);
}

void
event_digest(struct event *event, const char *key, const struct digest *digest)
{
	char hex[DIGEST_HEX];

	digest_hex(digest, hex);
	jsonout_key(&event->out, key);
	jsonout_strn(&event->out, hex, DIGEST_HEX - 1);
}

void
event_json(struct event *event, const char *key, const char *json, size_t len)
{
	jsonout_key(&event->out, key);
	jsonout_raw(&event->out, json, len);
}

static bool
is_utf8(const char *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		uint32_t code;
		unsigned size = 1;

		if ((unsigned char)bytes[at] >= 0x80)
			size = utf8_decode(bytes + at, len - at, &code);
		if (size == 0)
			return false;
		at += size;
	}
	return true;
}

static void
put_content_line(struct buf *out, const struct content *content, const char *bytes, size_t len)
{
	char hex[DIGEST_HEX];
	struct jsonout text;

	digest_hex(&content->commitment, hex);
	buf_str(out, "{\"content\":\"");
	buf_put(out, hex, DIGEST_HEX - 1);
	hash_hex(content->salt, DIGEST_BYTES, hex);
	buf_str(out, "\",\"salt\":\"");
	buf_put(out, hex, DIGEST_HEX - 1);
	if (is_utf8(bytes, len)) {
		buf_str(out, "\",\"text\":");
		jsonout_init(&text, out);
		jsonout_strn(&text, bytes, len);
		buf_str(out, "}\n");
		return;
	}
	buf_str(out, "\",\"base64\":\"");
	hash_base64(bytes, len, out);
	buf_str(out, "\"}\n");
}

static void
put_reference(struct event *event, const struct content *content, const void *bytes, size_t len)
{
	char hex[DIGEST_HEX];

	put_content_line(&event->contents, content, bytes, len);
	event->references++;
	digest_hex(&content->commitment, hex);
	jsonout_object(&event->out);
	jsonout_key_str(&event->out, "$content", hex);
	jsonout_key_int(&event->out, "bytes", (int64_t)len);
	jsonout_object_end(&event->out);
}

void
event_content_made(struct event *event, const char *key, const struct content *content,
	const void *bytes, size_t len)
{
	jsonout_key(&event->out, key);
	put_reference(event, content, bytes, len);
}

void
event_content(struct event *event, const char *key, const void *bytes, size_t len)
{
	jsonout_key(&event->out, key);
	event_content_here(event, bytes, len);
}

void
event_content_here(struct event *event, const void *bytes, size_t len)
{
	struct content content;

	content_make(&content, bytes, len);
	put_reference(event, &content, bytes, len);
}

static void
add_with_length(struct hash *hash, const char *text, size_t len)
{
	uint8_t length[8];

	for (unsigned i = 0; i < sizeof(length); i++)
		length[i] = (uint8_t)((uint64_t)len >> (8 * i));
	hash_add(hash, length, sizeof(length));
	hash_add(hash, text, len);
}

void
event_bind(const char *session_id, uint64_t call, const char *tool,
	const struct digest *tool_sha256, const struct digest *commitment, struct digest *bind)
{
	static const struct digest unknown_tool;
	struct hash *hash = kept_hash();
	char number[24];
	char hex[DIGEST_HEX];
	int digits = snprintf(number, sizeof(number), "%llu", (unsigned long long)call);

	hash_begin(hash);
	add_with_length(hash, session_id, strlen(session_id));
	add_with_length(hash, number, (size_t)digits);
	add_with_length(hash, tool, strlen(tool));
	digest_hex(tool_sha256 ? tool_sha256 : &unknown_tool, hex);
	add_with_length(hash, hex, DIGEST_HEX - 1);
	digest_hex(commitment, hex);
	add_with_length(hash, hex, DIGEST_HEX - 1);
	hash_end(hash, bind);
}

/* 30 characters without vowels and Y spell no words; 64 bits over 30^4 leave no bias to speak of.
 */
void
event_code(const struct digest *bind, char code[EVENT_CODE_SIZE])
{
	static const char alphabet[] = "0123456789BCDFGHJKLMNPQRSTVWXZ";
	uint64_t number = 0;

	for (unsigned i = 0; i < 8; i++)
		number = number << 8 | bind->bytes[i];
	for (unsigned i = 0; i < EVENT_CODE_SIZE - 1; i++) {
		code[i] = alphabet[number % (sizeof(alphabet) - 1)];
		number /= sizeof(alphabet) - 1;
	}
	code[EVENT_CODE_SIZE - 1] = '\0';
}
