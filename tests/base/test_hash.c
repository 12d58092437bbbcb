#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/hash.h"

static void
assert_digest(const struct digest *digest, const char *hex)
{
	char found[DIGEST_HEX];

	digest_hex(digest, found);
	assert_string_equal(found, hex);
}

static void
digests_are_those_of_fips_180(void **state)
{
	struct digest digest;

	(void)state;
	hash_bytes("", 0, &digest);
	assert_digest(&digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	hash_bytes("abc", 3, &digest);
	assert_digest(&digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void
a_digest_in_parts_is_the_digest_of_the_whole(void **state)
{
	static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	struct hash *hash = hash_new();
	struct digest digest;

	(void)state;
	for (int again = 0; again < 2; again++) {
		hash_begin(hash);
		for (size_t i = 0; i < sizeof(text) - 1; i++)
			hash_add(hash, text + i, 1);
		hash_end(hash, &digest);
		assert_digest(&digest,
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	}
	hash_free(hash);
}

static void
hmac_agrees_with_rfc_4231(void **state)
{
	static const struct {
		unsigned char key_byte;
		size_t key_len;
		const char *data;
		const char *hex;
	} cases[] = {
		{ 0x0b, 20, "Hi There",
			"b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" },
		{ 0xaa, 131, "Test Using Larger Than Block-Size Key - Hash Key First",
			"60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54" },
	};
	char key[131];
	struct digest digest;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(key, cases[i].key_byte, sizeof(key));
		hash_hmac(key, cases[i].key_len, cases[i].data, strlen(cases[i].data), &digest);
		assert_digest(&digest, cases[i].hex);
	}
	hash_hmac("Jefe", 4, "what do ya want for nothing?", 28, &digest);
	assert_digest(&digest, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

static void
an_empty_key_is_not_the_key_before(void **state)
{
	struct digest empty;
	struct digest other;

	(void)state;
	hash_hmac("Jefe", 4, "x", 1, &other);
	hash_hmac(NULL, 0, "x", 1, &empty);

	assert_false(digest_equal(&empty, &other));
}

static void
a_digest_reads_back_from_its_hex_and_from_nothing_else(void **state)
{
	char hex[DIGEST_HEX];
	struct digest digest;
	struct digest parsed;

	(void)state;
	hash_bytes("abc", 3, &digest);
	digest_hex(&digest, hex);
	assert_true(digest_parse(hex, 64, &parsed));
	assert_true(digest_equal(&digest, &parsed));
	parsed.bytes[31] ^= 1;
	assert_false(digest_equal(&digest, &parsed));

	assert_false(digest_parse(hex, 63, &parsed));
	hex[10] = 'A';
	assert_false(digest_parse(hex, 64, &parsed));
	hex[10] = 'g';
	assert_false(digest_parse(hex, 64, &parsed));
}

static void
base64_agrees_with_rfc_4648_both_ways(void **state)
{
	static const char *const pairs[][2] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" },
		{ "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" }, { "\xff\xfe\xfd", "//79" } };

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		AUTO_BUF struct buf text;
		AUTO_BUF struct buf bytes;

		buf_init(&text, 100);
		buf_init(&bytes, 100);
		buf_str(&text, "");
		buf_str(&bytes, "");
		hash_base64(pairs[i][0], strlen(pairs[i][0]), &text);
		assert_string_equal(text.data, pairs[i][1]);
		assert_true(hash_base64_decode(text.data, text.len, &bytes));
		assert_string_equal(bytes.data, pairs[i][0]);
	}
}

static void
malformed_base64_is_refused_and_leaves_the_buffer(void **state)
{
	static const char *const bad[] = { "Z", "Zg",
		"Zg=", "Zh==", "Zm9=", "Zg==Zg==", "Z===", "====", "Zm 9", "Zm9v\n", "Zm9*",
		"=m9v" };
	AUTO_BUF struct buf bytes;

	(void)state;
	buf_init(&bytes, 100);
	buf_str(&bytes, "kept");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(hash_base64_decode(bad[i], strlen(bad[i]), &bytes));

	assert_string_equal(bytes.data, "kept");
}

static void
random_bytes_differ_and_fill_the_whole_room(void **state)
{
	unsigned char all[4096];
	unsigned char zeros[64] = { 0 };
	unsigned char other[64];

	(void)state;
	memset(all, 0, sizeof(all));
	hash_random(all, sizeof(all));
	hash_random(other, sizeof(other));

	assert_memory_not_equal(all, other, sizeof(other));
	assert_memory_not_equal(all + sizeof(all) - sizeof(zeros), zeros, sizeof(zeros));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_are_those_of_fips_180),
		cmocka_unit_test(a_digest_in_parts_is_the_digest_of_the_whole),
		cmocka_unit_test(hmac_agrees_with_rfc_4231),
		cmocka_unit_test(an_empty_key_is_not_the_key_before),
		cmocka_unit_test(a_digest_reads_back_from_its_hex_and_from_nothing_else),
		cmocka_unit_test(base64_agrees_with_rfc_4648_both_ways),
		cmocka_unit_test(malformed_base64_is_refused_and_leaves_the_buffer),
		cmocka_unit_test(random_bytes_differ_and_fill_the_whole_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
