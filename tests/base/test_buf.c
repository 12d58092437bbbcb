#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"

static void
the_ceiling_holds_and_nothing_is_added_beyond_it(void **state)
{
	AUTO_BUF struct buf buf;
	struct err err = { 0 };

	(void)state;
	buf_init(&buf, 4);
	assert_int_equal(buf_add(&buf, "abc", 3, &err), 0);
	assert_int_equal(buf_add(&buf, "de", 2, &err), -1);

	assert_int_equal(err.kind, ERR_LIMIT);
	assert_string_equal(buf.data, "abc");
}

static void
a_queue_keeps_its_order_over_many_takes(void **state)
{
	AUTO_BUF struct buf buf;

	(void)state;
	buf_init(&buf, BUF_UNBOUNDED);
	for (int i = 0; i < 1000; i++) {
		buf_printf(&buf, "%04d", i);
		if (i % 3 == 2)
			buf_take(&buf, 4);
	}

	assert_memory_equal(buf.data, "0333", 4);
	assert_int_equal(buf.len, (1000 - 333) * 4);
}

static void
given_bytes_start_at_what_was_left(void **state)
{
	AUTO_BUF struct buf buf;
	char *given;

	(void)state;
	buf_init(&buf, 100);
	buf_str(&buf, "head tail");
	buf_take(&buf, 5);
	given = buf_give(&buf);

	assert_string_equal(given, "tail");
	assert_int_equal(buf.len, 0);
	free(given);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ceiling_holds_and_nothing_is_added_beyond_it),
		cmocka_unit_test(a_queue_keeps_its_order_over_many_takes),
		cmocka_unit_test(given_bytes_start_at_what_was_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
