#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/utf8.h"

static void
every_scalar_value_reads_back_and_takes_all_its_bytes(void **state)
{
	char text[4];

	(void)state;
	for (uint32_t code = 0; code <= 0x10FFFF; code++) {
		uint32_t back = UINT32_MAX;
		unsigned size;

		if (code >= 0xD800 && code < 0xE000)
			continue;
		size = utf8_encode(code, text);
		assert_int_equal(utf8_decode(text, size, &back), size);
		assert_int_equal(back, code);
		assert_int_equal(size > 1 ? utf8_decode(text, size - 1, &back) : 0, 0);
	}
}

static void
what_rfc_3629_forbids_is_refused(void **state)
{
	static const char *const bad[] = { "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3\x28",
		"\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xe2\x28\xa1",
		"\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
		"\xfe", "\xff" };
	uint32_t code;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(utf8_decode(bad[i], strlen(bad[i]), &code), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_scalar_value_reads_back_and_takes_all_its_bytes),
		cmocka_unit_test(what_rfc_3629_forbids_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
