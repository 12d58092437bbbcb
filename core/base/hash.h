/*
 * hash.h - SHA-256, HMAC-SHA-256 (RFC 2104), random bytes, hex and base64.  The one user of
 * libcrypto besides record/keys.
 *
 * Knows:      attr, mem.
 * Unaware of: what is hashed.
 */
#ifndef CORE_BASE_HASH_H
#define CORE_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"

#define DIGEST_BYTES 32
#define DIGEST_HEX 65 /* with its NUL */

struct buf;
struct hash;

struct digest {
	uint8_t bytes[DIGEST_BYTES];
};

void hash_bytes(const void *bytes, size_t len, struct digest *out);

/* Incremental: begin, add any number of times, end (which resets for the next begin). */
struct hash *hash_new(void);
void hash_free(struct hash *hash);
void hash_begin(struct hash *hash);
void hash_add(struct hash *hash, const void *bytes, size_t len);
void hash_end(struct hash *hash, struct digest *out);

void hash_hmac(const void *key, size_t key_len, const void *bytes, size_t len, struct digest *out);

/* From the kernel; aborts when there is none to be had. */
void hash_random(void *out, size_t len);

void digest_hex(const struct digest *digest, char out[DIGEST_HEX]); /* lower case */
bool digest_parse(const char *hex, size_t len, struct digest *out); /* 64 lower-case digits */
bool digest_equal(const struct digest *a, const struct digest *b);  /* constant time */
void hash_hex(const void *bytes, size_t len, char *out /* 2 * len + 1 */);

/* RFC 4648 with padding.  Decoding appends; false when malformed (then out is unchanged). */
void hash_base64(const void *bytes, size_t len, struct buf *out);
bool hash_base64_decode(const char *text, size_t len, struct buf *out);

#endif
