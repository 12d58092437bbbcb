/*
 * event.h - the kinds of event, and one event being built.
 *
 * An event is made of ordered fields; what may be long or secret is a content: its bytes, a fresh
 * 32-byte salt and the commitment SHA-256(salt, bytes) (formats.md 1).  A content is made before
 * the event that refers to it, because a call's bind needs the commitment of its arguments.
 *
 * Knows:      buf, jsonout, hash.
 * Unaware of: files, chains, who reads.
 */
#ifndef CORE_RECORD_EVENT_H
#define CORE_RECORD_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/jsonout.h"

enum event_type {
#define EVENT(id, name) EVENT_##id,
#include "core/record/events.def"
#undef EVENT
	EVENT_COUNT
};

const char *event_name(enum event_type type);
/* EVENT_COUNT when unknown. */
enum event_type event_type_of(const char *name);

struct content {
	struct digest commitment;
	uint8_t salt[DIGEST_BYTES];
};

/* Draw a salt and commit to the bytes (any bytes; not kept). */
void content_make(struct content *content, const void *bytes, size_t len);
/* Does this salt and these bytes give the commitment? */
bool content_fits(const struct content *content, const void *bytes, size_t len);

/*
 * Fields in the order they are added; begin with event_begin, hand to record_append.  An event may
 * be begun again after it was appended: its memory is kept.
 */
struct event {
	enum event_type type;
	struct buf contents; /* whole content lines, in order of reference */
	struct buf data;     /* the members of "data", no braces */
	struct jsonout out;  /* writes into data; for nested values */
	unsigned references; /* contents referred to */
};

void event_init(struct event *event);
void event_release(struct event *event);
void event_begin(struct event *event, enum event_type type);

void event_str(struct event *event, const char *key, const char *str); /* NULL: null */
void event_int(struct event *event, const char *key, int64_t value);
void event_bool(struct event *event, const char *key, bool value);
void event_digest(struct event *event, const char *key, const struct digest *digest);
/* Any JSON that is ours (arrays and objects of plain facts), already in canonical form. */
void event_json(struct event *event, const char *key, const char *json, size_t len);

/* A $ field: makes a content of the bytes, or uses the one made before. */
void event_content(struct event *event, const char *key, const void *bytes, size_t len);
void event_content_made(struct event *event, const char *key, const struct content *content,
	const void *bytes, size_t len);
/* The reference alone as JSON value at the writer's place, for $ fields inside nested values. */
void event_content_here(struct event *event, const void *bytes, size_t len);

/*
 * bind of formats.md 1: over session id, call number, full tool name, tool_sha256 (NULL: 64 zeros)
 * and the commitment, each as ASCII preceded by its length as 8 bytes little-endian.
 */
void event_bind(const char *session_id, uint64_t call, const char *tool,
	const struct digest *tool_sha256, const struct digest *commitment, struct digest *bind);

/* The 4 characters a person types for a `code` call, from bind: digits and upper-case consonants.
 */
#define EVENT_CODE_SIZE 5
void event_code(const struct digest *bind, char code[EVENT_CODE_SIZE]);

#endif
