/*
 * golden.h - pictures: what a canvas shows, against tests/tui/golden/NAME.txt.
 *
 * TOLLBRIDGE_GOLDEN=write makes them anew; look at the difference before it is kept.
 */
#ifndef TESTS_TUI_GOLDEN_H
#define TESTS_TUI_GOLDEN_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "tui/canvas.h"

static char *
golden_path(const char *name)
{
	const char *source = getenv("TEST_SRCDIR");

	return mem_printf("%s/tests/tui/golden/%s.txt", source ? source : ".", name);
}

/* The same for what is text already. */
static inline void
assert_golden(const char *now, const char *name)
{
	AUTO_FREE char *path = golden_path(name);
	const char *wish = getenv("TOLLBRIDGE_GOLDEN");
	AUTO_BUF struct buf wanted;

	buf_init(&wanted, BUF_UNBOUNDED);
	if (wish && strcmp(wish, "write") == 0) {
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		assert_int_equal(fwrite(now, 1, strlen(now), file), strlen(now));
		fclose(file);
	}
	if (io_read_file(path, &wanted, NULL) < 0)
		fail_msg("no picture %s", path);
	if (strcmp(now, wanted.data) != 0)
		fail_msg("not the picture %s:\n%s", path, now);
}

static inline void
assert_picture(const struct canvas *canvas, const char *name)
{
	AUTO_BUF struct buf now;

	buf_init(&now, BUF_UNBOUNDED);
	canvas_dump(canvas, &now, true);
	assert_golden(now.data, name);
}

#endif
