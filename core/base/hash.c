/*
 * Algorithms are fetched once and contexts are kept: a record line costs a digest, and looking
 * an algorithm up costs more than hashing a line.  Not for use from more than one thread.
 */
#include "config.h"

#include "core/base/hash.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "core/base/buf.h"
#include "core/base/mem.h"

struct hash {
	EVP_MD_CTX *ctx;
};

/* libcrypto fails only without memory or without its own algorithms: no caller could go on. */
static void
must(bool held)
{
	if (!held)
		abort();
}

static const EVP_MD *
sha256(void)
{
	static EVP_MD *fetched;

	if (!fetched)
		fetched = EVP_MD_fetch(NULL, "SHA256", NULL);
	must(fetched != NULL);
	return fetched;
}

struct hash *
hash_new(void)
{
	struct hash *hash = mem_zero(1, sizeof(*hash));

	hash->ctx = EVP_MD_CTX_new();
	must(hash->ctx != NULL);
	return hash;
}

void
hash_free(struct hash *hash)
{
	if (!hash)
		return;
	EVP_MD_CTX_free(hash->ctx);
	free(hash);
}

void
hash_begin(struct hash *hash)
{
	must(EVP_DigestInit_ex2(hash->ctx, sha256(), NULL) == 1);
}

void
hash_add(struct hash *hash, const void *bytes, size_t len)
{
	must(EVP_DigestUpdate(hash->ctx, bytes, len) == 1);
}

void
hash_end(struct hash *hash, struct digest *out)
{
	must(EVP_DigestFinal_ex(hash->ctx, out->bytes, NULL) == 1);
}

void
hash_bytes(const void *bytes, size_t len, struct digest *out)
{
	static struct hash *kept;

	if (!kept)
		kept = hash_new();
	hash_begin(kept);
	hash_add(kept, bytes, len);
	hash_end(kept, out);
}

static EVP_MAC_CTX *
hmac_sha256(void)
{
	static EVP_MAC_CTX *kept;
	char name[] = "SHA256";
	OSSL_PARAM params[] = { OSSL_PARAM_utf8_string("digest", name, 6), OSSL_PARAM_END };
	EVP_MAC *mac;

	if (kept)
		return kept;
	mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	must(mac != NULL);
	kept = EVP_MAC_CTX_new(mac);
	EVP_MAC_free(mac);
	must(kept && EVP_MAC_CTX_set_params(kept, params) == 1);
	return kept;
}

void
hash_hmac(const void *key, size_t key_len, const void *bytes, size_t len, struct digest *out)
{
	EVP_MAC_CTX *ctx = hmac_sha256();
	size_t made;

	/* A NULL key would mean "the last one again". */
	must(EVP_MAC_init(ctx, key_len ? key : "", key_len, NULL) == 1);
	must(EVP_MAC_update(ctx, bytes, len) == 1);
	must(EVP_MAC_final(ctx, out->bytes, &made, sizeof(out->bytes)) == 1);
	must(made == sizeof(out->bytes));
}

void
hash_random(void *out, size_t len)
{
	unsigned char *at = out;

	while (len > 0) {
		ssize_t got = getrandom(at, len, 0);

		if (got < 0) {
			must(errno == EINTR);
			continue;
		}
		at += got;
		len -= (size_t)got;
	}
}

void
hash_hex(const void *bytes, size_t len, char *out)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *at = bytes;

	for (size_t i = 0; i < len; i++) {
		out[2 * i] = digits[at[i] >> 4];
		out[2 * i + 1] = digits[at[i] & 15];
	}
	out[2 * len] = '\0';
}

void
digest_hex(const struct digest *digest, char out[DIGEST_HEX])
{
	hash_hex(digest->bytes, DIGEST_BYTES, out);
}

static int
hex_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool
digest_parse(const char *hex, size_t len, struct digest *out)
{
	struct digest parsed;

	if (len != 2 * DIGEST_BYTES)
		return false;
	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		int high = hex_value(hex[2 * i]);
		int low = hex_value(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		parsed.bytes[i] = (uint8_t)(high << 4 | low);
	}
	*out = parsed;
	return true;
}

bool
digest_equal(const struct digest *a, const struct digest *b)
{
	return CRYPTO_memcmp(a->bytes, b->bytes, DIGEST_BYTES) == 0;
}

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
hash_base64(const void *bytes, size_t len, struct buf *out)
{
	const uint8_t *at = bytes;

	while (len > 0) {
		size_t took = len < 3 ? len : 3;
		uint32_t three = (uint32_t)at[0] << 16;
		char four[4];

		if (took > 1)
			three |= (uint32_t)at[1] << 8;
		if (took > 2)
			three |= at[2];
		for (unsigned i = 0; i < 4; i++)
			four[i] = i <= took ? base64_digits[three >> (18 - 6 * i) & 63] : '=';
		buf_put(out, four, sizeof(four));
		at += took;
		len -= took;
	}
}

static int
base64_value(char digit)
{
	const char *found = digit ? strchr(base64_digits, digit) : NULL;

	return found ? (int)(found - base64_digits) : -1;
}

/* Four digits, of which the last `pad` are padding, to 3 - pad bytes; spare bits must be zero. */
static bool
base64_group(const char *four, unsigned pad, struct buf *out)
{
	uint32_t bits = 0;
	char bytes[3];

	for (unsigned i = 0; i < 4 - pad; i++) {
		int value = base64_value(four[i]);

		if (value < 0)
			return false;
		bits |= (uint32_t)value << (18 - 6 * i);
	}
	bytes[0] = (char)(bits >> 16);
	bytes[1] = (char)(bits >> 8);
	bytes[2] = (char)bits;
	if ((pad > 0 && bytes[2]) || (pad > 1 && bytes[1]))
		return false;
	buf_put(out, bytes, 3 - pad);
	return true;
}

bool
hash_base64_decode(const char *text, size_t len, struct buf *out)
{
	AUTO_BUF struct buf decoded;
	unsigned pad = 0;

	buf_init(&decoded, BUF_UNBOUNDED);
	if (len % 4)
		return false;
	while (pad < 2 && pad < len && text[len - 1 - pad] == '=')
		pad++;
	for (size_t at = 0; at < len; at += 4) {
		if (!base64_group(text + at, at + 4 == len ? pad : 0, &decoded))
			return false;
	}
	return decoded.len == 0 || buf_add(out, decoded.data, decoded.len, NULL) == 0;
}
