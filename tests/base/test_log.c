#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/io.h"
#include "core/base/log.h"

/* What one log line with this text puts into a descriptor. */
static void
logged(const char *text, struct buf *out)
{
	int ends[2];

	assert_int_equal(io_pipe(&ends[0], &ends[1], NULL), 0);
	log_to(ends[1]);
	log_line("%s", text);
	log_to(STDERR_FILENO);
	close(ends[1]);
	buf_init(out, 1 << 20);
	assert_int_equal(io_read_all(ends[0], out, NULL), 0);
	close(ends[0]);
}

static void
a_line_is_one_line_with_time_and_process(void **state)
{
	AUTO_BUF struct buf out;

	(void)state;
	logged("a \x1b[31mred\nforged line\x7f", &out);

	assert_int_equal(out.data[out.len - 1], '\n');
	assert_ptr_equal(strchr(out.data, '\n'), out.data + out.len - 1);
	assert_non_null(strstr(out.data, "a ?[31mred?forged line?"));
	assert_int_equal(out.data[10], 'T');
}

static void
a_long_line_is_cut_and_still_ends(void **state)
{
	static char text[10000];
	AUTO_BUF struct buf out;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	logged(text, &out);

	assert_in_range(out.len, 1000, 2048);
	assert_int_equal(out.data[out.len - 1], '\n');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_one_line_with_time_and_process),
		cmocka_unit_test(a_long_line_is_cut_and_still_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
